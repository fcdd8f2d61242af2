"""Measures Berth and its peers in turn; run.sh prepares everything.

    run.py --build BUILD --programs DIR --environments DIR --json FILE
           [--package PYTHON] [--only TEXT] [--rounds N] [--seconds S]

PYTHON is an interpreter with Berth's package; without one there are no rows
called _python.

Each bench goes through N rounds. In a round every side is measured for a short
slice on the same cores, in an order that changes, so that whatever the machine
does meets all of them. A value is the median over the rounds, a ratio the
median of the ratios of the rounds.
"""

import argparse
import glob
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import agree
import graphdef
import models
from report import Row, summary, table, value_of, write_json
from sides import Side, SideError, launch

# Threads of libraries that spin for a while after their work come to rest.
REST_SECONDS = 0.05
# Processes that take seconds are started fewer times.
SLOW_ROUNDS = 3
IMPORT_NODES = 100000
BUILD_NODES = 100000
GRADIENT_NODES = 10000

# Images of a batch that networks run.
MODEL_BATCHES = (1, 8)
MODEL_RUNS = 5
# What the sides in Python measure: name, unit, work of a call.
PYTHON_CALLS = (("session_run_small_python", "us", 1),
                ("session_dict_python", "us", 1),
                ("session_nested_python", "us", 1),
                ("session_lists_python", "us", 1),
                ("session_float64_python", "us", 1),
                ("session_names_python", "us", 1),
                ("session_strings_python", "us", 1),
                ("eager_small_python", "us", 1),
                ("function_small_python", "us", 1),
                ("chain_1000_python", "ns", 1000),
                ("flow_additions_python", "us", 1),
                ("flow_additions_cond_python", "us", 1),
                ("flow_cond_python", "us", 1),
                ("flow_count_python", "ns", 1000),
                ("flow_lstm_python", "us", 50),
                ("flow_trace_python", "us", 1),
                ("input_pipeline", "images/s", 128),
                ("input_numbers_python", "us", 1),
                ("input_element_python", "us", 1),
                ("train_cifar10", "images/s", 128),
                ("train_mlp", "us", 1),
                ("train_lstm", "us", 1),
                ("train_word2vec", "us", 1),
                ("checkpoint_save_large", "GB/s", 8 * 4.194304e-3),
                ("checkpoint_restore_large", "GB/s", 8 * 4.194304e-3),
                ("checkpoint_save_small", "us", 1000),
                ("checkpoint_restore_small", "us", 1000))
CLASSIC_SCRIPT = "tests/data/oracle/scripts/s3_1_log_placement.py"
EAGER_SCRIPT = "bench/eager_start.py"
# The classic script on TensorFlow 2, on numpy, and what all of them print.
CLASSIC_TENSORFLOW = """
import sys, tensorflow.compat.v1 as tf; tf.disable_v2_behavior()
sys.modules['tensorflow'] = tf
exec(open(sys.argv[1]).read())
"""
CLASSIC_NUMPY = """
import numpy
a = numpy.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 'f').reshape(2, 3)
print(a @ a.reshape(3, 2))
"""
CLASSIC_RESULT = "[[22. 28.]\n [49. 64.]]"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def find_python(args: argparse.Namespace, name: str) -> str | None:
    path = os.path.join(args.environments, name, "bin", "python")
    return path if os.path.exists(path) else None


def make_sides(args: argparse.Namespace, cores: set[int]) -> list[Side]:
    """Returns Berth's side, then its peers'."""
    threads = str(len(cores))
    here = os.path.dirname(os.path.abspath(__file__))
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "OPENBLAS_NUM_THREADS": threads,
             "OMP_NUM_THREADS": threads}

    def program(name: str) -> str:
        return os.path.join(args.programs, name)

    sides = [Side("berth", [program("berth_side"), threads], cores, quiet)]
    tensorflow = program("tensorflow_side")
    sides.append(Side("tensorflow", [tensorflow, threads], cores, quiet))
    sides.append(Side("tensorflow-inline", [tensorflow, threads, "inline"],
                      cores, quiet))
    for peer, environment, options in (
            ("numpy", "numpy", []), ("numpy-out", "numpy", ["out"]),
            ("onnxruntime", "onnxruntime", [threads]),
            ("torch", "torch", [threads])):
        python = find_python(args, environment)
        script = os.path.join(here, f"{environment}_side.py")
        if python is not None:
            sides.append(Side(peer, [python, script, *options], cores, quiet))
    return sides


def takes_part(side: Side, bench: str, names: set[str]) -> bool:
    """Tells whether |side|, which knows |names|, measures |bench|."""
    # Who runs the graph makes a difference to calls, none to kernels.
    if side.peer == "tensorflow-inline":
        return bench in ("session_run_small_c", "assign_add_small_c",
                         "chain_1000", "chain_10000")
    return bench in names


def measure(sides: list[Side], bench: str, args: argparse.Namespace,
            ) -> dict[str, list[float]]:
    """Returns the seconds of a call of each side in each round."""
    times: dict[str, list[float]] = {side.peer: [] for side in sides}
    failed: set[str] = set()
    for number in range(args.rounds):
        shift = number % len(sides)
        for side in sides[shift:] + sides[:shift]:
            if side.peer in failed:
                continue
            try:
                times[side.peer].append(side.run(bench, args.seconds))
            except SideError as error:
                say(f"  {bench}: {error}")
                failed.add(side.peer)
            time.sleep(REST_SECONDS)
    for side in sides:
        if side.peer not in failed:
            side.ask(f"drop {bench}")
    return {peer: found for peer, found in times.items() if peer not in failed}


def rows_of(times: dict[str, list[float]], bench: str, threads: int,
            unit: str, convert: Callable[[float], float]) -> list[Row]:
    """Makes a row for each peer. |times| are better when they are smaller."""
    ours = times.get("berth")
    if not ours:
        return []
    value = convert(statistics.median(ours))
    return [Row(bench, threads, peer, value, convert(statistics.median(theirs)),
                unit, statistics.median(b / a for a, b in zip(ours, theirs)))
            for peer, theirs in times.items() if peer != "berth"]


def cores_of(bench: str) -> tuple[int, ...]:
    """Returns on how many cores |bench| is measured."""
    if bench.startswith(("kernel_", "model_")):
        return (1, 2)
    # Calls run on one thread, whatever they may use.
    return (2,) if bench.startswith("threads_") else (1,)


def measure_calls(args: argparse.Namespace, cores: set[int]) -> list[Row]:
    """Measures what the sides are asked for, with as many threads as cores."""
    sides = make_sides(args, cores)
    words = sides[0].ask("list")
    names = {side.peer: set(side.ask("list")) for side in sides}
    rows = []
    for i in range(0, len(words), 3):
        bench, unit, work = words[i], words[i + 1], float(words[i + 2])
        if args.only not in bench or len(cores) not in cores_of(bench):
            continue
        say(f"{bench}, {len(cores)} threads")
        times = measure([side for side in sides
                         if takes_part(side, bench, names[side.peer])],
                        bench, args)
        rows += rows_of(times, bench, len(cores), unit,
                        lambda seconds: value_of(unit, work, seconds))
    for side in sides:
        side.close()
    return rows


def measure_processes(commands: dict[str, list[str]], rounds: int, cores:
                      set[int], args: argparse.Namespace, expected: str,
                      is_inner: bool) -> tuple[dict[str, list[float]],
                                               dict[str, list[float]]]:
    """Runs whole processes in turn; returns their seconds and megabytes.

    |expected| is to be in what they print; with |is_inner| they print their
    seconds themselves, as the first word.
    """
    launcher = os.path.join(args.programs, "launch")
    times: dict[str, list[float]] = {peer: [] for peer in commands}
    sizes: dict[str, list[float]] = {peer: [] for peer in commands}
    for _ in range(rounds):
        for peer, command in commands.items():
            seconds, megabytes, text = launch(launcher, command, cores)
            if expected not in text:
                raise SideError(f"{peer} printed `{text}`")
            times[peer].append(float(text.split()[0]) if is_inner else seconds)
            sizes[peer].append(megabytes)
    return times, sizes


def measure_start(args: argparse.Namespace, cores: set[int]) -> list[Row]:
    """The classic program, from the start of its process to its end."""
    say("start_classic_c")
    times, sizes = measure_processes(
        {"berth": [os.path.join(args.build, "bin", "log_placement")],
         "tensorflow": [os.path.join(args.programs, "tensorflow_start")]},
        args.rounds, cores, args, CLASSIC_RESULT, False)
    return (rows_of(times, "start_classic_c", 1, "ms", lambda s: s * 1e3)
            + rows_of(sizes, "start_classic_c_memory", 1, "MB", lambda m: m))


def measure_import(args: argparse.Namespace, cores: set[int]) -> list[Row]:
    """A big GraphDef: import, placement, first run."""
    say("import_100k_nodes")
    with tempfile.NamedTemporaryFile(suffix=".pb") as file:
        file.write(graphdef.chain(IMPORT_NODES))
        file.flush()
        commands = {peer: [os.path.join(args.programs, f"{peer}_side"),
                           "import", file.name]
                    for peer in ("berth", "tensorflow")}
        times, sizes = measure_processes(commands, SLOW_ROUNDS, cores, args,
                                         f" {IMPORT_NODES + 1}", True)
    return (rows_of(times, "import_100k_nodes", 1, "s", lambda s: s)
            + rows_of(sizes, "import_100k_nodes_memory", 1, "MB", lambda m: m))


# ---- Networks ----

def model_command(args: argparse.Namespace, peer: str, *words: str,
                  ) -> list[str]:
    """The command that runs a network in a process of its own."""
    if peer == "onnxruntime":
        here = os.path.dirname(os.path.abspath(__file__))
        return [str(find_python(args, peer)),
                os.path.join(here, "onnxruntime_side.py"), "model", *words]
    return [os.path.join(args.programs, f"{peer}_side"), "model", *words]


def model_peers(args: argparse.Namespace) -> list[str]:
    has_onnx = find_python(args, "onnxruntime") is not None
    return ["berth", "tensorflow"] + ["onnxruntime"] * has_onnx


def prepare_model(args: argparse.Namespace, net: str, folder: str) -> None:
    """Writes |net| and the results that all libraries agree about."""
    models.write(folder, [net])
    path = os.path.join(folder, f"{net}.expected")
    if os.path.exists(path):
        os.remove(path)  # Or sides would hold their results against it.
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        for peer in model_peers(args):
            file = os.path.join(scratch, peer)
            command = model_command(args, peer, f"{net}_b{models.IMAGES}", "2",
                                    "1", file)
            launch(os.path.join(args.programs, "launch"), command,
                   os.sched_getaffinity(0))
            results[peer] = agree.read(
                file, models.SETS * models.IMAGES * models.CLASSES)
    agree.agree(results, models.CLASSES)
    agree.write_expected(path, results["tensorflow"])


def measure_model(args: argparse.Namespace, bench: str, cores: set[int],
                  ) -> list[Row]:
    """Processes that read a network and run it a few times."""
    threads = len(cores)
    say(f"{bench}, {threads} threads, whole processes")
    launcher = os.path.join(args.programs, "launch")
    times: dict[str, list[float]] = {}
    sizes: dict[str, list[float]] = {}
    for _ in range(SLOW_ROUNDS):
        for peer in model_peers(args):
            command = model_command(args, peer, bench, str(threads),
                                    str(MODEL_RUNS))
            _, megabytes, text = launch(launcher, command, cores)
            words = text.split()
            times.setdefault(peer, []).append(float(words[0]))
            sizes.setdefault(peer, []).append(megabytes)
            if peer == "onnxruntime":  # Python and its packages took this.
                sizes.setdefault("onnxruntime-net", []).append(
                    megabytes - float(words[2]))
    return (rows_of(times, f"{bench}_first", threads, "ms", lambda s: s * 1e3)
            + rows_of(sizes, f"{bench}_memory", threads, "MB", lambda m: m))


def measure_models(args: argparse.Namespace, cores: list[int]) -> list[Row]:
    """What measure_calls() needs of networks, and rows of processes."""
    folder = os.path.abspath("build/bench-models")
    os.environ["BERTH_BENCH_MODELS"] = folder
    rows = []
    for net in models.NETS:
        benches = [f"model_{net}_b{batch}" for batch in MODEL_BATCHES]
        wanted = [bench for bench in benches if args.only in f"{bench}_first"
                  or args.only in f"{bench}_memory"]
        if wanted:
            prepare_model(args, net, folder)
        for bench in wanted:
            for count in (1, 2)[:len(cores)]:
                rows += measure_model(args, bench, set(cores[-count:]))
    return rows


def measure_size(args: argparse.Namespace) -> list[Row]:
    """The library without symbols, and TensorFlow's shared objects."""
    python = find_python(args, "tensorflow")
    assert python is not None
    package = os.path.join(os.path.dirname(os.path.dirname(python)), "lib",
                           "python*", "site-packages", "tensorflow")
    theirs = sum(os.path.getsize(path) for path in
                 glob.glob(os.path.join(package, "**", "*.so*"),
                           recursive=True))
    with tempfile.NamedTemporaryFile() as file:
        library = os.path.join(args.build, "lib", "libberth.so")
        subprocess.run(["strip", "-o", file.name, library], check=True)
        ours = os.path.getsize(file.name)
    return rows_of({"berth": [ours], "tensorflow": [theirs]}, "library_size", 1,
                   "MB", lambda size: size * 1e-6)


def library_command(args: argparse.Namespace, peer: str, *words: str,
                    ) -> list[str]:
    """The command of library_side.py for Berth or TensorFlow."""
    python = args.package if peer == "berth" else find_python(args, peer)
    here = os.path.dirname(os.path.abspath(__file__))
    return [str(python), os.path.join(here, "library_side.py"), peer, *words]


def measure_python_calls(args: argparse.Namespace, cores: set[int],
                         only: str = "") -> list[Row]:
    """Small calls through Python, beside everybody who has them."""
    peers = [side for side in make_sides(args, cores)
             if side.peer in ("onnxruntime", "torch")]
    sides = [Side(peer, library_command(args, peer, str(len(cores))), cores)
             for peer in ("berth", "tensorflow")] + peers
    names = {side.peer: set(side.ask("list")) for side in sides}
    rows = []
    for bench, unit, work in PYTHON_CALLS:
        if args.only not in bench or only not in bench:
            continue
        say(bench)
        times = measure([side for side in sides if bench in names[side.peer]],
                        bench, args)
        rows += rows_of(times, bench, len(cores), unit,
                        lambda seconds: value_of(unit, work, seconds))
    for side in sides:
        side.close()
    return rows


def measure_python_build(args: argparse.Namespace, cores: set[int],
                         bench: str, verb: str, count: int) -> list[Row]:
    """A big graph, or its gradients, node by node."""
    say(bench)
    times, _ = measure_processes(
        {peer: library_command(args, peer, verb, str(count))
         for peer in ("berth", "tensorflow")}, SLOW_ROUNDS, cores, args,
        f" {count}", True)
    return rows_of(times, bench, 1, "s", lambda s: s)


def measure_python_start(args: argparse.Namespace, cores: set[int], bench: str,
                         peers: dict[str, list[str]]) -> list[Row]:
    """A script by `berth run`, from the start of its process to its end."""
    say(bench)
    berth = os.path.join(os.path.dirname(args.package), "berth")
    script = peers["tensorflow"][-1]
    times, sizes = measure_processes(
        {"berth": [berth, "run", script], **peers}, args.rounds, cores, args,
        CLASSIC_RESULT, False)
    return (rows_of(times, bench, 1, "ms", lambda s: s * 1e3)
            + rows_of(sizes, f"{bench}_memory", 1, "MB", lambda m: m))


def measure_python_starts(args: argparse.Namespace, cores: set[int],
                          ) -> list[Row]:
    """The classic script, and one that computes at once."""
    theirs = str(find_python(args, "tensorflow"))
    rows = []
    if args.only in "start_classic_python":
        rows += measure_python_start(
            args, cores, "start_classic_python",
            {"tensorflow": [theirs, "-c", CLASSIC_TENSORFLOW, CLASSIC_SCRIPT],
             "numpy": [theirs, "-c", CLASSIC_NUMPY]})
    if args.only in "start_eager_python":
        rows += measure_python_start(
            args, cores, "start_eager_python",
            {"tensorflow": [theirs, EAGER_SCRIPT]})
    return rows


def measure_python_import(args: argparse.Namespace, cores: set[int],
                          ) -> list[Row]:
    """What an import adds to the time of a bare interpreter."""
    say("import_python")
    theirs = str(find_python(args, "tensorflow"))
    commands = {"berth": (args.package, "import berth"),
                "tensorflow": (theirs, "import tensorflow")}
    times: dict[str, list[float]] = {}
    for peer, (python, text) in commands.items():
        found, _ = measure_processes(
            {"bare": [python, "-c", "pass"], "import": [python, "-c", text]},
            args.rounds, cores, args, "", False)
        times[peer] = [b - a for a, b in zip(found["bare"], found["import"])]
    return rows_of(times, "import_python", 1, "ms", lambda s: s * 1e3)


def measure_python(args: argparse.Namespace, cores: set[int]) -> list[Row]:
    """The rows called _python."""
    rows = []
    if args.only in "import_python":
        rows += measure_python_import(args, cores)
    rows += measure_python_starts(args, cores)
    for bench, verb, count in (
            ("build_100k_python", "build", BUILD_NODES),
            ("gradients_build", "gradients", GRADIENT_NODES)):
        if args.only in bench:
            rows += measure_python_build(args, cores, bench, verb, count)
    if any(args.only in bench for bench, _, _ in PYTHON_CALLS):
        rows += measure_python_calls(args, cores)
    return rows


def measure_all(args: argparse.Namespace) -> list[Row]:
    cores = sorted(os.sched_getaffinity(0))
    rows = []
    if args.package:
        rows += measure_python(args, set(cores[-1:]))
    if args.only in "library_size":
        rows += measure_size(args)
    if args.only in "start_classic_c":
        rows += measure_start(args, set(cores[-1:]))
    if args.only in "import_100k_nodes":
        rows += measure_import(args, set(cores[-1:]))
    rows += measure_models(args, cores)
    rows += measure_calls(args, set(cores[-1:]))
    if len(cores) > 1:
        rows += measure_calls(args, set(cores[-2:]))
        if args.package and args.only in "train_cifar10":
            rows += measure_python_calls(args, set(cores[-2:]), "train_cifar10")
        if args.package and args.only in "input_pipeline":
            rows += measure_python_calls(args, set(cores[-2:]), "input_pipeline")
    else:
        say("one core only: no rows with two threads")
    return rows


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--environments", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--package", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.2)
    return parser.parse_args()


def main() -> None:
    args = read_arguments()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    busy = os.getloadavg()[0]
    if busy > 0.5:
        say(f"the machine is busy (load {busy:.1f}): values are worse than "
            "they could be, ratios less so")
    rows = measure_all(args)
    write_json(rows, args.json)
    print(table(rows))
    print(f"\n{summary(rows)}; {args.json}")


if __name__ == "__main__":
    main()
