"""oracle.py - The guides' scripts and the probes: how each runs, what it must give.

A case is a program, a machine (cpu, or the guides' cards simulated), a style of
the placement log and a way in: `run` is `python -m berth run` of the program as
it is, `import` the program with `tensorflow` in its import lines replaced.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import exempt
import normal

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ORACLE = ROOT / "tests" / "data" / "oracle"
sys.path.insert(0, str(ROOT / "tests" / "examples"))
import compare  # noqa: E402

WAYS = ("run", "import")
TIMEOUT_SECONDS = 120

# Python writes an uncaught exception where the judge finds it.
HOOK = """
import json, os, sys
def hook(kind, value, trace):
    with open(os.environ['ORACLE_EXC'], 'w') as f:
        json.dump({'type': kind.__name__, 'message': str(value)}, f)
    sys.__excepthook__(kind, value, trace)
sys.excepthook = hook
"""

# What a TF1 script needs to run on TensorFlow 2.
PRELUDE = ("import sys, tensorflow.compat.v1 as tf; tf.disable_v2_behavior()\n"
           "sys.modules['tensorflow'] = tf\n")


@dataclasses.dataclass(frozen=True)
class Expected:
    """What a case must give; a stderr of None counts for nothing."""

    stdout: str
    stderr: str | None
    exception: tuple[str, str] | None  # Class and message.
    exit_code: int


@dataclasses.dataclass(frozen=True)
class Case:
    """One program on one machine, in one style and way."""

    set: str  # "scripts" or "probes"
    stem: str
    way: str
    machine: str = "cpu"
    style: str = "modern"
    files: tuple[str, ...] = ()  # Under tests/data/oracle/expected.

    @property
    def name(self) -> str:
        if self.set == "probes":
            return f"{self.stem}/{self.way}"
        return f"{self.stem}.{self.machine}.{self.style}/{self.way}"

    @property
    def source(self) -> pathlib.Path:
        return ORACLE / self.set / f"{self.stem}.py"


@dataclasses.dataclass
class Outcome:
    """What a case gave, and how that differs from what it must."""

    stdout: str
    stderr: str
    exception: tuple[str, str] | None
    exit_code: int
    problems: str = ""


def script_cases() -> list[Case]:
    """The guides' scripts, on each machine that has a listing."""
    index = json.loads((ORACLE / "expected" / "index.json").read_text())
    return [Case("scripts", entry["script"], way, entry["hardware"],
                 entry["variant"], tuple(entry["files"].values()))
            for entry in index for way in WAYS]


def probe_cases() -> list[Case]:
    """The probes that count."""
    stems = sorted(path.stem for path in (ORACLE / "probes").glob("*.py"))
    return [Case("probes", stem, way) for stem in stems
            if stem != "probe" and stem not in exempt.WHOLE for way in WAYS]


def header(text: str) -> dict[str, list[str]]:
    """The `# key: value` lines that open a probe."""
    found: dict[str, list[str]] = {}
    for line in text.split("\n"):
        match = re.match(r"# (mode|what|env|noise|args): (.*)$", line)
        if not match:
            break
        found.setdefault(match[1], []).append(match[2])
    return found


def expected_of_script(case: Case) -> Expected:
    texts = {pathlib.Path(file).suffix[1:]: compare.fill_in(
        (ORACLE / "expected" / file).read_text()) for file in case.files}
    exception = None
    if case.style == "classic" and "exc" in texts:
        kind, _, message = texts["exc"].partition(": ")
        exception = (kind, message)
    elif "exc" in texts:
        kind, _, message = texts["exc"].partition("\n")
        exception = (kind, message.rstrip("\n"))
    return Expected(texts.get("out", ""), texts.get("err"), exception,
                    1 if exception else 0)


def expected_of_probe(case: Case) -> Expected:
    path = ORACLE / "transcripts" / "probes" / f"{case.stem}.json"
    record = json.loads(path.read_text())
    says_stderr = case.stem.startswith(("log_", "place_"))
    found = record["exception"]
    return Expected(record["stdout"], record["stderr"] if says_stderr else None,
                    (found["type"], found["message"]) if found else None,
                    record["exit_code"])


def expected_of(case: Case) -> Expected:
    """Returns what |case| must give."""
    if case.set == "scripts":
        return expected_of_script(case)
    return expected_of_probe(case)


@functools.cache
def package_folder(python: str) -> str:
    """Where the package is that |python| imports."""
    code = "import berth; print(berth.__path__[0])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True,
                          env=base_environment())
    return done.stdout.strip()


def base_environment() -> dict[str, str]:
    """The environment without what steers TensorFlow, Berth or CUDA."""
    keep = ("PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "ASAN_OPTIONS",
            "TSAN_OPTIONS", "UBSAN_OPTIONS", "PYTHONMALLOC", "PYTHONPATH")
    found = {name: os.environ[name] for name in keep if name in os.environ}
    return found | {"LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def environment(case: Case, head: dict[str, list[str]], folder: str,
                side: str) -> dict[str, str]:
    """The environment of a run in |folder|, with helper files in |side|."""
    found = base_environment()
    paths = [side, str(ORACLE / "probes"), found.get("PYTHONPATH", "")]
    found |= {
        "HOME": folder, "PYTHONUNBUFFERED": "1", "TF_ENABLE_ONEDNN_OPTS": "0",
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "ORACLE_EXC": os.path.join(side, "exc.json"), "ORACLE_KEEP": side,
        "BERTH_PLACEMENT_LOG": "classic" if case.style == "classic" else "tf2",
    }
    if case.machine == "cpu":
        found["CUDA_VISIBLE_DEVICES"] = ""
    else:
        found["BERTH_SIMULATE_GPUS"] = compare.MACHINES[case.machine]
        found["BERTH_SIMULATE_LEDGER"] = os.path.join(side, "ledger")
    if "mode" in head:
        found["BERTH_TF"] = head["mode"][0].removeprefix("v")
    for assignment in head.get("env", []):
        key, _, value = assignment.partition("=")
        if value == "-":
            found.pop(key, None)
        else:
            found[key] = value
    return found


def is_tf1(case: Case, text: str, head: dict[str, list[str]]) -> bool:
    """Tells whether a program was recorded as one of TensorFlow 1."""
    if "mode" in head:
        return head["mode"][0] == "v1"
    return not case.stem.startswith("s0_") and "tf." in text


def program_text(case: Case, text: str, head: dict[str, list[str]]) -> str:
    """The program as it is run: only its import lines may differ."""
    if case.way == "import":
        return re.sub(r"(?m)^(import|from) tensorflow\b", r"\1 berth", text)
    if case.way == "tensorflow" and is_tf1(case, text, head):
        return PRELUDE + text
    return text


def execute(case: Case, python: str) -> Outcome:
    """Runs |case| in a process and an empty folder of its own."""
    text = case.source.read_text()
    head = header(text)
    with tempfile.TemporaryDirectory(prefix="oracle.") as folder, \
            tempfile.TemporaryDirectory(prefix="oracle.") as side:
        pathlib.Path(side, "sitecustomize.py").write_text(HOOK)
        script = pathlib.Path(folder, f"{case.stem}.py")
        script.write_text(program_text(case, text, head))
        way = ["-m", "berth", "run"] if case.way == "run" else []
        arguments = " ".join(head.get("args", [])).split()
        done = subprocess.run(
            [python, *way, str(script), *arguments], cwd=folder,
            env=environment(case, head, folder, side), capture_output=True,
            stdin=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS)
        return outcome_of(case, done, folder, side, python)


def outcome_of(case: Case, done: subprocess.CompletedProcess[bytes], folder: str,
               side: str, python: str) -> Outcome:
    package = "" if case.way == "tensorflow" else package_folder(python)

    def clean(text: str) -> str:
        text = text.replace(str(ORACLE), "<oracle>")
        if case.way == "import":  # The module is called as it was imported.
            text = re.sub(r"\bmodule 'berth\b", "module 'tensorflow", text)
        return normal.scrub(text, folder, package)

    exception = None
    file = pathlib.Path(side, "exc.json")
    if file.exists():
        found = json.loads(file.read_text())
        exception = (found["type"], clean(found["message"]))
    return Outcome(clean(done.stdout.decode("utf-8", "replace")),
                   clean(done.stderr.decode("utf-8", "replace")), exception,
                   done.returncode)
