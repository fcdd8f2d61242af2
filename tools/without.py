#!/usr/bin/env python3
"""without.py - Takes the safeguards out, one at a time: some test must notice.

    without.py [--list] [--stop] [NAME...]   all, or those whose names begin so
    without.py --check                       only whether the table is true

tests/safeguards.txt says what there is: a name, a file, the lines that are the
safeguard, what stands there without it, and the tests that must fail then. The
work is done in a copy of the checkout (build/without), so that nothing here
changes while somebody works here; only what a change touches is built again. A
test that does not end counts as one that fails, and so does one that crashes.
What is left to chance is tried several times.

The table of results is printed, and written to build/without/results.txt.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "safeguards.txt"
WORK = ROOT / "build" / "without"
COPY = WORK / "tree"
PRESETS = ("release", "dev", "asan", "tsan")
TRIES = 3
LIMIT_S = 30, 4  # A test may take so long, and so many times what it takes.
ASAN_OPTIONS = "intercept_tls_get_addr=0:allocator_may_return_null=1"


class Broken(Exception):
    """The table or the tree is not what it has to be."""


# ---- The table ----

class Hunk:
    """Lines of a file, and what takes their place."""

    def __init__(self, path):
        self.path = path
        self.old, self.new = [], []

    def count_in(self, text):
        """Returns how often its old lines stand in |text|, as whole lines."""
        return f"\n{text}".count("".join(f"\n{line}" for line in self.old) + "\n")

    def apply(self, text):
        old, new = ("".join(f"\n{line}" for line in lines) + "\n"
                    for lines in (self.old, self.new))
        return f"\n{text}".replace(old, new)[1:]


class Safeguard:
    def __init__(self, name):
        self.name = name
        self.what = ""
        self.preset = "release"
        self.hunks, self.tests = [], []


def parse_line(line, safeguards):
    """Reads one line of the table into the last of |safeguards|."""
    word, _, rest = line.partition(" ")
    if word == "==":
        safeguards.append(Safeguard(rest))
        return
    if not safeguards:
        raise Broken("a line before the first '== name'")
    entry = safeguards[-1]
    if line[0] in "-+ ":
        if not entry.hunks:
            raise Broken("lines of no file")
        if line[0] != "+":
            entry.hunks[-1].old.append(line[1:])
        if line[0] != "-":
            entry.hunks[-1].new.append(line[1:])
    elif word == "in":
        entry.hunks.append(Hunk(rest))
    elif word == "by":
        entry.tests.append(tuple(rest.split()))
    elif word == "preset":
        entry.preset = rest
    else:
        entry.what = f"{entry.what} {line}".strip()


def read_table():
    safeguards = []
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        try:
            parse_line(line, safeguards)
        except Broken as problem:
            raise Broken(f"{TABLE.name}:{number}: {problem}") from None
    return safeguards


def check_entry(entry):
    """Yields what is wrong with |entry|."""
    if not re.fullmatch(r"[a-z0-9-]+", entry.name):
        yield "a name has small letters, digits and dashes"
    if not entry.what:
        yield "does not say what it guards"
    if not entry.tests:
        yield "names no test"
    if entry.preset not in PRESETS:
        yield f"unknown preset {entry.preset}"
    if not entry.hunks:
        yield "changes nothing"
    for hunk in entry.hunks:
        path = ROOT / hunk.path
        count = hunk.count_in(path.read_text()) if path.is_file() and hunk.old else 0
        if count != 1:
            yield f"its lines stand {count} times in {hunk.path}, not once"
        if hunk.old == hunk.new:
            yield f"changes nothing in {hunk.path}"


def check_table(safeguards):
    """Returns how much is wrong, having said what."""
    problems = [f"{entry.name}: {problem}" for entry in safeguards
                for problem in check_entry(entry)]
    names = [entry.name for entry in safeguards]
    problems += [f"{name}: stands in the table twice"
                 for name in sorted(set(names)) if names.count(name) > 1]
    for problem in problems:
        print(f"{TABLE.relative_to(ROOT)}: {problem}")
    return len(problems)


# ---- The copy ----

def call(command, **options):
    return subprocess.run([str(word) for word in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **options)


def write_if_new(path, data):
    """Writes |path| unless it has |data| already: what is not new stays built."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def update_copy():
    """Makes the copy what the checkout is now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = {name for name in listed.split("\0") if name}
    known = WORK / "files.json"
    before = set(json.loads(known.read_text())) if known.is_file() else set()
    for name in sorted(before - names):
        (COPY / name).unlink(missing_ok=True)
    for name in sorted(names):
        source = ROOT / name
        if source.is_file():
            write_if_new(COPY / name, source.read_bytes())
            shutil.copymode(source, COPY / name)
    known.write_text(json.dumps(sorted(names)))
    # The package is found by PYTHONPATH; the environment may be the checkout's.
    venv = COPY / ".venv"
    if (ROOT / ".venv").is_dir() and not venv.exists():
        venv.symlink_to(ROOT / ".venv", target_is_directory=True)


def configure(preset):
    python = COPY / ".venv" / "bin" / "python"
    flags = []
    if python.exists():
        flags = ["-DBERTH_PYTHON=ON", f"-DPython_EXECUTABLE={python}"]
    done = call(["cmake", "--preset", preset, *flags], cwd=COPY)
    if done.returncode != 0:
        raise Broken(f"preset {preset} cannot be configured:\n{done.stdout}")


def read_tests(preset):
    """Returns {name: what ctest knows of it}; it knows what is built."""
    text = subprocess.run(
        ["ctest", "--test-dir", str(COPY / "build" / preset), "--show-only=json-v1"],
        check=True, capture_output=True, text=True).stdout
    return {test["name"]: test for test in json.loads(text)["tests"]}


def target_of(name):
    """Returns what has to be built for the test |name|."""
    if name.startswith("golden/"):
        return "golden_test"
    return "all" if name.startswith("python/") else name.replace("/", "_")


def build(preset, targets):
    """Builds |targets|; returns what went wrong, or None."""
    jobs = os.environ.get("JOBS", str(os.cpu_count() or 1))
    done = call(["cmake", "--build", COPY / "build" / preset, "-j", jobs,
                 "--target", *targets])
    if done.returncode == 0:
        return None
    lines = [line for line in done.stdout.splitlines() if "error:" in line]
    return "\n".join(lines[:5] or done.stdout.splitlines()[-5:])


# ---- Tests ----

def environment_of(test):
    environment = dict(os.environ)
    if os.path.exists("/dev/nvidiactl"):  # Tests simulate the cards they want.
        environment["BERTH_SIMULATE_GPUS"] = "none"
    environment["ASAN_OPTIONS"] = ASAN_OPTIONS
    environment["PYTHONPATH"] = str(COPY / "python")
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    for entry in test.get("properties", []):
        if entry["name"] == "ENVIRONMENT":
            environment.update(word.split("=", 1) for word in entry["value"])
    return environment


def run_once(command, environment, folder, log, limit):
    """Runs |command|; returns its exit status, or None when it does not end."""
    with open(log, "wb") as out:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=out,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            return process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def run_test(test, args, preset, log, limit):
    """Returns how the test ends."""
    command = list(test["command"]) + list(args)
    if preset == "tsan" and shutil.which("setarch"):
        command = ["setarch", os.uname().machine, "-R", *command]
    status = run_once(command, environment_of(test), COPY / "build" / preset, log,
                      limit)
    if status is None:
        return "hangs"
    if status < 0 or status > 128:
        return "crashes"
    return {0: "passes", 77: "is skipped"}.get(status, "fails")


def is_noticed(end):
    return end not in ("passes", "is skipped")


class Bench:
    """The copy with a build for each preset that is asked for."""

    def __init__(self):
        self.tests = {}  # By preset.
        self.limits = {}  # Seconds, by preset and test.
        WORK.mkdir(parents=True, exist_ok=True)
        update_copy()

    def prepare(self, preset, entries):
        """Builds |preset| as it is; every test that |entries| name passes."""
        print(f"== {preset}", flush=True)
        configure(preset)
        wanted = sorted({test for entry in entries for test in entry.tests})
        problem = build(preset, sorted({target_of(test[0]) for test in wanted}))
        if problem:
            raise Broken(f"{preset} does not build:\n{problem}")
        self.tests[preset] = read_tests(preset)
        for test in wanted:
            if test[0] not in self.tests[preset]:
                raise Broken(f"{preset} has no test {test[0]}")
            started = time.monotonic()
            end = self.run(preset, test, WORK / "as-it-is.log")
            self.limits[preset, test] = (
                LIMIT_S[0] + LIMIT_S[1] * (time.monotonic() - started))
            if end != "passes":
                raise Broken(f"{' '.join(test)} {end} as it is; see "
                             f"{WORK / 'as-it-is.log'}")

    def run(self, preset, test, log):
        return run_test(self.tests[preset][test[0]], test[1:], preset, log,
                        self.limits.get((preset, test), 1200))

    def take_out(self, entry):
        """Takes |entry| out of the copy; returns {file: what it was}."""
        before = {COPY / hunk.path: (COPY / hunk.path).read_text()
                  for hunk in entry.hunks}
        for hunk in entry.hunks:
            path = COPY / hunk.path
            path.write_text(hunk.apply(path.read_text()))
        return before

    def try_without(self, entry):
        """Returns ({test: how it ended}, seconds) with |entry| taken out."""
        started = time.monotonic()
        before = self.take_out(entry)
        try:
            problem = build(entry.preset, sorted(
                {target_of(test[0]) for test in entry.tests}))
            if problem:
                raise Broken(f"{entry.name} does not build without:\n{problem}")
            ends = {" ".join(test): self.repeat(entry, test) for test in entry.tests}
        finally:
            for path, text in before.items():
                path.write_text(text)
        return ends, time.monotonic() - started

    def repeat(self, entry, test):
        end = "passes"
        for _ in range(TRIES):
            log = WORK / f"{entry.name}.{test[0].replace('/', '_')}.log"
            end = self.run(entry.preset, test, log)
            if is_noticed(end):
                break
        return end


# ---- The whole ----

def tell(entry, ends, seconds):
    is_caught = all(is_noticed(end) for end in ends.values())
    how = ", ".join(f"{test} {end}" for test, end in ends.items())
    return (f"{entry.name:28} {'caught' if is_caught else 'NOT caught':10} "
            f"{seconds:5.0f} s  {how}"), is_caught


def work(entries, stops):
    bench, lines, missed = Bench(), [], 0
    for preset in PRESETS:
        chosen = [entry for entry in entries if entry.preset == preset]
        if chosen:
            bench.prepare(preset, chosen)
        for entry in chosen:
            try:
                line, is_caught = tell(entry, *bench.try_without(entry))
            except Broken as problem:
                line, is_caught = str(problem), False
            print(line, flush=True)
            lines.append(line)
            missed += not is_caught
            if missed and stops:
                return lines, missed
    return lines, missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--stop", action="store_true", help="at the first miss")
    options = parser.parse_args()
    safeguards = read_table()
    if check_table(safeguards) > 0:
        return 1
    chosen = [entry for entry in safeguards if not options.names or
              any(entry.name.startswith(name) for name in options.names)]
    if options.check:
        print(f"{len(safeguards)} safeguards are where the table says")
        return 0
    if options.list:
        for entry in chosen:
            print(f"{entry.name:28} {entry.what}")
        return 0
    lines, missed = work(chosen, options.stop)
    (WORK / "results.txt").write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - missed} caught, {missed} not caught")
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as problem:
        print(f"without.py: {problem}", file=sys.stderr)
        sys.exit(1)
