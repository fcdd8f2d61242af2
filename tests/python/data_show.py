"""Runs the cases of data_cases.py and prints what comes of them, as JSON; beside Berth and TensorFlow.

    data_show.py berth|tensorflow FOLDER     FOLDER is for files that cases read
"""

import json
import sys


def show(value):
    """Returns an element as JSON has it."""
    if isinstance(value, dict):
        return {key: show(value[key]) for key in sorted(value)}
    if isinstance(value, (tuple, list)):
        return [show(item) for item in value]
    if hasattr(value, 'dense_shape'):
        return ['sparse', *(show(part) for part in (value.indices, value.values, value.dense_shape))]
    if hasattr(value, 'to_list'):
        return ['ragged', _plain(value.to_list())]
    if hasattr(value, 'numpy'):
        value = value.numpy()
    elif hasattr(value, 'element_spec'):
        return ['dataset', [show(item) for item in value]]
    if hasattr(value, 'tolist'):
        value = value.tolist()
    return _plain(value)


def _plain(value):
    if isinstance(value, bytes):
        return 'b:' + value.decode('latin-1')
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return float(f'{value:.6g}')
    return value


def failure(error):
    """Returns what is raised: the class and the first words that do not depend on the machine."""
    text = str(error).split('}} ', 1)[-1] if str(error).startswith('{{function_node') else str(error)
    return [type(error).__name__, text.split(' [Op:')[0].split('\n')[0][:160]]


def run(make):
    """Returns the spec, the number of elements, and two times all elements."""
    try:
        dataset = make()
    except Exception as error:  # pylint: disable=broad-except
        return {'raises': failure(error)}
    found = {'spec': str(dataset.element_spec), 'count': int(dataset.cardinality()), 'elements': []}
    for _ in range(2):
        elements = []
        try:
            for element in dataset:
                elements.append(show(element))
                if len(elements) == 200:
                    break
        except Exception as error:  # pylint: disable=broad-except
            elements.append(failure(error))
        found['elements'].append(elements)
    return found


def main():
    if sys.argv[1] == 'berth':
        import berth as tf
    else:
        import tensorflow as tf
    import data_cases

    cases = data_cases.make(tf, sys.argv[2])
    print(json.dumps({name: run(case) for name, case in cases.items()}))


if __name__ == '__main__':
    main()
