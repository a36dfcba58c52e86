"""Templates: which features a tagger makes of the columns of its data.

Features are extracted in native code. Attributes that Python computes (regular expressions, your
own functions) are computed once for each distinct value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from dovetail import _native
from dovetail.data import is_corpus, iterate
from dovetail.errors import DataError
from dovetail.features.attributes import Attribute, Row
from dovetail.features.columns import column
from dovetail.features.derived import Derived, native_from, step_of
from dovetail.features.expressions import Expression, check_rows, conjoin, merge_functions
from dovetail.features.lexicons import Lexicon
from dovetail.features.syntax import parse_template
from dovetail.features.tables import Table

if TYPE_CHECKING:
    from dovetail.corpus import Column, Corpus
    from dovetail.features.dataset import Labels

Featurizer = Callable[[Any], Iterable[Any]]
"""A function of the user's own, from a sequence of a corpus to the features of its tokens."""
LARGEST_VALUE = 3.4e38  # of single precision
LEAST_WEIGHT = 1e-4  # smaller ones of a soft column make no feature
AT_ONCE = 4096  # sequences read together: their distinct values share their work


class Template:
    """Features of tokens, declared by expressions over columns.

    >>> from dovetail.features import column
    >>> word = column("word")
    >>> template = Template(word.lower.window(1), word.suffix(2) & word.lower[-1])
    >>> print(template)
    word.lower[-1..1]
    word.suffix(2) & word.lower[-1]
    >>> for name, value in template.features([["In", "Paris"]])[0][1]:
    ...     print(name)
    word.lower[-1]=in
    word.lower=paris
    word.lower[1]=⟨+1⟩
    word.suffix(2) & word.lower[-1]=is|in

    Outside the sequence a part has the value ``⟨-1⟩``, ``⟨+1⟩``, ``⟨+2⟩`` ..., by how far outside
    it lies. A missing value makes no feature.
    """

    def __init__(
        self,
        *expressions: Expression,
        lexicons: Mapping[str, Lexicon] | None = None,
        tables: Mapping[str, Table] | None = None,
    ) -> None:
        self.expressions = expressions
        self.lexicons = dict(lexicons or {})
        self.tables = dict(tables or {})
        rows: list[Row] = []
        known: set[Row] = set()
        for expression in expressions:
            if not isinstance(expression, Expression):
                raise DataError(f"{expression!r} is no expression; begin one with column(name)")
            again = expression._name() is not None  # in CRF++ a line that comes twice counts twice
            rows += [row for row in expression.rows if again or row not in known]
            known.update(expression.rows)
            check_rows(len(rows))
        self.rows = tuple(rows)
        self.functions = merge_functions(expression.functions() for expression in expressions)
        self.attributes = tuple(dict.fromkeys(p.attribute for r in self.rows for p in r.parts))
        self._check()
        self._native = self.compile_rows(self.rows)
        self._derived = Derived(self.attributes, self.lexicons, self.tables, self.functions)

    @classmethod
    def parse(cls, text: str, source: str = "the template", **given: Any) -> Template:
        """The template that a text describes; see `docs/howto/templates.md` for its syntax."""
        return cls(*parse_template(text, source), **given)

    def __str__(self) -> str:
        return "\n".join(map(str, self.expressions))

    def __repr__(self) -> str:
        return f"<Template: {len(self.rows)} rows over {', '.join(self.columns)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and self.spec() == other.spec()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (self.expressions, self.lexicons, self.tables))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns it reads of the data, without built-in ones."""
        names = dict.fromkeys(attribute.column for attribute in self.attributes)
        return tuple(name for name in names if not name.startswith("@"))

    @cached_property
    def _reads_places(self) -> bool:
        return any(attribute.column.startswith("@") for attribute in self.attributes)

    def with_columns(self, *names: str, conjoined: bool = False) -> Template:
        """The same, and the values of further columns, such as those that other taggers write.

        ``conjoined`` adds every feature in conjunction with each of them too.

        >>> from dovetail.features import column
        >>> print(Template(column("word").window(1)).with_columns("ner", conjoined=True))
        word[-1..1]
        ner
        word[-1..1] & ner
        """
        columns = [column(name) for name in names]
        both = [conjoin(e, c) for c in columns for e in self.expressions] if conjoined else []
        return self.with_features(*columns, *both)

    def with_features(self, *expressions: Expression) -> Template:
        """The same, and features of further expressions."""
        whole = (*self.expressions, *expressions)
        return Template(*whole, lexicons=self.lexicons, tables=self.tables)

    def hiding(self, offset: int) -> Template:
        """The same without features that read a column at an offset, so that what stands there can
        be a thing to learn; until it is pickled.

        >>> from dovetail.features import column
        >>> hidden = Template(column("word").window(1)).hiding(0)
        >>> [name for name, value in hidden.features([["a", "b"]])[0][0]]
        ['word[-1]=⟨-1⟩', 'word[1]=b']
        """
        made = Template(*self.expressions, lexicons=self.lexicons, tables=self.tables)
        made.rows = tuple(row for row in self.rows if all(p.offset != offset for p in row.parts))
        if not made.rows:
            raise DataError(
                f"every feature of the template reads a column at the offset {offset}, where the "
                "values to predict stand: give features of the context too"
            )
        made._native = made.compile_rows(made.rows)
        return made

    def spec(self) -> dict[str, Any]:
        """This template as plain data."""
        return {
            "kind": "template",
            "text": str(self),
            "columns": list(self.columns),
            "lexicons": {name: lexicon.spec() for name, lexicon in self.lexicons.items()},
            "tables": {name: table.spec() for name, table in self.tables.items()},
            "functions": sorted(str(attribute) for attribute in self.functions),
        }

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Template:
        """The template that `spec` describes; one with functions of your own cannot be made so."""
        if spec.get("functions"):
            raise DataError(
                f"this model's template has a function of yours, {spec['functions'][0]}; "
                "give the template again: load(path, features=template)"
            )
        lexicons = {name: Lexicon.from_spec(lex) for name, lex in spec["lexicons"].items()}
        tables = {name: Table(entries) for name, entries in spec["tables"].items()}
        return cls.parse(spec["text"], "the model's template", lexicons=lexicons, tables=tables)

    def features(self, data: Any) -> list[list[list[tuple[str, float]]]]:
        """Names and values of the features of each token: what the template makes of data."""
        out: list[list[list[tuple[str, float]]]] = []
        for columns in self.read(data):
            out += self._native.features(columns)
        return out

    # What taggers use

    @property
    def reads_words_alone(self) -> bool:
        """Whether lists of words are all it needs: one column, and neither places nor functions."""
        return len(self.columns) == 1 and not self._reads_places and not self.functions

    def extract(
        self,
        data: _native.Dataset,
        columns: _native.Columns,
        labels: Iterable[Labels],
        *,
        allowed: Iterable[Labels] | None = None,
        weights: Iterable[float] | None = None,
    ) -> None:
        """Add the features of columns to a data set for training."""
        try:
            self._native.extract_into(data, columns, labels, allowed, weights)
        except _native.ItemError as error:
            raise DataError(str(error)) from None

    def encode(self, model: _native.Model, data: Any) -> _native.Batch:
        """The features that a model knows, by number."""
        return self._native.encode(model, self.read_whole(data))

    def tag(
        self,
        model: _native.Model,
        data: Any,
        labels: tuple[str, ...],
        constraints: _native.Constraints,
        threads: int,
    ) -> list[list[str]]:
        """Best labels, straight from columns."""
        out: list[list[str]] = []
        for columns in self.read(data):
            out += self._native.tag(model, columns, labels, constraints, threads)
        return out

    def read(self, data: Any) -> Iterator[_native.Columns]:
        """The columns of data in manageable parts: a corpus, or sequences of tokens.

        A token is a string, or a tuple of strings, one for each of `columns`.
        """
        if is_corpus(data):
            # Places in a document are known only where the documents are whole.
            size = len(data) if self._reads_places else AT_ONCE
            for first in range(0, max(1, len(data)), max(1, size)):
                whole = len(data) <= size
                yield self.read_corpus(data if whole else data[first : first + size])
            return
        sequences = iterate(data)
        done = 0
        while part := list(islice(sequences, None if self._reads_places else AT_ONCE)):
            yield self._read_lists(part, done)
            done += len(part)

    def read_whole(self, data: Any) -> _native.Columns:
        """The columns of data in one piece."""
        return (
            self.read_corpus(data) if is_corpus(data) else self._read_lists(list(iterate(data)), 0)
        )

    def read_corpus(self, corpus: Corpus) -> _native.Columns:
        """The columns of a corpus as templates see them."""
        from dovetail.corpus import SoftColumn

        columns = _native.Columns()
        columns.set_bounds(corpus.bounds)
        for name in dict.fromkeys(attribute.column for attribute in self.attributes):
            if (function := self.functions.get(Attribute(name))) is not None:
                try:
                    columns.add_items(name, _apply_per_token(function, name, corpus))
                except (_native.ItemError, TypeError, RuntimeError) as error:
                    raise DataError(f"what {name} gave is no feature: {error}") from None
                continue
            column = self._column(corpus, name)
            if isinstance(column, SoftColumn):
                weights = column.weights.ravel()
                columns.add_soft(name, list(column.levels), weights, LEAST_WEIGHT)
            else:
                column = column.compact()
                try:
                    columns.add_codes(name, column.codes, column.levels)
                except _native.ItemError as error:
                    raise DataError(f"a value of the column '{name}' {error}") from None
        self._derived.add_to(columns)
        return columns

    def _column(self, corpus: Corpus, name: str) -> Column:
        if name.startswith("@"):
            from dovetail.features.places import place_column

            return place_column(corpus, name)
        if name not in corpus.names:
            raise DataError(
                f"the template reads a column '{name}' that the data does not have "
                f"(it has {', '.join(corpus.names)})"
            )
        return corpus.column(name)

    def _read_lists(self, sequences: list[Any], before: int) -> _native.Columns:
        names = self.columns or ("word",)  # tokens have a value, even if the template reads none
        if self._reads_places:  # they are read twice
            sequences = [s if isinstance(s, str | list | tuple) else list(s) for s in sequences]
        columns = _native.Columns()
        try:
            columns.add_tokens(names, sequences)
        except _native.ItemError as error:
            message = re.sub(r"(?<=^sequence )\d+", lambda m: str(int(m[0]) + before), str(error))
            raise DataError(message) from None
        if self._reads_places:
            from dovetail.corpus import Corpus

            rows = [[_values(token) for token in sequence] for sequence in sequences]
            lists = {name: [[t[k] for t in row] for row in rows] for k, name in enumerate(names)}
            return self.read_corpus(Corpus.from_lists(lists))
        self._derived.add_to(columns)
        return columns

    def _check(self) -> None:
        try:
            str(self).encode()
        except UnicodeEncodeError:
            raise DataError(
                f"the template has a lone surrogate, which is no text: {self}"
            ) from None
        for row in self.rows:
            if not abs(row.value) <= LARGEST_VALUE:
                raise DataError(
                    f"the factor {row.value:g} of {row.name} is beyond {LARGEST_VALUE:g}"
                )
        _check_kinds(self.lexicons, Lexicon)
        _check_kinds(self.tables, Table)
        given: dict[str, Mapping[str, Any]] = {"lexicon": self.lexicons, "table": self.tables}
        for attribute in self.attributes:
            for k, call in enumerate(attribute.calls):
                if call.name in given and call.arguments[0] not in given[call.name]:
                    kind, name = call.name, call.arguments[0]
                    raise DataError(
                        f"the template uses a {kind} '{name}' that it was not given: "
                        f"say {kind}s={{'{name}': ...}}, or --{kind} {name}=FILE"
                    )
                upto = Attribute(attribute.column, attribute.calls[: k + 1])
                if call.name == "apply" and upto not in self.functions:
                    raise DataError(f"the template uses a function that it was not given: {upto}")

    def compile_rows(self, rows: Iterable[Row]) -> _native.Template:
        """Some of its rows for the kernels, over all of its attributes."""
        attributes = []
        for attribute in self.attributes:
            start = native_from(attribute)
            source = str(Attribute(attribute.column, attribute.calls[:start]))
            column = source if start else attribute.column
            attributes.append((column, [step_of(call) for call in attribute.calls[start:]]))
        numbers = {attribute: k for k, attribute in enumerate(self.attributes)}
        made = [
            (row.name, row.value, [(numbers[p.attribute], p.offset) for p in row.parts])
            for row in rows
        ]
        return _native.Template(attributes, made)


def _check_kinds(things: Mapping[str, Any], kind: type[Lexicon] | type[Table]) -> None:
    for name, thing in things.items():
        if not isinstance(thing, kind):
            raise DataError(f"'{name}' is {thing!r}; give a {kind.__name__}")


def _rebuild(
    expressions: tuple[Expression, ...], lexicons: dict[str, Lexicon], tables: dict[str, Table]
) -> Template:
    return Template(*expressions, lexicons=lexicons, tables=tables)


def _values(token: Any) -> tuple[Any, ...]:
    return (token,) if token is None or isinstance(token, str) else tuple(token)


def _apply_per_token(function: Callable[[Any], Any], name: str, corpus: Corpus) -> list[Any]:
    """What a user's function finds at each token of a corpus."""
    out: list[Any] = []
    for number, sequence in enumerate(corpus, start=1):
        found = list(function(sequence))
        if len(found) != len(sequence):
            raise DataError(
                f"{name} gave {len(found)} values for the {len(sequence)} tokens of sequence "
                f"{number}"
            )
        out += found
    return out
