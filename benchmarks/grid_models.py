"""The pipelines whose joint decoding is measured, trained once and kept, and the mail they read.

two:   entities of CoNLL-2003 (9 labels), and fields of seminar announcements (9) that read them.
three: parts of speech of CoNLL-2000 (44), entities that read them, and fields that read both.
"""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from typing import TYPE_CHECKING

import tasks
from common import HERE, in_fresh_process

if TYPE_CHECKING:
    from dovetail import Corpus, Pipeline

CACHE = HERE / ".cache"


def cached(name: str) -> str:
    """The file of a pipeline, of the last training or of one made now."""
    import dovetail
    from dovetail.io.model_file import VERSION

    made_by = f"{dovetail.__version__} {VERSION}".encode() + Path(__file__).read_bytes()
    path = CACHE / f"{name}-{hashlib.sha256(made_by).hexdigest()[:12]}.dovetail"
    if not _opens(path):
        print(f"training the pipeline '{name}', once", flush=True)
        in_fresh_process(train, name, str(path))
    return str(path)


def _opens(path: Path) -> bool:
    """Whether a file is there, and this Dovetail reads it."""
    try:
        opened(str(path))
    except (OSError, ValueError):
        return False
    return True


def opened(path: str) -> Pipeline:
    """A pipeline on one thread."""
    from dovetail import Pipeline

    logging.getLogger("dovetail").setLevel(logging.ERROR)  # tags that only one corpus has
    return Pipeline.load(path, threads=1)


def train(name: str, path: str) -> None:
    """Fields are learnt on the first half of the mail, the others on all of their training part."""
    from dovetail import Pipeline, Tagger
    from dovetail.features.sets import announcements, newswire, parts_of_speech

    data = {"ner": _news(), "fields": _mail()[0]}
    if name == "two":
        templates = {
            "ner": newswire(),
            "fields": announcements(pos=None).with_columns("ner", conjoined=True),
        }
    else:
        data["pos"] = _tagged_news()
        templates = {
            "pos": parts_of_speech(),
            "ner": newswire().with_columns("pos"),
            "fields": announcements(pos=None).with_columns("pos", "ner"),
        }
    layers = {task: Tagger(features=features, c2=1.0) for task, features in templates.items()}
    CACHE.mkdir(exist_ok=True)
    (CACHE / ".gitignore").write_text("*\n", encoding="utf-8")
    Pipeline(layers).fit(data).save(path)


def _news() -> Corpus:
    import dovetail
    from dovetail.corpus import convert

    path = tasks.data_folder() / "conll2003" / "eng.train.gz"
    news = dovetail.read(path, format="conll", columns=["word", None, None, "ner"])
    return news.with_column("ner", [convert(row, "IOB1", "IOB2") for row in news.lists("ner")])


def _tagged_news() -> Corpus:
    import dovetail

    path = tasks.data_folder() / "conll2000" / "train.txt.gz"
    return dovetail.read(path, format="conll", columns=["word", "pos", None])


def _mail() -> tuple[Corpus, Corpus]:
    """The halves of the seminar announcements, each mail one sequence."""
    from dovetail import Corpus
    from dovetail.corpus import read_markup

    logging.getLogger("dovetail").setLevel(logging.ERROR)  # a few fields end within a token
    found = read_markup(tasks.data_folder() / "seminars" / "tagged")
    mail = Corpus.from_lists({"word": found.lists("word"), "fields": found.lists("label")})
    return mail[: len(mail) // 2], mail[len(mail) // 2 :]


def mail(tokens: int | None = None) -> list[list[str]]:
    """Words of the mails that nothing was trained on, all or the first with so many tokens."""
    out: list[list[str]] = []
    for words in _mail()[1].lists("word"):
        if tokens is not None and sum(map(len, out)) + len(words) > tokens:
            break
        out.append([word or "" for word in words])
    return out


def long_document(tokens: int) -> list[str]:
    """One sequence of so many words: the mails one after another, again and again."""
    words = [word for one in mail() for word in one]
    return (words * (tokens // len(words) + 1))[:tokens]


def announcement(tokens: int) -> list[str]:
    """So many words from just before the first field of a mail."""
    held_out = _mail()[1]
    words, labels = held_out.lists("word")[0], held_out.lists("fields")[0]
    first = next(place for place, label in enumerate(labels) if label != "O")
    start = max(0, first - 3)
    return [word or "" for word in words[start : start + tokens]]
