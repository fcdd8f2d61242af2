"""gpu_tests.py - Runs the tests of GPUs on the machine's own card.

    gpu_tests.py list BUILD             writes BUILD/gpu_tests.json
    gpu_tests.py pack BUILD FILE        packs what running them needs, .tar.xz
    gpu_tests.py run BUILD --out FOLDER [--pass NAME]... [--only REGEX]

`run` needs no CMake and no compiler: the list says what to call, so that a tree
that was built elsewhere can be run wherever it lies. Its passes:

    tests       every test with the label gpu
    launch      the tests of kernels with every launch forced to odd sizes
    memcheck    the same under compute-sanitizer, where there is one
    racecheck

tools/test_gpu.sh is what people call.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
LIST = "gpu_tests.json"
SKIPPED = 77
NO_END = 124
FOUND = 99  # compute-sanitizer has found something.
PASSES = ("tests", "launch", "memcheck", "racecheck")
LOGS = ("kernel", "other", "launch", "memcheck", "racecheck")
# Blocks and threads: the least, more blocks than items, the largest block.
LAUNCHES = ("1x32", "3x64", "1000x32", "7x1024")
# Tests of kernels limit their own memory; others may take the whole card.
KERNEL_JOBS = 4


# ---- The list ----

def read_ctest(build):
    """What ctest knows of the tests of GPUs."""
    text = subprocess.run(["ctest", "--test-dir", str(build), "-L", "^gpu$",
                           "--show-only=json-v1"], check=True,
                          capture_output=True, text=True).stdout
    return json.loads(text)["tests"]


def portable(text, build):
    """Names the two folders that lie elsewhere on another machine."""
    return text.replace(str(build), "@BUILD@").replace(str(SOURCE), "@SOURCE@")


def describe(test, build):
    """One entry of the list, or None for a test that was not built."""
    if "command" not in test:
        return None
    properties = {p["name"]: p["value"] for p in test.get("properties", [])}
    environment = [entry.split("=", 1) for entry in properties.get("ENVIRONMENT", [])
                   if not entry.startswith("BERTH_SIMULATE_")]
    return {"name": test["name"],
            "command": [portable(part, build) for part in test["command"]],
            "environment": dict(environment),
            "timeout": properties.get("TIMEOUT", 300)}


def write_list(build):
    described = [describe(test, build) for test in read_ctest(build)]
    tests = [test for test in described if test is not None]
    (build / LIST).write_text(json.dumps(tests, indent=1))
    print(f"{len(tests)} tests in {build / LIST}")


def programs_of(tests):
    """The programs that |tests| call, below the build folder."""
    parts = [part for test in tests for part in test["command"]]
    return sorted({part[len("@BUILD@/"):] for part in parts
                   if part.startswith("@BUILD@/")} | {"bin/berth"})


# What every machine has.
SYSTEM_LIBRARIES = ("libc.", "libm.", "libdl.", "libpthread.", "librt.", "ld-linux")


def libraries_of(build):
    """Berth's own libraries, and what they need that a machine may lack."""
    own = sorted(build.glob("lib/*.so*"))
    said = subprocess.run(["ldd", build / "bin/berth"], check=True,
                          capture_output=True, text=True).stdout
    needed = [pathlib.Path(path) for path in re.findall(r"=> (/\S+)", said)]
    return own + [path for path in needed if path.parent != build / "lib"
                  and not path.name.startswith(SYSTEM_LIBRARIES)]


def pack(build, target):
    """Packs the list, its programs without symbols, and the libraries."""
    tests = json.loads((build / LIST).read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(build / LIST, folder)
        (folder / "lib").mkdir()
        for library in libraries_of(build):
            shutil.copy(library, folder / "lib",
                        follow_symlinks=library.parent != build / "lib")
        for program in programs_of(tests):
            (folder / program).parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["strip", "-o", folder / program, build / program],
                           check=True)
        plain = folder.parent / (folder.name + ".tar")
        with tarfile.open(plain, "w") as tar:
            tar.add(folder, arcname=".")
    # The programs share most of their code: a large window finds it.
    with target.open("wb") as out:
        subprocess.run(["xz", "-c", "--lzma2=preset=6,dict=256MiB", plain],
                       check=True, stdout=out)
    plain.unlink()
    print(f"{target}: {target.stat().st_size / 2**20:.1f} MiB")


# ---- Running ----

class Runner:
    """Runs tests, and keeps a log of each in |out|."""

    def __init__(self, build, out):
        self.build = build
        self.out = out
        self.out.mkdir(parents=True, exist_ok=True)
        for name in LOGS:
            (self.out / f"{name}.log").unlink(missing_ok=True)

    def local(self, part):
        return (part.replace("@BUILD@", str(self.build))
                .replace("@SOURCE@", str(SOURCE)))

    def command_of(self, test):
        command = [self.local(part) for part in test["command"]]
        if os.path.basename(command[0]).startswith("python"):
            command[0] = sys.executable
        return command

    def variables_for(self, test, environment):
        variables = dict(os.environ)
        variables.pop("BERTH_SIMULATE_GPUS", None)
        variables.update({name: self.local(value)
                          for name, value in test["environment"].items()})
        variables.update(environment or {})
        return variables

    def write_log(self, title, text):
        name = next(name for name in LOGS if title.startswith(name))
        with (self.out / f"{name}.log").open("a") as log:
            log.write(text)

    def run(self, title, test, before=(), after=(), environment=None, judge=None):
        """Returns the exit status, the seconds and the last line said."""
        command = [*before, *self.command_of(test), *after]
        begin = time.monotonic()
        try:
            done = subprocess.run(command, env=self.variables_for(test, environment),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=float(test["timeout"]))
            status, said = done.returncode, done.stdout
        except subprocess.TimeoutExpired as expired:
            status, said = NO_END, expired.stdout or b""
        seconds = time.monotonic() - begin
        output = said.decode(errors="replace")
        if judge is not None and status != NO_END:
            status = judge(status, output)
        self.write_log(title, f"==== {title}, {test['name']}: status {status}, "
                              f"{seconds:.1f} s\n$ {' '.join(command)[:300]}\n{output}\n")
        lines = output.strip().splitlines()
        return status, seconds, lines[-1] if lines else ""


class Tally:
    """Counts what became of the tests of one pass."""

    def __init__(self, title):
        self.title = title
        self.passed = self.failed = self.skipped = 0

    def add(self, test, result):
        status, seconds, line = result
        if status == 0:
            self.passed += 1
            return
        if status == SKIPPED:
            self.skipped += 1
            return
        self.failed += 1
        print(f"  FAILED {self.title} {test['name']} "
              f"(status {status}, {seconds:.0f} s): {line[:200]}", flush=True)

    def report(self, begin):
        print(f"{self.title}: {self.passed} passed, {self.failed} failed, "
              f"{self.skipped} skipped, {time.monotonic() - begin:.0f} s",
              flush=True)


def is_kernel_test(test):
    return test["name"].startswith("cuda/")


def run_all(runner, title, tests, jobs, **how):
    """Runs |tests|, |jobs| at a time."""
    tally = Tally(title)
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [(test, pool.submit(runner.run, title, test, **how))
                   for test in tests]
        for test, future in futures:
            tally.add(test, future.result())
    tally.report(begin)
    return tally


def find_sanitizer():
    folders = ["/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer",
               "/usr/local/cuda/extras/compute-sanitizer", os.environ.get("PATH", "")]
    return shutil.which("compute-sanitizer", path=os.pathsep.join(folders))


def judge_sanitizer(status, output):
    """Returns the status of a run by what compute-sanitizer has found.

    The tests themselves are judged by other passes: here they share a process,
    which not all of them like.
    """
    found = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", output)
    if found:
        return FOUND if any(int(number) > 0 for number in found) else 0
    used_none = "before first instrumented API call" in output
    return SKIPPED if used_none or status == SKIPPED else status or FOUND


def run_sanitizer(runner, tool, kernels):
    """Runs |kernels| under |tool|, each program as one process."""
    sanitizer = find_sanitizer()
    if sanitizer is None:
        print(f"{tool}: skipped, there is no compute-sanitizer")
        return None
    before = [sanitizer, "--tool", tool]
    if tool == "memcheck":
        # Tests make calls fail on purpose.
        before += ["--report-api-errors", "no"]
    return run_all(runner, tool, kernels, KERNEL_JOBS, before=before,
                   after=["--here"], judge=judge_sanitizer)


def run_passes(build, out, passes, only):
    tests = json.loads((build / LIST).read_text())
    tests = [test for test in tests if re.search(only, test["name"])]
    kernels = [test for test in tests if is_kernel_test(test)]
    others = [test for test in tests if not is_kernel_test(test)]
    runner = Runner(build, out)
    tallies = []
    if "tests" in passes:
        tallies.append(run_all(runner, "kernel tests", kernels, KERNEL_JOBS))
        tallies.append(run_all(runner, "other tests", others, 1))
    if "launch" in passes:
        for size in LAUNCHES:
            tallies.append(run_all(runner, f"launch {size}", kernels, KERNEL_JOBS,
                                   environment={"BERTH_CUDA_LAUNCH": size}))
    for tool in ("memcheck", "racecheck"):
        if tool in passes:
            tallies.append(run_sanitizer(runner, tool, kernels))
    return [tally for tally in tallies if tally is not None]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=("list", "pack", "run"))
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path, nargs="?")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--pass", dest="passes", action="append", choices=PASSES)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    if arguments.verb == "list":
        write_list(build)
        return 0
    if arguments.verb == "pack":
        pack(build, arguments.target.resolve())
        return 0
    out = arguments.out or build / "gpu-logs"
    tallies = run_passes(build, out, arguments.passes or PASSES, arguments.only)
    failed = sum(tally.failed for tally in tallies)
    print(f"{sum(tally.passed for tally in tallies)} passed, {failed} failed, "
          f"{sum(tally.skipped for tally in tallies)} skipped; logs in {out}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
