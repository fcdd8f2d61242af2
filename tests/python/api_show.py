"""api_show.py - Shows what every use of api_uses.py gives, as JSON.

    api_show.py v1|v2 [berth]

With `berth` on Berth, otherwise on TensorFlow. Each use runs in a process forked
after the import, since some may only come first in a process.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import sys
import traceback

import api_uses

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# With oneDNN the ops have other names.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"


def import_library(mode: str, is_berth: bool) -> object:
    """Imports the library and chooses the mode."""
    if is_berth:
        os.environ["BERTH_TF"] = mode.removeprefix("v")
        import berth
        return berth
    if mode == "v1":
        import tensorflow.compat.v1 as tf
        tf.disable_v2_behavior()
        return tf
    import tensorflow
    return tensorflow


def shown(tf, value: object, mode: str) -> str:
    """The text of a value; tensors show what they hold."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return repr([shown(tf, each, mode) for each in value])
    if isinstance(value, tf.Tensor):
        array = tf.Session().run(value) if mode == "v1" else value.numpy()
        return f"{array.dtype} {array.tolist()!r}"
    return repr(value)


def result_of(tf, code: str, mode: str) -> str:
    """Runs |code| and returns the text of its last expression."""
    tree = ast.parse(code)
    scope = {"tf": tf}
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, __file__, "exec"), scope)
    if last is None:
        return ""
    value = eval(compile(ast.Expression(last.value), __file__, "eval"), scope)
    return shown(tf, value, mode)


def of_schema(function: object) -> list[str] | None:
    """The parameters of a function that gen.wrapper() made from a schema."""
    function = inspect.unwrap(function) if callable(function) else function
    code = getattr(function, "__code__", None)
    if code is None or "op_type" not in code.co_freevars:
        return None
    from berth.framework import schema
    cells = dict(zip(code.co_freevars, function.__closure__))
    names = list(schema.find(cells["op_type"].cell_contents).parameters)
    renamed = list(cells["parameters"].cell_contents)
    return renamed + names[len(renamed):] + ["name"]


def parameters_of(tf, symbol: str) -> list[str] | None:
    """The names of a symbol's parameters; None where it has none to tell."""
    value = tf
    for part in symbol.split(" ")[0].split(".")[1:]:
        value = getattr(value, part)
    found = of_schema(value)
    if found is not None:
        return found
    try:
        return [name for name in inspect.signature(value).parameters
                if name != "self"]
    except (TypeError, ValueError):
        return None


def look(tf, symbol: str, code: str | None, mode: str) -> dict[str, object]:
    """What is to be known of |symbol|: is it there, what does its use give?"""
    try:
        found: dict[str, object] = {"parameters": parameters_of(tf, symbol)}
    except AttributeError as error:
        return {"absent": str(error)}
    if code is None:
        return found
    try:
        found["result"] = result_of(tf, code, mode)
    except SystemExit as error:
        found["result"] = f"SystemExit: {error}"
    except Exception as error:
        text = str(error)
        found["result"] = f"{type(error).__name__}: {text[:300]}"
        if os.environ.get("BERTH_API_TRACE"):
            traceback.print_exc()
    return found


def forked(tf, symbol: str, code: str | None, mode: str) -> dict[str, object]:
    """Does look() in a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        # What a use prints is no part of the answer.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with os.fdopen(writer, "w") as file:
            json.dump(look(tf, symbol, code, mode), file)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"result": "the process ended"}


def main() -> None:
    mode, is_berth = sys.argv[1], "berth" in sys.argv[2:]
    symbols = json.load(sys.stdin)
    tf = import_library(mode, is_berth)
    json.dump({symbol: forked(tf, symbol, api_uses.USES.get(symbol), mode)
               for symbol in symbols}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
