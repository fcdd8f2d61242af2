"""object_loader - tf.saved_model.load: the objects of a model that TF2 has written.

A model has a tree of objects by number, the functions of its graph, and a checkpoint:

    nodes      1 variable "w"   2 function "f" ──> concrete functions ──> FunctionDef, and what they captured
    library    the functions of the graph, as a whole: each call is a node that runs one of them
    variables  a checkpoint with a tree of its own, of the same names

A concrete function becomes a traced function around such a node, when it is first called.
"""

from __future__ import annotations

import collections
import inspect
import os
from typing import Any

from berth import _core as core
from berth._train import checkpoint_reader, model_functions, model_loader, model_values
from berth._train import model_names as names
from berth._train.objects import GRAPH_KEY
from berth.base import naming, protos
from berth.eager import composite_spec
from berth.eager.function import function
from berth.eager.spec import TensorSpec
from berth.framework import convert, dtypes, nest, scopes, tensor_util
from berth.framework.shown import Shown
from berth.ops import array_ops
from berth.variables.graph_variable import Variable


class _UserObject:
    """An object of a class that the model does not tell: it has what the program's had."""


class _Callable(_UserObject):
    """One that can be called."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__dict__['__call__'](*args, **kwargs)


class Asset:
    """A file beside the model."""

    def __init__(self, path: str) -> None:
        self.asset_path = convert.convert_to_tensor(path)


_Callable.__name__ = '_UserObject'  # As programs see it.


class ListWrapper(list):
    """A list, or a tuple, of the model."""

    def __repr__(self) -> str:
        return f'ListWrapper({super().__repr__()})'


class _Resource(_UserObject):
    """A table or the like, which a function of the model makes."""

    _made: Any = None

    @property
    def resource_handle(self) -> Any:
        """The tensor that stands for it."""
        if self._made is None:
            with scopes.init_scope():
                self._made = self._create_resource()  # type: ignore[attr-defined]
        return self._made


class _Signatures(collections.abc.Mapping):
    """What a model offers to servers, by name."""

    def __init__(self) -> None:
        self._found: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        return self._found[key]

    def __iter__(self) -> Any:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f'_SignatureMap({self._found})'


class _Concrete:
    """A function of the model for one kind of arguments."""

    def __init__(self, model: '_Loader', name: str) -> None:
        saved = model.graph.concrete_functions[name]
        self.name = name
        self._model, self._saved = model, saved
        self._definition = model.functions[name]
        self.structured_input_signature = model_values.decode(saved.canonicalized_input_signature) or ((), {})
        self.structured_outputs = model_values.decode(saved.output_signature)
        self._run: Any = None
        self.takes = composite_spec.opened(self.structured_input_signature)  # The same, made of specs of tensors.

    @property
    def variables(self) -> list[Any]:
        """The variables that it uses."""
        bound = [self._model.objects[number] for number in self._saved.bound_inputs]
        return [value for value in bound if isinstance(value, Variable)]

    @property
    def trainable_variables(self) -> list[Any]:
        """Those that training is to change."""
        return [value for value in self.variables if value.trainable]

    def __call__(self, tensors: Any) -> Any:
        """Runs it with tensors in a row, and gives what it returns."""
        if self._run is None:
            specs = [TensorSpec(kind.shape, kind.dtype) for kind in nest.flatten(self.takes, True)
                     if isinstance(kind, TensorSpec)]
            with scopes.init_scope():
                self._run = function(self._call, autograph=False).get_concrete_function(*specs)
        found = self._run(*tensors)
        gives = composite_spec.opened(self.structured_outputs)
        rest = iter(found)
        return nest.pack_sequence_as(gives, [next(rest) if isinstance(kind, TensorSpec) else kind
                                             for kind in nest.flatten(gives, True)], True)

    def _call(self, *tensors: Any) -> Any:
        """Adds the call to a function that is traced."""
        graph: Any = scopes.get_default_graph()
        graph._core.add_functions(self._model.library)
        for number in self._saved.bound_inputs:
            if isinstance(self._model.objects[number], Variable):
                graph.watch(self._model.objects[number])
        inputs = [*tensors, *(graph.capture(self._model.captured(i)) for i in self._saved.bound_inputs)]
        op = graph.add('StatefulPartitionedCall', None, [inputs], {
            'f': self.name.encode(), 'Tin': [core.DType(tensor.dtype.number) for tensor in inputs],
            'Tout': [core.DType(arg.type) for arg in self._definition.signature.output_arg]})
        return list(op.outputs)


class _Function:
    """A function of the model, for all kinds of arguments that it was saved for."""

    def __init__(self, spec: Any, concrete: list[_Concrete]) -> None:
        self._signature = model_values.signature_of(spec)
        self.concrete_functions = concrete

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = model_values.bind(self._signature, args, kwargs)
        for converts in (False, True):
            for concrete in self.concrete_functions:
                found = model_values.fitting(concrete.takes, (args, kwargs), converts)
                if found is not None:
                    return concrete(found)
        raise ValueError(self._no_match(args, kwargs))

    def _no_match(self, args: Any, kwargs: Any) -> str:
        labels = [*self._signature.parameters, *(f'args_{i}' for i in range(len(args)))]
        given = [_shown(value, label) if convert.is_tensor(value) else value for value, label in zip(args, labels)]
        named = {key: _shown(value, key) if convert.is_tensor(value) else value for key, value in kwargs.items()}
        options = [f'Option {i}:\n{_described(*each.structured_input_signature)}'
                   for i, each in enumerate(self.concrete_functions, 1)]
        return ('Could not find matching concrete function to call loaded from the SavedModel. Got:\n'
                f'{_described(given, named)}\n\n Expected these arguments to match one of the following '
                f'{len(options)} option(s):\n\n' + '\n\n'.join(options))


def _shown(tensor: Any, label: str) -> Shown:
    """Returns a tensor as it is called in a function."""
    return Shown(f"<tf.Tensor '{label}:0' shape={tensor.shape} dtype={tensor.dtype.name}>")


def _described(args: Any, kwargs: Any) -> str:
    lines = [f'  Positional arguments ({len(args)} total):']
    lines += [f'    * {value!r}' for value in args]
    return '\n'.join(lines + [f'  Keyword arguments: {kwargs}'])


class _Signature:
    """A function for servers: tensors by name, and a dict of results."""

    def __init__(self, concrete: _Concrete, keywords: Any, positional: int) -> None:
        self._concrete, self._keywords, self._positional = concrete, list(keywords), positional
        kinds, named = nest.flatten(concrete.structured_input_signature), concrete.structured_input_signature[1]
        self._kinds = {key: named.get(key, kind) for key, kind in zip(self._keywords, kinds)}
        self.structured_input_signature = ((), self._kinds)
        self.structured_outputs = concrete.structured_outputs
        self.name = concrete.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        parameters = [inspect.Parameter(
            key, inspect.Parameter.POSITIONAL_OR_KEYWORD if i < self._positional else inspect.Parameter.KEYWORD_ONLY,
            annotation=self._kinds[key]) for i, key in enumerate(self._keywords)]
        args, kwargs = model_values.bind(inspect.Signature(parameters), args, kwargs)
        given = [*args, *(kwargs[key] for key in self._keywords[len(args):])]
        return self._concrete([value if convert.is_tensor(value) else convert.convert_to_tensor(value, kind.dtype)
                               for value, kind in zip(given, self._kinds.values())])


class _Loader:
    """Makes the objects of a model."""

    def __init__(self, folder: str, message: Any, graph: Any) -> None:
        self._folder, self._message, self.graph = folder, message, graph
        model_functions.rename(message.graph_def.library, graph)
        self.functions = {each.signature.name: each for each in message.graph_def.library.function}
        self.library = message.graph_def.library.SerializeToString()
        self._datasets = model_functions.DatasetFunctions(message.graph_def.library)
        self._concrete: dict[str, _Concrete] = {}
        self.objects = [self._made(node) for node in graph.nodes]
        self._restore()
        self._join()
        for found in self.objects:
            if isinstance(found, _Resource) and hasattr(found, '_initialize'):
                found.resource_handle  # noqa: B018  # Makes it.
                found._initialize()

    # ---- Objects ----

    def _made(self, node: Any) -> Any:
        kind = node.WhichOneof('kind')
        saved = getattr(node, kind) if kind else None
        if kind == 'variable':
            return self._variable(saved)
        if kind == 'constant':
            return self._constant(saved.operation)
        if kind == 'asset':
            file = self._message.asset_file_def[saved.asset_file_def_index].filename
            return Asset(os.path.join(self._folder, names.ASSETS_DIRECTORY, file))
        if kind == 'function':
            return _Function(saved.function_spec, [self._function(name) for name in saved.concrete_functions])
        if kind == 'bare_concrete_function':
            return _Signature(self._function(saved.concrete_function_name), saved.argument_keywords,
                              saved.allowed_positional_arguments)
        if kind == 'resource':
            return _Resource()
        made = {'trackable_list_wrapper': ListWrapper, 'trackable_dict_wrapper': dict,
                'trackable_tuple_wrapper': ListWrapper, 'signature_map': _Signatures}
        return made.get(saved.identifier, _UserObject)() if kind == 'user_object' else _UserObject()

    def _function(self, name: str) -> _Concrete:
        if name not in self._concrete:
            self._concrete[name] = _Concrete(self, name)
        return self._concrete[name]

    def _variable(self, saved: Any) -> Any:
        dtype, shape = dtypes.as_dtype(saved.dtype), [max(dim.size, 0) for dim in saved.shape.dim]
        return Variable(array_ops.zeros(shape, dtype), trainable=saved.trainable, name=saved.name or None, dtype=dtype,
                        shape=model_values.TensorShape(saved.shape))

    def _constant(self, operation: str) -> Any:
        for node in self._message.graph_def.node:
            if node.name == operation:
                return convert.convert_to_tensor(tensor_util.make_ndarray(node.attr['value'].tensor))
        raise ValueError(f'The model has no constant {operation}')

    def captured(self, number: int) -> Any:
        """Returns the tensor by which functions use an object."""
        found = self.objects[number]
        if isinstance(found, Variable):
            return found.handle
        if isinstance(found, Asset):
            return found.asset_path
        return found.resource_handle if isinstance(found, _Resource) else found

    # ---- Values ----

    def _restore(self) -> None:
        """Gives the variables their values: both trees have the same names."""
        path = os.path.join(self._folder, names.VARIABLES_DIRECTORY, names.VARIABLES_FILENAME)
        if not any(isinstance(found, Variable) for found in self.objects):
            return
        reader = checkpoint_reader.NewCheckpointReader(path)
        tree = protos.TrackableObjectGraph.FromString(reader.get_tensor(GRAPH_KEY)).nodes
        pending, seen = [(0, 0)], {0}
        while pending:
            here, there = pending.pop()
            found = self.objects[here]
            if isinstance(found, Variable) and tree[there].attributes:
                found.assign(reader.get_tensor(tree[there].attributes[0].checkpoint_key))
            inside = {child.local_name: child.node_id for child in tree[there].children}
            for child in self.graph.nodes[here].children:
                if child.node_id not in seen and child.local_name in inside:
                    seen.add(child.node_id)
                    pending.append((child.node_id, inside[child.local_name]))

    # ---- The tree ----

    def _join(self) -> None:
        """Puts objects where they were."""
        for number, node in enumerate(self.graph.nodes):
            parent = self.objects[number]
            children = {child.local_name: self.objects[child.node_id] for child in node.children}
            if isinstance(parent, list):
                parent.extend(children[key] for key in sorted((k for k in children if k.isdigit()), key=int))
            elif isinstance(parent, dict):
                parent.update(children)
            elif isinstance(parent, _Signatures):
                parent._found.update(children)
            elif isinstance(parent, _UserObject):
                for key, value in children.items():
                    setattr(parent, key, value)
                if '__call__' in children and type(parent) is _UserObject:
                    parent.__class__ = _Callable


@naming.public('saved_model.load')
def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """Returns the object that was saved as a model by TF2: its variables, functions and signatures."""
    folder = os.fspath(export_dir)
    found = model_loader.parse_saved_model(folder)
    objects = protos.ObjectsOfModel.FromString(found.SerializeToString()).meta_graphs
    if len(found.meta_graphs) != 1 or not objects[0].HasField('object_graph_def'):
        raise NotImplementedError(f'tf.saved_model.load: the model in {folder} is of TF1, without objects; '
                                  'tf.compat.v1.saved_model.load reads it into a session')
    message = found.meta_graphs[0]
    wanted = [tags] if isinstance(tags, str) else tags
    if wanted is not None and set(wanted) != set(message.meta_info_def.tags):
        raise ValueError(f'Got an incompatible argument to `tags`: {wanted}. The SavedModel at {folder} has one '
                         f'MetaGraph with tags {message.meta_info_def.tags}. You may omit the argument, pass '
                         "'None', or pass matching tags.")
    with scopes.init_scope():
        root = _Loader(folder, message, objects[0].object_graph_def).objects[0]
    root.tensorflow_version = message.meta_info_def.tensorflow_version
    root.tensorflow_git_version = message.meta_info_def.tensorflow_git_version
    root.graph_debug_info = None
    return root
