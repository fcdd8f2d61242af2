"""Cases of what is computed with sparse tensors: products, sums, reductions."""

from golden_case import Case, types
from golden_types import (FLOATS, Tensor, empty, i32, index, numbers, plain, registered, registered_types,
                          special, tensor)


def i64(values):
    return index("int64", values)


AT = [[0, 1], [1, 0], [1, 2]]  # Places of three elements of a 2 x 3.
SHAPE = [2, 3]
NONE = empty("int64", (0, 2))


def some(dtype, first=0, at=AT, shape=SHAPE):
    """A sparse tensor: places, values, shape."""
    at = at if isinstance(at, Tensor) else i64(at)
    return [at, plain(dtype, (at.shape[0],), first), i64(shape)]


def product(op):
    for dtype, places in registered(op, "T", "Tindices"):
        def case(kind, at, values, shape, b, **attrs):
            at = at if isinstance(at, Tensor) else index(places, at)
            shape = shape if isinstance(shape, Tensor) else i64(shape)
            return Case(kind, {**types(T=dtype, Tindices=places), **attrs}, [at, values, shape, b])
        three, b = plain(dtype, (3,)), plain(dtype, (3, 2), 4)
        yield case("plain", AT, three, SHAPE, b)
        yield case("other adjoint a", AT, three, SHAPE, plain(dtype, (2, 4), 4), adjoint_a=("bool", True))
        yield case("other adjoint b", AT, three, SHAPE, plain(dtype, (2, 3), 4), adjoint_b=("bool", True))
        yield case("other adjoints", AT, three, SHAPE, plain(dtype, (5, 2), 4), adjoint_a=("bool", True),
                   adjoint_b=("bool", True))
        yield case("other twice", [[1, 1], [1, 1], [0, 0]], three, SHAPE, b)
        yield case("empty", empty(places, (0, 2)), empty(dtype, (0,)), SHAPE, b)
        yield case("empty columns", AT, three, SHAPE, empty(dtype, (3, 0)))
        yield case("empty rows", empty(places, (0, 2)), empty(dtype, (0,)), [0, 3], b)
        yield case("mismatch far", [[0, 1], [1, 3], [1, 2]], three, SHAPE, b)
        yield case("mismatch row", [[0, 1], [2, 0], [1, 2]], three, SHAPE, b)
        yield case("mismatch before", [[0, 1], [-1, 0], [1, 2]], three, SHAPE, b)
        yield case("mismatch inner", AT, three, [2, 4], b)
        yield case("mismatch values", AT, plain(dtype, (2,)), SHAPE, b)
        yield case("mismatch columns", [[0, 1, 2]], plain(dtype, (1,)), SHAPE, b)
        yield case("mismatch rank", AT, three, [2, 3, 4], b)
        yield case("mismatch b", AT, three, SHAPE, plain(dtype, (3,)))
        yield case("mismatch indices", [0, 1, 2], three, SHAPE, b)
        yield case("mismatch vector", AT, plain(dtype, (3, 1)), SHAPE, b)
        yield case("mismatch shape", AT, three, i64([[2, 3]]), b)


def cwise(op):
    for dtype in registered_types(op):
        def case(kind, sparse, dense):
            return Case(kind, types(T=dtype), [*sparse, dense])
        yield case("plain", some(dtype), plain(dtype, (2, 3), 4))
        yield case("broadcast", some(dtype), plain(dtype, (3,), 4))
        yield case("broadcast", some(dtype), plain(dtype, (2, 1), 4))
        yield case("scalar", some(dtype), plain(dtype, (), 4))
        yield case("empty", some(dtype, at=NONE), plain(dtype, (2, 3)))
        yield case("other vector", some(dtype, at=[[0], [3]], shape=[4]), plain(dtype, (4,), 4))
        yield case("other rank 3", some(dtype, at=[[0, 1, 1], [1, 0, 0]], shape=[2, 2, 2]), plain(dtype, (2, 2), 4))
        yield case("mismatch size", some(dtype), plain(dtype, (2, 2)))
        yield case("mismatch larger", some(dtype), plain(dtype, (1, 2, 3)))
        yield case("mismatch values", [i64(AT), plain(dtype, (2,)), i64(SHAPE)], plain(dtype, (2, 3)))
        yield case("mismatch indices", [i64([0, 1]), plain(dtype, (2,)), i64(SHAPE)], plain(dtype, (2, 3)))
        yield case("mismatch vector", [i64(AT), plain(dtype, (3, 1)), i64(SHAPE)], plain(dtype, (2, 3)))
        yield case("mismatch rank", some(dtype, shape=[2, 3, 4]), plain(dtype, (2, 3)))
        yield case("mismatch far", some(dtype, at=[[0, 5]]), plain(dtype, (2, 3)))
        if dtype not in FLOATS and op.endswith("Div"):
            yield case("zero", some(dtype), tensor(dtype, [0, 1, 2]))
    yield Case("mismatch shape", types(T="float"), [i64(AT), plain("float", (3,)), i64([[2, 3]]), plain("float", (2, 3))])


def dense_add(op):
    for dtype, places in registered(op, "T", "Tindices"):
        def case(kind, at, values, shape, dense):
            return Case(kind, types(T=dtype, Tindices=places),
                        [at if isinstance(at, Tensor) else index(places, at), values, index(places, shape), dense])
        three = plain(dtype, (3,))
        yield case("plain", AT, three, SHAPE, plain(dtype, (2, 3), 4))
        yield case("other twice", [AT[0], AT[0], AT[1]], three, SHAPE, plain(dtype, (2, 3), 4))
        yield case("other vector", [[0], [3], [1]], three, [4], plain(dtype, (4,), 4))
        yield case("empty", empty(places, (0, 2)), empty(dtype, (0,)), SHAPE, plain(dtype, (2, 3)))
        if dtype != "float":
            continue
        yield case("mismatch shapes", AT, three, SHAPE, plain(dtype, (2, 4)))
        yield case("mismatch ranks", AT, three, SHAPE, plain(dtype, (3,)))
        yield case("mismatch values", AT, plain(dtype, (2,)), SHAPE, plain(dtype, (2, 3)))
        yield case("mismatch indices", [0, 1], plain(dtype, (2,)), SHAPE, plain(dtype, (2, 3)))
        yield case("mismatch vector", AT, plain(dtype, (3, 1)), SHAPE, plain(dtype, (2, 3)))
        yield case("mismatch columns", [[0, 1, 0]], plain(dtype, (1,)), SHAPE, plain(dtype, (2, 3)))
        yield case("mismatch shape", AT, three, [SHAPE], plain(dtype, (2, 3)))
        yield case("mismatch far", [[0, 1], [0, 5], [1, 1]], three, SHAPE, plain(dtype, (2, 3)))
        yield case("mismatch before", [[0, 1], [-1, 0], [1, 1]], three, SHAPE, plain(dtype, (2, 3)))


OTHER = [[0, 0], [0, 1], [1, 2]]


def pairs(dtype, kind, attrs, rest=(), outputs=2):
    """Cases of two sparse tensors of one shape."""
    def case(name, a, b):
        return Case(name, {**types(T=dtype), **attrs}, [*a, *b, *rest], output_count=outputs)
    yield case("plain", some(dtype), some(dtype, 4, OTHER))
    yield case("empty", some(dtype), some(dtype, at=NONE))
    yield case("empty both", some(dtype, at=NONE), some(dtype, at=NONE))
    yield case("other vector", some(dtype, at=[[0], [3]], shape=[4]), some(dtype, 3, [[1], [3]], [4]))
    yield case("mismatch shapes", some(dtype), some(dtype, 4, OTHER, [3, 3]))
    yield case("mismatch ranks", some(dtype), some(dtype, 4, [[1], [3]], [4]))
    yield case("mismatch values", [i64(AT), plain(dtype, (2,)), i64(SHAPE)], some(dtype))
    yield case("mismatch values", some(dtype), [i64(AT), plain(dtype, (2,)), i64(SHAPE)])
    yield case("mismatch indices", [i64([0, 1]), plain(dtype, (2,)), i64(SHAPE)], some(dtype))
    yield case("mismatch vector", [i64(AT), plain(dtype, (3, 1)), i64(SHAPE)], some(dtype))
    yield case("mismatch columns", some(dtype, at=[[0, 1, 0]]), some(dtype))
    yield case("mismatch shape", [i64(AT), plain(dtype, (3,)), i64([[2, 3]])], some(dtype))


def add(op):
    for dtype, real in registered(op, "T", "Treal"):
        if real != {"complex64": "float", "complex128": "double"}.get(dtype, dtype):
            continue
        zero = tensor(real, 0)
        yield from pairs(dtype, "plain", types(Treal=real), [zero], 3)

        def case(kind, a, b, least):
            return Case(kind, types(T=dtype, Treal=real), [*a, *b, least], output_count=3)
        both = some(dtype), [i64(AT), tensor(dtype, [-v for v in numbers(dtype, 2)] + numbers(dtype, 1)), i64(SHAPE)]
        yield case("other cancelled", *both, zero)
        yield case("other cancelled", *both, tensor(real, 1))
        yield case("other least", some(dtype), some(dtype, 4, OTHER), tensor(real, 3))
        yield case("mismatch least", some(dtype), some(dtype, 4, OTHER), tensor(real, [3]))
        yield case("mismatch order", some(dtype, at=AT[::-1]), some(dtype, 4, OTHER), zero)


def add_grad(op):
    for dtype in registered_types(op):
        def case(kind, grad, a, b, sums):
            return Case(kind, types(T=dtype), [grad, *(v if isinstance(v, Tensor) else i64(v) for v in (a, b, sums))],
                        output_count=2)
        sums = [[0, 0], [0, 1], [1, 0], [1, 2]]
        yield case("plain", plain(dtype, (4,)), AT, OTHER, sums)
        yield case("plain fewer", plain(dtype, (2,)), AT, OTHER, sums[1:3])
        yield case("empty", empty(dtype, (0,)), NONE, NONE, NONE)
        yield case("empty one", plain(dtype, (3,)), AT, NONE, AT)
        yield case("mismatch grads", plain(dtype, (3,)), AT, OTHER, sums)
        yield case("mismatch rank", plain(dtype, (4, 1)), AT, OTHER, sums)
        yield case("mismatch indices", plain(dtype, (4,)), [0, 1], OTHER, sums)
        yield case("mismatch columns", plain(dtype, (4,)), [[0, 1, 2]], OTHER, sums)


def extreme(op):
    for dtype in registered_types(op):
        yield from pairs(dtype, "plain", {})


def reduction(op):
    is_sparse = op.endswith("Sparse")
    for dtype in registered_types(op):
        def case(kind, sparse, axes, keep=False):
            axes = axes if isinstance(axes, Tensor) else i32(axes)
            return Case(kind, {**types(T=dtype), "keep_dims": ("bool", keep)}, [*sparse, axes],
                        output_count=3 if is_sparse else 1)
        for keep in (False, True):
            for axes in ([0], [1], [-1], [0, 1], [], 1):
                yield case("axis", some(dtype), axes, keep)
            yield case("empty", some(dtype, at=NONE), [0], keep)
        deep = some(dtype, at=[[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 1]], shape=[2, 2, 2])
        for axes in ([0], [1], [2], [0, 2], [1, 2]):
            yield case("plain", deep, axes)
        yield case("other order", some(dtype, at=AT[::-1]), [1])
        yield case("other twice", some(dtype), [1, -1])
        yield case("mismatch axis", some(dtype), [2])
        yield case("mismatch axis", some(dtype), [-3])
        yield case("mismatch values", [i64(AT), plain(dtype, (2,)), i64(SHAPE)], [0])
        yield case("mismatch vector", [i64(AT), plain(dtype, (3, 1)), i64(SHAPE)], [0])
        yield case("mismatch indices", [i64([0, 1]), plain(dtype, (2,)), i64(SHAPE)], [0])
        yield case("mismatch rank", some(dtype, shape=[2, 3, 4]), [0])
        yield case("mismatch shape", [i64(AT), plain(dtype, (3,)), i64([[2, 3]])], [0])
        yield case("mismatch far", some(dtype, at=[[0, 5]]), [1])
        yield case("mismatch before", some(dtype, at=[[0, -1]]), [1])
        if not is_sparse:
            yield case("mismatch kept far", some(dtype, at=[[0, 5]]), [0])
            yield case("mismatch kept before", some(dtype, at=[[0, -1]]), [0])
        yield case("mismatch negative", some(dtype, at=NONE, shape=[2, -3]), [0])


def softmax(op):
    for dtype in registered_types(op):
        def case(kind, sparse):
            return Case(kind, types(T=dtype), sparse)
        yield case("plain", some(dtype))
        yield case("plain deep", some(dtype, at=[[0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0]], shape=[2, 2, 2]))
        yield case("empty", some(dtype, at=NONE))
        yield case("special", [i64([[0, k] for k in range(7)]), tensor(dtype, special(dtype)), i64([1, 7])])
        yield case("mismatch rank", some(dtype, at=[[0], [1]], shape=[4]))
        yield case("mismatch order", some(dtype, at=AT[::-1]))
        yield case("mismatch values", [i64(AT), plain(dtype, (2,)), i64(SHAPE)])
        yield case("mismatch vector", [i64(AT), plain(dtype, (3, 1)), i64(SHAPE)])
        yield case("mismatch indices", [i64([0, 1]), plain(dtype, (2,)), i64(SHAPE)])
        yield case("mismatch columns", some(dtype, shape=[2, 3, 4]))
        yield case("mismatch shape", [i64(AT), plain(dtype, (3,)), i64([[2, 3]])])
        yield case("mismatch far", some(dtype, at=[[0, 5]]))


OPS = {"SparseTensorDenseMatMul": product, "SparseDenseCwiseAdd": cwise, "SparseDenseCwiseMul": cwise,
       "SparseDenseCwiseDiv": cwise, "SparseTensorDenseAdd": dense_add, "SparseAdd": add, "SparseAddGrad": add_grad, "SparseSparseMaximum": extreme,
       "SparseSparseMinimum": extreme, "SparseReduceSum": reduction, "SparseReduceMax": reduction,
       "SparseReduceSumSparse": reduction, "SparseReduceMaxSparse": reduction, "SparseSoftmax": softmax}
