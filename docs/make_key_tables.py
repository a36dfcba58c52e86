"""Write the tables of a recipe's keys into docs/reference.md, as the schema has them.

Run it from anywhere after a change of the schema: ``python docs/make_key_tables.py [PAGE]``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from dovetail.recipe.schema.keys import Key, Table
from dovetail.recipe.schema.recipe import COMPARE, RECIPE
from dovetail.recipe.schema.representations import FROM_FILE, READY_MADE, REPRESENTATION_KINDS
from dovetail.recipe.schema.tasks import ANY_TASK, TASK_KINDS

PAGE = Path(__file__).parent / "reference.md"
START = "<!-- keys of a recipe: written by docs/make_key_tables.py -->\n"
END = "<!-- end of the keys of a recipe -->\n"


def key_tables() -> str:
    """All tables, as Markdown."""
    tasks = {"all": ANY_TASK, **{f"`{kind}`": keys for kind, keys in TASK_KINDS.items()}}
    kinds = {f"`{kind}`": keys for kind, keys in REPRESENTATION_KINDS.items()}
    representations = {"a file": FROM_FILE, "ready-made": READY_MADE, **kinds}
    parts = [
        "#### Keys of a recipe\n",
        *_plain_table(RECIPE),
        "\n#### Keys of a task\n",
        *_table_by_kind(tasks),
        "\n#### Keys of a representation\n",
        *_table_by_kind(representations),
        "\n#### Keys of a comparison\n",
        *_plain_table(COMPARE),
    ]
    return "\n".join(parts) + "\n"


def with_tables(page: str) -> str:
    """A page whose tables are those of the schema."""
    before, start, rest = page.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise SystemExit(f"the page has no place for the tables: {START.strip()}, {END.strip()}")
    return f"{before}{START}\n{key_tables()}\n{END}{after}"


def _plain_table(keys: Table) -> Iterator[str]:
    yield "| key | value | default | what |"
    yield "| --- | --- | --- | --- |"
    for name, key in keys.items():
        yield f"| `{name}` | {key.type.words} | {_shown([key])} | {key.summary} |"


def _table_by_kind(tables: Mapping[str, Table]) -> Iterator[str]:
    """One table for all kinds; a key has a row for each thing that it means."""
    rows: dict[tuple[str, str], dict[str, Key]] = {}
    for kind, keys in tables.items():
        for name, key in keys.items():
            rows.setdefault((name, key.summary), {})[kind] = key
    yield "| key | of | value | default | what |"
    yield "| --- | --- | --- | --- | --- |"
    for (name, summary), meant in rows.items():
        words = next(iter(meant.values())).type.words
        default = _shown(meant.values())
        yield f"| `{name}` | {', '.join(meant)} | {words} | {default} | {summary} |"


def _shown(keys: Iterable[Key]) -> str:
    """The defaults of a key, one after the other where its kinds differ."""
    texts = ["required" if key.is_required else _literal(key.default) for key in keys]
    return ", ".join(dict.fromkeys(filter(None, texts)))


def _literal(value: Any) -> str:
    if value is None or value == ():
        return ""
    if isinstance(value, tuple):
        return ", ".join(map(_literal, value))
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def main() -> None:
    """Write the tables into the page."""
    page = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
