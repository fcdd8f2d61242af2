"""symbols.py - The library exports what the headers declare, and no more.

    symbols.py NM LIBRARY INCLUDE_FOLDER... [--update]

Compares three lists: symbols.txt, what the shared library exports, and what the
public headers declare. Every function of the headers that people write by hand
must also be called by one of the programs here. --update writes symbols.txt.
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def exported(nm, library):
    output = subprocess.run([nm, "-D", "--defined-only", library], check=True,
                            capture_output=True, text=True).stdout
    names = {line.split()[-1] for line in output.splitlines()}
    # What begins with two underscores comes from compilers and sanitizers.
    return {name for name in names if not name.startswith("__")}


def declared(folder):
    names = set()
    for header in pathlib.Path(folder, "berth").glob("*.h"):
        text = re.sub(r"//.*", "", header.read_text())
        names.update(re.findall(r"BERTH_API\b[^;{]*?\b(berth_\w+)\s*\(", text))
    return names


def report(problem, names):
    for name in sorted(names):
        print(f"{name}: {problem}", file=sys.stderr)
    return bool(names)


def main():
    update = "--update" in sys.argv
    nm, library, *folders = [word for word in sys.argv[1:] if word != "--update"]
    found = exported(nm, library)
    listing = HERE / "symbols.txt"
    if update:
        listing.write_text("".join(f"{name}\n" for name in sorted(found)))
    listed = set(listing.read_text().split())
    by_folder = [declared(folder) for folder in folders]
    everything = set().union(*by_folder)
    programs = "".join(path.read_text() for path in HERE.glob("*_test.c"))
    uncalled = {name for name in by_folder[0]
                if not re.search(rf"\b{name}\(", programs)}

    is_bad = report("exported, but not in symbols.txt", found - listed)
    is_bad |= report("in symbols.txt, but not exported", listed - found)
    is_bad |= report("exported, but in no public header", found - everything)
    is_bad |= report("declared, but not exported", everything - found)
    is_bad |= report("no program of tests/abi calls it", uncalled)
    return 1 if is_bad else 0


if __name__ == "__main__":
    sys.exit(main())
