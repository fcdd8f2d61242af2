"""ONNX Runtime's side of the kernel_ and model_ rows, and of the small matmul.

    onnxruntime_side.py THREADS
    onnxruntime_side.py model NAME THREADS RUNS [OUT]    as berth_side model

Inputs are bound once per set, results are allocated by ONNX Runtime and read
where they lie, so that Python adds a few microseconds and no copies.
"""

import ctypes
import os
import resource
import sys
import time

import numpy as np
import onnxruntime
from kernels import KERNELS, SETS, Checker, Kernel
from onnx import TensorProto, helper
from python_side import Call, Open, serve

# Op, attributes, type of the result and its rank, by kernel.
FLOAT, INT32 = TensorProto.FLOAT, TensorProto.INT32
OPS: dict[str, tuple[str, dict[str, object], int, int]] = {
    "kernel_matmul_256": ("MatMul", {}, FLOAT, 2),
    "kernel_matmul_1024": ("MatMul", {}, FLOAT, 2),
    "kernel_matmul_2048": ("MatMul", {}, FLOAT, 2),
    "kernel_add_16m": ("Add", {}, FLOAT, 1),
    "kernel_add_4k": ("Add", {}, FLOAT, 1),
    "kernel_exp_16m": ("Exp", {}, FLOAT, 1),
    "kernel_tanh_16m": ("Tanh", {}, FLOAT, 1),
    "kernel_cast_f32_i32_16m": ("Cast", {"to": INT32}, INT32, 1),
    "kernel_cast_f32_bf16_16m":
        ("Cast", {"to": TensorProto.BFLOAT16}, TensorProto.BFLOAT16, 1),
    "kernel_reduce_sum_16m": ("ReduceSum", {"keepdims": 0}, FLOAT, 0),
    "kernel_reduce_sum_rows_4096":
        ("ReduceSum", {"keepdims": 0, "axes": [1]}, FLOAT, 1),
    "kernel_reduce_sum_cols_4096":
        ("ReduceSum", {"keepdims": 0, "axes": [0]}, FLOAT, 1),
    "kernel_transpose_4096": ("Transpose", {"perm": [1, 0]}, FLOAT, 2),
    "kernel_concat_4096x2048": ("Concat", {"axis": 1}, FLOAT, 2),
    "kernel_gather_65536x256": ("Gather", {"axis": 0}, FLOAT, 2),
    "kernel_softmax_1024x1000": ("Softmax", {"axis": 1}, FLOAT, 2),
    "kernel_bias_add_128x24x24x64": ("Add", {}, FLOAT, 4),
}


def build(name: str, arrays: list[np.ndarray]) -> bytes:
    """Returns a model of one op."""
    op, attrs, out_type, rank = OPS[name]
    attrs = dict(attrs)
    names = [f"x{i}" for i in range(len(arrays))]
    constants = []
    inputs = list(names)
    if "axes" in attrs:  # An input since version 13 of the ops.
        axes = attrs.pop("axes")
        constants = [helper.make_tensor("axes", TensorProto.INT64, [1], axes)]
        inputs.append("axes")
    infos = [helper.make_tensor_value_info(
        name, FLOAT if array.dtype == np.float32 else INT32, array.shape)
        for name, array in zip(names, arrays)]
    result = helper.make_tensor_value_info("y", out_type, [None] * rank)
    node = helper.make_node(op, inputs, ["y"], **attrs)
    graph = helper.make_graph([node], "g", infos, [result], constants)
    model = helper.make_model(graph, ir_version=8,
                              opset_imports=[helper.make_opsetid("", 17)])
    return bytes(model.SerializeToString())


def make_session(model: bytes | str, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options,
                                        providers=["CPUExecutionProvider"])


def read(value: onnxruntime.OrtValue, kind: int, at: int) -> float:
    """Reads one element of a result where it lies."""
    address = value.data_ptr()
    if kind == INT32:
        return ctypes.c_int32.from_address(address + 4 * at).value
    if kind == FLOAT:
        return ctypes.c_float.from_address(address + 4 * at).value
    half = ctypes.c_uint16.from_address(address + 2 * at).value
    bits = np.array([half << 16], np.uint32)
    return float(bits.view(np.float32)[0])


def open_kernel(kernel: Kernel, threads: int) -> Call:
    sets = [kernel.inputs(i) for i in range(SETS)]
    checker = Checker(kernel, sets)
    session = make_session(build(kernel.name, sets[0]), threads)
    kind = OPS[kernel.name][2]
    bindings = []
    for arrays in sets:
        binding = session.io_binding()
        for i, array in enumerate(arrays):
            binding.bind_ortvalue_input(
                f"x{i}", onnxruntime.OrtValue.ortvalue_from_numpy(array))
        bindings.append(binding)

    def call(turn: int) -> None:
        binding = bindings[turn % SETS]
        binding.bind_output("y", "cpu")
        session.run_with_iobinding(binding)
        value = binding.get_outputs()[0]
        checker.check(turn, read(value, kind, checker.place(turn)))
        del value
        binding.clear_binding_outputs()
    return call


def open_small(threads: int) -> Call:
    """The 2x3 by 3x2 matmul, through Python: its C Run takes less."""
    OPS["small"] = ("MatMul", {}, FLOAT, 2)
    values = [np.arange(1, 7, dtype=np.float32) + i for i in range(SETS)]
    feeds = [{"x0": v.reshape(2, 3), "x1": v.reshape(3, 2)} for v in values]
    model = build("small", [feeds[0]["x0"], feeds[0]["x1"]])
    session = make_session(model, threads)
    answers = [float((f["x0"] @ f["x1"])[0, 0]) for f in feeds]

    def call(turn: int) -> None:
        result = session.run(["y"], feeds[turn % SETS])[0]
        if result[0, 0] != answers[turn % SETS]:
            raise ValueError(f"wrong matmul: {result[0, 0]}")
    return call


# ---- Networks, as model.h has them ----

MODELS = ("model_mobilenetv2_b1", "model_mobilenetv2_b8", "model_resnet50_b1",
          "model_resnet50_b8")
MODEL_SETS, MODEL_IMAGES, MODEL_SIDE, MODEL_CLASSES = 2, 8, 224, 1000
TOLERANCE = 1e-3


class Model:
    """A network and its feeds, in the layout it computes in."""

    def __init__(self, name: str, threads: int) -> None:
        folder = os.environ.get("BERTH_BENCH_MODELS", "build/bench-models")
        net, _, batch = name.removeprefix("model_").rpartition("_b")
        self.name, self.batch = name, int(batch)
        self.session = make_session(os.path.join(folder, f"{net}.onnx"),
                                    threads)
        images = np.memmap(os.path.join(folder, "images.f32"), np.float32, "r",
                           shape=(MODEL_SETS, MODEL_IMAGES, MODEL_SIDE,
                                  MODEL_SIDE, 3))
        self.feeds = [np.ascontiguousarray(
            images[i, :self.batch].transpose(0, 3, 1, 2))
            for i in range(MODEL_SETS)]
        path = os.path.join(folder, f"{net}.expected")
        self.expected = np.fromfile(path, np.float32).reshape(
            MODEL_SETS, MODEL_IMAGES, MODEL_CLASSES) if os.path.exists(
                path) else None

    def run(self, index: int) -> np.ndarray:
        return self.session.run(["y"], {"x": self.feeds[index]})[0]

    def call(self, turn: int) -> None:
        index = turn % MODEL_SETS
        result = self.run(index)
        if self.expected is None:
            return
        expected = self.expected[index, :self.batch]
        # Written so that no number is within it.
        if not (abs(result - expected) <= TOLERANCE * abs(expected)).all():
            raise ValueError(f"{self.name} gave another result")


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1.024e-3


def model_process(name: str, threads: int, runs: int, path: str | None) -> None:
    """Prints the seconds to the first result, of a run, and the peak before."""
    before = peak_megabytes()
    start = time.perf_counter()
    model = Model(name, threads)
    model.call(0)
    first = time.perf_counter() - start
    start = time.perf_counter()
    for turn in range(1, runs):
        model.call(turn)
    later = (time.perf_counter() - start) / (runs - 1) if runs > 1 else first
    if path is not None:
        np.stack([model.run(i) for i in range(MODEL_SETS)]).tofile(path)
    print("%.9g %.9g %.9g" % (first, later, before))


def benches(threads: int) -> dict[str, Open]:
    found: dict[str, Open] = {
        kernel.name: lambda kernel=kernel: open_kernel(kernel, threads)
        for kernel in KERNELS}
    for name in ("session_run_small_c", "session_run_small_python"):
        found[name] = lambda: open_small(threads)
    for name in MODELS:
        found[name] = lambda name=name: Model(name, threads).call
    return found


def main(words: list[str]) -> None:
    onnxruntime.set_default_logger_severity(3)
    if words[0] == "model":
        model_process(words[1], int(words[2]), int(words[3]),
                      words[4] if len(words) > 4 else None)
    else:
        serve(benches(int(words[0])))


if __name__ == "__main__":
    main(sys.argv[1:])
