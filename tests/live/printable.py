# SPDX-License-Identifier: GPL-2.0-or-later
# printable.py FILE...: names those with characters that could harm a terminal, besides newlines and
# tabs.
import sys
import unicodedata

TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def is_harmful(c):
    return c not in "\n\t" and (unicodedata.category(c) in ("Cc", "Zl", "Zp")
                                or unicodedata.bidirectional(c) in TURNS
                                or c in "\u061c\u200e\u200f")


for name in sys.argv[1:]:
    with open(name, "rb") as f:
        data = f.read()
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            bad = [c for c in line.decode("utf-8") if is_harmful(c)]
        except UnicodeDecodeError as e:
            bad = [e.reason]
        # The newline in the names has this behind it.
        if line.startswith(b"FORGED"):
            bad = ["a forged line"]
        if bad:
            print(f"line {number}: {bad}: {line[:200]}")
