"""Cases of ops of sparse tensors."""

from golden_case import Case, types
from golden_types import Tensor, empty, plain, registered, tensor


def sparse_to_dense(op):
    for dtype, index in registered(op, "T", "Tindices"):
        def case(kind, at, shape, values, default, **attrs):
            def numbers(value):
                if isinstance(value, Tensor):
                    return value
                if isinstance(value, list):
                    return tensor(index, value)
                return Tensor(index, (), tensor(index, [value]).data)
            return Case(kind, {**types(T=dtype, Tindices=index), **attrs},
                        [numbers(at), numbers(shape), values, default])
        none = plain(dtype, (), 3)
        yield case("plain", [[0, 1], [1, 0]], [2, 3], plain(dtype, (2,)), none)
        yield case("scalar", 1, [3], plain(dtype, ()), none)
        yield case("broadcast", [0, 2], [4], plain(dtype, ()), none)
        yield case("empty", empty(index, (0, 2)), [2, 2], empty(dtype, (0,)), none)
        yield case("empty result", empty(index, (0, 2)), [2, 0], empty(dtype, (0,)), none)
        loose = {"validate_indices": ("bool", False)}
        yield case("other order", [2, 0, 2], [3], plain(dtype, (3,)), none, **loose)
        yield case("mismatch order", [2, 0], [3], plain(dtype, (2,)), none)
        yield case("mismatch twice", [2, 2], [3], plain(dtype, (2,)), none)
        yield case("mismatch far", [[0, 5]], [3, 3], plain(dtype, (1,)), none)
        yield case("mismatch before", [-1], [3], plain(dtype, (1,)), none, **loose)
        yield case("mismatch values", [0, 1], [3], plain(dtype, (3,)), none)
        yield case("mismatch shape", [[0, 1, 2]], [3, 3], plain(dtype, (1,)), none)
        yield case("mismatch negative", [0], [-3], plain(dtype, (1,)), none)
        yield case("mismatch default", [0], [3], plain(dtype, (1,)), plain(dtype, (1,)))


OPS = {"SparseToDense": sparse_to_dense}
