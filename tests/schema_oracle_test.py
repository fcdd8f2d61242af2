"""Compares Berth's op table with the registries recorded from TensorFlow.

usage: schema_oracle_test.py <schema_dump> <folder of op_registry.json>

Every op, argument, attribute, default, flag and registered kernel must be in
both. Standard library only.
"""
import itertools
import json
import os
import subprocess
import sys

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
      op['is'] = tuple(int(p) for p in parts)
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


def same_default(ours, attr):
  """True when the printed default |ours| is that of |attr|."""
  if 'default' not in attr:
    return ours == '-'
  value, kind = attr['default'], attr['type']
  if kind == 'float':
    return abs(float(ours) - value) <= 1e-7 * max(1.0, abs(value))
  if kind == 'bool':
    return ours == str(value).lower()
  if kind == 'type':
    return ours == 'DT_' + value.upper()
  if kind == 'shape':
    return ours == '<unknown>'
  if kind == 'tensor':  # Known to its kernel; see ops.def.
    return ours == '<Unknown AttrValue type>'
  if kind == 'string':
    return json.loads(ours) == value
  return ours.replace('"', '') == str(value).replace("'", '')


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


def expected_registrations(name, kernels):
  table = {}
  for kernel in kernels:
    key = (kernel['device'], kernel.get('priority', 0), kernel.get('label', ''),
           frozenset(kernel.get('host_memory', [])))
    if not kernel.get('types'):
      table.setdefault(key + ((),), set()).add(())
      continue
    for names, rows in kernel['types'].items():
      names = tuple(names.split('+'))
      for row in rows:
        parts = row.split(' ') if len(names) > 1 else [row]
        # The recording lost the format; TensorFlow registers NHWC alone.
        if name == 'SpaceToDepth' and len(parts) < len(names):
          parts.append('NHWC')
        table.setdefault(key + (names,), set()).update(
            itertools.product(*[p.split('|') for p in parts]))
  return table


def check(ours, registry, gpu, fail):
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
    flags += (want.get('deprecated', {}).get('version', 0),)
    if op['is'] != flags:
      fail(name, 'flags', op['is'], flags)
    kernels = expected_registrations(name, want['kernels'] + gpu.get(name, []))
    if op['regs'] != kernels:
      fail(name, 'registrations', op['regs'], kernels)


def main():
  program, folder = sys.argv[1:]
  with open(os.path.join(folder, 'op_registry.json')) as file:
    registry = json.load(file)['ops']
  with open(os.path.join(folder, 'gpu_kernels.json')) as file:
    gpu = json.load(file)['ops']
  failures = []

  def fail(name, what, ours, want):
    failures.append(name)
    print('%s: %s\n  ours %s\n  want %s' % (name, what, str(ours)[:500], str(want)[:500]))

  ours = read_dump(program)
  check(ours, registry, gpu, fail)
  print('%d ops compared, %d differences' % (len(ours), len(failures)))
  return 1 if failures or len(ours) < 400 else 0


if __name__ == '__main__':
  sys.exit(main())
