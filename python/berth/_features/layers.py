"""layers - Tensors of feature columns side by side, linear models of them, and how they are read from Examples."""

from __future__ import annotations

from typing import Any

from berth._features.column import Builder, CategoricalColumn, DenseColumn, FeatureColumn, normalized
from berth._layers.base import Layer
from berth.framework import scopes
from berth.framework.collections import GraphKeys
from berth.ops import array_ops, embedding_ops, init_ops, math_ops, nn_ops, sparse_ops
from berth.variables import scope as variable_scope


def _kept(collections_: Any) -> list[str]:
    """Returns the collections that variables of columns go to."""
    found = list(collections_ or [])
    return found + [key for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES) if key not in found]


def _check_batch(tensors: list[Any], columns: list[Any]) -> None:
    """Raises ValueError for columns that do not have equally many examples."""
    first: Any = None
    for tensor, column in zip(tensors, columns):
        size = tensor.shape.as_list()[0] if tensor.shape.rank is not None else None
        if size is None:
            continue
        if first is None:
            first = column.name, size
        elif size != first[1]:
            raise ValueError('Batch size (first dimension) of each feature must be same. Batch size of columns '
                             f'({first[0]}, {column.name}): ({first[1]}, {size})')


def _rows(tensor: Any, column: Any) -> Any:
    """Returns the tensor of a column with one dimension beside that of examples."""
    return array_ops.reshape(tensor, (array_ops.shape(tensor)[0], column.variable_shape.num_elements()))


def input_layer(features: Any, feature_columns: Any, weight_collections: Any = None, trainable: bool = True,
                cols_to_vars: Any = None, cols_to_output_tensors: Any = None) -> Any:
    """Returns the tensors of columns, by name, side by side."""
    columns = normalized(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError('Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an '
                             f'embedding_column or indicator_column. Given: {column}')
    keys = _kept(weight_collections)
    with variable_scope.variable_scope(None, default_name='input_layer', values=list(features.values())):
        builder, outputs = Builder(features), []
        for column in columns:
            with variable_scope.variable_scope(None, default_name=column._scope_name) as scope:
                output = _rows(column.dense(builder, keys, trainable), column)
                outputs.append(output)
                if cols_to_vars is not None:
                    graph = scopes.get_default_graph()
                    cols_to_vars[column] = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope.name)
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = output
        _check_batch(outputs, columns)
        return array_ops.concat(outputs, 1)


# ---- Linear models ----


class _OfFeatures(Layer):
    """A layer that is called with features, which it takes as they are."""

    def _converted(self, inputs: Any) -> Any:
        return inputs

    def _called(self, inputs: Any, values: Any, options: Any) -> Any:
        if not self.built:
            self.build(None)
            self.built = True
        return self.call(inputs)


class _Weights(_OfFeatures):
    """The share of one column in a linear model."""

    def __init__(self, column: Any, units: int, combiner: str, keys: list[str], trainable: bool, name: str) -> None:
        super().__init__(trainable=trainable, name=name)
        self.column, self._units, self._combiner, self._keys = column, units, combiner, keys

    def build(self, input_shape: Any) -> None:
        """Makes the weights."""
        column = self.column
        is_sparse = isinstance(column, CategoricalColumn)
        count = column.num_buckets if is_sparse else column.variable_shape.num_elements()
        self.kernel = self.add_weight('weights', [count, self._units], initializer=init_ops.zeros_initializer())
        _collect(self.kernel, self._keys)

    def call(self, builder: Any) -> Any:  # type: ignore[override]
        """Returns the weighted sum for each example."""
        if not isinstance(self.column, CategoricalColumn):
            rows = _rows(self.column.dense(builder, self._keys, self.trainable), self.column)
            return math_ops.matmul(rows, self.kernel, name='weighted_sum')
        ids, weights = self.column.ids(builder)
        ids = sparse_ops.reshape(ids, [array_ops.shape(ids)[0], -1])
        if weights is not None:
            weights = sparse_ops.reshape(weights, [array_ops.shape(weights)[0], -1])
        return embedding_ops.safe_embedding_lookup_sparse(self.kernel, ids, weights, combiner=self._combiner,
                                                          name='weighted_sum')


class _Bias(_OfFeatures):
    """The bias of a linear model."""

    def __init__(self, units: int, keys: list[str], trainable: bool) -> None:
        super().__init__(trainable=trainable, name='bias_layer')
        self._units, self._keys = units, keys

    def build(self, input_shape: Any) -> None:
        """Makes the bias."""
        self.bias = self.add_weight('bias_weights', [self._units], initializer=init_ops.zeros_initializer())
        _collect(self.bias, self._keys)

    def call(self, builder: Any) -> Any:  # type: ignore[override]
        """Returns the bias."""
        return self.bias


def _collect(variable: Any, keys: list[str]) -> None:
    parts = variable if hasattr(variable, '_variable_list') else [variable]
    for key in keys:
        if key != GraphKeys.GLOBAL_VARIABLES:
            for part in parts:
                scopes.get_default_graph().add_to_collection(key, part)


class LinearModel:
    """The sum of what columns have to say, and a bias."""

    def __init__(self, feature_columns: Any, units: int = 1, sparse_combiner: str = 'sum', weight_collections: Any = None,
                 trainable: bool = True, name: str = 'linear_model') -> None:
        keys = _kept(weight_collections)
        self.name, self._shares = name, []
        for column in normalized(feature_columns):
            with variable_scope.variable_scope(None, default_name=column._scope_name) as scope:
                own = scope.name.rsplit('/', 1)[-1]
            self._shares.append(_Weights(column, units, sparse_combiner, keys, trainable, own))
        self.bias = _Bias(units, keys, trainable)
        self.cols_to_vars: dict[Any, Any] = {}

    def __call__(self, features: Any) -> Any:
        with scopes.name_scope(self.name), variable_scope.variable_scope(self.name) as scope:
            for share in self._shares:
                if not isinstance(share.column, (DenseColumn, CategoricalColumn)):
                    raise ValueError('Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: '
                                     f'{share.column}')
            builder, sums, columns = Builder(features), [], []
            for share in sorted(self._shares, key=lambda share: share.name):
                columns.append(share.column)
                sums.append(share(builder))
                self.cols_to_vars[share.column] = scopes.get_default_graph().get_collection(
                    GraphKeys.GLOBAL_VARIABLES, scope=share.scope_name)
            _check_batch(sums, columns)
            total = math_ops.add_n(sums, name='weighted_sum_no_bias')
            total = nn_ops.bias_add(total, self.bias(builder, scope=scope), name='weighted_sum')
            self.cols_to_vars['bias'] = list(self.bias.variables)
        return total


def linear_model(features: Any, feature_columns: Any, units: int = 1, sparse_combiner: str = 'sum',
                 weight_collections: Any = None, trainable: bool = True, cols_to_vars: Any = None) -> Any:
    """Returns weighted sums of columns, with a bias."""
    with variable_scope.variable_scope(None, 'linear_model') as scope:
        name = scope.name.rsplit('/', 1)[-1]
    model = LinearModel(feature_columns, units, sparse_combiner, weight_collections, trainable, name)
    found = model(features)
    if cols_to_vars is not None:
        cols_to_vars.update(model.cols_to_vars)
    return found


# ---- Examples ----


def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """Returns how the features of columns are read from Examples."""
    found: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f'All feature_columns must be FeatureColumn instances. Given: {column}')
        for key, value in column.parse_example_spec.items():
            if key in found and value != found[key]:
                raise ValueError(f'feature_columns contain different parse_spec for key {key}. Given {value} and '
                                 f'{found[key]}')
            found[key] = value
    return found
