#!/usr/bin/env python3
"""check_layers.py - Every room includes only what ARCHITECTURE.md allows it.

The table of rooms in ARCHITECTURE.md is the rule; this script reads it there.
It also keeps *_internal.h in their rooms, and everything outside src on the
public headers. The packages of python/berth have a table of their own, below:
imports go down only, wherever in a file they stand.
"""

import ast
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

# The packages of python/berth, lowest first, and what each may import beside
# itself. An import inside a function counts as one at the top: it is there so
# that something is loaded late, never to get around this table.
PACKAGES = {
    # The extension in C, and which of TF1 and TF2 a program is.
    "_core": (),
    "_mode": (),
    # What everybody asks for; execution.py has the slots through which lower
    # packages call eager.
    "base": ("_core", "_mode"),
    # Graphs, nodes, types, and the making of any op from its schema.
    "framework": ("_core", "_mode", "base"),
    # Functions that make nodes; tensors get their operators here.
    "ops": ("_core", "base", "framework"),
    # A variable is made of ops: an initial value, an assignment, a read. Which
    # kind it is, the mode has.
    "variables": ("_core", "_mode", "base", "framework", "ops"),
    # Sessions run graphs: a program of TF1 loads nothing of eager.
    "client": ("_core", "base", "framework"),
    # Python rewritten: its control flow becomes branches and loops of ops.
    "_autograph": ("base", "framework", "ops"),
    # Ops that run at once, and functions, which trace ops and variables.
    "eager": ("_core", "_mode", "base", "framework", "ops", "variables",
              "_autograph"),
    # Modules of TensorFlow's that stand on all of these.
    "modules": ("_core", "_mode", "base", "framework", "ops", "variables",
                "client", "_autograph", "eager"),
    # Event files, and ops that make summaries.
    "_summary": ("_core", "_mode", "base", "framework", "ops", "variables",
                "client", "eager", "modules"),
    # Datasets and their iterators.
    "_data": ("_core", "_mode", "base", "framework", "ops", "variables",
             "client", "_autograph", "eager", "modules"),
    # Optimisers, checkpoints, hooks, sessions that are watched over.
    "_train": ("_core", "_mode", "base", "framework", "ops", "variables",
              "client", "eager", "modules", "_summary"),
    # Variables and steps on several devices.
    "_distribute": ("_core", "_mode", "base", "framework", "ops", "variables",
                   "client", "_autograph", "eager", "modules", "_data",
                   "_train"),
    # What is drawn from, and how likely it is.
    "_distributions": ("base", "framework", "ops"),
    # Layers, losses and metrics of TF1.
    "_layers": ("_core", "_mode", "base", "framework", "ops", "variables",
               "client", "eager", "modules", "_train", "_summary"),
    # Feature columns, and the layers that take them.
    "_features": ("_core", "_mode", "base", "framework", "ops", "variables",
                  "client", "eager", "modules", "_train", "_layers"),
    # tf.estimator: training, evaluation and prediction of a model function.
    # What its input functions are told is of tf.distribute.
    "_estimator": ("_core", "_mode", "base", "framework", "ops", "variables",
                  "client", "eager", "modules", "_summary", "_data", "_train",
                  "_distribute", "_layers", "_features"),
    # tf.contrib: names for what stands elsewhere.
    "_contrib": ("_core", "_mode", "base", "framework", "ops", "variables",
                "client", "eager", "modules", "_summary", "_data", "_train",
                "_distribute", "_layers", "_features", "_estimator"),
    # Loads whatever the tables of names say, and imports nothing else.
    "_start": ("_mode",),
    # The package itself: __init__.py and __main__.py.
    "berth": ("_mode", "_start", "base"),
}
# Imports that go up all the same, as {"file: module": reason}. One that is no
# longer there is an error, so that the list gets shorter only.
UPWARD = {}
# Files that load modules by name: the slots, the tables of names, and what
# asks another package for its own.
LOADERS = ("base/execution.py", "_start/namespaces.py",
           "_start/python_modules.py", "_start/keras_package.py")


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


def package_of(name):
    """The package in the table that module |name|, such as berth.ops.gen, is in."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in PACKAGES else "berth"


def imported(node, folder):
    """The modules of berth that an import statement in |folder| may load."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names
                if alias.name.split(".")[0] == "berth"]
    base = node.module or ""
    if node.level:
        parts = folder.split(".")
        parts = parts[:len(parts) - node.level + 1]
        base = ".".join(parts + ([base] if base else []))
    if base.split(".")[0] != "berth":
        return []
    # A name may be a module or something in one: in berth itself it matters.
    return [f"{base}.{alias.name}" if base == "berth" else base
            for alias in node.names]


def loads_by_name(node):
    """True for a call that imports a module whose name is only a value."""
    called = getattr(node, "func", None)
    name = getattr(called, "attr", getattr(called, "id", ""))
    return isinstance(node, ast.Call) and name in ("import_module", "__import__")


def check_python(file, text, upward, used):
    """Yields what is wrong with the imports of |file|, a path below python/berth.

    |upward| has what may go up; what of it is needed is added to |used|.
    """
    folder = ".".join(["berth", *file.split("/")[:-1]])
    package = package_of(folder + "." + file.split("/")[-1].removesuffix(".py"))
    for node in ast.walk(ast.parse(text)):
        if loads_by_name(node) and file not in LOADERS:
            yield f"line {node.lineno}: only {', '.join(LOADERS)} load by name"
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        for name in imported(node, folder):
            below = package_of(name)
            if below == package or below in PACKAGES[package]:
                continue
            if f"{file}: {name}" in upward:
                used.add(f"{file}: {name}")
                continue
            yield f"line {node.lineno}: {package} must not import {below} ({name})"


def check_package(root):
    """Returns how many modules there are below |root|, and what is wrong with them."""
    problems, used = [], set()
    files = sorted(root.rglob("*.py"))
    for path in files:
        file = path.relative_to(root).as_posix()
        problems += [f"python/berth/{file}: {text}" for text
                     in check_python(file, path.read_text(), UPWARD, used)]
    known = {p.name if p.is_dir() else p.stem for p in root.iterdir()
             if p.name[:2] != "__" and (p.suffix == ".py" or
                                        p.is_dir() and any(p.glob("*.py")))}
    problems += [f"python/berth/{name}: not in the table of packages"
                 for name in sorted(known - set(PACKAGES))]
    problems += [f"{entry}: does not go up any more; take it out of UPWARD"
                 for entry in sorted(set(UPWARD) - used)]
    return len(files), problems


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
    modules, found = check_package(ROOT / "python" / "berth")
    problems += found
    print("\n".join(problems) or
          f"{len(checks) + modules} files keep to the layers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
