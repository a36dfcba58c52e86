"""Every kind of file and request that comes from strangers, mutated until something gives way.

`fuzzing.targets` has what is attacked and the files to begin with, `fuzzing.mutators` how files are
altered so that they get past the first check, `fuzzing.attack` is one process on one target under
Atheris, and ``python -m fuzzing`` runs all of them and counts.
"""
