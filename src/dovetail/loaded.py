"""What kind of thing data is, asked without loading the code for that kind."""

from __future__ import annotations

import sys
from typing import Any


def is_corpus(data: Any) -> bool:
    """Is it a corpus? Where that class was never imported it cannot be one."""
    table = sys.modules.get("dovetail.corpus.table")
    return table is not None and isinstance(data, table.Corpus)


def is_representation(annotator: Any) -> bool:
    """Is it a representation of words? The same holds for these."""
    module = sys.modules.get("dovetail.representation.annotation")
    return module is not None and isinstance(annotator, module.Representation)


def is_linear_tagger(annotator: Any) -> bool:
    """Is it a linear tagger? The same holds for these."""
    module = sys.modules.get("dovetail.multitask.linear")
    return module is not None and isinstance(annotator, module.LinearTagger)
