"""Cases of tensors that a session keeps from one run to another, or for one."""

from golden_case import GraphCase, Run, const, node
from golden_types import PLAIN, plain, registered_types, tensor

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


def temporary(op):
    """A variable of one run: assigned, added to, and given; each run has its own."""
    for dtype in [d for d in PLAIN if d in registered_types("Assign")]:
        adds = dtype in registered_types("AssignAdd")
        nodes = [const("c", plain(dtype, (2, 3))),
                 node("made", "TemporaryVariable", shape=("shape", (2, 3)), dtype=("type", dtype),
                      var_name=("string", "t")),
                 node("set", "Assign", "made", "c", T=("type", dtype)),
                 node("given", "DestroyTemporaryVariable", "set", T=("type", dtype), var_name=("string", "t"))]
        runs = [Run(["given"]), Run(["given"])]
        if adds:
            nodes += [node("made2", "TemporaryVariable", shape=("shape", (2, 3)), dtype=("type", dtype)),
                      node("set2", "Assign", "made2", "c", T=("type", dtype)),
                      node("more", "AssignAdd", "set2", "c", T=("type", dtype)),
                      node("sum", "DestroyTemporaryVariable", "more", T=("type", dtype), var_name=("string", "made2"))]
            runs += [Run(["sum"]), Run(["sum", "given"])]
        yield GraphCase("plain", dtype, nodes, runs)


OPS.update(dict.fromkeys(["TemporaryVariable", "DestroyTemporaryVariable"], temporary))
