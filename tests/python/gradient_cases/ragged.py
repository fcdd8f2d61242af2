"""ragged.py - Cases: ragged tensors."""


def _tensor(shape, inner, default):
    def case(tf, x):
        a, b = x([5, *inner], 1), x(default, 2)
        y = tf.raw_ops.RaggedTensorToTensor(
            shape=tf.constant(shape, 'int64'), values=a, default_value=b,
            row_partition_tensors=[tf.constant([0, 2, 2, 5], 'int64')], row_partition_types=['ROW_SPLITS'])
        return y * y, [a, b]
    return case


def _ids(tf, x):
    a, b = x([5], 1), x([], 2)
    y = tf.raw_ops.RaggedTensorToTensor(
        shape=tf.constant(-1, 'int64'), values=a, default_value=b,
        row_partition_tensors=[tf.constant(4, 'int64'), tf.constant([0, 0, 2, 2, 2], 'int64')],
        row_partition_types=['FIRST_DIM_SIZE', 'VALUE_ROWIDS'])
    return y * y, [a, b]


def _sparse(tf, x):
    a = x([5, 2], 1)
    y = tf.raw_ops.RaggedTensorToSparse(rt_nested_splits=[tf.constant([0, 2, 2, 5], 'int64')], rt_dense_values=a)
    return y[1] * y[1], [a]


def _gather(*splits):
    def case(tf, x):
        a = x([5, 2], 1)
        *_, y = tf.raw_ops.RaggedGather(
            params_nested_splits=[tf.constant(s, 'int64') for s in splits], params_dense_values=a,
            indices=tf.constant([2, 0, 0], 'int64'), OUTPUT_RAGGED_RANK=len(splits))
        return y * y, [a]
    return case


def _fill(tf, x):
    a, b = x([3], 1), x([], 2)
    y = tf.raw_ops.RaggedFillEmptyRows(value_rowids=tf.constant([0, 2, 2], 'int64'), values=a,
                                       nrows=tf.constant(4, 'int64'), default_value=b)
    return y[1] * [1., 2., 3., 4., 5.], [a, b]


def _variants(splits, rank, batched=True):
    def case(tf, x):
        a = x([5, 2], 1)
        nested = [tf.constant(s, 'int64') for s in splits]
        made = tf.raw_ops.RaggedTensorToVariant(rt_nested_splits=nested, rt_dense_values=a, batched_input=batched)
        *_, y = tf.raw_ops.RaggedTensorFromVariant(
            encoded_ragged=made, input_ragged_rank=rank, output_ragged_rank=len(splits), Tvalues='float32')
        return y * y, [a]
    return case


def _optional(tf, x):
    a, b = x([2, 3], 1), x([4], 2)
    made = tf.raw_ops.OptionalFromValue(components=[a, b])
    p, q = tf.raw_ops.OptionalGetValue(optional=made, output_types=[tf.float32] * 2, output_shapes=[[2, 3], [4]])
    return [p * p, q * 2], [a, b]


CASES = {
    'variants': _variants([[0, 2, 2, 5]], 0), 'variants_twice': _variants([[0, 1, 3], [0, 2, 2, 5]], 1),
    'variant_whole': _variants([[0, 2, 2, 5]], 1, False), 'optional': _optional,
    'to_tensor': _tensor(-1, [], []), 'to_tensor_cut': _tensor([2, 1], [], []),
    'to_tensor_longer': _tensor([4, 4, 2], [2], [2]), 'to_tensor_inner': _tensor(-1, [2, 3], [1, 3]), 'to_tensor_ids': _ids,
    'to_sparse': _sparse, 'gather': _gather([0, 2, 2, 5]), 'gather_twice': _gather([0, 2, 2, 3], [0, 2, 2, 5]),
    'fill_rows': _fill}

# TensorFlow's rules use functions of many nodes; here are those that are needed.
RENAMED = UNNAMED = tuple(CASES)
