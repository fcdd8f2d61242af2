"""budget_worker - One of many processes that share a simulated card; driven by test_budget.py.

Each line on its input is one thing to do; each gets one line as its answer.
"""

import sys

import berth as tf
from berth import _core


def answer(text: object) -> None:
    print(text, flush=True)


def figures() -> str:
    """What the process holds by its own count, and at most since it began."""
    now = tf.memory.budget('GPU:0')
    return f'{now.pool + now.outside} {now.peak}'


def main() -> None:
    held: list = []
    for line in sys.stdin:
        word, _, rest = line.strip().partition(' ')
        if word == 'take':
            try:
                with tf.device('GPU:0'):
                    held.append(tf.zeros([int(rest), 1 << 18]))  # MiB
                answer('got')
            except tf.errors.ResourceExhaustedError:
                answer('full')
        elif word == 'drop':
            held.clear()
            answer('dropped')
        elif word == 'budget':
            tf.memory.budget('GPU:0', rest)
            answer('set')
        elif word == 'trim':
            answer(tf.memory.trim('GPU:0'))
        elif word == 'release':
            tf.memory.release('GPU:0')
            answer('released')
        elif word == 'stats':
            answer(_core.memory_stats('GPU:0')['pool_bytes'])
        elif word == 'figures':
            answer(figures())
        elif word == 'sum':
            answer(float(sum(tf.reduce_sum(one).numpy() for one in held)))


main()
