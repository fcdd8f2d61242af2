#!/usr/bin/env python3
"""Says which ops and types the golden files cover, and fails where one is not.

    coverage_test.py GOLDEN_TEST

GOLDEN_TEST is the program that replays the files; it also lists the ops that
have CPU kernels. Checked are the ops below and every op with a kernel: each
combination of types that TensorFlow registers for the CPU needs a kernel and a
case, or a line in exceptions.txt; and each edge that applies to an op needs a
case for every type it is about. The test that replays an op's file shows that
the kernel does the types of its cases.
"""

import collections
import fnmatch
import itertools
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/golden"
sys.path.insert(0, str(ROOT / "tools/registry"))
import registry as recorded  # noqa: E402

REQUIRED = """
Const Placeholder PlaceholderWithDefault Identity IdentityN NoOp StopGradient
Add AddV2 Sub Mul RealDiv FloorDiv FloorMod AddN Maximum Minimum Neg Abs Square
Sqrt Rsqrt Exp Log Sigmoid Tanh Relu Equal NotEqual Less LessEqual Greater
GreaterEqual LogicalAnd LogicalOr LogicalNot Select SelectV2 Cast MatMul
BatchMatMulV2 BiasAdd Softmax Sum Mean Prod Max Min All Any ArgMax Shape Size
Rank Reshape ExpandDims Squeeze Transpose ConcatV2 Split Pack Unpack Slice
StridedSlice Tile Fill ZerosLike OnesLike Range GatherV2 OneHot RandomUniform
RandomStandardNormal TruncatedNormal VariableV2 Assign AssignAdd AssignSub
VarHandleOp ReadVariableOp AssignVariableOp VarIsInitializedOp FIFOQueueV2
QueueEnqueueV2 QueueDequeueV2 QueueCloseV2 Print Assert
""".split()

TYPES = """
float double half bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64
bool complex64 complex128 string qint8 quint8 qint16 quint16 qint32 float8_e5m2
float8_e4m3fn float8_e4m3fnuz float8_e4m3b11fnuz float8_e5m2fnuz int4 uint4 int2
uint2 float4_e2m1fn resource variant
""".split()
FLOATS = {"float", "double", "half", "bfloat16"}
INTS = {f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)}

BINARY = """Add AddV2 Sub Mul RealDiv FloorDiv FloorMod Maximum Minimum Equal
NotEqual Less LessEqual Greater GreaterEqual Div DivNoNan TruncateDiv
TruncateMod Mod SquaredDifference Pow Atan2 MulNoNan Xlogy Xdivy""".split()
UNARY = """Neg Abs Square Sqrt Rsqrt Exp Log Sigmoid Tanh Relu Expm1 Log1p Relu6
Elu Selu Softplus Softsign Sign Sin Cos Tan Floor Ceil Rint Reciprocal Inv Erf
Erfc LeakyRelu IsNan IsInf IsFinite""".split()
REDUCE = "Sum Mean Prod Max Min ArgMax ArgMin".split()
PRODUCT = "MatMul BatchMatMul BatchMatMulV2 BiasAdd".split()
AXIS = """ExpandDims Squeeze ConcatV2 Concat Split SplitV Pack Unpack
StridedSlice ReverseV2""".split()
MOVE = """Reshape Transpose Slice Tile Fill BroadcastTo GatherV2 Gather
OneHot""".split()

# edge -> (ops it applies to, types it is about; None: all)
EDGES = {
    "empty": (BINARY + UNARY + REDUCE + PRODUCT + AXIS + MOVE + """AddN Select
        SelectV2 Softmax LogSoftmax Identity StopGradient ZerosLike OnesLike
        Shape Size Rank Range RandomUniform RandomStandardNormal TruncatedNormal
        RandomUniformInt""".split(), None),
    "scalar": (BINARY + UNARY + REDUCE + PRODUCT + AXIS + MOVE + """AddN Select
        SelectV2 Softmax LogSoftmax Identity StopGradient ZerosLike OnesLike
        Shape Size Rank RandomUniform RandomStandardNormal
        TruncatedNormal""".split(), None),
    "broadcast": (BINARY + ["Select", "SelectV2", "BatchMatMulV2",
                            "BroadcastTo"], None),
    "axis": (REDUCE + AXIS + ["All", "Any"], None),
    "special": (BINARY + UNARY + REDUCE + PRODUCT + """AddN Softmax LogSoftmax
        Range Fill Identity AssignAdd AssignSub AssignAddVariableOp
        AssignSubVariableOp""".split(), FLOATS),
    "overflow": (BINARY + UNARY + REDUCE + PRODUCT + """AddN Cast AssignAdd
        AssignSub AssignAddVariableOp AssignSubVariableOp Range""".split(),
                 INTS),
    "zero": ("RealDiv FloorDiv FloorMod Div DivNoNan Mod TruncateDiv "
             "TruncateMod Range".split(), None),
    "mismatch": (BINARY + REDUCE + PRODUCT + AXIS + MOVE + """AddN Select
        SelectV2 Range Assign AssignAdd AssignSub""".split(), None),
    "huge": (["Reshape", "Tile", "Fill"], {"float"}),
}


# ---- What is registered ----


def combinations(op):
    """The combinations of types that TensorFlow registers for |op| on a CPU, as
    frozensets of (attribute, type). An attribute that no registration limits is
    a combination of its own for each of its types."""
    kernels = [k for k in op["kernels"] if k["device"] == "CPU"] or [
        k for k in op["kernels"] if k["device"] == "DEFAULT"]
    types = {n for n, a in op["attrs"].items()
             if a["type"] in recorded.TYPE_ATTRS}
    wanted, limited = set(), set()
    for kernel in kernels:
        names, found = recorded.combinations(kernel)
        limited.update(names)
        wanted |= {frozenset((n, t) for n, t in zip(names, values) if n in types)
                   for values in found}
    for name in types - limited:
        wanted |= {frozenset([(name, t)])
                   for t in op["attrs"][name].get("allowed") or TYPES}
    wanted.discard(frozenset())
    allowed = {n: a.get("allowed") for n, a in op["attrs"].items()}
    return {c for c in wanted
            if all(not allowed[n] or t in allowed[n] for n, t in c)}


def main_types(wanted, op):
    """The types of an op's first type attribute."""
    names = [n for n, a in op["attrs"].items()
             if a["type"] in ("type", "list(type)")]
    return {t for c in wanted for n, t in c if names and n == names[0]}


# ---- What there is ----


def read_types(words):
    return [tuple(word.split("=", 1)) for word in words if "=" in word]


def read_file(path, cases, edges):
    """Adds the cases of one golden file: op -> types -> how many, and the edges
    that each type has."""
    op, kind, label = path.stem, "", ""
    node, seen = None, set()
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split(" ")
        if words[0] in ("case", "graph"):
            seen, node, label = set(), op, words[1]
            for edge in words[2:]:
                edges[op][edge] |= {t.split("=")[-1]
                                    for t in label.split(",")}
            if words[0] == "case":
                count(cases, op, read_types(label.split(",")), seen)
        elif words[0] == "node":
            node = words[2]
            count(cases, node, read_types(words[3:]), seen)
        elif words[0] == "const":
            types = [("dtype", words[2])]
            count(cases, "Const", types, seen)
        elif words[0] == "attr" and words[2] == "types":
            for name in words[3].split(","):
                count(cases, node, [(words[1], name)], seen)


def count(cases, op, types, seen):
    """Counts a case for every combination of |types|, once per case."""
    for size in range(len(types) + 1):
        for chosen in itertools.combinations(types, size):
            key = (op, frozenset(chosen))
            if key not in seen:
                seen.add(key)
                cases[op][frozenset(chosen)] += 1


def read_exceptions(path):
    """Lists of op, type and reason; op and type may be patterns."""
    return [line.split(None, 2) for line in
            path.read_text(encoding="utf-8").splitlines()
            if line and not line.startswith("#")]


# ---- The report ----


def print_table(ops, cases):
    """Prints how many cases there are for each op and type."""
    shown = [t for t in TYPES if any(
        t in dict(c).values() for op in ops for c in cases[op])]
    print(f"{'op':24}" + " ".join(f"{t[-11:]:>11}" for t in shown))
    for op in ops:
        row = []
        for t in shown:
            total = max((n for c, n in cases[op].items()
                         if len(c) == 1 and t in dict(c).values()), default=0)
            row.append(f"{total or '.':>11}")
        print(f"{op:24}" + " ".join(row))


def excused(op, types, exceptions, used):
    for exception in exceptions:
        if fnmatch.fnmatch(op, exception[0]) and any(
                fnmatch.fnmatch(t, exception[1]) for t in (*types, "any")):
            used.add(id(exception))
            return True
    return False


def check(registry, kernels, cases, edges, exceptions):
    """Yields a line for everything that is missing."""
    used = set()
    for op in sorted(set(REQUIRED) | kernels):
        if op not in registry:
            continue
        wanted = combinations(registry[op])
        if not cases[op] and not excused(op, (), exceptions, used):
            yield f"{op}: no case at all"
            continue
        if op not in kernels and not excused(op, (), exceptions, used):
            yield f"{op}: no kernel"
        for c in sorted(wanted, key=sorted):
            types = dict(c).values()
            if not cases[op][c] and not excused(op, types, exceptions, used):
                yield f"{op}: no case for " + ", ".join(
                    f"{n}={t}" for n, t in sorted(c))
        for edge, (ops, about) in EDGES.items():
            types = main_types(wanted, registry[op])
            for t in sorted(types & (about or types)) if op in ops else ():
                if t not in edges[op][edge] and not excused(
                        op, (t, edge), exceptions, used):
                    yield f"{op}: no case of kind '{edge}' for {t}"
    for exception in exceptions:
        if id(exception) not in used:
            yield f"exceptions.txt: not needed: {' '.join(exception)}"


def main():
    listing = subprocess.run([sys.argv[1], "--kernels"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    kernels = set(listing.split())
    registry = recorded.read(ROOT / "tests/data/oracle/registry.txt")
    cases = collections.defaultdict(collections.Counter)
    edges = collections.defaultdict(lambda: collections.defaultdict(set))
    for path in sorted(DATA.glob("[A-Z_]*.txt")):
        if path.name != "CMakeLists.txt":
            read_file(path, cases, edges)
    ops = sorted(op for op in cases if (DATA / f"{op}.txt").exists())
    print_table(ops, cases)
    missing = list(check(registry, kernels, cases, edges,
                         read_exceptions(DATA / "exceptions.txt")))
    total = sum(cases[op][frozenset()] for op in ops)
    print(f"\n{len(ops)} ops, {total} cases of them, {len(missing)} missing")
    print("\n".join(missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
