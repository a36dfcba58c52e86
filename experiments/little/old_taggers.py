"""The old taggers of the cases with little text, trained when they are first needed, and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property, partial
from pathlib import Path

from dovetail import Corpus, Tagger
from dovetail.features.sets import entities
from experiments.common.auxiliary_taggers import cached_tagger
from experiments.common.code_fingerprint import reader_fingerprint, tagger_fingerprint
from experiments.common.data_sets import DataSets
from experiments.common.experiment import Say
from experiments.little.case import LABEL, WORD, OldTagger, plain, retyped
from experiments.readers.ingredients import read_ingredients
from experiments.readers.labelled_strings import read_labelled_strings
from experiments.transfer import addresses, references

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
        self.data_sets = DataSets(data, n_sentences)
        self.kept = kept
        self.threads = threads
        self.say = say

    @cached_property
    def news(self) -> OldTagger:
        """Names of persons, places, organisations and others in news (CoNLL-2003)."""
        return self._of_news({type: type for type in PERMUTED})

    @cached_property
    def permuted(self) -> OldTagger:
        """The same names under types that mean others: persons are called places, and so on."""
        return self._of_news(PERMUTED)

    @cached_property
    def merged(self) -> OldTagger:
        """The same names, all of one type."""
        return self._of_news(MERGED)

    @cached_property
    def addresses(self) -> OldTagger:
        """Fine parts of addresses."""
        folder = self.data_sets.folder / "usaddress"
        tagger, digest = addresses.fine_tagger(
            folder, self.kept, threads=self.threads, say=self.say
        )
        text = partial(read_labelled_strings, folder / addresses.FINE)
        return OldTagger(PARTS, tagger, digest, text)

    @cached_property
    def names_and_dates(self) -> OldTagger:
        """Parts of names and of dates in papers."""
        folder = self.data_sets.folder / "grobid"
        tagger, digest = references.names_and_dates(
            folder, self.kept, threads=self.threads, say=self.say
        )
        return OldTagger(PARTS, tagger, digest)

    @cached_property
    def companies(self) -> OldTagger:
        """Parts of companies' names."""
        path = self.data_sets.folder / COMPANIES
        return self._trained(PARTS, partial(read_labelled_strings, path), path)

    @cached_property
    def ingredients(self) -> OldTagger:
        """Parts of lines of ingredients, of another site."""
        path = self.data_sets.folder / OLD_INGREDIENTS
        code = reader_fingerprint("ingredients")
        return self._trained(PARTS, partial(read_ingredients, path), path, code)

    def _of_news(self, types: Mapping[str, str]) -> OldTagger:
        def text() -> Corpus:
            news = self._news
            return news.with_column(LABEL, retyped(news.lists(LABEL), types))

        settings = repr((sorted(types.items()), self.data_sets.n_sentences))
        return self._trained(ENTITIES, cache(text), self.data_sets.tagged_news, settings)

    @cached_property
    def _news(self) -> Corpus:
        return plain(self.data_sets.news(), ENTITIES)

    def _trained(self, name: str, text: Callable[[], Corpus], *made_of: Path | str) -> OldTagger:
        def data() -> Corpus:
            own = plain(text())
            return Corpus({WORD: own.column(WORD), name: own.column(LABEL)}, own.bounds)

        tagger = Tagger(features=entities(WORD), threads=self.threads)
        made_of = (*made_of, tagger_fingerprint())
        tagger, digest = cached_tagger(name, tagger, data, self.kept, made_of, self.say)
        return OldTagger(name, tagger, digest, text)
