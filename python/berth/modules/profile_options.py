"""profile_options - What a profile of TF1's tf.profiler shows: made step by step, and as it is printed."""

from __future__ import annotations

import copy
from typing import Any

from berth.base import naming

TRAINABLE_VARIABLES = '_trainable_variables'
_EVERYTHING: dict[str, Any] = {
    'max_depth': 10000, 'min_bytes': 0, 'min_micros': 0, 'min_params': 0, 'min_float_ops': 0, 'min_occurrence': 0,
    'order_by': 'name', 'account_type_regexes': ['.*'], 'start_name_regexes': ['.*'], 'trim_name_regexes': [],
    'show_name_regexes': ['.*'], 'hide_name_regexes': [], 'account_displayed_op_only': True, 'select': ['micros'],
    'step': -1, 'output': 'stdout',
}
# In the order in which they are printed, with what stands for one that is not given.
_PRINTED: dict[str, Any] = {
    'max_depth': 10, 'min_bytes': 0, 'min_peak_bytes': 0, 'min_residual_bytes': 0, 'min_output_bytes': 0,
    'min_micros': 0, 'min_accelerator_micros': 0, 'min_cpu_micros': 0, 'min_params': 0, 'min_float_ops': 0,
    'min_occurrence': 0, 'step': -1, 'order_by': 'name', 'account_type_regexes': [], 'start_name_regexes': [],
    'trim_name_regexes': [], 'show_name_regexes': [], 'hide_name_regexes': [], 'account_displayed_op_only': False,
    'select': [], 'output': 'stdout',
}


@naming.public('profiler.option_builder')
class ProfileOptionBuilder:
    """Options of a profile, a dictionary."""

    def __init__(self, options: Any = None) -> None:
        start = {**_EVERYTHING, 'max_depth': 100, 'account_displayed_op_only': False}
        self._options: dict[str, Any] = copy.deepcopy(start if options is None else options)

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """How many parameters variables have that are trained."""
        return copy.deepcopy({**_EVERYTHING, 'account_type_regexes': [TRAINABLE_VARIABLES], 'select': ['params']})

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """How many operations on numbers nodes take."""
        return copy.deepcopy({**_EVERYTHING, 'min_float_ops': 1, 'order_by': 'float_ops', 'select': ['float_ops']})

    @staticmethod
    def time_and_memory(min_micros: int = 1, min_bytes: int = 1, min_accelerator_micros: int = 0,
                        min_cpu_micros: int = 0, min_peak_bytes: int = 0, min_residual_bytes: int = 0,
                        min_output_bytes: int = 0) -> dict[str, Any]:
        """How long nodes take, and how much memory."""
        return copy.deepcopy({
            # All limits first, in the order in which TensorFlow has them.
            'max_depth': 0, **{name: 0 for name in _PRINTED if name.startswith('min_')}, **_EVERYTHING,
            'min_bytes': min_bytes, 'min_peak_bytes': min_peak_bytes,
            'min_residual_bytes': min_residual_bytes, 'min_output_bytes': min_output_bytes, 'min_micros': min_micros,
            'min_accelerator_micros': min_accelerator_micros, 'min_cpu_micros': min_cpu_micros, 'order_by': 'micros',
            'select': ['micros', 'bytes']})

    def build(self) -> dict[str, Any]:
        """Returns the options."""
        return copy.deepcopy(self._options)

    def _with(self, **options: Any) -> 'ProfileOptionBuilder':
        self._options.update(options)
        return self

    def with_max_depth(self, max_depth: int) -> 'ProfileOptionBuilder':
        """Shows so many levels."""
        return self._with(max_depth=max_depth)

    def with_min_memory(self, min_bytes: int = 0, min_peak_bytes: int = 0, min_residual_bytes: int = 0,
                        min_output_bytes: int = 0) -> 'ProfileOptionBuilder':
        """Shows what takes so much memory."""
        return self._with(min_bytes=min_bytes, min_peak_bytes=min_peak_bytes, min_residual_bytes=min_residual_bytes,
                          min_output_bytes=min_output_bytes)

    def with_min_execution_time(self, min_micros: int = 0, min_accelerator_micros: int = 0,
                                min_cpu_micros: int = 0) -> 'ProfileOptionBuilder':
        """Shows what takes so long."""
        return self._with(min_micros=min_micros, min_accelerator_micros=min_accelerator_micros,
                          min_cpu_micros=min_cpu_micros)

    def with_min_parameters(self, min_params: int) -> 'ProfileOptionBuilder':
        """Shows what has so many parameters."""
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> 'ProfileOptionBuilder':
        """Shows what is there so often."""
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> 'ProfileOptionBuilder':
        """Shows what takes so many operations."""
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Any) -> 'ProfileOptionBuilder':
        """Counts nodes of these types."""
        return self._with(account_type_regexes=copy.copy(account_type_regexes))

    def with_node_names(self, start_name_regexes: Any = None, show_name_regexes: Any = None,
                        hide_name_regexes: Any = None, trim_name_regexes: Any = None) -> 'ProfileOptionBuilder':
        """Begins at nodes of these names, shows and hides them, and goes no further."""
        given = {'start_name_regexes': start_name_regexes, 'show_name_regexes': show_name_regexes,
                 'hide_name_regexes': hide_name_regexes, 'trim_name_regexes': trim_name_regexes}
        return self._with(**{name: copy.copy(value) for name, value in given.items() if value is not None})

    def account_displayed_op_only(self, is_true: bool) -> 'ProfileOptionBuilder':
        """Counts only what is shown."""
        return self._with(account_displayed_op_only=is_true)

    def with_empty_output(self) -> 'ProfileOptionBuilder':
        """Prints nothing."""
        return self._with(output='none')

    def with_stdout_output(self) -> 'ProfileOptionBuilder':
        """Prints what is found."""
        return self._with(output='stdout')

    def with_file_output(self, outfile: str) -> 'ProfileOptionBuilder':
        """Writes what is found into a file."""
        return self._with(output=f'file:outfile={outfile}')

    def with_timeline_output(self, timeline_file: str) -> 'ProfileOptionBuilder':
        """Writes what ran when."""
        return self._with(output=f'timeline:outfile={timeline_file}')

    def with_pprof_output(self, pprof_file: str) -> 'ProfileOptionBuilder':
        """Writes a file for pprof."""
        return self._with(output=f'pprof:outfile={pprof_file}')

    def order_by(self, attribute: str) -> 'ProfileOptionBuilder':
        """Shows in this order."""
        return self._with(order_by=attribute)

    def select(self, attributes: Any) -> 'ProfileOptionBuilder':
        """Shows these columns."""
        return self._with(select=copy.copy(attributes))

    def with_step(self, step: int) -> 'ProfileOptionBuilder':
        """Shows one step, or with -1 the mean of all."""
        return self._with(step=step)


class Options:
    """The options of a profile, complete."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.values = {name: given.get(name, value) for name, value in _PRINTED.items()}
        self.values['select'] = sorted(set(self.values['select']))
        self.kind, _, rest = self.values['output'].partition(':')
        self.file = rest.partition('=')[2] if rest.startswith('outfile=') else ''

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__['values'][name]
        except KeyError:
            raise AttributeError(name) from None

    def __str__(self) -> str:
        lines = []
        for name, value in self.values.items():
            if name == 'output':
                value = f'{self.kind}:'
            elif isinstance(value, bool):
                value = str(value).lower()
            elif isinstance(value, list):
                value = ','.join(value)
            lines.append(f'{"-" + name:28}{value}\n')
        return ''.join(lines)
