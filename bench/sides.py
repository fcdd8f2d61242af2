"""The programs that measure, as the driver sees them."""

import os
import subprocess
from dataclasses import dataclass, field


class SideError(Exception):
    """A side could not do what it was asked."""


@dataclass
class Side:
    """One measuring program, kept alive and pinned to |cores|.

    It is started when it is first asked something.
    """
    peer: str
    command: list[str]
    cores: set[int]
    env: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[str] | None = None

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env={**os.environ, **self.env},
            preexec_fn=lambda: os.sched_setaffinity(0, self.cores))

    def ask(self, request: str) -> list[str]:
        """Sends one request and returns the words of the answer."""
        if self.process is None:
            self.process = self.start()
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        try:
            stdin.write(request + "\n")
            stdin.flush()
            line = stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.close()
            raise SideError(f"{self.peer} ended at `{request}`")
        verdict, _, text = line.strip().partition(" ")
        if verdict != "ok":
            raise SideError(f"{self.peer}: {text}")
        return text.split()

    def run(self, bench: str, seconds: float) -> float:
        """Measures |bench| for |seconds| and returns the time of a call."""
        return float(self.ask(f"run {bench} {seconds}")[0])

    def close(self) -> None:
        """Ends the program; it may be started again."""
        if self.process is None:
            return
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()
        self.process = None


def launch(launcher: str, command: list[str], cores: set[int]) -> tuple[
        float, float, str]:
    """Runs |command| as a process of its own.

    Returns its seconds, its peak memory in MB and what it printed.
    """
    done = subprocess.run(
        [launcher, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    if done.returncode != 0:
        raise SideError(f"{command[0]} failed: {done.stderr.strip()[-300:]}")
    lines = done.stdout.splitlines()
    seconds, kibibytes = lines[-1].split()
    return float(seconds), float(kibibytes) * 1.024e-3, "\n".join(lines[:-1])
