#!/usr/bin/env python3
"""figures.py - The house in figures: files, functions, comments, tests.

usage: tools/figures.py [NAME=FOLDER...]

Measures every room of src, the extension of python and the public headers;
with NAME=FOLDER another codebase in the same way, so that the two can be laid
side by side. Lines are lines of files; a comment line has nothing but a
comment. Functions are told by their braces: see check_style.py.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check_style import ROOT, find_functions, strip  # noqa: E402

SOURCES = (".c", ".cu")
HEADERS = (".h", ".cuh", ".inc")
ASSERT = re.compile(r"\b(\w*ASSERT\w*|mi_assert\w*|assert|DEBUGASSERT)\s*\(")
# A variable at file level that can change: not const, not a function.
GLOBAL = re.compile(r"^(?:static\s+)?(?!.*\bconst\b(?!\s*char))(?!typedef|extern|"
                    r"enum|union|#|return|BERTH_)(?:_Atomic\([^)]*\)|[A-Za-z_][\w ]*?)"
                    r"[\s*]+\w+(?:\[[^\]]*\])*(?:\s*=[^;()]*|\s*);", re.MULTILINE)


class File:
    """One file: its lines, its comments, its functions."""

    def __init__(self, path):
        self.text = path.read_text(errors="replace")
        self.code = strip(self.text)
        self.suffix = path.suffix
        stem = path.stem
        self.is_test = (stem.endswith(("_test", "_testing", "_driver")) or
                        stem.startswith(("fake_", "test")) or "/test" in str(path))
        self.lines = self.text.count("\n")
        self.functions = [self.code.count("\n", start, end) + 1
                          for _, start, end in find_functions(self.code)]

    def comment_lines(self):
        count, inside = 0, False
        for line in self.text.split("\n"):
            line = line.strip()
            count += inside or line.startswith(("//", "/*"))
            if line.startswith("/*") or inside:
                inside = "*/" not in line
        return count

    def globals(self):
        """Variables that can change, outside functions."""
        outside, depth = [], 0
        for line in self.code.split("\n"):
            if depth == 0 and not line.startswith((" ", "\t", "}")):
                outside.append(line)
            depth += line.count("{") - line.count("}")
        return len(GLOBAL.findall("\n".join(outside)))


def at(values, share):
    """The value below which |share| of |values| lie."""
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else 0


def percent(part, whole):
    return f"{100 * part / whole:.0f}" if whole else "–"


def row(name, files):
    product = [f for f in files if not f.is_test]
    tests = [f for f in files if f.is_test]
    sources = [f for f in product if f.suffix in SOURCES]
    headers = [f for f in product if f.suffix in HEADERS]
    functions = [n for f in product for n in f.functions]
    lines = sum(f.lines for f in sources)
    all_lines = lines + sum(f.lines for f in headers)
    kloc = lines / 1000 or 1
    sizes = [f.lines for f in sources]
    gotos = sum(len(re.findall(r"\bgoto\b", f.code)) for f in sources)
    asserts = sum(len(ASSERT.findall(f.code)) for f in product)
    cells = (name, f"{len(sources)}, {lines / 1000:.1f} k",
             f"{at(sizes, .5)}/{at(sizes, .9)}/{max(sizes, default=0)}",
             f"{at(functions, .5)}/{at(functions, .9)}/{at(functions, .99)}/"
             f"{max(functions, default=0)}",
             str(sum(n > 60 for n in functions)),
             f"{percent(sum(f.comment_lines() for f in sources), lines)} / "
             f"{percent(sum(f.comment_lines() for f in headers), all_lines - lines)}",
             f"{gotos / kloc:.1f}, {asserts / kloc:.1f}",
             f"{sum(f.lines for f in tests) / (all_lines or 1):.2f}",
             str(sum(f.globals() for f in sources)))
    return "| " + " | ".join(cells) + " |"


def read(folder):
    return [File(path) for path in sorted(pathlib.Path(folder).rglob("*"))
            if path.suffix in SOURCES + HEADERS and path.is_file()]


def main():
    print("| part | sources | file med/p90/max | function med/p90/p99/max | > 60 | "
          "comments % .c / .h | goto, assert /kloc | test : code | globals |")
    print("|" + "---|" * 9)
    for argument in sys.argv[1:]:
        name, _, folder = argument.partition("=")
        print(row(f"*{name}*", read(folder)))
    everything = []
    rooms = sorted(p for p in (ROOT / "src").iterdir() if p.is_dir())
    for room in rooms + [ROOT / "python/src", ROOT / "include/berth"]:
        files = read(room)
        everything += files
        print(row(str(room.relative_to(ROOT)).replace("src/", "", 1)
                  if room.parent.name == "src" else str(room.relative_to(ROOT)), files))
    print(row("**all**", everything))


if __name__ == "__main__":
    main()
