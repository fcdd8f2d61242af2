"""compare.py - Runs an example and compares all it prints.

    compare.py PROGRAM CASE [ARGUMENT...]

CASE is a path without ending: CASE.out and CASE.err are what the program must
print, as TensorFlow prints it for the same script. Where CASE.exc exists it must
fail: after the lines of CASE.err that come before Python's traceback, stderr has
the runtime's message of CASE.exc.

The last part of the name says on which machine: .k40c and .4xk20m are those of
the guides, simulated. With BERTH_TEST_GPU set a case for one card runs on the
machine's own, and the listing counts for any card.

Listings in a folder "classic" come from the guides themselves, which lost some
spaces and brackets and show no stderr.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import match  # noqa: E402

SKIPPED = 77

MACHINES = {
    "k40c": "Tesla K40c@0000:05:00.0",
    "4xk20m": "Tesla K20m*4@0000:02:00.0,0000:03:00.0,0000:83:00.0,0000:84:00.0",
}
K40C_BYTES = 11439 << 20


def wants_card():
    """True when the machine's own card is to be tested."""
    return bool(os.environ.get("BERTH_TEST_GPU"))


def read(path):
    return path.read_text() if path.exists() else ""


def runtime_message(exception):
    """The part of Python's text that the runtime wrote."""
    mark = "Node: 'MatMul'\n"
    return exception[exception.index(mark) + len(mark):]


def fill_in(text):
    """Works out the sums that a listing leaves to the reader."""
    return re.sub(r"<floor\(([\d.]+) \* total\) / 2\^20>",
                  lambda sum: str(int(float(sum[1]) * K40C_BYTES) >> 20), text)


def of_any_card(text):
    """Forgets which card a listing was made on."""
    text = re.sub(r"<floor[^>]*>", "<N>", text)
    text = re.sub(r"name: [^,]*, pci bus\sid: [\d:.]*",
                  "name: <any>, pci bus id: <any>", text)
    return re.sub(r"compute capability: [\d.]*", "compute capability: <any>", text)


def squeeze(text):
    """Drops what the guides are not exact about."""
    text = text.replace("pci bus\nid", "pci bus id")
    text = text.replace("/device:GPU:", "/gpu:")
    return re.sub(r"[ \t\[\]]", "", text)


def without_making_devices(text):
    """The lines of a log that do not tell of making GPUs."""
    return "".join(line for line in text.splitlines(keepends=True)
                   if "gpu_device.cc" not in line)


def environment_for(spec, ledger):
    """The environment of a program on the machine |spec|, "" for this one."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("BERTH_", "TF_", "CUDA_"))}
    if wants_card():
        # The card may itself be simulated: that tries out tests for real ones.
        for name in ("BERTH_SIMULATE_GPUS", "BERTH_SIMULATE_LEDGER"):
            if name in os.environ:
                environment[name] = os.environ[name]
    if spec:
        environment["BERTH_SIMULATE_GPUS"] = spec
        environment["BERTH_SIMULATE_LEDGER"] = ledger
    else:
        environment["CUDA_VISIBLE_DEVICES"] = "0" if wants_card() else ""
    return environment


def run(arguments, spec):
    with tempfile.TemporaryDirectory() as folder:
        environment = environment_for(spec, os.path.join(folder, "ledger"))
        return subprocess.run(arguments, capture_output=True, text=True,
                              env=environment, timeout=60)


def compare_classic(out, exception, done):
    """Returns how |done| differs from a guide's listing."""
    found = without_making_devices(done.stderr)
    if exception:
        # The guides fold long lines.
        expected = exception.partition("Invalid argument: ")[2]
        return match.differences("stderr", squeeze(expected).replace("\n", ""),
                                 squeeze(found.partition(": ")[2]).replace("\n", ""))
    return (match.differences("stdout", squeeze(out), squeeze(done.stdout)) +
            match.differences("stderr", "", found))


def compare_modern(out, err, exception, done):
    """Returns how |done| differs from what TensorFlow prints."""
    if exception:
        message = "INVALID_ARGUMENT: " + runtime_message(exception)
        err = err.split("Traceback")[0] + message
    return (match.differences("stdout", out, done.stdout) +
            match.differences("stderr", err, done.stderr))


def main():
    program, case, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    spec = MACHINES.get(case.rpartition(".")[2], "")
    out, err, exception = (read(pathlib.Path(case + ending))
                           for ending in (".out", ".err", ".exc"))
    if wants_card():
        if spec != MACHINES["k40c"]:
            print("skipped: a listing for simulated cards")
            return SKIPPED
        spec, out, err = "", of_any_card(out), of_any_card(err)
    done = run([program, *arguments], spec)
    if "/classic/" in case:
        problems = compare_classic(out, exception, done)
    else:
        problems = compare_modern(out, fill_in(err), exception, done)
    status = 1 if exception else 0
    if done.returncode != status:
        problems += f"exit status {done.returncode}, expected {status}\n"
    sys.stderr.write(problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
