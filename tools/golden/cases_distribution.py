"""Cases of random numbers of other distributions, which have parameters."""

from cases_random import seeds
from golden_case import Case, GraphCase, Run, hidden, node, types
from golden_types import empty, index, registered, tensor

INF, NAN = float("inf"), float("nan")
# Poisson's rates are finite: TensorFlow draws without end for others.


def graph(kind, label, op, inputs, attrs, runs=2):
    """One random node over values that are not known before, run |runs| times."""
    nodes, names = [], []
    for i, value in enumerate(inputs):
        nodes += hidden(f"in{i}", value)
        names.append(f"in{i}")
    nodes.append(node("r", op, *names, **attrs, **seeds(87654321, 42)))
    return GraphCase(kind, label, nodes, [Run(["r"]) for _ in range(runs)])


def gamma(op):
    for idx, dtype in registered(op, "S", "T"):
        attrs = types(S=idx, T=dtype)

        def case(kind, dims, alpha, runs=2, attrs=attrs, idx=idx, dtype=dtype):
            return graph(kind, f"{idx},{dtype}", op,
                         [index(idx, dims), tensor(dtype, alpha)], attrs, runs)
        yield case("plain", [3], [0.5, 1, 7.5])
        if idx == "int64":
            continue
        yield case("plain long", [7, 3], [[0.25], [30]])
        if dtype == "float":
            yield from gamma_edges(case, NAN)


def gamma_edges(case, strange):
    yield case("scalar", [], 2.5)
    yield case("empty", [0], [2.5])
    yield case("empty parameters", [2], [], 1)
    yield case("special", [2], [0, strange], 1)
    yield case("mismatch rank", [[2]], [1.5], 1)
    yield case("mismatch negative", [-2], [1.5], 1)
    yield case("mismatch scalar shape", 2, [1.5], 1)


def poisson(op):
    for idx, rate, dtype in registered(op, "S", "R", "dtype"):
        if idx == "int64" and rate != "float":
            continue
        attrs = types(S=idx, R=rate, dtype=dtype)

        def case(kind, dims, value, runs=2, attrs=attrs, idx=idx, rate=rate,
                 dtype=dtype):
            return graph(kind, f"{idx},{rate},{dtype}", op,
                         [index(idx, dims), tensor(rate, value)], attrs, runs)
        yield case("plain", [3], [1, 5, 30])
        if rate != "double" or idx == "int64":
            continue
        yield case("plain long", [5, 4], [[0.25], [12.5]])
        if dtype == "float":
            yield from gamma_edges(case, 0)


def gamma_seeded(op):
    for dtype, idx, seed in registered(op, "dtype", "T", "Tseed"):
        def case(kind, dims, alpha, pair=(7, -3), dtype=dtype, idx=idx, seed=seed):
            return Case(kind, types(dtype=dtype, T=idx, Tseed=seed),
                        [index(idx, dims), tensor(seed, pair),
                         tensor(dtype, alpha)])
        yield case("plain", [4, 3], [0.5, 1, 7.5])
        if dtype == "float" and idx == "int32" and seed == "int64":
            yield from stateless_edges(case)
            yield case("mismatch seed", [2], [1, 2], (1, 2, 3))


def stateless_edges(case, strange=NAN):
    yield case("plain long", [11], 2.5)
    yield case("broadcast", [2, 3, 2], [[0.5], [1], [3]])
    yield case("scalar", [], 2.5)
    yield case("empty", [0, 2], [1, 2])
    yield case("empty parameters", [2, 0], [])
    yield case("special", [2, 2], [0, strange])
    yield case("mismatch", [3, 2], [1, 2, 3])
    yield case("mismatch short", [2], [[1, 2], [3, 4]])
    yield case("mismatch rank", [[2]], [1, 2])
    yield case("mismatch negative", [-2], [1, 2])


def gamma_keyed(op):
    for dtype, idx in registered(op, "dtype", "shape_dtype"):
        def case(kind, dims, alpha, key=(91,), counter=(5, 1 << 40), alg=1,
                 dtype=dtype, idx=idx):
            return Case(kind, types(dtype=dtype, shape_dtype=idx),
                        [index(idx, dims), tensor("uint64", key),
                         tensor("uint64", counter), tensor("int32", alg),
                         tensor(dtype, alpha)])
        yield case("plain", [4, 3], [0.5, 1, 7.5])
        if dtype == "float" and idx == "int32":
            yield from stateless_edges(case)
            yield case("other auto", [2, 2], [1, 2], alg=3)
            yield case("mismatch key", [2], [1, 2], (1, 2))
            yield case("mismatch counter", [2], [1, 2], counter=((1, 2),))
            yield case("mismatch algorithm", [2], [1, 2], alg=2)
            yield case("mismatch algorithms", [2], [1, 2], alg=(1,))


def poisson_seeded(op):
    for rate, dtype, idx, seed in registered(op, "Rtype", "dtype", "T", "Tseed"):
        if (idx == "int64" or seed == "int32") and rate != dtype:
            continue

        def case(kind, dims, lam, pair=(7, -3), rate=rate, dtype=dtype, idx=idx,
                 seed=seed):
            return Case(kind, types(Rtype=rate, dtype=dtype, T=idx, Tseed=seed),
                        [index(idx, dims), tensor(seed, pair),
                         tensor(rate, lam)])
        yield case("plain", [4, 3], [1, 5, 30])
        if rate == dtype == "float" and idx == "int32" and seed == "int64":
            yield from stateless_edges(case, 0)
            yield case("mismatch seed", [2], [1, 2], (1, 2, 3))


def binomial_seeded(op):
    for dtype, kind_of, idx, seed in registered(op, "dtype", "T", "S", "Tseed"):
        if (idx == "int64" or seed == "int32") and kind_of != dtype:
            continue

        def case(kind, dims, counts, probs, pair=(7, -3), dtype=dtype, kind_of=kind_of, idx=idx, seed=seed):
            return Case(kind, types(S=idx, Tseed=seed, T=kind_of, dtype=dtype),
                        [index(idx, dims), tensor(seed, pair), tensor(kind_of, counts), tensor(kind_of, probs)])
        yield case("plain", [4, 3], [5, 40, 1000], [0.25, 0.5, 0.75])
        if kind_of != dtype or dtype != "double" or idx == "int64" or seed == "int32":
            continue
        yield case("plain long", [70, 2], [[3], [60]][0], [0.125, 0.875])
        yield case("broadcast", [5, 3, 2], [[1], [20], [300]], [0.25, 0.75])
        yield case("scalar", [], 10, 0.5)
        yield case("empty", [0, 2], [1, 2], 0.5)
        yield case("special", [3, 4], 10, [0, 1, NAN, 0.5])
        yield case("zero", [2, 2], [0, 1], 0.5)
        yield case("mismatch", [3], [1, 2], 0.5)
        yield case("mismatch parameters", [2], [1, 2], [0.5, 0.25, 0.5])
        yield case("mismatch rank", [[2]], 1, 0.5)
        yield case("mismatch negative", [-2], 1, 0.5)
        yield case("mismatch seed", [2], 1, 0.5, (1, 2, 3))


BOUNDS = [  # mean, deviation, least, most: each way of drawing.
    (0, 1, -2, 2), (1, 2, 0.5, 1), (0, 1, 2, INF), (0, 1, -INF, -2),
    (3, 0.5, -INF, INF), (0, 1, 2, 2.25), (5, 1, 2, 3), (0, 1, -0.5, 0.5),
    (0, 1, 3, 9)]


def bounded(op):
    for dtype, idx in registered(op, "dtype", "T"):
        attrs = types(dtype=dtype, T=idx)

        def case(kind, dims, *values, runs=2, attrs=attrs, idx=idx, dtype=dtype):
            inputs = [index(idx, dims), *(tensor(dtype, v) for v in values)]
            return graph(kind, f"{dtype},{idx}", op, inputs, attrs, runs)
        yield case("plain", [9], 0, 1, -2, 2)
        if idx == "int64":
            continue
        for i, bounds in enumerate(BOUNDS):
            yield case(f"other {i}", [7], *bounds)
        if dtype != "float":
            continue
        yield case("broadcast", [2, 9], [0, 1], 1, [-2, 0.5], [2, 3])
        yield case("scalar", [], 0, 1, -2, 2)
        yield case("empty", [0, 3], 0, 1, -2, 2)
        yield case("mismatch bounds", [2], 0, 1, 2, -2, runs=1)
        yield case("mismatch deviation", [2], 0, -1, -2, 2, runs=1)
        yield case("mismatch sizes", [2, 3], [0, 1, 2], 1, -2, 2, runs=1)
        yield case("mismatch matrix", [2, 3], [[0, 1]], 1, -2, 2, runs=1)
        yield case("mismatch rank", [[2]], 0, 1, -2, 2, runs=1)


def bounded_seeded(op):
    for dtype, idx, seed in registered(op, "dtype", "S", "Tseed"):
        def case(kind, dims, *values, pair=(7, -3), dtype=dtype, idx=idx, seed=seed):
            inputs = [index(idx, dims), tensor(seed, pair),
                      *(tensor(dtype, v) for v in values)]
            return Case(kind, types(dtype=dtype, S=idx, Tseed=seed), inputs)
        yield case("plain", [9], 0, 1, -2, 2)
        if idx == "int64" or seed == "int32":
            continue
        for i, bounds in enumerate(BOUNDS):
            yield case(f"other {i}", [7], *bounds)
        if dtype != "float":
            continue
        yield case("broadcast", [5, 3, 2], [[0], [1], [2]], 1, [-2, 0.5], [2, 3])
        yield case("scalar", [], 0, 1, -2, 2)
        yield case("empty", [0, 3], 0, 1, -2, 2)
        yield case("mismatch bounds", [2], 0, 1, 2, -2)
        yield case("mismatch deviation", [2], 0, -1, -2, 2)
        yield case("mismatch sizes", [2, 3], [0, 1], 1, -2, 2)
        yield case("mismatch parameters", [2, 3], [0, 1], [1, 2, 3], -2, 2)
        yield case("mismatch rank", [[2]], 0, 1, -2, 2)
        yield case("mismatch seed", [2], 0, 1, -2, 2, pair=(1, 2, 3))


def gamma_gradient(op):
    for dtype in ("float", "double"):
        def case(kind, alpha, sample, dtype=dtype):
            return Case(kind, types(T=dtype),
                        [tensor(dtype, alpha), tensor(dtype, sample)])
        yield case("plain", [0.5, 1, 2.5, 7, 0.01], [0.25, 2, 1.5, 9, 1e-4])
        yield case("broadcast", [[0.5], [3]], [0.5, 1, 4])
        yield case("scalar", 2, 3)
        yield case("empty", [], [])
        if dtype == "double":  # Its float loses digits.
            yield case("plain large", [30, 100], [28, 120])
        yield case("special", [1, NAN, -1, 0, 2, INF], [0, 1, 1, 1, -1, 1])
    yield Case("mismatch", types(T="float"),
               [tensor("float", [1, 2]), tensor("float", [1, 2, 3])])


def class_seeded(op):
    for dtype, seed, out in registered(op, "T", "Tseed", "output_dtype"):
        def case(kind, logits, count, pair=(7, -3), dtype=dtype, seed=seed, out=out):
            return Case(kind, types(T=dtype, Tseed=seed, output_dtype=out),
                        [tensor(dtype, logits), index("int32", count),
                         tensor(seed, pair)])
        yield case("plain", [[0.5, 1, -1], [2, 0, 0.25]], 5)
        if dtype != "float" or out != "int64" or seed != "int64":
            continue
        yield case("special", [[-INF, 0, 1], [0, INF, -INF]], 6)
        yield Case("empty", types(T=dtype, Tseed=seed, output_dtype=out),
                   [empty(dtype, (0, 3)), index("int32", 2), tensor(seed, (1, 2))])
        yield case("empty samples", [[0.5, 1]], 0)
        yield case("mismatch rank", [0.5, 1], 2)
        yield case("mismatch count", [[0.5, 1]], -1)
        yield case("mismatch scalar", [[0.5, 1]], [1])
        yield case("mismatch seed", [[0.5, 1]], 1, (1, 2, 3))


def key_counter_algorithm(op):
    for seed in ("int32", "int64"):
        def case(kind, pair, seed=seed):
            return Case(kind, types(Tseed=seed), [tensor(seed, pair)], 3)
        yield case("plain", (1, 2))
        yield case("zero", (0, 0))
        yield case("scalar", 3)
        yield case("mismatch", (1, 2, 3))


def shuffle_keyed(op):
    for (dtype,) in registered(op, "T"):
        def case(kind, values, key=(91,), counter=(5, 1 << 40), alg=1,
                 dtype=dtype):
            return Case(kind, types(T=dtype),
                        [tensor(dtype, values), tensor("uint64", key),
                         tensor("uint64", counter), tensor("int32", alg)])
        yield case("plain", [1, 0, 1, 1, 0])
        if dtype != "float":
            continue
        yield case("plain long", list(range(40)))
        yield case("other rows", [[1, 2], [3, 4], [5, 6]])
        yield case("scalar", 3)
        yield case("empty", [])
        yield case("other one", [[1, 2]])
        yield case("other auto", [1, 2, 3], alg=3)
        yield case("mismatch key", [1, 2], (1, 2))
        yield case("mismatch algorithm", [1, 2], alg=2)


OPS = {
    "ParameterizedTruncatedNormal": bounded,
    "RandomGamma": gamma,
    "RandomGammaGrad": gamma_gradient,
    "RandomPoissonV2": poisson,
    "StatelessMultinomial": class_seeded,
    "StatelessParameterizedTruncatedNormal": bounded_seeded,
    "StatelessRandomBinomial": binomial_seeded,
    "StatelessRandomGammaV2": gamma_seeded,
    "StatelessRandomGammaV3": gamma_keyed,
    "StatelessRandomGetKeyCounterAlg": key_counter_algorithm,
    "StatelessRandomPoisson": poisson_seeded,
    "StatelessShuffle": shuffle_keyed,
}
