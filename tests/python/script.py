"""script.py - Runs pieces of Python in processes of their own, for tests."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import oracle

# Guards against hanging, not against being slow: sanitizers take their time.
TIMEOUT_SECONDS = 400
# What sanitizers write when they find something; not all of them end the process.
ALARMS = ("WARNING: ThreadSanitizer", "ERROR: AddressSanitizer", ": runtime error: ")


def environment(mode: str = "1") -> dict[str, str]:
    """The environment of a script that is written for TF1, or for TF2."""
    return oracle.base_environment() | {"BERTH_TF": mode, "CUDA_VISIBLE_DEVICES": ""}


def check_stderr(text: str) -> None:
    """Fails where a sanitizer has something to say."""
    for alarm in ALARMS:
        assert alarm not in text, text[-8000:]


def start(code: str, mode: str = "1", **settings: str) -> subprocess.Popen[str]:
    """Starts a script, with |settings| in its environment, whose first line of output says that it is ready."""
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], text=True,
                               env=environment(mode) | settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.communicate()[1][-3000:]
    return process


def finish(process: subprocess.Popen[str]) -> str:
    """Waits for a script and returns the rest of what it printed."""
    try:
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    finally:
        process.kill()
    check_stderr(err)
    assert process.returncode == 0, err[-3000:]
    return out


def run(code: str, mode: str = "1", **settings: str) -> str:
    """Runs a script, with |settings| in its environment, and returns what it printed."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True,
                          env=environment(mode) | settings, timeout=TIMEOUT_SECONDS)
    check_stderr(done.stderr)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
