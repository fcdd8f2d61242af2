#!/bin/sh
# check.sh - Compares tests/data/golden with an installed TensorFlow again.
#
# Records everything anew into build/golden and lists what differs by more than
# tests/data/golden/tolerance.txt allows. Another version of TensorFlow may well word
# an error in another way; the list then says so.
set -eu
cd "$(dirname "$0")/../.."

rm -rf build/golden
tools/golden/record.sh --out build/golden
python=${BERTH_TF_PYTHON:-.bench-env/tensorflow/bin/python}
exec "$python" tools/golden/compare.py tests/data/golden build/golden
