"""choosing - Datasets that take from several others."""

from __future__ import annotations

from typing import Any

from berth._data import making, structure
from berth.eager.spec import TensorSpec
from berth.framework import convert, dtypes, gen
from berth.framework.node import Tensor
from berth.ops import array_ops, math_ops


def _directed(selector: Any, datasets: Any, stops: bool) -> Any:
    datasets = list(datasets)
    spec = datasets[0].element_spec
    for i, dataset in enumerate(datasets[1:]):
        try:
            spec = structure.common(spec, dataset.element_spec)
        except (TypeError, ValueError) as error:
            raise TypeError('Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 element_spec='
                            f'{datasets[0].element_spec}.\nDataset {i + 1} element_spec={dataset.element_spec}.') from error
    variant = gen.apply('DirectedInterleaveDataset', None, {
        'selector_input_dataset': selector._variant_tensor,
        'data_input_datasets': [dataset._variant_tensor for dataset in datasets]},
        {'stop_on_empty_dataset': stops, **making.element_attrs(spec)})
    return making.make('_DirectedInterleaveDataset', variant, spec, (selector, *datasets))


def _draw(logits: Any, seed: Any) -> Any:
    drawn = gen.apply('StatelessMultinomial', None, {'logits': logits, 'num_samples': 1, 'seed': seed},
                      {'output_dtype': dtypes.int64})
    return array_ops.squeeze(drawn, axis=[0, 1])


def sample_from_datasets(datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False,
                         rerandomize_each_iteration: Any = None) -> Any:
    """Makes a dataset that draws from others."""
    if not datasets:
        raise ValueError('Invalid `datasets`. `datasets` should not be empty.')
    source: Any = type(datasets[0])
    if making.is_dataset(weights):
        logits = weights.map(lambda *p: math_ops.log(p, name='logits'))
        seeds = source.random(seed=seed, rerandomize_each_iteration=rerandomize_each_iteration).batch(2)
        return _directed(source.zip((logits, seeds)).map(_draw), datasets, stop_on_empty_dataset)
    if weights is None:
        logits = [[1.0] * len(datasets)]
    else:
        if isinstance(weights, Tensor):
            if not weights.shape.is_compatible_with([len(datasets)]):
                raise ValueError('Invalid `weights`. The shape of `weights` should be compatible with `[len(datasets)]` but '
                                 f'is {weights.shape}.')
        else:
            if len(datasets) != len(weights):
                raise ValueError('Invalid `weights`. `weights` should have the same length as `datasets` but got '
                                 f'`len(weights)={len(weights)}` vs. `len(datasets)={len(datasets)}`.')
            kept = [(dataset, weight) for dataset, weight in zip(datasets, weights) if weight > 0]
            datasets, weights = zip(*kept) if kept else ([datasets[0].take(0)], [1.])
        weights = convert.convert_to_tensor(weights, name='weights')
        if weights.dtype not in (dtypes.float32, dtypes.float64):
            raise TypeError('Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is '
                            f'{weights.dtype}.')
        logits = array_ops.expand_dims(math_ops.log(weights, name='logits'), 0)
    if len(datasets) == 1:
        return datasets[0]
    seeds = source.random(seed=seed, rerandomize_each_iteration=rerandomize_each_iteration).batch(2)
    return _directed(seeds.map(lambda pair: _draw(logits, pair)), datasets, stop_on_empty_dataset)


def choose_from_datasets(datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = True) -> Any:
    """Makes a dataset that takes from others what a dataset of numbers says."""
    if not datasets:
        raise ValueError('Invalid `datasets`. `datasets` should not be empty.')
    if not making.is_dataset(choice_dataset):
        raise TypeError('Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is '
                        f'{type(choice_dataset)}.')
    spec = choice_dataset.element_spec
    if not (isinstance(spec, TensorSpec) and spec.dtype == dtypes.int64 and spec.shape.is_compatible_with([])):
        raise TypeError('Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are '
                        f'{spec}.')
    return _directed(choice_dataset, datasets, stop_on_empty_dataset)
