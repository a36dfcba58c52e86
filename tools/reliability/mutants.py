"""Small mistakes that a programmer could make, put into the code of a module one at a time.

What people read, messages and documentation, stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OTHER: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add,
    ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.And: ast.Or,
    ast.Or: ast.And, ast.Break: ast.Continue, ast.Continue: ast.Break,
}  # fmt: skip
UNMUTATED = ("TYPE_CHECKING", "__all__", "__slots__")
Change = Callable[[], None]


@dataclass
class Mutant:
    """A change at a line of a module."""

    line: int
    what: str
    change: Change


def mutated(path: Path, number: int) -> tuple[ast.Module, Mutant]:
    """The module with the change of that number made."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    mutant = list(find_mutants(tree))[number]
    mutant.change()
    return ast.fix_missing_locations(tree), mutant


def find_mutants(tree: ast.AST) -> Iterator[Mutant]:
    """All changes of a module, in the order of its nodes."""
    for parent, name, index, node in _places(tree):
        yield from _of_node(node)
        if isinstance(node, ast.stmt):
            without = _without(node)
            if without is not None:
                what = f"without: {ast.unparse(node).splitlines()[0]}"
                yield Mutant(node.lineno, what, _replacing(parent, name, index, without))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            what = f"{ast.unparse(node)} -> {ast.unparse(node.operand)}"
            yield Mutant(node.lineno, what, _replacing(parent, name, index, node.operand))
        elif isinstance(parent, ast.If | ast.While | ast.IfExp) and name == "test":
            turned = ast.UnaryOp(ast.Not(), node)
            what = f"not: {ast.unparse(node)}"
            yield Mutant(node.lineno, what, _replacing(parent, name, index, turned))


def _of_node(node: Any) -> Iterator[Mutant]:
    if isinstance(node, ast.Compare):
        for k, op in enumerate(node.ops):
            if type(op) in OTHER:
                yield _swap(node, node.ops, k)
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in OTHER:
        yield _swap(node, node, "op")
    elif isinstance(node, ast.Constant):
        other = _other_value(node.value)
        if other is not None:
            what = f"{node.value!r} -> {other!r}"
            yield Mutant(node.lineno, what, lambda: setattr(node, "value", other))
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        what = f"return None instead of {ast.unparse(node.value)}"
        yield Mutant(node.lineno, what, lambda: setattr(node, "value", ast.Constant(None)))


def _swap(node: Any, holder: Any, key: Any) -> Mutant:
    before = holder[key] if isinstance(holder, list) else getattr(holder, key)
    after = OTHER[type(before)]()

    def change() -> None:
        if isinstance(holder, list):
            holder[key] = after
        else:
            setattr(holder, key, after)

    return Mutant(
        node.lineno,
        f"{type(before).__name__} -> {type(after).__name__}: {ast.unparse(node)}",
        change,
    )


def _other_value(value: object) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return f"{value}X" if isinstance(value, str) else None


def _without(node: ast.stmt) -> ast.stmt | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
        return ast.Pass()
    if isinstance(node, ast.Raise | ast.AugAssign | ast.Delete):
        return ast.Pass()
    if type(node) in OTHER:
        return OTHER[type(node)]()  # type: ignore[no-any-return]
    return None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _replacing(parent: Any, name: str, index: int | None, other: ast.AST) -> Change:
    def change() -> None:
        if index is None:
            setattr(parent, name, other)
        else:
            getattr(parent, name)[index] = other

    return change


def _places(parent: ast.AST) -> Iterator[tuple[Any, str, int | None, Any]]:
    """Each node with where it stands, but for annotations, decorators, messages and
    documentation."""
    for name, value in ast.iter_fields(parent):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        nodes = value if isinstance(value, list) else [value]
        for index, node in enumerate(nodes):
            if not isinstance(node, ast.AST) or _is_unmutated(node):
                continue
            yield parent, name, index if isinstance(value, list) else None, node
            yield from _places(node)


def _is_unmutated(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True  # documentation
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name):
        return node.test.id in UNMUTATED
    if isinstance(node, ast.Assign):
        return any(isinstance(one, ast.Name) and one.id in UNMUTATED for one in node.targets)
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and " " in text.strip()  # for people
