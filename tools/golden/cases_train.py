"""Cases of the ops by which optimisers update variables.

Each is a small graph: a variable and its slots are set, updated twice, looked
at; before that the update fails, since there is nothing to update.
"""

import numpy as np

from golden_case import GraphCase, Run, const, hidden, node
from golden_types import REGISTRY, index, plain, registered, tensor

# Attributes that change what is computed.
FLAGS = ("use_nesterov", "update_slots", "multiply_linear_by_lr")
VALUES = dict(alpha=0.0625, lr=0.0625, l1=0.125, l2=0.5, l2_shrinkage=0.125,
              momentum=0.75, rho=0.75, epsilon=0.0625, beta1_power=0.5,
              beta2_power=0.75, beta1=0.875, beta2=0.75, beta=0.75,
              sign_decay=0.5, logbase=0.75, lr_power=-0.5, global_step=3)
# Slots that may be negative.
SIGNED_SLOTS = ("m", "mg", "mom", "linear", "gradient_accumulator")


def parts(op):
    """The variables of |op|, its other arguments, and its flag or None."""
    inputs = REGISTRY[op]["inputs"]
    count = sum(1 for a in inputs
                if a.get("ref") or a.get("type") == "resource")
    names = [a["name"] for a in inputs]
    flags = [f for f in FLAGS if f in REGISTRY[op]["attrs"]]
    return names[:count], names[count:], flags[0] if flags else None


def scalars(op):
    return [a for a in parts(op)[1] if a not in ("grad", "delta", "indices")]


def start(name, dtype, shape):
    """What a variable holds at first."""
    count = int(np.prod(shape))
    values = np.array([0.5, 1.5, 2, 0.75, 1, 3, 1.25, 0.25] * 4)[:count]
    if name == "var":
        return plain(dtype, shape)
    if name == "mg":
        values = values / 8
    if name == "ms":
        values = values + 1
    if name in SIGNED_SLOTS:
        values = values * np.array([1, -1] * count)[:count]
    return tensor(dtype, values, shape)


def variable(name, dtype, value, is_handle):
    """The nodes of one variable: itself, how it is set and how it is read."""
    kind = ("type", dtype)
    shape = ("shape", None)
    first = hidden(f"{name}_first", value)
    if is_handle:
        return first + [
            node(name, "VarHandleOp", dtype=kind, shape=shape,
                 shared_name=("string", name)),
            node(f"set_{name}", "AssignVariableOp", name, f"{name}_first",
                 dtype=kind),
            node(f"read_{name}", "ReadVariableOp", name, dtype=kind)]
    return first + [
        node(name, "VariableV2", dtype=kind, shape=shape),
        node(f"set_{name}", "Assign", name, f"{name}_first", T=kind,
             validate_shape=("bool", False))]


def story(op, kind, dtype, idx=None, shape=(2, 3), places=(1,), flag=None,
          **others):
    """Updates twice; |others| are values of arguments by their names."""
    names, order, flag_name = parts(op)
    is_handle = op.startswith("Resource")
    nodes = []
    for name in names:
        value = others.get(name, start(name, dtype, shape))
        nodes += variable(name, dtype, value, is_handle)
    rows = (len(places), *shape[1:]) if idx else shape
    for name in order:
        if name in others:
            value = others[name]
        elif name == "indices":
            value = index(idx, places)
        elif name in ("grad", "delta"):
            value = plain(dtype, rows, 2)
        elif name == "global_step":
            value = tensor("int64", VALUES[name])
        else:
            value = tensor(dtype, VALUES[name])
        nodes += hidden(name, value)
    attrs = {"T": ("type", dtype)}
    if idx:
        attrs["Tindices"] = ("type", idx)
    if flag is not None:
        attrs[flag_name] = ("bool", flag)
    nodes.append(node("do", op, *names, *order, **attrs))

    def do():
        return Run([], {}, ["do"]) if is_handle else Run(["do"])

    def look():
        return Run([f"read_{n}" if is_handle else n for n in names])
    runs = [Run([], {}, [f"set_{n}" for n in names]), do()]
    if kind == "plain":
        runs = [do(), *runs, look(), do()]
    if not kind.startswith("mismatch"):
        runs.append(look())
    return GraphCase(kind, f"{dtype},{idx}" if idx else dtype, nodes, runs)


def mistakes(op, idx):
    family = op.split("Apply")[1]
    variables, order, _ = parts(op)
    two = tensor("float", [0.5, 0.5])
    yield story(op, "mismatch gradient", "float", idx,
                **{("delta" if "delta" in order else "grad"):
                   plain("float", (1, 2) if idx else (2, 2))})
    for slot in variables[1:]:
        # TensorFlow does not look at these, or shows the wrong shape.
        if slot not in ("vhat", "accum_update", "mg"):
            yield story(op, "mismatch slot", "float", idx,
                        **{slot: plain("float", (2, 2))})
    for scalar in scalars(op):
        # TensorFlow ends the process for that of the signs.
        if scalar not in ("sign_decay", "global_step"):
            yield story(op, "mismatch scalar", "float", idx, **{scalar: two})
    if idx:
        yield story(op, "mismatch index", "float", idx, places=(2,))
        yield story(op, "mismatch index negative", "float", idx, places=(-1,))
        yield story(op, "mismatch rows", "float", idx,
                    grad=plain("float", (2, 3)))
        yield story(op, "mismatch indices", "float", idx,
                    indices=index(idx, [[1]]))
        yield story(op, "mismatch rank", "float", idx, shape=())
    if family == "ProximalAdagrad" or ("Ftrl" in family and idx):
        yield story(op, "mismatch negative rate", "float", idx,
                    lr=tensor("float", -0.5))
        yield story(op, "mismatch negative strength", "float", idx,
                    l1=tensor("float", -0.5))
    if "Ftrl" in family and idx:
        yield story(op, "mismatch positive power", "float", idx,
                    lr_power=tensor("float", 0.5))


def dense(op):
    flag = parts(op)[2]
    for (dtype,) in registered(op, "T"):
        yield story(op, "plain", dtype)
        if flag:
            yield story(op, "other " + flag.replace("_", " "), dtype,
                        flag=flag != "update_slots")
        if dtype in ("float", "complex64"):
            yield story(op, "scalar", dtype, shape=())
            yield story(op, "empty", dtype, shape=(0, 3))
        if dtype == "float" and "Ftrl" in op:
            yield story(op, "other power", dtype,
                        lr_power=tensor(dtype, -0.75))
        if dtype == "float" and "l1" in scalars(op):
            yield story(op, "zero strength", dtype, l1=tensor(dtype, 0))
        if dtype == "float":
            yield from mistakes(op, None)


def sparse(op):
    flag = parts(op)[2]
    for dtype, idx in registered(op, "T", "Tindices"):
        yield story(op, "plain", dtype, idx, shape=(3, 2), places=(2, 0))
        if idx != "int32":
            continue
        yield story(op, "other twice", dtype, idx, shape=(3, 2),
                    places=(1, 1))
        if flag:
            yield story(op, "other " + flag.replace("_", " "), dtype, idx,
                        flag=flag != "update_slots")
        if dtype != "float":
            continue
        yield story(op, "other vector", dtype, idx, shape=(3,),
                    places=(2, 0))
        yield story(op, "empty", dtype, idx, places=())
        yield from mistakes(op, idx)


OPS = {op: sparse if "Sparse" in op else dense for op in REGISTRY
       if op.startswith(("Apply", "ResourceApply", "SparseApply",
                         "ResourceSparseApply"))}
