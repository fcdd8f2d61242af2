"""gpu_kernels.py - Kernels on a GPU beside torch: microseconds of each, recorded and replayed.

    python bench/gpu_kernels.py                 both sides, each in a process of its own, in turns
    python bench/gpu_kernels.py --side berth    one of them: a line of JSON
    python bench/gpu_kernels.py --only conv     rows whose names begin so

A row is several calls of one op in a function (Berth) or a graph (torch), one after the other; the time is
that of the whole, the best of a few, divided by their number. Berth would do the same op once, and is told not
to (BERTH_TWINS=0). Convolutions are those of ResNet50 with images of 224 by 224 in batches of 64, channels
last; torch times its algorithms (cudnn.benchmark).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

CALLS, ROUNDS = 20, 5

# Height, channels, out channels, window, stride; padding is half the window at each end.
CONVS = [(224, 3, 64, 7, 2), (56, 64, 64, 1, 1), (56, 64, 64, 3, 1), (56, 64, 256, 1, 1), (56, 256, 64, 1, 1),
         (56, 256, 128, 1, 1), (56, 128, 128, 3, 2), (28, 128, 512, 1, 1), (56, 256, 512, 1, 2), (28, 512, 128, 1, 1),
         (28, 128, 128, 3, 1), (28, 512, 256, 1, 1), (28, 256, 256, 3, 2), (14, 256, 1024, 1, 1),
         (28, 512, 1024, 1, 2), (14, 1024, 256, 1, 1), (14, 256, 256, 3, 1), (14, 1024, 512, 1, 1),
         (14, 512, 512, 3, 2), (7, 512, 2048, 1, 1), (14, 1024, 2048, 1, 2), (7, 2048, 512, 1, 1), (7, 512, 512, 3, 1)]
ROWS = {"softmax_65536x1000": (65536, 1000), "softmax_65536x1024": (65536, 1024), "softmax_8192x8192": (8192, 8192),
        "sum_rows_128": (1 << 19, 128), "sum_rows_1000": (1 << 16, 1000), "sum_rows_16": (1 << 22, 16),
        "sum_columns_128": (1 << 19, 128), "argmax_rows_128": (1 << 19, 128), "argmax_rows_1000": (1 << 16, 1000),
        "sum_rows_100": (1 << 19, 100), "max_rows_64": (1 << 20, 64), "top_k_8_of_1000": (4096, 1000),
        "gather_nd_64": (1 << 20, 64), "scatter_add_64": (1 << 20, 64), "segment_sum_64": (1 << 20, 64),
        "cumsum_rows_1024": (1 << 16, 1024), "cumsum_columns_1024": (1 << 16, 1024), "clip_64M": (1 << 16, 1024),
        "asin_64M": (1 << 16, 1024), "lgamma_64M": (1 << 16, 1024), "copy_64M": (1 << 16, 1024), "relu_chain_1M": (1 << 10, 1024), "relu_chain_64M": (1 << 16, 1024)}
MATMUL = "matmul_8192_chain"


def names() -> list[str]:
    """Every row."""
    convs = [f"conv_{dtype}_{'_'.join(map(str, conv))}" for dtype in ("bfloat16", "float32") for conv in CONVS]
    return [*ROWS, MATMUL, *convs]


def relu_chain(x: Any, relu: Callable[[Any], Any]) -> Any:
    """Sixty element-wise ops in a row."""
    for _ in range(20):
        x = relu(x * 1.01 + 0.01)
    return x


def conv_of(name: str) -> tuple[str, tuple[int, ...]]:
    """The type and the numbers of a convolution's row."""
    _, dtype, *numbers = name.split("_")
    return dtype, tuple(map(int, numbers))


# ---- Berth ----

def berth_work(name: str) -> Callable[[], Any]:
    """A function that does a row's calls, and waits."""
    import berth as tf

    def repeated(op: Callable[[], Any]) -> Callable[[], Any]:
        def body() -> Any:
            out = op()
            for _ in range(CALLS - 1):
                with tf.control_dependencies([out]):
                    out = op()
            return out
        return tf.function(body)

    if name == MATMUL:
        a, b = (tf.cast(tf.random.normal([8192, 8192]) * scale, tf.bfloat16) for scale in (1.0, 8192 ** -0.5))

        def chain() -> Any:
            out = a
            for _ in range(CALLS):
                out = tf.matmul(out, b)
            return out
        return tf.function(chain)
    if name in ROWS:
        x = tf.random.normal(ROWS[name])
        kind = name.rpartition("_")[0]
        rows = tf.random.uniform(ROWS[name][:1], 0, ROWS[name][0], tf.int32)
        ops = {"gather_nd": lambda: tf.gather_nd(x, rows[:, None]), "cumsum_rows": lambda: tf.cumsum(x, 1),
               "scatter_add": lambda: tf.tensor_scatter_nd_add(x, rows[:, None], x),
               "segment_sum": lambda: tf.math.unsorted_segment_sum(x, rows, ROWS[name][0]),
               "cumsum_columns": lambda: tf.cumsum(x, 0), "clip": lambda: tf.clip_by_value(x, -1.0, 1.0),
               "asin": lambda: tf.asin(x), "lgamma": lambda: tf.math.lgamma(x),
               "softmax": lambda: tf.nn.softmax(x), "sum_rows": lambda: tf.reduce_sum(x, 1),
               "sum_columns": lambda: tf.reduce_sum(x, 0), "argmax_rows": lambda: tf.argmax(x, 1),
               "max_rows": lambda: tf.reduce_max(x, 1), "top_k_8_of": lambda: tf.math.top_k(x, 8)[0],
               "copy": lambda: tf.negative(x), "relu_chain": lambda: relu_chain(x, tf.nn.relu)}
        return repeated(ops[kind])
    dtype, (size, channels, out_channels, window, stride) = conv_of(name)
    image = tf.cast(tf.random.normal([64, size, size, channels]), dtype)
    taps = tf.cast(tf.random.normal([window, window, channels, out_channels]) * 0.05, dtype)
    pads = [[0, 0], [window // 2] * 2, [window // 2] * 2, [0, 0]]
    return repeated(lambda: tf.nn.conv2d(image, taps, stride, pads))


def berth_wait(result: Any) -> None:
    """Waits until |result| is there."""
    import berth as tf

    tf.reshape(result, [-1])[:1].numpy()


# ---- torch ----

def torch_work(name: str) -> Callable[[], Any]:
    """The same as a recorded graph."""
    import torch

    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True

    def recorded(body: Callable[[], Any]) -> Callable[[], Any]:
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            body()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = body()
        return lambda: graph.replay() or kept

    if name == MATMUL:
        a, b = ((torch.randn(8192, 8192, device="cuda") * scale).bfloat16() for scale in (1.0, 8192 ** -0.5))

        def chain() -> Any:
            out = a
            for _ in range(CALLS):
                out = torch.mm(out, b)
            return out
        return recorded(chain)
    if name in ROWS:
        x = torch.randn(ROWS[name], device="cuda")
        kind = name.rpartition("_")[0]
        rows = torch.randint(0, ROWS[name][0], ROWS[name][:1], device="cuda")
        ops = {"gather_nd": lambda: x[rows], "scatter_add": lambda: x.index_add(0, rows, x),
               "segment_sum": lambda: torch.zeros_like(x).index_add_(0, rows, x),
               "cumsum_rows": lambda: x.cumsum(1), "cumsum_columns": lambda: x.cumsum(0),
               "clip": lambda: x.clamp(-1, 1), "asin": lambda: x.asin(), "lgamma": lambda: x.lgamma(),
               "softmax": lambda: torch.softmax(x, 1), "sum_rows": lambda: x.sum(1), "sum_columns": lambda: x.sum(0),
               "argmax_rows": lambda: x.argmax(1), "max_rows": lambda: x.amax(1),
               "top_k_8_of": lambda: x.topk(8, 1)[0], "copy": lambda: x.neg(),
               "relu_chain": lambda: relu_chain(x, torch.relu)}
        return recorded(lambda: [ops[kind]() for _ in range(CALLS)])
    dtype, (size, channels, out_channels, window, stride) = conv_of(name)
    kinds = {"device": "cuda", "dtype": getattr(torch, dtype)}
    image = torch.randn(64, channels, size, size, **kinds).to(memory_format=torch.channels_last)
    taps = (torch.randn(out_channels, channels, window, window, **kinds) * 0.05).to(memory_format=torch.channels_last)
    op = torch.nn.functional.conv2d
    return recorded(lambda: [op(image, taps, None, stride, window // 2) for _ in range(CALLS)])


def torch_wait(result: Any) -> None:
    """Waits until all is done."""
    import torch

    del result
    torch.cuda.synchronize()


# ---- Measuring ----

def measure(side: str, name: str) -> float:
    """Microseconds of one call."""
    work, wait = (berth_work(name), berth_wait) if side == "berth" else (torch_work(name), torch_wait)
    best = float("inf")
    for _ in range(ROUNDS):
        wait(work())  # What is queued before does not count.
        start = time.perf_counter()
        wait(work())
        best = min(best, time.perf_counter() - start)
    return best / CALLS * 1e6


def show(found: dict[str, dict[str, float]]) -> None:
    """A table of both sides."""
    print(f"| {'row':34} | {'Berth, us':>9} | {'torch, us':>9} | ratio |\n|---|---|---|---|")
    for name, row in found.items():
        print(f"| {name:34} | {row['berth']:9.1f} | {row['torch']:9.1f} | {row['berth'] / row['torch']:5.2f} |")


def main() -> int:
    """Measures what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", choices=("berth", "torch"))
    parser.add_argument("--only", default="")
    wanted = parser.parse_args()
    chosen = [name for name in names() if name.startswith(wanted.only)]
    if wanted.side:
        print(json.dumps({name: measure(wanted.side, name) for name in chosen}))
        return 0
    found: dict[str, dict[str, float]] = {name: {} for name in chosen}
    for side in ("berth", "torch", "berth", "torch"):
        command = [sys.executable, __file__, "--side", side, "--only", wanted.only]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True,
                              env=os.environ | {"BERTH_TWINS": "0"})
        for name, micros in json.loads(done.stdout.splitlines()[-1]).items():
            found[name][side] = min(micros, found[name].get(side, micros))
    show(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
