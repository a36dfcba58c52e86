"""The old taggers of the cases with little text, trained when they are first needed, and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property, partial
from pathlib import Path

from dovetail import Tagger
from dovetail.corpus import Corpus
from dovetail.features.sets import entities
from dovetail.reproduce import addresses, references
from dovetail.reproduce.ingredients import read_ingredients
from dovetail.reproduce.little_case import LABEL, WORD, Old, plain, retyped
from dovetail.reproduce.lower import Say, kept_tagger
from dovetail.reproduce.marks import code_of, tagger_code
from dovetail.reproduce.sources import Sources

ENTITIES = "ner"
PARTS = "parts"
PERMUTED = {"PER": "LOC", "LOC": "ORG", "ORG": "MISC", "MISC": "PER"}
MERGED = dict.fromkeys(PERMUTED, "NAME")
COMPANIES = Path("probablepeople", "company_labeled.xml")
OLD_INGREDIENTS = Path("ingredients", "bbc-ingredients-snapshot-2017.csv.gz")


class OldTaggers:
    """Taggers from the folder where they are kept, or trained now with the default features of
    words; with ``n_sentences`` those of news are trained on so many."""

    def __init__(
        self,
        data: Path,
        kept: Path,
        *,
        n_sentences: int | None = None,
        threads: int | None = None,
        say: Say | None = None,
    ) -> None:
        self.sources = Sources(data, n_sentences)
        self.kept = kept
        self.threads = threads
        self.say = say

    @cached_property
    def news(self) -> Old:
        """Names of persons, places, organisations and others in news (CoNLL-2003)."""
        return self._of_news({type: type for type in PERMUTED})

    @cached_property
    def permuted(self) -> Old:
        """The same names under types that mean others: persons are called places, and so on."""
        return self._of_news(PERMUTED)

    @cached_property
    def merged(self) -> Old:
        """The same names, all of one type."""
        return self._of_news(MERGED)

    @cached_property
    def addresses(self) -> Old:
        """Fine parts of addresses."""
        folder = self.sources.folder / "usaddress"
        tagger, mark = addresses.fine_tagger(folder, self.kept, threads=self.threads, say=self.say)
        text = partial(addresses.read_addresses, folder / addresses.FINE)
        return Old(PARTS, tagger, mark, text)

    @cached_property
    def names_and_dates(self) -> Old:
        """Parts of names and of dates in papers."""
        folder = self.sources.folder / "grobid"
        tagger, mark = references.names_and_dates(
            folder, self.kept, threads=self.threads, say=self.say
        )
        return Old(PARTS, tagger, mark)

    @cached_property
    def companies(self) -> Old:
        """Parts of companies' names."""
        path = self.sources.folder / COMPANIES
        return self._trained(PARTS, partial(addresses.read_addresses, path), path)

    @cached_property
    def ingredients(self) -> Old:
        """Parts of lines of ingredients, of another site."""
        path = self.sources.folder / OLD_INGREDIENTS
        code = code_of("reproduce/ingredients.py")
        return self._trained(PARTS, partial(read_ingredients, path), path, code)

    def _of_news(self, types: Mapping[str, str]) -> Old:
        def text() -> Corpus:
            news = self._news
            return news.with_column(LABEL, retyped(news.lists(LABEL), types))

        told = repr((sorted(types.items()), self.sources.n_sentences))
        return self._trained(ENTITIES, cache(text), self.sources.tagged_news, told)

    @cached_property
    def _news(self) -> Corpus:
        return plain(self.sources.news(), ENTITIES)

    def _trained(self, name: str, text: Callable[[], Corpus], *made_of: Path | str) -> Old:
        def data() -> Corpus:
            own = plain(text())
            return Corpus({WORD: own.column(WORD), name: own.column(LABEL)}, own.bounds)

        tagger = Tagger(features=entities(WORD), threads=self.threads)
        made_of = (*made_of, tagger_code())
        tagger, mark = kept_tagger(name, tagger, data, self.kept, made_of, self.say)
        return Old(name, tagger, mark, text)
