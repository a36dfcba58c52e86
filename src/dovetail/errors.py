"""What can go wrong, as one clear sentence each."""


class DovetailError(Exception):
    """Base of every error that Dovetail raises on purpose; its message is meant for a person."""


class DataError(DovetailError, ValueError):
    """Input data is malformed: the message names the file and line, or the sequence and token."""


class ModelFileError(DovetailError, ValueError):
    """A model file is missing, damaged, altered or too new to be read."""


class TrainingError(DovetailError, ValueError):
    """A training cannot start or go on with these settings and this data."""


class NativeCodeError(DovetailError, ImportError):
    """The kernels cannot be loaded here: they are for another CPU level, platform or Python."""


class NotFittedError(DovetailError, ValueError, AttributeError):
    """Something was asked of an estimator that only training, or a file, can give it."""


class ClusterError(DovetailError, RuntimeError):
    """A cluster cannot be reached, or its workers cannot do what is asked of them."""
