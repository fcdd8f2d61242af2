"""Readers that several threads use: every record once, reads that wait, cancellation, closing."""

from __future__ import annotations

import threading
import time

import berth.compat.v1 as tf
import pytest


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def write_lines(folder, files, lines):
    names = []
    for i in range(files):
        path = folder / f'{i}.txt'
        path.write_text(''.join(f'{i}-{k}\n' for k in range(lines if i % 3 else 0)))
        names.append(str(path))
    return names


def in_threads(count, work):
    threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(count)]
    for thread in threads:
        thread.start()
    return threads


def join(threads):
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.parametrize('turn', range(25))
@pytest.mark.parametrize('up_to', [None, 7])
def test_every_record_is_read_once(tmp_path, up_to, turn):
    names = write_lines(tmp_path, 30, 50)
    queue = tf.FIFOQueue(3, [tf.string], shapes=[[]])
    name = tf.placeholder(tf.string, [])
    put, close = queue.enqueue(name), queue.close()
    reader = tf.TextLineReader()
    value = reader.read_up_to(queue, up_to).values if up_to else reader.read(queue).value
    counts = [reader.num_records_produced(), reader.num_work_units_completed()]
    found, lock = [], threading.Lock()
    with tf.Session() as sess:
        def take(_):
            run = sess.make_callable(value)
            while True:
                try:
                    got = run()
                except tf.errors.OutOfRangeError:
                    return
                with lock:
                    found.extend(got.tolist() if up_to else [got])

        threads = in_threads(6, take)
        for path in names:
            sess.run(put, {name: path})
        sess.run(close)
        join(threads)
        assert sess.run(counts) == [20 * 50, 30]
    assert sorted(found) == sorted(f'{i}-{k}'.encode() for i in range(30) if i % 3 for k in range(50))


def test_reads_wait_in_order_and_without_a_thread_of_the_filler(tmp_path):
    """Reads that wait for a name hold nothing that the enqueue needs."""
    names = write_lines(tmp_path, 2, 1)
    queue = tf.FIFOQueue(1, [tf.string], shapes=[[]])
    name = tf.placeholder(tf.string, [])
    put = queue.enqueue(name)
    read = tf.TextLineReader().read(queue).value
    found = []
    with tf.Session() as sess:
        threads = in_threads(3, lambda _: found.append(sess.run(read)))
        time.sleep(0.05)
        for _ in range(3):
            sess.run(put, {name: names[0]})  # Empty: the next one is asked for.
            sess.run(put, {name: names[1]})
        join(threads)
    assert found == [b'1-0'] * 3


def test_closing_the_session_ends_reads_that_wait():
    queue = tf.FIFOQueue(1, [tf.string], shapes=[[]])
    read = tf.WholeFileReader().read(queue)
    failed = []

    def take(_):
        try:
            sess.run(read)
        except tf.errors.CancelledError as error:
            failed.append(error)

    sess = tf.Session()
    threads = in_threads(4, take)
    time.sleep(0.05)
    sess.close()
    join(threads)
    assert len(failed) == 4


def test_a_deadline_ends_one_read_and_the_next_goes_on(tmp_path):
    (tmp_path / 'a').write_text('line')
    queue = tf.FIFOQueue(1, [tf.string], shapes=[[]])
    name = tf.placeholder(tf.string, [])
    put = queue.enqueue(name)
    read = tf.WholeFileReader().read(queue).value
    found = []
    with tf.Session() as sess:
        first = in_threads(1, lambda _: pytest.raises(
            tf.errors.DeadlineExceededError, sess.run, read, options=tf.RunOptions(timeout_in_ms=100)))
        time.sleep(0.02)
        second = in_threads(1, lambda _: found.append(sess.run(read)))
        join(first)
        sess.run(put, {name: str(tmp_path / 'a')})
        join(second)
    assert found == [b'line']


def test_a_reader_in_a_pipeline_stops_and_starts(tmp_path):
    """Runners are stopped while readers wait and queues are full, many times."""
    names = write_lines(tmp_path, 3, 20)
    files = tf.train.string_input_producer(names, shuffle=True, seed=3)
    line = tf.TextLineReader().read(files).value
    batch = tf.train.shuffle_batch([line], 4, 30, 8, num_threads=3)
    for _ in range(5):
        with tf.Session() as sess:
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            for _ in range(10):
                assert sess.run(batch).shape == (4,)
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=10)
            assert not any(thread.is_alive() for thread in threads)
