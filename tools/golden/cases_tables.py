"""Cases of tables from keys to values."""

import itertools

import numpy as np

from cases_string import text
from golden_case import GraphCase, Run, const, hidden, node
from golden_types import empty, tensor

STATIC = [*itertools.product(("int32", "int64", "string"), ("float", "double", "int32", "string")), ("int64", "int64"),
          ("string", "int64"), ("string", "bool")]
CHANGING = [*itertools.product(("int32",), ("float", "double", "int32")),
            *itertools.product(("int64",), ("float", "int64", "string", "int32", "double")),
            *itertools.product(("string",), ("int32", "int64", "float", "double", "bool"))]
DENSE = [*itertools.product(("int32",), ("float", "double", "int32")),
         *itertools.product(("int64", "string"), ("int32", "int64", "float", "double", "bool"))]


def some(dtype, *numbers):
    """A vector of keys or values that stand for |numbers|."""
    if dtype == "string":
        return text(*(f"text {n}" for n in numbers))
    if dtype == "bool":
        return tensor("bool", [n % 2 == 1 for n in numbers])
    return tensor(dtype, list(numbers))


def one(dtype, number):
    if dtype == "string":
        return text(f"text {number}", shape=())
    return tensor(dtype, number % 2 == 1 if dtype == "bool" else number)


def pair(key, value):
    return {"key_dtype": ("type", key), "value_dtype": ("type", value)}


def ends(key, value):
    return {"Tin": ("type", key), "Tout": ("type", value)}


def looked(key, value, default):
    return [const("wanted", some(key, 2, 5, 1)), const("default", default),
            node("found", "LookupTableFindV2", "table", "wanted", "default", **ends(key, value)),
            node("size", "LookupTableSizeV2", "table")]


def filled(op, key, value, init="InitializeTableV2"):
    """A static table, looked at before and after it is filled, twice."""
    types = {"Tkey": ("type", key), "Tval": ("type", value)} if init == "InitializeTableV2" else ends(key, value)
    nodes = [node("table", op, **pair(key, value)), const("keys", some(key, 1, 2, 3)), const("values", some(value, 4, 5, 7)),
             node("fill", init, "table", "keys", "values", **types), *looked(key, value, one(value, 0))]
    return GraphCase("plain", f"{key},{value}", nodes, [
        Run(["size"]), Run(["found"]), Run(targets=["fill"]), Run(["found", "size"]), Run(targets=["fill"]), Run(["found"])])


def hash_table(op):
    for key, value in STATIC:
        yield filled(op, key, value)


def initialize(op):
    yield filled("HashTableV2", "string", "int64", op)
    for kind, keys, values in (("two values", some("string", 1, 1), some("int64", 4, 5)),
                               ("sizes", some("string", 1, 2), some("int64", 4)),
                               ("rank", text("a", "b", shape=(1, 2)), tensor("int64", [[1, 2]])),
                               ("types", some("string", 1), some("float", 4))):
        nodes = [node("table", "HashTableV2", **pair("string", "int64")), *hidden("keys", keys), *hidden("values", values),
                 node("fill", op, "table", "keys", "values", Tkey=("type", keys.dtype), Tval=("type", values.dtype))]
        yield GraphCase(f"mismatch {kind}", "string,int64", nodes, [Run(targets=["fill"])])
    nodes = [node("table", "HashTableV2", **pair("string", "int64")), const("keys", empty("string", (0,))),
             const("values", empty("int64", (0,))),
             node("fill", op, "table", "keys", "values", Tkey=("type", "string"), Tval=("type", "int64")),
             *looked("string", "int64", one("int64", 0))]
    yield GraphCase("empty", "string,int64", nodes, [Run(targets=["fill"]), Run(["found", "size"])])


def changing(op, key, value, front, shape=None, inputs=()):
    values, default = some(value, 4, 5, 7), one(value, 0)
    if shape is not None:
        rows = [["a", "bc"], ["d", "e"], ["f", "g"]] if value == "string" else np.arange(6).reshape(3, 2)
        values, default = tensor(value, rows), tensor(value, rows[0])
    attrs = {"value_shape": ("shape", shape)} if shape is not None else {}
    nodes = [*front, node("table", op, *inputs, **(pair(key, value) | attrs)), const("keys", some(key, 1, 2, 3)),
             const("values", values), node("insert", "LookupTableInsertV2", "table", "keys", "values", **ends(key, value)),
             node("import", "LookupTableImportV2", "table", "keys", "values", **ends(key, value)),
             const("gone", some(key, 2, 9)), node("remove", "LookupTableRemoveV2", "table", "gone", Tin=("type", key)),
             *looked(key, value, default)]
    return nodes, [Run(["found", "size"]), Run(targets=["insert"]), Run(["found", "size"]), Run(targets=["remove"]),
                   Run(["found", "size"]), Run(targets=["import"]), Run(["found", "size"])]


def mutable(op):
    for key, value in CHANGING:
        yield GraphCase("plain", f"{key},{value}", *changing(op, key, value, []))


def of_tensors(op):
    for key, value in CHANGING:
        yield GraphCase("plain", f"{key},{value}", *changing(op, key, value, [], [2]))


def dense(op):
    for key, value in DENSE:
        front = [const("empty", one(key, 90)), const("deleted", one(key, 91))]
        nodes, runs = changing(op, key, value, front, inputs=("empty", "deleted"))
        # TensorFlow imports into these what it exports from them alone, holes and all.
        yield GraphCase("plain", f"{key},{value}", nodes, runs[:-2])
    front = [const("empty", one("int64", 2)), const("deleted", one("int64", 91))]
    nodes, _ = changing(op, "int64", "float", front, inputs=("empty", "deleted"))
    yield GraphCase("mismatch key", "int64,float", nodes, [Run(targets=["insert"]), Run(["found"]), Run(targets=["remove"])])


def used(op):
    """What is done with tables, and done wrongly."""
    nodes, runs = changing("MutableHashTableV2", "string", "int64", [])
    yield GraphCase("plain", "string,int64", nodes, runs)
    table = [node("table", "MutableHashTableV2", **pair("string", "int64")), const("keys", some("string", 1, 2))]
    if op in ("LookupTableInsertV2", "LookupTableImportV2"):
        for kind, values in (("shape", some("int64", 1)), ("type", some("float", 1, 2))):
            yield GraphCase(f"mismatch {kind}", "string,int64", [
                *table, *hidden("values", values), node("put", op, "table", "keys", "values", **ends("string", values.dtype))],
                [Run(targets=["put"])])
    if op == "LookupTableFindV2":
        yield GraphCase("mismatch shape", "string,int64", [
            *table, *hidden("default", some("int64", 1, 2, 3)),
            node("found", op, "table", "keys", "default", **ends("string", "int64"))], [Run(["found"])])
    if op in ("LookupTableInsertV2", "LookupTableRemoveV2"):
        ends_ = ends("string", "int64") if op == "LookupTableInsertV2" else {"Tin": ("type", "string")}
        more = ["values"] if op == "LookupTableInsertV2" else []
        yield GraphCase("mismatch static", "string,int64", [
            node("table", "HashTableV2", **pair("string", "int64")), table[1], const("values", some("int64", 1, 2)),
            node("put", op, "table", "keys", *more, **ends_)], [Run(targets=["put"])])


def export(op):
    types = {"Tkeys": ("type", "string"), "Tvalues": ("type", "int64")}
    for kind, maker in (("plain", "HashTableV2"), ("other mutable", "MutableHashTableV2")):
        yield GraphCase(kind, "string,int64", [
            node("table", maker, **pair("string", "int64")), const("keys", some("string", 1)), const("values", some("int64", 4)),
            node("fill", "LookupTableImportV2", "table", "keys", "values", **ends("string", "int64")),
            node("all", op, "table", **types)], [Run(["all", "all:1"]), Run(targets=["fill"]), Run(["all", "all:1"])])


def old(cases):
    """The same with handles that are references."""
    def made(op):
        for case in cases(f"{op}V2"):
            for item in case.nodes:
                if "Table" in item.op:
                    item.op = item.op.removesuffix("V2")
            yield case
    return made


def without_remove(cases):
    """Handles that are references know no LookupTableRemove."""
    def made(op):
        for case in cases(op):
            if any("Remove" in item.op for item in case.nodes):
                at = next(i for i, run in enumerate(case.runs) if "remove" in run.targets) if any(
                    "remove" in run.targets for run in case.runs) else len(case.runs)
                case.runs = case.runs[:at]
                case.nodes = [item for item in case.nodes if "Remove" not in item.op]
            yield case
    return made


def file_table(op):
    """Files with lines in them are read by the tests of the Python package."""
    maker = "HashTableV2" if op.endswith("V2") else "HashTable"

    def case(kind, path, key="string", value="int64", **attrs):
        nodes = [node("table", maker, **pair(key, value)), *hidden("name", path),
                 node("fill", op, "table", "name", **{
                     "key_index": ("int", -2), "value_index": ("int", -1), "vocab_size": ("int", -1), **attrs})]
        return GraphCase(kind, f"{key},{value}", nodes, [Run(targets=["fill"])])
    yield case("empty", text("/dev/null", shape=()))
    yield case("empty size", text("/dev/null", shape=()), vocab_size=("int", 3))
    yield case("mismatch missing", text("/no such folder/x", shape=()))
    yield case("mismatch rank", text("/dev/null"))
    yield case("mismatch number key", text("/dev/null", shape=()), key_index=("int", -1))
    yield case("mismatch number value", text("/dev/null", shape=()), value="int32")
    yield case("mismatch line", text("/dev/null", shape=()), value="float", value_index=("int", -2))


OPS = {"HashTableV2": hash_table, "InitializeTableV2": initialize, "MutableHashTableV2": mutable,
       "MutableHashTableOfTensorsV2": of_tensors, "MutableDenseHashTableV2": dense, "LookupTableExportV2": export,
       **dict.fromkeys(("LookupTableFindV2", "LookupTableInsertV2", "LookupTableImportV2", "LookupTableRemoveV2",
                        "LookupTableSizeV2"), used),
       "HashTable": old(hash_table), "InitializeTable": old(initialize), "LookupTableExport": old(export),
       "MutableHashTable": old(without_remove(mutable)), "MutableHashTableOfTensors": old(without_remove(of_tensors)),
       **dict.fromkeys(("LookupTableFind", "LookupTableInsert", "LookupTableImport", "LookupTableSize"),
                       old(without_remove(used))),
       "InitializeTableFromTextFile": file_table, "InitializeTableFromTextFileV2": file_table}
