"""compare.py - Runs an example and compares all it prints.

    compare.py PROGRAM CASE [ARGUMENT...]

CASE is a path without ending: CASE.out and CASE.err are what the program must
print, as TensorFlow prints it for the same script. Where CASE.exc exists it must
fail: after the lines of CASE.err that come before Python's traceback, stderr has
the runtime's message of CASE.exc.
"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import match  # noqa: E402


def read(path):
    return path.read_text() if path.exists() else None


def runtime_message(exception):
    """The part of Python's text that the runtime wrote."""
    mark = "Node: 'MatMul'\n"
    return exception[exception.index(mark) + len(mark):]


def main():
    program, case, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    expected_out = read(pathlib.Path(case + ".out"))
    expected_err = read(pathlib.Path(case + ".err"))
    exception = read(pathlib.Path(case + ".exc"))
    status = 0
    if exception is not None:
        message = "INVALID_ARGUMENT: " + runtime_message(exception)
        expected_err = expected_err.split("Traceback")[0] + message
        status = 1

    environment = dict(os.environ)
    for name in ("BERTH_PLACEMENT_LOG", "TF_CPP_MIN_LOG_LEVEL", "BERTH_LOG"):
        environment.pop(name, None)
    run = subprocess.run([program, *arguments], capture_output=True, text=True,
                         env=environment, timeout=60)
    problems = match.differences("stdout", expected_out, run.stdout)
    problems += match.differences("stderr", expected_err, run.stderr)
    if run.returncode != status:
        problems += f"exit status {run.returncode}, expected {status}\n"
    sys.stderr.write(problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
