"""Cases of readers: records of the files that a queue names.

Files with something in them are read by tests/data/programs/tf1_readers.py, where they can be written first.
"""

from cases_state import target
from cases_text import raw, string, text
from golden_case import GraphCase, Run, const, node
from golden_types import tensor


def story(maker, names, runs, up_to=2, **attrs):
    """A queue of names, a reader, and everything that can be asked of it."""
    nodes = [node("q", "FIFOQueueV2", component_types=("types", ["string"]), shapes=("shapes", [()]),
                  shared_name=("string", "q")),
             const("names", text(*names)), const("n", tensor("int64", up_to)), const("state", raw(b"abc", shape=())),
             node("fill", "QueueEnqueueManyV2", "q", ["names"], Tcomponents=("types", ["string"])),
             node("close", "QueueCloseV2", "q"),
             node("r", maker, shared_name=string("reader"), **attrs),
             node("read", "ReaderReadV2", "r", "q"), node("some", "ReaderReadUpToV2", "r", "q", "n"),
             node("records", "ReaderNumRecordsProducedV2", "r"), node("files", "ReaderNumWorkUnitsCompletedV2", "r"),
             node("save", "ReaderSerializeStateV2", "r"), node("load", "ReaderRestoreStateV2", "r", "state"),
             node("reset", "ReaderResetV2", "r")]
    return GraphCase("plain", "string", nodes, runs)


def counts():
    return Run(["records", "files"])


def read():
    return Run(["read", "read:1"])


def some():
    return Run(["some", "some:1"])


def readers(op):
    maker = op if "ReaderV2" in op else "IdentityReaderV2"
    size = {"record_bytes": ("int", 4)} if maker == "FixedLengthRecordReaderV2" else {}
    yield story(maker, ["/dev/null", "/dev/null"], [
        target("fill"), target("close"), read(), counts(), some(), counts(), read(), Run(["save"]), target("load"),
        target("reset"), counts()], **size)
    if maker != "IdentityReaderV2":
        yield story(maker, ["/no such folder/x"], [target("fill"), target("close"), read(), counts(), some()], **size)
        return
    yield story(maker, ["a", "", "c"], [
        target("fill"), read(), some(), counts(), Run(["save"]), target("reset"), counts(), some(), target("close"), some()], **size)
    yield story(maker, ["a"], [target("fill"), some(), counts(), read()], up_to=0)


OPS = {name: readers for name in (
    "IdentityReaderV2", "WholeFileReaderV2", "TextLineReaderV2", "FixedLengthRecordReaderV2", "TFRecordReaderV2",
    "ReaderReadV2", "ReaderReadUpToV2", "ReaderNumRecordsProducedV2", "ReaderNumWorkUnitsCompletedV2",
    "ReaderResetV2", "ReaderSerializeStateV2", "ReaderRestoreStateV2")}
