"""live_model - What settings of GPUs lead to, in a few lines; test_live.py compares Berth with it.

`python live_model.py SEED STEPS` makes random changes while tensors live, and prints "the same".
"""

import random
import sys

CARDS = 3
SLACK = 8  # MiB of each limit that is for the numbers that ops are given.


def numbers(wanted: list[int], there: dict[int, int], held: dict[int, list[int]]) -> list[int]:
    """Returns the numbers of GPUs on the cards |wanted|, or raises RuntimeError.

    GPUs that hold something keep their number; the others get their place, or the least that is free.
    """
    found: dict[int, int] = {}
    for number in sorted(there):
        if not held.get(number):
            continue
        places = [i for i, card in enumerate(wanted) if card == there[number] and i not in found]
        if not places:
            raise RuntimeError(f'GPU:{number} cannot be removed')
        found[number if number in places else places[0]] = number
    taken = set(found.values())
    for place in range(len(wanted)):
        if place in found:
            continue
        number = place if place not in taken else next(n for n in range(99) if n not in taken)
        found[place] = number
        taken.add(number)
    return [found[i] for i in range(len(wanted))]


class Model:
    """Cards, what is visible, how they are divided, and what is held; MiB."""

    def __init__(self) -> None:
        self.visible = list(range(CARDS))
        self.parts: dict[int, list[int]] = {}
        self.gpus = {i: i for i in range(CARDS)}  # Card by number.
        self.limits: dict[int, int] = {}  # By number, where there is one.
        self.held: dict[int, list[int]] = {}

    def change(self, visible: list[int], parts: dict[int, list[int]]) -> None:
        """Makes the GPUs those that are asked for, or raises RuntimeError and changes nothing."""
        if (visible, parts) == (self.visible, self.parts):
            return
        wanted = [(card, limit) for card in visible for limit in parts.get(card, [0])]
        found = numbers([card for card, _ in wanted], self.gpus, self.held)
        limits = {n: limit for n, (_, limit) in zip(found, wanted) if limit}
        for number, limit in sorted(limits.items()):
            if sum(self.held.get(number, [])) > limit:
                raise RuntimeError(f'GPU:{number} cannot be limited')
        self.gpus = {n: card for n, (card, _) in zip(found, wanted)}
        self.visible, self.parts, self.limits = visible, parts, limits

    def take(self, number: int, size: int) -> None:
        """Holds |size| on a GPU, or raises MemoryError."""
        mine = self.held.setdefault(number, [])
        if number in self.limits and sum(mine) + size > self.limits[number] - SLACK:
            raise MemoryError
        mine.append(size)


class Real:
    """The same with Berth, on simulated cards."""

    def __init__(self) -> None:
        import berth as tf
        from berth import _core

        tf.config.live = True
        self.tf, self.core = tf, _core
        self.cards = tf.config.list_physical_devices('GPU')
        self.held: dict[int, list] = {}
        self.count = 0

    def change(self, visible: list[int], parts: dict[int, list[int]], card: int) -> None:
        """Sets what is visible, or (|card|) how one is divided."""
        config = self.tf.config
        try:
            if card < 0:
                config.set_visible_devices([self.cards[i] for i in visible], 'GPU')
            else:
                config.set_logical_device_configuration(
                    self.cards[card], [config.LogicalDeviceConfiguration(limit) for limit in parts[card]])
        except self.tf.errors.FailedPreconditionError as error:
            raise RuntimeError(str(error)) from None

    def take(self, number: int, size: int) -> None:
        try:
            with self.tf.device(f'GPU:{number}'):
                made = self.tf.fill([size, 1 << 18], float(self.count))
        except self.tf.errors.ResourceExhaustedError:
            raise MemoryError from None
        self.held.setdefault(number, []).append((made, float(self.count)))
        self.count += 1

    def gpus(self) -> dict[int, int]:
        return {int(d.name.rpartition(':')[2]): self.core.device_card(d.name)
                for d in self.tf.config.list_logical_devices('GPU')}

    def limit(self, number: int) -> int:
        return self.core.memory_stats(f'GPU:{number}')['bytes_limit'] >> 20

    def check_values(self) -> None:
        for number, tensors in self.held.items():
            with self.tf.device(f'GPU:{number}'):
                for tensor, value in tensors:
                    assert float(tensor[-1, -1]) == value == float(tensor[0, 0])


def outcome(call) -> str:
    """Returns what came of |call|, without what only Berth says."""
    try:
        call()
    except RuntimeError as error:
        return str(error).split(':')[0] + str(error).split(':')[1][:18]
    except MemoryError:
        return 'full'
    return 'done'


def step(model: Model, real: Real, choose: random.Random) -> None:
    """Makes one random change in both, and compares them."""
    kind = choose.choice(['visible', 'divide', 'divide', 'take', 'take', 'drop', 'grow'])
    number = choose.choice(sorted(model.gpus)) if model.gpus else -1
    if kind == 'visible':
        visible = sorted(choose.sample(range(CARDS), choose.randint(0, CARDS)))
        pair = (lambda: model.change(visible, model.parts), lambda: real.change(visible, model.parts, -1))
    elif kind == 'divide':
        card = choose.randrange(CARDS)
        parts = {**model.parts, card: [choose.choice([40, 72, 104, 136]) for _ in range(choose.randint(1, 3))]}
        pair = (lambda: model.change(model.visible, parts), lambda: real.change(model.visible, parts, card))
    elif number < 0:
        return
    elif kind == 'take':
        size = choose.choice([16, 32, 64])
        pair = (lambda: model.take(number, size), lambda: real.take(number, size))
    elif kind == 'drop':
        pair = (lambda: model.held.pop(number, None), lambda: real.held.pop(number, None))
    else:
        card = model.gpus[number]
        is_on = choose.random() < 0.7
        pair = (lambda: None, lambda: real.tf.config.experimental.set_memory_growth(real.cards[card], is_on))
    before, there = (model.visible, dict(model.parts)), model.gpus
    wanted, found = outcome(pair[0]), outcome(pair[1])
    assert wanted == found, (kind, wanted, found, before)
    assert real.gpus() == model.gpus, (kind, real.gpus(), model.gpus, there, model.held)
    for one, limit in model.limits.items():
        assert real.limit(one) == limit, (one, real.limit(one), limit)
    real.check_values()


def main(seed: int, steps: int) -> None:
    choose, model, real = random.Random(seed), Model(), Real()
    for _ in range(steps):
        step(model, real, choose)
    print('the same')


if __name__ == '__main__':
    main(int(sys.argv[1]), int(sys.argv[2]))
