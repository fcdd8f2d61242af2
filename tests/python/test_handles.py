"""test_handles.py - Variables on one device, used under another: ops go where the variable is."""

from __future__ import annotations

import pytest

from script import run

SHOW = """
import berth as tf
TWO = {two}
if not TWO:
    cpu = tf.config.list_physical_devices('CPU')[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 3)
HOME, OTHER, HERE = ('/GPU:0', '/GPU:1', '/CPU:0') if TWO else ('/CPU:1', '/CPU:2', '/CPU:0')
def short(name): return '/' + name.rpartition('/device:')[2]
def places(work):
    made = []
    for scope in (None, HERE, HOME, OTHER):
        with tf.device(scope): made.append(short(work().device))
    return made
with tf.device(HOME): v = tf.Variable([1.0, 2.0])
"""
CARDS = {"BERTH_SIMULATE_GPUS": "Tesla K20m*2", "CUDA_VISIBLE_DEVICES": "0,1"}


def show(code: str, gpus: bool) -> str:
    """Runs |code| where there are two GPUs, or three CPUs."""
    return run(SHOW.format(two=gpus) + code, "2", **(CARDS if gpus else {}))


@pytest.mark.parametrize("gpus", [False, True])
@pytest.mark.parametrize("work", [
    "v.value()", "v.assign([3.0, 4.0])", "v.assign_add([1.0, 1.0])", "v.assign_sub([1.0, 1.0])",
    "v.is_initialized()", "tf.raw_ops.VariableShape(input=v.handle)",
    "tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32)",
    "tf.raw_ops.ReadVariableOp(resource=tf.identity(v.handle), dtype=tf.float32)",
    "tf.identity(v.handle)"])
def test_ops_follow_the_handle(work: str, gpus: bool) -> None:
    """What takes the handle runs, and gives, where the variable is."""
    assert show(f"print(places(lambda: {work}) == [HOME] * 4)", gpus) == "True\n"


@pytest.mark.parametrize("gpus", [False, True])
@pytest.mark.parametrize("work", ["v.read_value()", "v + 1", "tf.identity(v)", "tf.add(v, v)", "f()", "a(v)"])
def test_values_come_to_the_scope(work: str, gpus: bool) -> None:
    """What takes the value runs where the scope says, as in TensorFlow."""
    assert show(f"""
@tf.function
def f(): return v + 1
@tf.function
def a(x): return x + 1
best = '/GPU:0' if TWO else HERE
print(places(lambda: {work}) == [best, HERE, HOME, OTHER])
""", gpus) == "True\n"


@pytest.mark.parametrize("gpus", [False, True])
def test_values_are_right_everywhere(gpus: bool) -> None:
    """Reads and changes under every scope see one variable."""
    assert show("""
@tf.function
def change(x):
    v.assign_add(x)
    with tf.device(OTHER): v.assign_add(x)
    return v + 0.0
number = tf.Variable(3)
wanted = [1.0, 2.0]
for scope in (None, HERE, HOME, OTHER):
    with tf.device(scope):
        v.assign_add([1.0, 1.0])
        v.assign_sub([3.0, 3.0])
        wanted = [x - 2 for x in wanted]
        assert v.numpy().tolist() == (v + 0).numpy().tolist() == wanted, scope
        assert change(tf.constant([1.0, 2.0])).numpy().tolist() == [wanted[0] + 2, wanted[1] + 4], scope
        v.assign(tf.constant([5.0, 6.0]) * 2.0)
        wanted = [10.0, 12.0]
        assert v.read_value().numpy().tolist() == wanted
        number.assign_add(2)
        inner = tf.Variable(number + 1)
        assert int(inner) == int(number) + 1
        whole = tf.Variable(tf.constant([1, 2]))
    with tf.device(HERE): assert whole.assign_add([1, 1]).numpy().tolist() == [2, 3]
    with tf.device(OTHER): assert (whole + 1).numpy().tolist() == [3, 4]
print(int(number))
""", gpus) == "11\n"


def test_a_variable_of_the_host_is_used_where_there_is_a_gpu() -> None:
    """Without a scope, too: ops that would go to a GPU go to the variable."""
    assert show("""
with tf.device(HERE): w = tf.Variable([1.0, 2.0])
print(short(w.value().device), short(w.assign_add([1.0, 1.0]).device), short((w + 1).device), w.numpy())
""", True) == "/CPU:0 /CPU:0 /GPU:0 [2. 3.]\n"


@pytest.mark.parametrize("gpus", [False, True])
def test_copies_are_variables_of_their_own(gpus: bool) -> None:
    """A deep copy, or one from a value, is on the device in force and shares nothing."""
    assert show("""
import copy
with tf.device(OTHER): w = tf.Variable(v)
twin = copy.deepcopy(v)
v.assign([8.0, 9.0])
print(short(w.device) == OTHER, w.numpy(), twin.numpy(), v.numpy())
""", gpus) == "True [1. 2.] [1. 2.] [8. 9.]\n"


def test_results_belong_to_the_device_of_their_kernel() -> None:
    """Whatever memory they lie in, in a scope or not, by the short way and the long one."""
    assert show("""
def where(*tensors): print(*[f'{short(t.device)} in {short(t.backing_device)}' for t in tensors])
with tf.device('/GPU:1'): x = tf.constant([[1.0, 2.0]])
where(tf.shape(x), tf.shape_n([x, x])[1], tf.shape(x) + 1, tf.identity(tf.constant([1])), tf.raw_ops.Shape(input=x))
with tf.device('/GPU:1'): where(tf.shape(x), tf.shape(x, name='s'), tf.strings.as_string(tf.constant([1])))
with tf.device('/CPU:0'): where(tf.shape(x), x + 1.0)
where(tf.reduce_sum(tf.constant([1, 2])), tf.constant([1, 2]), tf.strings.upper('a'), v.read_value())
""", True) == """\
/GPU:0 in /CPU:0 /GPU:0 in /CPU:0 /GPU:0 in /CPU:0 /GPU:0 in /CPU:0 /GPU:0 in /CPU:0
/GPU:1 in /CPU:0 /GPU:1 in /CPU:0 /CPU:0 in /CPU:0
/CPU:0 in /CPU:0 /CPU:0 in /CPU:0
/GPU:0 in /CPU:0 /CPU:0 in /CPU:0 /CPU:0 in /CPU:0 /GPU:0 in /GPU:0
"""
