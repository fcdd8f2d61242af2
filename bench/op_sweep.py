"""op_sweep.py - What ops of every family cost in eager calls, beside TensorFlow.

    op_sweep.py berth=PYTHON tensorflow=PYTHON [--rounds N] [--only TEXT] [--sizes small,large]
                [--cores 1|2] [--below RATIO] [--json FILE]
    op_sweep.py side LIBRARY CORES

The first form runs a process of each library on the same cores, asks them in turn for slices of
every call of op_sweep_cases.py, op_sweep_elements.py and op_sweep_heavy.py, and prints the least
time of a call on both sides with the ratio, worst first: over 1 Berth is faster. On one core it is
the CPU time of the process, which others on the machine lengthen least, on two it is the time that
passes.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import op_sweep_cases
import op_sweep_elements
import op_sweep_heavy

# A slice of one call takes about so long, but is one call at least.
SLICE_SECONDS = 0.01


# ---- The words of operands ----

def words(tf: Any) -> dict[str, Any]:
    """What the operands of op_sweep_cases.py may say."""
    import numpy as np
    random = np.random.RandomState(7)

    def text(count: int) -> Any:
        return tf.constant(np.array([b"word %d " % (i * 7919 % 1000) for i in range(count)]))

    def example(count: int) -> Any:
        feature = lambda field, inner: bytes([10, len(field) + len(inner) + 4, 10, len(field)]) + field + bytes([18, len(inner)]) + inner
        floats = b"\x12\x12\x0a\x10" + np.arange(4, dtype="float32").tobytes()
        one = feature(b"a", floats) + feature(b"b", b"\x1a\x03\x0a\x01\x05") + feature(b"c", b"\x0a\x05\x0a\x03xyz")
        return tf.constant(np.array([bytes([10, len(one)]) + one] * count))

    def sparse(shape: Any) -> Any:
        dense = random.rand(*shape).astype("float32")
        return tf.sparse.from_dense(np.where(random.rand(*shape) < 0.1, dense, 0).astype("float32"))

    def smooth(size: int) -> Any:
        y, x = np.mgrid[0:size, 0:size]
        return tf.constant(np.stack([(y + x) % 256, y % 256, (x * y // 64) % 256], -1).astype("uint8"))

    def table() -> Any:
        keys = np.arange(100, dtype="int64")
        pair = tf.lookup.KeyValueTensorInitializer(keys, keys.astype("float32"))
        return tf.lookup.StaticHashTable(pair, -1.0)

    def vocabulary() -> Any:
        keys = tf.constant([b"word %d " % i for i in range(900)])
        pair = tf.lookup.KeyValueTensorInitializer(keys, np.arange(900))
        return tf.lookup.StaticHashTable(pair, -1)

    folder = tempfile.mkdtemp()

    def save(x: Any) -> str:
        tf.raw_ops.SaveV2(prefix=folder + "/x", tensor_names=["x"], shape_and_slices=[""], tensors=[x])
        return folder + "/x"

    def array(dtype: str, most: float) -> Any:
        return lambda shape: (random.rand(*shape) * most).astype(dtype)

    def of(kind: str, shape: Any) -> Any:
        most = 1 if kind[0] in "fhbc" else 100
        return tf.cast(tf.constant(random.rand(*shape) * most), "float16" if kind == "half" else kind)

    return {
        "of": of, "tf": tf, "np": np, "text": text, "example": example, "sparse": sparse, "smooth": smooth,
        "table": table, "words": vocabulary, "save": save, "f": array("float32", 1), "d": array("float64", 1),
        "h": array("float16", 1), "i32": array("int32", 1000), "i64": array("int64", 1000),
        "u8": array("uint8", 256), "b": lambda shape: random.rand(*shape) < 0.5,
        "i8": array("int8", 100), "bf": lambda shape: of("bfloat16", shape),
        "c": lambda shape: (random.rand(*shape) + 1j * random.rand(*shape)).astype("complex64"),
        "at": lambda shape, most: random.randint(0, most, shape).astype("int32"),
    }


# ---- One library ----

class Side:
    """A library in this process: it makes operands and times calls."""

    def __init__(self, library: str, cores: int) -> None:
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        if library == "berth":
            import berth as tf
        else:
            import tensorflow as tf
        tf.config.threading.set_intra_op_parallelism_threads(cores)
        tf.config.threading.set_inter_op_parallelism_threads(cores)
        self.tf, self.call = tf, None
        self.now = time.process_time if cores == 1 else time.perf_counter

    def make(self, operands: str, call: str, size: dict[str, Any]) -> None:
        """Makes the operands of a call, tensors of arrays, and calls it once."""
        self.call = None
        names = words(self.tf)
        names.update(size)
        import numpy as np
        for line in filter(None, operands.split("; ")):
            exec(line, names)
            name = line.split("=")[0]
            if name.isidentifier() and isinstance(names[name], np.ndarray):
                names[name] = self.tf.constant(names[name])
        self.call = eval("lambda: " + call, names)
        self.call()

    def time(self, count: int) -> float:
        """Seconds of one of |count| calls."""
        call, begin = self.call, self.now()
        for _ in range(count):
            call()
        return (self.now() - begin) / count


def serve(library: str, cores: int) -> None:
    """Answers requests, one line of JSON each."""
    side = Side(library, cores)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "call" in request:
                side.make(request["operands"], request["call"], request["size"])
                answer: Any = side.time(1)
            else:
                answer = side.time(request["count"])
        except Exception as error:  # What one library lacks is told, not timed.
            answer = f"{type(error).__name__}: {error}"[:200]
        print(json.dumps(answer), flush=True)


# ---- Both ----

class Peer:
    """The process of a library."""

    def __init__(self, library: str, python: str, cores: int) -> None:
        pinned = ["taskset", "-c", "1" if cores == 1 else "0,1"]
        command = [*pinned, python, __file__, "side", library, str(cores)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)

    def ask(self, **request: Any) -> Any:
        """The answer to a request."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def measure(peers: list[Peer], case: dict[str, Any], rounds: int) -> Any:
    """The least seconds of a call of each peer, or what went wrong."""
    first = [peer.ask(**case) for peer in peers]
    for answer in first:
        if isinstance(answer, str):
            return answer
    best = [math.inf for _ in peers]
    for _ in range(rounds):
        for i, peer in enumerate(peers):
            guess = min(first[i], best[i])
            count = max(1, min(2000, int(SLICE_SECONDS / max(guess, 1e-7))))
            best[i] = min(best[i], peer.ask(count=count))
    return best


def cases(only: str, sizes: list[str]) -> list[tuple[str, dict[str, Any]]]:
    """Every case in every size that it has."""
    found = []
    every = op_sweep_cases.CASES + op_sweep_elements.CASES + op_sweep_heavy.CASES
    for family, operands, call in every:
        both = operands + " " + call
        grows = any(name in both.replace("(", " ").replace("[", " ").replace("*", " ")
                    .replace(",", " ").replace(")", " ").replace("]", " ").split()
                    for name in "SIVRNL")
        for size in sizes if grows else sizes[-1:]:
            name = f"{family} {size} {call} of {operands}"
            if only in name:
                request = {"operands": operands, "call": call, "size": op_sweep_cases.SIZES[size]}
                found.append((name, request))
    return found


def option(name: str, default: str) -> str:
    """What follows an option."""
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def main() -> None:
    """Measures everything and prints the table."""
    if sys.argv[1] == "side":
        serve(sys.argv[2], int(sys.argv[3]))
        return
    pythons = dict(word.split("=") for word in sys.argv[1:3])
    cores = int(option("--cores", "1"))
    peers = [Peer(library, pythons[library], cores) for library in ("berth", "tensorflow")]
    rows = []
    for name, request in cases(option("--only", ""), option("--sizes", "small,medium,large").split(",")):
        best = measure(peers, request, int(option("--rounds", "5")))
        if isinstance(best, str):
            print("FAILED", name, best, flush=True)
            continue
        rows.append({"call": name, "berth": best[0], "tensorflow": best[1], "ratio": best[1] / best[0]})
        print(f"{rows[-1]['ratio']:8.2f} {name}", file=sys.stderr, flush=True)
    rows.sort(key=lambda row: row["ratio"])
    for row in rows:
        if row["ratio"] < float(option("--below", "inf")):
            print(f"{row['ratio']:8.2f} {row['berth'] * 1e6:12.1f} {row['tensorflow'] * 1e6:12.1f} us  {row['call']}")
    if "--json" in sys.argv:
        with open(option("--json", ""), "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
