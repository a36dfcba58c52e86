"""Small mistakes that a programmer could make, put into C++ text many at a time.

Text is only ever inserted, between tokens and without new lines: so that mistakes can stand within
one another, and what the compiler says of a line is about the line of the original. Operators are
told from other uses of their characters by the blanks that clang-format puts on both sides. What
does not compile with its mistake is for the compiler to tell; what people read stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

TOKEN = re.compile(
    r"""
    (?P<comment>  //[^\n]* | /\*.*?\*/ )
  | (?P<directive> (?:(?<=\n)|\A)[ ]*\#(?:\\\n|[^\n])* )
  | (?P<text>     "(?:\\.|[^"\\\n])*" )
  | (?P<number>   '(?:\\.|[^'\\])+' | \.?\d(?:[eE][-+]|'?[\w.])* )
  | (?P<name>     [A-Za-z_]\w* )
  | (?P<sign>     ->|::|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w] )
    """,
    re.VERBOSE | re.DOTALL,
)
OTHER = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
    "*": "+", "/": "*", "%": "*", "&": "|", "|": "&", "^": "&",
}  # fmt: skip
FUNCTIONS = {
    "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal_to",
    "!=": "not_equal_to", "+": "plus", "-": "minus", "*": "multiplies", "/": "divides",
    "%": "modulus", "&": "bit_and", "|": "bit_or", "^": "bit_xor",
}  # fmt: skip
ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")
# A brace after one of these begins statements, not a class or a list of values.
BEFORE_CODE = (")", "]", ";", "{", "}", "else", "do", "try", "const", "noexcept", "mutable")
UNMUTATED = ("constexpr", "static_assert", "using", "typedef", "throw", "template", "case")
KEYWORDS = {
    "auto", "break", "case", "catch", "class", "const", "constexpr", "continue", "default",
    "delete", "do", "else", "for", "if", "new", "operator", "private", "public", "return", "static",
    "static_assert", "struct", "switch", "template", "throw", "try", "typedef", "using", "while",
}  # fmt: skip


class Token(NamedTuple):
    kind: str
    text: str
    at: int

    @property
    def end(self) -> int:
        return self.at + len(self.text)


class Mutant(NamedTuple):
    """What is inserted before and after a piece of text; {n} stands for the mistake's number."""

    line: int
    what: str
    begin: int
    end: int
    before: str
    after: str


def find_mutants(text: str) -> list[Mutant]:
    """All mistakes, in the order of the text."""
    tokens, conditional = [], 0
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind == "directive":  # what stands between #if and #endif may not be compiled here
            conditional += match[0].lstrip().startswith("#if")
            conditional -= match[0].lstrip().startswith("#endif")
        elif kind != "comment" and not conditional:
            tokens.append(Token(kind, match[0], match.start()))
    return sorted(_Finder(text, tokens).find(), key=lambda mutant: (mutant.begin, mutant.end))


def with_mutants(text: str, mutants: Mapping[int, Mutant]) -> str:
    """The text with mistakes of these numbers in it, each to be chosen when it runs."""
    insertions = []
    for n, mutant in mutants.items():
        size = mutant.end - mutant.begin
        insertions.append((mutant.begin, 1, -size, n, mutant.before.format(n=n)))
        insertions.append((mutant.end, 0, size, -n, mutant.after.format(n=n)))
    pieces, done = [], 0
    for at, *_, inserted in sorted(insertions):
        pieces += [text[done:at], inserted]
        done = at
    return "".join([*pieces, text[done:]])


class _Finder:
    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.partner: dict[int, int] = {}  # of each bracket
        self.in_code: list[bool] = []  # is the token among statements?
        opened: list[int] = []
        code = [False]
        for k, token in enumerate(tokens):
            if token.text in ")]}" and opened:
                begin = opened.pop()
                self.partner[begin], self.partner[k] = k, begin
                code.pop()
            self.in_code.append(code[-1])
            if token.text in "([{":
                opened.append(k)
                code.append(token.text == "{" and k > 0 and tokens[k - 1].text in BEFORE_CODE)

    def find(self) -> Iterator[Mutant]:
        skipped_to = 0
        for k, token in enumerate(self.tokens):
            if self._begins_statement(k):
                yield from self._without(k)
            if token.text in UNMUTATED:
                signs = (";",) if token.text == "throw" else (";", "{")
                skipped_to = max(skipped_to, self._end(k, signs))
            if k >= skipped_to:
                yield from self._of_token(k)

    def _of_token(self, k: int) -> Iterator[Mutant]:
        token = self.tokens[k]
        following = self.tokens[k + 1].text if k + 1 < len(self.tokens) else ""
        if token.kind == "number" or token.text in ("true", "false"):
            yield self._mutant(k, k, f"another {token.text}", "mutants::other<{n}>(", ")")
        elif token.text in OTHER and self._is_spaced(token):
            other = OTHER[token.text]
            kinds = f"std::{FUNCTIONS[token.text]}<>, std::{FUNCTIONS[other]}<>"
            swapped = f" mutants::Swapped<{{n}}, {kinds}>() {token.text}"
            yield self._mutant(k, k, f"{token.text} -> {other}", "", swapped)
        elif token.text in ("&&", "||") and self._is_spaced(token):
            ignored = "mutants::on<{n}>() ||" if token.text == "&&" else "!mutants::on<{n}>() &&"
            last = self._end(k + 1, (";", ",", "&&", "||", "?", ":")) - 1
            what = f"without what follows {token.text}"
            yield self._mutant(k + 1, last, what, f"({ignored} (", "))")
        elif token.text in ("+=", "-="):
            last = self._end(k + 1, (";", ",")) - 1
            yield self._mutant(k + 1, last, f"{token.text} turned", "mutants::negated<{n}>(", ")")
        elif token.text in ("if", "while") and following == "(":
            last = self.partner[k + 1] - 1
            first = max(k + 2, self._end(k + 2, (";",), last) + 1)
            if first > last:
                first = k + 2
            what = f"{token.text} turned"
            yield self._mutant(first, last, what, "mutants::turned<{n}>(bool(", "))")
        elif self._texts(k, 4) in (["std", "::", "min", "("], ["std", "::", "max", "("]):
            what = "min -> max" if self.tokens[k + 2].text == "min" else "max -> min"
            yield self._mutant(k, k + 1, what, "mutants::Extremes<{n}>::/*", "*/")

    def _begins_statement(self, k: int) -> bool:
        before = self.tokens[k - 1].text if k else ""
        if before in (";", "{", "}", "else"):
            return self.in_code[k]
        if before != ")" or k - 1 not in self.partner:
            return False
        head = self.tokens[self.partner[k - 1] - 1].text
        return head in ("if", "for", "while")

    def _without(self, k: int) -> Iterator[Mutant]:
        """A statement left out, unless it declares something."""
        token, last = self.tokens[k], self._end(k, (";",))
        if last >= len(self.tokens) or self.tokens[last].text != ";":
            return
        jumps = token.text in ("throw", "continue", "break")
        if jumps or (token.text == "return" and last == k + 1) or self._does_something(k, last):
            what = " ".join(self.text[token.at : self.tokens[last].at].split())
            yield self._mutant(k, last, f"without {what}", "{{ if (!mutants::on<{n}>()) ", " }}")

    def _does_something(self, k: int, last: int) -> bool:
        """Is a statement a call or an assignment?"""
        token, between = self.tokens[k], range(k, last)
        if token.text in KEYWORDS or any(self._declares(at) for at in between):
            return False
        if token.kind != "name":
            return token.text in ("++", "--", "*")
        changes = any(self.tokens[at].text in (*ASSIGNMENTS, "++", "--") for at in between)
        return changes or self.tokens[last - 1].text == ")"

    def _declares(self, k: int) -> bool:
        """Does a name follow a type?"""
        token, following = self.tokens[k], self.tokens[k + 1]
        ends_type = token.text in (">", "&", "*") and not self._is_spaced(token)
        return following.kind == "name" and (token.kind == "name" or ends_type)

    def _end(self, k: int, signs: tuple[str, ...], most: int | None = None) -> int:
        """The first of these signs from there on, outside of brackets, or the end of what is
        inside."""
        most = len(self.tokens) if most is None else most + 1
        while k < most and self.tokens[k].text not in (*signs, ")", "]", "}"):
            k = self.partner.get(k, k) + 1
        return k

    def _is_spaced(self, token: Token) -> bool:
        return self.text[token.at - 1].isspace() and self.text[token.end].isspace()

    def _texts(self, k: int, n: int) -> list[str]:
        return [token.text for token in self.tokens[k : k + n]]

    def _mutant(self, first: int, last: int, what: str, before: str, after: str) -> Mutant:
        begin, end = self.tokens[first].at, self.tokens[last].end
        return Mutant(self.text.count("\n", 0, begin) + 1, what, begin, end, before, after)
