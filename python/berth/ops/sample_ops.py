"""sample_ops.py - Classes drawn at random, and losses that look at those alone: tf.nn.nce_loss and its kin."""

from __future__ import annotations

from typing import Any

from berth.framework import dtypes, gen, scopes
from berth.ops import array_ops, embedding_ops, entropy_ops, math_ops, random_ops

# ---- Samplers ----


def _drawn(op: str, name: str | None, seed: Any, true_classes: Any, num_true: int, num_sampled: int, unique: bool,
           **attrs: Any) -> Any:
    """Makes the op of a sampler, with seeds."""
    first, second = random_ops.get_seed(seed)
    return gen.apply(op, name, {'true_classes': true_classes}, {
        'num_true': num_true, 'num_sampled': num_sampled, 'unique': unique, **attrs,
        'seed': 0 if first is None else first, 'seed2': 0 if second is None else second})


def uniform_candidate_sampler(true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
                              seed: Any = None, name: str | None = None) -> Any:
    """Draws classes, all equally likely."""
    return _drawn('UniformCandidateSampler', name, seed, true_classes, num_true, num_sampled, unique,
                  range_max=range_max)


def log_uniform_candidate_sampler(true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
                                  seed: Any = None, name: str | None = None) -> Any:
    """Draws classes, the first ones more often, as words are used."""
    return _drawn('LogUniformCandidateSampler', name, seed, true_classes, num_true, num_sampled, unique,
                  range_max=range_max)


def learned_unigram_candidate_sampler(true_classes: Any, num_true: int, num_sampled: int, unique: bool,
                                      range_max: int, seed: Any = None, name: str | None = None) -> Any:
    """Draws classes as often as they have been seen."""
    if range_max > 2147483647:
        raise ValueError(f'Value of range_max:{range_max} is too large to handle')
    return _drawn('LearnedUnigramCandidateSampler', name, seed, true_classes, num_true, num_sampled, unique,
                  range_max=range_max)


def fixed_unigram_candidate_sampler(true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
                                    vocab_file: str = '', distortion: float = 1.0, num_reserved_ids: int = 0,
                                    num_shards: int = 1, shard: int = 0, unigrams: Any = (), seed: Any = None,
                                    name: str | None = None) -> Any:
    """Draws classes as often as a file or a list says."""
    return _drawn('FixedUnigramCandidateSampler', name, seed, true_classes, num_true, num_sampled, unique,
                  range_max=range_max, vocab_file=vocab_file, distortion=distortion,
                  num_reserved_ids=num_reserved_ids, num_shards=num_shards, shard=shard, unigrams=list(unigrams))


def all_candidate_sampler(true_classes: Any, num_true: int, num_sampled: int, unique: bool, seed: Any = None,
                          name: str | None = None) -> Any:
    """Gives every class."""
    return _drawn('AllCandidateSampler', name, seed, true_classes, num_true, num_sampled, unique)


def compute_accidental_hits(true_classes: Any, sampled_candidates: Any, num_true: int, seed: Any = None,
                            name: str | None = None) -> Any:
    """Returns where classes were drawn that are right, and a weight that hides them."""
    first, second = random_ops.get_seed(seed)
    given = {'true_classes': true_classes, 'sampled_candidates': sampled_candidates}
    return gen.apply('ComputeAccidentalHits', name, given, {
        'num_true': num_true, 'seed': 0 if first is None else first, 'seed2': 0 if second is None else second})


# ---- Losses ----


def _sum_rows(x: Any) -> Any:
    """Returns the sum of each row, as a product."""
    ones = array_ops.ones(array_ops.stack([array_ops.shape(x)[1], 1]), x.dtype)
    return array_ops.reshape(math_ops.matmul(x, ones), [-1])


def _sampled_logits(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
                    num_true: int, sampled_values: Any, remove_accidental_hits: bool, partition_strategy: str,
                    name: str | None, seed: Any) -> tuple[Any, Any]:
    """Returns logits of the right classes and of those drawn, and the labels for them."""
    weights = embedding_ops.parts(weights)
    with scopes.name_scope(name, 'compute_sampled_logits', [*weights, biases, inputs, labels]):
        labels = math_ops.cast(labels, dtypes.int64) if labels.dtype != dtypes.int64 else labels
        flat = array_ops.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
        sampled, true_count, sampled_count = (array_ops.stop_gradient(part) for part in sampled_values)
        sampled = math_ops.cast(sampled, dtypes.int64)
        ids = array_ops.concat([flat, sampled], 0)
        true_logits, sampled_logits = _logits(weights, biases, inputs, ids, flat, num_true, partition_strategy)
        if remove_accidental_hits:
            sampled_logits = _hidden(sampled_logits, labels, sampled, num_true, num_sampled)
        true_logits = true_logits - math_ops.log(true_count)
        sampled_logits = sampled_logits - math_ops.log(sampled_count)
        logits = array_ops.concat([true_logits, sampled_logits], 1)
        wanted = array_ops.concat([array_ops.ones_like(true_logits) / num_true,
                                   array_ops.zeros_like(sampled_logits)], 1)
        return logits, wanted


def _logits(weights: Any, biases: Any, inputs: Any, ids: Any, flat: Any, num_true: int,
            strategy: str) -> tuple[Any, Any]:
    """Returns the logits of the first ids, which are the right classes, and of the others."""
    rows = embedding_ops.embedding_lookup(weights, ids, strategy)
    rows = math_ops.cast(rows, inputs.dtype)
    true_rows = array_ops.slice(rows, [0, 0], array_ops.stack([array_ops.shape(flat)[0], -1]))
    other_rows = array_ops.slice(rows, array_ops.stack([array_ops.shape(flat)[0], 0]), [-1, -1])
    sampled = math_ops.matmul(inputs, other_rows, transpose_b=True)
    offsets = embedding_ops.embedding_lookup(biases, ids, strategy)
    offsets = math_ops.cast(offsets, inputs.dtype)
    true_offsets = array_ops.slice(offsets, [0], array_ops.shape(flat))
    other_offsets = array_ops.slice(offsets, array_ops.shape(flat), [-1])
    width = array_ops.shape(true_rows)[1:2]
    shape = array_ops.concat([[-1, num_true], width], 0)
    products = math_ops.multiply(array_ops.expand_dims(inputs, 1), array_ops.reshape(true_rows, shape))
    matrix = array_ops.reshape(products, array_ops.concat([[-1], width], 0))
    true = array_ops.reshape(_sum_rows(matrix), [-1, num_true])
    true_offsets = array_ops.reshape(true_offsets, [-1, num_true])
    return true + true_offsets, sampled + other_offsets


def _hidden(logits: Any, labels: Any, sampled: Any, num_true: int, num_sampled: int) -> Any:
    """Makes classes that were drawn and are right as unlikely as can be."""
    rows, ids, weights = compute_accidental_hits(labels, sampled, num_true=num_true)
    rows = array_ops.reshape(rows, [-1, 1])
    ids = array_ops.reshape(math_ops.cast(ids, dtypes.int32), [-1, 1])
    places = array_ops.concat([rows, ids], 1, 'sparse_indices')
    shape = array_ops.concat([array_ops.shape(labels)[:1], array_ops.expand_dims(num_sampled, 0)], 0)
    weights = math_ops.cast(weights, logits.dtype)
    return logits + gen.apply('SparseToDense', None, {
        'sparse_indices': places, 'output_shape': shape, 'sparse_values': weights, 'default_value': 0.0},
        {'validate_indices': False})


def nce_loss(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
             num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = False,
             partition_strategy: str = 'mod', name: str = 'nce_loss') -> Any:
    """Returns the loss of telling the right classes from some that are drawn."""
    logits, wanted = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true,
                                     sampled_values, remove_accidental_hits, partition_strategy, name, None)
    losses = entropy_ops.sigmoid_cross_entropy_with_logits(labels=wanted, logits=logits, name='sampled_losses')
    return _sum_rows(losses)


def sampled_softmax_loss(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
                         num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = True,
                         partition_strategy: str = 'mod', name: str = 'sampled_softmax_loss', seed: Any = None) -> Any:
    """Returns the cross entropy over the right classes and some that are drawn."""
    logits, wanted = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true,
                                     sampled_values, remove_accidental_hits, partition_strategy, name, seed)
    wanted = array_ops.stop_gradient(wanted, name='labels_stop_gradient')
    return entropy_ops.softmax_cross_entropy_with_logits_v2(labels=wanted, logits=logits)


# ---- The parameters of TensorFlow 2 ----


def nce_loss_v2(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
                num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = False,
                name: str = 'nce_loss') -> Any:
    """Returns the loss of telling the right classes from some that are drawn."""
    return nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                    remove_accidental_hits, 'div', name)


def sampled_softmax_loss_v2(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int,
                            num_true: int = 1, sampled_values: Any = None, remove_accidental_hits: bool = True,
                            seed: Any = None, name: str = 'sampled_softmax_loss') -> Any:
    """Returns the cross entropy over the right classes and some that are drawn."""
    return sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                                remove_accidental_hits, 'div', name, seed)
