"""test_examples.py - The examples are the guides' own scripts, which test_oracle runs."""

from __future__ import annotations

import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = sorted((ROOT / 'examples' / 'python').glob('*.py'))
SCRIPTS = ROOT / 'tests' / 'data' / 'oracle' / 'scripts'
GUIDES = {path.read_bytes() for path in SCRIPTS.glob('s[03]_*.py')}


@pytest.mark.parametrize('path', EXAMPLES, ids=lambda path: path.stem)
def test_example_is_unedited(path: pathlib.Path) -> None:
    assert path.read_bytes() in GUIDES


def test_readme_lists_them() -> None:
    text = (ROOT / 'examples' / 'python' / 'README.md').read_text()
    assert [path.name for path in EXAMPLES if f'`{path.name}`' not in text] == []
