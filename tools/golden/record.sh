#!/bin/sh
# record.sh - Records tests/data/golden again, with TensorFlow.
#
#   tools/golden/record.sh [--out DIR] [Op ...]
#
# BERTH_TF_PYTHON names a Python that has tensorflow-cpu. Without it, one is made
# in .bench-env/tensorflow, once.
set -eu
cd "$(dirname "$0")/../.."

python=${BERTH_TF_PYTHON:-.bench-env/tensorflow/bin/python}
if ! "$python" -c 'import tensorflow' >/dev/null 2>&1; then
  if [ -n "${BERTH_TF_PYTHON:-}" ]; then
    echo "$python has no TensorFlow" >&2
    exit 1
  fi
  echo "Installing tensorflow-cpu into .bench-env/tensorflow"
  python3 -m venv .bench-env/tensorflow
  .bench-env/tensorflow/bin/pip install --quiet tensorflow-cpu
fi
exec "$python" tools/golden/record.py "$@"
