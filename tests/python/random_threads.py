"""random_threads.py - One episode of random programs: its threads, and what they share."""

from __future__ import annotations

import ctypes
import random
import re
import sys
import threading
import time
import traceback
from typing import Any, Callable

import numpy as np

import berth as tf
from random_ops import DEVICES, OF_ONE, OF_TWO, Value, array_of, fits, fresh, shape_of

KEPT = 24
CREW = (1, 2, 3, 4, 8)


class Wrong(Exception):
    """A value that is not what it must be."""


def expect(found: Any, wanted: np.ndarray, text: str) -> None:
    """Both are the same to the bit."""
    found = np.asarray(found)
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        raise Wrong(f"{text}: {found.dtype}{found.shape}, not {wanted.dtype}{wanted.shape}")
    if np.array_equal(found, wanted):
        return
    where = np.argwhere(np.atleast_1d(found != wanted))
    first = tuple(where[0])
    raise Wrong(
        f"{text}: {len(where)} of {found.size} differ, at {first}: "
        f"{np.atleast_1d(found)[first]}, not {np.atleast_1d(wanted)[first]}"
    )


# ---- Functions ----


@tf.function
def product_minus_sum(a: Any, b: Any) -> Any:
    """Of two matrices, on the devices that are chosen."""
    return tf.matmul(a, b) - tf.reduce_sum(a)


@tf.function
def across_devices(x: Any) -> Any:
    """Goes round the GPUs and comes back."""
    with tf.device("/gpu:0"):
        y = x + x
    with tf.device("/gpu:1"):
        z = y * x
    with tf.device("/cpu:0"):
        w = z - y
    with tf.device("/gpu:2"):
        return tf.identity(w), z + w


@tf.function
def polynomial(x: Any) -> Any:
    """A few steps on one device."""
    return x * x - x + x * 2


def call_product(dice: random.Random) -> Value | None:
    """Arrays of the host, of shapes that are often new."""
    rows, inner, cols = (dice.choice((1, 2, 7, 31, 64, 300)) for _ in range(3))
    a = array_of(dice, (rows, inner), np.float32)
    b = array_of(dice, (inner, cols), np.float32)
    array = (a.astype(np.float64) @ b - a.sum(dtype=np.float64)).astype(np.float32)
    return Value(product_minus_sum(a, b), array, f"product_minus_sum({a.shape},{b.shape})")


def call_across(dice: random.Random) -> Value:
    """The argument is the host's or a GPU's."""
    x = array_of(dice, shape_of(dice), np.float32)
    with tf.device(dice.choice(DEVICES)):
        given = x if dice.random() < 0.5 else tf.constant(x)
    first, second = across_devices(given)
    expect(second, x * x * 2 + x * x * 2 - 2 * x, f"across_devices{x.shape}[1]")
    return Value(first, x * x * 2 - 2 * x, f"across_devices{x.shape}[0]")


def call_polynomial(dice: random.Random) -> Value:
    """On any device."""
    dtype = dice.choice((np.float32, np.float64, np.int64))
    x = array_of(dice, shape_of(dice), dtype)
    return Value(polynomial(tf.constant(x)), x * x - x + x * dtype(2), f"polynomial{x.shape}:{x.dtype}")


CALLS: tuple[Callable[[random.Random], Value | None], ...] = (call_product, call_across, call_polynomial)


# ---- A graph of TF1 ----


class Classic:
    """One graph and one session that all threads run."""

    def __init__(self) -> None:
        self.graph = tf.compat.v1.Graph()
        with self.graph.as_default():
            v1 = tf.compat.v1
            self.x = v1.placeholder(tf.float32, [None])
            self.y = v1.placeholder(tf.float32, [None])
            with tf.device("/gpu:0"):
                self.double = self.x + self.x
            with tf.device("/gpu:1"):
                self.product = self.double * self.x
            self.total = tf.reduce_sum(self.product)
            self.rest = self.double - self.y
            self.queue = tf.queue.FIFOQueue(1000, [tf.float32], [[]])
            self.item = v1.placeholder(tf.float32, [])
            self.put = self.queue.enqueue(self.item)
            self.take = self.queue.dequeue()
            config = v1.ConfigProto(allow_soft_placement=True)
        self.session = v1.Session(graph=self.graph, config=config)
        self.call = self.session.make_callable([self.product, self.total], [self.x])

    def work(self, dice: random.Random) -> None:
        """One run of some kind."""
        x = array_of(dice, (dice.choice((1, 3, 100, 5000, 60000)),), np.float32)
        kind = dice.randrange(4)
        if kind == 0:
            found = self.session.run([self.double, self.product, self.total], {self.x: x})
            wanted = [2 * x, 2 * x * x, np.float32((2 * x * x).sum(dtype=np.float64))]
        elif kind == 1:
            found = self.call(x)
            wanted = [2 * x * x, np.float32((2 * x * x).sum(dtype=np.float64))]
        elif kind == 2:
            handle = self.session.partial_run_setup([self.double, self.rest], [self.x, self.y])
            found = [self.session.partial_run(handle, self.double, {self.x: x})]
            found.append(self.session.partial_run(handle, self.rest, {self.y: x}))
            wanted = [2 * x, x]
        else:
            self.session.run(self.put, {self.item: 1.0})
            found, wanted = [self.session.run(self.take)], [np.float32(1)]
        for i, (value, right) in enumerate(zip(found, wanted)):
            expect(value, np.asarray(right), f"session kind {kind}, fetch {i}, {x.shape}")


# ---- Threads ----


class Worker(threading.Thread):
    """A thread with values and variables of its own."""

    def __init__(self, episode: Episode, number: int) -> None:
        super().__init__(name=f"thread {number}")
        self.episode = episode
        self.dice = random.Random(episode.seed * 1000 + number)
        self.values: list[Value] = []
        self.variables: list[tuple[Any, np.ndarray]] = []
        self.added = 0
        self.steps = 0

    def run(self) -> None:
        try:
            while not self.episode.is_over():
                self.step()
                self.steps += 1
            for value in self.values:
                expect(value.tensor, value.array, value.text)
            for variable, array in self.variables:
                with tf.device(variable.device):
                    expect(variable, array, "variable at the end")
        except Wrong as wrong:
            self.episode.fail(f"{self.name}, step {self.steps}: {wrong}")
        except Exception:  # noqa: BLE001 - whatever it is, the episode has failed.
            self.episode.fail(f"{self.name}, step {self.steps}: {traceback.format_exc()}")

    def step(self) -> None:
        """One random thing."""
        with tf.device(self.dice.choice(DEVICES)):
            kind = self.dice.random()
            if kind < 0.62:
                self.compute()
            elif kind < 0.76:
                self.keep(self.dice.choice(CALLS)(self.dice))
            elif kind < 0.88:
                self.change()
            elif kind < 0.93:
                with tf.device("/gpu:0"):
                    self.episode.counter.assign_add(1.0)
                self.added += 1
            elif kind < 0.98:
                self.episode.classic.work(self.dice)
            else:
                self.episode.release(self.dice)

    def compute(self) -> None:
        """An op on a value that there is, or a new one."""
        if not self.values or self.dice.random() < 0.1:
            self.keep(fresh(self.dice))
            return
        value = self.dice.choice(self.values)
        op = self.dice.choice(OF_ONE + OF_TWO)
        made = op(self.dice, value)
        if made is not None and len(made.text) > 300:
            expect(made.tensor, made.array, made.text)
            return
        self.keep(made)

    def keep(self, value: Value | None) -> None:
        """Keeps it, or looks at it, or drops it."""
        if value is None:
            return
        value = value._replace(array=np.asarray(value.array))
        if not fits(value.array) or value.array.size > 1 << 21:
            return
        if self.dice.random() < 0.1:
            expect(value.tensor, value.array, value.text)
        if self.dice.random() < 0.15:
            return
        self.values.append(value)
        if len(self.values) > KEPT:
            old = self.values.pop(self.dice.randrange(len(self.values)))
            if self.dice.random() < 0.5:
                expect(old.tensor, old.array, old.text)

    def change(self) -> None:
        """Makes, reads, updates or drops a variable."""
        if not self.variables or (len(self.variables) < 5 and self.dice.random() < 0.2):
            array = array_of(self.dice, shape_of(self.dice), np.float32)
            self.variables.append((tf.Variable(array), array))
            return
        at = self.dice.randrange(len(self.variables))
        variable, array = self.variables[at]
        with tf.device(variable.device):
            self.change_one(at, variable, array)

    def change_one(self, at: int, variable: Any, array: np.ndarray) -> None:
        """The variable |at|, which holds |array|."""
        by = array_of(self.dice, array.shape, np.float32)
        kind = self.dice.randrange(6)
        if kind == 0:
            variable.assign(by)
            array = by
        elif kind == 1 and fits(array + by):
            variable.assign_add(by)
            array = array + by
        elif kind == 2 and fits(array - by):
            variable.assign_sub(tf.constant(by))
            array = array - by
        elif kind == 3 and fits(array + array):
            variable.assign_add(variable.read_value())
            array = array + array
        elif kind == 4:
            self.keep(Value(variable.read_value(), array.copy(), "variable"))
        else:
            expect(variable, array, "variable")
            if self.dice.random() < 0.3:
                del self.variables[at]
                return
        self.variables[at] = (variable, array)


class Episode:
    """Threads, and the time they have."""

    def __init__(self, seed: int, seconds: float) -> None:
        self.seed = seed
        self.failures: list[str] = []
        self.lock = threading.Lock()
        tf.config.set_soft_device_placement(True)
        with tf.device("/gpu:0"):
            self.counter = tf.Variable(0.0)
        self.classic = Classic()
        self.library = self.find_library()
        self.end = time.monotonic() + seconds

    @staticmethod
    def find_library() -> Any:
        """The library behind the package, for what Python has no name for."""
        with open("/proc/self/maps", encoding="utf-8") as maps:
            found = re.search(r"\S*/libberth\.so\S*", maps.read())
        return ctypes.CDLL(found.group(0)) if found else None

    def is_over(self) -> bool:
        """Time is up, or something is wrong."""
        return bool(self.failures) or time.monotonic() > self.end

    def fail(self, text: str) -> None:
        """Notes a failure."""
        with self.lock:
            self.failures.append(text)

    def release(self, dice: random.Random) -> None:
        """Gives the memory of a GPU back, which may be refused."""
        if self.library is not None:
            self.library.berth_device_release_memory(f"GPU:{dice.randrange(3)}".encode(), None)

    def play(self) -> int:
        """Lets the threads work; 1 when something was wrong."""
        workers = [Worker(self, i) for i in range(random.Random(self.seed).choice(CREW))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if not self.failures:
            added = sum(worker.added for worker in workers)
            if float(self.counter) != added:
                self.fail(f"the counter is {float(self.counter)}, not {added}")
        for failure in self.failures:
            print(f"seed {self.seed}, {len(workers)} threads: {failure}")
        sys.stdout.flush()
        if not self.failures:
            print(f"seed {self.seed}: {len(workers)} threads, {sum(worker.steps for worker in workers)} steps")
        return 1 if self.failures else 0
