"""What is attacked: how to read a file, the files to begin with, and how they are altered.

A target takes any bytes and returns, or raises an error of ours. Whatever else comes of it is a
finding: another exception, a signal, more than a few seconds, more than a gigabyte.
"""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow
import pyarrow.parquet

import dovetail
from dovetail import Corpus, Lexicon, Tagger
from dovetail.base.representation import Representation
from dovetail.compare import Store
from dovetail.corpus import Shards
from dovetail.corpus.formats import FORMATS
from dovetail.demo import path as demo_path
from dovetail.errors import DovetailError
from dovetail.features.tables import Table
from dovetail.features.template_file import template_from_file
from dovetail.interop import import_model
from dovetail.interop.export import to_crfsuite
from dovetail.io.fingerprint import fingerprint
from dovetail.recipe import Recipe
from dovetail.representation import WordTable, WordVectors
from dovetail.serve.errors import ServiceError
from dovetail.serve.limits import Limits
from dovetail.serve.models import ServedModel
from dovetail.serve.requests import read_explain_request, read_tag_request
from dovetail.serve.work import answer_explain_requests, answer_tag_requests
from fuzzing.projects import made_project, use_project
from interop.crfpp_models import random_model
from interop.wapiti_models import small_model

ROOT = Path(__file__).parents[1]
SAVED = ROOT / "tests" / "fixtures" / "saved-0.1"
OURS = (DovetailError, ServiceError)
SENTENCES = [["Dr.", "Ada", "Lopez", "at", "4:30", "pm"], ["日本", "\0", "\ufeff", "a" * 80]]
FEATURES = [[[f"w={word.lower()}", f"s={word[-2:]}", ""] for word in s] for s in SENTENCES]


@dataclass(frozen=True)
class Target:
    """A reader of ours; `mutator` names one of `fuzzing.mutators`."""

    name: str
    read: Callable[[bytes], Any]
    seeds: Callable[[], Iterable[bytes]]
    mutator: str = "lines"
    longest: int = 4096

    def survives(self, content: bytes) -> bool:
        """Whether the content could be read; an error of ours says that it cannot."""
        try:
            self.read(content)
        except OURS as error:
            if not str(error):
                raise AssertionError("an error that says nothing") from error
            return False
        return True


class _File(NamedTuple):
    path: Path

    def holding(self, content: bytes) -> Path:
        self.path.write_bytes(content)
        return self.path


@cache
def _folder() -> Path:
    memory = Path("/dev/shm")
    parent = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix="dovetail-fuzzing-", dir=parent))


@cache
def _file(name: str) -> _File:
    return _File(_folder() / f"{os.getpid()}-{name}")


def _demo(*names: str, lines: int = 30) -> list[bytes]:
    texts = [demo_path(name).read_text(encoding="utf-8") for name in names]
    return ["\n".join(text.splitlines()[:lines]).encode() + b"\n" for text in texts]


# Corpora


@cache
def _corpus() -> Corpus:
    texts = ["Dr. Ada Lopez speaks at 4:30 pm.", "Room 7, 日本 😀"]
    path = _file("corpus.jsonl").holding(
        b"\n".join(
            json.dumps({"text": text, "spans": spans}).encode()
            for text, spans in zip(texts, ([[4, 13, "PER"], [24, 31, "TIME"]], []), strict=True)
        )
    )
    return FORMATS["jsonl"].read(path)


def _written(name: str) -> list[bytes]:
    write, file = FORMATS[name].write, _file(f"seed-{name}").path
    assert write is not None
    with suppress(*OURS):
        write(_corpus(), file)
    return [file.read_bytes()] if file.exists() else []


def _read_corpus(name: str, suffix: str, content: bytes) -> None:
    path = _file(f"corpus{suffix}").holding(content)
    corpus = FORMATS[name].read(path)
    for column in corpus.names:
        corpus.lists(column)


def _read_brat(content: bytes) -> None:
    text, _, spans = content.partition(b"\n===\n")
    path = _file("pair.ann").holding(spans)
    path.with_suffix(".txt").write_bytes(text)
    FORMATS["brat"].read(path)


LABEL_STUDIO = [
    {
        "data": {"text": "Ada speaks 😀"},
        "annotations": [
            {"result": [{"type": "labels", "from_name": "label", "to_name": "text",
                         "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}}]}
        ],
    }
]  # fmt: skip
DOCCANO = b'{"id": 1, "text": "Ada spoke", "label": [[0, 3, "PER"]]}\n{"text": "b", "label": []}\n'
MARKUP = b"<0.1.1>\nWho: <speaker>Dr. Ada Lopez</speaker> at <stime>4 pm</stime>\n"
FIELDS = (
    b"<dataset><ref><author>A. Lopez</author> <title>On <i>x</i> &amp; y</title></ref></dataset>"
)
PARSED = (
    b"<AddressCollection><AddressString><No>12</No> <Street>Main</Street></AddressString>"
    b"</AddressCollection>"
)
CONLLU = (
    b"# text = Ada speaks\n1\tAda\tAda\tPROPN\tNNP\tCase=Nom\t2\tnsubj\t_\tSpaceAfter=No\n"
    b"2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdo\tdo\tAUX\tVB\t_\t0\troot\t_\t_\n"
    b"3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_\n\n"
)
BRAT = b"Ada speaks at four.\n===\nT1\tPER 0 3\tAda\nT2\tTIME 14 18\tfour\nR1\tat Arg1:T1 Arg2:T2\n"


def _jsonl() -> list[bytes]:
    rich = {"tokens": ["a", "b"], "labels": ["B-X", "I-X"], "document": "d", "pos": ["N", "V"]}
    spans = {"text": "Ada speaks", "spans": [{"start": 0, "end": 3, "label": "PER"}]}
    return [*_written("jsonl"), *_bodies(rich, spans)]


CORPORA = [
    Target("conll", partial(_read_corpus, "conll", ".conll"), partial(_demo, "few.conll")),
    Target("conllu", partial(_read_corpus, "conllu", ".conllu"), lambda: [CONLLU]),
    Target("jsonl", partial(_read_corpus, "jsonl", ".jsonl"), _jsonl, "json"),
    Target("text", partial(_read_corpus, "text", ".txt"), lambda: _demo("unlabelled.txt")),
    Target("markup", partial(_read_corpus, "markup", ".txt"), lambda: [MARKUP]),
    Target("brat", _read_brat, lambda: [BRAT]),
    Target("doccano", partial(_read_corpus, "doccano", ".jsonl"), lambda: [DOCCANO], "json"),
    Target(
        "label-studio",
        partial(_read_corpus, "label-studio", ".json"),
        lambda: [json.dumps(LABEL_STUDIO).encode(), *_written("label-studio")],
        "json",
    ),
    Target("parserator", partial(_read_corpus, "parserator", ".xml"), lambda: [PARSED], "xml"),
    Target("xml", partial(_read_corpus, "xml", ".xml"), lambda: [FIELDS], "xml"),
    Target(
        "gzip",
        partial(_read_corpus, "jsonl", ".jsonl.gz"),
        lambda: [gzip.compress(one, mtime=0) for one in _jsonl()],
        "gzip",
    ),
]  # fmt: skip

# Corpora on disk


def _shards() -> Path:
    folder = _folder() / f"{os.getpid()}-shards"
    if not folder.exists():
        corpus = _corpus()
        Shards.write(folder, [Corpus.concatenate([corpus, corpus])], tokens=8)
    return folder


def _read_shards(file: str, content: bytes) -> None:
    """Read a corpus of which one file is this."""
    path = _shards() / file
    sound = path.read_bytes()
    path.write_bytes(content)
    try:
        for part in Shards(_shards()):
            for column in part.names:
                part.lists(column)
            repr(part)
    finally:
        path.write_bytes(sound)


ON_DISK = [
    Target(
        "shards",
        partial(_read_shards, "shards.json"),
        lambda: [(_shards() / "shards.json").read_bytes()],
        "json",
    ),
    Target(
        "part",
        partial(_read_shards, "part-00000.shard"),
        lambda: [(_shards() / "part-00000.shard").read_bytes()],
        "model",
        1 << 16,
    ),
    Target(
        "parquet",
        partial(_read_corpus, "parquet", ".parquet"),
        lambda: [*_written("parquet"), *_parquet()],
        "bytes",
        1 << 16,
    ),
]


def _parquet() -> list[bytes]:
    """Columns that a corpus does not have, and none that it needs."""
    tokens = [["Ada", "at", None], None, []]
    tables: list[dict[str, Any]] = [
        {"tokens": tokens, "labels": tokens, "document": ["a", "a", None], "n": [1, 2, 3]},
        {"text": ["Ada at 4", None, ""], "document": [1, 1, 2]},
    ]
    path = _file("table.parquet").path
    written = []
    for table in tables:
        pyarrow.parquet.write_table(pyarrow.table(table), path)
        written.append(path.read_bytes())
    return written


# Models


def _use(model: Any) -> None:
    """Whatever kind of model was opened, put it to work, also by its longer ways."""
    if isinstance(model, Representation):
        words = Corpus.from_lists({"word": SENTENCES})
        for column in model.names_:
            model.annotate(words).column(column)
        return
    given = SENTENCES if getattr(model, "reads_", ("word",)) else FEATURES
    model.predict(given)
    if isinstance(model, Tagger):
        model.predict_marginals(given)
        model.predict_nbest(given, 3)
    repr(model)


def _open_model(content: bytes) -> None:
    _use(dovetail.load(content, verify=False, threads=None))


def _saved() -> list[bytes]:
    paths = sorted(SAVED.glob("*.dovetail"), key=lambda path: path.stat().st_size)
    return [path.read_bytes() for path in paths]


@cache
def _small_tagger() -> Tagger:
    words = [["Dr.", "Ada", "spoke"], ["Room", "7"]]
    return Tagger(features="entities", c2=0.1).fit(words, [["B-PER", "I-PER", "O"], ["O", "O"]])


@cache
def _feature_tagger() -> Tagger:
    return Tagger(c2=0.1, boundaries=False).fit(
        [[["w=a"], ["w=b", "s=é"]], [["w=c"]]], [["A", "B"], ["A"]]
    )


def _import(content: bytes) -> None:
    model = import_model(content)
    width = len(model.reads_)
    rows = [[(word,) * width if width > 1 else word for word in s] for s in SENTENCES]
    model.predict(rows if width else FEATURES)


def _crfpp() -> list[bytes]:
    models = [random_model([[("a", "b/X"), ("日本", "X")], [("c", "X")]], seed) for seed in (1, 2)]
    return [part for model in models for part in (model.binary(), model.text())]


MODELS = [
    Target("model", _open_model, lambda: [*_saved(), _small_tagger().to_bytes()], "model", 1 << 20),
    Target("crfsuite", _import, lambda: [to_crfsuite(_feature_tagger())], "bytes", 8192),
    Target("crfpp", _import, _crfpp, "bytes", 1 << 16),
    Target("wapiti", _import, lambda: [small_model(), small_model("")]),
]

# Templates, recipes, lists


def _read_template(content: bytes) -> None:
    path = str(_file("template").holding(content))
    columns = ["word", "ner"]
    template = template_from_file(path, columns, {}, {}, lambda kind, name: f"give {kind} {name}")
    given = {"word": SENTENCES[:1], "ner": [["O", "B-PER", "I-PER", "O", "O", "O"]]}
    template.features(Corpus.from_lists(given))


def _read_recipe(content: bytes) -> None:
    for name in ("news.conll", "few.conll", "test.conll", "emails.conll", "fields.template"):
        copy = _folder() / name
        if not copy.exists():
            copy.write_bytes(demo_path(name).read_bytes())
    Recipe.read(_file("recipe.toml").holding(content))


CRFPP_TEMPLATE = b"# comment\nU00:%x[-1,0]\nU01:%x[0,0]/%x[1,1]\nB\n"
WAPITI_TEMPLATE = b'*\nu:w=%x[0,0]\nu:up=%t[0,0,"^\\u"]\nb:%x[0,1]\n'
VECTORS = "3 2\nAda 0.5 -1\n日本 1e-3 2\nspeaks 0 0\n".encode()
CLUSTERS = b"0101\tAda\t12\n0101\tLopez\t3\n110\tspeaks\t7\n"


def _templates() -> list[bytes]:
    rich = b'word.lower[-1..1] & word.shape\nword.suffix(3)\nword.match("[0-9]+")\n2 * ner\n'
    return [*_demo("fields.template"), rich, CRFPP_TEMPLATE, WAPITI_TEMPLATE]


def _read_store(content: bytes) -> None:
    Store(_file("results.jsonl").holding(content), fingerprint("x"))


STORED = b'{"cell": "1/auto", "fingerprint": "%s", "scores": {"f1": 0.5}}\n{"cell": "2/auto", "fin'


OTHERS = [
    Target("template", _read_template, _templates, longest=1024),
    Target("recipe", _read_recipe, lambda: _demo("recipe.toml", "compare.toml", lines=80)),
    Target("lexicon", lambda c: Lexicon.from_file(_file("list").holding(c)).native,
           lambda: ["# cities\nNew York\nSt. Louis\n日本\n".encode()]),
    Target("table", lambda c: Table.from_file(_file("table").holding(c)),
           lambda: [b"Ada\tPER\nRome\tLOC CITY\n"]),
    Target("vectors", lambda c: WordVectors.read(_file("vectors").holding(c)), lambda: [VECTORS]),
    Target("clusters", lambda c: WordTable.read(_file("clusters").holding(c)), lambda: [CLUSTERS]),
    Target("results", _read_store, lambda: [STORED % fingerprint("x").encode()], "json"),
]  # fmt: skip

# The service

SMALL_LIMITS = Limits(body=4096, tokens=200, n_best=5)


@cache
def _served() -> dict[str, ServedModel]:
    pipeline = dovetail.load(SAVED / "pipeline-joint.dovetail", threads=1)
    return {
        "small": ServedModel("small", "1", _small_tagger()),
        "talks": ServedModel("talks", "2", pipeline),
    }


def _ask(kind: str, body: bytes) -> None:
    if kind == "tag":
        answers: Sequence[Any] = answer_tag_requests(
            [read_tag_request(body, _served(), SMALL_LIMITS)]
        )
    else:
        answers = answer_explain_requests([read_explain_request(body, _served(), SMALL_LIMITS)])
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
        json.loads(answer)


TAG = {"model": "talks", "text": "Ada at 4 pm", "decode": "joint", "nbest": 2, "marginals": True}
TAG_TOKENS = {"model": "small", "sequences": [["Ada", "at"], []], "per_token": True}
TAG_TEXTS = {"texts": ["Ada\nat 4", ""], "model": "small", "unit": "line"}
EXPLAIN = {"model": "small", "tokens": ["Ada", "at"], "token": 1, "why_not": "O", "top": 3}


def _bodies(*bodies: Any) -> list[bytes]:
    return [json.dumps(body).encode() for body in bodies]


SERVICE = [
    Target(
        "tag-request", partial(_ask, "tag"), partial(_bodies, TAG, TAG_TOKENS, TAG_TEXTS), "json"
    ),
    Target("explain-request", partial(_ask, "explain"), lambda: _bodies(EXPLAIN), "json"),
]  # fmt: skip

# The labelling page

STUDIO = [
    Target(
        "project",
        lambda content: use_project(_folder() / f"{os.getpid()}-project", content),
        lambda: [made_project()],
        "database",
        1 << 17,
    )
]

TARGETS = {
    target.name: target for target in (*CORPORA, *ON_DISK, *MODELS, *OTHERS, *SERVICE, *STUDIO)
}
