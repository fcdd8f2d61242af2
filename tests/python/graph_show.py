"""graph_show.py - Shows the graphs that graph_cases.py builds, as JSON.

    graph_show.py [berth]

With `berth` on Berth, otherwise on TensorFlow.
"""

from __future__ import annotations

import json
import os
import sys

import graph_cases

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def import_library(is_berth: bool):
    if is_berth:
        os.environ["BERTH_TF"] = "1"
        import berth
        return berth
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
    return tf


def shown(node) -> str:
    """One node as a line of text."""
    attrs = [f"{key}={' '.join(str(node.attr[key]).split())}"
             for key in sorted(node.attr) if key != "_output_shapes"]
    return (f"{node.name} = {node.op}({', '.join(node.input)}) "
            f"[{node.device}] {{{'; '.join(attrs)}}}")


def graph_of(tf, code: str) -> list[str]:
    """The nodes that |code| makes, then the error that stopped it, if any."""
    with tf.Graph().as_default() as graph:
        scope = {"tf": tf, "x": tf.placeholder(tf.float32, [2, 3], "x"),
                 "i": tf.placeholder(tf.int32, [3], "i"),
                 "u": tf.placeholder(tf.float32, name="u")}
        error = []
        try:
            exec(code, scope)
        except Exception as found:
            error = [f"{type(found).__name__}: {found}"]
        return [shown(node) for node in graph.as_graph_def().node] + error


def main() -> None:
    tf = import_library("berth" in sys.argv[1:])
    json.dump({name: graph_of(tf, code)
               for name, code in graph_cases.CASES.items()}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
