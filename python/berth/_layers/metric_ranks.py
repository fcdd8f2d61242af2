"""metric_ranks.py - Metrics of the k best predictions: tf.metrics.recall_at_k and its kin."""

from __future__ import annotations

from typing import Any

from berth._layers.metric_parts import collected, in_graphs_only, summed, variable
from berth.framework import dtypes, scopes
from berth.ops import array_ops, flow_ops, math_ops, nn_ops, reduce_ops, sets_ops, sparse_ops, state_ops, weight_ops
from berth.ops.sparse_tensor import SparseTensor, SparseTensorValue, convert_to_tensor_or_sparse_tensor


def _name_at(name: str, k: Any = None, class_id: Any = None) -> str:
    """Returns the name of a scope, such as recall_at_3_class2."""
    name = f'{name}_at_k' if k is None else f'{name}_at_{k:d}'
    return name if class_id is None else f'{name}_class{class_id:d}'


# ---- Labels and classes ----


def _expanded(labels: Any, predictions: Any) -> Any:
    """Returns labels, with a last dimension of 1 where they have one less than predictions."""
    with scopes.name_scope(None, 'expand_labels', [labels, predictions]) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return _sparse_cond(
                math_ops.equal(array_ops.rank(predictions), array_ops.size(labels.dense_shape) + 1),
                lambda: sparse_ops.reshape(labels, array_ops.concat([labels.dense_shape, (1,)], 0), name=scope),
                lambda: labels)
        ranks = labels.shape.rank, predictions.shape.rank
        if None in ranks:
            is_less = math_ops.equal(array_ops.rank(predictions), array_ops.rank(labels) + 1)
            return flow_ops.cond(is_less, lambda: array_ops.expand_dims(labels, -1, name=scope), lambda: labels)
        if ranks[0] == ranks[1]:
            return labels
        if ranks[1] == ranks[0] + 1:
            return array_ops.expand_dims(labels, -1, name=scope)
        raise ValueError(f'Unexpected labels shape {labels.shape} for predictions shape {predictions.shape}. '
                         'Predictions rank should be the same rank as labels rank or labels rank plus one .')


def _of_class(ids: Any, chosen: int) -> Any:
    """Returns which of |ids| are |chosen|, as a sparse tensor."""
    ids = convert_to_tensor_or_sparse_tensor(ids)
    if isinstance(ids, SparseTensor):
        return sparse_ops.retain(ids, math_ops.equal(ids.values, chosen))
    shape = array_ops.shape(ids, out_type=dtypes.int64)
    last = array_ops.size(shape) - 1
    sizes = _with_one(shape, array_ops.reshape(last, [1]))
    filled = array_ops.fill(sizes, math_ops.cast(chosen, dtypes.int64))
    found = sets_ops.intersection(filled, ids)
    return SparseTensor(found.indices, found.values, shape)


def _with_one(shape: Any, axes: Any) -> Any:
    """Returns |shape| with 1 at |axes|, as a reduction leaves it."""
    rank = array_ops.size(shape)
    axes = (axes + rank) % rank
    count = array_ops.shape(axes)
    return array_ops.dynamic_stitch([math_ops.range(rank), axes], [shape, array_ops.ones(count, shape.dtype)])


def _sparse_cond(condition: Any, when: Any, otherwise: Any) -> SparseTensor:
    """Returns the sparse tensor of one of two functions."""
    def parts(function: Any) -> Any:
        def split() -> list[Any]:
            found = function()
            return [found.indices, found.values, found.dense_shape]
        return split

    return SparseTensor(*flow_ops.cond(condition, parts(when), parts(otherwise)))


# ---- Counts ----


def _found(labels: Any, predictions: Any, how: str, class_id: Any, weights: Any, name: str | None = None) -> Any:
    """Returns for each row how many are in both, or in one alone, as |how| says."""
    scope_name = {'tp': 'true_positives', 'fp': 'false_positives', 'fn': 'false_negatives'}[how]
    with scopes.name_scope(name, scope_name, [predictions, labels, weights]):
        if class_id is not None:
            labels, predictions = _of_class(labels, class_id), _of_class(predictions, class_id)
        if how == 'tp':
            rows = sets_ops.intersection(predictions, labels)
        else:
            rows = sets_ops.difference(predictions, labels, aminusb=how == 'fp')
        count = math_ops.cast(sets_ops.size(rows), dtypes.float64)
        if weights is None:
            return count
        with scopes.control_dependencies([weight_ops.assert_broadcastable(weights, count)]):
            weights = math_ops.cast(weights, dtypes.float64)
            return math_ops.multiply(count, weights)


def _summed_found(label: str, how: str, labels: Any, predictions: Any, k: Any, class_id: Any,
                  weights: Any) -> tuple[Any, Any]:
    """Returns how many there were so far, and the op that adds to it."""
    with scopes.name_scope(None, _name_at(label, k, class_id), [predictions, labels, weights]) as scope:
        count = _found(labels, predictions, how, class_id, weights)
        total = math_ops.cast(reduce_ops.reduce_sum(count), dtypes.float64)
        return summed(total, dtypes.float64, scope)


def _share(label: str, other: str, labels: Any, predictions: Any, k: Any, class_id: Any, weights: Any,
           metrics_collections: Any, updates_collections: Any, name: str | None) -> tuple[Any, Any]:
    """Returns the true positives by themselves and another kind."""
    with scopes.name_scope(name, _name_at(label, k, class_id), [predictions, labels, weights]) as scope:
        labels = _expanded(labels, predictions)
        best = math_ops.cast(predictions, dtypes.int64)
        right, update_right = _summed_found('true_positive', 'tp', labels, best, k, class_id, weights)
        wrong_name = 'false_positive' if other == 'fp' else 'false_negative'
        wrong, update_wrong = _summed_found(wrong_name, other, labels, best, k, class_id, weights)
        value = math_ops.divide(right, math_ops.add(right, wrong), name=scope)
        collected(metrics_collections, value)
        update = math_ops.divide(update_right, math_ops.add(update_right, update_wrong), name='update')
        return value, collected(updates_collections, update)


def recall_at_top_k(labels: Any, predictions_idx: Any, k: Any = None, class_id: Any = None, weights: Any = None,
                    metrics_collections: Any = None, updates_collections: Any = None,
                    name: str | None = None) -> tuple[Any, Any]:
    """Returns the part of labels that are among given classes."""
    return _share('recall', 'fn', labels, predictions_idx, k, class_id, weights, metrics_collections,
                  updates_collections, name)


@in_graphs_only('precision_at_top_k')
def precision_at_top_k(labels: Any, predictions_idx: Any, k: Any = None, class_id: Any = None, weights: Any = None,
                       metrics_collections: Any = None, updates_collections: Any = None,
                       name: str | None = None) -> tuple[Any, Any]:
    """Returns the part of given classes that are labels."""
    return _share('precision', 'fp', labels, predictions_idx, k, class_id, weights, metrics_collections,
                  updates_collections, name)


@in_graphs_only('recall_at_k')
def recall_at_k(labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None,
                metrics_collections: Any = None, updates_collections: Any = None,
                name: str | None = None) -> tuple[Any, Any]:
    """Returns the part of labels that are among the k best predictions."""
    with scopes.name_scope(name, _name_at('recall', k, class_id), [predictions, labels, weights]) as scope:
        best = nn_ops.top_k(predictions, k)[1]
        return recall_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


@in_graphs_only('sparse_precision_at_k')
def precision_at_k(labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None,
                   metrics_collections: Any = None, updates_collections: Any = None,
                   name: str | None = None) -> tuple[Any, Any]:
    """Returns the part of the k best predictions that are labels."""
    with scopes.name_scope(name, _name_at('precision', k, class_id), [predictions, labels, weights]) as scope:
        best = nn_ops.top_k(predictions, k)[1]
        return precision_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


def sparse_precision_at_k(labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None,
                          metrics_collections: Any = None, updates_collections: Any = None,
                          name: str | None = None) -> tuple[Any, Any]:
    """Returns the part of the k best predictions that are labels; the older name."""
    return precision_at_k(labels, predictions, k, class_id, weights, metrics_collections, updates_collections, name)


# ---- Average precision ----


def _tiled(tensor: Any, multiple: int, name: str) -> Any:
    """Returns |tensor| with its last dimension |multiple| times side by side in one before it."""
    with scopes.name_scope(name, 'expand_and_tile', [tensor, multiple, -1]) as scope:
        tensor = convert_to_tensor_or_sparse_tensor(tensor)
        if isinstance(tensor, SparseTensor):
            shape = tensor.dense_shape
            before = array_ops.reshape(array_ops.size(shape) + -1, [1])
            sizes = array_ops.concat([array_ops.slice(shape, [0], before), [1], array_ops.slice(shape, before, [-1])],
                                     0, name='expanded_shape')
            wide = sparse_ops.reshape(tensor, sizes, name='expand')
            return wide if multiple == 1 else sparse_ops.concat_v1(-2, [wide] * multiple, name=scope)
        wide = array_ops.expand_dims(tensor, -2, name='expand')
        if multiple == 1:
            return wide
        ones = array_ops.ones_like(array_ops.shape(tensor))
        times = array_ops.concat([ones[:-1], (multiple,), ones[-1:]], 0, name='multiples')
        return array_ops.tile(wide, times, name=scope)


def _count_relevant(labels: Any, k: int) -> Any:
    """Returns how many labels each row has, k at most."""
    with scopes.name_scope(None, 'num_relevant', [labels]) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            return math_ops.minimum(sets_ops.size(labels), k, name=scope)
        is_label = math_ops.greater_equal(labels, 0)
        ones = array_ops.where_v2(is_label, array_ops.ones_like(labels), array_ops.zeros_like(labels))
        return math_ops.minimum(reduce_ops.reduce_sum(ones, axis=-1), k, name=scope)


def _average_precision(labels: Any, best: Any) -> Any:
    """Returns for each row the mean of precisions at the places of its labels."""
    with scopes.name_scope(None, 'average_precision', [best, labels]) as scope:
        best = math_ops.cast(best, dtypes.int64, name='predictions_idx')
        if best.shape.rank == 0:
            raise ValueError('The rank of `predictions_idx` must be at least 1.')
        k = best.shape.as_list()[-1]
        if k is None:
            raise ValueError('The last dimension of predictions_idx must be set. Currently, it is None.')
        labels = _expanded(labels, best)
        each = array_ops.expand_dims(best, -1, name='predictions_idx_per_k')
        relevant = _found(_tiled(labels, k, 'labels_per_k'), each, 'tp', None, None, 'relevant_per_k')
        right = math_ops.cumsum(relevant, axis=-1, name='tp_per_k')
        all_of_them = math_ops.cumsum(array_ops.ones_like(relevant), axis=-1, name='retrieved_per_k')
        precision = math_ops.divide(math_ops.cast(right, dtypes.float64), math_ops.cast(all_of_them, dtypes.float64),
                                    name='precision_per_k')
        precision = math_ops.multiply(precision, math_ops.cast(relevant, dtypes.float64),
                                      name='relevant_precision_per_k')
        total = reduce_ops.reduce_sum(precision, axis=(-1,), name='precision_sum')
        return math_ops.divide(total, math_ops.cast(_count_relevant(labels, k), dtypes.float64), name=scope)


def _mean_of(values: Any, weights: Any, metrics_collections: Any, updates_collections: Any,
             scope: str) -> tuple[Any, Any]:
    """Returns the mean of all values so far, and the op that adds some."""
    with scopes.name_scope(None, 'max', [values]) as inner:
        most = variable([], dtypes.float64, name=inner)
        if weights is None:
            count = math_ops.cast(array_ops.size(values, name='batch_max'), dtypes.float64)
        else:
            count = reduce_ops.reduce_sum(weights, name='batch_max')
        update_most = state_ops.assign_add(most, count, name='update')
    with scopes.name_scope(None, 'total', [values]) as inner:
        total = variable([], dtypes.float64, name=inner)
        update_total = state_ops.assign_add(total, reduce_ops.reduce_sum(values, name='batch_total'), name='update')
    value = collected(metrics_collections, math_ops.div_no_nan(total, most, name='mean'))
    return value, collected(updates_collections, math_ops.div_no_nan(update_total, update_most, name=scope))


def _in_range(labels: Any, classes: Any) -> Any:
    """Returns labels, with -1 for those that are no class."""
    is_sparse = isinstance(labels, (SparseTensor, SparseTensorValue))

    def cleaned() -> Any:
        ids = labels.values if is_sparse else labels
        kept = array_ops.where_v2(math_ops.greater_equal(ids, classes), -1 * array_ops.ones_like(ids), ids)
        return SparseTensor(labels.indices, kept, labels.dense_shape) if is_sparse else kept

    most = reduce_ops.reduce_max(labels.values if is_sparse else labels)
    choose = _sparse_cond if is_sparse else flow_ops.cond
    return choose(math_ops.greater_equal(most, classes), cleaned, lambda: labels)


@in_graphs_only('sparse_average_precision_at_k')
def average_precision_at_k(labels: Any, predictions: Any, k: int, weights: Any = None,
                           metrics_collections: Any = None, updates_collections: Any = None,
                           name: str | None = None) -> tuple[Any, Any]:
    """Returns the mean over rows of the average precision of the k best predictions."""
    if k < 1:
        raise ValueError(f'Invalid k={k}. `k` should be >= 1.')
    with scopes.name_scope(name, _name_at('average_precision', k), [predictions, labels, weights]) as scope:
        best = nn_ops.top_k(predictions, k)[1]
        labels = _in_range(labels, math_ops.cast(array_ops.shape(predictions)[-1], dtypes.int64))
        with scopes.name_scope(scope, 'average_precision_at_top_k', [best, labels, weights]) as scope:
            values = _average_precision(labels, best)
            if weights is not None:
                weights = weight_ops.broadcast_weights(math_ops.cast(weights, dtypes.float64), values)
                values = math_ops.multiply(values, weights)
            return _mean_of(values, weights, metrics_collections, updates_collections, scope)


def sparse_average_precision_at_k(labels: Any, predictions: Any, k: int, weights: Any = None,
                                  metrics_collections: Any = None, updates_collections: Any = None,
                                  name: str | None = None) -> tuple[Any, Any]:
    """Returns the mean over rows of the average precision of the k best predictions; the older name."""
    return average_precision_at_k(labels, predictions, k, weights, metrics_collections, updates_collections, name)
