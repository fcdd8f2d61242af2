"""config - tf.config: which devices there are, which are used, and how.

Functions of the sub-namespaces `experimental`, `threading` and `optimizer` are here as
well; the table of names puts them where they belong.
"""

from __future__ import annotations

from berth.base import devices as _devices, naming
from berth.base.devices import LogicalDevice, PhysicalDevice
from berth.base.devices import LogicalDeviceConfiguration as LogicalDeviceConfiguration

TYPE_CHECKING = False  # The module typing takes longer than listing the devices.
if TYPE_CHECKING:
    from typing import Any, Optional

_settings = _devices.settings

# ---- Devices ----


def list_physical_devices(device_type: Optional[str] = None) -> list[PhysicalDevice]:
    """Returns the CPU and the cards, without initialising anything."""
    return [d for d in _settings.physical()
            if device_type is None or d.device_type == device_type]


def list_logical_devices(device_type: Optional[str] = None) -> list[LogicalDevice]:
    """Returns the devices that ops run on; initialises the runtime."""
    return _settings.logical(device_type)


def get_visible_devices(device_type: Optional[str] = None) -> list[PhysicalDevice]:
    """Returns the physical devices that are used."""
    return _settings.visible(device_type)


def set_visible_devices(devices: Any, device_type: Optional[str] = None) -> None:
    """Chooses the physical devices to use."""
    _settings.set_visible(devices, device_type)


def get_logical_device_configuration(device: PhysicalDevice) -> Any:
    """Returns what |device| is split into, or None."""
    return _settings.virtual(device)


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Any) -> None:
    """Splits |device| into logical ones."""
    _settings.set_virtual(device, logical_devices)


def get_memory_growth(device: PhysicalDevice) -> Optional[bool]:
    """Returns whether the memory of |device| may grow; None when that was never set."""
    return _settings.growth(device)


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Lets memory on |device| grow as it is used, instead of taking all at once."""
    _settings.set_growth(device, enable)


def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """Returns name and compute capability of a card; nothing for a CPU."""
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f'device must be a tf.config.PhysicalDevice, but got: {device}')
    if device not in _settings.physical():
        raise ValueError('The PhysicalDevice must be one obtained from calling '
                         f'`tf.config.list_physical_devices`, but got: {device}')
    if device.device_type != 'GPU':
        return {}
    from berth import _core

    card = _core.cards()[int(device.name.rpartition(':')[2])]
    return {'compute_capability': card['compute_capability'],
            'device_name': card['name']}


# ---- Placement and execution ----


def get_soft_device_placement() -> bool:
    """Returns whether ops may run elsewhere than asked."""
    return _settings.is_soft()


def set_soft_device_placement(enabled: Optional[bool]) -> None:
    """Lets ops run elsewhere when the device asked for is missing or has no kernel."""
    _settings.set_soft(enabled)


def get_log_device_placement() -> bool:
    """Returns whether placements are to be logged."""
    return _settings.log


def set_log_device_placement(enabled: bool) -> None:
    """Logs where ops run; counts until the runtime is initialised."""
    _settings.log = enabled


def get_intra_op_parallelism_threads() -> int:
    """Returns how many threads work inside an op; 0: as many as there are CPUs."""
    return _settings.threads['Intra']


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets how many threads work inside an op."""
    _settings.set_threads('Intra', num_threads)


def get_inter_op_parallelism_threads() -> int:
    """Returns how many threads run ops."""
    return _settings.threads['Inter']


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Sets how many threads run ops."""
    _settings.set_threads('Inter', num_threads)


def get_device_policy() -> str:
    """Returns what happens to inputs that are on another device, in this thread."""
    from berth.eager import context

    return context.state.policy


def set_device_policy(device_policy: Optional[str]) -> None:
    """Sets what happens to inputs that are on another device, in this thread."""
    from berth.eager import context, policy

    if device_policy not in (None, *policy.NAMES):
        raise ValueError(
            f'Invalid argument `device_policy`: {device_policy!r}. Please refer to '
            'https://www.tensorflow.org/api_docs/python/tf/config/experimental/'
            'set_device_policy for valid `device_policy` arguments.')
    context.set_policy(device_policy or 'silent')


def get_synchronous_execution() -> bool:
    """Returns True: an op has run when its call returns."""
    return True


def set_synchronous_execution(enable: Optional[bool]) -> None:
    """Accepts either: Berth queues work on devices by itself, and results are the same."""


def functions_run_eagerly() -> bool:
    """Returns whether tf.function runs what it decorates as plain Python."""
    from berth.eager import function

    return function.runs_eagerly()


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes tf.function run what it decorates as plain Python."""
    from berth.eager import function

    function.set_runs_eagerly(run_eagerly)


_may_round = True
experimental_functions_run_eagerly = functions_run_eagerly
experimental_run_functions_eagerly = run_functions_eagerly


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Lets products and convolutions of float32 on GPUs round their inputs to TF32, or not."""
    from berth import _core

    global _may_round
    _may_round = bool(enabled)
    _core.set_tf32(_may_round)


def tensor_float_32_execution_enabled() -> bool:
    """Returns whether products and convolutions of float32 on GPUs may round their inputs to TF32."""
    return _may_round


def enable_op_determinism() -> None:
    """Makes random ops ask for a seed, and convolutions on cards take what was not found by timing."""
    import os

    from berth.framework import seeds

    seeds.is_deterministic = True
    os.environ['TF_DETERMINISTIC_OPS'] = '1'


def is_op_determinism_enabled() -> bool:
    """Returns whether enable_op_determinism() was called."""
    from berth.framework import seeds

    return seeds.is_deterministic


# ---- Memory ----

_FULL = (
    r'(?:/(?:job:(?P<job>[A-Za-z][\w.-]*|\*)|replica:(?P<replica>\d+|\*)|task:(?P<task>\d+|\*)|'
    r'device:(?P<type>[A-Za-z]\w*|\*)(?::(?P<index>\d+|\*))?|'
    r'(?P<old>cpu|gpu|CPU|GPU)(?::(?P<old_index>\d+|\*))?))')
_LOCAL = r'([A-Za-z]\w*):(\d+)$'


def _parts(name: str) -> Optional[dict[str, str]]:
    """Reads a device name, full or local; what may be anything is left out."""
    import re

    local = re.match(_LOCAL, name)
    if local is not None:
        return {'type': local[1], 'index': str(int(local[2]))}
    found: dict[str, str] = {}
    word_of = re.compile(_FULL)
    place = 0
    while place < len(name) and name != '/':
        word = word_of.match(name, place)
        if word is None:
            return None
        found.update({k: v for k, v in word.groupdict().items() if v not in (None, '*')})
        place = word.end()
    if 'old' in found:
        found['type'] = found.pop('old').upper()
    if 'old_index' in found:
        found['index'] = found.pop('old_index')
    return {k: str(int(v)) if v.isdigit() else v for k, v in found.items()}


def _match(name: Any) -> str:
    """Returns the full name of the one device that |name| means."""
    if not isinstance(name, str):
        raise TypeError(f'A device is named by a string, not {name!r}')
    devices = _settings.names()
    wanted = _parts(name)
    if wanted is None:
        raise ValueError(f"Failed parsing device name: '{name}'. Note a valid device string "
                         'should at least contain a device type and a device index, like '
                         '"GPU:0".')
    fits = [d for d in devices if wanted.items() <= (_parts(d) or {}).items()]
    if len(fits) > 1:
        raise ValueError(f"Multiple devices match the provided string '{name}': '{fits[0]}' "
                         f"and '{fits[1]}'.")
    if not fits:
        raise ValueError(f"No matching devices found for '{name}'")
    return fits[0]


def get_memory_info(device: str) -> dict[str, int]:
    """Returns the bytes in use on a GPU, now and at most so far."""
    full = _match(device)
    if '/device:GPU:' not in full:
        raise ValueError(f"Allocator stats not available for device '{device}'")
    from berth import _core

    stats = _core.memory_stats(full)
    return {'current': stats['bytes_in_use'], 'peak': stats['peak_bytes_in_use']}


def reset_memory_stats(device: str) -> None:
    """Makes the peak what is in use now."""
    full = _match(device)
    if '/device:GPU:' not in full:
        raise ValueError(f"Cannot reset memory stats for device '{device}'")
    from berth import _core

    _core.reset_memory_stats(full)


def get_memory_usage(device: str) -> int:
    """Returns the bytes in use on a GPU; deprecated."""
    from berth.base import logging

    logging.deprecated('get_memory_usage', 'tensorflow.python.framework.config',
                    "Use tf.config.experimental.get_memory_info(device)['current'] instead.")
    return get_memory_info(device)['current']


# ---- What Berth does not have ----


def _absent(what: str) -> NotImplementedError:
    """Returns an error that says that Berth has no |what|."""
    return NotImplementedError(f'tf.config.{what} is not there: Berth works on the devices '
                               'of one machine and has no compiler of graphs')


def experimental_connect_to_cluster(cluster_spec_or_resolver: Any, job_name: str = 'localhost',
                                    task_index: int = 0, protocol: Optional[str] = None,
                                    make_master_device_default: bool = True,
                                    cluster_device_filters: Any = None) -> None:
    """Raises: there are no clusters."""
    raise _absent('experimental_connect_to_cluster')


def experimental_connect_to_host(remote_host: Any = None, job_name: str = 'worker') -> None:
    """Raises: there are no other machines."""
    raise _absent('experimental_connect_to_host')


@naming.public('training.server_lib')
class ClusterDeviceFilters:
    """Raises: there are no clusters."""

    def __init__(self) -> None:
        raise _absent('experimental.ClusterDeviceFilters')


def enable_mlir_bridge() -> None:
    """Raises: graphs are not compiled."""
    raise _absent('experimental.enable_mlir_bridge')


def disable_mlir_bridge() -> None:
    """Does nothing: there is no such bridge."""


_jit = False


def get_optimizer_jit() -> str:
    """Returns what set_optimizer_jit asked for."""
    return 'autoclustering' if _jit else ''


def set_optimizer_jit(enabled: Any) -> None:
    """Takes a hint to a compiler: every graph is planned before it runs, and results are the same."""
    global _jit
    _jit = enabled in (True, 'autoclustering')


_SWITCHES = ('layout_optimizer', 'constant_folding', 'shape_optimization', 'remapping', 'arithmetic_optimization',
             'dependency_optimization', 'loop_optimization', 'function_optimization', 'debug_stripper',
             'disable_model_pruning', 'scoped_allocator_optimization', 'pin_to_host_optimization',
             'implementation_selector', 'auto_mixed_precision', 'use_plugin_optimizers', 'disable_meta_optimizer',
             'auto_mixed_precision_onednn_bfloat16', 'auto_mixed_precision_mkl')
_optimizer_options: dict[str, Any] = {}


def get_optimizer_experimental_options() -> dict[str, Any]:
    """Returns the options that were set, and those that always have a value."""
    known = {'disable_model_pruning': False, 'disable_meta_optimizer': False, **_optimizer_options}
    options = {name: bool(known[name]) for name in _SWITCHES if known.get(name) is not None}
    if known.get('min_graph_nodes'):
        options['min_graph_nodes'] = known['min_graph_nodes']
    return options


def set_optimizer_experimental_options(options: dict[str, Any]) -> None:
    """Keeps options of TensorFlow's graph optimiser, which cannot change any result."""
    _optimizer_options.update(options)
