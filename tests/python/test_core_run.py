"""test_core_run.py - berth._core: sessions, runners, eager calls, tensors."""

import gc
import signal
import sys
import threading
import time

import numpy as np
import pytest

from berth import _core as core
from berth.framework import errors

errors.install(core)

X = np.arange(6, dtype=np.float32).reshape(2, 3)
Y = X.reshape(3, 2)


class Product:
    """A fed product, its session, and refs to what is in it."""

    def __init__(self):
        self.graph = core.Graph()
        a = self.graph.op('Placeholder', 'a', attrs={'dtype': 1, 'shape': [2, 3]})
        b = self.graph.op('Placeholder', 'b', attrs={'dtype': 1, 'shape': None})
        c = self.graph.op('MatMul', 'c', [(a, 0), (b, 0)])
        self.a, self.b, self.c = (core.Ref(self, n, 0) for n in (a, b, c))
        self.op = core.Ref(self, c)
        self.session = core.Session(self.graph)
        self.feeds = {self.a: X, self.b: Y}


@pytest.fixture
def product():
    return Product()


def test_a_run_gives_arrays(product):
    (result,) = product.session.run([product.c], (), product.feeds)
    assert result.dtype == np.float32 and (result == X @ Y).all() and result.flags.writeable
    pairs = [((0, 0), X.tolist()), ((1, 0), Y.astype(np.float64).T.copy().T)]
    assert (product.session.run([(2, 0)], [2], pairs)[0] == X @ Y).all()
    assert product.session.run([], [product.op], product.feeds) == []


def test_scalars_and_strings_are_numpys(product):
    graph = product.graph
    one = graph.op('Const', None, (), {'dtype': 3, 'value': core.Tensor(np.int32(7))})
    text = graph.op('Const', None, (), {'dtype': 7, 'value': core.Tensor.from_strings(['a', b'\xff'], [2])})
    number, strings = product.session.run([(one, 0), (text, 0)])
    assert isinstance(number, np.int32) and number == 7
    assert strings.dtype == object and strings.tolist() == [b'a', b'\xff']
    fed = graph.op('Placeholder', None, attrs={'dtype': 7, 'shape': None})
    same = graph.op('Identity', None, [(fed, 0)])
    for value in (np.array(['ab', 'c']), np.array([b'ab', b'c']), np.array(['ab', b'c'], object)):
        assert product.session.run([(same, 0)], (), {(fed, 0): value})[0].tolist() == [b'ab', b'c']


def test_large_memory_is_handed_over_and_never_shared(product):
    graph = product.graph
    fed = graph.op('Placeholder', None, attrs={'dtype': 1, 'shape': None})
    twice = graph.op('AddV2', None, [(fed, 0), (fed, 0)])
    same = graph.op('Identity', None, [(fed, 0)])
    big = np.ones((300, 300), np.float32)
    doubled, copied = product.session.run([(twice, 0), (same, 0)], (), {(fed, 0): big})
    assert not isinstance(doubled.base, np.ndarray) and doubled.base is not None
    assert not np.shares_memory(copied, big)
    doubled += 1
    copied += 1
    again = product.session.run([(twice, 0), (same, 0)], (), {(fed, 0): big})
    assert (again[0] == 2).all() and (again[1] == 1).all() and (doubled == 3).all()
    count = sys.getrefcount(big)
    product.session.run([(twice, 0)], (), {(fed, 0): big})
    assert sys.getrefcount(big) == count


@pytest.mark.parametrize('run, error', [
    (lambda p: p.session.run([p.c]), errors.OpError),
    (lambda p: p.session.run([(99, 0)]), errors.OpError),
    (lambda p: p.session.run([(0, 0)], (), {(99, 0): X}), IndexError),
    (lambda p: p.session.run('ab'), TypeError),
    (lambda p: p.session.run([p.c], (), [1]), TypeError),
    (lambda p: p.session.run([p.c], (), {p.a: 'text', p.b: Y}), ValueError),
    (lambda p: p.session.run([p.c], (), {p.a: X, p.b: X}), errors.OpError),
])
def test_mistakes_in_a_run(product, run, error):
    with pytest.raises(error):
        run(product)
    assert (product.session.run([product.c], (), product.feeds)[0] == X @ Y).all()


def test_errors_are_of_the_class_that_was_set(product):
    class Mine(Exception):
        """As Python's: node, operation, text."""

    try:
        core.set_error_class(3, Mine)
        with pytest.raises(Mine) as info:
            product.session.run([product.c], (), {product.a: X})
        assert info.value.args[:2] == (None, None)
        assert 'b' in info.value.args[2]
    finally:
        errors.install(core)
    with pytest.raises(ValueError):
        core.set_error_class(99, Mine)


def test_a_runner_does_what_is_usual_and_leaves_the_rest(product):
    left = []

    def slow(*args, **kwargs):
        left.append((args, kwargs))
        return 'slow'

    run = core.Runner(product.session, product, slow)
    wanted = (X @ Y).tolist()
    assert run(product.c, product.feeds).tolist() == wanted
    assert run(product.op, feed_dict=product.feeds) is None
    listed = run([product.c, product.op, product.c], feed_dict=product.feeds)
    assert listed[0].tolist() == listed[2].tolist() == wanted and listed[1] is None
    assert run((product.c,), product.feeds, None, run_metadata=None)[0].tolist() == wanted
    assert left == []
    other = core.Ref('another graph', 2, 0)
    special = core.Ref(product, 2, 0)
    special._special = True
    unusual = [([],), ({'x': product.c, 'y': None}, product.feeds), (other, product.feeds), (special, product.feeds),
               ('c:0',), (product.c, {product.a: X, product.b: Y.astype(np.complex64)}),
               (product.c, {product.a: Y, product.b: Y}), (product.c, {product.a: [[1, 2, 3], [4]], product.b: Y}),
               (product.a, product.feeds), (product.c, product.feeds, 'options')]
    assert [run(*args) for args in unusual] == ['slow'] * len(unusual)
    assert [args for args, _ in left] == unusual
    with pytest.raises(TypeError):
        run(product.c, feeds={})
    run.close()
    assert run(product.c, product.feeds) == 'slow'


def test_a_runner_takes_numbers(product):
    fed = product.graph.op('Placeholder', None, attrs={'dtype': 1, 'shape': []})
    twice = product.graph.op('AddV2', None, [(fed, 0), (fed, 0)])
    key, fetch = core.Ref(product, fed, 0), core.Ref(product, twice, 0)
    run = core.Runner(product.session, product, lambda *args: 'slow')
    for value, wanted in ((1.5, 3), (np.float32(2), 4), (np.array(3, np.float32), 6), (1, 2), (True, 2),
                          (np.float64(1), 2), (np.int32(1), 2)):
        found = run(fetch, {key: value})
        assert isinstance(found, np.float32) and found == wanted
    for value in ('1', None, 1e300, 10**400, np.ones(1, np.float32)):
        assert run(fetch, {key: value}) == 'slow'
    assert run(product.c, {product.a: 1.5, product.b: Y}) == 'slow'


def test_what_a_runner_raises_goes_through_python(product):
    def failed(error):
        return KeyError(error)

    run = core.Runner(product.session, product, None, failed)
    with pytest.raises(KeyError):
        run(product.c, {product.a: X})


def test_callables_and_partial_runs(product):
    call = product.session.make_callable([product.a, product.b], [product.c])
    assert (call(X, Y)[0] == X @ Y).all() and (call(X + 1, Y.tolist())[0] == (X + 1) @ Y).all()
    with pytest.raises(TypeError):
        call(X)
    partial = product.session.partial_setup([product.a, product.b], [product.c])
    assert partial.run([], {product.a: X}) == []
    assert (partial.run([product.c], {product.b: Y})[0] == X @ Y).all()


def test_options_and_metadata(product):
    results, metadata = product.session.run_with(b'', [product.c], (), product.feeds)
    assert (results[0] == X @ Y).all() and isinstance(metadata, bytes)
    traced = product.session.run_with(b'\x08\x03', [product.c], (), product.feeds)[1]
    assert b'MatMul' in traced
    assert product.session.list_devices()[0].endswith('/device:CPU:0')
    assert product.session.placement(product.c)[0].endswith('/device:CPU:0')


def test_closed_sessions_refuse(product):
    product.session.close()
    with pytest.raises(errors.OpError, match='closed'):
        product.session.run([product.c], (), product.feeds)


def test_threads_share_a_session(product):
    wrong = []

    def work(seed):
        mine = X + seed
        for _ in range(300):
            if not (product.session.run([product.c], (), {product.a: mine, product.b: Y})[0] == mine @ Y).all():
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_closing_ends_the_runs_of_others():
    graph = core.Graph()
    queue = graph.op('FIFOQueueV2', None, (), {'component_types': [1]})
    item = graph.op('QueueDequeueV2', None, [(queue, 0)], {'component_types': [1]})
    session = core.Session(graph)
    ended = []

    def wait():
        try:
            session.run([(item, 0)])
        except Exception as error:  # Whatever class is set for CANCELLED.
            ended.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.1)
    session.close()
    thread.join(10)
    assert len(ended) == 1


def test_a_signal_stops_a_run():
    graph = core.Graph()
    queue = graph.op('FIFOQueueV2', None, (), {'component_types': [1]})
    item = graph.op('QueueDequeueV2', None, [(queue, 0)], {'component_types': [1]})
    session = core.Session(graph)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            session.run([(item, 0)])
    finally:
        signal.signal(signal.SIGALRM, before)


def test_callbacks_are_called_and_may_fail(product):
    graph = product.graph
    node = graph.op('BerthCallback', None, [[product.a]], {'token': 'core_run', 'Tin': [1], 'Tout': [1, 3]})
    core.register_callback('core_run', lambda inputs: (inputs[0].numpy() * 2, np.int32(len(inputs))))
    doubled, count = product.session.run([(node, 0), (node, 1)], (), product.feeds)
    assert (doubled == 2 * X).all() and count == 1

    def fail(inputs):
        raise ValueError('no such thing')

    core.register_callback('core_run', fail)
    with pytest.raises(Exception, match='ValueError: no such thing'):
        product.session.run([(node, 0)], (), product.feeds)
    core.register_callback('core_run', None)


def test_eager_calls():
    context = core.Context()
    a, b = core.Tensor(X), core.Tensor(Y)
    (c,) = context.call('MatMul', None, (a, b))
    assert (c.numpy() == X @ Y).all() and c.device.endswith('CPU:0')
    for _ in range(2):
        assert (context.call('MatMul', None, (a, a), {'transpose_b': True})[0].numpy() == X @ X.T).all()
        assert (context.call('MatMul', None, (a, a), {'transpose_a': True})[0].numpy() == X.T @ X).all()
    described = core.Description('ConcatV2', {'N': 2})
    axis = core.Tensor(np.int32(0))
    assert context.call(described, None, ([a, a], axis))[0].shape == (4, 3)
    with pytest.raises(Exception):
        context.call('MatMul', None, (a, a))
    with pytest.raises(TypeError):
        context.call('MatMul', None, (a, X))
    assert context.copy(a, 'CPU:0').shape == (2, 3) and context.devices == [a.device]


def test_eager_results_are_of_the_class_asked_for():
    class Mine(core.Tensor):
        __slots__ = ()

    context = core.Context(None, Mine)
    assert type(context.call('Neg', None, (core.Tensor(X),))[0]) is Mine
    with pytest.raises(TypeError):
        core.Context(None, int)


def test_tensors_are_read_only_buffers():
    tensor = core.Tensor(X)
    assert (tensor.dtype, tensor.shape, tensor.nbytes) == (1, (2, 3), 24)
    view = memoryview(tensor)
    assert view.readonly and view.format == 'f' and view.tolist() == X.tolist()
    assert not np.asarray(tensor).flags.writeable
    own = tensor.numpy()
    own[:] = 0
    assert (tensor.numpy() == X).all()
    assert tensor.reshape([3, 2]).numpy().tolist() == Y.tolist()
    assert core.Tensor.from_buffer(X.tobytes(), 1, [6]).numpy().tolist() == list(range(6))
    assert core.Tensor.from_proto(tensor.to_proto()).numpy().tolist() == X.tolist()
    assert tensor.format() == '[[0. 1. 2.]\n [3. 4. 5.]]'
    with pytest.raises(ValueError):
        core.Tensor.from_buffer(b'123', 1, [1])
    with pytest.raises(BufferError):
        memoryview(core.Tensor.from_strings(['a'], [1]))


@pytest.mark.parametrize('dtype', 'f4 f8 i4 u1 i2 i1 c8 i8 b1 u2 c16 f2 u4 u8'.split())
def test_every_type_comes_back_as_it_was(dtype):
    value = np.array([[0, 1], [1, 0]]).astype(dtype)
    assert core.Tensor(value).numpy().dtype == value.dtype
    assert (core.Tensor(value.T).numpy() == value.T).all()
    assert (core.Tensor(value.astype(value.dtype.newbyteorder())).numpy() == value).all()


def test_dlpack_goes_both_ways():
    tensor = core.Tensor(X)
    shared = np.from_dlpack(tensor)
    assert tensor.__dlpack_device__() == (1, 0) and not shared.flags.writeable
    del tensor
    gc.collect()
    assert (shared == X).all()
    source = np.arange(1000.0)
    borrowed = core.Tensor.from_dlpack(source)
    source[0] = 5
    assert borrowed.numpy()[0] == 5
    count = sys.getrefcount(source)
    del borrowed
    assert sys.getrefcount(source) == count - 1
    with pytest.raises(BufferError, match='row by row'):
        core.Tensor.from_dlpack(np.ones((3, 3)).T[::2])


def test_devices_and_names():
    cpu = core.devices()[0]
    assert cpu['type'] == 'CPU' and cpu['name'].endswith('/device:CPU:0')
    assert core.memory_stats('CPU:0')['bytes_in_use'] >= 0
    assert core.complete_name('/gpu:1').endswith('/device:GPU:1')
    assert core.check_name('/gpu:0') and not core.check_name('gpu:0')
    with pytest.raises(Exception, match='unknown device'):
        core.memory_stats('GPU:77')
