"""Where the data of the experiments is, and how it is read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from dovetail import Corpus, DataError, Lexicon
from dovetail.corpus import convert, read_conll, read_markup, read_markup_spans
from dovetail.evaluate import fields

VARIABLE = "DOVETAIL_DATA"
BESIDE = Path("..", "shared", "data")
AUXILIARY = ("conll2000", "conll2003", "lexicons")  # what auxiliary taggers are trained on
NAME_LISTS = {
    "first": ("first_names_male", "first_names_female"),
    "last": ("last_names_top10000",),
    "honorific": ("honorifics",),
    "suffix": ("name_suffixes",),
    "city": ("cities_us", "cities_world"),
    "country": ("countries",),
    "state": ("us_states",),
    "organisation": ("org_suffixes",),
    "month": ("months",),
    "day": ("days",),
}


def find_data_folder(given: str | Path | None, *names: str) -> Path:
    """The folder of all data sets: the given one, that of the environment, or one beside here. It
    has the data sets of these names, and those that auxiliary taggers are trained on."""
    asked = given or os.environ.get(VARIABLE)
    folder = Path(asked) if asked else BESIDE
    hint = "" if asked else f"; give --data FOLDER or set {VARIABLE}"
    for name in names:
        if not (folder / name).is_dir():
            raise DataError(f"there is no data set {name} in {folder}{hint}")
    for name in AUXILIARY:
        if not (folder / name).is_dir():
            raise DataError(f"the folder {folder} lacks {name}, on which auxiliary taggers train")
    return folder


@dataclass(frozen=True)
class DataSets:
    """The data sets in a folder; of those of auxiliary taggers, on request only some sentences."""

    folder: Path
    n_sentences: int | None = None

    @property
    def tagged_journal(self) -> Path:
        """The file with parts of speech."""
        return self.folder / "conll2000" / "train.txt.gz"

    @property
    def tagged_news(self) -> Path:
        """The file with entities."""
        return self.folder / "conll2003" / "eng.train.gz"

    def mails(self) -> Corpus:
        """The seminar announcements, each one sequence, fields as IOB2 labels."""
        return read_markup(self.folder / "seminars" / "tagged")

    def truth(self) -> list[dict[str, set[str]]]:
        """The true values of the fields in each announcement, also those that begin or end within
        a token."""
        out = []
        for text, spans in read_markup_spans(self.folder / "seminars" / "tagged"):
            values: dict[str, set[str]] = {}
            for span in spans:
                value = fields.normalise(text[span.start : span.end])
                values.setdefault(span.label, set()).add(value)
            out.append(values)
        return out

    def parts_of_speech(self) -> Corpus:
        """Wall Street Journal with parts of speech (CoNLL-2000, training part)."""
        columns = ["word", "pos", "chunk"]
        return read_conll(self.tagged_journal, columns=columns).without_column("chunk")[
            : self.n_sentences
        ]

    def news(self) -> Corpus:
        """Reuters news with entities as IOB2 labels (CoNLL-2003, training part)."""
        columns = ["word", "pos", "chunk", "ner"]
        corpus = read_conll(self.tagged_news, columns=columns)
        corpus = corpus[: self.n_sentences]
        labels = [convert(labels, "IOB1", "IOB2") for labels in corpus.lists("ner")]
        words = Corpus({"word": corpus.column("word")}, corpus.bounds)
        return words.with_column("ner", labels)

    def name_lists(self, **more: tuple[str, ...]) -> dict[str, Lexicon]:
        """Lists of names and of what goes with them, by kind."""
        return {
            kind: Lexicon(
                entry
                for name in names
                for entry in Lexicon.from_file(self.folder / "lexicons" / f"{name}.txt").entries
            )
            for kind, names in {**NAME_LISTS, **more}.items()
        }
