"""The model file: one file in safetensors layout, opened by mapping it into memory.

Eight bytes with the header's length, a JSON header, then raw arrays, little-endian. The header's
metadata holds the format's name and version, the model's facts as JSON, a checksum for each array,
and one for the metadata itself. Nothing in it is ever executed. Reading is done here, without
copying; any safetensors reader can open it too.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Mapping
from math import isinf
from typing import TYPE_CHECKING, Any

from dovetail import __version__, _native
from dovetail.errors import ModelFileError
from dovetail.io.facts import find_fault, mapping_of, text

if TYPE_CHECKING:
    import numpy.typing as npt

FORMAT = "dovetail"
VERSION = 1
TAGGER = "tagger"  # what a file holds that does not say its kind
LARGEST_HEADER = 100_000_000
VERIFIED = 64_000_000  # models up to this size are read and verified whole when they are opened
DIGITS = 20  # of a whole number, at most
_DTYPES = {"|u1": "U8", "<u2": "U16", "<u4": "U32", "<u8": "U64", "<f4": "F32", "<f8": "F64"}
Source = str | os.PathLike[str] | bytes
_ITEM_SIZES = {"U8": 1, "U16": 2, "U32": 4, "U64": 8, "F32": 4, "F64": 8}


class ModelFile:
    """An open model file: facts, and arrays as raw bytes.

    ``verify`` compares each array, when it is first asked for, with its checksum; `verify_all` does
    so for all of them at once. By default it is done for models up to `VERIFIED` bytes.
    """

    def __init__(self, content: memoryview, source: str, verify: bool | None = None) -> None:
        self.source = source
        self.content = content
        self.verify = len(content) <= VERIFIED if verify is None else verify
        self._arrays, metadata = _read_header(content, source)
        self._checksums, self.facts = _read_metadata(metadata, source)
        self._verified: set[str] = set()

    @property
    def kind(self) -> str:
        """What the file holds, in words: a tagger, a pipeline, a hidden Markov model ..."""
        return str(self.facts.get("kind", TAGGER))

    def check_kind(self, kind: str) -> None:
        """Refuse a file that holds something else."""
        if self.kind != kind:
            raise ModelFileError(
                f"{self.source} holds a {self.kind}, not a {kind}: open it with dovetail.load"
            )

    def array(self, name: str) -> Any:
        """The bytes of one array, as a memoryview."""
        if name not in self._arrays or name not in self._checksums:
            raise ModelFileError(f"{self.source} lacks the array '{name}'")
        begin, end = self._arrays[name]
        found: Any = self.content[begin:end]
        if self.verify and name not in self._verified:
            if f"{_native.checksum(found):016x}" != self._checksums[name]:
                raise ModelFileError(
                    f"{self.source} is damaged: the array '{name}' has changed since it was written"
                )
            self._verified.add(name)
        return found

    def verify_all(self) -> None:
        """Refuse a file of which any array is missing, added or changed, also one that is not
        needed to tag, such as the names of features."""
        for name in self._checksums:
            self.array(name)
        added = next((name for name in self._arrays if name not in self._checksums), None)
        if added is not None:
            raise ModelFileError(
                f"{self.source} is damaged: the array '{added}' was not there when it was written"
            )


def is_model_file(head: bytes) -> bool:
    """Whether a file that begins like this may be one of ours: its header is a JSON object."""
    return head[8:10] == b'{"'


def unknown_kind(file: ModelFile) -> ModelFileError:
    """The error for a file whose kind this version does not know."""
    return ModelFileError(
        f"{file.source} holds a '{file.kind}', as Dovetail {file.facts.get('dovetail', '?')} "
        f"writes them; this is Dovetail {__version__}, which does not know any: update Dovetail"
    )


def open_model(
    source: Source | ModelFile, verify: bool | None = None, *, mmap: bool | None = None
) -> ModelFile:
    """Read or map a model file, or take one from bytes, and verify all of it where that is wanted;
    one that is open already stays as it is.

    By default a file up to `VERIFIED` bytes is read into memory, where nobody can change it, and a
    larger one is mapped.
    """
    if isinstance(source, ModelFile):
        return source
    file = _open(source, verify, mmap)
    if file.verify:
        file.verify_all()
    return file


def _open(source: Source, verify: bool | None, mapped: bool | None) -> ModelFile:
    if isinstance(source, bytes | bytearray | memoryview):
        return ModelFile(
            memoryview(bytes(source)), "the model", verify
        )  # bytes: no one can change them
    try:
        path = os.fspath(source)
    except TypeError:
        kind = type(source).__name__
        raise ModelFileError(
            f"a model is opened from its path or its bytes, not from {kind}"
        ) from None
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < 16:
                raise ModelFileError(f"{path} is not a model file: it has only {size} bytes")
            if size > VERIFIED if mapped is None else mapped:
                content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            else:
                content = memoryview(file.read())
                if len(content) != size:
                    raise ModelFileError(f"{path} changed while it was read: open it again")
    except ModelFileError:
        raise
    except OSError as error:
        raise ModelFileError(f"cannot open the model {path}: {error.strerror or error}") from None
    except ValueError as error:
        raise ModelFileError(f"cannot open the model {path}: {error}") from None
    except OverflowError:
        raise ModelFileError(f"cannot open the model {path}: it is too large") from None
    return ModelFile(content, path, verify)


def _read_header(content: memoryview, source: str) -> tuple[dict[str, tuple[int, int]], Any]:
    length = int.from_bytes(content[:8], "little")
    if not 2 <= length <= min(LARGEST_HEADER, len(content) - 8):
        raise ModelFileError(f"{source} is not a model file, or is cut short")
    try:
        header = parse_json(bytes(content[8 : 8 + length]).decode("utf-8"))
        metadata = header.pop("__metadata__", None)
        arrays = {}
        base = 8 + length
        for name, entry in header.items():
            begin, end = (int(offset) for offset in entry["data_offsets"])
            items = 1
            for extent in entry["shape"]:
                items *= int(extent)
            if not 0 <= begin <= end <= len(content) - base:
                raise ModelFileError(f"{source} is cut short: the array '{name}' is not all there")
            if items * _ITEM_SIZES[entry["dtype"]] != end - begin:
                raise ModelFileError(f"{source} is damaged: the array '{name}' has a wrong size")
            arrays[name] = (base + begin, base + end)
    except ModelFileError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise ModelFileError(f"{source} is not a model file, or its header is damaged") from None
    return arrays, metadata


def _read_metadata(metadata: Any, source: str) -> tuple[dict[str, str], dict[str, Any]]:
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise ModelFileError(f"{source} is not a Dovetail model")
    version = str(metadata.get("version"))
    if version != str(VERSION):
        raise ModelFileError(
            f"{source} has format version {version}, and Dovetail {__version__} reads version "
            f"{VERSION}; update Dovetail to use it"
        )
    try:
        facts_text, sums_text = metadata["facts"], metadata["checksums"]
        if metadata["digest"] != _digest(facts_text, sums_text):
            raise ModelFileError(
                f"{source} is damaged: its description has changed since it was written"
            )
        facts, sums = parse_json(facts_text), parse_json(sums_text)
    except ModelFileError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelFileError(f"{source} is damaged: its description cannot be read") from None
    if not mapping_of(text)(sums):
        raise ModelFileError(f"{source} is damaged: its checksums cannot be read")
    fault = find_fault(facts, TAGGER)
    if fault is not None:
        raise ModelFileError(
            f"{source} is damaged: '{fault}' in its description is missing, or is not what it "
            "should be"
        )
    return sums, facts


def parse_json(content: str) -> Any:
    """JSON whose numbers fit: no whole number of more than `DIGITS` digits, no 1e400."""
    return json.loads(content, parse_int=_parse_int, parse_float=_parse_float)


def _parse_int(digits: str) -> int:
    if len(digits) > DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _parse_float(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise ValueError(f"{digits} is beyond the range of numbers")
    return number


def _digest(facts_text: str, sums_text: str) -> str:
    text: Any = (facts_text + sums_text).encode()
    return f"{_native.checksum(text):016x}"


def to_bytes(arrays: Mapping[str, npt.NDArray[Any]], facts: Mapping[str, Any]) -> bytes:
    """A whole model file in memory, the widest items first so that all are aligned."""
    import numpy as np

    ordered = sorted(arrays, key=lambda name: -arrays[name].itemsize)
    raw: dict[str, Any] = {
        name: np.ascontiguousarray(arrays[name]).view(np.uint8).ravel() for name in ordered
    }
    facts_text = json.dumps(facts, ensure_ascii=False)
    sums_text = json.dumps({name: f"{_native.checksum(raw[name]):016x}" for name in ordered})
    metadata = {
        "format": FORMAT,
        "version": str(VERSION),
        "facts": facts_text,
        "checksums": sums_text,
        "digest": _digest(facts_text, sums_text),
    }
    header: dict[str, Any] = {"__metadata__": metadata}
    begin = 0
    for name in ordered:
        end = begin + raw[name].size
        header[name] = {
            "dtype": _DTYPES[arrays[name].dtype.str],
            "shape": list(arrays[name].shape),
            "data_offsets": [begin, end],
        }
        begin = end
    head = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    return b"".join([len(head).to_bytes(8, "little"), head, *raw.values()])
