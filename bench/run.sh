#!/bin/sh
# run.sh - Measures Berth against its peers: prints a table, writes JSON.
#
#   bench/run.sh [--only TEXT] [--rounds N] [--seconds S]
#
# The peers are installed from the package index by their names, each into an
# environment of its own under .bench-env, the first time. TensorFlow has to be
# there, numpy and ONNX Runtime are asked for, PyTorch only with
# BERTH_BENCH_TORCH=1, because it is several gigabytes. BERTH_BENCH_BUILD names
# another build than build/release, BERTH_BENCH_PYTHON another Python.
set -eu
cd "$(dirname "$0")/.."
build=${BERTH_BENCH_BUILD:-build/release}
python=${BERTH_BENCH_PYTHON:-python3}
environments=$PWD/.bench-env
programs=$build/bench

# Makes environment $1 with the packages that follow, unless it is complete.
make_environment() {
  environment=$environments/$1
  shift
  [ -e "$environment/complete" ] && return 0
  echo "installing $* into $environment" >&2
  "$python" -m venv "$environment" &&
    "$environment/bin/python" -m pip install -q "$@" >&2 &&
    touch "$environment/complete" && return 0
  rm -rf "$environment"
  return 1
}

make_environment tensorflow tensorflow-cpu || {
  echo "run.sh: tensorflow-cpu cannot be installed; it is what Berth is compared with" >&2
  exit 1
}
make_environment numpy numpy || echo "run.sh: going on without numpy" >&2
make_environment onnxruntime onnxruntime onnx numpy || echo "run.sh: going on without onnxruntime" >&2
if [ "${BERTH_BENCH_TORCH:-0}" = 1 ]; then
  make_environment torch torch numpy || echo "run.sh: going on without torch" >&2
fi

# Berth's own package is where `make` keeps it.
package=""
if [ -x .venv/bin/python ] && .venv/bin/python -c 'import berth, numpy' 2>/dev/null; then
  package=$PWD/.venv/bin/python
else
  echo "run.sh: .venv has no berth: going on without the rows called _python" >&2
fi

compile() { "${CC:-cc}" -std=c17 -D_GNU_SOURCE -O2 "$@"; }
mkdir -p "$programs"
library=$(cd "$build/lib" && pwd)
compile -Iinclude -I"$build/include" bench/side.c bench/kernels.c bench/crowd.c bench/model.c bench/berth_*.c \
  -o "$programs/berth_side" -L"$library" -lberth -lm -pthread -Wl,-rpath,"$library"
for folder in "$environments"/tensorflow/lib/python*/site-packages/tensorflow; do
  tensorflow="-isystem $folder/include $folder/libtensorflow_cc.so.2 $folder/libtensorflow_framework.so.2 -Wl,-rpath,$folder"
done
# shellcheck disable=SC2086 # Several words.
compile bench/side.c bench/kernels.c bench/crowd.c bench/model.c bench/tensorflow_side.c \
  bench/tensorflow_calls.c bench/tensorflow_objects.c bench/tensorflow_crowd.c \
  bench/tensorflow_kernels.c bench/tensorflow_model.c -o "$programs/tensorflow_side" $tensorflow -lm -pthread
# shellcheck disable=SC2086
compile bench/tensorflow_start.c -o "$programs/tensorflow_start" $tensorflow
compile bench/launch.c -o "$programs/launch"

"$python" bench/run.py --build "$build" --programs "$programs" \
  --environments "$environments" --package "$package" --json build/bench.json "$@"

# Common eager calls have a table of their own.
case "$*" in *--only*) exit 0 ;; esac
[ -n "$package" ] || exit 0
torch=""
[ -e "$environments/torch/complete" ] && torch="torch=$environments/torch/bin/python"
# shellcheck disable=SC2086 # It may be missing.
TF_CPP_MIN_LOG_LEVEL=2 "$python" bench/eager_ops.py "berth=$package" \
  "tensorflow=$environments/tensorflow/bin/python" $torch --json build/bench-eager.json
