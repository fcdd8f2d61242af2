"""Compares Berth's op table with the registry recorded from TensorFlow.

usage: schema_oracle_test.py <schema_dump> <registry.txt>

Every op, argument, attribute, default, flag and registered kernel must be in
both. Standard library only.
"""
import itertools
import json
import math
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'tools/registry'))
import registry as recorded  # noqa: E402

OWN_OPS = {'BerthCallback'}  # Ops that TensorFlow does not have.
SEPARATOR = '\t'


def read_dump(program):
  ops, op = {}, None
  text = subprocess.run([program], check=True, capture_output=True, text=True).stdout
  for line in text.split('\n'):
    word, *parts = line.split(SEPARATOR)
    if word == 'op':
      op = ops[parts[0]] = {'in': [], 'out': [], 'attrs': [], 'is': None, 'regs': {}}
    elif word in ('in', 'out'):
      op[word].append(tuple(parts))
    elif word == 'attr':
      op['attrs'].append(tuple(parts))
    elif word == 'is':
      op['is'] = tuple(int(p) for p in parts[:5]) + tuple(parts[5:])
    elif word == 'reg':
      add_registration(op['regs'], *parts)
  return ops


def add_registration(table, device, priority, label, hosts, *constraints):
  """Adds every combination of types that a registration stands for."""
  names = tuple(c.split('=')[0] for c in constraints)
  values = [c.split('=')[1].split('|') for c in constraints]
  key = (device, int(priority), label, frozenset(hosts.split()), names)
  table.setdefault(key, set()).update(itertools.product(*values))


def expected_args(args):
  return [(a['name'], a.get('type', '-'), a.get('type_attr', '-'), a.get('type_list', '-'),
           a.get('number', '-'), str(int(a.get('ref', False)))) for a in args]


def print_default(kind, value):
  """The default |value| as Berth prints it; floats are left as numbers."""
  if kind.startswith('list('):
    return '[%s]' % ', '.join(print_default(kind[5:-1], v) for v in value)
  if kind == 'float':
    return value
  if kind == 'bool':
    return str(value).lower()
  if kind == 'type':
    return 'DT_' + value.upper()
  if kind == 'shape':
    return '<unknown>' if value == 'unknown' else str(value).replace(' ', '')
  if kind == 'tensor':  # "uint8[1, 2]" or "int32(1)".
    dtype, _, rest = value.replace('(', '[').partition('[')
    values = rest[:-1].split(', ')
    return 'Tensor<type: %s shape: [%s] values: %s>' % (
        dtype, len(values) if value.endswith(']') else '',
        ' '.join(values[:3]) + ('...' if len(values) > 3 else ''))
  return json.dumps(value) if kind == 'string' else str(value)


def same_default(ours, attr):
  """True when the printed default |ours| is that of |attr|."""
  if 'default' not in attr:
    return ours == '-'
  value, kind = attr['default'], attr['type']
  if kind == 'float':
    return float(ours) == value or math.isclose(float(ours), value, rel_tol=1e-7)
  if kind == 'list(float)':
    return all(math.isclose(float(o), v, rel_tol=1e-7)
               for o, v in zip(ours[1:-1].split(', '), value, strict=True)) if value else ours == '[]'
  return ours == print_default(kind, value)


def check_attrs(name, ours, attrs, fail):
  if [a[0] for a in ours] != list(attrs):
    fail(name, 'attributes', [a[0] for a in ours], list(attrs))
    return
  for (attr, kind, minimum, default, allowed), want in zip(ours, attrs.values()):
    if kind != want['type']:
      fail(name, attr, kind, want['type'])
    if minimum != str(want.get('min', '-')):
      fail(name, attr + ' minimum', minimum, want.get('min'))
    if not same_default(default, want):
      fail(name, attr + ' default', default, want.get('default'))
    values = [v.strip('"') for v in allowed.split()]
    if values != want.get('allowed', []):
      fail(name, attr + ' allowed', values, want.get('allowed'))


def expected_registrations(op):
  table = {}
  for kernel in op['kernels']:
    names, combinations = recorded.combinations(kernel)
    # TensorFlow refuses every node for a kernel that asks for an attribute which
    # the op does not have.
    if not set(names) <= set(op['attrs']):
      continue
    key = (kernel['device'], kernel.get('priority', 0), kernel.get('label', ''),
           frozenset(kernel.get('host_memory', [])), names)
    table.setdefault(key, set()).update(
        tuple(v.lower() if v in ('True', 'False') else v for v in c) for c in combinations)
  return table


def check(ours, registry, fail):
  if set(ours) - OWN_OPS != set(registry):
    fail('table', 'ops', sorted(set(ours) - OWN_OPS - set(registry)),
         sorted(set(registry) - set(ours)))
  for name, want in registry.items():
    op = ours.get(name)
    if op is None:
      continue
    for word, key in (('in', 'inputs'), ('out', 'outputs')):
      if op[word] != expected_args(want[key]):
        fail(name, key, op[word], expected_args(want[key]))
    check_attrs(name, op['attrs'], want['attrs'], fail)
    flags = tuple(int(want.get(f, False)) for f in (
        'is_stateful', 'is_commutative', 'is_aggregate', 'allows_uninitialized_input',
        'is_distributed_communication'))
    flags += tuple(map(str, want.get('deprecated', (0, ''))))
    if op['is'] != flags:
      fail(name, 'flags', op['is'], flags)
    kernels = expected_registrations(want)
    if op['regs'] != kernels:
      fail(name, 'registrations', op['regs'], kernels)


def main():
  program, path = sys.argv[1:]
  registry = recorded.read(path)
  failures = []

  def fail(name, what, ours, want):
    failures.append(name)
    print('%s: %s\n  ours %s\n  want %s' % (name, what, str(ours)[:500], str(want)[:500]))

  ours = read_dump(program)
  check(ours, registry, fail)
  print('%d ops compared, %d differences' % (len(ours), len(failures)))
  return 1 if failures or len(ours) < 1600 else 0


if __name__ == '__main__':
  sys.exit(main())
