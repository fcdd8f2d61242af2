"""program.py - Compiles and runs the program that a how-to shows.

    program.py PAGE COMPILER INCLUDE:INCLUDE LIBRARY

The program is the first block of C with a main(); what it must print follows
"./line" in the block of commands, as a comment. Standard library only.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```c\n(.*?)^```", re.S | re.M)
EXPECTED = re.compile(r"^\./line +# (.*)$", re.M)


def main(args):
    page, compiler, includes, library = args
    text = pathlib.Path(page).read_text(encoding="utf-8")
    source = next(block for block in BLOCK.findall(text) if "int main" in block)
    expected = EXPECTED.search(text).group(1) + "\n"
    library = pathlib.Path(library)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "line.c").write_text(source, encoding="utf-8")
        command = [compiler, "-Wall", "-Wextra", "-Werror", "line.c", "-o", "line"]
        command += [f"-I{include}" for include in includes.split(":")]
        command += [str(library), f"-Wl,-rpath,{library.parent}"]
        subprocess.run(command, cwd=folder, check=True)
        run = subprocess.run([f"{folder}/line"], check=True, capture_output=True, text=True)
    if run.stdout != expected:
        print(f"expected {expected!r}, found {run.stdout!r}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
