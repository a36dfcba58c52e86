"""What is labelled: news, announcements, political articles and references, each with an old tagger
of something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property

from dovetail import Corpus
from dovetail.corpus import convert, find_copies, read_conll
from experiments.common.code_fingerprint import reader_fingerprint
from experiments.little.case import LABEL, WORD, LittleCase, OldTagger, Parts, plain, some
from experiments.little.entity_cases import entity_cases
from experiments.little.old_taggers import OldTaggers
from experiments.little.record_cases import record_cases

DATA = ("conll2003", "wikigold", "seminars", "crossner", "grobid")
NAMES = ("CrossNER politics", "seminars", "GROBID references", "CoNLL-2003")
LARGEST = 3000  # references, of 8,678: more make the training on all of them slow
AMONG = {kind: kind for kind in ("PER", "LOC", "ORG", "MISC")}


class Taggers(OldTaggers):
    """The old taggers of `experiments.little`, and one of names in articles for news."""

    @cached_property
    def articles(self) -> OldTagger:
        """Names in Wikipedia (Wikigold)."""
        path = self.data_sets.folder / "wikigold" / "wikigold.conll.txt"

        def text() -> Corpus:
            corpus = read_conll(path, columns=[WORD, LABEL])
            labels = [convert(own, "IOB1", "IOB2") for own in corpus.lists(LABEL)]
            words = Corpus({WORD: corpus.column(WORD)}, corpus.bounds)
            return words.with_column(LABEL, labels)

        return self._trained("wiki", text, path, reader_fingerprint("mentions"))


def make_cases(old: Taggers) -> dict[str, LittleCase]:
    """The cases by name. Test texts that are in the text to label too are left out of that."""
    makers: Mapping[str, Callable[[str, OldTaggers], LittleCase]] = {
        **entity_cases(),
        **record_cases(),
    }
    made = {name: makers[name](name, old) for name in NAMES}
    made["CoNLL-2003"] = replace(made["CoNLL-2003"], old=old.articles, same=AMONG)
    references = made["GROBID references"]
    made["GROBID references"] = replace(references, read=lambda: _apart(references.read()))
    return made


def _apart(parts: Parts) -> Parts:
    """So many sequences of a text as can be learnt from in reasonable time, none of them a copy of
    one in the other."""
    text, test = (plain(part) for part in parts)
    own, others = (
        [" ".join(word or "_" for word in words) for words in part.lists(WORD)]
        for part in (text, test)
    )
    copies = find_copies(own, others)
    kept = text.select([k for k, copy in enumerate(copies) if copy is None])
    return some(kept, LARGEST), test
