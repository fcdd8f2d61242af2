"""test_exits.py - Interpreters that end while products are under way."""

from __future__ import annotations

import pathlib
import signal
import subprocess
import sys
import textwrap

import pytest

from script import TIMEOUT_SECONDS, check_stderr, environment

ROUNDS = 4

# The C library calls usleep() after everything else that the process does at its end: a thread
# that uses what has been destroyed by then has time to fall over it.
BEGIN = """
import atexit, ctypes, os, signal, sys, threading, time
libc = ctypes.CDLL(None)
libc.__cxa_atexit(libc.usleep, ctypes.c_void_p(100000), None)
import numpy as np
import tensorflow as tf

def product(device, size=640):
    with tf.device(device):
        a = tf.ones([size, size])
        return tf.matmul(a, a)

def queue(device, count=24):
    for _ in range(count): product(device)

begun = threading.Event()
def multiply_on(device):
    while True:
        queue(device, 1)
        begun.set()

def start(device):
    threading.Thread(target=multiply_on, args=[device], daemon=True).start()
    begun.wait()
"""

# How an interpreter ends, and with what status.
ENDS = {
    "end": ("queue('GPU:0')", 0),
    "first": ("product('GPU:0')", 0),
    "sys.exit": ("queue('GPU:0'); sys.exit(3)", 3),
    "exception": ("queue('GPU:0'); raise ValueError('meant')", 1),
    "os._exit": ("queue('GPU:0'); os._exit(4)", 4),
    "signal": ("queue('GPU:0'); os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    "handler": ("""
        atexit.register(lambda: queue('GPU:0'))
        queue('GPU:0')
    """, 0),
    "daemon on a card": ("start('GPU:0')", 0),
    "daemon on the host": ("start('CPU:0'); time.sleep(0.2)", 0),
    "daemons": ("start('GPU:0'); start('CPU:0'); queue('GPU:0'); sys.exit(5)", 5),
    "C": ("queue('GPU:0'); libc.exit(6)", 6),
    "quick": ("queue('GPU:0'); libc.quick_exit(7)", 7),
    "child": ("""
        queue('GPU:0')
        child = os.fork()
        if child == 0: sys.exit(8)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        value = product('GPU:0').numpy()
        sys.exit(0 if status == 8 and (value == 640).all() else 9)
    """, 0),
    "held": ("""
        a = product('GPU:0')
        array = memoryview(product('CPU:0').numpy())
        queue('GPU:0')
    """, 0),
}


@pytest.mark.parametrize("name", ENDS)
def test_ends_as_it_was_told(name: str, tmp_path: pathlib.Path) -> None:
    """Whatever is queued, the status is what the program asked for."""
    code, expected = ENDS[name]
    env = environment("2") | {"BERTH_SIMULATE_GPUS": "Tesla K20m", "BERTH_SIMULATE_LEDGER": str(tmp_path / "ledger")}
    del env["CUDA_VISIBLE_DEVICES"]
    for _ in range(ROUNDS):
        done = subprocess.run([sys.executable, "-m", "berth", "run", "-c",
                               BEGIN + textwrap.dedent(code)],
                              capture_output=True, text=True, env=env, timeout=TIMEOUT_SECONDS)
        check_stderr(done.stderr)
        assert done.returncode == expected, done.stderr[-3000:]
