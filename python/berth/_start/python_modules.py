"""python_modules - What `tensorflow.python.ops.math_ops` and the like hold.

Programs reach below TensorFlow's public names. The table `api_modules` says what the public
names are called there, so that a module has whatever of it Berth has, and nothing is kept
twice. What is not public and used all the same is in EXTRAS. Modules of ops have each op by the
name of its function, too (`gen_math_ops.mat_mul`).
"""

from __future__ import annotations

import importlib

from berth._start import namespaces

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from typing import Any, Optional

# Names by module, as in the tables of public names; "other=" is the module itself. Whatever
# else a module of Berth has that is named with a star, is there as well.
EXTRAS = {
    'client.device_lib': 'client.device_lib: *',
    'client.session': 'client.session: *',
    'client.timeline': 'client.timeline: *',
    'compat.compat': 'framework.compat_text: *',
    'eager.context': 'eager.context: * modules.modes: async_wait eager_mode graph_mode',
    'eager.def_function': 'eager.function: function',
    'eager.function': 'eager.function: *',
    'framework.config': 'modules.config: *',
    'framework.constant_op': 'framework.convert: constant constant_v1=constant',
    'framework.device': 'framework.device_spec: DeviceSpec=DeviceSpecV1',
    'framework.device_spec': 'framework.device_spec: *',
    'framework.dtypes': 'framework.dtypes: *',
    'framework.errors': 'framework.errors: *',
    'framework.errors_impl': 'framework.errors: *',
    'framework.function': '',
    'framework.func_graph': 'eager.func_graph: FuncGraph',
    'framework.graph_util': 'framework.graph_util: *',
    'framework.graph_util_impl': 'framework.graph_util: *',
    'framework.importer': 'framework.importer: *',
    'framework.indexed_slices': 'framework.indexed_slices: *',
    'framework.ops': '''
        eager.context: disable_eager_execution enable_eager_execution
        eager.tensor: EagerTensor
        framework.collections: GraphKeys
        framework.convert: convert_to_tensor convert_to_tensor_v2=convert_to_tensor
        framework.graph: Graph
        framework.node: Operation SymbolicTensor Tensor
        framework.scopes: add_to_collection add_to_collections colocate_with control_dependencies device
            executing_eagerly_outside_functions get_collection get_default_graph get_default_session init_scope
            name_scope name_scope_v1=name_scope reset_default_graph
    ''',
    'framework.smart_cond': 'modules.modes: smart_cond smart_constant_value',
    'framework.sparse_tensor': '',
    'framework.tensor': 'framework.node: Tensor',
    'framework.tensor_shape': 'framework.tensor_shape: *',
    'framework.tensor_spec': 'eager.spec: *',
    'framework.tensor_util': 'framework.static_value: constant_value=get_static_value constant_value_as_shape '
                             'framework.tensor_util: *',
    'framework.test_util': 'modules.test.case: TensorFlowTestCase=TestCase modules.test.modes: * modules.test: *',
    'framework.versions': 'framework.version: *',
    'layers.base': '_layers.base: InputSpec Layer',
    'layers.convolutional': '_layers.convolutional: *',
    'layers.core': '_layers.core: Dense Dropout Flatten dense dropout flatten',
    'layers.layers': '_layers.core: * _layers.convolutional: * _layers.normalization: * _layers.pooling: *',
    'layers.normalization': '_layers.normalization: *',
    'layers.pooling': '_layers.pooling: *',
    'lib.io.file_io': 'modules.file_io: *',
    'module.module': 'variables.module: Module',
    'ops.control_flow_ops': 'ops.order_ops: group no_op tuple ops.flow_ops: Assert case cond while_loop',
    'ops.linalg.sparse.sparse_csr_matrix_ops': '',
    'ops.init_ops': 'ops.init_ops: *',
    'ops.init_ops_v2': 'ops.init_v2_ops: *',
    'ops.ref_variable': 'variables.graph_variable: RefVariable VariableV1',
    'ops.resource_variable_ops': '''
        eager.variable: ResourceVariable=EagerVariable
        modules.modes: is_resource_variable
        variables.members: BaseResourceVariable
    ''',
    'ops.rnn': 'variables.rnn: *',
    'ops.rnn_cell': 'variables.rnn_cell: *',
    'ops.rnn_cell_impl': 'variables.rnn_cell: *',
    'ops.standard_ops': '',
    'ops.state_ops': 'ops.state_ops: *',
    'ops.variable_scope': 'variables.scope: *',
    'ops.variables': ('variables.graph_variable: Variable RefVariable VariableV1 variables.partitioned: '
                      'PartitionedVariable variables.sets: *'),
    'platform.app': 'modules.app: *',
    'platform.build_info': 'framework.version: build_info',
    'platform.flags': 'modules.flags: *',
    'platform.gfile': 'modules.gfile: *',
    'platform.googletest': 'modules.test: * modules.test.case: TestCase',
    'platform.resource_loader': 'modules.resource_loader: *',
    'platform.sysconfig': 'modules.sysconfig: *',
    'platform.test': 'modules.test: * modules.test.case: TestCase',
    'platform.tf_logging': 'base.logging: *',
    'saved_model.builder_impl': '_train.model_builder: SavedModelBuilder',
    'saved_model.constants': '_train.model_names: *',
    'saved_model.loader_impl': '_train.model_loader: *',
    'saved_model.main_op': '_train.model_builder: main_op main_op_with_restore',
    'saved_model.signature_constants': '_train.model_names: *',
    'saved_model.tag_constants': '_train.model_names: *',
    'tf2': 'modules.modes: disable enable enabled',
    'trackable.autotrackable': 'framework.trackable: AutoTrackable',
    'trackable.base': 'framework.trackable: NoDependency Trackable TrackableReference no_automatic_dependency_tracking',
    'trackable.data_structures': 'framework.trackable: ListWrapper NoDependency _DictWrapper=DictWrapper wrap_or_unwrap',
    'types.core': 'framework.node: Tensor=Native modules.types: *',
    'util.compat': 'framework.compat_text: *',
    'util.nest': 'framework.nest: *',
    'util.object_identity': 'modules.python_util: ObjectIdentityDictionary ObjectIdentitySet',
    'util.tf_contextlib': 'modules.python_util: contextmanager',
    'util.tf_decorator': 'modules.python_util: make_decorator unwrap',
    'util.tf_export': 'modules.python_util: estimator_export keras_export tf_export',
    'util.tf_inspect': 'inspect: *',
}
# Modules whose own variables programs set.
WHOLE = {'util.deprecation': 'modules.deprecation'}

_read: dict[str, dict[str, tuple[int, str]]] = {}
_known: Optional[dict[int, set[str]]] = None


def is_module(path: str) -> bool:
    """True for a module or package, such as "ops.math_ops", that Berth has something of."""
    from berth._start.api_modules import MODULES

    if path in WHOLE or path in EXTRAS or _is_generated(path):
        return True
    prefix = path + '.'
    if any(name.startswith(prefix) for name in (*WHOLE, *EXTRAS)):
        return True
    if any(name.startswith(prefix) and _has_contents(name) for name in MODULES):
        return True
    return path in MODULES and _has_contents(path)


def _is_generated(path: str) -> bool:
    """True for modules of functions that make one op each."""
    return path.startswith('ops.gen_') and path.endswith('_ops') or path == 'ops.linalg.sparse.sparse_csr_matrix_ops'


def _has_contents(path: str) -> bool:
    return any(_source(*target) is not None for target in _targets(path).values())


def _targets(path: str) -> dict[str, tuple[int, str]]:
    """Returns the public name, and whose it is, by the name in a module."""
    from berth._start.api_modules import MODULES

    if path not in _read:
        found: dict[str, tuple[int, str]] = {}
        for mode, words in zip((2, 2, 1), MODULES.get(path, ';;').split(';')):
            for word in words.split():
                name, equals, public = word.partition('=')
                public = public if equals else name
                name = name if equals else name.rpartition('.')[2]
                # The same function may have several public names; one of them will do.
                if name not in found or _source(*found[name]) is None:
                    found[name] = mode, public
        _read[path] = found
    return _read[path]


def _source(mode: int, public: str) -> Optional[str]:
    """Returns "module:attribute" of a public name, if Berth has it."""
    space, _, name = public.rpartition('.')
    return namespaces.table(mode).get(space, {}).get(name)


def find(path: str, name: str) -> Any:
    """Returns what |name| is in module |path|; AttributeError when there is none."""
    inner = f'{path}.{name}' if path else name
    if inner in WHOLE:
        return importlib.import_module('berth.' + WHOLE[inner])
    if is_module(inner):
        return namespaces.space(2, 'python.' + inner)
    target = _targets(path).get(name)
    source = _source(*target) if target is not None else None
    if source is not None:
        return namespaces.load(source)
    for module, attribute in _extras(path):
        if attribute == '*' and not name.startswith('__') or attribute.partition('=')[0] == name:
            found = _attribute(module, name if attribute == '*' else attribute.rpartition('=')[2], attribute == '*')
            if found is not None:
                return found[0]
    if path == 'ops.standard_ops':
        return namespaces.find(2 if _source(2, name) else 1, '', name)
    if path.startswith('ops.') and path.endswith('_ops'):
        return _op(name)
    raise AttributeError(name)


def _extras(path: str) -> list[tuple[str, str]]:
    """Returns the modules and attributes that stand for what is not public."""
    found, module = [], ''
    for word in EXTRAS.get(path, '').split():
        if word.endswith(':'):
            module = word[:-1]
        else:
            found.append((module, word))
    return found


def _attribute(module: str, name: str, only_own: bool) -> Optional[tuple[Any]]:
    """Returns the attribute of a module, alone in a tuple, or None."""
    loaded = importlib.import_module(module if module == 'inspect' else 'berth.' + module)
    try:
        value = getattr(loaded, name)
    except AttributeError:
        return None
    return (value,) if not only_own or _is_own(value, module) else None


def _is_own(value: Any, module: str) -> bool:
    """True unless a module of Berth has imported |value| for its own use."""
    if isinstance(value, type(importlib)):
        return False
    home = getattr(value, '__module__', None)
    return module == 'inspect' or not isinstance(home, str) or home.startswith(('berth.', 'tensorflow.'))


def _op(name: str) -> Any:
    """Returns the function of an op, such as mat_mul."""
    schema = importlib.import_module('berth.framework.schema')
    plain = importlib.import_module('berth.ops.plain_ops')
    for op in schema.names():
        if schema.snake_case(op) == name:
            return getattr(plain, op)
    raise AttributeError(name)


def names(path: str) -> list[str]:
    """Returns the names in a module, sorted."""
    from berth._start.api_modules import MODULES

    prefix = path + '.' if path else ''
    inner = {key[len(prefix):].partition('.')[0] for key in (*MODULES, *EXTRAS, *WHOLE) if key.startswith(prefix)}
    found = {name for name in inner if name and is_module(prefix + name)}
    found |= {name for name, target in _targets(path).items() if path and _source(*target) is not None}
    for module, attribute in _extras(path):
        if attribute == '*':
            loaded = importlib.import_module(module if module == 'inspect' else 'berth.' + module)
            found |= {name for name in dir(loaded) if not name.startswith('_') and _attribute(module, name, True)}
        else:
            found.add(attribute.partition('=')[0])
    return sorted(found)


def tensorflow_has(mode: int, public: str) -> bool:
    """True for a public name, such as "io.read_file", that TensorFlow 2.21 has."""
    global _known
    if _known is None:
        from berth._start.api_modules import MODULES

        _known = {1: set(), 2: set()}
        for text in MODULES.values():
            for number, words in enumerate(text.split(';')):
                paths = {word.rpartition('=')[2] for word in words.split()}
                for of in ((1, 2), (2,), (1,))[number]:
                    _known[of] |= paths
                    _known[of] |= {path.rpartition('.')[0] for path in paths}
    return public in _known[mode]
