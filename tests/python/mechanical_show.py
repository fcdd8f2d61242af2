"""mechanical_show.py - Shows which public functions of TensorFlow make one op and nothing else, as JSON.

    mechanical_show.py PATH-OF-signatures.json

Runs on TensorFlow: its generated functions say in their source which op they make.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
MADE = re.compile(r'_apply_op_helper\(\s*"(\w+)"')


def op_of(root, name: str) -> str | None:
    """The op that a function makes; None for what is more than that."""
    from tensorflow.python.util import tf_decorator
    value = root
    try:
        for part in name.split("."):
            value = getattr(value, part)
        _, value = tf_decorator.unwrap(value)
        if not value.__module__.startswith("tensorflow.python.ops.gen_"):
            return None
        ops = MADE.findall(inspect.getsource(value))
    except Exception:  # Lazy modules and classes fail in their own ways.
        return None
    return ops[0] if len(ops) == 1 else None


def main() -> None:
    import tensorflow
    import tensorflow.compat.v1
    with open(sys.argv[1]) as file:
        names = json.load(file)
    found = {}
    for mode, root in (("v1", tensorflow.compat.v1), ("v2", tensorflow)):
        ops = {name: op_of(root, name) for name in names[mode]}
        found[mode] = {name: op for name, op in ops.items() if op}
    json.dump(found, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
