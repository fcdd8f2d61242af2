"""test_eager.py - Tensors, variables and functions where ops run at once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading

import pytest

os.environ.setdefault('BERTH_TF', '2')
np = pytest.importorskip('numpy')
tf = pytest.importorskip('berth')

if tf.mode() != 2:
    pytest.skip('these tests run as TF2', allow_module_level=True)


def test_values_are_private_and_views_are_not() -> None:
    x = tf.constant([1.0, 2.0])
    copy = x.numpy()
    copy[0] = 9.0
    assert x.numpy().tolist() == [1.0, 2.0]
    view = np.asarray(x)
    assert not view.flags.writeable
    assert view.tolist() == [1.0, 2.0]
    assert np.from_dlpack(x).tolist() == [1.0, 2.0]


def test_operators() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert (x @ x + 1).numpy().tolist() == [[8.0, 11.0], [16.0, 23.0]]
    assert (2 / x)[1, 0].numpy() == np.float32(2 / 3)
    assert (x == 2.0).numpy().tolist() == [[False, True], [False, False]]
    assert (x != None) is True  # noqa: E711
    with pytest.raises(TypeError, match='Tensor is unhashable'):
        hash(x)
    assert len({x.ref(): 1}) == 1


def test_printing() -> None:
    assert repr(tf.constant(1.5)) == '<tf.Tensor: shape=(), dtype=float32, numpy=1.5>'
    assert str(tf.constant(['a'])) == "tf.Tensor([b'a'], shape=(1,), dtype=string)"
    assert repr(tf.constant([[1], [2]])) == ('<tf.Tensor: shape=(2, 1), dtype=int32, numpy=\n'
                                             'array([[1],\n       [2]], dtype=int32)>')


@pytest.mark.parametrize('call, kind, text', [
    (lambda: tf.constant(1.5, dtype=tf.int32), TypeError, 'Cannot convert 1.5 to EagerTensor of dtype int32'),
    (lambda: tf.constant('a', dtype=tf.float32), TypeError, "Cannot convert 'a' to EagerTensor of dtype float"),
    (lambda: tf.constant(1.0).op, AttributeError, 'Tensor.op is undefined when eager execution is enabled.'),
    (lambda: len(tf.constant(1.0)), TypeError, 'Scalar tensor has no `len()`'),
    (lambda: tf.device(3).__enter__(), ValueError, "Expecting a string device name. Got <class 'int'>(3)"),
    (lambda: tf.Variable(), ValueError, 'The `initial_value` arg to `tf.Variable` must be specified except when you '
     'are not providing a `variable_def`. You provided neither.'),
])
def test_mistakes(call: object, kind: type, text: str) -> None:
    with pytest.raises(kind) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value) == text


@pytest.mark.parametrize('call, text', [
    (lambda: tf.reshape(tf.zeros([4]), [2**31 + 4]), 'the requested shape has 2147483652'),
    (lambda: tf.reduce_sum(tf.zeros([4]), axis=[2**32]), 'Invalid reduction dimension (4294967296 for input'),
])
def test_sizes_do_not_wrap_around(call: object, text: str) -> None:
    """What int32 does not hold is int64."""
    with pytest.raises(tf.errors.InvalidArgumentError, match=re.escape(text)):
        call()  # type: ignore[operator]


def test_variables() -> None:
    v = tf.Variable([1.0, 2.0], name='v')
    assert repr(v.assign_add([1.0, 1.0])) == (
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, numpy=array([2., 3.], dtype=float32)>")
    assert repr(v) == "<tf.Variable 'v:0' shape=(2,) dtype=float32, numpy=array([2., 3.], dtype=float32)>"
    assert (v * 2).numpy().tolist() == [4.0, 6.0]
    other = tf.Variable([9.0], name='v')
    assert v.numpy().tolist() == [2.0, 3.0] and other.numpy().tolist() == [9.0]


def test_functions_are_traced_once_for_each_kind() -> None:
    traced = []

    @tf.function
    def f(x: object, k: int = 2) -> object:
        traced.append(k)
        return x * k  # type: ignore[operator]

    assert [float(f(tf.constant(v))) for v in (1.0, 2.0)] == [2.0, 4.0]
    assert float(f(tf.constant(1.0), 3)) == 3.0
    assert f(tf.constant([1.0])).numpy().tolist() == [2.0]
    assert traced == [2, 3, 2] and f.experimental_get_tracing_count() == 3


def test_functions_change_variables() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def step(x: object) -> object:
        v.assign_add(x)
        return v * 10.0

    assert [float(step(tf.constant(2.0))) for _ in range(2)] == [30.0, 50.0]
    assert v.numpy() == 5.0


def test_signatures() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def total(x: object) -> object:
        return tf.reduce_sum(x)

    assert float(total([1.0, 2.0])) == 3.0
    with pytest.raises(TypeError, match='Can not cast TensorSpec'):
        total(tf.constant([[1.0]]))
    assert total.experimental_get_tracing_count() == 1


def test_functions_take_python_branches_unless_told_otherwise() -> None:
    @tf.function(autograph=False)
    def f(x: object) -> object:
        return x if x > 0 else -x  # type: ignore[operator]

    with pytest.raises(TypeError, match='Using a symbolic `tf.Tensor` as a Python `bool` is not allowed'):
        f(tf.constant(1.0))
    assert tf.function(f.python_function)(tf.constant(-1.0)).numpy() == 1.0


def test_device_scopes_belong_to_threads() -> None:
    seen = []
    with tf.device('/cpu:0'):
        thread = threading.Thread(target=lambda: seen.append(tf.constant(1.0).device))
        thread.start()
        thread.join()
    assert seen == ['/job:localhost/replica:0/task:0/device:CPU:0']


def test_seeds_repeat() -> None:
    tf.random.set_seed(7)
    first = [tf.random.uniform([2]).numpy().tolist() for _ in range(2)]
    tf.random.set_seed(7)
    assert [tf.random.uniform([2]).numpy().tolist() for _ in range(2)] == first
    assert first[0] != first[1]


def test_children_find_berth_by_tensorflows_name(tmp_path: object) -> None:
    script = tmp_path / 'parent.py'  # type: ignore[operator]
    script.write_text('import subprocess, sys\nsubprocess.run([sys.executable, "-c", '
                      '"import tensorflow as tf; print(tf.constant(2.0).numpy(), tf.__name__)"], check=True)\n')
    done = subprocess.run([sys.executable, '-m', 'berth', 'run', str(script)], text=True, capture_output=True)
    assert done.stdout == '2.0 tensorflow\n', done.stderr
