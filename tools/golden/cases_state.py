"""Cases of ops with state: variables, queues; and of Print and checks.

Most cases are small graphs that run several times in one session.
"""

import numpy as np

from golden_case import Case, GraphCase, Run, const, hidden, node, types
from golden_types import (INTS, NARROW_INTS, PLAIN, Tensor, empty, i32, index, plain,
                          registered_types, special, tensor)

SHAPE = (2,)


def target(*names):
    return Run([], {}, list(names))


# ---- Variables by reference ----


def variable(dtype, shape=SHAPE, op="VariableV2"):
    return node("v", op, dtype=("type", dtype), shape=("shape", shape))


def update(name, op, value, dtype, **attrs):
    return node(name, op, "v", value, T=("type", dtype), **attrs)


# The types for which the files of secondary ops repeat the whole story; the
# file of the op that makes the state has it for all.
FEW = ("float", "int64", "string")


def story_types(op, primary, known):
    return [t for t in (PLAIN if op == primary else FEW) if t in known]


def unassigned(op, primary, known):
    return [t for t in PLAIN if op == primary and t not in known]


def variables(op):
    maker = "Variable" if op == "Variable" else "VariableV2"
    for dtype in story_types(op, maker, registered_types("Assign")):
        nodes = [variable(dtype, SHAPE, maker),
                 const("one", plain(dtype, SHAPE)),
                 update("set", "Assign", "one", dtype),
                 node("is", "IsVariableInitialized", "v",
                      dtype=("type", dtype))]
        yield GraphCase("plain", dtype, nodes, [
            Run(["is"]), Run(["v"]), target("set"), Run(["v", "is"])])
    for kind, shape in (("scalar", ()), ("empty", (0, 3))):
        value = plain("float", shape)
        nodes = [variable("float", shape, maker), const("one", value),
                 update("set", "Assign", "one", "float")]
        yield GraphCase(kind, "float", nodes, [Run(["set"]), Run(["v"])])
    # Types that no Assign takes still have variables.
    for dtype in unassigned(op, maker, registered_types("Assign")):
        nodes = [variable(dtype, SHAPE, maker),
                 node("is", "IsVariableInitialized", "v",
                      dtype=("type", dtype))]
        yield GraphCase("plain", dtype, nodes, [Run(["is"])])


def assign(op):
    for dtype in registered_types(op):
        nodes = [variable(dtype), const("one", plain(dtype, SHAPE)),
                 const("two", plain(dtype, SHAPE, 3)),
                 *hidden("long", plain(dtype, (3,))),
                 update("first", op, "one", dtype),
                 update("second", op, "two", dtype),
                 update("bad", op, "long", dtype),
                 update("free", op, "long", dtype,
                        validate_shape=("bool", False))]
        yield GraphCase("mismatch", dtype, nodes, [
            Run(["first"]), Run(["second"]), Run(["v"]), Run(["bad"]),
            Run(["v"]), Run(["free"]), Run(["v"])])
    for kind, shape in (("scalar", ()), ("empty", (0,))):
        nodes = [variable("float", shape), const("one", plain("float", shape)),
                 update("set", op, "one", "float")]
        yield GraphCase(kind, "float", nodes, [Run(["set"]), Run(["v"])])


def accumulate(op):
    for dtype in registered_types(op):
        nodes = [variable(dtype), const("one", plain(dtype, SHAPE)),
                 const("two", plain(dtype, SHAPE, 3)),
                 *hidden("long", plain(dtype, (3,))),
                 update("set", "Assign", "one", dtype),
                 update("more", op, "two", dtype),
                 update("locked", op, "two", dtype,
                        use_locking=("bool", True)),
                 update("bad", op, "long", dtype)]
        yield GraphCase("mismatch", dtype, nodes, [
            Run(["more"]), target("set"), Run(["more"]), Run(["locked"]),
            Run(["bad"]), Run(["v"])])
        values = special(dtype)
        nodes = [variable(dtype, (len(values),)),
                 const("one", tensor(dtype, values)),
                 update("set", "Assign", "one", dtype),
                 update("more", op, "one", dtype)]
        yield GraphCase("overflow" if dtype in INTS else "special", dtype,
                        nodes, [target("set"), Run(["more"])])
    for kind, shape in (("scalar", ()), ("empty", (0,))):
        nodes = [variable("float", shape), const("one", plain("float", shape)),
                 update("set", "Assign", "one", "float"),
                 update("more", op, "one", "float")]
        yield GraphCase(kind, "float", nodes,
                        [target("set"), Run(["more"]), Run(["v"])])


# ---- Resource variables ----


def handle(dtype, shape=SHAPE):
    return node("h", "VarHandleOp", dtype=("type", dtype),
                shape=("shape", shape), shared_name=("string", "v"))


def read(dtype):
    return node("read", "ReadVariableOp", "h", dtype=("type", dtype))


def write(name, op, value, dtype, **attrs):
    return node(name, op, "h", value, dtype=("type", dtype), **attrs)


def resource_life(kind, dtype, shape=SHAPE):
    nodes = [handle(dtype, shape), read(dtype),
             node("is", "VarIsInitializedOp", "h"),
             node("gone", "DestroyResourceOp", "h"),
             const("one", plain(dtype, shape)),
             write("set", "AssignVariableOp", "one", dtype)]
    return GraphCase(kind, dtype, nodes, [
        Run(["is"]), Run(["read"]), target("set"), Run(["read", "is"]),
        target("gone"), Run(["is"]), target("gone")])


def resources(op):
    for dtype in story_types(op, "VarHandleOp",
                             registered_types("AssignVariableOp", "dtype")):
        yield resource_life("plain", dtype)
    yield resource_life("scalar", "float", ())
    yield resource_life("empty", "float", (0, 2))
    for dtype in unassigned(op, "VarHandleOp",
                            registered_types("AssignVariableOp", "dtype")):
        nodes = [handle(dtype), read(dtype),
                 node("is", "VarIsInitializedOp", "h")]
        yield GraphCase("plain", dtype, nodes, [Run(["is"]), Run(["read"])])


def resource_assign(op):
    for dtype in registered_types(op, "dtype"):
        nodes = [handle(dtype), read(dtype), const("one", plain(dtype, SHAPE)),
                 *hidden("long", plain(dtype, (3,))),
                 write("set", op, "one", dtype),
                 write("longer", op, "long", dtype),
                 write("checked", op, "long", dtype,
                       validate_shape=("bool", True))]
        yield GraphCase("mismatch", dtype, nodes, [
            target("set"), Run(["read"]), target("checked"),
            target("longer"), Run(["read"])])
    for kind, shape in (("scalar", ()), ("empty", (0,))):
        nodes = [handle("float", shape), read("float"),
                 const("one", plain("float", shape)),
                 write("set", op, "one", "float")]
        yield GraphCase(kind, "float", nodes, [target("set"), Run(["read"])])


def resource_accumulate(op):
    for dtype in registered_types(op, "dtype"):
        nodes = [handle(dtype), read(dtype), const("one", plain(dtype, SHAPE)),
                 const("two", plain(dtype, SHAPE, 3)),
                 *hidden("long", plain(dtype, (3,))),
                 write("set", "AssignVariableOp", "one", dtype),
                 write("more", op, "two", dtype),
                 write("bad", op, "long", dtype)]
        yield GraphCase("mismatch", dtype, nodes, [
            target("more"), target("set"), target("more"), Run(["read"]),
            target("bad"), Run(["read"])])
        values = special(dtype)
        if dtype == "bool":
            continue
        nodes = [handle(dtype, (len(values),)), read(dtype),
                 const("one", tensor(dtype, values)),
                 write("set", "AssignVariableOp", "one", dtype),
                 write("more", op, "one", dtype)]
        yield GraphCase("overflow" if dtype in INTS else "special", dtype,
                        nodes, [target("set"), target("more"), Run(["read"])])
    for kind, shape in (("scalar", ()), ("empty", (0,))):
        nodes = [handle("float", shape), read("float"),
                 const("one", plain("float", shape)),
                 write("set", "AssignVariableOp", "one", "float"),
                 write("more", op, "one", "float")]
        yield GraphCase(kind, "float", nodes, [
            target("set"), target("more"), Run(["read"])])


def resource_shape(op):
    for kind, shape in (("plain", (2, 3)), ("scalar", ()), ("empty", (0, 2))):
        for out in registered_types(op, "out_type"):
            nodes = [handle("float", shape),
                     const("one", plain("float", shape)),
                     write("set", "AssignVariableOp", "one", "float"),
                     node("shape", op, "h", out_type=("type", out))]
            yield GraphCase(kind, out, nodes, [
                Run(["shape"]), target("set"), Run(["shape"])])


def resource_types(op):
    """Another type than the variable's is refused."""
    yield from resources(op)
    nodes = [handle("float"), const("one", plain("float", SHAPE)),
             *hidden_handle(), const("whole", plain("int32", SHAPE)),
             write("set", "AssignVariableOp", "one", "float"),
             node("bad", "AssignVariableOp", "other", "whole",
                  dtype=("type", "int32")),
             node("read", "ReadVariableOp", "other", dtype=("type", "int32"))]
    yield GraphCase("mismatch", "float", nodes, [
        target("set"), target("bad"), Run(["read"])])


def hidden_handle():
    """A second handle of the variable of "h", which says another type."""
    return [node("other", "VarHandleOp", dtype=("type", "int32"),
                 shape=("shape", SHAPE), shared_name=("string", "v"))]


# ---- Queues ----


def queue(dtypes, capacity=3, shapes=None):
    attrs = {"component_types": ("types", dtypes),
             "capacity": ("int", capacity), "shared_name": ("string", "q")}
    if shapes is not None:
        attrs["shapes"] = ("shapes", shapes)
    return node("q", "FIFOQueueV2", **attrs)


def enqueue(name, values, dtypes, op="QueueEnqueueV2"):
    return node(name, op, "q", values, Tcomponents=("types", dtypes))


def dequeue(dtypes, op="QueueDequeueV2", inputs=("q",)):
    return node("get", op, *inputs, component_types=("types", dtypes))


def size():
    return node("size", "QueueSizeV2", "q")


def close(name="close", cancel=False):
    return node(name, "QueueCloseV2", "q",
                cancel_pending_enqueues=("bool", cancel))


def queue_round(dtype):
    """In, out, closed, and nothing left."""
    nodes = [queue([dtype]), const("a", plain(dtype, SHAPE)),
             const("b", plain(dtype, (), 1)), enqueue("put", ["a"], [dtype]),
             enqueue("put_b", ["b"], [dtype]), dequeue([dtype]), size(),
             close(), node("closed", "QueueIsClosedV2", "q")]
    return GraphCase("plain", dtype, nodes, [
        target("put"), target("put_b"), Run(["size", "closed"]), Run(["get"]),
        target("close"), target("put"), Run(["closed"]), Run(["get"]),
        Run(["get"])])


def queues(op):
    for dtype in story_types(op, "FIFOQueueV2", PLAIN):
        yield queue_round(dtype)
    two = ["float", "string"]
    nodes = [queue(two, shapes=[(2,), ()]), const("a", plain("float", (2,))),
             *hidden("bad", plain("float", (3,))),
             const("s", plain("string", ())),
             enqueue("put", ["a", "s"], two),
             enqueue("put_bad", ["bad", "s"], two), dequeue(two), close()]
    yield GraphCase("mismatch", "float,string", nodes, [
        target("put"), target("put_bad"), Run(["get", "get:1"]),
        target("close"), target("close")])
    nodes = [queue(["float"]), const("e", empty("float", (0, 2))),
             enqueue("put", ["e"], ["float"]), dequeue(["float"])]
    yield GraphCase("empty", "float", nodes, [target("put"), Run(["get"])])
    nodes = [queue(["float"]), const("n", plain("int32", ())),
             enqueue("put", ["n"], ["int32"]), dequeue(["int32"])]
    yield GraphCase("mismatch types", "float", nodes,
                    [target("put"), Run(["get"])])


def is_cut(dtype):
    """Whether TensorFlow can cut tensors of |dtype| into elements."""
    return not dtype.startswith(("float8", "float4")) and dtype not in (
        NARROW_INTS + ("qint16", "quint16"))


def shuffled(op):
    """What goes in comes out in the order of the seeds, once enough is there."""
    for dtype in story_types(op, op, PLAIN):
        kind, ways, shapes, value = "plain", "QueueEnqueueV2", None, ()
        if is_cut(dtype):
            ways, shapes, value = "QueueEnqueueManyV2", [()], (6,)
        attrs = {"component_types": ("types", [dtype]), "capacity": ("int", 8),
                 "min_after_dequeue": ("int", 2), "seed": ("int", 7),
                 "seed2": ("int", 11), "shared_name": ("string", "q")}
        if shapes is not None:
            attrs["shapes"] = ("shapes", shapes)
        nodes = [node("q", op, **attrs), const("a", plain(dtype, value)),
                 enqueue("put", ["a"], [dtype], ways), dequeue([dtype]),
                 size(), close()]
        puts = [target("put")] * (1 if value else 4)
        yield GraphCase(kind, dtype, nodes, [
            *puts, Run(["get"]), Run(["get"]), Run(["size"]), target("close"),
            Run(["get"]), Run(["get"]), target("put")])


def padded(op):
    """Elements of several lengths make a batch, filled up with zeros."""
    many = "QueueDequeueManyV2"
    for dtype in story_types(op, op, PLAIN):
        attrs = {"component_types": ("types", [dtype]), "capacity": ("int", 4),
                 "shapes": ("shapes", [(-1,)]), "shared_name": ("string", "q")}
        nodes = [node("q", op, **attrs), const("a", plain(dtype, (1,))),
                 const("b", plain(dtype, (3,), 1)), enqueue("put", ["a"], [dtype]),
                 enqueue("put_b", ["b"], [dtype]), size(), close()]
        nodes += ([const("n", i32(2)), dequeue([dtype], many, ("q", "n"))]
                  if is_cut(dtype) and not dtype.startswith("q")  # It cannot pad them.
                  else [dequeue([dtype])])
        yield GraphCase("plain", dtype, nodes, [
            target("put"), target("put_b"), Run(["get"]), Run(["size"]),
            target("close"), Run(["get"])])


def prioritised(op):
    """The least number comes out first, whenever it came in."""
    for dtype in story_types(op, op, PLAIN):
        both = ["int64", dtype]
        attrs = {"component_types": ("types", [dtype]), "capacity": ("int", 4),
                 "shapes": ("shapes", [()]), "shared_name": ("string", "q")}
        nodes = [node("q", op, **attrs), const("late", index("int64", 7)),
                 const("soon", index("int64", -2)), const("a", plain(dtype, ())),
                 const("b", plain(dtype, (), 1)),
                 enqueue("put", ["late", "a"], both),
                 enqueue("put_b", ["soon", "b"], both), dequeue(both), size(),
                 close()]
        yield GraphCase("plain", dtype, nodes, [
            target("put"), target("put_b"), Run(["size"]), Run(["get", "get:1"]),
            target("close"), Run(["get", "get:1"]), Run(["get", "get:1"])])


def queue_many(op):
    """Several elements at once, for ops that take or give a first dimension."""
    many, up_to = "QueueDequeueManyV2", "QueueDequeueUpToV2"
    cut = [t for t in PLAIN if is_cut(t)]
    for dtype in cut if op in (many, up_to) else FEW:
        nodes = [queue([dtype], 5, [()]), const("a", plain(dtype, (3,))),
                 enqueue("put", ["a"], [dtype], "QueueEnqueueManyV2"),
                 const("n", i32(2)), close(), size(),
                 dequeue([dtype], up_to if op == up_to else many, ("q", "n"))]
        yield GraphCase("plain", dtype, nodes, [
            target("put"), Run(["get"]), Run(["size"]), target("close"),
            Run(["get"]), Run(["get"])])
    nodes = [queue(["float"], 5, [(2,)]), const("a", empty("float", (0, 2))),
             const("n", i32(0)), size(),
             enqueue("put", ["a"], ["float"], "QueueEnqueueManyV2"),
             dequeue(["float"], up_to if op == up_to else many, ("q", "n"))]
    yield GraphCase("empty", "float", nodes,
                    [target("put"), Run(["size"]), Run(["get"])])
    for kind, count in (("mismatch negative", i32(-1)),
                        ("mismatch rank", i32([1]))):
        bad = [queue(["float"], 5, [()]), *hidden("n", count),
               dequeue(["float"], up_to if op == up_to else many, ("q", "n"))]
        yield GraphCase(kind, "float", bad, [Run(["get"])])
    bad = [queue(["float"], 5), *hidden("n", i32(1)),
           dequeue(["float"], up_to if op == up_to else many, ("q", "n"))]
    yield GraphCase("mismatch no shapes", "float", bad, [Run(["get"])])


# ---- Print and Assert ----


def printing(op):
    def case(kind, label, values, **attrs):
        nodes = [const("x", plain("float", (2,)))]
        nodes += [const(f"d{i}", v) for i, v in enumerate(values)]
        nodes.append(node(
            "p", op, "x", [f"d{i}" for i in range(len(values))],
            T=("type", "float"), U=("types", [v.dtype for v in values]),
            **attrs))
        return GraphCase(kind, label, nodes, [Run(["p"])], listen=True)
    for dtype in PLAIN:
        yield case("plain", dtype, [plain(dtype, (2, 2))],
                   message=("string", "m "))
    yield case("scalar", "int32", [plain("int32", ()), plain("bool", ())])
    yield case("empty", "float", [empty("float", (0,)), empty("float", (2, 0))])
    yield case("special", "float", [tensor("float", special("float"))],
               summarize=("int", 9))
    yield case("other all", "int32", [plain("int32", (2, 3))],
               summarize=("int", -1))
    yield case("other more", "float", [plain("float", (2, 2, 3))],
               summarize=("int", 7))
    # Any type passes through unprinted.
    for dtype in PLAIN:
        nodes = [const("x", plain(dtype, (2,))),
                 const("d", i32(1)),
                 node("p", op, "x", ["d"], T=("type", dtype),
                      U=("types", ["int32"]))]
        yield GraphCase("plain through", dtype, nodes, [Run(["p"])],
                        listen=True)
    nodes = [const("x", plain("float", ())), const("d", i32([1, 2])),
             node("p", op, "x", ["d"], T=("type", "float"),
                  U=("types", ["int32"]), first_n=("int", 2))]
    yield GraphCase("other first", "float", nodes,
                    [Run(["p"]), Run(["p"]), Run(["p"])], listen=True)


def printing_text(op):
    def case(kind, value, **attrs):
        nodes = [*hidden("x", value), node("p", op, "x", **attrs)]
        return GraphCase(kind, "string", nodes, [target("p")], listen=True)
    yield case("plain", Tensor("string", (), (b"some text",)))
    yield case("other end", Tensor("string", (), (b"some text",)),
               end=("string", "!\n"))
    yield case("empty", Tensor("string", (), (b"",)))
    yield case("mismatch", Tensor("string", (2,), (b"a", b"b")))


def asserting(op):
    def case(kind, label, condition, values, **attrs):
        nodes = hidden("c", condition)
        nodes += [const(f"d{i}", v) for i, v in enumerate(values)]
        nodes.append(node("a", op, "c",
                          [f"d{i}" for i in range(len(values))],
                          T=("types", [v.dtype for v in values]), **attrs))
        return GraphCase(kind, label, nodes, [target("a")])
    true, false = tensor("bool", True), tensor("bool", False)
    for dtype in PLAIN:
        yield case("plain", dtype, true, [plain(dtype, (2,))])
        yield case("other false", dtype, false, [plain(dtype, (2, 2))])
    yield case("other several", "string,int32", false,
               [Tensor("string", (), (b"Expected x > 0, got",)),
                plain("int32", (2, 3))])
    yield case("other summarize", "int32", false, [plain("int32", (2, 3))],
               summarize=("int", 5))
    yield case("scalar", "float", false, [plain("float", ())])
    yield case("empty", "float", false, [empty("float", (0,))])
    yield case("special", "float", false, [tensor("float", special("float"))],
               summarize=("int", 9))
    yield case("mismatch", "float", tensor("bool", [True, False]),
               [plain("float", ())])
    yield case("mismatch one", "float", tensor("bool", np.ones(1)),
               [plain("float", ())])


def checking(op):
    for dtype in registered_types(op):
        def case(kind, value, message="x", dtype=dtype):
            attrs = {**types(T=dtype), "message": ("string", message)}
            return Case(kind, attrs, [value])
        inf, nan = float("inf"), float("nan")
        most = special(dtype)[-1]
        yield case("plain", plain(dtype, (2, 3)))
        yield case("scalar", plain(dtype, ()))
        yield case("empty", empty(dtype, (0, 2)))
        yield case("other largest", tensor(dtype, [most, -most, -0.0]))
        yield case("special inf", tensor(dtype, [1, -inf]))
        yield case("special nan", tensor(dtype, [[nan, 1]]), "a text")
        yield case("special both", tensor(dtype, [inf, 1, nan]))
        yield case("special no message", tensor(dtype, inf), "")


def count_up_to(op):
    is_handle = op == "ResourceCountUpTo"
    for dtype in registered_types(op):
        first = tensor(dtype, 1)
        nodes = [const("first", first)]
        if is_handle:
            nodes += [node("v", "VarHandleOp", dtype=("type", dtype),
                           shape=("shape", ()), shared_name=("string", "v")),
                      node("set", "AssignVariableOp", "v", "first",
                           dtype=("type", dtype))]
        else:
            nodes += [variable(dtype, ()),
                      update("set", "Assign", "first", dtype)]
        nodes.append(node("next", op, "v", T=("type", dtype),
                          limit=("int", 3)))
        yield GraphCase("plain", dtype, nodes, [
            Run(["next"]), target("set"), Run(["next"]), Run(["next"]),
            Run(["next"])])


OPS = {
    "CountUpTo": count_up_to,
    "ResourceCountUpTo": count_up_to,
    "VariableV2": variables,
    "Variable": variables,
    "VariableShape": resource_shape,
    "IsVariableInitialized": variables,
    "Assign": assign,
    "AssignAdd": accumulate,
    "AssignSub": accumulate,
    "VarHandleOp": resource_types,
    "ReadVariableOp": resources,
    "VarIsInitializedOp": resources,
    "DestroyResourceOp": resources,
    "AssignVariableOp": resource_assign,
    "AssignAddVariableOp": resource_accumulate,
    "AssignSubVariableOp": resource_accumulate,
    "FIFOQueueV2": queues,
    "PaddingFIFOQueueV2": padded,
    "PriorityQueueV2": prioritised,
    "RandomShuffleQueueV2": shuffled,
    "QueueEnqueueV2": queues,
    "QueueDequeueV2": queues,
    "QueueCloseV2": queues,
    "QueueSizeV2": queues,
    "QueueIsClosedV2": queues,
    "QueueEnqueueManyV2": queue_many,
    "QueueDequeueManyV2": queue_many,
    "QueueDequeueUpToV2": queue_many,
    "Print": printing,
    "PrintV2": printing_text,
    "Assert": asserting,
    "CheckNumerics": checking,
}
