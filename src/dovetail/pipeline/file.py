"""A pipeline as one file: the model file of each tagger, and how they are put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dovetail import __version__
from dovetail.chain.tagger import Tagger
from dovetail.errors import DovetailError, ModelFileError
from dovetail.io.loading import load
from dovetail.io.model_file import ModelFile, Source, open_model
from dovetail.io.model_file import to_bytes as file_bytes
from dovetail.pipeline.decode.span_decision import SpanDecision
from dovetail.pipeline.layers.linear import LinearLayer
from dovetail.pipeline.layers.log_tagger import LogTaggerLayer
from dovetail.pipeline.layers.mapped import LabelMap, Mapped
from dovetail.pipeline.layers.mapped_spans import MappedSpans
from dovetail.pipeline.layers.pool import Pool
from dovetail.pipeline.layers.recalibrated import Correction, Recalibrated
from dovetail.pipeline.layers.tagger import TaggerLayer
from dovetail.pipeline.representations import opened_representation

if TYPE_CHECKING:
    from dovetail.pipeline.pipeline import Pipeline


def to_bytes(pipeline: Pipeline) -> bytes:
    """The whole file in memory."""
    arrays: dict[str, Any] = {}

    def described(annotator: Any) -> dict[str, Any]:
        if not _can_be_saved(annotator):
            return {"kind": "own", "labels": list(annotator.labels_)}
        if isinstance(annotator, TaggerLayer):
            key = f"tagger{len(arrays)}"
            arrays[key] = _aligned(annotator.tagger.to_bytes())
            logs = list(annotator.columns) if isinstance(annotator, LogTaggerLayer) else []
            return {"kind": "tagger", "array": key, "logs": logs}
        if isinstance(annotator, Mapped):
            return {
                "kind": "mapped spans" if isinstance(annotator, MappedSpans) else "mapped",
                "column": annotator.column,
                "map": annotator.label_map.spec(),
            }
        if isinstance(annotator, LinearLayer):
            key = f"linear{len(arrays)}"
            arrays[key] = _aligned(annotator.tagger.to_bytes())
            return {"kind": "linear", "array": key}
        if isinstance(annotator, Pool):
            members = [described(member) for member in annotator.members]
            return {
                "kind": "pool",
                "members": members,
                "weights": annotator.weights,
                "labels": annotator.labels_,
            }
        inner = described(annotator.annotator)
        threshold = None if annotator.decision is None else annotator.decision.threshold
        own = {"correction": annotator.correction.spec(), "threshold": threshold}
        return {"kind": "recalibrated", "of": inner, **own}

    representations = []
    for k, representation in enumerate(pipeline.representations):
        key = f"representation{k}"
        arrays[key] = _aligned(representation.to_bytes())
        representations.append({"name": representation.name_, "array": key})
    layers = [
        {"name": layer.name, "weight": layer.weight, **described(layer.annotator)}
        for layer in pipeline.layers
    ]
    facts: dict[str, Any] = {
        "kind": pipeline.kind,
        "labels": [],
        "training": {},
        "dovetail": __version__,
        "representations": representations,
        "layers": layers,
        "decode": pipeline.decode,
        "lattice": pipeline.lattice,
        "inference": pipeline.inference,
        "epsilon": pipeline.epsilon,
        "notes": pipeline.notes_,
    }
    return file_bytes(arrays, facts)


def _aligned(content: bytes) -> Any:
    """A file inside the file, of such a length that what follows it is aligned."""
    import numpy as np

    return np.frombuffer(content + b" " * (-len(content) % 8), np.uint8)


def _can_be_saved(annotator: Any) -> bool:
    """Whether a file can hold an annotator: taggers, and what is made of them alone."""
    if isinstance(annotator, Pool):
        return all(_can_be_saved(member) for member in annotator.members)
    if isinstance(annotator, Recalibrated):
        return _can_be_saved(annotator.annotator)
    return isinstance(annotator, TaggerLayer | LinearLayer | Mapped)


def opened(
    cls: type[Pipeline],
    source: Source | ModelFile,
    own: dict[str, Any],
    threads: int | None,
    verify: bool | None,
) -> Pipeline:
    """The pipeline in a file; ``own`` has what no file can hold: layers, or their functions."""
    file = open_model(source, verify)
    file.check_kind(cls.kind)

    def part(entry: dict[str, Any], name: str) -> ModelFile:
        return ModelFile(
            file.array(entry["array"]), f"{file.source} (its part '{name}')", file.verify
        )

    def restored(entry: dict[str, Any], name: str) -> Any:
        if entry["kind"] == "tagger":
            tagger = Tagger.load(part(entry, name), features=own.get(name), threads=threads)
            logs = [str(column) for column in entry.get("logs", ())]
            return LogTaggerLayer(tagger, logs) if logs else tagger
        if entry["kind"] in ("mapped", "mapped spans"):
            way = MappedSpans if entry["kind"] == "mapped spans" else Mapped
            return way(str(entry["column"]), LabelMap.from_spec(entry["map"]))
        if entry["kind"] == "linear":
            linear = part(entry, name)
            linear.check_kind("linear tagger")
            return load(linear, threads=threads)
        if entry["kind"] == "pool":
            members = [restored(m, name) for m in entry["members"]]
            return Pool(members, entry["weights"], entry.get("labels"))
        if entry["kind"] == "recalibrated":
            inner = restored(entry["of"], name)
            inner = TaggerLayer(inner) if isinstance(inner, Tagger) else inner
            correction = Correction.from_spec(entry["correction"])
            threshold = entry["threshold"]
            decision = None if threshold is None else SpanDecision(float(threshold))
            return Recalibrated(inner, correction, decision)
        if entry["kind"] != "own":
            raise KeyError(entry["kind"])
        if name not in own:
            raise DovetailError(
                f"the layer '{name}' of {file.source} is an annotator of your own, which no file "
                f"can hold: give it again, load(path, layers={{'{name}': ...}})"
            )
        if list(own[name].labels_) != entry["labels"]:
            raise DovetailError(
                f"the layer '{name}' has other labels than when {file.source} was written"
            )
        return own[name]

    def represented(entry: dict[str, Any]) -> Any:
        try:
            return opened_representation(part(entry, entry["name"]))
        except ModelFileError:
            raise ModelFileError(
                f"{file.source} is damaged: its representation '{entry['name']}' cannot be read"
            ) from None

    try:
        facts = file.facts
        parts = {entry["name"]: represented(entry) for entry in facts.get("representations", [])}
        layers = {entry["name"]: restored(entry, entry["name"]) for entry in facts["layers"]}
        weights = {entry["name"]: float(entry["weight"]) for entry in facts["layers"]}
        pipeline = cls(
            {**parts, **layers},
            decode=facts["decode"],
            weights=weights,
            lattice=facts["lattice"],
            inference=facts["inference"],
            epsilon=facts["epsilon"],
            threads=threads,
        )
        pipeline.notes_ = [str(note) for note in facts["notes"]]
    except DovetailError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ModelFileError(f"{file.source} is damaged: its layers cannot be read") from None
    return pipeline
