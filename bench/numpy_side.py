"""numpy's side of the kernel_ rows.

    numpy_side.py [out]

makes a new array for each result or, with "out", writes them all into one
array that is given: the fastest way numpy has.
"""

import sys
from collections.abc import Callable

import numpy as np
from kernels import KERNELS, SETS, Checker, Kernel
from python_side import Call, Open, serve

Array = np.ndarray

# Results in a new array.
NEW: dict[str, Callable[..., Array]] = {
    "kernel_matmul_256": lambda a, b: a @ b,
    "kernel_matmul_1024": lambda a, b: a @ b,
    "kernel_matmul_2048": lambda a, b: a @ b,
    "kernel_add_16m": lambda a, b: a + b,
    "kernel_add_4k": lambda a, b: a + b,
    "kernel_exp_16m": np.exp,
    "kernel_tanh_16m": np.tanh,
    "kernel_cast_f32_i32_16m": lambda a: a.astype(np.int32),
    "kernel_reduce_sum_16m": lambda a: a.sum(),
    "kernel_reduce_sum_rows_4096": lambda a: a.sum(1),
    "kernel_reduce_sum_cols_4096": lambda a: a.sum(0),
    "kernel_transpose_4096": lambda a: np.ascontiguousarray(a.T),
    "kernel_concat_4096x2048": lambda a, b: np.concatenate((a, b), 1),
    "kernel_gather_65536x256": lambda a, rows: a[rows],
    "kernel_bias_add_128x24x24x64": lambda a, b: a + b,
}

# Results in a given array; a sum to a scalar has none.
OUT: dict[str, Callable[..., object]] = {
    "kernel_matmul_256": lambda a, b, out: np.matmul(a, b, out=out),
    "kernel_matmul_1024": lambda a, b, out: np.matmul(a, b, out=out),
    "kernel_matmul_2048": lambda a, b, out: np.matmul(a, b, out=out),
    "kernel_add_16m": lambda a, b, out: np.add(a, b, out=out),
    "kernel_add_4k": lambda a, b, out: np.add(a, b, out=out),
    "kernel_exp_16m": lambda a, out: np.exp(a, out=out),
    "kernel_tanh_16m": lambda a, out: np.tanh(a, out=out),
    "kernel_cast_f32_i32_16m":
        lambda a, out: np.copyto(out, a, casting="unsafe"),
    "kernel_reduce_sum_rows_4096": lambda a, out: np.sum(a, 1, out=out),
    "kernel_reduce_sum_cols_4096": lambda a, out: np.sum(a, 0, out=out),
    "kernel_transpose_4096": lambda a, out: np.copyto(out, a.T),
    "kernel_concat_4096x2048":
        lambda a, b, out: np.concatenate((a, b), 1, out=out),
    "kernel_gather_65536x256":
        lambda a, rows, out: np.take(a, rows, 0, out=out, mode="clip"),
    "kernel_bias_add_128x24x24x64": lambda a, b, out: np.add(a, b, out=out),
}


def open_new(kernel: Kernel) -> Call:
    sets = [kernel.inputs(i) for i in range(SETS)]
    checker = Checker(kernel, sets)
    function = NEW[kernel.name]

    def call(turn: int) -> None:
        result = function(*sets[turn % SETS])
        checker.check(turn, float(result.reshape(-1)[checker.place(turn)]))
    return call


def open_out(kernel: Kernel) -> Call:
    sets = [kernel.inputs(i) for i in range(SETS)]
    checker = Checker(kernel, sets)
    function = OUT[kernel.name]
    result = np.empty_like(NEW[kernel.name](*sets[0]))
    flat = result.reshape(-1)

    def call(turn: int) -> None:
        function(*sets[turn % SETS], result)
        checker.check(turn, float(flat[checker.place(turn)]))
    return call


def benches(is_out: bool) -> dict[str, Open]:
    names, opener = (OUT, open_out) if is_out else (NEW, open_new)
    return {kernel.name: lambda kernel=kernel: opener(kernel)
            for kernel in KERNELS if kernel.name in names}


if __name__ == "__main__":
    serve(benches("out" in sys.argv[1:]))
