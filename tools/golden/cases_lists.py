"""Cases of lists and arrays of tensors, and of stacks.

A run has arrays and stacks of its own, and lists are no values that a file can hold: each case is a graph that makes
one, changes it and reads it again.
"""

from golden_case import GraphCase, Run, const, node, types
from golden_types import COMPLEX, FLOATS, INTS, plain, tensor

ELEMENTS = (*FLOATS, *INTS, *COMPLEX, "bool", "string")
SUMMED = (*FLOATS, *INTS, *COMPLEX)


def number(name, value):
    return const(name, tensor("int32", value))


def numbers(name, values):
    return const(name, tensor("int32", values))


def lists(op):
    """A walk through the ops on lists, for each type of elements."""
    del op
    for dtype in ELEMENTS:
        for shape_type in ("int32", "int64") if dtype == "float" else ("int32",):
            yield GraphCase("plain", dtype, *list_walk(dtype, shape_type))


def list_walk(dtype, shape_type):
    of = types(element_dtype=dtype)
    made = types(element_dtype=dtype, shape_type=shape_type)
    read = types(element_dtype=dtype, Tshape=shape_type)
    nodes = [
        const("rows", plain(dtype, (3, 2))), const("one", plain(dtype, (2,), 7)), const("whole", plain(dtype, (5, 2), 3)),
        number("none", -1), number("zero", 0), number("two", 2), number("seven", 7), numbers("at", [4, 0, 1]),
        const("shape", tensor(shape_type, [2])), const("any", tensor(shape_type, -1)), numbers("shape32", [2]),
        const("lengths", tensor("int64", [2, 0, 3])), const("leading", tensor("int64", [1, 0, 2])),
        node("from", "TensorListFromTensor", "rows", "shape", **made),
        node("empty", "EmptyTensorList", "shape", "none", **made),
        node("reserved", "TensorListReserve", "shape", "two", **made),
        node("pushed", "TensorListPushBack", "from", "one", **of),
        node("set", "TensorListSetItem", "pushed", "zero", "one", **of),
        node("grown", "TensorListSetItem", "reserved", "seven", "one", resize_if_index_out_of_bounds=("bool", True), **of),
        node("popped", "TensorListPopBack", "set", "shape32", **of),
        node("got", "TensorListGetItem", "set", "two", "any", **read),
        node("unset", "TensorListGetItem", "grown", "two", "any", **read),
        node("resized", "TensorListResize", "set", "two"),
        node("scattered", "TensorListScatterV2", "rows", "at", "shape", "seven", **made),
        node("old", "TensorListScatter", "rows", "at", "shape", **made),
        node("into", "TensorListScatterIntoExistingList", "scattered", "rows", "at", **of),
        node("split", "TensorListSplit", "whole", "any", "lengths", **made),
        node("both", "TensorListConcatLists", "from", "set", **of),
        node("pair", "Pack", ["from", "empty"], N=("int", 2), T=("type", "variant"), axis=("int", 0)),
        const("row_each", plain(dtype, (2, 2), 2)),
        node("batch", "TensorListPushBackBatch", "pair", "row_each", **of),
        node("parts", "Unpack", "batch", num=("int", 2), T=("type", "variant"), axis=("int", 0)),
        node("again", "TensorListConcatV2", "split", "any", "leading", **made),
        node("first", "TensorListConcat", "pushed", element_shape=("shape", [None]), **of),
        node("some", "TensorListGather", "scattered", "at", "shape32", **of),
        node("element", "TensorListElementShape", "from", shape_type=("type", shape_type)),
    ]
    fetches = ["popped:1", "got", "unset", "again", "again:1", "first", "first:1", "some", "element"]
    for name in ("from", "empty", "reserved", "pushed", "set", "grown", "popped", "resized", "scattered", "old", "into", "both",
                 "parts", "parts:1"):
        label = name.replace(":", "_")
        nodes += [node(f"{label}_stack", "TensorListStack", name, "shape32", num_elements=("int", -1), **of),
                  node(f"{label}_length", "TensorListLength", name)]
        fetches += [f"{label}_stack", f"{label}_length"]
    return nodes, [Run(fetches[:19]), Run(fetches[19:]), Run(["from_stack", "both_stack"])]


def sums(op):
    """Sums of lists, and zeros like them."""
    for dtype in SUMMED:
        nodes = [const("rows", plain(dtype, (3, 2))), const("more", plain(dtype, (3, 2), 5)), numbers("shape", [2])]
        for name in ("rows", "more"):
            nodes.append(node(f"{name}_list", "TensorListFromTensor", name, "shape",
                              **types(element_dtype=dtype, shape_type="int32")))
        if op == "AddN":
            made = node("made", op, ["rows_list", "more_list", "rows_list"], N=("int", 3), T=("type", "variant"))
        else:
            made = node("made", op, "rows_list", T=("type", "variant"))
        nodes += [made, node("out", "TensorListStack", "made", "shape", num_elements=("int", -1), **types(element_dtype=dtype))]
        yield GraphCase("plain", dtype, nodes, [Run(["out"])])


def add_lists(op):
    del op
    yield from sums("AddN")


def zero_lists(op):
    del op
    yield from sums("ZerosLike")


def new_array(dtype, size, **attrs):
    return [number("size", size), node("array", "TensorArrayV3", "size", dtype=("type", dtype), tensor_array_name=("string", "a"),
                                       **attrs)]


def arrays(op):
    """A walk through the ops on arrays, for each type of elements."""
    del op
    for dtype in ELEMENTS:
        yield GraphCase("plain", dtype, *array_walk(dtype))
    for dtype in SUMMED:
        yield GraphCase("plain", dtype, *gradient_walk(dtype))


def array_walk(dtype):
    of, element = {"T": ("type", dtype)}, {"dtype": ("type", dtype)}
    nodes = [
        *new_array(dtype, 3, dynamic_size=("bool", True), clear_after_read=("bool", False), element_shape=("shape", [2])),
        const("one", plain(dtype, (2,), 7)), const("rows", plain(dtype, (2, 2))), number("zero", 0), number("five", 5),
        numbers("at", [4, 1]), numbers("wanted", [0, 4, 1]), numbers("unwritten", [2]),
        node("write", "TensorArrayWriteV3", "array", "zero", "one", "array:1", **of),
        node("scatter", "TensorArrayScatterV3", "array", "at", "rows", "write", **of),
        node("read", "TensorArrayReadV3", "array", "zero", "scatter", **element),
        node("unset", "TensorArrayReadV3", "array", "zero", "scatter", **element),
        node("gather", "TensorArrayGatherV3", "array", "wanted", "scatter", element_shape=("shape", [2]), **element),
        node("zeros", "TensorArrayGatherV3", "array", "unwritten", "scatter", **element),
        node("count", "TensorArraySizeV3", "array", "scatter"),
        number("three", 3), const("whole", plain(dtype, (5, 2), 3)), const("lengths", tensor("int64", [2, 0, 3])),
        node("pieces", "TensorArrayV3", "three", **element),
        node("split", "TensorArraySplitV3", "pieces", "whole", "lengths", "pieces:1", **of),
        node("concat", "TensorArrayConcatV3", "pieces", "split", **element),
    ]
    return nodes, [Run(["read", "unset", "gather", "count", "concat", "concat:1"]), Run(["zeros"])]


def gradient_walk(dtype):
    of, element = {"T": ("type", dtype)}, {"dtype": ("type", dtype)}
    nodes = [
        *new_array(dtype, 2), const("one", plain(dtype, (2,), 7)), const("two", plain(dtype, (2,), 3)), number("zero", 0),
        numbers("front", [3]), node("write", "TensorArrayWriteV3", "array", "zero", "one", "array:1", **of),
        node("grad", "TensorArrayGradV3", "array", "write", source=("string", "g")),
        node("add", "TensorArrayWriteV3", "grad", "zero", "one", "grad:1", **of),
        node("more", "TensorArrayWriteV3", "grad", "zero", "two", "add", **of),
        node("read", "TensorArrayReadV3", "grad", "zero", "more", **element),
        node("wide", "TensorArrayGradWithShape", "array", "write", "front", source=("string", "w")),
        node("zeros", "TensorArrayReadV3", "wide", "zero", "wide:1", **element),
        node("close", "TensorArrayCloseV3", "array", "^read", "^zeros"),
    ]
    return nodes, [Run(["read", "zeros"], targets=["close"])]


def stacks(op):
    """Pushes and pops, for each type of elements."""
    is_old = op == "Stack"
    last = "" if is_old else "V2"
    for dtype in ELEMENTS:
        of = {"T": ("type", dtype)}
        nodes = [number("most", 2), const("a", plain(dtype, (2,))), const("b", plain(dtype, (), 4)),
                 node("stack", f"Stack{last}", *([] if is_old else ["most"]), elem_type=("type", dtype)),
                 node("push", f"StackPush{last}", "stack", "a", **of),
                 node("more", f"StackPush{last}", "stack", "b", "^push", **of),
                 node("pop", f"StackPop{last}", "stack", "^more", elem_type=("type", dtype)),
                 node("rest", f"StackPop{last}", "stack", "^pop", elem_type=("type", dtype)),
                 node("close", f"StackClose{last}", "stack", "^rest")]
        yield GraphCase("plain", dtype, nodes, [Run(["push", "more", "pop", "rest"], targets=["close"]), Run(["rest"])])


OPS = {"TensorListStack": lists, "TensorListFromTensor": add_lists, "TensorListReserve": zero_lists, "TensorArrayV3": arrays,
       "Stack": stacks, "StackV2": stacks}
