"""Writes random graphs and where TensorFlow places them.

    python random_placements.py SEED COUNT MAX_NODES > placements.txt

Needs tensorflow 2.21. Each case is

    graph hard|soft
    node NAME|OP|INPUTS|DEVICE|GROUPS
    ...
    placed
    NAME: (OP): DEVICE                 as TensorFlow logs it
    error TEXT                         if it fails

on four CPU devices. Lines of TEXT after the first begin with a tab.
"""

import ctypes
import os
import random
import sys
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
libc = ctypes.CDLL(None)
raw = tf.raw_ops

DEVICES = [
    '/device:CPU:0', '/device:CPU:1', '/device:CPU:2', '/device:CPU:3',
    '/device:GPU:0', '/device:GPU:1', '/device:CPU:*', '/job:localhost',
    '/task:0', '/job:localhost/device:CPU:2', '/replica:0/device:CPU:1',
    '/task:1', '/job:other',
]
KINDS = ['const', 'const', 'identity', 'identity', 'add', 'handle', 'read',
         'assign', 'variable', 'ref_assign', 'ref_read', 'shape', 'noop',
         'momentum', 'resource_identity']


def make_node(rng, kind, name, values, handles, refs):
  """Adds one node; falls back to simpler kinds while inputs are missing."""
  if kind == 'const' or not values:
    values.append(tf.constant([[1.0]], name=name))
    return values[-1]
  if kind == 'identity':
    values.append(raw.Identity(input=rng.choice(values), name=name))
    return values[-1]
  if kind == 'add':
    values.append(raw.AddV2(x=rng.choice(values), y=rng.choice(values),
                            name=name))
    return values[-1]
  if kind == 'handle':
    handles.append(raw.VarHandleOp(dtype=tf.float32, shape=[1, 1], name=name))
    return handles[-1]
  if kind == 'resource_identity' and handles:
    handles.append(raw.Identity(input=rng.choice(handles), name=name))
    return handles[-1]
  if kind == 'read' and handles:
    values.append(raw.ReadVariableOp(resource=rng.choice(handles),
                                     dtype=tf.float32, name=name))
    return values[-1]
  if kind == 'assign' and handles:
    return raw.AssignVariableOp(resource=rng.choice(handles),
                                value=rng.choice(values), name=name)
  if kind == 'variable':
    refs.append(raw.VariableV2(dtype=tf.float32, shape=[1, 1], name=name))
    return refs[-1]
  if kind == 'ref_assign' and refs:
    refs.append(raw.Assign(ref=rng.choice(refs), value=rng.choice(values),
                           name=name))
    return refs[-1]
  if kind == 'ref_read' and refs:
    values.append(raw.Identity(input=rng.choice(refs), name=name))
    return values[-1]
  if kind == 'shape':
    return raw.Shape(input=rng.choice(values), name=name)
  if kind == 'momentum' and len(handles) > 1:
    one = tf.constant(1.0, name=name + 'k')
    return raw.ResourceApplyMomentum(
        var=rng.choice(handles), accum=rng.choice(handles), lr=one,
        grad=rng.choice(values), momentum=one, name=name)
  return tf.no_op(name=name)


def ask(rng, graph, share):
  """Gives nodes devices and groups, whatever Python chose for them."""
  ops = graph.get_operations()
  for op in ops:
    op._set_device(rng.choice(DEVICES) if rng.random() < share else '')
    if '_class' in op.node_def.attr:
      op._clear_attr('_class')
    if rng.random() < share / 2:
      groups = sorted({rng.choice(ops).name if rng.random() < 0.9 else 'loose'
                       for _ in range(rng.randint(1, 2))})
      texts = [('loc:@' + group).encode() for group in groups]
      op._set_attr('_class', tf.AttrValue(list=tf.AttrValue.ListValue(s=texts)))


def build(rng, max_nodes):
  values, handles, refs, ops = [], [], [], []
  for i in range(rng.randint(3, max_nodes)):
    controls = [rng.choice(ops)] if ops and rng.random() < 0.15 else []
    with tf.control_dependencies(controls):
      made = make_node(rng, rng.choice(KINDS), 'n%d' % i, values, handles, refs)
    ops.append(made if isinstance(made, tf.Operation) else made.op)
  ask(rng, tf.get_default_graph(), rng.choice([0.15, 0.3, 0.5]))


def capture(run):
  """Returns what |run| writes to C's stdout."""
  with tempfile.TemporaryFile() as file:
    libc.fflush(None)
    saved = os.dup(1)
    os.dup2(file.fileno(), 1)
    try:
      run()
    finally:
      libc.fflush(None)
      os.dup2(saved, 1)
      os.close(saved)
    file.seek(0)
    return file.read().decode()


def place(graph, fetch, soft):
  config = tf.ConfigProto(allow_soft_placement=soft, device_count={'CPU': 4},
                          log_device_placement=True)
  error = []

  def run():
    try:
      with tf.Session(graph=graph, config=config) as session:
        session.run(fetch)
    except tf.errors.OpError as e:
      first = e.__context__ if isinstance(e.__context__, tf.errors.OpError) else e
      error.append('error ' + first.message.replace('\n', '\n\t') + '\n')

  return capture(run) + ''.join(error)


def main():
  rng = random.Random(int(sys.argv[1]))
  for _ in range(int(sys.argv[2])):
    graph = tf.Graph()
    with graph.as_default():
      build(rng, int(sys.argv[3]))
      fetch = tf.no_op(name='fetch')
      fetch._set_device('')
    soft = rng.random() < 0.5
    print('graph', 'soft' if soft else 'hard')
    for node in graph.as_graph_def().node:
      groups = ' '.join(s.decode()[5:] for s in node.attr['_class'].list.s)
      print('node %s|%s|%s|%s|%s' % (node.name, node.op, ' '.join(node.input),
                                     node.device, groups))
    print('placed')
    print(place(graph, fetch, soft), end='')
    sys.stdout.flush()


if __name__ == '__main__':
  main()
