"""Cases of cells of recurrent networks, and of whole sequences of them."""

import numpy as np

from golden_case import Case, types
from golden_types import registered_types, tensor

BATCH, IN, CELL, STEPS = 2, 3, 2, 3


def small(dtype, shape, first=0):
    """Numbers that keep sigmoids away from their ends, and sums from cancelling."""
    values = np.abs(np.cos(np.arange(first, first + int(np.prod(shape))) * 1.7)) * 0.6 + 0.05
    # Sums of quarters are the same in half in any order.
    values = np.round(values * 4 + 1) / 4 if dtype == "half" else np.round(values, 2)
    return tensor(dtype, values.reshape(shape))


def lstm_weights(dtype, n_in=IN, cell=CELL):
    return [small(dtype, (n_in + cell, cell * 4), 5), small(dtype, (cell,), 1), small(dtype, (cell,), 2),
            small(dtype, (cell,), 3), small(dtype, (cell * 4,), 4)]


STYLES = [{}, {"use_peephole": ("bool", True)}, {"cell_clip": ("float", 0.1)}, {"cell_clip": ("float", -1.0)}]


def lstm_cell(op):
    for dtype in registered_types(op):
        def case(kind, style, x, cs, h, weights):
            return Case(kind, {**types(T=dtype), **style}, [x, cs, h, *weights], output_count=7)
        x, cs, h = small(dtype, (BATCH, IN)), small(dtype, (BATCH, CELL), 7), small(dtype, (BATCH, CELL), 9)
        weights = lstm_weights(dtype)
        for style in STYLES + [{"forget_bias": ("float", 0.0)}]:
            yield case("plain", style, x, cs, h, weights)
        yield case("empty", {}, small(dtype, (0, IN)), small(dtype, (0, CELL)), small(dtype, (0, CELL)), weights)
        if dtype == "half":
            continue
        yield case("mismatch cs", {}, x, small(dtype, (BATCH, 3)), h, weights)
        yield case("mismatch h", {}, x, cs, small(dtype, (3, CELL)), weights)
        yield case("mismatch w", {}, x, cs, h, [small(dtype, (4, 8))] + weights[1:])
        yield case("mismatch w", {}, x, cs, h, [small(dtype, (5, 6))] + weights[1:])
        yield case("mismatch b", {}, x, cs, h, weights[:4] + [small(dtype, (7,))])


def lstm_cell_grad(op):
    for dtype in registered_types(op):
        def case(kind, peephole, inputs):
            return Case(kind, {**types(T=dtype), "use_peephole": ("bool", peephole)}, inputs, output_count=5)
        gates = [small(dtype, (BATCH, CELL), 20 + k) for k in range(6)]
        first = [small(dtype, (BATCH, IN)), small(dtype, (BATCH, CELL), 7), small(dtype, (BATCH, CELL), 9)]
        grads = [small(dtype, (BATCH, CELL), 30), small(dtype, (BATCH, CELL), 33)]
        for peephole in (False, True):
            yield case("plain", peephole, [*first, *lstm_weights(dtype), *gates, *grads])
        if dtype == "half":
            continue
        yield case("mismatch gate", False, [*first, *lstm_weights(dtype), small(dtype, (3, CELL)), *gates[1:], *grads])
        yield case("mismatch grad", False, [*first, *lstm_weights(dtype), *gates, small(dtype, (3, CELL)), grads[1]])


# What TensorFlow leaves behind the last step of a shorter sequence is chance, and it ends for a longer one.
def lstm(op):
    for dtype in registered_types(op):
        def case(kind, style, length, x, cs, h, weights):
            return Case(kind, {**types(T=dtype), **style}, [length, x, cs, h, *weights], output_count=7)
        x, cs = small(dtype, (STEPS, BATCH, IN)), small(dtype, (BATCH, CELL), 7)
        h, weights, all_steps = small(dtype, (BATCH, CELL), 9), lstm_weights(dtype), tensor("int64", STEPS)
        for style in STYLES:
            yield case("plain", style, all_steps, x, cs, h, weights)
        if dtype == "half":
            continue
        yield case("mismatch scalar", {}, tensor("int64", [3, 3]), x, cs, h, weights)
        yield case("mismatch rank", {}, all_steps, small(dtype, (BATCH, IN)), cs, h, weights)
        yield case("mismatch cs", {}, all_steps, x, small(dtype, (3, CELL)), h, weights)
        yield case("mismatch h", {}, all_steps, x, cs, small(dtype, (BATCH, 3)), weights)
        yield case("mismatch w", {}, all_steps, x, cs, h, [small(dtype, (4, 8))] + weights[1:])
        yield case("mismatch b", {}, all_steps, x, cs, h, weights[:4] + [small(dtype, (7,))])


def lstm_grad(op):
    for dtype in registered_types(op):
        def case(kind, peephole, length, inputs):
            return Case(kind, {**types(T=dtype), "use_peephole": ("bool", peephole)}, [length, *inputs], output_count=8)
        steps = [small(dtype, (STEPS, BATCH, CELL), 20 + k) for k in range(9)]
        first = [small(dtype, (STEPS, BATCH, IN)), small(dtype, (BATCH, CELL), 7), small(dtype, (BATCH, CELL), 9)]
        for peephole in (False, True):
            yield case("plain", peephole, tensor("int64", STEPS), [*first, *lstm_weights(dtype), *steps])
        yield case("other shorter", False, tensor("int64", 2), [*first, *lstm_weights(dtype), *steps])


def gru(op):
    dtype = "float"

    def case(kind, inputs):
        return Case(kind, types(T=dtype), inputs, output_count=4)
    x, h = small(dtype, (BATCH, IN)), small(dtype, (BATCH, CELL), 7)
    rest = [small(dtype, (IN + CELL, CELL * 2), 3), small(dtype, (IN + CELL, CELL), 5), small(dtype, (CELL * 2,), 6),
            small(dtype, (CELL,), 8)]
    yield case("plain", [x, h, *rest])
    yield case("empty", [small(dtype, (0, IN)), small(dtype, (0, CELL)), *rest])
    yield case("mismatch h", [x, small(dtype, (3, CELL)), *rest])
    yield case("mismatch w_ru", [x, h, small(dtype, (4, 4)), *rest[1:]])
    yield case("mismatch w_ru", [x, h, small(dtype, (5, 3)), *rest[1:]])
    yield case("mismatch w_c", [x, h, rest[0], small(dtype, (4, 2)), *rest[2:]])
    yield case("mismatch w_c", [x, h, rest[0], small(dtype, (5, 3)), *rest[2:]])
    yield case("mismatch b_ru", [x, h, *rest[:2], small(dtype, (3,)), rest[3]])
    yield case("mismatch b_c", [x, h, *rest[:3], small(dtype, (3,))])
    yield case("mismatch rank", [small(dtype, (3,)), h, *rest])


def gru_grad(op):
    dtype = "float"

    def case(kind, inputs):
        return Case(kind, types(T=dtype), inputs, output_count=4)
    x, h = small(dtype, (BATCH, IN)), small(dtype, (BATCH, CELL), 7)
    rest = [small(dtype, (IN + CELL, CELL * 2), 3), small(dtype, (IN + CELL, CELL), 5), small(dtype, (CELL * 2,), 6),
            small(dtype, (CELL,), 8)]
    gates = [small(dtype, (BATCH, CELL), 20 + k) for k in range(4)]
    yield case("plain", [x, h, *rest, *gates])
    yield case("mismatch r", [x, h, *rest, small(dtype, (3, CELL)), *gates[1:]])
    yield case("mismatch d_h", [x, h, *rest, *gates[:3], small(dtype, (BATCH, 3))])


OPS = {"LSTMBlockCell": lstm_cell, "LSTMBlockCellGrad": lstm_cell_grad, "BlockLSTM": lstm, "BlockLSTMV2": lstm,
       "BlockLSTMGrad": lstm_grad, "BlockLSTMGradV2": lstm_grad, "GRUBlockCell": gru, "GRUBlockCellGrad": gru_grad}
