"""Feeds opgen op descriptions with mistakes and reads what it says.

usage: opgen_test.py <opgen>
"""
import os
import subprocess
import sys
import tempfile

GOOD = """
types index = int32, int64
op Twice
  in      x: T, n: N * Tidx
  out     y: Ref(T)
  attr    T: {half, float} = float
  attr    N: int >= 1
  attr    Tidx: {index - int32}
  attr    mode: {"a", "b"} = "b"
  attr    sizes: list(int) = [1, 2]
  is      stateful
  cpu     T: {half, float}; host: n, y; priority: 2;
            label: fast
  gpu     any
  builder twice_over
"""

BAD = [
    ('op A\n  in x: flaot\n', "2: unknown type 'flaot'"),
    ('op A\n  attr T: {flaot}\n', "2: unknown type or group 'flaot'"),
    ('op A\n  in x T\n', "2: expected ':'"),
    ('op A\n  in x: N * float\n', "unknown attribute 'N'"),
    ('op A\n  cpu Z: float\n', "2: no such attribute 'Z'"),
    ('op A\n  cpu any; host: z\n', "2: no such argument 'z'"),
    ('op A\n  is fast\n', "unknown flag 'fast'"),
    ('op A\n  wings x: float\n', "2: unknown statement 'wings'"),
    ('op A\nop A\n', "two ops are called 'A'"),
    ('hello\n', "1: expected an op instead of 'hello'"),
]


def run(program, folder, text):
  paths = [os.path.join(folder, n) for n in ('ops.def', 'table.c', 'ops.h', 'ops.c')]
  with open(paths[0], 'w') as file:
    file.write(text)
  done = subprocess.run([program] + paths, capture_output=True, text=True)
  outputs = []
  if done.returncode == 0:
    for path in paths[1:]:
      with open(path) as file:
        outputs.append(file.read())
  return done, outputs


def check_good(program, folder):
  done, outputs = run(program, folder, GOOD)
  if done.returncode != 0:
    return ['a good file is refused: ' + done.stderr]
  table, header, source = outputs
  wanted = [
      (table, '{"Twice", '), (table, '"fast", 0x2, 0x1}'), (table, '{9,}'),
      (table, '{19,1,}'), (table, '{1,2,}'), (table, '"a", "b", NULL'),
      (header, 'berth_out_t berth_twice_over(berth_graph_t *graph, const char *name,'),
      (header, 'const berth_out_t *n, int n_count);'),
      (header, '#define BERTH_TWICE_OVER_ATTRS { NULL, 0, NULL }'),
      (header, '// Twice: x: T, n: N * Tidx -> y: Ref(T).'),
      (source, 'return berth_build_out(graph, name, 0, attrs, x, n, n_count);'),
  ]
  return ['%r is missing' % text for where, text in wanted if text not in where]


def main():
  program, failures = sys.argv[1], []
  with tempfile.TemporaryDirectory() as folder:
    failures += check_good(program, folder)
    for text, message in BAD:
      done, _ = run(program, folder, text)
      if done.returncode != 1 or message not in done.stderr:
        failures.append('%r gives %d %r instead of %r' % (text, done.returncode, done.stderr, message))
    if subprocess.run([program], capture_output=True).returncode != 2:
      failures.append('no usage message')
  print('\n'.join(failures) or 'all fine')
  return 1 if failures else 0


if __name__ == '__main__':
  sys.exit(main())
