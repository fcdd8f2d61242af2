"""test_gradient_networks.py - Whole networks train as they do with TensorFlow."""

from __future__ import annotations

import json
import pathlib

import gradient_networks
import numpy as np
import pytest

import berth as tf

RECORDED = json.loads((pathlib.Path(__file__).parent.parent / 'data' / 'gradient_networks.json').read_text())
WAYS = {
    'graph': gradient_networks.in_graph,
    'tape': gradient_networks.by_tape,
    'function': lambda tf, name: gradient_networks.by_tape(tf, name, traced=True),
}


@pytest.mark.parametrize('way', WAYS)
@pytest.mark.parametrize('name', gradient_networks.NETWORKS)
def test_network(name: str, way: str) -> None:
    """Losses of some steps, and every gradient of the first one."""
    losses, slopes = WAYS[way](tf, name)
    np.testing.assert_allclose(losses, RECORDED[name]['losses'], 1e-4)
    assert len(slopes) == len(RECORDED[name]['slopes'])
    for slope, (length, *items) in zip(slopes, RECORDED[name]['slopes']):
        np.testing.assert_allclose(np.linalg.norm(slope), length, 1e-4)
        found = slope.reshape(-1)[::max(1, slope.size // 8)]
        np.testing.assert_allclose(found, items, 1e-4, 1e-4 * length)


def test_all_are_recorded() -> None:
    """No network is left out."""
    assert set(RECORDED) == set(gradient_networks.NETWORKS)
