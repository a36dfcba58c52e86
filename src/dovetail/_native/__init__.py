"""The kernels, compiled for several CPU levels; here is the best one that this CPU can run.

`LEVEL` says which; the environment variable ``DOVETAIL_CPU`` chooses another.
"""

from dovetail._native.loading import kernels

globals().update((k, v) for k, v in vars(kernels()).items() if not k.startswith("__"))
