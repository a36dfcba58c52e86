"""The parameters of a class, as the signature of its ``__init__`` declares them.

Read from the code object: `inspect` alone would take a third of the time in which a process that
only tags starts.
"""

from __future__ import annotations

from functools import cache
from reprlib import Repr
from typing import Any, Final

REQUIRED: Final = object()  # in place of a default, for a parameter that has none
TAKES_OTHERS: Final = 0x08  # `inspect.CO_VARKEYWORDS`


@cache
def parameters_of(cls: type) -> dict[str, Any]:
    """Names of all parameters, with their defaults; where ``__init__`` takes others by ``**``,
    these are the parameters of the class above."""
    init: Any = cls.__init__  # type: ignore[misc]
    code = init.__code__
    positional = code.co_varnames[1 : code.co_argcount]
    keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    defaults = init.__defaults__ or ()
    without = len(positional) - len(defaults)
    found = dict.fromkeys(positional[:without], REQUIRED)
    found |= dict(zip(positional[without:], defaults, strict=True))
    given = init.__kwdefaults__ or {}
    found |= {name: given.get(name, REQUIRED) for name in keywords}
    owner = next(one for one in cls.__mro__ if "__init__" in vars(one))
    above = owner.__mro__[1]
    if above is object or not code.co_flags & TAKES_OTHERS:
        return found
    return found | {k: v for k, v in parameters_of(above).items() if k not in found}


def is_default(value: Any, default: Any) -> bool:
    """Whether a parameter has its default."""
    if value is default:
        return True
    try:
        return type(value) is type(default) and bool(value == default)
    except ValueError:  # of arrays, which have no one truth
        return False


class _Short(Repr):
    """Values in a line, cut where they are long; estimators among them are short already."""

    def __init__(self) -> None:
        super().__init__()
        self.maxdict = self.maxlist = self.maxtuple = 8
        self.maxstring = self.maxother = 60

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        """In the order of the mapping, which `Repr` would sort."""
        items = [f"{self.repr1(k, level - 1)}: {self.repr1(v, level - 1)}" for k, v in x.items()]
        more = [self.fillvalue] if len(items) > self.maxdict else []
        return f"{{{', '.join([*items[: self.maxdict], *more])}}}"

    def repr_instance(self, x: Any, level: int) -> str:
        return repr(x) if hasattr(x, "get_params") else super().repr_instance(x, level)


def shown(value: Any) -> str:
    """A value in one line, cut where it is long."""
    return " ".join(_Short().repr(value).split())
