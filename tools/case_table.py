#!/usr/bin/env python3
"""Writes src/base/case_table.inc: which letters have another case, from Python's Unicode tables.

    python3 tools/case_table.py >src/base/case_table.inc
"""

from __future__ import annotations

from typing import Callable


def pairs(change: Callable[[str], str]) -> list[tuple[int, int]]:
    """Every letter that |change| makes into one other, and how far that is away."""
    letters = (chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000)
    changed = ((a, change(a)) for a in letters)
    return [(ord(a), ord(b) - ord(a)) for a, b in changed if a != b and len(b) == 1]


def runs(found: list[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """First, last, step and distance of letters in a row."""
    result = []
    while found:
        first, distance = found[0]
        best = (1, 1)
        for step in (1, 2):
            count = 1
            while count < len(found) and found[count] == (first + count * step, distance):
                count += 1
            best = max(best, (count, step), key=lambda b: b[0])
        count, step = best
        result.append((first, found[count - 1][0], step, distance))
        found = found[count:]
    return result


def main() -> None:
    """Prints the table."""
    print("// case_table.inc - Letters that have another case; written by tools/case_table.py.")
    for name, change in (("LOWER", str.lower), ("UPPER", str.upper)):
        print(f"#ifdef {name}")
        for run in runs(pairs(change)):
            print(f"{name}({', '.join(str(n) for n in run)})")
        print("#endif")


if __name__ == "__main__":
    main()
