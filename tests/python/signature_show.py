"""signature_show.py - Shows the parameters of public functions, as JSON.

    signature_show.py v1|v2 [berth]  <names

On TensorFlow, or on Berth. The names, such as "nn.relu", come as JSON on stdin;
`berth list` prints those that Berth has instead.
"""

from __future__ import annotations

import json
import sys

import api_show


def names(mode: str) -> list[str]:
    """Every name that Berth has in |mode|."""
    from berth._start import namespaces
    table = namespaces.table(int(mode[1]))
    return sorted(f"{space}.{name}" if space else name
                  for space, found in table.items() for name in found)


def parameters_of(tf, name: str) -> list[str] | str | None:
    """The names of its parameters, or why there are none."""
    try:
        return api_show.parameters_of(tf, "tf." + name)
    except AttributeError:
        return "absent"
    except Exception as error:  # Lazy modules may fail in their own ways.
        return f"{type(error).__name__}: {error}"


def main() -> None:
    mode, options = sys.argv[1], sys.argv[2:]
    tf = api_show.import_library(mode, "berth" in options)
    if "list" in options:
        json.dump(names(mode), sys.stdout)
        return
    json.dump({name: parameters_of(tf, name) for name in json.load(sys.stdin)},
              sys.stdout)


if __name__ == "__main__":
    main()
