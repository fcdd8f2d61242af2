"""The frame of the sides written in Python: what side.h says, for callables."""

import statistics
import sys
import time
from collections.abc import Callable

# Makes one call with the inputs of a turn and checks the result.
Call = Callable[[int], None]
# Prepares a bench.
Open = Callable[[], Call]

BATCH_SECONDS = 1e-3
MAX_BATCHES = 4096


class Opened:
    """A bench that has been run."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.turn = 0
        self.batch(2)

    def batch(self, count: int) -> float:
        """Makes |count| calls and returns the seconds one took."""
        call, turn = self.call, self.turn
        self.turn += count
        start = time.perf_counter()
        for i in range(turn, turn + count):
            call(i)
        return (time.perf_counter() - start) / count

    def slice(self, seconds: float) -> float:
        """Runs batches for |seconds| and returns the median time of a call."""
        count = max(1, int(BATCH_SECONDS / (self.batch(2) + 1e-9)))
        end = time.perf_counter() + seconds
        times = [self.batch(count)]
        while len(times) < MAX_BATCHES and time.perf_counter() < end:
            times.append(self.batch(count))
        return statistics.median(times)


def answer(benches: dict[str, Open], opened: dict[str, Opened],
           words: list[str]) -> str:
    """Does one request and returns the text of the answer."""
    if words == ["list"]:
        return " ".join(benches)
    verb, name = words[:2]
    if verb == "drop":
        opened.pop(name, None)
        return ""
    if verb != "run":
        raise ValueError(f"no request is called {verb}")
    if name not in opened:
        opened[name] = Opened(benches[name]())
    return "%.9g" % opened[name].slice(float(words[2]))


def serve(benches: dict[str, Open]) -> None:
    """Answers requests on stdin until it ends."""
    opened: dict[str, Opened] = {}
    for line in sys.stdin:
        try:
            print("ok", answer(benches, opened, line.split()), flush=True)
        except Exception as error:  # Whatever it is, the driver is told.
            text = " ".join(str(error).split())
            print(f"error {type(error).__name__}: {text}", flush=True)
