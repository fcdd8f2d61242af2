"""tfprof.py - tf.contrib.tfprof: what tf.profiler was called before."""

from __future__ import annotations

from typing import Any

from berth.modules import model_analyzer
from berth.modules.profile_options import ProfileOptionBuilder

TRAINABLE_VARS_PARAMS_STAT_OPTIONS = ProfileOptionBuilder.trainable_variables_parameter()
FLOAT_OPS_OPTIONS = ProfileOptionBuilder.float_operation()
PRINT_ALL_TIMING_MEMORY = ProfileOptionBuilder.time_and_memory()


def print_model_analysis(graph: Any, run_meta: Any = None, op_log: Any = None, tfprof_cmd: str = 'scope',
                         tfprof_options: Any = 0) -> Any:
    """Prints what a graph holds, and with metadata of a run what that took; returns it as a message."""
    return model_analyzer.profile(graph, run_meta, op_log, tfprof_cmd, tfprof_options)
