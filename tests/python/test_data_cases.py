"""Datasets give what TensorFlow's give, in its order, with its words.

    test_data_cases.py record PYTHON       records what TensorFlow does
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE.parent / 'data' / 'datasets.json'
# TensorFlow joins a map and a batch into one op, which has other words, or its
# words tell how it is made inside.
EXEMPT = {'flat map of a tensor'}


def shown(python, library):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python, str(HERE / 'data_show.py'), library, folder], stdout=subprocess.PIPE, check=True,
                              stderr=subprocess.DEVNULL if library == 'tensorflow' else None, timeout=600)
    return json.loads(done.stdout)


def test_all():
    expected = json.loads(RECORD.read_text())
    found = shown(sys.executable, 'berth')
    assert set(found) == set(expected)
    wrong = {name: (found[name], expected[name]) for name in expected
             if found[name] != expected[name] and name not in EXEMPT}
    assert not wrong, '\n'.join(f'{name}\n  found    {a}\n  expected {b}' for name, (a, b) in wrong.items())


if __name__ == '__main__':
    RECORD.write_text(json.dumps(shown(sys.argv[2], 'tensorflow'), indent=0) + '\n')
