"""Cases of random ops: the same seeds give the same numbers, run after run."""

from golden_case import Case, GraphCase, Run, const, hidden, node, types
from golden_types import (empty, i32, index, plain, registered,
                          registered_types, tensor)


def seeds(seed, seed2):
    return {"seed": ("int", seed), "seed2": ("int", seed2)}


def graph(kind, label, op, shape, runs, attrs, seed=(87654321, 42), more=()):
    """One random node over a constant shape, run |runs| times."""
    inputs = ["shape"] + (["low", "high"] if more else [])
    nodes = [*hidden("shape", shape), *more,
             node("r", op, *inputs, **attrs, **seeds(*seed))]
    return GraphCase(kind, label, nodes, [Run(["r"]) for _ in range(runs)])


def distribution(op):
    for dtype, idx in registered(op, "dtype", "T"):
        attrs = {"dtype": ("type", dtype), "T": ("type", idx)}
        label = f"{dtype},{idx}"

        def case(kind, dims, runs=1, attrs=attrs, label=label, idx=idx, **more):
            return graph(kind, label, op, index(idx, dims), runs, attrs, **more)
        yield case("plain", [2, 3], 3)
        if idx == "int64":
            continue
        yield case("plain long", [43], 2)
        yield case("scalar", [], 2)
        yield case("empty", [0, 2])
        yield case("other seed", [3], seed=(1, 0))
        yield case("other second seed", [3], seed=(0, 7))
        yield case("mismatch negative", [2, -1])
        yield case("mismatch rank", [[2]])


def integers(op):
    for dtype, idx in registered(op, "Tout", "T"):
        attrs = {"Tout": ("type", dtype), "T": ("type", idx)}
        label = f"{dtype},{idx}"

        def case(kind, dims, low, high, runs=1, attrs=attrs, label=label,
                 dtype=dtype, idx=idx):
            more = [*hidden("low", tensor(dtype, low)),
                    *hidden("high", tensor(dtype, high))]
            return graph(kind, label, op, index(idx, dims), runs, attrs,
                         more=more)
        yield case("plain", [2, 3], -10, 10, 3)
        if idx == "int64":
            continue
        yield case("plain long", [43], 0, 1000, 2)
        yield case("scalar", [], 0, 2)
        yield case("empty", [0], 0, 2)
        yield case("overflow", [9], -(1 << 31), (1 << 31) - 1)
        yield case("mismatch", [2], 3, 3)
        yield case("mismatch rank", [2], [0], 3)
        yield case("mismatch negative", [-2], 0, 3)


def several(op):
    """Two nodes of one graph have sequences of their own."""
    yield from distribution(op)
    nodes = [const("shape", index("int32", [3]))]
    attrs = {"dtype": ("type", "float"), "T": ("type", "int32")}
    nodes += [node("a", op, "shape", **attrs, **seeds(5, 9)),
              node("b", op, "shape", **attrs, **seeds(5, 9)),
              node("c", op, "shape", **attrs, **seeds(5, 10))]
    yield GraphCase("other several", "float,int32", nodes,
                    [Run(["a", "b"]), Run(["b", "c"]), Run(["a", "b", "c"])])


def other_sizes(op):
    """A sequence goes on where it was when the size changes."""
    yield from several(op)
    attrs = {"dtype": ("type", "float"), "T": ("type", "int32")}
    nodes = [node("shape", "Placeholder", dtype=("type", "int32"),
                  shape=("shape", (None,))),
             node("r", op, "shape", **attrs, **seeds(5, 9))]
    runs = [Run(["r"], {"shape": index("int32", dims)})
            for dims in ([5], [2, 2], [1], [5])]
    yield GraphCase("other sizes", "float,int32", nodes, runs)


def shuffle(op):
    for dtype in registered_types(op):
        def case(kind, shape, runs=2, seed=(87654321, 42), dtype=dtype):
            nodes = [*hidden("x", plain(dtype, shape)),
                     node("r", op, "x", T=("type", dtype), **seeds(*seed))]
            return GraphCase(kind, dtype, nodes,
                             [Run(["r"]) for _ in range(runs)])
        yield case("plain", (7,), 3)
        if dtype != "float":
            continue
        yield case("other rows", (5, 2))
        yield case("other seed", (40,), seed=(1, 2))
        yield case("scalar", ())
        yield case("empty", (0, 2))
        yield case("other one", (1, 3))


def multinomial(op):
    for dtype, out in registered(op, "T", "output_dtype"):
        def case(kind, logits, count, runs=2, dtype=dtype, out=out):
            nodes = [*hidden("x", logits), *hidden("n", i32(count)),
                     node("r", op, "x", "n", T=("type", dtype),
                          output_dtype=("type", out), **seeds(7, 42))]
            return GraphCase(kind, f"{dtype},{out}", nodes,
                             [Run(["r"]) for _ in range(runs)])
        yield case("plain", plain(dtype, (2, 3)), 5, 3)
        if dtype != "float" or out != "int64":
            continue
        inf = float("inf")
        yield case("special", tensor(dtype, [[-inf, 0, 1], [0, inf, -inf]]), 6)
        yield case("empty", empty(dtype, (0, 3)), 2)
        yield case("empty samples", plain(dtype, (2, 3)), 0)
        yield case("mismatch rank", plain(dtype, (3,)), 2)
        yield case("mismatch count", plain(dtype, (2, 3)), -1)
        yield case("mismatch scalar", plain(dtype, (2, 3)), [1])
        yield case("mismatch classes", empty(dtype, (2, 0)), 1)


def seeded(op, limits=()):
    """Numbers that two seeds decide, and nothing else."""
    for dtype, idx, seed_type in registered(op, "dtype", "T", "Tseed"):
        def case(kind, dims, seed=(7, -3), limits=limits, dtype=dtype, idx=idx,
                 seed_type=seed_type):
            inputs = [index(idx, dims), tensor(seed_type, seed)]
            inputs += [tensor(dtype, limit) for limit in limits]
            return Case(kind, types(dtype=dtype, T=idx, Tseed=seed_type), inputs)
        yield case("plain", [2, 3])
        if idx == "int64" or seed_type != "int32":
            continue
        yield case("plain long", [43])
        yield case("scalar", [])
        yield case("empty", [0, 2])
        yield case("zero", [3], (0, 0))
        yield case("mismatch negative", [2, -1])
        yield case("mismatch rank", [[2]])
        yield case("mismatch seed", [2], (1, 2, 3))
        if limits:
            yield case("mismatch limits", [2], limits=(3, 3))
            yield case("mismatch limit", [2], limits=([1], 3))


def keyed(op, limits=()):
    """Numbers that a key and a counter decide."""
    for dtype, idx in registered(op, "dtype", "Tshape"):
        def case(kind, dims, key=(91,), counter=(5, 1 << 40), alg=1,
                 limits=limits, dtype=dtype, idx=idx):
            inputs = [index(idx, dims), tensor("uint64", key),
                      tensor("uint64", counter), tensor("int32", alg)]
            inputs += [tensor(dtype, limit) for limit in limits]
            return Case(kind, types(dtype=dtype, Tshape=idx), inputs)
        yield case("plain", [2, 3])
        if idx == "int64":
            continue
        yield case("plain long", [43])
        yield case("plain auto", [5], alg=3)
        yield case("scalar", [])
        yield case("empty", [0, 2])
        yield case("overflow", [9], counter=((1 << 64) - 2, 0))
        yield case("other long counter", [3], counter=(1, 2, 3))
        yield case("mismatch negative", [2, -1])
        yield case("mismatch rank", [[2]])
        yield case("mismatch key", [2], key=(1, 2))
        yield case("mismatch counter", [2], counter=((1, 2),))
        yield case("mismatch algorithm", [2], alg=2)
        yield case("mismatch algorithms", [2], alg=(1,))
        if limits:
            yield case("mismatch limits", [2], limits=(3, 3))
            yield case("mismatch limit", [2], limits=(1, [3]))


def key_counter(op):
    for seed_type in registered_types(op, "Tseed"):
        def case(kind, seed, seed_type=seed_type):
            return Case(kind, types(Tseed=seed_type), [tensor(seed_type, seed)], 2)
        yield case("plain", (1, 2))
        yield case("zero", (0, 0))
        yield case("other negative", (-1, -(1 << 31)))
        yield case("scalar", 3)
        yield case("mismatch", (1, 2, 3))
        yield case("empty", ())


def algorithm(op):
    del op
    yield Case("scalar", {}, [])


def seeded_integers(op):
    yield from seeded(op, (-10, 1000))


def keyed_integers(op):
    yield from keyed(op, (-10, 1000))


def sampler(op):
    """Classes drawn: the same seeds give the same ones, run after run."""
    def case(kind, trues, count, unique, classes=20, columns=1, runs=3, **more):
        attrs = {"num_true": ("int", columns), "num_sampled": ("int", count), "unique": ("bool", unique), **more}
        if op != "AllCandidateSampler":
            attrs["range_max"] = ("int", classes)
        if op == "FixedUnigramCandidateSampler" and "unigrams" not in more:
            attrs["unigrams"] = ("floats", [float(i % 5 + 1) for i in range(classes)])
        nodes = [*hidden("x", tensor("int64", trues)), node("r", op, "x", **attrs, **seeds(7, 42))]
        return GraphCase(kind, "", nodes, [Run(["r:0", "r:1", "r:2"]) for _ in range(runs)])
    yield case("plain", [[1], [4], [6]], 8, True, 8)
    many = {"FixedUnigramCandidateSampler": (20, 30), "AllCandidateSampler": (70, 70)}.get(op, (70, 1000))
    yield case("plain long", [[1, 2], [4, 0]], many[0], True, many[1], 2)
    yield case("plain again", [[1], [4]], 9, False)
    yield case("mismatch rank", [1, 4], 5, True)
    yield case("mismatch columns", [[1, 2]], 5, True)
    if op != "AllCandidateSampler":
        yield case("mismatch range", [[1]], 9, True, 8)
    if op == "FixedUnigramCandidateSampler":
        yield case("plain shard", [[1]], 3, True, 5, unigrams=("floats", [float(i) for i in range(1, 9)]),
                   distortion=("float", 0.75), num_reserved_ids=("int", 2), num_shards=("int", 2), shard=("int", 1))
        yield case("mismatch weights", [[1]], 3, True, 5, unigrams=("floats", [1.0, 2.0]))


def hits(op):
    """Classes that were drawn and are right."""
    def case(kind, trues, drawn, columns):
        return Case(kind, {"num_true": ("int", columns)}, [tensor("int64", trues), tensor("int64", drawn)], 3)
    yield case("plain", [[1, 2], [4, 2]], [2, 9, 4, 2], 2)
    yield case("empty", [[1], [3]], [2, 9], 1)
    yield case("mismatch columns", [[1], [3]], [2, 9], 2)
    yield case("mismatch rank", [[1], [3]], [[2, 9]], 1)


def sobol(op):
    for dtype in registered_types(op, "dtype"):
        def case(kind, dim, count, skip, dtype=dtype):
            return Case(kind, types(dtype=dtype), [i32(dim), i32(count), i32(skip)])
        yield case("plain", 101, 4, 0)
        yield case("plain", 3, 40, 0)
        for bits in (5, 10, 20, 26, 29):  # TensorFlow's numbers are negative from point 2**30 on.
            yield case("plain far", 101, 2, 2**bits - 1)
        yield case("plain one", 1, 3, 1000003)
        for i, wrong in ((0, 0), (0, -1), (0, 21201), (1, 0), (1, -1), (1, 2**31 - 1), (2, -2), (2, 2**31 - 2)):
            numbers = [3, 2, 1]
            numbers[i] = wrong
            yield case("mismatch number", *numbers)
        for i in range(3):
            numbers = [3, 2, 1]
            numbers[i] = [1]
            yield case("mismatch rank", *numbers)


OPS = {
    "SobolSample": sobol,
    "AllCandidateSampler": sampler,
    "ComputeAccidentalHits": hits,
    "FixedUnigramCandidateSampler": sampler,
    "LogUniformCandidateSampler": sampler,
    "UniformCandidateSampler": sampler,
    "Multinomial": multinomial,
    "RandomShuffle": shuffle,
    "StatelessRandomUniform": seeded,
    "StatelessRandomNormal": seeded,
    "StatelessTruncatedNormal": seeded,
    "StatelessRandomUniformInt": seeded_integers,
    "StatelessRandomUniformFullInt": seeded,
    "StatelessRandomUniformV2": keyed,
    "StatelessRandomNormalV2": keyed,
    "StatelessTruncatedNormalV2": keyed,
    "StatelessRandomUniformIntV2": keyed_integers,
    "StatelessRandomUniformFullIntV2": keyed,
    "StatelessRandomGetKeyCounter": key_counter,
    "StatelessRandomGetAlg": algorithm,
    "RandomUniform": other_sizes,
    "RandomStandardNormal": other_sizes,
    "TruncatedNormal": other_sizes,
    "RandomUniformInt": integers,
}
