#!/usr/bin/env python3
"""Compares two folders of golden files, within the tolerances of the first.

    tools/golden/compare.py tests/data/golden build/golden
"""

import pathlib
import sys

import numpy as np

import golden_case
from golden_types import COMPLEX, FLOATS, TYPES


def read_tolerances(path):
    """type -> (relative, absolute, ulps)"""
    tolerances = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, relative, absolute, ulps = line.split()
            tolerances[name] = (float(relative), float(absolute), int(ulps))
    return tolerances


def places(array):
    """Where each number stands among all of its type."""
    bits = array.view(f"u{array.dtype.itemsize}").astype(object)
    sign = 1 << (8 * array.dtype.itemsize - 1)
    return np.array([-(b - sign) if b >= sign else b for b in bits.ravel()],
                    dtype=object)


def numbers_agree(dtype, a, b, tolerance):
    relative, absolute, ulps = tolerance
    kind = TYPES[dtype][1]
    a, b = np.frombuffer(a, kind), np.frombuffer(b, kind)
    wide = np.complex128 if dtype in COMPLEX else np.float64
    x, y = a.astype(wide), b.astype(wide)
    with np.errstate(all="ignore"):
        near = (x == y) | (np.isnan(x) & np.isnan(y))
        near |= np.isfinite(x) & np.isfinite(y) & (
            abs(x - y) <= relative * abs(y) + absolute)
    if dtype in FLOATS:
        distance = abs(places(a) - places(b))
        near |= (distance <= ulps) & np.isfinite(x) & np.isfinite(y)
    return bool(near.all())


def results_agree(old, new, tolerances):
    if old == new:
        return True
    old_words, new_words = old.split(" "), new.split(" ")
    if "out" not in (old_words[0], new_words[0]) or (
            old_words[:3] != new_words[:3]):
        return False
    a = golden_case.parse_tensor(old_words[1:])
    b = golden_case.parse_tensor(new_words[1:])
    if a.dtype not in tolerances:
        return a == b
    return numbers_agree(a.dtype, b.data, a.data, tolerances[a.dtype])


def compare_files(old, new, tolerances):
    """Yields a line for every difference."""
    before, after = golden_case.read(old), golden_case.read(new)
    titles = [(title, question) for title, question, _ in before]
    if titles != [(title, question) for title, question, _ in after]:
        yield f"{old.name}: the cases are not the same; run make golden"
        return
    for (title, _, a), (_, _, b) in zip(before, after):
        if len(a) == len(b) and all(
                results_agree(x, y, tolerances) for x, y in zip(a, b)):
            continue
        yield f"{old.name}: {title}"
        yield from (f"  - {line}" for line in a if line not in b)
        yield from (f"  + {line}" for line in b if line not in a)


def main():
    old, new = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    tolerances = read_tolerances(old / "tolerance.txt")
    files = sorted(p.name for p in new.glob("*.txt"))
    kept = sorted(p.name for p in old.glob("[A-Z_]*.txt")
                  if p.name != "CMakeLists.txt")
    differences = [f"{name}: only in one of the two"
                   for name in sorted(set(files) ^ set(kept))]
    for name in sorted(set(files) & set(kept)):
        differences += compare_files(old / name, new / name, tolerances)
    print("\n".join(differences))
    print(f"{len(kept)} ops compared, "
          f"{sum(not d.startswith('  ') for d in differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
