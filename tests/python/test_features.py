"""Feature columns make the nodes, variables and values of TensorFlow's, and raise what it raises.

    test_features.py record PYTHON        records what TensorFlow does
    test_features.py show LIBRARY         what test and recording run
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE.parent / 'data' / 'features.json'


def _run(tf, case):
    """Returns what comes of a case in a graph of its own."""
    with tf.Graph().as_default() as graph:
        try:
            found = case()
            if isinstance(found, list):
                return found
            with tf.Session() as session:
                nodes = [f'{op.type} {op.name}' for op in graph.get_operations()]
                session.run([tf.global_variables_initializer(), tf.tables_initializer()])
                return [nodes, [v.name for v in tf.global_variables()],
                        [v.name for v in tf.get_collection('model_variables')], str(found.shape),
                        [[float(f'{x:.5g}') for x in row] for row in session.run(found).tolist()]]
        except Exception as error:  # pylint: disable=broad-except
            text = re.sub(r"<class '[\w.]*\.(\w+)'>", r'\1', str(error).split('\n')[0])
            return [type(error).__name__, text[:200]]


def _show(library):
    if library == 'berth':
        import berth.compat.v1 as tf
    else:
        import tensorflow.compat.v1 as tf
    import feature_cases

    tf.disable_v2_behavior()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'words')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('b\na\nzz\n')
        cases = feature_cases.make(tf, path)
        found = json.dumps({name: _run(tf, case) for name, case in cases.items()}, indent=0)
        print(found.replace(folder, 'FOLDER'))


def shown(python, library):
    done = subprocess.run([python, __file__, 'show', library], stdout=subprocess.PIPE, check=True, timeout=600,
                          stderr=subprocess.DEVNULL if library == 'tensorflow' else None)
    return done.stdout.decode()


def test_all():
    expected, found = json.loads(RECORD.read_text()), json.loads(shown(sys.executable, 'berth'))
    assert set(found) == set(expected)
    wrong = {name: (found[name], expected[name]) for name in expected if found[name] != expected[name]}
    assert not wrong, '\n'.join(f'{name}\n  found    {a}\n  expected {b}' for name, (a, b) in wrong.items())


if __name__ == '__main__':
    if sys.argv[1] == 'record':
        RECORD.write_text(shown(sys.argv[2], 'tensorflow'))
    else:
        _show(sys.argv[2])
