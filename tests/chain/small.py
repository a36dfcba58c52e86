"""A tagger of three labels, for tests that ask what it makes of input."""

from __future__ import annotations

from dovetail import Tagger

_X = [[["a"], ["b"], ["c"]], [["b"], ["a"]], [["c"], ["c"], ["a"]]]
SMALL = Tagger(c2=0.1).fit(_X, [list("XYZ"), list("YX"), list("ZZX")])
