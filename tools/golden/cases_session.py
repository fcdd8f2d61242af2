"""Cases of tensors that a session keeps from one run to another."""

from golden_case import GraphCase, Run, const, node
from golden_types import PLAIN, plain, tensor

DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


def kept(op):
    for dtype in PLAIN:
        def text(number, device=DEVICE):
            return tensor("string", f"keep;{number};{device}".encode())
        nodes = [const("c", plain(dtype, (2, 3))),
                 node("keep", "GetSessionHandle", "c", T=("type", dtype)),
                 node("held", "GetSessionHandleV2", "c", T=("type", dtype)),
                 node("text", "Placeholder", dtype=("type", "string"), shape=("shape", None)),
                 node("get", "GetSessionTensor", "text", dtype=("type", dtype)),
                 node("delete", "DeleteSessionTensor", "text")]

        def get(number):
            return Run(["get"], {"text": text(number)})

        def delete(value):
            return Run([], {"text": value}, ["delete"])
        runs = [Run(["keep"]), Run(["keep"]), get(0), get(1), get(2), delete(text(0)), get(0), get(1),
                delete(text(0)), delete(text(1, "/device:CPU:0")), delete(tensor("string", [b"a", b"b"])),
                Run([], {}, ["held"]), Run(["keep"]), get(3), Run(["keep", "c"])]
        yield GraphCase("plain", dtype, nodes, runs)


OPS = dict.fromkeys(["GetSessionHandle", "GetSessionHandleV2", "GetSessionTensor", "DeleteSessionTensor"], kept)
