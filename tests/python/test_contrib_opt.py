"""test_contrib_opt.py - tf.contrib.opt: steps beside those that numpy takes by the papers' formulas."""

from __future__ import annotations

import pathlib

from script import run


def test_steps() -> None:
    """Optimisers take the steps of their formulas, on all of a variable and on some rows, of both kinds of variables."""
    run("""
import numpy as np
import berth as tf
opt = tf.contrib.opt
start, slope = np.float32([[1, 2], [3, 4], [5, 6]]), np.float32([[.5, -1], [0, 0], [2, .25]])
rows = [0, 2]
lr, b1, b2, eps = .1, .9, .999, 1e-8

def adam(x, m, v, g, t, touched, lazy=True):
    where = touched if lazy else slice(None)
    m[where] = b1 * m[where] + (1 - b1) * g[where]; v[where] = b2 * v[where] + (1 - b2) * g[where] ** 2
    rate = lr * np.sqrt(1 - b2 ** t) / (1 - b1 ** t)
    x[where] -= rate * m[where] / (np.sqrt(v[where]) + eps)
def nadam(x, m, v, g, t, touched):
    m[:] = b1 * m + (1 - b1) * g; v[:] = b2 * v + (1 - b2) * g ** 2
    rate = lr * np.sqrt(1 - b2 ** t) / (1 - b1 ** t)
    x[touched] -= (rate * (b1 * m + (1 - b1) * g) / (np.sqrt(v) + eps))[touched]
def adamax(x, m, v, g, t, touched):
    m[touched] = (b1 * m + (1 - b1) * g)[touched]; v[touched] = np.maximum(b2 * v, abs(g))[touched]
    x[touched] -= (lr / (1 - b1 ** t) * m / (v + eps))[touched]
def power(x, m, v, g, t, touched):
    m[:] = b1 * m + (1 - b1) * g
    x -= lr * np.exp(np.sign(m) * np.sign(g)) * g
def add(x, m, v, g, t, touched):
    m[:] = b1 * m + (1 - b1) * g
    x -= lr * (1 + np.sign(m) * np.sign(g)) * g
def adamw(x, m, v, g, t, touched):
    x -= .01 * x
    adam(x, m, v, g, t, touched, False)
def momentumw(x, m, v, g, t, touched):
    x -= .01 * x; m[:] = .9 * m + g; x -= lr * m
def decayed(x, m, v, g, t, touched):
    x -= .5 * x; x -= lr * g
cases = {opt.LazyAdamOptimizer(lr): adam, opt.NadamOptimizer(lr): nadam, opt.AdaMaxOptimizer(lr): adamax,
         opt.PowerSignOptimizer(lr): power, opt.AddSignOptimizer(lr): add, opt.AdamWOptimizer(.01, lr): adamw,
         opt.MomentumWOptimizer(.01, lr, .9): momentumw,
         opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)(.5, learning_rate=lr): decayed}
factors = [1., -2., .5]
for made, expected in cases.items():
    for is_resource in (False, True):
        for is_sparse in (False, True):
            with tf.Graph().as_default(), tf.Session() as session:
                x = tf.get_variable('x', initializer=start, use_resource=is_resource)
                factor = tf.placeholder(tf.float32, [])
                grad = factor * tf.constant(slope)
                touched = rows if is_sparse else [0, 1, 2]
                if is_sparse:  # One row comes in two parts, which are summed.
                    grad = tf.IndexedSlices(tf.gather(grad, [0, 2, 2]) * [[1.], [.25], [.75]], [0, 2, 2], [3, 2])
                step = type(made).__new__(type(made)); step.__dict__.update(made.__dict__)
                step._slots, step._non_slot_dict = {}, {}
                train = step.apply_gradients([(grad, x)])
                session.run(tf.global_variables_initializer())
                value, m, v = start.copy(), np.zeros_like(start), np.zeros_like(start)
                for t, by in enumerate(factors, 1):
                    session.run(train, {factor: by})
                    expected(value, m, v, slope * by, t, touched)
                found = session.run(x)
                assert np.allclose(found, value, atol=2e-6), (made.get_name(), is_resource, is_sparse, found, value)
""")


def test_names() -> None:
    """Variables are called as TensorFlow calls them; only the variables that are named decay; signs may matter less."""
    run("""
import numpy as np
import berth as tf
opt = tf.contrib.opt
x, y = (tf.get_variable(n, initializer=np.float32([1, 2])) for n in 'xy')
loss = tf.reduce_sum(x * 0. + y * 0.)
first = opt.AdaMaxOptimizer().minimize(loss, var_list=[x])
assert [v.op.name for v in tf.global_variables()] == ['x', 'y', 'beta1_power', 'x/AdaMax', 'x/AdaMax_1']
decays = opt.AdamWOptimizer(.5).minimize(loss, decay_var_list=[y])
step = tf.train.get_or_create_global_step()
signs = opt.AddSignOptimizer(1., sign_decay_fn=lambda at: 1 - tf.cast(at, tf.float32)).apply_gradients(
    [(tf.constant([1., 1.]), x)], global_step=step)
assert 'x/AddSignOptimizer' in [v.op.name for v in tf.global_variables()]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(decays)
    assert [v.tolist() for v in session.run([x, y])] == [[1, 2], [.5, 1]]
    for expected in ([-1, 0], [-2, -1]):
        session.run(signs)
        assert session.run(x).tolist() == expected, session.run(x)
""")


def test_wrappers(tmp_path: pathlib.Path) -> None:
    """Means are saved in the place of variables; slopes of zero leave all alone; slopes are shortened together."""
    run(f"""
path = {str(tmp_path / 'model')!r}
""" + """
import numpy as np
import berth as tf
opt = tf.contrib.opt
x = tf.get_variable('x', initializer=np.float32([1, 2]))
averaged = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(1.), average_decay=.5)
try: averaged.swapping_saver()
except RuntimeError as error: assert 'before creating the swapping_saver' in str(error)
else: raise AssertionError
step = averaged.minimize(tf.reduce_sum(x))
saver = averaged.swapping_saver()
fed = tf.placeholder(tf.float32, [2])
multi = opt.MultitaskOptimizerWrapper(tf.train.MomentumOptimizer(1., .5))
moved = multi.apply_gradients([(fed, x)])
short = opt.clip_gradients_by_global_norm([(tf.constant([3., 4.]), x), (None, x), (tf.constant([12.]), x)], 6.5)
assert short[1][0] is None and short[0][1] is x
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(step)
    saved = saver.save(session, path)
    assert session.run(x).tolist() == [0, 1]
    assert tf.train.load_variable(saved, 'x').tolist() == [.5, 1.5]
    assert tf.train.load_variable(saved, 'x/ExponentialMovingAverage').tolist() == [0, 1]
    session.run(moved, {fed: [1., 1.]}); assert session.run(x).tolist() == [-1, 0]
    session.run(moved, {fed: [0., 0.]}); assert session.run(x).tolist() == [-1, 0]
    session.run(moved, {fed: [0., 1.]}); assert session.run(x).tolist() == [-1.5, -1.5]
    assert [v.tolist() for v in session.run([short[0][0], short[2][0]])] == [[1.5, 2], [6]]
""")


def test_outside() -> None:
    """Something else finds where a loss is least; without SciPy its interface says what is missing."""
    run("""
import sys, types
import numpy as np
import berth as tf
a, b = tf.get_variable('a', initializer=np.float32(3)), tf.get_variable('b', initializer=np.float32([4, 5]))
target = tf.placeholder(tf.float32, [])
loss = tf.square(a - target) + tf.reduce_sum(tf.square(b + 1.))
class Descent(tf.contrib.opt.ExternalOptimizerInterface):
    def _minimize(self, initial_val, loss_grad_func, step_callback, optimizer_kwargs, equality_funcs, inequality_grad_funcs,
                  packed_bounds, **others):
        assert optimizer_kwargs == {'steps': 60} and packed_bounds == [(-np.inf, np.inf), (0, 9), (0, 8)]
        assert np.allclose(equality_funcs[0](initial_val), 3) and np.allclose(inequality_grad_funcs[0](initial_val), [0, 1, 1])
        low, high = np.array(packed_bounds).T
        for _ in range(optimizer_kwargs['steps']):
            initial_val = np.clip(initial_val - .3 * loss_grad_func(initial_val)[1], low, high)
            step_callback(initial_val)
        return initial_val
seen, steps = [], []
found = Descent(loss, equalities=[a], inequalities=[tf.reduce_sum(b)], var_to_bounds={b: ([0, 0], [9, 8])}, steps=60)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    found.minimize(session, {target: 7.}, fetches=[loss, a], loss_callback=lambda *v: seen.append(v),
                   step_callback=steps.append)
    assert np.allclose(session.run(a), 7) and session.run(b).tolist() == [0, 0]
    assert seen[0] == (16 + 25 + 36, 3) and len(seen) == len(steps) == 60
    sys.modules['scipy'] = None
    scipy = tf.contrib.opt.ScipyOptimizerInterface(loss, [a], method='BFGS', options={'maxiter': 3})
    try: scipy.minimize(session, {target: 1.})
    except ImportError as error: assert 'needs the package scipy' in str(error)
    else: raise AssertionError
    def minimize(function, start, **arguments):
        value, slope = function(start)
        assert slope.dtype == np.float64 and arguments == {
            'jac': True, 'callback': arguments['callback'], 'method': 'BFGS', 'constraints': [], 'bounds': None,
            'options': {'maxiter': 3}}
        return types.SimpleNamespace(x=start - slope / 2, message='done', fun=value, nit=1, nfev=1)
    sys.modules['scipy'] = types.ModuleType('scipy')
    sys.modules['scipy.optimize'] = sys.modules['scipy'].optimize = types.ModuleType('scipy.optimize')
    sys.modules['scipy.optimize'].minimize = minimize
    scipy.minimize(session, {target: 1.})
    assert np.allclose(session.run(a), 1)
""")
