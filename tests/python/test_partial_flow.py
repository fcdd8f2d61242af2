"""test_partial_flow.py - Partial runs with conditionals, loops and functions give what TensorFlow's give.

    test_partial_flow.py record PYTHON   keeps what the cases give on TensorFlow
"""

from __future__ import annotations

import pathlib
import subprocess
import sys

import oracle
import pytest
from script import run

FOLDER = pathlib.Path(__file__).parent
DATA = FOLDER.parent / "data"
RECORDED = DATA / "partial_flow.txt"
GPUS = {"BERTH_SIMULATE_GPUS": "NVIDIA H200*2", "CUDA_VISIBLE_DEVICES": "0,1", "TF_CPP_MIN_LOG_LEVEL": "3",
        "BERTH_SOFTGPU_STRESS": "1", "TF_FORCE_GPU_ALLOW_GROWTH": "true"}

START = f"""
import random, sys
sys.path.insert(0, {str(FOLDER)!r})
import berth, numpy as np, random_flow
tf = berth.compat.v1
tf.disable_v2_behavior()

def in_pieces(session, dice, fetches, feeds):
    # Fed one after the other; what can be fetched by then is not known, but all can be in the end.
    names = list(feeds)
    dice.shuffle(names)
    handle = session.partial_run_setup(fetches, names)
    for name in names[:-1]:
        assert session.partial_run(handle, [], {{{{name: feeds[name]}}}}) == []
    return session.partial_run(handle, fetches, {{{{names[-1]: feeds[names[-1]]}}}})

class InPieces:
    def __init__(self, session, seed):
        self.session, self.dice = session, random.Random(seed)
    def run(self, fetches, feeds=None):
        if feeds is None:
            return self.session.run(fetches)
        return in_pieces(self.session, self.dice, fetches, feeds)
"""

# Graphs of functions, recorded from TensorFlow.
FUNCTIONS = START + """
for line in list(open({recorded!r}))[{first}::4]:
    random_flow.try_functions(tf, line, InPieces)
print("right")
"""

# Graphs of Switch and Merge: in pieces and at once.
GRAPHS = START + """
for seed in range({first}, {first} + {count}):
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        maker = random_flow.Maker(tf, seed, {devices!r}, False)
        for first, second, length in random_flow.RUNS:
            feeds = dict(zip(maker.feeds, [first, second, np.arange(length) + seed % 7]))
            found = []
            for runner in (session, InPieces(session, seed)):
                session.run(maker.inits)
                found.append(random_flow.run_of(tf, runner, feeds, maker.fetches, maker.variables))
            assert found[0] == found[1], (seed, *found)
print("right")
"""


def output(command: list[str], **settings: str) -> str:
    """What the cases print."""
    return subprocess.run([*command, str(FOLDER / "partial_cases.py")], capture_output=True, text=True, check=True, timeout=600,
                          env=oracle.base_environment() | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}
                          | settings).stdout


@pytest.mark.parametrize("settings", [{}, GPUS, {"BERTH_TWINS": "0"}], ids=["cpu", "gpus", "all"])
def test_cases(settings: dict[str, str]) -> None:
    """Values and errors, call by call."""
    assert output([sys.executable, "-m", "berth", "run"], **settings) == RECORDED.read_text()


@pytest.mark.parametrize("name", ["calls.txt", "lower.txt"])
def test_functions(name: str) -> None:
    """Graphs that call functions give in pieces what TensorFlow gives at once."""
    assert run(FUNCTIONS.format(recorded=str(DATA / name), first=1)).strip() == "right"


@pytest.mark.parametrize(("first", "devices", "settings"), [
    (3000, [], {}), (3100, ["/gpu:0", "/gpu:1", "/cpu:0"], GPUS)], ids=["cpu", "gpus"])
def test_graphs(first: int, devices: list[str], settings: dict[str, str]) -> None:
    """Conditionals and loops give in pieces what they give at once."""
    assert run(GRAPHS.format(first=first, count=40, devices=devices), **settings).strip() == "right"


if __name__ == "__main__" and sys.argv[1] == "record":
    RECORDED.write_text(output([sys.argv[2]]))
