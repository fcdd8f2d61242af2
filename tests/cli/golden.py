"""golden.py - Replays recorded sessions of the command line.

    golden.py [--update] BERTH CASE...

A case is a transcript: each line that begins with "$ " is a command for sh, run
in one empty folder per case with the files of tests/cli/graphs in it; what
follows is all that the command prints, stdout and stderr as they come, and
"[exit N]" where N is not 0. match.py has the wildcards.

--update writes what the commands print now. Outputs that still match keep their
wildcards. `cmake --build build/dev --target update_cli` does it for all.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import match  # noqa: E402


def read_case(path):
    """Yields comment lines, and commands with their output."""
    command, output = None, []
    for line in path.read_text().splitlines(keepends=True):
        if line.startswith(("$ ", "# ")):
            if command is not None:
                yield command, "".join(output)
            command, output = None, []
            if line.startswith("$ "):
                command = line[2:].rstrip("\n")
            else:
                yield None, line
        elif command is None:
            yield None, line
        else:
            output.append(line)
    if command is not None:
        yield command, "".join(output)


def run_command(command, folder, environment):
    run = subprocess.run(["sh", "-c", command], cwd=folder, env=environment,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, timeout=120)
    text = run.stdout.decode(errors="replace")
    if text and not text.endswith("\n"):
        text += "\n"
    if run.returncode != 0:
        text += f"[exit {run.returncode}]\n"
    return text


def replay(path, berth, update):
    """Returns the differences of one case; rewrites it with |update|."""
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(("BERTH_", "TF_"))}
    environment["PATH"] = f"{berth.parent}:{environment['PATH']}"
    environment["LC_ALL"] = "C"
    # The cases are those of a machine without a GPU, but for simulated ones.
    environment.pop("CUDA_DEVICE_ORDER", None)
    environment["CUDA_VISIBLE_DEVICES"] = ""
    problems, lines = "", []
    with tempfile.TemporaryDirectory() as folder:
        environment["BERTH_SIMULATE_LEDGER"] = f"{folder}/.ledger"
        simulated = dict(environment)
        del simulated["CUDA_VISIBLE_DEVICES"]
        for file in (HERE / "graphs").iterdir():
            shutil.copy(file, folder)
        for command, expected in read_case(path):
            if command is None:
                lines.append(expected)
                continue
            # Blank lines in front of the next command are layout.
            body = expected.rstrip("\n") + "\n" if expected.strip() else ""
            found = run_command(
                command, folder,
                simulated if "--simulate" in command else environment)
            problem = match.differences(f"$ {command}", body, found)
            problems += problem
            lines.append(f"$ {command}\n{found if problem else body}\n")
    if update:
        path.write_text("".join(lines).rstrip("\n") + "\n")
    return problems


def main():
    arguments = sys.argv[1:]
    update = arguments[0] == "--update"
    if update:
        arguments = arguments[1:]
    berth = pathlib.Path(arguments[0]).resolve()
    problems = ""
    for case in arguments[1:]:
        problems += replay(pathlib.Path(case), berth, update)
    if update:
        return 0
    sys.stderr.write(problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
