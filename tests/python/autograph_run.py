"""autograph_run.py - Runs the cases of files of tests/data/autograph in one process, and tells what each gave.

    python autograph_run.py FOLDER FILE...              on TensorFlow
    python -m berth run autograph_run.py FOLDER FILE... on Berth

A case begins with `#: NAME` and ends with the next one. Each is a program of its own, in a file of its
own in FOLDER, so that its source is at hand. What it prints and logs, and how it ends, go to FOLDER/results.json.
"""

import json
import os
import pathlib
import re
import runpy
import sys
import tempfile


def cases(path):
    """Yields (name, program) of the cases of a file."""
    name, lines = None, []
    for line in pathlib.Path(path).read_text().split("\n"):
        if line.startswith("#: "):
            if name is not None:
                yield name, "\n".join(lines).strip("\n") + "\n"
            name, lines = line[3:].strip(), []
        else:
            lines.append(line)
    if name is not None:
        yield name, "\n".join(lines).strip("\n") + "\n"


def captured(function):
    """Calls |function|; returns what went to standard output and to standard error."""
    texts = []
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush(), sys.stderr.flush()
        kept = os.dup(1), os.dup(2)
        os.dup2(out.fileno(), 1), os.dup2(err.fileno(), 2)
        try:
            function()
        finally:
            sys.stdout.flush(), sys.stderr.flush()
            os.dup2(kept[0], 1), os.dup2(kept[1], 2)
            os.close(kept[0]), os.close(kept[1])
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return texts


def plain(text, folder):
    """Drops what differs from run to run."""
    text = text.replace(str(folder), "<dir>")
    text = re.sub(r"\b0x[0-9a-f]{6,}", "0x<addr>", text)
    text = re.sub(r"\bid=\d+", "id=<n>", text)
    text = re.sub(r"(__inference_[^\s\]'\"()]*?)_\d+", r"\1_<n>", text)
    text = re.sub(r"FuncGraph\(name=(\w+?)_\d+, id", r"FuncGraph(name=\1_<n>, id", text)
    # Frames of the library that TensorFlow forgets to leave out.
    text = re.sub(r' *File "[^"]*/site-packages/tensorflow/.*\n.*\n', "", text)
    # The runtime's stack begins with the frames of this file.
    return re.sub(r" *File \"[^\"]*(autograph_run\.py|runpy>)\", line .*\n\n?", "", text)


def without_noise(text):
    """Drops what only TensorFlow's wheel logs."""
    return re.sub(r"(?m)^[IWE]\d{4} .*\n(\t.*\n)*|^\d{4}-\d\d-\d\d .*\n|^WARNING: All log messages.*\n", "", text)


def run(name, program, folder):
    """Returns what one case gives."""
    path = folder / f"{name}.py"
    path.write_text(program)
    ended = []

    def call():
        try:
            runpy.run_path(str(path), run_name="__main__")
        except Exception as error:  # pylint: disable=broad-except
            ended.append(f"{type(error).__name__}: {error}")

    out, err = captured(call)
    err = without_noise(err)
    text = out + ("".join(f"! {line}\n" for line in err.rstrip("\n").split("\n")) if err.strip() else "")
    return plain(text + "".join(f"raised {text}\n" for text in ended), folder)


def main(folder, files):
    """Runs all cases of |files|."""
    import tensorflow as tf

    tf.get_logger()
    folder = pathlib.Path(folder)
    results = {}
    for file in files:
        for name, program in cases(file):
            results[name] = run(name, program, folder)
    (folder / "results.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
