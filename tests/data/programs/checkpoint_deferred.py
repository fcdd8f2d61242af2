import tempfile
import tensorflow as tf


def attempt(label, call):
    try:
        call()
        print(label, 'fine')
    except Exception as error:
        print(label, type(error).__name__, str(error).split('{')[0].split(': [')[0].split(' <')[0][:150])


class Layer(tf.Module):
    def build(self, size):
        self.w = tf.Variable(tf.ones([size]))
        self.inner = tf.Module()
        self.inner.b = tf.Variable(0.5)


folder = tempfile.mkdtemp()
first = Layer()
first.build(2)
first.w.assign([5., 6.])
first.inner.b.assign(7.)
optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
optimizer.apply_gradients([(tf.constant([1., 2.]), first.w)])
path = tf.train.Checkpoint(layer=first, optimizer=optimizer, extra=tf.Variable(3)).save(folder + '/c')

second, other = Layer(), tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
checkpoint = tf.train.Checkpoint(layer=second, optimizer=other)
status = checkpoint.restore(path)
attempt('early', status.assert_consumed)
attempt('existing', status.assert_existing_objects_matched)
attempt('nontrivial', status.assert_nontrivial_match)
second.build(2)
print(second.w.numpy(), second.inner.b.numpy(), int(checkpoint.save_counter))
other.apply_gradients([(tf.constant([1., 2.]), second.w)])
print(second.w.numpy(), other.get_slot(second.w, 'momentum').numpy())
attempt('extra is left', status.assert_consumed)
checkpoint.extra = tf.Variable(0)
print(checkpoint.extra.numpy())
attempt('all', status.assert_consumed)
second.more = tf.Variable(1.)
attempt('more', status.assert_consumed)
attempt('more', status.assert_existing_objects_matched)

third = Layer()
tf.train.Checkpoint(layer=third).restore(path).expect_partial()
third.build(2)
print(third.w.numpy())
nothing = tf.train.Checkpoint(layer=third).restore(None)
for name in ('assert_consumed', 'assert_existing_objects_matched', 'assert_nontrivial_match', 'run_restore_ops',
             'initialize_or_restore', 'expect_partial'):
    attempt(name, getattr(nothing, name))
attempt('empty', tf.train.Checkpoint().read(path).expect_partial().assert_nontrivial_match)
attempt('missing', lambda: tf.train.Checkpoint(layer=third).restore('/no/such/file'))
print(type(status).__name__, type(nothing).__name__)
