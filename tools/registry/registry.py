"""registry.py - Reads and writes the compact recording of TensorFlow's registry.

tests/data/oracle/registry.txt says what TensorFlow registers: every op with its
arguments, attributes and kernels, one line of JSON each, sorted by name, in the
layout of the recording that compact.py is given:

    inputs, outputs  lists of {name, type | type_attr | type_list, number, ref}
    attrs            {name: {type, default, allowed, min}}
    is_stateful, is_commutative, ...   the flags that are true
    deprecated       [GraphDef version from which on it is gone, what to use]
    kernels          lists of {device, host_memory, label, priority, types}, where
                     types is {"T+Tidx": ["float|double int32|int64", ...]}: each
                     text stands for all combinations of what it lists

Shorter than the recording: an argument is a text as ops.def writes it ("x: N *
Ref(T)"); an attribute is its kind alone, [kind, default], or all of it; a kernel
without anything to say is its device; the combinations of types that kernels
take are joined to products; and a list of types that occurs more than once is a
line of its own at the top, "$7 float|double", and "$7" wherever it is meant.
Standard library only.
"""

import collections
import itertools
import json

TYPE_ATTRS = ("type", "list(type)")


# ---- Products ----


def expand(row):
    """The combinations that a text such as "float|double int32" stands for."""
    return itertools.product(*(part.split("|") for part in row.split(" ")))


def _merge(rows, at):
    """Joins rows, tuples of frozensets, that differ in place |at| alone."""
    joined = collections.OrderedDict()
    for row in rows:
        key = row[:at] + row[at + 1:]
        joined[key] = joined.get(key, frozenset()) | row[at]
    return [key[:at] + (joined[key],) + key[at:] for key in joined]


def products(combinations):
    """The fewest products found that stand for |combinations|, a set of tuples:
    a list of tuples of frozensets."""
    width = len(next(iter(combinations)))
    best = None
    for order in itertools.permutations(range(width)):
        rows = [tuple(frozenset([v]) for v in c) for c in sorted(combinations)]
        for at in order * 2:
            rows = _merge(rows, at)
        if best is None or len(rows) < len(best):
            best = rows
    return best


# ---- Writing ----


def _arg_text(arg):
    kind = arg.get("type") or arg.get("type_attr") or arg["type_list"]
    if arg.get("ref"):
        kind = f"Ref({kind})"
    return f"{arg['name']}: " + (f"{arg['number']} * " if "number" in arg else "") + kind


def _attr_short(attr, number):
    """An attribute in as few words as say it."""
    if attr["type"] in TYPE_ATTRS and "allowed" in attr:
        attr = dict(attr, allowed=number.get("|".join(attr["allowed"]), attr["allowed"]))
    if attr.keys() == {"type"}:
        return attr["type"]
    return [attr["type"], attr["default"]] if attr.keys() == {"type", "default"} else attr


def _kernel_short(kernel, number):
    """A kernel with numbers instead of long lists."""
    if kernel.keys() == {"device"}:
        return kernel["device"]
    types = {names: [" ".join(number.get(p, p) for p in row.split(" ")) for row in rows]
             for names, rows in kernel.get("types", {}).items()}
    return dict(kernel, types=types) if types else kernel


def _join(kernel, order):
    """A kernel with its rows of types as few products."""
    kernel = dict(kernel)
    for names, rows in kernel.get("types", {}).items():
        found = products({c for row in rows for c in expand(row)})
        kernel["types"] = {names: sorted(
            " ".join("|".join(sorted(part, key=order)) for part in row) for row in found)}
    return kernel


def _parts(op):
    """The lists of types in |op| that may be told by number."""
    for attr in op["attrs"].values():
        if attr["type"] in TYPE_ATTRS and "allowed" in attr:
            yield "|".join(attr["allowed"])
    for kernel in op["kernels"]:
        for rows in kernel.get("types", {}).values():
            yield from (part for row in rows for part in row.split(" "))


def write(ops, file):
    """Writes |ops|, as the recording has them."""
    types = sorted({t for op in ops.values() for a in op["attrs"].values()
                    if a["type"] in TYPE_ATTRS for t in a.get("allowed", [])})
    order = {t: i for i, t in enumerate(types)}
    ops = {name: dict(op, kernels=[_join(k, lambda t: (order.get(t, -1), t)) for k in op["kernels"]])
           for name, op in ops.items()}
    counts = collections.Counter(p for op in ops.values() for p in _parts(op) if "|" in p)
    lists = [p for p, n in counts.most_common() if n > 1]
    number = {p: f"${i}" for i, p in enumerate(lists)}
    file.writelines(f"{number[p]} {p}\n" for p in lists)
    for name in sorted(ops):
        op = dict(ops[name])
        op["inputs"] = ", ".join(map(_arg_text, op["inputs"]))
        op["outputs"] = ", ".join(map(_arg_text, op["outputs"]))
        op["attrs"] = {n: _attr_short(a, number) for n, a in op["attrs"].items()}
        op["kernels"] = [_kernel_short(k, number) for k in op["kernels"]]
        op = {k: v for k, v in op.items() if v not in ("", [], {})}
        file.write(f"{name} {json.dumps(op, separators=(',', ':'))}\n")


# ---- Reading ----


def _arg_of(text, attrs):
    name, kind = text.split(": ")
    arg = {"name": name}
    if " * " in kind:
        arg["number"], kind = kind.split(" * ")
    if kind.startswith("Ref("):
        arg["ref"], kind = True, kind[4:-1]
    if kind not in attrs:
        arg["type"] = kind
    else:
        arg["type_list" if attrs[kind]["type"] == "list(type)" else "type_attr"] = kind
    return arg


def _attr_of(attr, lists):
    if isinstance(attr, str):
        return {"type": attr}
    if isinstance(attr, list):
        return {"type": attr[0], "default": attr[1]}
    if isinstance(attr.get("allowed"), str):
        attr["allowed"] = lists[attr["allowed"]].split("|")
    return attr


def _kernel_of(kernel, lists):
    if isinstance(kernel, str):
        return {"device": kernel}
    for names, rows in kernel.get("types", {}).items():
        kernel["types"][names] = [" ".join(lists.get(p, p) for p in row.split(" "))
                                  for row in rows]
    return kernel


def _read_op(text, lists):
    op = {"inputs": "", "outputs": "", "attrs": {}, "kernels": [], **json.loads(text)}
    op["attrs"] = {name: _attr_of(attr, lists) for name, attr in op["attrs"].items()}
    for word in ("inputs", "outputs"):
        op[word] = [_arg_of(a, op["attrs"]) for a in op[word].split(", ") if a]
    op["kernels"] = [_kernel_of(kernel, lists) for kernel in op["kernels"]]
    return op


def read(path):
    """All ops of the file at |path|, by name."""
    lists, ops = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, text = line.rstrip("\n").split(" ", 1)
            if word.startswith("$"):
                lists[word] = text
            else:
                ops[word] = _read_op(text, lists)
    return ops


def combinations(kernel):
    """(names, set of tuples): what the attributes of |kernel| may be together;
    ((), {()}) for a kernel without constraints."""
    for names, rows in kernel.get("types", {}).items():
        return tuple(names.split("+")), {c for row in rows for c in expand(row)}
    return (), {()}
