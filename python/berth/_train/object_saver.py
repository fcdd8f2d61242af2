"""object_saver - tf.saved_model.save: a tf.Module with its variables and functions, as TF2 writes models.

    nodes      1 variable "w"   2 function "f" ──> concrete functions ──> FunctionDef, and what they captured
               3 table "t" ──> functions that make and fill it   4 a file that is copied (model_tables.py)
    graph      handles of the variables, a call for each signature, what saves and restores
    variables  a checkpoint of the same tree

object_loader.py reads it back. The graph is for who knows no objects: servers, and sessions.
"""

from __future__ import annotations

import os
from typing import Any

from berth._train import checkpoint, meta_graph, model_signatures, model_tables, model_values, objects
from berth._train import model_names as names
from berth.base import naming, protos
from berth.eager.concrete import ConcreteFunction
from berth.eager.function import Function, function
from berth.eager.function_parts import add_parts, parts_of
from berth.eager.spec import TensorSpec
from berth.framework import convert, dtypes, gen, nest, scopes
from berth.framework.graph import Graph
from berth.framework.node import Tensor
from berth.framework.trackable import Trackable
from berth.variables.module import Module
from berth.modules import gfile
from berth.ops import array_ops, order_ops
from berth.variables.graph_variable import Variable

_DEFAULT_SIGNATURE = '_default_save_signature'  # An attribute whose function servers are offered.
_KINDS = ((list, 'trackable_list_wrapper'), (tuple, 'trackable_tuple_wrapper'), (dict, 'trackable_dict_wrapper'))


@naming.public('saved_model.save_options')
class SaveOptions:
    """How a model is saved; what Berth has no choice about is kept as it was given."""

    def __init__(self, namespace_whitelist: Any = None, save_debug_info: bool = False, function_aliases: Any = None,
                 experimental_debug_stripper: bool = False, experimental_io_device: Any = None,
                 experimental_variable_policy: Any = None, experimental_custom_gradients: bool = True,
                 experimental_image_format: bool = False, experimental_skip_saver: bool = False,
                 experimental_sharding_callback: Any = None, extra_tags: Any = None) -> None:
        given = dict(locals())
        for name in ('self', 'namespace_whitelist'):
            given.pop(name)
        self.__dict__.update(given, namespace_whitelist=list(namespace_whitelist or ()),
                             function_aliases=dict(function_aliases or {}))


class _Signatures(dict):
    """What a model offers to servers: concrete functions by name."""


def _functions_of(value: Any) -> dict[str, Any]:
    """Returns the functions that are attributes of an object, by their names."""
    if isinstance(value, (Variable, list, tuple, dict)):
        return {}
    if isinstance(value, Trackable) and not isinstance(value, Module):
        return {name: item for name, item in sorted(value._trackable_children('savedmodel', cache={}).items())
                if isinstance(item, (Function, ConcreteFunction))}
    found = {}
    for name in dir(type(value)):
        if isinstance(type(value).__dict__.get(name, getattr(type(value), name, None)), Function):
            found[name] = getattr(value, name)
    found.update((name, item) for name, item in vars(value).items() if isinstance(item, (Function, ConcreteFunction)))
    return dict(sorted(found.items()))


def _is_settled(value: Function) -> bool:
    """True for a function that says what it takes."""
    return value.input_signature is not None or not value.function_spec.arg_names


def _traces(value: Function) -> list[ConcreteFunction]:
    """Returns the concrete functions of a function; one with a signature has one at least."""
    if value.input_signature is not None:
        value.get_concrete_function()
    return value._list_all_concrete_functions()


# ---- Signatures ----


def _results(name: str, given: Any) -> dict[str, Any]:
    """Returns what a function gave as a dict of tensors."""
    if isinstance(given, dict):
        found = given
    elif isinstance(given, (list, tuple)):
        found = {f'output_{i}': value for i, value in enumerate(given)}
    else:
        found = {} if given is None else {'output_0': given}
    for key, value in found.items():
        if not isinstance(value, Tensor):
            raise ValueError(f'Got a non-Tensor value {value!r} for key {key!r} in the output of the function {name} '
                             'used to generate the SavedModel signature. Outputs for functions used as signatures must '
                             'be a single Tensor, a sequence of Tensors, or a dictionary from string to Tensor.')
    return found


def _arguments(concrete: ConcreteFunction) -> dict[str, TensorSpec]:
    """Returns what a function takes, by the names that servers know."""
    inputs = concrete.inputs[:len(concrete.inputs) - len(concrete.graph.captures)]
    return {tensor.op.name: TensorSpec(tensor.shape, tensor.dtype, tensor.op.name) for tensor in inputs}


def _signature(key: str, given: Any) -> ConcreteFunction:
    """Returns a function of tensors by name that gives a dict of tensors."""
    if isinstance(given, Function) and _is_settled(given):
        given = given.get_concrete_function()
    if not isinstance(given, ConcreteFunction):
        raise ValueError(f'Expected a TensorFlow function for which to generate a signature, but got {given}. Only '
                         '`tf.functions` with an input signature or concrete functions can be used as a signature.')
    specs = _arguments(given)

    def signature_wrapper(**tensors: Any) -> Any:
        return _results(given.name.decode(), given.call_flat([tensors[name] for name in specs]))

    return function(signature_wrapper, autograph=False).get_concrete_function(**specs)


def _default_signature(root: Any) -> Any:
    """Returns the one function of |root| that could be a signature, or None."""
    found = []
    functions = _functions_of(root)
    if _DEFAULT_SIGNATURE in functions:
        return functions[_DEFAULT_SIGNATURE]
    for value in functions.values():
        if isinstance(value, Function):
            value = value.get_concrete_function() if _is_settled(value) else None
        if value is not None and _gives_tensors(value):
            found.append(value)
    return found[0] if len(found) == 1 else None


def _gives_tensors(concrete: ConcreteFunction) -> bool:
    try:
        _results('', concrete.structured_outputs)
    except ValueError:
        return False
    return all(isinstance(leaf, TensorSpec) for leaf in nest.flatten(concrete.structured_input_signature))


def _signatures(root: Any, asked: Any) -> _Signatures:
    if asked is None:
        asked = _default_signature(root)
    if asked is None:
        asked = {}
    if not isinstance(asked, dict):
        asked = {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: asked}
    return _Signatures((key, _signature(key, value)) for key, value in asked.items())


def _described(results: Any) -> Any:
    """Returns specs for the tensors among results; those of a dict have its names."""
    if isinstance(results, dict) and all(isinstance(value, Tensor) for value in results.values()):
        return {key: TensorSpec(value.shape, value.dtype, key) for key, value in results.items()}
    return nest.map_structure(lambda leaf: TensorSpec(leaf.shape, leaf.dtype) if isinstance(leaf, Tensor)
                              else getattr(leaf, '_type_spec', leaf), results)


# ---- Objects ----


class _Node:
    """An object of the model, and the numbers of what it holds."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.variable = objects.variable_of(value)
        self.children: dict[str, int] = {}


class _Tree:
    """The objects of a model by number, the nearest first, and what functions captured behind them."""

    def __init__(self, root: Any, signatures: _Signatures) -> None:
        self.nodes = [_Node(root)]
        self._numbers = {id(root): 0}
        self.concrete: dict[bytes, tuple[ConcreteFunction, list[int]]] = {}
        self._signatures, self._tables = signatures, model_tables.Tables()
        for node in self.nodes:  # It grows meanwhile.
            for name, child in self._children(node.value).items():
                node.children[name] = self._number(child)
        self._handles = {id(node.variable.handle): i for i, node in enumerate(self.nodes) if node.variable is not None}
        self._handles.update((id(node.value.handle), i) for i, node in enumerate(self.nodes)
                             if isinstance(node.value, model_tables.Table))
        self.files = {i: node.value for i, node in enumerate(self.nodes) if isinstance(node.value, model_tables.File)}
        self._handles.update((id(file.path), i) for i, file in self.files.items())
        for node in list(self.nodes):
            for each in self._concrete_of(node.value):
                self.concrete[each.name] = each, [self._captured(each, outside) for outside in each._given]

    def saved_nodes(self) -> list[objects.Node]:
        """Returns what the checkpoint of the model has: the same objects, but for functions and constants."""
        return objects.nodes_of(self.nodes[0].value, self._saved_children)

    def _saved_children(self, value: Any) -> dict[str, Any]:
        found = self.nodes[self._numbers[id(value)]].children if id(value) in self._numbers else {}
        inside = {name: self.nodes[number].value for name, number in found.items()}
        return {name: child for name, child in inside.items()
                if not isinstance(child, (Function, ConcreteFunction, Tensor, _Signatures))}

    def _number(self, value: Any) -> int:
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.nodes)
            self.nodes.append(_Node(value))
        return self._numbers[id(value)]

    def _children(self, value: Any) -> dict[str, Any]:
        if isinstance(value, _Signatures):
            return dict(value)
        if isinstance(value, (Function, ConcreteFunction)):
            return {}
        own = model_tables.children(value)
        if own is not None:
            return own
        found = {**objects.children(value, 'savedmodel', cache={}), **self._tables.held(value), **_functions_of(value)}
        return {**found, 'signatures': self._signatures} if value is self.nodes[0].value else found

    @staticmethod
    def _concrete_of(value: Any) -> list[ConcreteFunction]:
        if isinstance(value, Function):
            return _traces(value)
        return [value] if isinstance(value, ConcreteFunction) else []

    def _captured(self, concrete: ConcreteFunction, outside: Any) -> int:
        """Returns the number of what a function uses from outside: a variable of the tree, or a constant."""
        if id(outside) in self._handles:
            return self._handles[id(outside)]
        if outside.dtype not in (dtypes.resource, dtypes.variant):
            return self._number(outside)
        used = next((v for v in concrete.variables if v.handle is outside), None)
        if used is None:
            raise NotImplementedError(f'tf.saved_model.save: {concrete.name.decode()} uses a table or the like that the '
                                      'model does not hold, or that changes; Berth saves variables, constants, and '
                                      'tables that do not')
        raise AssertionError(
            f"Tried to export a function which references an 'untracked' resource. TensorFlow objects (e.g. tf.Variable) "
            "captured by functions must be 'tracked' by assigning them to an attribute of a tracked object or assigned to "
            f'an attribute of the main object directly. See the information below:\n\tFunction name = {concrete.name!r}\n'
            f'\tCaptured Tensor = {outside!r}\n\tTrackable referencing this tensor = {used!r}')

    # ---- As a message ----

    def message(self, operations: dict[int, str]) -> Any:
        """Returns the objects; |operations| are the nodes of constants."""
        made = protos.SavedObjectGraph()
        for number, node in enumerate(self.nodes):
            saved = made.nodes.add()
            for name, child in node.children.items():
                saved.children.add(node_id=child, local_name=name)
            self._describe(saved, number, node.value if node.variable is None else node.variable, operations)
        for name, (each, bound) in self.concrete.items():
            one = made.concrete_functions[name.decode()]
            one.bound_inputs.extend(bound)
            one.canonicalized_input_signature.CopyFrom(model_values.encode(each.structured_input_signature))
            one.output_signature.CopyFrom(model_values.encode(_described(each.structured_outputs)))
        return made

    def _describe(self, saved: Any, number: int, value: Any, operations: dict[int, str]) -> None:
        """Says what one object is."""
        if isinstance(value, Variable):
            saved.variable.dtype, saved.variable.trainable = value.dtype.base_dtype.as_datatype_enum, value.trainable
            saved.variable.shape.CopyFrom(value.shape.as_proto())
            saved.variable.synchronization = value.synchronization.value
            saved.variable.aggregation = value.aggregation.value
            saved.variable.name = value.name.partition(':')[0]
        elif isinstance(value, Function):
            saved.function.concrete_functions.extend(each.name.decode() for each in _traces(value))
            _describe_parameters(saved.function.function_spec, value)
        elif isinstance(value, ConcreteFunction):
            keywords = list(_arguments(value))
            saved.bare_concrete_function.concrete_function_name = value.name.decode()
            saved.bare_concrete_function.argument_keywords.extend(keywords)
            saved.bare_concrete_function.allowed_positional_arguments = int(len(keywords) == 1)
        elif isinstance(value, model_tables.Table):
            saved.resource.SetInParent()
        elif number in self.files:
            saved.asset.asset_file_def_index = list(self.files).index(number)
        elif number in operations:
            saved.constant.operation = operations[number]
        else:
            saved.user_object.identifier = 'signature_map' if isinstance(value, _Signatures) else next(
                (text for kind, text in _KINDS if isinstance(value, kind)), '_generic_user_object')
            saved.user_object.version.producer = saved.user_object.version.min_consumer = 1


def _describe_parameters(spec: Any, value: Function) -> None:
    """Writes what a function takes, without what its object is called."""
    full = value.function_spec.fullargspec
    spec.fullargspec.CopyFrom(model_values.encode(full._replace(annotations={})))
    asked = value.input_signature
    spec.input_signature.CopyFrom(model_values.encode(None if asked is None else tuple(asked)))


# ---- The graph ----


class _GraphOfModel:
    """The graph of a model: what its functions are, and what servers run."""

    def __init__(self, tree: _Tree, signatures: _Signatures) -> None:
        self.graph = Graph()
        self.operations: dict[int, str] = {}  # The constants among the objects.
        self._tensors: dict[int, Any] = {}  # By the numbers of objects.
        with self.graph.as_default():
            for each, _ in tree.concrete.values():
                add_parts(self.graph._core, parts_of(each.name.decode(), each.graph))
            self._add_objects(tree)
            made = {key: self._call(key, *tree.concrete[each.name]) for key, each in signatures.items()}
            with scopes.control_dependencies(self._fill_tables(tree)):
                first = gen.apply('NoOp', 'NoOp', {})
            saver = self._add_saver(tree)
            self.message = meta_graph.export_meta_graph(graph=self.graph, saver_def=saver)
        for key, definition in made.items():
            self.message.signature_def[key].CopyFrom(definition)
        self.message.signature_def[names.INIT_OP_SIGNATURE_KEY].outputs[names.INIT_OP_SIGNATURE_KEY].CopyFrom(
            protos.TensorInfo(name=first.name, tensor_shape={'unknown_rank': True}))
        self.message.collection_def[names.MAIN_OP_KEY].node_list.value.append(first.name)
        self.message.meta_info_def.tags.append(names.SERVING)
        for number, name in names_of(tree.files).items():
            info = protos.TensorInfo(name=self._tensors[number].name)
            self.message.asset_file_def.add(tensor_info=info, filename=name)

    def _add_objects(self, tree: _Tree) -> None:
        for number, node in enumerate(tree.nodes):
            value = node.value if node.variable is None else node.variable
            if isinstance(value, Variable):
                name = self.graph.unique_name(value.name.partition(':')[0])
                self._tensors[number] = gen.apply('VarHandleOp', name + '/', {}, {
                    'dtype': value.dtype.base_dtype, 'shape': value.shape, 'shared_name': name})
            elif isinstance(value, model_tables.Table):
                self._tensors[number] = value.make()
            elif number in tree.files:
                self._tensors[number] = array_ops.placeholder(dtypes.string, [], 'asset_path_initializer')
            elif isinstance(value, Tensor):
                made = convert.constant(value.numpy(), value.dtype)
                self._tensors[number], self.operations[number] = made, made.op.name

    def _fill_tables(self, tree: _Tree) -> list[Any]:
        """Adds calls of what fills the tables; who loads the graph feeds the names of files."""
        filling = [node.value.functions['_initialize'].get_concrete_function() for node in tree.nodes
                   if isinstance(node.value, model_tables.Table)]
        return [each._call_node(self.graph, [self._tensors[number] for number in tree.concrete[each.name][1]])
                for each in filling]

    def _call(self, key: str, concrete: ConcreteFunction, bound: list[int]) -> Any:
        """Adds the call of a signature; returns its SignatureDef."""
        given = {name: array_ops.placeholder(spec.dtype, spec.shape, f'{key}_{name}')
                 for name, spec in _arguments(concrete).items()}
        op = concrete._call_node(self.graph, [*given.values(), *(self._tensors[number] for number in bound)])
        for made, inside in zip(op.outputs, concrete.outputs):
            made.set_shape(inside.shape)
        info = model_signatures.build_tensor_info
        results = nest.pack_sequence_as(concrete.structured_outputs, list(op.outputs))
        return model_signatures.build_signature_def(
            {name: info(tensor) for name, tensor in given.items()},
            {name: info(tensor) for name, tensor in results.items()}, 'tensorflow/serving/predict')

    def _add_saver(self, tree: _Tree) -> Any:
        """Adds what saves and restores the variables; returns the SaverDef."""
        path = array_ops.placeholder(dtypes.string, [], 'saver_filename')
        paths = {id(node.value): node.key() for node in tree.saved_nodes()}
        held = [(self._tensors[number], node.variable, paths[id(node.value)]) for number, node in enumerate(tree.nodes)
                if node.variable is not None]
        read = [gen.apply('ReadVariableOp', None, {'resource': handle}, {'dtype': value.dtype.base_dtype})
                for handle, value, _ in held]
        keys = [key for _, _, key in held]
        done = gen.apply('SaveV2', None, {'prefix': path, 'tensor_names': keys, 'shape_and_slices': [''] * len(keys),
                                          'tensors': read}) if held else gen.apply('NoOp', None, {})
        with scopes.control_dependencies([done]):
            saved = array_ops.identity(path)
        found = gen.apply('RestoreV2', None, {'prefix': path, 'tensor_names': keys, 'shape_and_slices': [''] * len(keys)},
                          {'dtypes': [value.dtype.base_dtype for _, value, _ in held]}) if held else []
        restored = order_ops.group(*(gen.apply('AssignVariableOp', None, {'resource': handle, 'value': value})
                                    for (handle, _, _), value in zip(held, found)), name='restore_all')
        return protos.SaverDef(filename_tensor_name=path.name, save_tensor_name=saved.name,
                               restore_op_name=restored.name, version=protos.SaverDef.V2)


def names_of(files: dict[int, Any]) -> dict[int, str]:
    """Returns names for |files| beside the model, by number: their own, and others where two are called the same."""
    found: dict[int, str] = {}
    for number, file in files.items():
        base = os.path.basename(file.path.numpy().decode())
        name = next(name for name in (base, *(f'{base}_{i}' for i in range(1, len(files) + 1)))
                    if name not in found.values())
        found[number] = name
    return found


def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Writes a tf.Module, with its variables and the functions that were traced, as a model of TF2."""
    if not isinstance(obj, Trackable):
        raise ValueError('Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` '
                         f'class, for export. Got {obj} with type {type(obj)}.')
    if not scopes.executing_eagerly():
        raise AssertionError('`tf.saved_model.save` is not supported inside a traced @tf.function. Move the call to the '
                             'outer eagerly-executed context.')
    folder = os.fspath(export_dir)
    made = _signatures(obj, signatures)
    tree = _Tree(obj, made)
    graph = _GraphOfModel(tree, made)
    variables = os.path.join(folder, names.VARIABLES_DIRECTORY)
    gfile.MakeDirs(variables)
    assets = os.path.join(folder, names.ASSETS_DIRECTORY)
    gfile.MakeDirs(assets)
    for number, name in names_of(tree.files).items():
        tree.files[number].copy_to(assets, name)
    checkpoint.write_nodes(os.path.join(variables, names.VARIABLES_FILENAME), tree.saved_nodes())
    found = protos.ObjectsOfModel.ObjectsOfGraph(object_graph_def=tree.message(graph.operations))
    model = protos.SavedModel(saved_model_schema_version=names.SAVED_MODEL_SCHEMA_VERSION)
    # The objects lie in the same message, behind what graphs have.
    model.meta_graphs.add().MergeFromString(graph.message.SerializeToString() + found.SerializeToString(deterministic=True))
    checkpoint.checkpoint_state.write_whole(os.path.join(folder, names.SAVED_MODEL_FILENAME_PB),
                                            model.SerializeToString(deterministic=True))
