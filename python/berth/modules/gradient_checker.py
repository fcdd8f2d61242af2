"""gradient_checker - tf.test.compute_gradient: slopes by their rules beside slopes by differences."""

from __future__ import annotations

from typing import Any

from berth.eager.tape import GradientTape
from berth.framework import convert, dtypes, scopes
from berth.ops import array_ops, gradients_ops

# ---- Of a function, at once ----


def compute_gradient(f: Any, x: Any, delta: Any = None) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Returns the Jacobians of |f| at |x|, by rules and by differences: one for each of |x|."""
    import numpy as np

    if not isinstance(x, (list, tuple)):
        raise ValueError(f'`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not a {type(x)}')
    if delta is None:
        delta = 1.0 / 1024
    values = [convert.convert_to_tensor(item) for item in x]
    rules = _by_rules(np, f, values)
    return tuple(rules), tuple(_by_differences(np, f, values, index, delta) for index in range(len(values)))


def _by_rules(np: Any, f: Any, values: list[Any]) -> list[Any]:
    with GradientTape(persistent=True) as tape:
        tape.watch(values)
        y = f(*values)
    rows: list[list[Any]] = [[] for _ in values]
    for index in range(int(np.prod(y.shape.as_list()))):
        one = np.zeros(y.shape.as_list(), y.dtype.as_numpy_dtype)
        one.reshape(-1)[index] = 1
        found = tape.gradient(y, values, convert.convert_to_tensor(one))
        for row, slope, value in zip(rows, found, values):
            row.append(_flat(np, slope, value))
    return [np.stack(row) for row in rows]


def _flat(np: Any, slope: Any, value: Any) -> Any:
    if slope is None:
        return np.zeros(int(np.prod(value.shape.as_list())), value.dtype.as_numpy_dtype)
    return np.asarray(convert.convert_to_tensor(slope)).reshape(-1)


def _by_differences(np: Any, f: Any, values: list[Any], index: int, delta: float) -> Any:
    start = np.array(values[index])
    columns = []
    for place in range(start.size):
        ends = []
        for step in (delta, -delta):
            moved = start.copy()
            moved.reshape(-1)[place] += step
            args = [*values[:index], convert.convert_to_tensor(moved), *values[index + 1:]]
            ends.append(np.asarray(f(*args)).reshape(-1))
        columns.append((ends[0] - ends[1]) / (2 * delta))
    return np.stack(columns, 1)


# ---- Of nodes of a graph ----


def compute_gradient_v1(x: Any, x_shape: Any, y: Any, y_shape: Any, x_init_value: Any = None, delta: float = 1e-3,
                        init_targets: Any = None, extra_feed_dict: Any = None) -> Any:
    """Returns the Jacobians of |y| by |x|, by rules and by differences: a pair, or one for each of a list."""
    import numpy as np

    session = scopes.get_default_session()
    if session is None:
        raise ValueError('Cannot evaluate tensor using `eval()`: No default session is registered. Use `with '
                         'sess.as_default()` or pass an explicit session to `eval(session=sess)`')
    if init_targets is not None:
        for target in init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]:
            session.run(target)
    if not isinstance(x, list):
        return _of_one(np, session, x, x_shape, y, y_shape, x_init_value, delta, dict(extra_feed_dict or {}))
    starts = x_init_value or [None] * len(x)
    return [_of_one(np, session, one, shape, y, y_shape, start, delta, dict(extra_feed_dict or {}))
            for one, shape, start in zip(x, x_shape, starts)]


def compute_gradient_error(x: Any, x_shape: Any, y: Any, y_shape: Any, x_init_value: Any = None, delta: float = 1e-3,
                           init_targets: Any = None, extra_feed_dict: Any = None) -> Any:
    """Returns by how much the two differ at most."""
    import numpy as np

    found = compute_gradient_v1(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = found if isinstance(found, list) else [found]
    return max(np.max(np.abs(rules - differences)) if rules.size else 0 for rules, differences in pairs)


def _of_one(np: Any, session: Any, x: Any, x_shape: Any, y: Any, y_shape: Any, start: Any, delta: float,
            feeds: dict[Any, Any]) -> tuple[Any, Any]:
    for tensor in (x, y):
        if tensor.dtype.base_dtype not in (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64):
            raise TypeError(f'Cannot compute gradient of type {tensor.dtype.base_dtype.name}')
    kind = x.dtype.as_numpy_dtype
    start = np.random.random_sample(x_shape).astype(kind) if start is None else np.array(start, kind)
    with x.graph.as_default():
        dy = array_ops.placeholder(y.dtype.base_dtype, y_shape)
        dx = gradients_ops.gradients(y, x, dy)[0]
        dx = array_ops.zeros_like(x) if dx is None else convert.convert_to_tensor(dx)
    size = int(np.prod(y_shape))
    rules, differences = np.zeros((start.size, size), kind), np.zeros((start.size, size), kind)
    for index in range(size):
        one = np.zeros(y_shape, kind)
        one.reshape(-1)[index] = 1
        rules[:, index] = session.run(dx, {**feeds, x: start, dy: one}).reshape(-1)
    for place in range(start.size):
        ends = []
        for step in (delta, -delta):
            moved = start.copy()
            moved.reshape(-1)[place] += step
            ends.append(session.run(y, {**feeds, x: moved}).reshape(-1))
        differences[place] = (ends[0] - ends[1]) / (2 * delta)
    return rules, differences
