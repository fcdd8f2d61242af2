"""random_flows.py - Small functions with branches, loops and jumps at random, as numbers, and as tensors in tf.function.

    random_flows.py FIRST COUNT RESULTS    runs functions FIRST, FIRST + 1, ... and writes what they gave to RESULTS

Runs on TensorFlow and on Berth. A function takes tensors `a` and `b` and a Python bool `p`; where it gives a
value as tensors, that has to be what it gives for numbers. Many of them are refused, in words.
"""

from __future__ import annotations

import json
import pathlib
import random
import re
import sys
import tempfile

INPUTS = [(3, 5, True), (-2, 4, False), (0, 0, True), (7, -3, False)]


ACTING = 200000  # From this number on functions change a variable, V.


class Box:
    """A variable of numbers."""

    def __init__(self) -> None:
        self.value = 5

    def assign(self, value: int) -> None:
        """Sets it."""
        self.value = value

    def read_value(self) -> int:
        """Reads it."""
        return self.value


class Writer:
    """Writes one function."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names = ["a", "b", "x", "y"]
        self.loops = 0
        self.left = self.random.randint(4, 14)  # Statements to come.
        self.late = self.random.random() < 0.25  # Names may be defined inside of blocks only.
        self.returns = self.random.random() < 0.4
        self.acts = seed >= ACTING  # It reads and changes a variable.

    def source(self, name: str) -> str:
        """Returns the whole function."""
        self.lines = [f"def {name}(a, b, p):", "    x = a + 1", "    y = 2"]
        if self.random.random() < 0.3:
            self.lines.append("    l = [a, b]")
            self.names += ["l[0]", "l[1]"]
        while self.left > 0:
            self.statement(1, False)
        self.lines.append("    return " + self.random.choice(["x", "x + y", "(x, y)", "x * 2 + a"]))
        return "\n".join(self.lines) + "\n"

    def value(self, depth: int = 0) -> str:
        """Returns an expression for a number."""
        kind = self.random.random()
        if self.acts and kind < 0.1:
            return "V.read_value()"
        if depth > 1 or kind < 0.45:
            return self.random.choice([*self.names, str(self.random.randint(0, 9))])
        if kind < 0.9:
            op = self.random.choice(["+", "-", "*"])
            return f"({self.value(depth + 1)} {op} {self.value(depth + 1)}) % 97"
        return f"({self.value(2)} if {self.test(1)} else {self.value(2)})"

    def test(self, depth: int = 0) -> str:
        """Returns a condition."""
        kind = self.random.random()
        if depth > 1 or kind < 0.6:
            op = self.random.choice(["<", ">", "<=", ">=", "==", "!="])
            return f"{self.random.choice(self.names)} {op} {self.value(2)}"
        if kind < 0.7:
            return "p" if self.random.random() < 0.5 else "not p"
        if kind < 0.9:
            return f"({self.test(depth + 1)} {self.random.choice(['and', 'or'])} {self.test(depth + 1)})"
        return f"not {self.test(depth + 1)}" if kind < 0.95 else f"0 < {self.random.choice(self.names)} < 20"

    def write(self, level: int, text: str) -> None:
        """Adds a line."""
        self.lines.append("    " * level + text)

    def block(self, level: int, in_loop: bool) -> None:
        """Writes some statements."""
        for _ in range(self.random.randint(1, 3)):
            self.statement(level, in_loop)

    def statement(self, level: int, in_loop: bool) -> None:
        """Writes one statement."""
        self.left -= 1
        kind = self.random.random()
        if self.acts and kind < 0.15:
            self.write(level, f"V.assign({self.value()})")
        elif kind < 0.4 or level > 4 or self.left < 0:
            self.assign(level)
        elif kind < 0.65:
            self.branch(level, in_loop)
        elif kind < 0.82:
            self.loop(level)
        elif in_loop and kind < 0.92:
            self.write(level, f"if {self.test()}:")
            self.write(level + 1, self.random.choice(["break", "continue"]))
        elif self.returns and kind < 0.97:
            self.write(level, f"if {self.test()}:")
            self.write(level + 1, f"return {self.value()}")
            if self.random.random() < 0.5:
                self.write(level, "else:")
                self.block(level + 1, in_loop)
        else:
            self.assign(level)

    def assign(self, level: int) -> None:
        """Writes an assignment; now and then to a name that is new here."""
        if self.late and self.random.random() < 0.3:
            name = f"z{self.random.randint(0, 2)}"
            self.write(level, f"{name} = {self.value()}")
            if level == 1 or self.random.random() < 0.3:
                self.names.append(name)
            return
        name = self.random.choice([n for n in self.names if n[0] != "i"])
        if self.random.random() < 0.2:
            self.write(level, f"{name} = ({name} + {self.value(2)}) % 89")
        else:
            self.write(level, f"{name} = {self.value()}")

    def branch(self, level: int, in_loop: bool) -> None:
        """Writes an if."""
        self.write(level, f"if {self.test()}:")
        self.block(level + 1, in_loop)
        if self.random.random() < 0.3:
            self.write(level, f"elif {self.test()}:")
            self.block(level + 1, in_loop)
        if self.random.random() < 0.6:
            self.write(level, "else:")
            self.block(level + 1, in_loop)

    def loop(self, level: int) -> None:
        """Writes a loop that ends."""
        self.loops += 1
        name, kind = f"i{self.loops}", self.random.random()
        if kind < 0.35:
            self.write(level, f"for {name} in RANGE({self.value(1)} % 5):")
        elif kind < 0.5:
            self.write(level, f"for {name} in range({self.random.randint(1, 3)}):")
        elif kind < 0.6:
            self.write(level, f"for {name} in EACH([a, y, 3]):")
        else:
            self.write(level, f"{name} = {self.random.choice(['0', 'a * 0'])}")
            self.write(level, f"while {name} < {self.value(1)} % 5" + (
                f" and {self.test(1)}:" if self.random.random() < 0.4 else ":"))
            self.write(level + 1, f"{name} += 1")
        before = list(self.names)
        self.names.append(name)
        self.block(level + 1, True)
        self.names = before + [n for n in self.names if n not in before and n[0] == "z"]


def numbers(source: str, name: str, given: tuple[int, int, bool]) -> str:
    """Returns what a function gives for numbers."""
    box = Box()
    space = {"RANGE": range, "EACH": list, "V": box}
    exec(compile(source, name, "exec"), space)  # pylint: disable=exec-used
    try:
        value = space[name](*given)
    except Exception as error:  # pylint: disable=broad-except
        return f"raised {type(error).__name__}"
    return str(value) + (f" V={box.value}" if "V." in source else "")


def plain(value: object) -> str:
    """Returns tensors as the numbers that they are."""
    if isinstance(value, tuple):
        return str(tuple(int(v) for v in value))
    return str(int(value))  # type: ignore[call-overload]


def shown(error: Exception, folder: str) -> str:
    """Returns an error in words."""
    text = str(error).replace(folder, "<dir>")
    text = re.sub(r' *File "/[^"]*", line .*\n.*\n', "", text)
    return f"raised {type(error).__name__}: {text}"


def run(first: int, count: int) -> dict[str, list[str]]:
    """Returns what the functions give as tensors, for all inputs."""
    import importlib.util

    import tensorflow as tf

    results, variable = {}, tf.Variable(5)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + count):
            name = f"f{number}"
            path = pathlib.Path(folder) / f"{name}.py"
            source = Writer(number).source(name)
            path.write_text(source)
            spec = importlib.util.spec_from_file_location(name, path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            module.RANGE, module.EACH, module.V = tf.range, tf.stack, variable
            function, found = tf.function(getattr(module, name)), []
            for a, b, p in INPUTS:
                variable.assign(5)
                try:
                    value = plain(function(tf.constant(a), tf.constant(b), p))
                    found.append(value + (f" V={int(variable)}" if "V." in source else ""))
                except Exception as error:  # pylint: disable=broad-except
                    found.append(shown(error, folder))
            results[name] = found
    return results


if __name__ == "__main__":
    pathlib.Path(sys.argv[3]).write_text(json.dumps(run(int(sys.argv[1]), int(sys.argv[2]))))
