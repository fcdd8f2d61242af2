"""eager_ops.py - What common eager calls cost, beside TensorFlow and PyTorch.

    eager_ops.py berth=PYTHON tensorflow=PYTHON [torch=PYTHON] [--rounds N] [--only TEXT]
                 [--device NAME] [--json FILE]
    eager_ops.py side LIBRARY [DEVICE]

The first form runs a process of each library, asks them in turn for rounds of every call, and
prints the medians: microseconds of each, how many times Berth's speed TensorFlow has not, and the
geometric means. Every call is made outside and inside of a device scope. Operands are small: what
is measured is everything around the arithmetic. On a GPU calls are only queued: a round ends with
a wait that is not counted.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
import time
from typing import Any

# A round of one call takes about so long.
ROUND_SECONDS = 0.02

# (name, Berth and TensorFlow, PyTorch, kind). Of the second kind are slices, constants and
# conversions of lists.
CALLS = [
    ("matmul", "tf.matmul(a, b)", "torch.matmul(a, b)", 1),
    ("matmul transposed", "tf.matmul(a, b, transpose_b=True)", "torch.matmul(a, b.t())", 1),
    ("a @ b", "a @ b", "a @ b", 1),
    ("batch matmul", "tf.matmul(t, t)", "torch.matmul(t, t)", 1),
    ("add", "tf.add(a, b)", "torch.add(a, b)", 1),
    ("a + b", "a + b", "a + b", 1),
    ("a + 1.0", "a + 1.0", "a + 1.0", 1),
    ("2.0 * a", "2.0 * a", "2.0 * a", 1),
    ("a - b", "a - b", "a - b", 1),
    ("a / b", "a / b", "a / b", 1),
    ("a ** 2", "a ** 2", "a ** 2", 1),
    ("-a", "-a", "-a", 1),
    ("a > b", "a > b", "a > b", 1),
    ("a == b", "a == b", "a == b", 1),
    ("abs(a)", "abs(a)", "abs(a)", 1),
    ("multiply", "tf.multiply(a, b)", "torch.multiply(a, b)", 1),
    ("multiply number", "tf.multiply(a, 0.5)", "torch.multiply(a, 0.5)", 1),
    ("maximum", "tf.maximum(a, b)", "torch.maximum(a, b)", 1),
    ("relu", "tf.nn.relu(a)", "torch.relu(a)", 1),
    ("sigmoid", "tf.sigmoid(a)", "torch.sigmoid(a)", 1),
    ("tanh", "tf.tanh(a)", "torch.tanh(a)", 1),
    ("exp", "tf.exp(a)", "torch.exp(a)", 1),
    ("sqrt", "tf.sqrt(a)", "torch.sqrt(a)", 1),
    ("square", "tf.square(a)", "torch.square(a)", 1),
    ("softmax", "tf.nn.softmax(a)", "torch.softmax(a, -1)", 1),
    ("leaky_relu", "tf.nn.leaky_relu(a, alpha=0.1)", "F.leaky_relu(a, 0.1)", 1),
    ("bias_add", "tf.nn.bias_add(a, r)", "torch.add(a, r)", 1),
    ("clip_by_value", "tf.clip_by_value(a, 0.0, 1.0)", "torch.clamp(a, 0.0, 1.0)", 1),
    ("cast", "tf.cast(a, tf.int32)", "a.to(torch.int32)", 1),
    ("reduce_sum", "tf.reduce_sum(a)", "torch.sum(a)", 1),
    ("reduce_sum axis", "tf.reduce_sum(a, axis=1)", "torch.sum(a, 1)", 1),
    ("reduce_mean axes", "tf.reduce_mean(a, axis=[0, 1], keepdims=True)", "torch.mean(a, (0, 1), True)", 1),
    ("reduce_max", "tf.reduce_max(a, 1)", "torch.amax(a, 1)", 1),
    ("argmax", "tf.argmax(a, 1)", "torch.argmax(a, 1)", 1),
    ("reshape", "tf.reshape(a, [2, 8])", "torch.reshape(a, [2, 8])", 1),
    ("reshape -1", "tf.reshape(a, (-1,))", "torch.reshape(a, (-1,))", 1),
    ("transpose", "tf.transpose(a)", "torch.transpose(a, 0, 1)", 1),
    ("transpose perm", "tf.transpose(t, [0, 2, 1])", "torch.permute(t, [0, 2, 1])", 1),
    ("expand_dims", "tf.expand_dims(a, 0)", "torch.unsqueeze(a, 0)", 1),
    ("squeeze", "tf.squeeze(s)", "torch.squeeze(s)", 1),
    ("concat", "tf.concat([a, b], 0)", "torch.cat([a, b], 0)", 1),
    ("concat axis", "tf.concat([a, b], axis=-1)", "torch.cat([a, b], dim=-1)", 1),
    ("stack", "tf.stack([a, b])", "torch.stack([a, b])", 1),
    ("unstack", "tf.unstack(a)", "torch.unbind(a)", 1),
    ("split", "tf.split(a, 2, axis=1)", "torch.split(a, 2, dim=1)", 1),
    ("tile", "tf.tile(a, [2, 1])", "torch.tile(a, [2, 1])", 1),
    ("gather", "tf.gather(a, i)", "torch.index_select(a, 0, i)", 1),
    ("where", "tf.where(m, a, b)", "torch.where(m, a, b)", 1),
    ("one_hot", "tf.one_hot(i, 4)", "F.one_hot(i, 4)", 1),
    ("pad", "tf.pad(a, [[1, 1], [0, 0]])", "F.pad(a, (0, 0, 1, 1))", 1),
    ("logical_and", "tf.logical_and(m, m)", "torch.logical_and(m, m)", 1),
    ("equal", "tf.equal(i, i)", "torch.eq(i, i)", 1),
    ("identity", "tf.identity(a)", "a.clone()", 1),
    ("shape", "tf.shape(a)", "a.shape", 1),
    ("zeros_like", "tf.zeros_like(a)", "torch.zeros_like(a)", 1),
    ("ones_like", "tf.ones_like(a)", "torch.ones_like(a)", 1),
    ("zeros", "tf.zeros([4, 4])", "torch.zeros([4, 4])", 1),
    ("ones", "tf.ones([4, 4])", "torch.ones([4, 4])", 1),
    ("fill", "tf.fill([4, 4], 1.5)", "torch.full([4, 4], 1.5)", 1),
    ("range", "tf.range(10)", "torch.arange(10)", 1),
    ("variable + a", "v + a", "v + a", 1),
    ("matmul variable", "tf.matmul(a, v)", "torch.matmul(a, v)", 1),
    ("assign", "v.assign(a)", "v.copy_(a)", 1),
    ("assign_add", "v.assign_add(z)", "v.add_(z)", 1),
    ("einsum", "tf.einsum('ij,jk->ik', a, b)", "torch.einsum('ij,jk->ik', a, b)", 1),
    ("a[0]", "a[0]", "a[0]", 2),
    ("a[1:3]", "a[1:3]", "a[1:3]", 2),
    ("a[:, 1]", "a[:, 1]", "a[:, 1]", 2),
    ("a[..., ::2]", "a[..., ::2]", "a[..., ::2]", 2),
    ("a[0, 1]", "a[0, 1]", "a[0, 1]", 2),
    ("constant number", "tf.constant(1.5)", "torch.tensor(1.5)", 2),
    ("constant list", "tf.constant([1.0, 2.0, 3.0])", "torch.tensor([1.0, 2.0, 3.0])", 2),
    ("constant nested", "tf.constant([[1, 2], [3, 4]])", "torch.tensor([[1, 2], [3, 4]])", 2),
    ("constant typed", "tf.constant([1, 2, 3], dtype=tf.float32)",
     "torch.tensor([1, 2, 3], dtype=torch.float32)", 2),
    ("convert list", "tf.convert_to_tensor([1.0, 2.0])", "torch.as_tensor([1.0, 2.0])", 2),
    ("convert array", "tf.convert_to_tensor(n)", "torch.as_tensor(n)", 2),
    ("add list", "tf.add(r, [1.0, 2.0, 3.0, 4.0])", "torch.add(r, torch.tensor([1.0, 2.0, 3.0, 4.0]))", 2),
]

TENSORFLOW = """
import numpy
n = numpy.arange(4, dtype='float32')
a = tf.constant(numpy.arange(16, dtype='float32').reshape(4, 4) / 16)
b = tf.constant(numpy.arange(16, dtype='float32').reshape(4, 4)[::-1] / 8 + 1)
r, s, z = a[0], tf.reshape(a, [1, 4, 1, 4]), tf.zeros([4, 4])
t, m, i = tf.reshape(a, [2, 2, 4])[:, :, :2], a > b / 2, tf.constant([0, 2, 1])
v = tf.Variable(b)
"""
TORCH = """
import numpy
n = numpy.arange(4, dtype='float32')
a = torch.tensor(numpy.arange(16, dtype='float32').reshape(4, 4) / 16)
b = torch.tensor(numpy.arange(16, dtype='float32').reshape(4, 4)[::-1] / 8 + 1)
r, s, z = a[0], a.reshape(1, 4, 1, 4), torch.zeros(4, 4)
t, m, i = a.reshape(2, 2, 4)[:, :, :2].contiguous(), a > b / 2, torch.tensor([0, 2, 1])
v = b.clone()
"""


# ---- One library ----

class Side:
    """A library in this process, with its operands and a function for each call."""

    def __init__(self, library: str, device: str) -> None:
        self.names: dict[str, Any] = {}
        self.device, self.is_torch = device, library == "torch"
        # On the host, the time of this thread alone, which other processes do not lengthen.
        self.now = time.thread_time if "cpu" in device else time.perf_counter
        if self.is_torch:
            import torch
            torch.set_grad_enabled(False)
            torch.set_num_threads(1)
            torch.set_default_device(device)
            self.names.update(torch=torch, F=torch.nn.functional)
            self.scope = lambda: torch.device(device)
        else:
            if library == "berth":
                import berth as tf
            else:
                import tensorflow as tf
            self.names["tf"] = tf
            self.scope = lambda: tf.device(device)
        with self.scope():
            exec(TORCH if self.is_torch else TENSORFLOW, self.names)

    def loop(self, call: str) -> Any:
        """Makes a function that makes a call so many times and returns how long that took."""
        exec(f"def loop(count, now):\n begin = now()\n for _ in range(count): {call}\n return now() - begin",
             self.names)
        return self.names["loop"]

    def wait(self) -> None:
        """Waits for what was queued."""
        if self.is_torch and self.device.startswith("cuda"):
            self.names["torch"].cuda.synchronize()
        elif not self.is_torch:
            self.names["a"].numpy()

    def round(self, index: int, is_inside: bool) -> float:
        """Returns the seconds of one call, of a round of them."""
        name, ours, theirs, _ = CALLS[index]
        loop = self.loop(theirs if self.is_torch else ours)

        def measure() -> float:
            loop(20, self.now)
            once = loop(100, self.now) / 100
            count = max(100, int(ROUND_SECONDS / once))
            seconds = loop(count, self.now) / count
            self.wait()
            return seconds
        if not is_inside:
            return measure()
        with self.scope():
            return measure()


def serve(library: str, device: str) -> None:
    """Answers requests `INDEX INSIDE` with seconds, until there are no more."""
    side = Side(library, device)
    print("ready", flush=True)
    for line in sys.stdin:
        index, is_inside = line.split()
        print(side.round(int(index), is_inside == "1"), flush=True)


# ---- All of them ----

def geometric_mean(values: list[float]) -> float:
    """Returns the mean that ratios have."""
    return math.exp(statistics.fmean(math.log(v) for v in values))


class Table:
    """The seconds of every call, by library."""

    def __init__(self, sides: dict[str, str], device: str) -> None:
        self.libraries = list(sides)
        self.processes = {}
        for library, python in sides.items():
            there = device if library != "torch" else "cuda:0" if "GPU" in device.upper() else "cpu"
            process = subprocess.Popen([python, __file__, "side", library, there], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
            self.processes[library] = process
        for library, process in self.processes.items():
            if process.stdout.readline() != "ready\n":
                sys.exit(f"eager_ops.py: the process of {library} ended")
        self.seconds: dict[tuple[int, int, str], list[float]] = {}

    def measure(self, index: int, is_inside: int) -> None:
        """Asks every library for one round of a call."""
        for library, process in self.processes.items():
            process.stdin.write(f"{index} {is_inside}\n")
            process.stdin.flush()
            self.seconds.setdefault((index, is_inside, library), []).append(float(process.stdout.readline()))

    def row(self, index: int, is_inside: int) -> list[float]:
        """Returns the microseconds of a call by library."""
        return [1e6 * statistics.median(self.seconds[index, is_inside, library]) for library in self.libraries]


def report(table: Table, indices: list[int]) -> list[dict[str, Any]]:
    """Prints the table; returns its rows."""
    print(f"{'us a call':28}" + "".join(f"{library:>12}" for library in table.libraries) + "   times  missed")
    rows = []
    for is_inside in (0, 1):
        for index in indices:
            name, _, _, kind = CALLS[index]
            found = table.row(index, is_inside)
            times = found[1] / found[0] if len(found) > 1 else math.nan
            missed = ("slow " if found[0] > (1.5 if kind == 1 else 3.0) else "") + ("ratio" if times < 8 else "")
            name = f"{name}{' in a scope' if is_inside else ''}"
            print(f"{name:28}" + "".join(f"{us:12.2f}" for us in found) + f"{times:8.1f}  {missed}")
            rows.append({"call": name, "kind": kind, **dict(zip(table.libraries, found))})
    means = [geometric_mean([row[library] for row in rows]) for library in table.libraries]
    print(f"{'geometric mean':28}" + "".join(f"{us:12.2f}" for us in means))
    return rows


def main(arguments: list[str]) -> None:
    """Measures what the arguments ask for."""
    options = {"--rounds": "5", "--only": "", "--device": "/cpu:0", "--json": ""}
    sides: dict[str, str] = {}
    while arguments:
        argument = arguments.pop(0)
        if argument in options:
            options[argument] = arguments.pop(0)
        else:
            library, _, python = argument.partition("=")
            sides[library] = python
    indices = [i for i, call in enumerate(CALLS) if options["--only"] in call[0]]
    table = Table(sides, options["--device"])
    for _ in range(int(options["--rounds"])):
        for index in indices:
            for is_inside in (0, 1):
                table.measure(index, is_inside)
    rows = report(table, indices)
    if options["--json"]:
        with open(options["--json"], "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__" and sys.argv[1:2] == ["side"]:
    serve(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "/cpu:0")
elif __name__ == "__main__":
    main(sys.argv[1:])
