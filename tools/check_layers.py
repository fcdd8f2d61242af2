#!/usr/bin/env python3
"""check_layers.py - Every room includes only what ARCHITECTURE.md allows it.

The table of rooms in ARCHITECTURE.md is the rule; this script reads it there.
It also keeps *_internal.h in their rooms, and everything outside src on the
public headers.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SYSTEM_INCLUDE = re.compile(r"^\s*#\s*include\s+<([^>]+)>", re.MULTILINE)
# Headers of others, and the one room that may know them.
VENDOR = {"dlfcn.h": "base", "protobuf-c/protobuf-c.h": "wire"}
# Folders that stand on the public headers alone.
OUTSIDE = ("cli", "examples", "python")


def read_table(text):
    """Returns {room: {room it may include: a header or folder/ in it, or None}}."""
    rooms = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 3 or not re.fullmatch(r"`[a-z]+`", cells[0]):
            continue
        rooms[cells[0].strip("`")] = parse_cell(cells[2], rooms)
    return rooms


def parse_cell(cell, rooms):
    if cell == "all of these":
        return {room: None for room in rooms}
    allowed = {}
    for part in [part.strip() for part in cell.split(",")]:
        whole = re.fullmatch(r"what ([a-z]+) may", part)
        some = re.fullmatch(r"([a-z]+) \(`([a-z_./]+)`\)", part)
        if whole:
            allowed.update(rooms[whole.group(1)])
        elif some:
            allowed[some.group(1)] = some.group(2)
        elif part != "–":
            allowed[part] = None
    return allowed


def check_include(room, name, rooms):
    """Returns what is wrong with including |name| in |room|, or None."""
    folder, _, header = name.partition("/")
    if folder in ("berth", room) or not header:
        return None
    if folder not in rooms:
        return f'"{name}" is in no room'
    if header.endswith("_internal.h"):
        return f'"{name}" belongs to {folder} alone'
    if folder not in rooms[room]:
        return f"{room} must not include {folder} ({name})"
    part = rooms[room][folder]
    is_part = header.startswith(part) if part and part.endswith("/") else header == part
    if part is not None and not is_part:
        return f"{room} may include {part} of {folder} only"
    return None


def room_of(path):
    """The room that |path| is in: a folder of src, whatever is below it."""
    return path.relative_to(ROOT / "src").parts[0]


def check_room_file(path, rooms):
    room, text = room_of(path), path.read_text()
    for name in INCLUDE.findall(text):
        problem = check_include(room, name, rooms)
        if problem:
            yield problem
    for name in SYSTEM_INCLUDE.findall(text):
        if VENDOR.get(name, room) != room:
            yield f"<{name}> belongs to {VENDOR[name]} alone"
    if re.search(r"\bTF_[A-Z][A-Za-z]*\s*\(", text):
        yield "names of TensorFlow's C API have no place here"


def check_outside_file(path):
    for name in INCLUDE.findall(path.read_text()):
        if "/" in name and not name.startswith("berth/"):
            yield f'"{name}" is not public'


def check_public_header(path):
    for name in INCLUDE.findall(path.read_text()):
        if not name.startswith("berth/"):
            yield f'"{name}" is not public'


def sources(folder):
    """The sources below |folder|: C, what is made into kernels, and tables."""
    return sorted(p for p in (ROOT / folder).rglob("*")
                  if p.suffix in (".c", ".h", ".cu", ".cuh", ".inc", ".def"))


def main():
    rooms = read_table((ROOT / "ARCHITECTURE.md").read_text())
    if len(rooms) < 10:
        sys.exit("ARCHITECTURE.md has no table of rooms that can be read")
    inside = sources("src")
    missing = {room_of(path) for path in inside} - set(rooms)
    checks = [(path, check_room_file(path, rooms)) for path in inside
              if room_of(path) not in missing]
    checks += [(path, check_outside_file(path)) for folder in OUTSIDE
               for path in sources(folder)]
    checks += [(path, check_public_header(path))
               for path in sources("include/berth")]
    problems = [f"src/{room}: not in the table of ARCHITECTURE.md"
                for room in sorted(missing)]
    for path, found in checks:
        problems += [f"{path.relative_to(ROOT)}: {text}" for text in found]
    print("\n".join(problems) or f"{len(checks)} files keep to the layers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
