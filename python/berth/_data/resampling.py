"""resampling - Leaving elements out, so that classes are as frequent as they should be."""

from __future__ import annotations

from typing import Any

from berth._data.dataset import DatasetV2
from berth.framework import convert, dtypes
from berth.ops import array_ops, flow_ops, logging_ops, math_ops, random_ops, reduce_ops

# How many classes are seen between two estimates, and how often each counts as seen at first.
_ESTIMATE_EVERY = 32
_SEEN_BEFORE = 10
_TINY = 1.1754943508222875e-38  # The least normal float32: nothing is divided by zero.


def _mixed(first: Any, wanted: Any) -> Any:
    """Returns how often each class is let through, and how often an element is taken as it comes."""
    ratios = wanted / (first + _TINY)
    most, least = reduce_ops.reduce_max(ratios), reduce_ops.reduce_min(ratios)
    return (ratios - least) / (most - least), least


def _estimated(wanted: Any, classes: Any) -> Any:
    """Makes a dataset of how frequent classes are, as far as they were seen."""
    count = wanted.shape[0] or array_ops.shape(wanted)[0]

    def see(seen: Any, some: Any) -> Any:
        seen = math_ops.add(seen, reduce_ops.reduce_sum(
            array_ops.one_hot(some, seen.get_shape()[0], dtype=dtypes.int64), 0))
        shares = math_ops.cast(math_ops.truediv(seen, reduce_ops.reduce_sum(seen)), dtypes.float32)
        return seen, array_ops.tile(array_ops.expand_dims(shares, 0), [_ESTIMATE_EVERY, 1])

    start = array_ops.fill([count], convert.constant(_SEEN_BEFORE, dtypes.int64))
    return classes.batch(_ESTIMATE_EVERY).scan(start, see).unbatch()


def _warned(accepted: Any, first: Any) -> Any:
    """Hands on |accepted|, and says so where most elements are left out."""
    rejected = reduce_ops.reduce_sum((1 - accepted) * first)
    return flow_ops.cond(math_ops.less(rejected, .5), lambda: accepted, lambda: logging_ops.Print(
        accepted, [rejected, first, accepted], message='Proportion of examples rejected by sampler is high: ',
        summarize=100, first_n=10))


def _filtered(dataset: Any, accepted: Any, first: Any, class_func: Any, seed: Any) -> Any:
    """Makes a dataset of classes and elements, of which |accepted| says how many are let through."""
    accepted = DatasetV2.zip((accepted, first)).map(_warned)

    def look_up(shares: Any, data: Any) -> Any:
        kind = class_func(*data) if isinstance(data, tuple) else class_func(data)
        return kind, array_ops.gather(shares, kind), data

    known = DatasetV2.zip((accepted, dataset)).map(look_up)
    left = known.filter(lambda kind, share, data: random_ops.random_uniform([], seed=seed, dtype=share.dtype) < share)
    return left.map(lambda kind, share, data: (kind, data))


def rejection_resample(dataset: Any, class_func: Any, target_dist: Any, initial_dist: Any, seed: Any) -> Any:
    """Makes a dataset of classes and elements in which classes are as frequent as |target_dist| says."""
    wanted = math_ops.cast(convert.convert_to_tensor(target_dist, name='target_dist'), dtypes.float32)
    share = None
    if initial_dist is not None:
        first = math_ops.cast(convert.convert_to_tensor(initial_dist, name='initial_dist'), dtypes.float32)
        sources = [DatasetV2.from_tensors(value).repeat() for value in (first, *_mixed(first, wanted))]
        firsts, accepted, unchanged = sources
        share = _known_share(first, wanted)
    else:
        firsts = _estimated(wanted, dataset.map(class_func))
        both = firsts.map(lambda first: _mixed(first, wanted))
        accepted, unchanged = both.map(lambda accepted, _: accepted), both.map(lambda _, unchanged: unchanged)
    left = _filtered(dataset, accepted, firsts, class_func, seed).prefetch(3)

    def with_class(*data: Any) -> Any:
        return class_func(*data), data[0] if len(data) == 1 else data

    if share == 1:
        return dataset.map(with_class)
    if share == 0:
        return left
    weights = unchanged.map(lambda share: [(share, 1.0 - share)])
    return DatasetV2.sample_from_datasets([dataset.map(with_class), left], weights=weights, seed=seed,
                                          stop_on_empty_dataset=True)


def _known_share(first: Any, wanted: Any) -> Any:
    """Returns how often an element is taken as it comes, or None where that is known when it runs."""
    first, wanted = convert.constant_value(first), convert.constant_value(wanted)
    return None if first is None or wanted is None else (wanted / first).min()
