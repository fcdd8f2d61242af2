"""The kernels of kernels.c for the sides written in Python: the same names,
inputs and checks."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

COUNT = 16 * 1024 * 1024
SETS = 2
SAMPLES = 8

Arrays = list[np.ndarray]
# Returns an element of the result, found by its place.
Answer = Callable[[Arrays, int], float]


@dataclass(frozen=True)
class Kernel:
    name: str
    shapes: tuple[tuple[int, ...], ...]
    result_count: int
    answer: Answer
    scale: float = 1.0
    has_index: bool = False
    tolerance: float = 2e-4

    def inputs(self, of_set: int) -> Arrays:
        """Makes the inputs of one set."""
        arrays = []
        for index, shape in enumerate(self.shapes):
            at = np.arange(math.prod(shape), dtype=np.uint32)
            seed = of_set * 2 + index + 1
            bits = (at * np.uint32(2654435761) + np.uint32(seed * 40503)) >> 16
            if self.has_index and index == 1:
                arrays.append(bits.astype(np.int32).reshape(shape))
            else:
                step = np.float32(self.scale / 65536)
                values = bits.astype(np.float32) * step
                arrays.append(values.reshape(shape))
        return arrays

    def places(self) -> list[int]:
        """Returns which elements of the result are looked at."""
        return [(self.result_count * i // SAMPLES + 7919 * i)
                % self.result_count for i in range(SAMPLES)]


class Checker:
    """What a kernel's results are compared with."""

    def __init__(self, kernel: Kernel, sets: list[Arrays]) -> None:
        self.kernel = kernel
        self.places = kernel.places()
        self.values = [[kernel.answer(arrays, at) for at in self.places]
                       for arrays in sets]

    def place(self, turn: int) -> int:
        """Returns which element call |turn| is to look at."""
        return self.places[turn // SETS % SAMPLES]

    def check(self, turn: int, found: float) -> None:
        expected = self.values[turn % SETS][turn // SETS % SAMPLES]
        if abs(found - expected) > self.kernel.tolerance * abs(expected):
            raise ValueError(f"{self.kernel.name}: element {self.place(turn)} "
                             f"is {found!r}, not {expected!r}")


def matmul(n: int) -> Kernel:
    def answer(x: Arrays, at: int) -> float:
        row, column = x[0][at // n], x[1][:, at % n]
        return float(row.astype(float) @ column.astype(float))
    return Kernel(f"kernel_matmul_{n}", ((n, n), (n, n)), n * n, answer)


def softmax(x: Arrays, at: int) -> float:
    row = np.exp(x[0][at // 1000].astype(float))
    return float(row[at % 1000] / row.sum())


VECTOR, SQUARE, HALF = (COUNT,), (4096, 4096), (4096, 2048)

KERNELS = [
    matmul(256),
    matmul(1024),
    matmul(2048),
    Kernel("kernel_add_16m", (VECTOR, VECTOR), COUNT,
           lambda x, at: float(x[0][at] + x[1][at])),
    Kernel("kernel_add_4k", ((4096,), (4096,)), 4096,
           lambda x, at: float(x[0][at] + x[1][at])),
    Kernel("kernel_exp_16m", (VECTOR,), COUNT,
           lambda x, at: math.exp(x[0][at])),
    Kernel("kernel_tanh_16m", (VECTOR,), COUNT,
           lambda x, at: math.tanh(x[0][at])),
    Kernel("kernel_cast_f32_i32_16m", (VECTOR,), COUNT,
           lambda x, at: float(int(x[0][at])), scale=1000),
    Kernel("kernel_cast_f32_bf16_16m", (VECTOR,), COUNT,
           lambda x, at: float(x[0][at]), tolerance=4e-3),
    Kernel("kernel_reduce_sum_16m", (VECTOR,), 1,
           lambda x, at: float(x[0].sum(dtype=float))),
    Kernel("kernel_reduce_sum_rows_4096", (SQUARE,), 4096,
           lambda x, at: float(x[0][at].sum(dtype=float))),
    Kernel("kernel_reduce_sum_cols_4096", (SQUARE,), 4096,
           lambda x, at: float(x[0][:, at].sum(dtype=float))),
    Kernel("kernel_transpose_4096", (SQUARE,), COUNT,
           lambda x, at: float(x[0][at % 4096, at // 4096])),
    Kernel("kernel_concat_4096x2048", (HALF, HALF), COUNT,
           lambda x, at: float(x[at % 4096 // 2048][at // 4096, at % 2048])),
    Kernel("kernel_gather_65536x256", ((65536, 256), (65536,)), COUNT,
           lambda x, at: float(x[0][x[1][at // 256], at % 256]),
           has_index=True),
    Kernel("kernel_softmax_1024x1000", ((1024, 1000),), 1024000, softmax),
    Kernel("kernel_bias_add_128x24x24x64", ((128, 24, 24, 64), (64,)), 4718592,
           lambda x, at: float(x[0].flat[at] + x[1][at % 64])),
]
