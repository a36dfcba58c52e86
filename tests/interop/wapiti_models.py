"""A small Wapiti model, written after its format."""

from __future__ import annotations


def string(text: str) -> str:
    return f"{len(text.encode())}:{text},\n"


def small_model(kind: str = "2#") -> bytes:
    """Two labels; the word, and the word before with its move."""
    patterns = ["u:%x[0,0]", "b:%x[-1,0]"]
    observations = ["u:a", "u:bé", "b:_x-1", "b:a"]
    parts = [
        f"#mdl#{kind}5\n#rdr#2/1/0\n",
        *map(string, patterns),
        "#qrk#2\n",
        *map(string, ["A", "B"]),
        f"#qrk#{len(observations)}\n",
        *map(string, observations),
        "0=0x1p+0\n2=-0x1.8p+0\n3=0x1p-1\n8=0x1p+2\n9=0x1p-3\n",
    ]
    return "".join(parts).encode()
