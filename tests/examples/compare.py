"""compare.py - Runs an example and compares all it prints.

    compare.py PROGRAM CASE [ARGUMENT...]

CASE is a path without ending: CASE.out and CASE.err are what the program must
print, as TensorFlow prints it for the same script. Where CASE.exc exists it must
fail: after the lines of CASE.err that come before Python's traceback, stderr has
the runtime's message of CASE.exc.

What follows the last dot of CASE is the machine, simulated: k40c, 4xk20m; any
other is one without a GPU. Cases in a folder called classic are listings of old
guides, which break lines, lose brackets and spell GPUs in two ways; these
differences do not count, and stderr is not compared.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import match  # noqa: E402


# What to simulate, and the memory of each card in MiB.
MACHINES = {
    "k40c": ("Tesla K40c@0000:05:00.0", 11439),
    "4xk20m": ("Tesla K20m*4@0000:02:00.0,0000:03:00.0,0000:83:00.0,"
               "0000:84:00.0", 4799),
}


def environment_for(machine, folder):
    """The environment of a program on |machine|; |folder| is its own."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("BERTH_", "TF_", "CUDA_"))}
    if machine in MACHINES:
        environment["BERTH_SIMULATE_GPUS"] = MACHINES[machine][0]
        environment["BERTH_SIMULATE_LEDGER"] = f"{folder}/ledger"
    else:
        environment["CUDA_VISIBLE_DEVICES"] = ""
    return environment


def settle(text, machine):
    """Works out the figures that |text| has as formulas of a card's memory."""
    return re.sub(r"<floor\(([\d.]+) \* total\) / 2\^20>",
                  lambda m: str(int(float(m[1]) * MACHINES[machine][1])), text)


def squeeze(text):
    """What is left of a classic listing when its differences do not count."""
    return re.sub(r"[\s\[\]]", "", text.replace("/device:GPU:", "/gpu:"))


def read(path):
    return path.read_text() if path.exists() else None


def runtime_message(exception):
    """The part of Python's text that the runtime wrote."""
    mark = "Node: 'MatMul'\n"
    return exception[exception.index(mark) + len(mark):]


def compare_modern(case, machine, run):
    """Returns what is different from CASE.out, CASE.err and CASE.exc."""
    expected_err = settle(read(pathlib.Path(case + ".err")), machine)
    exception = read(pathlib.Path(case + ".exc"))
    status = 0
    if exception is not None:
        message = "INVALID_ARGUMENT: " + runtime_message(exception)
        expected_err = expected_err.split("Traceback")[0] + message
        status = 1
    problems = match.differences("stdout", read(pathlib.Path(case + ".out")),
                                 run.stdout)
    problems += match.differences("stderr", expected_err, run.stderr)
    if run.returncode != status:
        problems += f"exit status {run.returncode}, expected {status}\n"
    return problems


def compare_classic(case, run):
    """Returns what is different from the listing CASE.out."""
    expected = read(pathlib.Path(case + ".out"))
    if squeeze(expected) == squeeze(run.stdout) and run.returncode == 0:
        return ""
    return f"expected\n{expected}found\n{run.stdout}{run.stderr}"


def main():
    program, case, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    machine = case.rsplit(".", 1)[1]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([program, *arguments], capture_output=True,
                             text=True, timeout=60,
                             env=environment_for(machine, folder))
    if pathlib.Path(case).parent.name == "classic":
        problems = compare_classic(case, run)
    else:
        problems = compare_modern(case, machine, run)
    sys.stderr.write(problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
