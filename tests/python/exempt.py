"""exempt.py - What of the recorded runs Berth need not repeat, and why.

Everything else that differs is a failure. PARTS are applied to the recorded text
and to Berth's alike.
"""

import re

INSIDES = "about TensorFlow's insides: its oneDNN build of the CPU device"

WHOLE = {
    **dict.fromkeys(("bfc_growth", "bfc_oom", "bfc_rescue_eager", "bfc_sizes",
                     "bfc_split", "log_eager_onednn"), INSIDES),
}

# Probe: (pattern of the text that is dropped, why).
PARTS = {
    "trace_partitions_seed": (r"(?s)\Adefault\n.*?(?=optimisers off\n)",
                              "constant folding"),
    "trace_step_stats": (r"(?m)^ *_SOURCE .*\n", "the node _SOURCE"),
    "place_no_kernel": (r"(?m)^ *device='XLA_CPU_JIT'.*\n", "XLA"),
    # The real library gives 1 or 2, from one run to the next.
    "place_resource_edge": (r"(?m)(?<=^True /gpu:0 \[np\.float32\()[12]",
                            "a read races with an update"),
    "mem_huge_folded": (r"(?ms)^fill -> .*\Z", "constant folding"),
    "cfg_memory_info": (r"(?m)^\w+\(7\) -> .*\n(?:(?!\w+\().*\n)*",
                        "a text of pybind11"),
    "io_summary": (r"(?m)^meta_graph_def .*\n| \(tag 'loss'\)$",
                   "writers keep no meta graph; the tag in a text"),
    "sys_test_helpers": (r"(?m)^is_built_with_\w+ -> .*\n",
                         "how TensorFlow was built"),
    # They ran with oneDNN, whose product says more; noise is dropped from them
    # as from all others.
    **dict.fromkeys((f"log_level_{level}" for level in range(4)),
                    (r"(?m) 0 0$", "lines of port.cc and MLIR, and two flags "
                                   "in a text of oneDNN's product")),
}


def sorted_attributes(text: str) -> str:
    """Brings lists of attributes, in TensorFlow those of a hash table, in order."""
    return re.sub(r"(with these attrs: \[)([^\]]*)\]",
                  lambda m: m[1] + ", ".join(sorted(m[2].split(", "))) + "]",
                  text)


def drop(name: str, text: str) -> str:
    """Drops from |text| the parts that probe |name| may have otherwise."""
    if name == "place_no_kernel":
        text = sorted_attributes(text)
    if name in PARTS:
        text = re.sub(PARTS[name][0], "", text)
    return text
