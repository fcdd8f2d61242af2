"""test_session_handles.py - Tensors stay in a session under handles, are fed by them, and go with them."""

from __future__ import annotations

import gc

import pytest

import berth

berth.mode(1)
import berth as tf  # noqa: E402

HOST = '/job:localhost/replica:0/task:0/device:CPU:0'


@pytest.fixture(name='made')
def fixture_made():
    """Yields a session, a placeholder, and a fetch that keeps its double."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        yield session, x, tf.get_session_handle(x * 2)


def test_a_handle_is_an_object_that_reads_and_deletes(made):
    """What is fetched reads its tensor, by itself and where it is fed, and deletes it once."""
    session, x, keep = made
    first, same = session.run([keep, keep], {x: [1, 2]})
    assert first is same and str(first) == first.handle == f'GetSessionHandle;0;{HOST}'
    named = session.run({'a': 'GetSessionHandle:0'}, {x: [5]})['a']
    assert named.handle == f'GetSessionHandle;1;{HOST}'
    assert first.eval().tolist() == [2, 4] and named.eval().tolist() == [10]
    assert session.run(x + 1, {x: first}).tolist() == [3, 5]
    first.delete()
    for call in (first.eval, first.delete):
        with pytest.raises(TypeError, match='Persistent tensor GetSessionHandle;0;.* may have already been deleted'):
            call()


def test_tensors_are_read_and_deleted_by_their_texts(made):
    """The nodes lie on the device that the text says; another type or session, or what is gone, is an error."""
    session, x, keep = made
    handle = session.run(keep, {x: [1, 2]}).get_raw_handle()
    holder, value = tf.get_session_tensor(handle, tf.float32)
    assert (holder.dtype, holder.device, value.device, value.shape.ndims) == (tf.string, HOST, HOST, None)
    assert session.run(value, {holder: handle}).tolist() == [2, 4]
    with pytest.raises(tf.errors.InternalError, match='Output 0 of type float does not match declared output type int'):
        wrong, other = tf.get_session_tensor(handle, tf.int32)
        session.run(other, {wrong: handle})
    with tf.Session() as another, pytest.raises(tf.errors.InvalidArgumentError, match='is not in the session store'):
        another.run(value, {holder: handle})
    gone, delete = tf.delete_session_tensor(handle)
    session.run(delete, {gone: handle})
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"The tensor with handle '{handle}' is not in the session"):
        session.run(value, {holder: handle})
    with pytest.raises(tf.errors.InvalidArgumentError, match='`handle` must be scalar'):
        session.run(value, {holder: [handle, handle]})
    with pytest.raises(TypeError, match='`data` must be of type Tensor.'):
        tf.get_session_handle([1.0])


def test_dead_handles_delete_their_tensors(made):
    """Ten at once: until then tensors stay."""
    session, x, keep = made
    handles = [session.run(keep, {x: [i]}) for i in range(10)]
    texts = [h.handle for h in handles]
    holder, value = tf.get_session_tensor(texts[0], tf.float32)
    del handles[1:]
    gc.collect()
    assert session.run(value, {holder: texts[9]}).tolist() == [18]
    del handles
    gc.collect()
    for text in texts:
        with pytest.raises(tf.errors.InvalidArgumentError, match='is not in the session store'):
            session.run(value, {holder: text})
