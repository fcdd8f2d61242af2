"""Cases of queues and readers whose handles are references, as in old graphs."""

import cases_reader
import cases_state

QUEUES = ("FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "RandomShuffleQueue", "QueueEnqueue", "QueueDequeue",
          "QueueClose", "QueueSize", "QueueIsClosed", "QueueEnqueueMany", "QueueDequeueMany", "QueueDequeueUpTo")
# Of the readers themselves this is the one that TensorFlow has in new graphs.
READERS = ("WholeFileReader",)


def old(cases):
    """The same with handles that are references."""
    def made(op):
        for case in cases(f"{op}V2"):
            for item in case.nodes:
                if "Queue" in item.op or "Reader" in item.op:
                    item.op = item.op.removesuffix("V2")
            yield case
    return made


def readers(op):
    """Whole files, read by |op|."""
    yield from old(lambda _: cases_reader.readers("WholeFileReaderV2"))(op)


OPS = {name: old(cases_state.OPS[f"{name}V2"]) for name in QUEUES}
OPS.update({name: readers for name in READERS + (
    "ReaderRead", "ReaderReadUpTo", "ReaderNumRecordsProduced", "ReaderNumWorkUnitsCompleted", "ReaderReset",
    "ReaderSerializeState", "ReaderRestoreState")})
