#!/bin/sh
# gpu.sh - Measures Berth on a GPU, beside PyTorch: prints a table, writes JSON.
#
#   bench/gpu.sh [--only TEXT] [--rounds N] [--seconds S]
#
# Needs a machine with a card. PyTorch is measured where the Python in
# BERTH_BENCH_TORCH_PYTHON (or python3) has it and it sees the card.
# BERTH_BENCH_BUILD names another build than build/release. With
# BERTH_BENCH_READY=1 the programs are there already and are not compiled.
set -eu
cd "$(dirname "$0")/.."
build=${BERTH_BENCH_BUILD:-build/release}
python=${BERTH_BENCH_PYTHON:-python3}
torch=$(command -v "${BERTH_BENCH_TORCH_PYTHON:-python3}" || true)
programs=$build/bench

compile() { "${CC:-cc}" -std=c17 -D_GNU_SOURCE -O2 "$@"; }
mkdir -p "$programs"
if [ "${BERTH_BENCH_READY:-0}" != 1 ]; then
  # Pools and copies are measured from the inside, so the library is the static one.
  compile -Iinclude -Isrc -I"$build/include" bench/side.c bench/gpu_side.c \
    bench/gpu_calls.c bench/gpu_memory.c -o "$programs/gpu_side" \
    "$build/lib/libberth.a" -lprotobuf-c -lz -lpthread -lm -ldl
  compile -Iinclude -Isrc -I"$build/include" bench/gpu_churn.c -o "$programs/gpu_churn" \
    "$build/lib/libberth.a" -lprotobuf-c -lz -lpthread -lm -ldl
  compile bench/launch.c -o "$programs/launch"
fi
[ -n "$torch" ] && "$torch" -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null || {
  echo "gpu.sh: going on without torch" >&2
  torch=
}
"$python" bench/gpu.py --programs "$programs" --torch "$torch" \
  --json build/bench-gpu.json "$@"
