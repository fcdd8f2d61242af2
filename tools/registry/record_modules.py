#!/usr/bin/env python3
"""record_modules.py - Makes python/berth/_start/api_modules.py: TensorFlow's modules and public names.

    PYTHON_WITH_TENSORFLOW tools/registry/record_modules.py > python/berth/_start/api_modules.py

For each module below tensorflow.python that holds public names, what these are called there and
in public. Needs tensorflow 2.21. A name is told by the object that it leads to.
"""

import sys
import textwrap
import types

import tensorflow as tf
import tensorflow.compat.v1 as tf1

HEADER = '''"""api_modules - Public names of TensorFlow 2.21, by the module below tensorflow.python that has them.

Each module has three lists with semicolons between them: names of TF1 and TF2, of TF2, and of
TF1. `math.add` is called `add` in the module; `old=math.add` is called `old` there. Made by
tools/registry/record_modules.py.
"""

'''
LEFT_OUT = ("raw_ops", "keras", "compat")


def is_public(module):
    """True for a module that is part of the public names."""
    return str(vars(module).get("__name__", "")).startswith("tensorflow._api")


def collect(module, path, seen):
    """Yields the path and the object of every public name."""
    for name in dir(module):
        if name.startswith("_") or (not path and name in LEFT_OUT):
            continue
        try:
            value = getattr(module, name)
        except AttributeError:
            continue
        full = f"{path}.{name}" if path else name
        if isinstance(value, types.ModuleType):
            if is_public(value) and full not in seen and full.count(".") < 4:
                seen.add(full)
                yield from collect(value, full, seen)
        else:
            yield full, value


def homes():
    """The modules, and the names there by the object that they lead to."""
    found = {}
    for name, module in sorted(sys.modules.items()):
        if name.startswith("tensorflow.python.") and ".gen_" not in name and isinstance(module, types.ModuleType):
            for attribute, value in vars(module).items():
                if not attribute.startswith("_"):
                    found.setdefault(id(value), []).append((name[len("tensorflow.python."):], attribute))
    return found


def belongs(value, home):
    """True when the object is defined in |home|, or comes from the generated functions there."""
    defined = getattr(value, "__module__", None)
    if not isinstance(defined, str):
        return home.endswith("dtypes")
    return defined in ("tensorflow.python." + home, "tensorflow.python." + home + "_impl") or ".gen_" in defined


def table():
    """By module: the public names of both, of TF2 and of TF1."""
    public = {2: dict(collect(tf, "", set())), 1: dict(collect(tf1, "", set()))}
    modules = homes()
    found = {}
    for path in sorted(set(public[1]) | set(public[2])):
        in_both = path in public[1] and path in public[2] and public[1][path] is public[2][path]
        for mode in (2,) if in_both else (2, 1):
            if path not in public[mode]:
                continue
            value = public[mode][path]
            places = [(m, a) for m, a in modules.get(id(value), ()) if belongs(value, m)] or [("", path.split(".")[-1])]
            if isinstance(value, (int, str, float, tuple, list, dict)) or value is None:
                places = [("", path.split(".")[-1])]
            for module, attribute in places:
                word = path if path.split(".")[-1] == attribute else f"{attribute}={path}"
                found.setdefault(module, ([], [], []))[0 if in_both else 3 - mode].append(word)
    found.pop("ops.standard_ops", None)
    return found


def main():
    """Writes the table."""
    print(HEADER + "MODULES = {")
    for module, lists in sorted(table().items()):
        text = " ; ".join(" ".join(words) for words in lists).strip()
        if len(text) + len(module) < 100:
            print(f"    {module!r}: {text!r},")
            continue
        text = textwrap.fill(text, 108, initial_indent=" " * 8, subsequent_indent=" " * 8,
                             break_long_words=False, break_on_hyphens=False)
        print(f"    {module!r}: '''\n{text}\n    ''',")
    print("}")


if __name__ == "__main__":
    main()
