"""context - Running ops when they are called: device scopes, inputs, errors.

Whether ops run at once is not known here but in `base/execution.py`, which calls `apply`,
`eager_constant` and `DeviceScope` where they do. The inputs of a call are converted here
and not as those of a node are (`framework/gen.py`): TensorFlow does it in another order and
has other words for what is wrong, and both are to be the same as its own.
"""

from __future__ import annotations

import threading
from typing import Any, Optional

from berth import _core as core
from berth import _mode
from berth.base import devices, execution, naming
from berth.eager import policy
from berth.framework import convert, dtypes, emission, errors, gen, scopes, seeds
from berth.framework import schema as schemas
from berth.framework.device_spec import DeviceSpecV2
from berth.framework.scopes import executing_eagerly as executing_eagerly
from berth.framework.tensor_shape import TensorShape

_LOCAL = DeviceSpecV2(job='localhost', replica=0, task=0)
# Ops whose errors carry the name scope, as TensorFlow's wrappers of them happen to do.
_SCOPED = frozenset(('StridedSlice', 'VarHandleOp'))


settings = devices.settings


class _State(threading.local):
    """What is in force in a thread."""

    def __init__(self) -> None:
        self.spec = DeviceSpecV2()
        self.device: Optional[str] = None  # The full name that |spec| means, for calls.
        self.scopes: list[Any] = []
        self.policy = 'silent'
        self.checks = False  # Results are looked at; numerics.py.


state = _State()


# ---- Eager or not ----


def enable_eager_execution(config: Any = None, device_policy: Any = None,
                           execution_mode: Any = None) -> None:
    """Makes ops run at once from now on; must come before any graph is made."""
    if execution.is_eager():
        return
    if config is not None and not hasattr(config, 'SerializeToString'):
        raise TypeError(f'config must be a tf.ConfigProto, but got {config}')
    if config is not None:
        settings.imported = config
    if scopes.get_default_graph().version > 0:
        raise ValueError('tf.enable_eager_execution must be called at program startup.')
    execution.set_eager(True)


def disable_eager_execution() -> None:
    """Makes ops build graphs from now on."""
    execution.set_eager(False)


def disable_v2_behavior() -> None:
    """Makes ops build graphs, and all ways those of TF1; the names stay."""
    _mode.choose_all(False)
    disable_eager_execution()


def enable_v2_behavior() -> None:
    """Makes ops run at once, and all ways those of TF2; the names stay."""
    _mode.choose_all(True)
    enable_eager_execution()


# ---- Device scopes and policies ----


def set_policy(name: str) -> None:
    """Sets what happens to inputs that are on another device, in this thread."""
    before, state.policy = state.policy, name
    # Where there is a policy, calls have something to check.
    if (before == 'silent') != (name == 'silent'):
        (execution.enter_scope if before == 'silent' else execution.leave_scope)()


def check_numerics(is_on: bool) -> None:
    """Makes every result of this thread be looked at, or not."""
    if state.checks != is_on:
        (execution.enter_scope if is_on else execution.leave_scope)()
        settings.epoch = object()  # Functions that were prepared without are not to be used.
    state.checks = is_on


@naming.public('eager.context', '_EagerDeviceContext')
class DeviceScope:
    """tf.device for ops that run at once."""

    def __init__(self, name: Any) -> None:
        if isinstance(name, DeviceSpecV2):
            name = name.to_string()
        elif isinstance(name, devices.LogicalDevice):
            name = name.name
        settings.handle()  # As in TensorFlow, asking for a device initialises the runtime.
        self._name = name
        self._before: list[tuple[DeviceSpecV2, Optional[str]]] = []

    def __enter__(self) -> None:
        spec = DeviceSpecV2()
        if self._name is not None:
            if not isinstance(self._name, str):
                raise ValueError(f'Expecting a string device name. Got {type(self._name)}({self._name})')
            spec = state.spec.make_merged_spec(DeviceSpecV2.from_string(self._name))
        device = _full_name(spec)
        self._before.append((state.spec, state.device))
        self._ask(spec, device)
        state.scopes.append(self)

    def _ask(self, spec: DeviceSpecV2, device: Optional[str]) -> None:
        """Makes calls obey |spec|, which means |device|."""
        state.spec, state.device = spec, device
        core.set_device(device, device in settings.names())

    def __exit__(self, *exc: Any) -> None:
        if not state.scopes or state.scopes[-1] is not self:
            raise RuntimeError('Exiting device scope without proper scope nesting')
        state.scopes.pop()
        self._ask(*self._before.pop())


def _full_name(spec: DeviceSpecV2) -> Optional[str]:
    """Returns the name of the device that |spec| asks for; None when it asks for none."""
    if spec == DeviceSpecV2():
        return None
    full = _LOCAL.make_merged_spec(spec)
    if full.device_type is None or full.device_index is None:
        full = full.replace(device_type=full.device_type or 'CPU',
                            device_index=full.device_index or 0)
    if (full.job, full.replica, full.task) != (_LOCAL.job, _LOCAL.replica, _LOCAL.task):
        raise errors.InvalidArgumentError(None, None, f'{full.to_string()} unknown device.')
    if spec.device_type is None:
        return None
    return full.to_string()


def _belonging(constant: Any) -> Any:
    """Tells |constant| which device it belongs to, where a scope asked for one."""
    device = state.device
    if device is not None and device in settings.names() and '/device:GPU:' not in constant._memory:
        constant._device = device
    return constant


def copy(tensor: Any, device: str) -> Any:
    """Copies |tensor| to |device|; RuntimeError when there is none of that name."""
    spec = DeviceSpecV2.from_string(device)
    full = _LOCAL.make_merged_spec(spec).to_string()
    # TensorFlow knows devices here by their type and number, or by their full names.
    known = device[:1] != '/' or device.startswith(('/device:', '/job:'))
    if full not in settings.names() or not known:
        raise RuntimeError(f'{device} unknown device.')
    made = settings.handle().copy(tensor, full)
    made._device = full
    return made


# ---- Constants ----


def eager_constant(value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Makes a tensor of |value|, on the device in force."""
    from berth.eager.tensor import EagerTensor

    if isinstance(value, EagerTensor):
        tensor = value
        if dtype is not None and tensor.dtype != dtypes.as_dtype(dtype):
            raise TypeError(f'Expected tensor {value} with dtype {dtypes.as_dtype(dtype)!r}, '
                            f'but got dtype {tensor.dtype!r}.')
    elif type(value) in _SCALARS:
        tensor = _scalar(value, dtype)
    else:
        tensor = _place_constant(_convert_constant(value, dtype))
    if shape is None:
        return tensor
    wanted = TensorShape(shape)
    if tensor.shape == wanted:
        return tensor
    return _fit_shape(tensor, wanted, value)


_SCALARS = (int, float, bool)
_MOST_SCALARS = 1000
_scalars: dict[Any, Any] = {}
settings.keepers.append(_scalars.clear)


def _scalar(value: Any, dtype: Any) -> Any:
    """Makes a tensor of a number, which is brought to a device once, as TensorFlow does."""
    # Numbers that are equal are not always the same: True and 1, 0.0 and -0.0.
    key = repr(value), dtype, state.device
    known = _scalars.get(key)
    if known is None:
        known = _place_constant(_convert_constant(value, dtype))
        if len(_scalars) >= _MOST_SCALARS:
            _scalars.clear()
        _scalars[key] = known
        return known
    return _belonging(settings.handle().copy(known, known.device))


def _convert_constant(value: Any, dtype: Any) -> Any:
    """Returns a tensor of the extension; errors read as those of eager TensorFlow."""
    return convert.make_eager_tensor(value, None if dtype is None else dtypes.as_dtype(dtype))


def _place_constant(tensor: Any) -> Any:
    """Puts a host tensor where the device scope says, or where TensorFlow would put it."""
    host = settings.names()[0]
    device = state.device
    is_quiet = not (settings.is_logging_now or settings.has_gpu())
    if device == host or (is_quiet and (device is None or device in settings.names())):
        made = settings.handle().copy(tensor, device or host)
    else:
        made = _run('_EagerConst', None, device, [tensor], {})[0]
    if state.policy == 'warn' and device not in (None, host):
        policy.warn('_EagerConst', 0, str(device), host)
    return _belonging(made)


def _fit_shape(tensor: Any, wanted: Any, value: Any) -> Any:
    """Reshapes a constant, or fills the shape with its one value."""
    count = tensor.shape.num_elements()
    if count == wanted.num_elements():
        return gen.apply('Reshape', None, {'tensor': tensor, 'shape': wanted.as_list()})
    if count == 1:
        scalar = gen.apply('Reshape', None, {'tensor': tensor, 'shape': eager_constant([], dtypes.int32)})
        return gen.apply('Fill', None, {'dims': wanted.as_list(), 'value': scalar})
    raise TypeError('Eager execution of tf.constant with unsupported shape. '
                    f'Tensor {tensor.numpy()} (converted from {value}) has {count:d} elements, '
                    f'but got `shape` {wanted} with {wanted.num_elements()} elements).')


# ---- Calls ----


def apply(schema: Any, name: Optional[str], args: dict[str, Any], attrs: dict[str, Any]) -> Any:
    """Runs one op and returns its outputs: a tensor, several, or None."""
    label = None if _has_list(schema, args) else _label(schema.name, name)
    inputs, counts = _inputs(schema, args, attrs, label)
    values = {attr: value for attr, value in gen.attr_values(schema, attrs).items()
              if not schema.attrs[attr].has_default or value != schema.attrs[attr].default}
    for attr, count in counts.items():
        values.setdefault(attr, count)
    # In one order, so that a call is the same to the runtime whichever way it came.
    values = {attr: values[attr] for attr in schema.attrs if attr in values}
    if seeds.times_set and 'seed2' in schema.attrs:
        # The runtime goes on with the sequence of a call that it knows; this one is new.
        values['_seeding'] = seeds.times_set
    if state.policy != 'silent':
        policy.check(state.policy, state.device, schema.name, inputs)
    counts.update((arg.number_attr, values[arg.number_attr]) for arg in schema.outputs
                  if arg.number_attr and arg.number_attr in values)
    outputs = _run_noted(schema, label, inputs, values, counts)
    if state.checks:
        from berth.eager import numerics

        numerics.check(schema.name, inputs, outputs)
    return _shaped(schema, outputs, values)


def _run_noted(schema: Any, label: Optional[str], inputs: list[Any], values: dict[str, Any],
               counts: dict[str, int]) -> list[Any]:
    """Calls the runtime; tapes get slopes from the program where that has registered some for the op."""
    if schema.name in emission.own_ops:
        from berth.eager import own_slopes

        if own_slopes.is_wanted(schema.name):
            return own_slopes.call(schema, lambda: _run(schema.name, label, state.device, inputs, values, counts),
                                   inputs, values)
    return _run(schema.name, label, state.device, inputs, values, counts)


def _has_list(schema: Any, args: dict[str, Any]) -> bool:
    """True when a list or text of Python's has to become a tensor: errors of such calls tell no name."""
    for arg in schema.inputs:
        value = args[arg.name]
        if isinstance(value, (list, tuple, str, bytes)):
            if not arg.is_list or any(isinstance(item, (list, tuple, str, bytes)) for item in value):
                return True
        elif isinstance(value, str):
            return True
    return False


def _label(op: str, name: Optional[str]) -> str:
    """Returns the name that errors tell."""
    return '' if name is None or (name.endswith('/') and op not in _SCOPED) else name


def _run(op: str, label: Optional[str], device: Optional[str], inputs: list[Any],
         attrs: dict[str, Any], counts: Optional[dict[str, int]] = None) -> list[Any]:
    """Calls the runtime; errors say which op it was, as TensorFlow's do."""
    try:
        return settings.handle().call(op, device, inputs, attrs)
    except errors.OpError as error:
        raise _error_of(error, op, label, len(inputs), attrs, counts or {}) from None


def _error_of(error: Any, op: str, label: Optional[str], inputs: int, attrs: dict[str, Any],
              counts: dict[str, int]) -> Exception:
    """Returns what is raised for an |error| of the runtime in a call of |op| with so many |inputs|."""
    text = error.message
    if '__wrapped__' in text:
        lengths = _lengths(op, inputs, attrs, counts)
        text = text.replace(f'__wrapped__{op}_device', f'__wrapped__{op}{lengths}_device')
    if op != '_EagerConst':
        text += _ending(op, label)
    made = errors.class_of(error.error_code)(None, None, text)
    if error.error_code == errors.RESOURCE_EXHAUSTED:
        from berth.framework import oom

        made = oom.explained(made, op)
    return made


def fail(error: Any, op: str, name: Optional[str], args: dict[str, Any], attrs: dict[str, Any]) -> None:
    """Raises for a call that went the short way and failed there."""
    schema = schemas.find(op)
    if (op, name) == ('StridedSlice', 'strided_slice'):
        name = scopes.eager_name('strided_slice/')  # An index has a scope of its own.
    label = None if _has_list(schema, args) else _label(op, name)
    counts = {arg.number_attr: len(args[arg.name]) for arg in schema.inputs if arg.number_attr}
    inputs = sum(len(args[arg.name]) if arg.is_list else 1 for arg in schema.inputs)
    raise _error_of(error, op, label, inputs, attrs, counts) from None


def _lengths(op: str, inputs: int, attrs: dict[str, Any], counts: dict[str, int]) -> str:
    """Returns what TensorFlow's name of a call says of lists that go in or come out."""
    schema = schemas.find(op)
    found: dict[str, int] = {}
    for arg in (*schema.inputs, *schema.outputs):
        attr = arg.number_attr or arg.list_attr
        if attr and attr not in found:
            value = counts.get(attr, attrs.get(attr))
            if value is None:
                value = inputs - sum(not other.is_list for other in schema.inputs)
            found[attr] = len(value) if isinstance(value, (list, tuple)) else value
    return ''.join(f'_{attr}_{count}' for attr, count in sorted(found.items()))


def _ending(op: str, label: Optional[str]) -> str:
    """Returns what follows the text of an error: the op and the name it was given."""
    return f' [Op:{op}]' + ('' if label is None else f' name: {label}')


def _inputs(schema: Any, args: dict[str, Any], attrs: dict[str, Any],
            label: Optional[str]) -> tuple[list[Any], dict[str, Any]]:
    """Returns the inputs as tensors in one row, and how long each list of them is: of lists of several types, where
    there are more than one, these types."""
    settled = _settled_types(schema, args, attrs)
    flat: list[Any] = []
    counts: dict[str, Any] = {}
    has_several = sum(bool(arg.list_attr) for arg in schema.inputs) > 1
    for arg in schema.inputs:
        value = args[arg.name]
        if arg.is_list:
            items = [_input(schema, arg, item, settled, len(flat) + i, label) for i, item in enumerate(value)]
            if arg.number_attr:
                counts[arg.number_attr] = len(items)
            elif has_several:
                counts[arg.list_attr] = [item.dtype.number for item in items]
            flat += items
        else:
            flat.append(_input(schema, arg, value, settled, len(flat), label))
    return flat, counts


def _settled_types(schema: Any, args: dict[str, Any], attrs: dict[str, Any]) -> dict[str, Any]:
    """Returns the types that attributes or tensors among the inputs already say."""
    settled = {name: dtypes.as_dtype(value) for name, value in attrs.items()
               if value is not None and name in schema.inferred
               and schema.attrs[name].kind == 'type'}
    for arg in schema.inputs:
        if not arg.type_attr or arg.type_attr in settled:
            continue
        value = args[arg.name]
        for item in value if arg.is_list and isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, core.Tensor) or hasattr(item, '_dense_var_to_tensor'):
                settled[arg.type_attr] = item.dtype.base_dtype
                break
            if convert.stands_in(item):
                settled[arg.type_attr] = convert.convert_to_tensor(item).dtype
                break
    return settled


def _input(schema: Any, arg: Any, value: Any, settled: dict[str, Any], index: int, label: Optional[str]) -> Any:
    """Returns one input as an EagerTensor of the type that is wanted."""
    wanted = settled.get(arg.type_attr) if arg.type_attr else (
        dtypes.as_dtype(arg.dtype) if arg.dtype else None)
    if not isinstance(value, core.Tensor):
        hint = None
        if wanted is None and arg.type_attr:
            hint = schema.attrs[arg.type_attr].default
            if hint == dtypes.int32 and not _is_small(value):
                hint = None
        value = convert.convert_to_tensor(value, None if hasattr(value, '_dense_var_to_tensor')
                                          or convert.stands_in(value) else wanted, preferred_dtype=hint)
        if not isinstance(value, core.Tensor):
            from berth.eager import func_graph

            raise func_graph.without_value(value)
    if arg.type_attr:
        wanted = settled.setdefault(arg.type_attr, value.dtype)
    if wanted is not None and value.dtype != wanted:
        allowed = schema.attrs[arg.type_attr].allowed if arg.type_attr else None
        if allowed and wanted.number not in allowed:
            return convert.convert_to_tensor(gen.apply('Cast', None, {'x': value}, {'DstT': wanted}))  # To be refused.
        raise errors.InvalidArgumentError(
            None, None, f'cannot compute {schema.name} as input #{index}(zero-based) was expected '
            f'to be a {runtime_name(wanted)} tensor but is a {runtime_name(value.dtype)} tensor'
            + _ending(schema.name, label))
    return value


def _is_small(value: Any) -> bool:
    """True unless |value| has integers that int32 does not hold."""
    if isinstance(value, (list, tuple)):
        return all(_is_small(item) for item in value)
    return not isinstance(value, int) or -0x80000000 <= value <= 0x7FFFFFFF


def runtime_name(dtype: Any) -> str:
    """Returns the name that the runtime's messages use."""
    return {'float32': 'float', 'float64': 'double', 'float16': 'half'}.get(dtype.name, dtype.name)


def _shaped(schema: Any, tensors: list[Any], attrs: dict[str, Any]) -> Any:
    """Gives the outputs the form that wrappers return."""
    if schema.is_simple:
        return tensors[0]
    if not schema.outputs:
        return None
    if len(schema.outputs) == 1:
        return tensors
    groups: list[Any] = []
    rest = list(tensors)
    known = [_length(schema, arg, attrs) for arg in schema.outputs]
    spare = len(tensors) - sum(count for count in known if count is not None)
    for arg, length in zip(schema.outputs, known):
        count = spare if length is None else length
        part, rest = rest[:count], rest[count:]
        groups.append(part if arg.is_list else part[0])
    return gen._tuple_of(schema)(*groups)


def _length(schema: Any, arg: Any, attrs: dict[str, Any]) -> Optional[int]:
    """Returns how many tensors an output is; None where attributes, and what they are if not said, do not tell."""
    if not arg.is_list:
        return 1
    name = arg.number_attr or arg.list_attr
    attr = schema.attrs[name]
    # What inputs tell is not said here either.
    is_known = attr.has_default and name not in schema.inferred
    value = attrs.get(name, attr.default if is_known else None)
    return len(value) if isinstance(value, (list, tuple)) else value


# ---- What programs reach into ----


class _Context:
    """The little of TensorFlow's own context that programs ask for."""

    @property
    def _initialized(self) -> bool:
        return settings.is_initialized

    def executing_eagerly(self) -> bool:
        """True when ops run at once."""
        return executing_eagerly()

    def ensure_initialized(self) -> None:
        """Initialises the runtime."""
        settings.handle()

    def clear_kernel_cache(self) -> None:
        """Gives back what is kept on devices for calls to come."""
        core.forget_constants()

    def devices(self) -> list[str]:
        """Returns the full names of the devices."""
        return list(settings.names())

    def num_gpus(self) -> int:
        """Returns how many GPUs there are."""
        return len(settings.logical('GPU'))

    @property
    def device_name(self) -> Optional[str]:
        """The device asked for by the scopes in force."""
        return state.device


_context = _Context()


def context() -> _Context:
    """Returns the one context."""
    return _context


def num_gpus() -> int:
    """Returns how many GPUs there are."""
    return _context.num_gpus()


# ---- What lower packages call ----

core.set_apply(fail=fail, error=errors.OpError)
execution.run_op, execution.make_constant, execution.device_scope = apply, eager_constant, DeviceScope
