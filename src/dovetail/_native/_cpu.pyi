RUNNABLE: tuple[str, ...]
BUILT: tuple[str, ...]
