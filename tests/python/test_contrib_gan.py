"""test_contrib_gan.py - tf.contrib.gan: losses beside numpy's, and two networks that are trained against each other."""

from __future__ import annotations

import pathlib

from script import run


def test_losses() -> None:
    """Losses are what their formulas say, of numbers and of a model; what regularises is added to the right one."""
    run("""
import numpy as np
import berth as tf
gan = tf.contrib.gan
w = gan.losses.wargs
real, made = np.float32([[1.], [-2.]]), np.float32([[.5], [3.]])
r, g = tf.constant(real), tf.constant(made)
soft = lambda x: np.log1p(np.exp(x))
with tf.Session() as session:
    for found, expected in (
            (w.wasserstein_generator_loss(g), -made.mean()),
            (w.wasserstein_discriminator_loss(r, g), made.mean() - real.mean()),
            (w.minimax_generator_loss(g), -soft(made).mean()),
            (w.minimax_discriminator_loss(r, g), (soft(-real) + .125 * real).mean() + soft(made).mean()),
            (w.minimax_discriminator_loss(r, g, label_smoothing=0), soft(-real).mean() + soft(made).mean()),
            (w.modified_generator_loss(g), soft(-made).mean()),
            (w.least_squares_generator_loss(g, real_label=2.), ((made - 2) ** 2).mean() / 2),
            (w.least_squares_discriminator_loss(r, g), (((real - 1) ** 2).mean() + (made ** 2).mean()) / 2)):
        assert np.isclose(session.run(found), expected, atol=1e-5), (found, session.run(found), expected)
    assert len(tf.losses.get_losses()) == 8
def generator(noise): return tf.layers.dense(noise, 2, use_bias=False, name='g')
def judge(data, noise):
    return tf.layers.dense(data, 1, name='d', kernel_initializer=tf.constant_initializer([[3.], [4.]]),
                           kernel_regularizer=tf.contrib.layers.l2_regularizer(2.))
model = gan.gan_model(generator, judge, np.ones([5, 2], np.float32), tf.random_normal([5, 3]))
assert [v.op.name for v in model.generator_variables + model.discriminator_variables] == [
    'Generator/g/kernel', 'Discriminator/d/kernel', 'Discriminator/d/bias']
plain = gan.gan_loss(model)
strict = gan.gan_loss(model, gradient_penalty_weight=10., add_summaries=False)
double = gan.losses.least_squares_generator_loss(model)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    outs = session.run([model.discriminator_real_outputs, model.discriminator_gen_outputs, *plain, double,
                        strict.discriminator_loss])
    assert np.isclose(outs[2], -outs[1].mean(), atol=1e-4) and np.isclose(outs[4], ((outs[1] - 1) ** 2).mean() / 2, atol=1e-4)
    # The kernel costs 2 * 25 / 2; the slope of the judge is (3, 4), of length 5.
    penalty = outs[3] - (outs[1].mean() - outs[0].mean())
    assert np.isclose(penalty, 25, atol=1e-3), penalty
    assert np.isclose(outs[5] - outs[3], 10 * (5 - 1) ** 2, atol=1e-3), outs[5] - outs[3]
try: gan.gan_model(generator, judge, np.ones([5, 2], np.float32), tf.zeros([4, 3]), 'G', 'D')
except ValueError as error: assert 'must be the same shape as real data' in str(error)
else: raise AssertionError
try: gan.gan_loss(model, aux_cond_generator_weight=1.)
except NotImplementedError as error: assert 'aux_cond_generator_weight' in str(error)
else: raise AssertionError
""")


def test_training(tmp_path: pathlib.Path) -> None:
    """What is made comes near data; steps are counted once for both; an update that belongs to none is refused."""
    run(f"""
folder = {str(tmp_path)!r}
""" + """
import numpy as np
import berth as tf
gan = tf.contrib.gan
tf.set_random_seed(1)
def generator(noise): return noise + tf.get_variable('shift', initializer=0.)
def judge(data, _):
    return tf.layers.dense(data, 1, kernel_initializer=tf.constant_initializer(.1))
model = gan.gan_model(generator, judge, tf.random_normal([64, 1], mean=3., seed=3), tf.random_normal([64, 1], seed=4))
loss = gan.gan_loss(model, gan.losses.least_squares_generator_loss, gan.losses.least_squares_discriminator_loss)
ops = gan.gan_train_ops(model, loss, tf.train.GradientDescentOptimizer(.05), tf.train.GradientDescentOptimizer(.05))
runs = []
class Count(tf.train.SessionRunHook):
    def before_run(self, context): runs.append(1)
last = gan.gan_train(ops, folder, hooks=[tf.train.StopAtStepHook(400), Count()], save_summaries_steps=100)
assert last == 400 == len(runs)
shift = tf.train.load_variable(folder, 'Generator/shift')
assert 2. < shift < 4., shift
both = gan.get_joint_train_hooks(gan.GANTrainSteps(1, 3))(ops)
assert [hook._count for hook in both] == [1, 0, 2] and all(isinstance(hook, gan.RunTrainOpsHook) for hook in both)
with tf.Graph().as_default():
    model = gan.gan_model(generator, judge, tf.zeros([2, 1]), tf.zeros([2, 1]))
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.no_op(name='lost'))
    optimizer = tf.train.GradientDescentOptimizer(1.)
    try: gan.gan_train_ops(model, gan.gan_loss(model), optimizer, optimizer)
    except ValueError as error: assert "There are unused update ops: ['lost']" in str(error), error
    else: raise AssertionError
""")
