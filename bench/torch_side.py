"""PyTorch's side of the kernel_ rows, and of the eager matmul.

    torch_side.py THREADS
"""

import sys
from collections.abc import Callable

import torch
import torch.nn.functional
from kernels import KERNELS, SETS, Checker, Kernel
from library_side import EAGER_CHECK_EVERY, check, matrices
from python_side import Call, Open, serve

OPS: dict[str, Callable[..., torch.Tensor]] = {
    "kernel_matmul_256": torch.matmul,
    "kernel_matmul_1024": torch.matmul,
    "kernel_matmul_2048": torch.matmul,
    "kernel_add_16m": torch.add,
    "kernel_add_4k": torch.add,
    "kernel_exp_16m": torch.exp,
    "kernel_tanh_16m": torch.tanh,
    "kernel_cast_f32_i32_16m": lambda a: a.to(torch.int32),
    "kernel_cast_f32_bf16_16m": lambda a: a.to(torch.bfloat16),
    "kernel_reduce_sum_16m": torch.sum,
    "kernel_reduce_sum_rows_4096": lambda a: a.sum(1),
    "kernel_reduce_sum_cols_4096": lambda a: a.sum(0),
    "kernel_transpose_4096": lambda a: a.t().contiguous(),
    "kernel_concat_4096x2048": lambda a, b: torch.cat((a, b), 1),
    "kernel_gather_65536x256": lambda a, rows: torch.index_select(a, 0, rows),
    "kernel_softmax_1024x1000":
        lambda a: torch.nn.functional.softmax(a, 1),
    "kernel_bias_add_128x24x24x64": torch.add,
}


def open_kernel(kernel: Kernel) -> Call:
    arrays = [kernel.inputs(i) for i in range(SETS)]
    checker = Checker(kernel, arrays)
    sets = [[torch.from_numpy(array) for array in inputs] for inputs in arrays]
    function = OPS[kernel.name]

    def call(turn: int) -> None:
        result = function(*sets[turn % SETS])
        checker.check(turn, float(result.view(-1)[checker.place(turn)]))
    return call


def open_eager() -> Call:
    """eager_small_python, as library_side.py has it."""
    left, right, expected = matrices()
    lefts, b = [torch.from_numpy(a) for a in left], torch.from_numpy(right)
    matmul = torch.matmul

    def call(turn: int) -> None:
        found = matmul(lefts[turn & 1], b)
        if turn % EAGER_CHECK_EVERY < 2:
            check(float(found[0, 0]), expected[turn & 1])
    return call


def benches() -> dict[str, Open]:
    found: dict[str, Open] = {
        kernel.name: lambda kernel=kernel: open_kernel(kernel)
        for kernel in KERNELS}
    found["eager_small_python"] = open_eager
    return found


if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    torch.set_grad_enabled(False)
    serve(benches())
