"""model_signatures - Signatures of SavedModels: which tensors go in and come out, and for what."""

from __future__ import annotations

from typing import Any, Optional

from berth._train import meta_graph
from berth._train import model_names as names
from berth.base import protos
from berth.framework import dtypes, scopes
from berth.framework.node import Tensor
from berth.ops.sparse_tensor import SparseTensor

# ---- Tensors ----


def build_tensor_info(tensor: Any) -> Any:
    """Returns the name, type and shape of a tensor as a message."""
    if scopes.executing_eagerly():
        raise RuntimeError('`build_tensor_info` is not supported in eager execution.')
    made = protos.TensorInfo(dtype=dtypes.as_dtype(tensor.dtype).as_datatype_enum,
                             tensor_shape=tensor.get_shape().as_proto())
    if isinstance(tensor, SparseTensor):
        made.coo_sparse.values_tensor_name = tensor.values.name
        made.coo_sparse.indices_tensor_name = tensor.indices.name
        made.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        made.name = tensor.name
    return made


def get_tensor_from_tensor_info(tensor_info: Any, graph: Any = None, import_scope: Optional[str] = None) -> Any:
    """Returns the tensor of a graph that a message names."""
    graph = graph or scopes.get_default_graph()

    def named(name: str) -> Any:
        return graph.get_tensor_by_name(meta_graph.with_scope(name, import_scope))

    encoding = tensor_info.WhichOneof('encoding')
    if encoding == 'name':
        return named(tensor_info.name)
    if encoding == 'coo_sparse':
        parts = tensor_info.coo_sparse
        return SparseTensor(named(parts.indices_tensor_name), named(parts.values_tensor_name),
                            named(parts.dense_shape_tensor_name))
    raise ValueError(f'Invalid TensorInfo.encoding: {encoding}. Expected `coo_sparse`, `composite_tensor`, or `name` '
                     'for a dense tensor.')


# ---- Signatures ----


def build_signature_def(inputs: Any = None, outputs: Any = None, method_name: Optional[str] = None,
                        defaults: Any = None) -> Any:
    """Returns a signature of tensors that are given as messages."""
    made = protos.SignatureDef()
    for key, info in (inputs or {}).items():
        made.inputs[key].CopyFrom(info)
    for key, info in (outputs or {}).items():
        made.outputs[key].CopyFrom(info)
    if method_name is not None:
        made.method_name = method_name
    for key, default in (defaults or {}).items():
        if default.op.type != 'Const':
            raise ValueError(f'Unable to convert object {default} of type {type(default)} to TensorProto.')
        made.defaults[key].CopyFrom(default.op.get_attr('value'))
    return made


def predict_signature_def(inputs: Any, outputs: Any) -> Any:
    """Returns a signature for tensors of any kind."""
    for label, given in (('inputs', inputs), ('outputs', outputs)):
        if not given:
            raise ValueError(f'Prediction `{label}` cannot be None or empty.')
    return build_signature_def({key: build_tensor_info(tensor) for key, tensor in inputs.items()},
                               {key: build_tensor_info(tensor) for key, tensor in outputs.items()},
                               names.PREDICT_METHOD_NAME)


def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """Returns a signature for records and numbers."""
    if examples is None:
        raise ValueError('Regression `examples` cannot be None.')
    if not isinstance(examples, Tensor):
        raise ValueError('Expected regression `examples` to be of type Tensor. Found `examples` of type '
                         f'{type(examples)}.')
    if predictions is None:
        raise ValueError('Regression `predictions` cannot be None.')
    given, result = build_tensor_info(examples), build_tensor_info(predictions)
    if given.dtype != dtypes.string.as_datatype_enum:
        raise ValueError(f'Regression input tensors must be of type string. Found tensors with type {given.dtype}.')
    if result.dtype != dtypes.float32.as_datatype_enum:
        raise ValueError(f'Regression output tensors must be of type float. Found tensors with type {result.dtype}.')
    return build_signature_def({names.REGRESS_INPUTS: given}, {names.REGRESS_OUTPUTS: result},
                               names.REGRESS_METHOD_NAME)


def classification_signature_def(examples: Any, classes: Any, scores: Any) -> Any:
    """Returns a signature for records, classes and scores."""
    if examples is None:
        raise ValueError('Classification `examples` cannot be None.')
    if not isinstance(examples, Tensor):
        raise ValueError('Classification `examples` must be a string Tensor. Found `examples` of type '
                         f'{type(examples)}.')
    if classes is None and scores is None:
        raise ValueError('Classification `classes` and `scores` cannot both be None.')
    given = build_tensor_info(examples)
    if given.dtype != dtypes.string.as_datatype_enum:
        raise ValueError(f'Classification input tensors must be of type string. Found tensors of type {given.dtype}')
    outputs = {}
    if classes is not None:
        info = outputs[names.CLASSIFY_OUTPUT_CLASSES] = build_tensor_info(classes)
        if info.dtype != dtypes.string.as_datatype_enum:
            raise ValueError('Classification classes must be of type string Tensor. Found tensors of type '
                             f'{info.dtype}.`')
    if scores is not None:
        info = outputs[names.CLASSIFY_OUTPUT_SCORES] = build_tensor_info(scores)
        if info.dtype != dtypes.float32.as_datatype_enum:
            raise ValueError('Classification scores must be a float Tensor.')
    return build_signature_def({names.CLASSIFY_INPUTS: given}, outputs, names.CLASSIFY_METHOD_NAME)


# ---- Checks ----


def _has(infos: Any, key: str, dtype: Any) -> bool:
    return key in infos and infos[key].dtype == dtype.as_datatype_enum


def is_valid_signature(signature_def: Any) -> bool:
    """Tells whether servers know what to do with a signature."""
    if signature_def is None:
        return False
    inputs, outputs, method = signature_def.inputs, signature_def.outputs, signature_def.method_name
    if method == names.PREDICT_METHOD_NAME:
        return bool(inputs) and bool(outputs)
    if method not in (names.REGRESS_METHOD_NAME, names.CLASSIFY_METHOD_NAME):
        return False
    if set(inputs) != {'inputs'} or not _has(inputs, 'inputs', dtypes.string):
        return False
    if method == names.REGRESS_METHOD_NAME:
        return set(outputs) == {names.REGRESS_OUTPUTS} and _has(outputs, names.REGRESS_OUTPUTS, dtypes.float32)
    wanted = {names.CLASSIFY_OUTPUT_CLASSES: dtypes.string, names.CLASSIFY_OUTPUT_SCORES: dtypes.float32}
    return bool(outputs) and all(key in wanted and _has(outputs, key, wanted[key]) for key in outputs)


# ---- Operations ----


def load_op_from_signature_def(signature_def: Any, key: str, import_scope: Optional[str] = None) -> Any:
    """Returns the operation that a signature stands for."""
    name = meta_graph.with_scope(signature_def.outputs[key].name, import_scope)
    return scopes.get_default_graph().as_graph_element(name)
