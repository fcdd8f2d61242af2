"""Compares what Berth and TensorFlow make of graphs of ops that Berth only knows.

usage: import_oracle_test.py <schema_graph> <imports.txt>

tools/registry/record_imports.py wrote the graphs and what TensorFlow made of them:
the last node as it is exported, with every default, or the error. Standard library
only.
"""
import subprocess
import sys


def read_cases(path):
    """(graph, 'node' or 'error', text) of each."""
    found = []
    with open(path, encoding='utf-8') as file:
        for line in file:
            line = line.rstrip('\n')
            if line.startswith(' '):
                found[-1][2] += '\n' + line
                continue
            word, text = line.split(' ', 1)
            if word == 'graph':
                found.append([text, None, None])
            else:
                found[-1][1:] = [word, text]
    return found


def outcome(result):
    """The same of what the program wrote."""
    result = result.split('\nplace ')[0].rstrip('\n')
    if result.startswith('error '):
        return 'error', result[len('error '):]
    nodes = [' '.join(part.split()) for part in result.split('\nversions {')[0].split('\nlibrary {')[0]
             .removeprefix('node {').split('\nnode {')]
    return 'node', nodes[-1].removesuffix(' }')


def main():
    program, path = sys.argv[1:]
    wanted = read_cases(path)
    text = ''.join(f'graph\n{graph}\n' for graph, _, _ in wanted)
    done = subprocess.run([program], input=text, capture_output=True, text=True)
    results = ('\n' + done.stdout).split('\ngraph\n')[1:]
    if done.returncode != 0 or len(results) != len(wanted):
        print(done.stderr, f'{done.returncode}: {len(results)} of {len(wanted)} results')
        return 1
    failures = 0
    for (graph, word, want), result in zip(wanted, results):
        ours = outcome(result)
        if ours != (word, ' '.join(want.split()) if word == 'node' else want):
            failures += 1
            print(f'{graph}\n  ours {ours[0]} {ours[1]}\n  want {word} {want}')
    print(f'{len(wanted)} graphs, {sum(w[1] == "error" for w in wanted)} of them refused, {failures} differences')
    return 1 if failures or len(wanted) < 200 else 0


if __name__ == '__main__':
    sys.exit(main())
