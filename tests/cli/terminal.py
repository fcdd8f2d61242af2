"""terminal.py - Colour and progress appear on a terminal only.

    terminal.py BERTH
"""

import os
import pathlib
import pty
import subprocess
import sys

GRAPHS = pathlib.Path(__file__).resolve().parent / "graphs"


def on_terminal(command, **variables):
    """Returns all that |command| prints on a terminal of its own."""
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("NO_COLOR", "TERM")}
    environment["TERM"] = "xterm"
    environment.update(variables)
    main, other = pty.openpty()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=other,
                          stderr=other, env=environment) as process:
        os.close(other)
        output = b""
        while True:
            try:
                piece = os.read(main, 4096)
            except OSError:  # The other end is gone.
                break
            if not piece:
                break
            output += piece
        os.close(main)
        process.wait()
    return output.decode()


def main():
    berth = sys.argv[1]
    failures = []

    def expect(what, condition, output):
        if not condition:
            failures.append(f"{what}: {output!r}")

    output = on_terminal([berth, "devices"])
    expect("the heading is bold", output.startswith("\033[1mNAME"), output)
    expect("and ends", "DESCRIPTION\033[0m" in output, output)
    output = on_terminal([berth, "devices"], NO_COLOR="1")
    expect("NO_COLOR is respected", "\033" not in output, output)
    output = on_terminal([berth, "devices"], NO_COLOR="")
    expect("an empty NO_COLOR says nothing", "\033[1m" in output, output)
    output = on_terminal([berth, "devices"], TERM="dumb")
    expect("a dumb terminal has no colour", "\033" not in output, output)
    output = on_terminal([berth, "fly"])
    expect("errors stand out", "\033[31mberth:\033[0m there" in output, output)
    output = on_terminal([berth, "run", "--help"])
    expect("headings stand out", "\033[1mUsage:\033[0m" in output, output)
    graph = str(GRAPHS / "log_placement.pb")
    output = on_terminal([berth, "run", graph, "--fetch", "MatMul"])
    expect("progress is shown", "reading the graph" in output, output)
    expect("and taken away", "\r\033[K" in output, output)
    run = subprocess.run([berth, "run", graph, "--fetch", "MatMul"],
                         capture_output=True, text=True, timeout=60)
    expect("none in a pipe", run.stderr == "" and "\033" not in run.stdout,
           run.stderr + run.stdout)

    for failure in failures:
        print("FAILED", failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
