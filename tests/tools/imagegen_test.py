#!/usr/bin/env python3
"""Checks that tools/imagegen packs kernels, and refuses what cannot work.

    imagegen_test.py BERTH_IMAGEGEN
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

GOOD = ".version 6.0\n.target sm_70\n.visible .entry berth_a() { ret; }\n"
BAD = GOOD + ".extern .func (.param .b32 r) sinf(.param .b32 x)\n;\n"


def run(program, folder, files, left_out=""):
    """Runs |program| over |files|, {name: text}; returns its process and what
    it wrote, or None."""
    out = folder / "images.c"
    paths = []
    for name, text in files.items():
        paths.append(folder / name)
        paths[-1].write_bytes(text.encode())
    done = subprocess.run([program, out, left_out, *paths], check=False,
                          stderr=subprocess.PIPE, text=True)
    return done, out.read_text() if out.exists() else None


def unpack(text, index):
    """Returns image |index| as it was before it was packed."""
    found = re.search(rf"image_{index}\[\] = {{([^}}]*)}}", text).group(1)
    return zlib.decompress(bytes(int(n) for n in found.split(",") if n.strip()))


def check(program, folder):
    """Yields what is wrong."""
    done, text = run(program, folder, {"a.ptx": GOOD, "a.90.cubin": "\x7fELF"})
    if done.returncode != 0:
        yield f"fails: {done.stderr}"
    elif unpack(text, 0) != GOOD.encode():
        yield "packs something else"
    elif f'{{"a", 0, {len(GOOD)},' not in text or '{"a", 90, 4,' not in text:
        yield "writes another table"
    done, text = run(program, folder, {"b.ptx": BAD})
    if done.returncode == 0 or "unresolved external" not in done.stderr:
        yield f"takes an unresolved external: {done.stderr}"
    if text is not None:
        yield "leaves a file behind that looks made"
    done, text = run(program, folder, {}, "no clang")
    if done.returncode != 0 or 'left_out[] = "no clang"' not in text:
        yield "does not say what was left out"
    done = subprocess.run([program, folder / "x.c", "", folder / "none.ptx"],
                          check=False, stderr=subprocess.PIPE, text=True)
    if done.returncode == 0 or "No such file" not in done.stderr:
        yield f"does not miss a file: {done.stderr}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        problems = list(check(sys.argv[1], pathlib.Path(folder)))
    print("\n".join(problems) or "imagegen packs and refuses as it should")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
