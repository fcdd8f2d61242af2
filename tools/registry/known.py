#!/usr/bin/env python3
"""known.py - Writes known.def: what TensorFlow registers for ops that Berth only
knows.

    known.py tests/data/oracle/registry.txt ops.def > known.def

Every op of the recorded registry that is not in ops.def, in the grammar that the
top of ops.def explains. Sets of types are told by the groups of ops.def wherever
that is shorter. Standard library only.
"""

import itertools
import re
import struct
import sys
import textwrap

import registry

HEAD = """\
# known.def - Ops that Berth only knows: what they take, give and are registered
# for.
#
# The ops of TensorFlow that are not in ops.def, so that every graph can be
# imported, placed and exported. They have no kernel, no shape function and no
# typed builder; programs build them by name. An op that gets one of these moves
# to ops.def, whose top explains the grammar. tools/registry/known.py wrote this
# file from the recorded registry, tests/data/oracle/registry.txt, and the test
# graph/schema_oracle compares every word with it.
"""

KINDS = ("float", "bool", "string")  # Of attributes, and types.
FLAGS = (("is_stateful", "stateful"), ("is_commutative", "commutative"),
         ("is_aggregate", "aggregate"), ("allows_uninitialized_input", "uninitialized"),
         ("is_distributed_communication", "distributed"))


# ---- Groups of types ----


def read_groups(text):
    """The groups that ops.def defines, in order, with their members."""
    groups = {}
    text = re.sub(r"#.*", "", text)
    for name, members in re.findall(r"^types (\w+) *= *((?:[^\n]*,\n)*[^\n]*)", text, re.M):
        groups[name] = [t for m in re.findall(r"\w+", members) for t in groups.get(m, [m])]
    return groups


def ordered(types, groups):
    """The fewest words that stand for |types| in their order."""
    best = {len(types): []}
    for at in reversed(range(len(types))):
        choices = [[types[at]] + best[at + 1]]
        for name, members in groups.items():
            for kept in [members] + [[m for m in members if m != t] for t in members]:
                end = at + len(kept)
                if len(kept) > 1 and types[at:end] == kept:
                    gone = set(members) - set(kept)
                    words = name + "".join(f" - {g}" for g in gone)
                    choices.append([words] + best[end])
        best[at] = min(choices, key=lambda words: sum(1 + w.count(" - ") for w in words))
    return best[0]


def unordered(types, groups):
    """The fewest words that stand for the set |types|."""
    order = [t for g in groups.values() for t in g] + sorted(types)
    rest = sorted(types, key=order.index)
    best, fits = rest, []
    for name, members in groups.items():
        gone = [m for m in members if m not in types]
        if len(gone) <= 1 and len(members) - len(gone) > 1:
            fits.append((name + "".join(f" - {g}" for g in gone), set(members) & types))
    for count in (1, 2, 3):
        for chosen in itertools.combinations(fits, count):
            covered = set().union(*(c for _, c in chosen))
            if sum(len(c) for _, c in chosen) != len(covered):
                continue
            words = [w for w, _ in chosen] + [t for t in rest if t not in covered]
            if len(words) + sum(w.count(" - ") for w in words) < len(best) + sum(
                    w.count(" - ") for w in best):
                best = words
    return best


def as_set(words):
    """In brackets, unless it is one word that cannot be taken for a kind."""
    is_plain = len(words) == 1 and " " not in words[0] and words[0] not in KINDS
    return words[0] if is_plain else "{%s}" % ", ".join(words)


# ---- Statements ----


def quote(text):
    return '"%s"' % (text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
                     .replace("\t", "\\t"))


def value_text(kind, value):
    if kind.startswith("list("):
        return "[%s]" % ", ".join(value_text(kind[5:-1], v) for v in value)
    if kind == "string":
        return quote(value)
    if kind == "bool":
        return str(value).lower()
    if kind == "float":
        return float_text(value)
    if kind == "shape" and value != "unknown":
        return "[%s]" % ", ".join(map(str, value))
    return str(value)


def float_text(value):
    """The shortest decimal with a point that is the same float."""
    if float(value).is_integer() or value in (float("inf"), float("-inf")):
        return str(value)
    texts = (f"{value:.{digits}g}" for digits in range(1, 18))
    return next(t for t in texts if struct.pack("f", float(t)) == struct.pack("f", value))


def arg_text(arg):
    kind = arg.get("type") or arg.get("type_attr") or arg["type_list"]
    if arg.get("ref"):
        kind = f"Ref({kind})"
    return f"{arg['name']}: " + (f"{arg['number']} * " if "number" in arg else "") + kind


def attr_text(name, attr, groups):
    kind = attr["type"]
    if "allowed" in attr:
        base = kind.removeprefix("list(").removesuffix(")")
        inner = (as_set(ordered(attr["allowed"], groups)) if base == "type" else
                 "{%s}" % ", ".join(map(quote, attr["allowed"])))
        kind = f"list({inner})" if kind.startswith("list(") else inner
    text = f"{name}: {kind}"
    if "min" in attr:
        text += f" >= {attr['min']}"
    if "default" in attr:
        text += f" = {value_text(attr['type'], attr['default'])}"
    return text


def constraint_text(name, values, attr, groups):
    if attr["type"] in registry.TYPE_ATTRS:
        words = unordered(set(values), groups)
        return f"{name}: {words[0] if words[0] in KINDS and len(words) == 1 else as_set(words)}"
    if attr["type"] == "string":
        return f"{name}: {{%s}}" % ", ".join(map(quote, sorted(values)))
    (value,) = values
    return f"{name}: {value.lower()}"


def kernel_texts(op, kernel, groups):
    """One statement for each product of the types of |kernel|."""
    device = kernel["device"].lower()
    names, found = registry.combinations(kernel)
    if not set(names) <= set(op["attrs"]):
        return
    hosts = [a["name"] for a in op["inputs"] + op["outputs"]
             if a["name"] in kernel.get("host_memory", [])]
    tail = [f"host: {', '.join(dict.fromkeys(hosts))}"] if hosts else []
    tail += [f"{w}: {kernel[w]}" for w in ("priority", "label") if w in kernel]
    for row in registry.products(found) if names else [()]:
        parts = [constraint_text(n, v, op["attrs"][n], groups) for n, v in zip(names, row)]
        yield device, "; ".join((parts or ["any"]) + tail)


def statements(op, groups):
    if op["inputs"]:
        yield "in", ", ".join(map(arg_text, op["inputs"]))
    if op["outputs"]:
        yield "out", ", ".join(map(arg_text, op["outputs"]))
    for name, attr in op["attrs"].items():
        yield "attr", attr_text(name, attr, groups)
    flags = [word for key, word in FLAGS if op.get(key)]
    if flags:
        yield "is", ", ".join(flags)
    for kernel in op["kernels"]:
        yield from kernel_texts(op, kernel, groups)
    if "deprecated" in op:
        version, text = op["deprecated"]
        yield "removed", f"{version} {quote(text)}"


def wrap(word, text):
    if word == "removed":  # Its line does not go on: it has no comma.
        return f"  {word:8}{text}"
    # A line ends after a comma or semicolon, and not inside a text.
    hidden = re.sub(r'"[^"]*"|(?<![,;]) ', lambda m: m[0].replace(" ", "\0"), text)
    return textwrap.fill(hidden, 80, initial_indent=f"  {word:8}", subsequent_indent=" " * 12,
                         break_long_words=False, break_on_hyphens=False).replace("\0", " ")


def main():
    ops = registry.read(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        table = file.read()
    groups = read_groups(table)
    print(HEAD, end="")
    there = set(re.findall(r"^op (\w+)", table, re.M))
    for name in sorted(set(ops) - there):
        print(f"\nop {name}")
        for word, text in statements(ops[name], groups):
            print(wrap(word, text))
        lost = {n for k in ops[name]["kernels"] for n in registry.combinations(k)[0]}
        for attr in sorted(lost - set(ops[name]["attrs"])):
            print(f"  # TensorFlow's kernels ask for {attr}, which no node of this op has.")


if __name__ == "__main__":
    main()
