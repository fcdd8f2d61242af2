"""Imports, places and exports nodes of every op that TensorFlow registers.

usage: schema_import_test.py <schema_graph> <registry.txt> [seed]

A node of every op, one for each type that an attribute of it allows, made by
chance from the recorded registry. What is exported must be what went in, with
every default; with a GPU at hand the node must go where the registry has a kernel
for it; and where there is none, placing must say so. Standard library only.
"""
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'tools/registry'))
import cases  # noqa: E402
import registry as recorded  # noqa: E402


HOSTED = ('string', 'resource')  # Types that never leave the host.


def choices(op):
    """What the types of an op's nodes are to be: each of every attribute once, and
    one left to chance."""
    yield {}
    for name, attr in op['attrs'].items():
        if attr['type'] in recorded.TYPE_ATTRS:
            yield from ({name: t} for t in attr.get('allowed') or cases.TYPES)


def with_kernel(rng, op, types):
    """|types| with those of a kernel that takes them, where there is one."""
    fitting = []
    for kernel in op['kernels']:
        names, found = recorded.combinations(kernel)
        if kernel.get('label') or not set(names) <= set(op['attrs']):
            continue
        for values in sorted(found):
            row = {n: convert(op['attrs'][n], v) for n, v in zip(names, values)}
            if all(row.get(n, t) == t for n, t in types.items()) and all(
                    t in op['attrs'][n].get('allowed', [t]) for n, t in row.items()):
                fitting.append(row)
    return {**rng.choice(fitting), **types} if fitting else types


def convert(attr, text):
    if attr['type'] == 'int':
        return int(text)
    return text == 'True' if attr['type'] == 'bool' else text


def place(ops, nodes):
    """Where the last of |nodes| must go: a type of device, or None for nowhere.

    Nodes that take references and resources are with their sources, and those
    that take variants of what lives on the host stay there.
    """
    node, sources = nodes[-1], nodes[:-1]
    found = cases.devices(ops, node)
    is_hosted = re.search(r'Dataset(V\d+)?$', node.op) or node.attrs.get('element_dtype') in HOSTED
    if is_hosted and any(s.attrs['dtype'] == 'variant' for s in sources):
        found = {d: p for d, p in found.items() if d == 'CPU' or 'CPU' not in found}
    for source in sources:
        if source.op == 'VariableV2' or source.attrs['dtype'] == 'resource':
            found = {d: p for d, p in found.items() if d in cases.devices(ops, source)}
    return max(found, key=lambda d: (found[d], d)) if found else None


# Ops that TensorFlow, too, refuses where it does not know the shapes of inputs.
SHAPED = ('ParallelConcat',)


def fit_shapes(node):
    """Gives a node that is told the shapes of its outputs one for each, or none."""
    shapes, outputs = node.attrs.get('output_shapes'), node.attrs.get('Tout') or node.attrs.get('T')
    if shapes and isinstance(outputs, list):
        node.attrs['output_shapes'] = (shapes * len(outputs))[:len(outputs)]


def make_graphs(rng, ops):
    """Yields (nodes, producer, {node: device}): for every op a graph of all nodes
    that have a place, and one of a node that has none."""
    for name, op in ops.items():
        if name in SHAPED:
            continue
        graphs = {True: ([], {}), False: ([], {})}
        for i, types in enumerate(choices(op)):
            nodes = cases.make(rng, ops, f'n{i}', name, with_kernel(rng, op, types))
            fit_shapes(nodes[-1])
            device = place(ops, nodes)
            together, placed = graphs[device is not None]
            if device is not None or not placed:
                together += nodes
                placed[nodes[-1].name] = device
        for together, placed in graphs.values():
            if placed:
                yield together, cases.producer_for(op), placed


def check(ops, graph, result, fail):
    nodes, producer, devices = graph
    text, _, places = result.partition('place ')
    what = nodes[-1].op
    if text != cases.expected(ops, nodes, producer):
        ours, want = text.split('\n'), cases.expected(ops, nodes, producer).split('\n')
        at = next((i for i, (a, b) in enumerate(zip(ours, want)) if a != b), min(len(ours), len(want)))
        fail(what, 'exported', ours[max(0, at - 9):at + 2], want[max(0, at - 9):at + 2])
    by_name = {n.name: n for n in nodes}
    ours = dict(line.split(' ')[:2] for line in places.replace('place ', '').split('\n')
                if line and not line.startswith(' '))
    for name, device in devices.items():
        if device is None:
            if not places.startswith('error No OpKernel was registered to support Op'):
                fail(what, 'placed', places[:200], 'an error')
        elif ours.get(name) != f'{device}:0':
            fail(what, 'placed', ours.get(name) or places[:500], (device, by_name[name]))
    if '\nchanged' in result:
        fail(what, 'way out and in', 'changed', 'the same')


# What placing says of kernels that ask for more than types.
ASKING = '''graph
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "t" op: "ApproxTopK" input: "x" attr { key: "k" value { i: 3 } }
  attr { key: "T" value { type: DT_FLOAT } } attr { key: "is_max_k" value { b: false } } }
graph
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_QINT16 } } }
node { name: "y" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
node { name: "t" op: "GatherNd" input: "x" input: "y" attr { key: "Tindices" value { type: DT_INT32 } }
  attr { key: "Tparams" value { type: DT_QINT16 } } }
'''
ANSWERS = (
    "device='CPU'; T in [DT_FLOAT]; reduction_dimension in [-1]; is_max_k in [true]\n",
    "device='CPU'; Tparams in [DT_FLOAT]; Tindices in [DT_INT32]; "
    'bad_indices_policy in ["", "DEFAULT", "ERROR", "IGNORE"]\n')


def check_answers(program, fail):
    done = subprocess.run([program], input=ASKING, capture_output=True, text=True, check=True)
    results = ('\n' + done.stdout).split('\ngraph\n')[1:]
    for result, answer in zip(results, ANSWERS, strict=True):
        if answer not in result:
            fail('kernels', 'listed', result.partition('place ')[2][:900], answer)


def main():
    program, path = sys.argv[1:3]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    ops, failures = recorded.read(path), []

    def fail(name, what, ours, want):
        failures.append(name)
        print(f'{name}: {what}\n  ours {ours}\n  want {want}')

    graphs = list(make_graphs(random.Random(seed), ops))
    text = ''.join('graph\n' + cases.text(ops, nodes, producer) for nodes, producer, _ in graphs)
    done = subprocess.run([program], input=text, capture_output=True, text=True)
    results = ('\n' + done.stdout).split('\ngraph\n')[1:]
    if done.returncode != 0 or len(results) != len(graphs):
        print(done.stderr, f'{done.returncode}: {len(results)} of {len(graphs)} results')
        return 1
    for graph, result in zip(graphs, results):
        check(ops, graph, result if result.endswith('\n') else result + '\n', fail)
    check_answers(program, fail)
    seen = {n.op for nodes, _, _ in graphs for n in nodes}
    if seen != set(ops) - set(SHAPED):
        fail('all', 'ops', seen, sorted(set(ops) - seen))
    print(f'{len(seen)} ops, {sum(len(d) for _, _, d in graphs)} nodes in {len(graphs)} graphs, '
          f'{len(failures)} differences (seed {seed})')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
