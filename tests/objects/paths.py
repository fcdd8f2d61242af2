"""paths.py - Nothing that was built looks for libraries in the current folder.

    paths.py READELF BUILD_FOLDER OBJECT...

An entry of RUNPATH that is empty or relative means a folder below the current one;
one outside the build belongs to somebody else. Looks at the objects named and at
all others in bin and lib of the build.
"""

import pathlib
import sys

import elf


def problem(entry, build):
    """Returns what is wrong with an entry of a path, or None."""
    if entry == "":
        return "an empty entry, which is the current folder"
    if entry == "$ORIGIN" or entry.startswith("$ORIGIN/"):
        return None
    if not entry.startswith("/"):
        return f"'{entry}', which is relative to the current folder"
    if build not in (pathlib.Path(entry).resolve(), *pathlib.Path(entry).resolve().parents):
        return f"'{entry}', which is no folder of the build"
    return None


def main():
    readelf, build = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    objects = {pathlib.Path(name).resolve() for name in sys.argv[3:]}
    for folder in ("bin", "lib"):
        objects |= {path.resolve() for path in (build / folder).iterdir() if path.is_file()}
    objects = sorted(path for path in objects if elf.is_elf(path))
    problems = []
    for path in objects:
        for entry in elf.Elf(readelf, path).search_paths():
            wrong = problem(entry, build)
            if wrong:
                problems.append(f"{path}: its RUNPATH has {wrong}")
    print("\n".join(problems) or f"{len(objects)} objects search only where they should")
    return 1 if problems or not objects else 0


if __name__ == "__main__":
    sys.exit(main())
