"""normal.py - Texts of a run without what differs from run to run.

The same replacements as those behind tests/data/oracle/transcripts: <dir>, <time>,
<tid>, <n>, <addr>, <u64>, <host>. Traceback lines of the library's own files are
dropped altogether: how many there are is nobody's business.
"""

import re
import socket

# What TensorFlow's x86 wheel writes in every process, whatever the script does.
NOISE = re.compile(
    r"WARNING: All log messages before absl::InitializeLog\(\).*"
    r"|[IW]0000 .* (port|cpu_feature_guard|mlir_graph_optimization_pass)\.cc:.*"
    r"|To enable the following instructions: .*"
    r"|WARNING:tensorflow:From .*v2_compat\.py.*disable_resource_variables.*"
    r"|non-resource variables are not supported in the long term")

REPLACEMENTS = [
    # Berth's word on why a program is TF1.
    (r"(?m)^berth: running as TF1 \(.*\); --tf1 or BERTH_TF=1 says so without this line\n", ""),
    (r"/[^\s'\":,()]*?/site-packages/", "<tf>/"),
    (r"/[^\s'\":,()]*/lib/python3\.\d+/", "<python>/"),
    (r"\b([IWEF])0000 00:00:\d+\.\d+ +\d+ ", r"\g<1>0000 00:00:<time> <tid> "),
    (r"\b([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ ", r"\g<1><time> <tid> "),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?", "<time>"),
    (r"(events\.out\.tfevents)\.\d+\.[^\s'\",]*", r"\1.<time>.<host>"),
    (r"(\.pyx?\"?, line )\d+", r"\1<n>"),
    (r"(\.py):\d+", r"\1:<n>"),
    (r"\b0x[0-9a-f]{6,}", "0x<addr>"),
    (r"(incarnation: |Key hash: |_DeviceAttributes\(\S+ \w+, \d+, )-?\d+",
     r"\1<u64>"),
    (r"goo\.gle/debug\w+ *|<debug marker>", ""),
    (r"\b(17|18|19)\d{8}(\.\d+)\b", "<time>"),
    # The runtime's stack of the script's own statements stays, the library's
    # goes; Python's tracebacks go altogether.
    (r"(Traceback \(most recent call last\):\n)(?:[ ]+.*\n)+",
     r"\1  <frames>\n"),
    (r"(?:[ ]*File \"<tf>/.*\n)+", ""),
    (r"(?m)^ *<frames>\n", ""),
]


def scrub(text: str, folder: str, package: str = "") -> str:
    """Replaces what differs from run to run; the script ran in |folder|."""
    text = text.replace(folder, "<dir>")
    if package:
        text = text.replace(package, "<tf>/berth")
    for pattern, meaning in REPLACEMENTS:
        text = re.sub(pattern, meaning, text)
    return text.replace(socket.gethostname(), "<host>")


def without_noise(text: str) -> str:
    """Drops the lines that come in every process of TensorFlow's wheel."""
    kept = []
    after_noise = False
    for line in text.split("\n"):
        is_noise = NOISE.fullmatch(line) is not None
        # The line between a deprecation and its advice.
        is_noise |= after_noise and line == "Instructions for updating:"
        if not is_noise:
            kept.append(line)
        after_noise = is_noise
    return "\n".join(kept)


# Numbers that a listing leaves open; scrubbing may have replaced them already.
WILDCARDS = {"<n>": r"(?:\d+|<n>)", "<N>": r"\d+", "<u64>": r"(?:\d+|<u64>)"}


def matches(expected: str, found: str) -> bool:
    """Tells whether |found| is what |expected| stands for."""
    pattern = re.escape(expected)
    for wildcard, meaning in WILDCARDS.items():
        pattern = pattern.replace(re.escape(wildcard), meaning)
    return re.fullmatch(pattern, found) is not None
