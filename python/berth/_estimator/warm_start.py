"""warm_start - Where the variables of an estimator begin: WarmStartSettings."""

from __future__ import annotations

import collections
from typing import Any, Optional

from berth._train import warm_start
from berth.base import logging, naming


@naming.public('estimator.estimator')
class WarmStartSettings(collections.namedtuple('WarmStartSettings', (
        'ckpt_to_initialize_from', 'vars_to_warm_start', 'var_name_to_vocab_info', 'var_name_to_prev_var_name'))):
    """A checkpoint, and which variables begin with its values."""

    def __new__(cls, ckpt_to_initialize_from: Any, vars_to_warm_start: Any = '.*', var_name_to_vocab_info: Any = None,
                var_name_to_prev_var_name: Any = None) -> 'WarmStartSettings':
        if not ckpt_to_initialize_from:
            raise ValueError('`ckpt_to_initialize_from` MUST be set in WarmStartSettings')
        return super().__new__(cls, ckpt_to_initialize_from, vars_to_warm_start, var_name_to_vocab_info or {},
                               var_name_to_prev_var_name or {})


def settings_of(warm_start_from: Any) -> Optional[WarmStartSettings]:
    """Returns what an estimator was told: nothing, a path, or settings."""
    if warm_start_from is None or isinstance(warm_start_from, WarmStartSettings):
        return warm_start_from
    if isinstance(warm_start_from, (str, bytes)):
        return WarmStartSettings(ckpt_to_initialize_from=warm_start_from)
    raise ValueError(f'warm_start_from must be a string or a WarmStartSettings, instead got {type(warm_start_from)}')


def begin(settings: Optional[WarmStartSettings]) -> None:
    """Gives the variables of the default graph their first values."""
    if settings is not None:
        logging.info('Warm-starting with WarmStartSettings: %s', (settings,))
        warm_start.warm_start(*settings)
