"""string_ops - Ops that make strings of values."""

from __future__ import annotations

from typing import Any

from berth.framework import convert, gen
from berth.framework.gen import wrapper

as_string = wrapper('AsString')
join = wrapper('StringJoin')


def format(template: str, inputs: Any, placeholder: str = '{}', summarize: int = 3,  # pylint: disable=redefined-builtin
           name: str | None = None) -> Any:
    """Puts values, as tf.print shows them, where |template| has placeholders."""
    if convert.is_tensor(inputs):
        inputs = [inputs]
    values = [convert.convert_to_tensor(value) for value in inputs]
    expected = template.count(placeholder)
    if expected != len(values):
        raise ValueError(f'The template expects {expected} tensors, but the inputs only has {len(values)}. Please '
                         'ensure the number of placeholders in template matches inputs length.')
    return gen.apply('StringFormat', name, {'inputs': values},
                     {'template': template, 'placeholder': placeholder, 'summarize': summarize})
