"""PyTorch's side of the rows that need a GPU.

    gpu_torch_side.py          answers requests, see side.h
    gpu_torch_side.py first    multiplies two small matrices on the GPU and
                               prints the seconds since PyTorch was there
"""

import sys
import time

import torch
from python_side import Call, Open, serve

SIZE, COUNT = 8192, 8
CHAIN = 1000
COPY_BYTES = 1 << 28
ALLOC_BYTES = 1 << 20


def open_matmul(dtype: torch.dtype, is_tf32: bool) -> Call:
    a = (torch.randn(SIZE, SIZE, device="cuda") * SIZE ** -0.5).to(dtype)
    b = torch.randn(SIZE, SIZE, device="cuda").to(dtype)

    def call(turn: int) -> None:
        torch.backends.cuda.matmul.allow_tf32 = is_tf32
        c = b
        for _ in range(COUNT):
            c = a @ c
        assert abs(float(c[0, 0])) < 10
    return call


def small_inputs(turn: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    values = torch.arange(1.0 + turn % 2, 7.0 + turn % 2, device=device)
    return values.view(2, 3), values.view(3, 2)


def open_small_fed() -> Call:
    sets = [small_inputs(turn, "cpu") for turn in range(2)]

    def call(turn: int) -> None:
        a, b = sets[turn % 2]
        c = (a.to("cuda") @ b.to("cuda")).cpu()
        assert float(c[0, 0]) == (22, 40)[turn % 2]
    return call


def open_small() -> Call:
    a, b = small_inputs(0, "cuda")

    def call(turn: int) -> None:
        assert float((a @ b).cpu()[0, 0]) == 22
    return call


def open_chain() -> Call:
    """A chain of additions, as a CUDA graph."""
    start = torch.arange(1.0, 7.0, device="cuda").view(2, 3)
    one = torch.ones(2, 3, device="cuda")
    torch.add(start, one)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x = start
        for _ in range(CHAIN):
            x = x + one

    def call(turn: int) -> None:
        graph.replay()
        assert float(x.cpu()[0, 0]) == 1 + CHAIN
    return call


def open_copy(is_in: bool) -> Call:
    host = torch.zeros(COPY_BYTES, dtype=torch.uint8, pin_memory=True)
    card = torch.zeros(COPY_BYTES, dtype=torch.uint8, device="cuda")

    def call(turn: int) -> None:
        if is_in:
            card.copy_(host, non_blocking=True)
        else:
            host.copy_(card, non_blocking=True)
        torch.cuda.synchronize()
    return call


def open_alloc() -> Call:
    def call(turn: int) -> None:
        torch.empty(ALLOC_BYTES, dtype=torch.uint8, device="cuda")
    return call


BENCHES: dict[str, Open] = {
    "gpu_matmul_8192_bf16": lambda: open_matmul(torch.bfloat16, False),
    "gpu_matmul_8192_tf32": lambda: open_matmul(torch.float32, True),
    "gpu_matmul_8192_fp32": lambda: open_matmul(torch.float32, False),
    "gpu_small_matmul_fed": open_small_fed,
    "gpu_small_matmul": open_small,
    "gpu_chain_1000": open_chain,
    "gpu_copy_in": lambda: open_copy(True),
    "gpu_copy_out": lambda: open_copy(False),
    "gpu_alloc_1mib": open_alloc,
}


def use_first() -> None:
    start = time.perf_counter()
    open_small()(0)
    print(f"{time.perf_counter() - start:.9g} 22")


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    if sys.argv[1:] == ["first"]:
        use_first()
    else:
        serve(BENCHES)
