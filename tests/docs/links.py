"""links.py - Checks what the documents point to, and their sizes.

    links.py FOLDER

In every Markdown file of the project: links to files lead somewhere, paths in
backticks exist, no line is longer than LONGEST outside of tables. Every room has
a README of 20 to 60 lines. Standard library only.
"""

import pathlib
import re
import sys

LONGEST = 100
LINK = re.compile(r"\[[^]]*\]\(([^)#]+)(?:#[^)]*)?\)")
# `src/exec/run.c`, `docs/design`: what begins with a folder of the project.
FOLDERS = r"bench|cli|cmake|docs|examples|include|python|src|tests|tools"
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]*)`")
# `exec/run.c`: what begins with a room.
SOURCE = re.compile(r"`(\w+/\w+\.(?:c|h|def))`")
README_LINES = range(20, 61)


def documents(root):
    """Returns every Markdown file, without what is built or hidden."""
    for path in sorted(root.rglob("*.md")):
        parts = path.relative_to(root).parts
        if parts[0] != "build" and not any(part.startswith(".") for part in parts):
            yield path


def prose(text):
    """Returns |text| with blocks of code blanked: they may show anything."""
    return re.sub(r"^```.*?^```", lambda m: "\n" * m.group().count("\n"), text, flags=re.S | re.M)


def targets(root, path, text):
    """Yields every place that |text| points to, as written and as a path."""
    for match in LINK.finditer(text):
        if "://" not in match.group(1):
            yield match.group(1), path.parent / match.group(1)
    for match in PATH.finditer(text):
        yield match.group(1), root / match.group(1)
    for match in SOURCE.finditer(text):
        if (root / "src" / match.group(1)).parent.exists():
            yield match.group(1), root / "src" / match.group(1)


def check(root, path):
    """Yields what is wrong with one document."""
    text = prose(path.read_text(encoding="utf-8"))
    for written, target in targets(root, path, text):
        if not target.exists():
            yield f"{path.relative_to(root)}: there is no {written}"
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST and not line.startswith(("|", "[", "<")):
            yield f"{path.relative_to(root)}:{number}: longer than {LONGEST} characters"


def check_rooms(root):
    """Yields rooms without a README of the usual size."""
    for room in sorted(path for path in (root / "src").iterdir() if path.is_dir()):
        readme = room / "README.md"
        lines = len(readme.read_text(encoding="utf-8").splitlines()) if readme.exists() else 0
        if lines not in README_LINES:
            yield f"{readme.relative_to(root)}: {lines} lines; 20 to 60 are wanted"


def main(args):
    root = pathlib.Path(args[0]).resolve()
    found = [wrong for path in documents(root) for wrong in check(root, path)]
    found += check_rooms(root)
    print("\n".join(found) or "all documents are fine")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
