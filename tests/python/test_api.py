"""test_api.py - Every symbol of api_surface.txt is there and does the same.

What is absent has to say so by an AttributeError that names something.
"""

from __future__ import annotations

import functools
import sys

import api
import api_uses
import known
import pytest


def names() -> list[str]:
    """The names of the tests of symbols."""
    return [f"api/{mode}/{each.name}" for each in api.symbols()
            for mode in each.modes]


@functools.cache
def berths(mode: str) -> dict[str, dict]:
    return api.show(sys.executable, mode, True)


@functools.cache
def recorded() -> dict[str, dict[str, dict]]:
    return api.recorded()


USED = [known.parameter(f"api/{mode}/{each.name}", mode, each.name)
        for each in api.symbols() for mode in each.modes
        if each.name in api_uses.USES]
ABSENT = [known.parameter(f"api/{mode}/{each.name}", mode, each.name)
          for each in api.symbols() for mode in each.modes
          if each.name not in api_uses.USES]


@pytest.mark.parametrize("mode, name", USED)
def test_symbol(mode: str, name: str) -> None:
    """A symbol takes the same parameters and gives the same."""
    if name.startswith("tf.keras"):
        pytest.importorskip("keras", reason="tf.keras is the package keras")
    theirs, ours = recorded()[mode][name], berths(mode)[name]
    if name.startswith("tf.keras") and "parameters" in ours:
        # The parameters are those of the version that is installed.
        theirs = theirs | {"parameters": ours["parameters"]}
    problem = api.problem(theirs, ours)
    assert not problem, problem


@pytest.mark.parametrize("mode, name", ABSENT)
def test_absent_symbol(mode: str, name: str) -> None:
    """What is not there yet says so; what is there has a use in api_uses.py."""
    found = berths(mode)[name]
    assert "absent" in found, f"{name} is there: api_uses.py needs a use of it"
    assert name.split(".")[1] in found["absent"]
