"""snippet_show.py - Shows what every piece of snippet_cases.py gives, as JSON.

    snippet_show.py v1|v2 [berth]

With `berth` on Berth, otherwise on TensorFlow; each in a process forked after
the import.
"""

from __future__ import annotations

import json
import os
import re
import sys

import api_show
import snippet_cases


def plain(text: str) -> str:
    """Drops where things are in memory and in source files, and how many traces there were."""
    text = re.sub(r"0x[0-9a-f]{6,}", "0x<addr>", text)
    text = re.sub(r"(__inference_[^\s\]]*?)_\d+", r"\1_<n>", text)
    return re.sub(r'(?m)^ *File ".*\n?', "", text)


def result_of(tf, code: str, mode: str) -> str:
    try:
        return plain(api_show.result_of(tf, code, mode))
    except Exception as error:
        return plain(f"{type(error).__name__}: {error}")


def forked(tf, code: str, mode: str) -> str:
    """Does result_of() in a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        with os.fdopen(writer, "w") as file:
            file.write(result_of(tf, code, mode))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    os.waitpid(child, 0)
    return text or "the process ended"


def main() -> None:
    mode, is_berth = sys.argv[1], "berth" in sys.argv[2:]
    tf = api_show.import_library(mode, is_berth)
    if is_berth:
        from berth import _start
        _start.install_tensorflow()
    cases = snippet_cases.TF1 if mode == "v1" else snippet_cases.TF2
    json.dump({name: forked(tf, code, mode) for name, code in cases.items()},
              sys.stdout, indent=1)


if __name__ == "__main__":
    main()
