"""random_references.py - Random updates and reads of reference variables, one after the other.

    random_references.py FIRST COUNT [DEVICE...]   programs with these seeds; prints what differs

Each statement of a program waits for the one before it, through conditionals and loops, so that
a walk in Python over the same statements says what must come out. What is read through a
reference shows what the variable holds when it is used, also where it has been read, renamed or
reshaped long before. Whole numbers below 1009: every result is exact. `tensorflow` may be
Berth or TensorFlow: the walk says what the latter does.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
import tensorflow as tf

PRIME = 1009.0
WAYS = ("identity", "stop", "reshape", "expand", "read")
Statement = tuple[Any, ...]


# ---- Statements ----


def block(dice: random.Random, depth: int, views: list[int]) -> list[Statement]:
    """Some statements; |views| are the numbers of what has been read so far, and grow."""
    statements: list[Statement] = []
    for _ in range(dice.randint(2, 5)):
        kind = dice.choice(["view", "update", "use", "use", "cond", "while", "copy", "move"])
        if kind in ("cond", "while") and depth == 0:
            kind = "update"
        if kind == "view":
            source = dice.choice([None, None, *views])
            views.append(len(views))
            statements.append(("view", dice.choice(WAYS), dice.randrange(2), source))
        elif kind == "update":
            statements.append(("update", dice.choice(["set", "add", "sub"]), dice.randrange(2), dice.randrange(9)))
        elif kind == "use":
            statements.append(("use", dice.choice(views)))
        elif kind in ("copy", "move"):
            statements.append((kind, dice.randrange(2), dice.choice(views)))
        elif kind == "cond":
            # What is made in a branch is not there behind it.
            inside = [inner_block(dice, depth, views), inner_block(dice, depth, views)]
            statements.append(("cond", dice.randrange(2), *inside))
        else:
            statements.append(("while", dice.randint(0, 3), inner_block(dice, depth, views)))
    return statements


def inner_block(dice: random.Random, depth: int, views: list[int]) -> list[Statement]:
    """Statements that only use what is there."""
    return [s for s in block(dice, depth - 1, list(views)) if s[0] != "view" and not uses_new(s, len(views))]


def uses_new(statement: Statement, count: int) -> bool:
    """Whether a statement, or one in it, uses a view from |count| on."""
    if statement[0] in ("use", "copy", "move"):
        return statement[-1] >= count
    return any(uses_new(s, count) for part in statement[2:] if isinstance(part, list) for s in part)


# ---- What must come out ----


def walk(statements: list[Statement], state: list[Any], views: list[int], flags: list[bool]) -> None:
    """Does the statements: |state| is two variables and the sum of all uses."""
    for s in statements:
        if s[0] == "view":
            views.append(s[2] if s[3] is None else views[s[3]])
        elif s[0] == "update":
            old = state[s[2]]
            state[s[2]] = {"set": old * 0 + s[3], "add": old + s[3], "sub": old - s[3]}[s[1]] % PRIME
        elif s[0] == "use":
            state[2] = (state[2] * 3 + float(np.sum(state[views[s[1]]]))) % PRIME
        elif s[0] == "copy":
            state[s[1]] = (state[s[1]] + state[views[s[2]]]) % PRIME
        elif s[0] == "move":
            state[s[1]] = state[views[s[2]]]
        elif s[0] == "cond":
            walk(s[2] if flags[s[1]] else s[3], state, views, flags)
        else:
            for _ in range(s[1]):
                walk(s[2], state, views, flags)


# ---- Graphs ----


def rest(value: Any, divisor: float) -> Any:
    """What is left of a division, with ops that every device has."""
    return value - tf.floor(value / divisor) * divisor


class Maker:
    """Makes the nodes of a program."""

    def __init__(self, first: list[float]) -> None:
        self.variables = [tf.Variable(np.full(4, value, "f"), name=f"v{n}") for n, value in enumerate(first)]
        self.sum = tf.Variable(0.0, name="sum")
        self.flags = [tf.placeholder(tf.bool, [], name=f"flag{n}") for n in range(2)]
        self.views: list[Any] = []

    def make(self, statements: list[Statement], before: Any) -> Any:
        """Makes |statements| behind |before|; what the next one waits for."""
        for s in statements:
            before = getattr(self, "make_" + s[0])(before, *s[1:])
        return before

    def make_view(self, before: Any, way: str, variable: int, source: int | None) -> Any:
        """Reads, or renames what was read; nobody waits for that."""
        value = self.variables[variable] if source is None else self.views[source]
        value = tf.reshape(value, [4]) if source is not None and way != "reshape" else value
        made = {"identity": tf.identity, "stop": tf.stop_gradient, "expand": lambda x: tf.expand_dims(x, 0),
                "reshape": lambda x: tf.reshape(x, [2, 2]), "read": tf.convert_to_tensor}[way](value)
        self.views.append(made)
        return before

    def make_update(self, before: Any, how: str, variable: int, amount: int) -> Any:
        """Changes a variable by a number."""
        ref = self.variables[variable]
        with tf.control_dependencies([before]):
            value = {"set": ref * 0.0 + amount, "add": ref + amount, "sub": ref - amount}[how]
            return tf.assign(ref, rest(value, PRIME), use_locking=amount % 2 == 0)

    def make_use(self, before: Any, view: int) -> Any:
        """Adds up what a view shows."""
        with tf.control_dependencies([before]):
            total = self.sum * 3.0 + tf.reduce_sum(self.views[view])
            return tf.assign(self.sum, rest(total, PRIME))

    def make_copy(self, before: Any, variable: int, view: int) -> Any:
        """Adds a view to a variable, then takes the rest."""
        ref = self.variables[variable]
        with tf.control_dependencies([before]):
            added = tf.assign_add(ref, tf.reshape(self.views[view] + 0.0, [4]))
        with tf.control_dependencies([added]):
            return tf.assign(ref, rest(ref, PRIME))

    def make_move(self, before: Any, variable: int, view: int) -> Any:
        """Assigns a view as it is."""
        with tf.control_dependencies([before]):
            value = self.views[view]
            return tf.assign(self.variables[variable], value if value.shape.ndims == 1 else tf.reshape(value, [4]))

    def make_cond(self, before: Any, flag: int, yes: list[Statement], no: list[Statement]) -> Any:
        """Does one of two."""
        with tf.control_dependencies([before]):
            chosen = tf.identity(self.flags[flag])
        return tf.cond(chosen, lambda: self.branch(yes), lambda: self.branch(no))

    def branch(self, statements: list[Statement]) -> Any:
        """A branch or a body: a value that is there when it is done."""
        return self.done(self.make(statements, tf.constant(0.0)))

    def done(self, before: Any) -> Any:
        """A number that is there behind |before|."""
        with tf.control_dependencies([before]):
            return tf.constant(1.0)

    def make_while(self, before: Any, times: int, body: list[Statement]) -> Any:
        """Does it so many times."""
        with tf.control_dependencies([before]):
            first = tf.constant(0.0)
        return tf.while_loop(lambda i: i < times, lambda i: i + self.done(self.make(body, i)), [first])


def check(seed: int, device: str) -> list[str]:
    """What is wrong with the program of |seed|."""
    dice = random.Random(seed)
    views = [0]
    statements = [("view", dice.choice(WAYS), dice.randrange(2), None), *block(dice, 2, views)]
    wrong = []
    # Variables that start alike are in one memory until one of them changes.
    first = [1.0, 1.0] if seed % 2 else [1.0, 2.0]
    with tf.Graph().as_default(), tf.device(device):
        maker = Maker(first)
        end = maker.make(statements, tf.constant(0.0))
        initializer = tf.global_variables_initializer()
        with tf.Session() as session:
            for flags in ([True, False], [False, True], [True, True]):
                session.run(initializer)
                session.run(end, dict(zip(maker.flags, flags)))
                found = session.run([*maker.variables, maker.sum])
                state: list[Any] = [*(np.full(4, value) for value in first), 0.0]
                walk(statements, state, [], flags)
                if not all(np.array_equal(a, b) for a, b in zip(found, state)):
                    wrong.append(f"seed {seed} {device} {flags}: {found}, not {state}\n  {statements}")
    return wrong


def main() -> int:
    """The programs of some seeds, on the CPU and the devices that are named."""
    first, count = int(sys.argv[1]), int(sys.argv[2])
    devices = ["/cpu:0", *sys.argv[3:]]
    wrong = [text for seed in range(first, first + count) for text in check(seed, devices[seed % len(devices)])]
    print("\n".join([*wrong[:5], f"{count} programs, {len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
