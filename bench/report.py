"""Rows of results: what is to be reached, the table, the JSON file."""

import json
from dataclasses import dataclass

# Values that are better when they are bigger.
RATES = ("GB/s", "GFLOP/s", "TFLOP/s", "images/s")
SCALES = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}


def value_of(unit: str, work: float, seconds: float) -> float:
    """Turns the seconds of a call into |unit|, as side.h says."""
    if unit in RATES:
        return work / seconds
    return seconds * SCALES[unit] / work


@dataclass(frozen=True)
class Target:
    """What a row is to reach: a ratio, a value, a rate, or several."""
    ratio: float | None = None
    value: float | None = None
    rate: float | None = None

    def text(self, unit: str) -> str:
        parts = []
        if self.ratio is not None:
            parts.append(f"{self.ratio:g}x")
        if self.value is not None:
            parts.append(f"<= {self.value:g} {unit}")
        if self.rate is not None:
            parts.append(f">= {self.rate:g} {unit}")
        return ", ".join(parts)

    def is_met(self, value: float, ratio: float) -> bool:
        return ((self.ratio is None or ratio >= self.ratio)
                and (self.value is None or value <= self.value)
                and (self.rate is None or value >= self.rate))


# Of rows against TensorFlow as it comes.
TARGETS = {
    "session_run_small_c": Target(ratio=20, value=0.4),
    "assign_add_small_c": Target(ratio=20, value=0.4),
    "chain_1000": Target(value=15),
    "chain_10000": Target(value=15),
    "import_100k_nodes": Target(ratio=20),
    "import_100k_nodes_memory": Target(value=150),
    "eager_small_c_matmul": Target(ratio=10),
    "eager_small_c_add": Target(ratio=10),
    "threads_1_session": Target(ratio=1.0),
    "threads_8_session": Target(ratio=1.0),
    "threads_8_tail": Target(ratio=1.0),
    "threads_towers": Target(ratio=1.0),
    "library_size": Target(value=5),
    "start_classic_c": Target(value=10),
    "start_classic_c_memory": Target(value=10),
    "session_run_small_python": Target(ratio=30, value=3.5),
    "session_dict_python": Target(ratio=30, value=4),
    "session_nested_python": Target(ratio=30, value=4),
    "session_lists_python": Target(ratio=30, value=4),
    "session_float64_python": Target(ratio=30, value=4),
    "session_names_python": Target(ratio=30, value=4),
    "session_strings_python": Target(ratio=30, value=4),
    "eager_small_python": Target(ratio=15),
    "function_small_python": Target(ratio=50),
    "flow_cond_c": Target(ratio=20),
    "flow_count_c": Target(ratio=20),
    "flow_cond_python": Target(ratio=10),
    "flow_count_python": Target(ratio=10),
    "flow_lstm_python": Target(ratio=1.5),
    "flow_trace_python": Target(ratio=5),
    "input_pipeline": Target(ratio=2),
    "input_numbers_python": Target(ratio=10),
    "input_element_python": Target(ratio=20),
    "train_cifar10": Target(ratio=1.2),
    "train_mlp": Target(ratio=2),
    "train_lstm": Target(ratio=2),
    "train_word2vec": Target(ratio=2),
    "checkpoint_save_large": Target(ratio=1.5),
    "checkpoint_restore_large": Target(ratio=2),
    "checkpoint_save_small": Target(ratio=1.5),
    "checkpoint_restore_small": Target(ratio=5),
    "gradients_build": Target(ratio=10),
    "chain_1000_python": Target(ratio=8),
    "build_100k_python": Target(ratio=10),
    "start_classic_python": Target(ratio=20),
    "start_classic_python_memory": Target(value=45),
    "start_eager_python": Target(ratio=20),
    "start_eager_python_memory": Target(value=45),
    "import_python": Target(value=20),
}

# Of rows against other peers.
PEER_TARGETS = {("eager_small_python", "torch"): Target(ratio=1.0)}

# Of rows on a GPU.
GPU_TARGETS = {
    "gpu_matmul_8192_bf16": Target(ratio=0.98),
    "gpu_matmul_8192_tf32": Target(ratio=0.98),
    "gpu_matmul_8192_fp32": Target(ratio=0.98),
    "gpu_small_matmul_fed": Target(value=14),
    "gpu_small_matmul": Target(value=10),
    "gpu_chain_1000": Target(value=1.0),
    "gpu_copy_in": Target(rate=51.3),
    "gpu_copy_out": Target(rate=51.3),
    "gpu_alloc_1mib": Target(value=100),
    "gpu_first_use": Target(value=400),
}


def model_target(bench: str, peer: str) -> Target:
    """Of networks: small ones leave more to be gained than large products do."""
    if bench.endswith("_first"):
        return Target(ratio=5.0 if peer == "tensorflow" else 1.0)
    is_small = bench.startswith("model_mobilenetv2_b")
    return Target(ratio=1.1 if is_small and not bench.endswith("_memory") else 1.0)


def target_of(bench: str, peer: str) -> Target | None:
    if bench.startswith("gpu_"):
        return GPU_TARGETS.get(bench)
    if bench.startswith("kernel_"):
        return Target(ratio=1.0 if peer == "tensorflow" else 0.9)
    if bench.startswith("model_"):
        return model_target(bench, peer)
    if peer == "tensorflow":
        return TARGETS.get(bench)
    return PEER_TARGETS.get((bench, peer))


@dataclass(frozen=True)
class Row:
    bench: str
    threads: int
    peer: str
    berth_value: float
    peer_value: float
    unit: str
    ratio: float  # Over 1: Berth is better.

    def verdict(self) -> tuple[str, str]:
        """Returns the target and whether it is reached, as texts."""
        target = target_of(self.bench, self.peer)
        if target is None:
            return "", ""
        is_met = target.is_met(self.berth_value, self.ratio)
        return target.text(self.unit), "ok" if is_met else "MISSED"


HEADER = ("bench", "threads", "Berth", "peer", "unit", "against", "ratio",
          "target", "")


def cells(row: Row) -> tuple[str, ...]:
    target, verdict = row.verdict()
    return (row.bench, str(row.threads), f"{row.berth_value:.3g}",
            f"{row.peer_value:.4g}", row.unit, row.peer,
            f"{row.ratio:.2f}" if row.ratio < 10 else f"{row.ratio:.0f}",
            target, verdict)


def table(rows: list[Row]) -> str:
    """Returns the rows as a Markdown table that also reads well as it is."""
    lines = [HEADER, *(cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
    texts = ["| " + " | ".join(cell.ljust(width) for cell, width
                               in zip(line, widths)) + " |" for line in lines]
    texts.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(texts)


def summary(rows: list[Row]) -> str:
    verdicts = [row.verdict()[1] for row in rows]
    reached, missed = verdicts.count("ok"), verdicts.count("MISSED")
    return f"{reached} targets reached, {missed} missed"


def write_json(rows: list[Row], path: str) -> None:
    # A row without a peer has no numbers for it.
    found = [{name: None if value != value else value
              for name, value in vars(row).items()} for row in rows]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
