"""ops_table.py - Writes docs/ops.md from what `berth ops --json` says.

    ops_table.py [--check] BERTH docs/ops.md

--check writes nothing: the exit status is 1 when the page is not current.
`cmake --build build/release --target ops_table` writes it. Standard library
only.
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = """\
# Ops

Berth knows every op of TensorFlow 2.21, but for those of TPUs, of XLA and of oneDNN's rewriting:
all can be built, imported, exported and placed as TensorFlow places them. Those in the table
below have a kernel and can be run; a run that needs another one fails and names it.

| | ops |
| --- | --- |
| known | {known} |
| with a CPU kernel in Berth | {berth_cpu} |
| with a GPU kernel in Berth | {berth_gpu} |
| with a rule for gradients | {rules} |
| without a kernel in Berth | {without} |
| of these with a CPU kernel in TensorFlow | {tensorflow_cpu} |
| and with a GPU kernel in TensorFlow | {tensorflow_gpu} |

`berth ops` lists all of them, and `berth ops NAME` has the rest: inputs, outputs, attributes,
and the types that TensorFlow registers. [Add an op](howto/add-an-op.md) says how to fill a gap.

`cmake --build build/release --target ops_table` writes this page.

An op placed on a GPU whose values are the host's there (`host`) is run by the CPU's kernel. Under
"gradient", `none` is an op that there is no slope through, as through comparisons; `–` is one
without a rule, whose gradient is an error as long as no program registers one.

| op | Berth, CPU | Berth, GPU | gradient | TensorFlow, CPU | TensorFlow, GPU |
| --- | --- | --- | --- | --- | --- |
{rows}
"""


def read_ops(program):
    """Returns the ops as |program| tells them."""
    run = subprocess.run([program, "ops", "--json"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)["ops"]


def read_rules():
    """Returns the rules of gradients that ops.def names, by ops; "none" where there is no slope."""
    rules, op = {}, None
    for line in (ROOT / "src/op/ops.def").read_text().splitlines():
        words = line.split()
        if line.startswith("op "):
            op = words[1]
        elif words[:1] == ["grad"] and line.startswith("  "):
            rules[op] = words[1]
    return rules


def say(is_so):
    """Returns a cell."""
    return "yes" if is_so else "–"


def row(op, rule):
    """Returns the line of one op, whose gradient has |rule|."""
    on_host = op["berth_cpu"] and op["tensorflow_gpu"] and not op["berth_gpu"]
    gpu = "host" if on_host else say(op["berth_gpu"])
    gradient = rule if rule == "none" else say(rule)
    cells = (say(op["berth_cpu"]), gpu, gradient, say(op["tensorflow_cpu"]), say(op["tensorflow_gpu"]))
    return " | ".join([f"| {op['name']}", *cells]) + " |"


def page(ops):
    """Returns the whole page."""
    run = [op for op in ops if op["berth_cpu"] or op["berth_gpu"]]
    known = [op for op in ops if op not in run]
    rules = read_rules()
    return PAGE.format(
        known=len(ops),
        berth_cpu=sum(op["berth_cpu"] for op in ops),
        berth_gpu=sum(op["berth_gpu"] for op in ops),
        rules=sum(rule != "none" for rule in rules.values()),
        without=len(known),
        tensorflow_cpu=sum(op["tensorflow_cpu"] for op in known),
        tensorflow_gpu=sum(op["tensorflow_gpu"] for op in known),
        rows="\n".join(row(op, rules.get(op["name"])) for op in run),
    )


def main(args):
    check = args[:1] == ["--check"]
    program, path = args[check:]
    path = pathlib.Path(path)
    text = page(read_ops(program))
    if not check:
        path.write_text(text, encoding="utf-8")
    elif path.read_text(encoding="utf-8") != text:
        print(f"{path} is not current: build the target ops_table")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
