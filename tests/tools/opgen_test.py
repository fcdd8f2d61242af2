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
  attr    names: list(string) = ["a", ""]
  attr    flags: list(bool) = [true, false]
  attr    kinds: list(type) = [int32, float]
  attr    floor: float = -inf
  attr    size: shape = [2, -1]
  attr    many: list(shape) = [[], unknown, [1]]
  attr    color: tensor = uint8[255, 0]
  attr    one: list(tensor) = [int32(7)]
  is      stateful
  cpu     T: {half, float}; host: n, y; priority: 2;
            label: fast
  gpu     any
  builder twice_over
op Broad
  in      x: float
  shape   broad
"""

KNOWN = """
types large = int64, uint64
op Space>Op
  in      x: T
  attr    T: {large}
  attr    n: int = -1
  cpu     T: large; n: -1
  removed 7 "Use Twice"
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
    ('op A\n  attr x: tensor = flaot(1)\n', "2: unknown type 'flaot'"),
    ('op A\n  attr x: list(int) = 1\n', "2: expected '['"),
    ('op A\n  attr x: shape = [1, 2, 3, 4, 5, 6, 7, 8, 9]\n', '2: too many members'),
    ('hello\n', "1: expected an op instead of 'hello'"),
]

RULES = """
# A comment.
Twice  [a,?] [] -> [a,3,$N]
Space>Op  * ->
"""

BAD_RULES = [
    ('Nix  * -> ?\n', "1: there is no op 'Nix'"),
    ('Twice  * -> ?\n', "1: what is '->'"),
    ('Twice  * * ->\n', "1: what is 'the end'"),
    ('Twice  * * -> ? ?\n', "1: what is '?'"),
    ('Twice  * =1 -> ?\n', "1: what is '=1'"),
    ('Twice  * * -> =2\n', "1: what is '=2'"),
    ('Twice  [a * -> ?\n', "1: what is '[a'"),
    ('Twice  [A] * -> ?\n', "1: what is '[A]'"),
    ('Twice  [$N] * -> ?\n', "1: what is '[$N]'"),
    ('Twice  * * -> [$M]\n', "1: what is '[$M]'"),
    ('Twice  * * -> @M\n', "1: what is '@M'"),
    ('Twice  ? * -> ?\n', "1: what is '?'"),
    ('Twice  * * -> *\n', "1: what is '*'"),
    ('Twice  >x * -> ?\n', "1: what is '>x'"),
    ('Twice  * * -> ?\nTwice  * * -> ?\n', "2: a second rule of 'Twice'"),
]

BAD_KNOWN = [
    ('op A\n  shape same\n', "not one that is only known: 'A'"),
    ('op A\n  builder a\n', "not one that is only known: 'A'"),
    ('op A\n  in x: int32\n  reads x\n', "not one that is only known: 'A'"),
    ('op A\n  is stateful, blocks\n', "not one that is only known: 'A'"),
    ('op Twice\n', "op 'Twice' is in the other file too"),
    ('op A\n  in x: flaot\n', "2: unknown type 'flaot'"),
]


def run(program, folder, text, known='', rules=''):
  paths = [os.path.join(folder, n)
           for n in ('ops.def', 'known.def', 'shapes.def', 'table.c', 'ops.h', 'ops.c', 'grad.c')]
  for path, content in zip(paths, (text, known, rules)):
    with open(path, 'w') as file:
      file.write(content)
  done = subprocess.run([program] + paths, capture_output=True, text=True)
  outputs = []
  if done.returncode == 0:
    for path in paths[3:]:
      with open(path) as file:
        outputs.append(file.read())
  return done, outputs


def spelled(text):
  """Returns how the table writes a text."""
  return ','.join(str(ord(c)) for c in text) + ',0,'


def check_good(program, folder):
  done, outputs = run(program, folder, GOOD, KNOWN, RULES)
  if done.returncode != 0:
    return ['a good file is refused: ' + done.stderr]
  table, header, source, _ = outputs
  wanted = [
      (table, spelled('Twice')), (table, spelled('fast')), (table, '{9,}'),
      (table, '{19,1,}'), (table, '{1,2,}'), (table, '"a", "b", NULL'),
      (table, '{{"a", 1},{"", 0},}'), (table, '{true,false,}'),
      (table, '{(berth_dtype_t)3,(berth_dtype_t)1,}'), (table, '.f = -INFINITY'),
      (table, '{2,-1,}'), (table, '{{0, NULL},{-1, NULL},{1, ints_'),
      (table, 'elements_0[] = {255,0,};\nBERTH_TABLE_TENSOR(0, 4, 1, 2)'),
      (table, 'BERTH_TABLE_TENSOR(1, 3, 0, 1)'), (table, '{&tensor_1,}'),
      (table, 'berth_op_table_count = 2;'), (table, 'berth_op_known_count = 1;'),
      (table, 'berth_op_order[] = {\n0,2,1,}'), (table, spelled('Space>Op')),
      (table, spelled('[a,?] [] -> [a,3,$N]')), (table, spelled('* ->')),
      (table, 'berth_shape_fn_t berth_infer_broad;'), (table, 'berth_infer_broad,\nNULL,\n}'),
      (table, '{0, texts_'), (table, '{"-1", NULL}'), (table, '{0x800200, NULL, order_'),
      (header, 'berth_out_t berth_twice_over(berth_graph_t *graph, const char *name,'),
      (header, 'const berth_out_t *n, int n_count);'),
      (header, '#define BERTH_TWICE_OVER_ATTRS { NULL, 0, NULL,'),
      (header, '// Twice: x: T, n: N * Tidx -> y: Ref(T).'),
      (source, 'return berth_build_out(graph, name, 1, attrs, x, n, n_count);'),
  ]
  if 'space' in header.lower():
    return ['an op that is only known has a builder']
  return ['%r is missing' % text for where, text in wanted if text not in where]


def main():
  program, failures = sys.argv[1], []
  with tempfile.TemporaryDirectory() as folder:
    failures += check_good(program, folder)
    for text, message in BAD:
      done, _ = run(program, folder, text)
      if done.returncode != 1 or message not in done.stderr:
        failures.append('%r gives %d %r instead of %r' % (text, done.returncode, done.stderr, message))
    for text, message in BAD_KNOWN:
      done, _ = run(program, folder, GOOD, text)
      if done.returncode != 1 or message not in done.stderr:
        failures.append('%r gives %d %r instead of %r' % (text, done.returncode, done.stderr, message))
    for text, message in BAD_RULES:
      done, _ = run(program, folder, GOOD, KNOWN, text)
      if done.returncode != 1 or message not in done.stderr:
        failures.append('%r gives %d %r instead of %r' % (text, done.returncode, done.stderr, message))
    if subprocess.run([program], capture_output=True).returncode != 2:
      failures.append('no usage message')
  print('\n'.join(failures) or 'all fine')
  return 1 if failures else 0


if __name__ == '__main__':
  sys.exit(main())
