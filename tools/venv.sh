#!/bin/sh
# venv.sh - Keeps .venv: an environment of Python with Berth's package in it.
#
# The package is the one in the checkout, python/berth, with the extension that
# the build puts there: what is edited or built is what runs. Where numpy cannot
# be had, one line says so, and Berth is built without its Python package.
set -eu
cd "$(dirname "$0")/.."
venv=.venv
needs="numpy protobuf ml_dtypes six pytest"

# Makes the environment, with what the machine has when nothing can be fetched.
make_venv() {
  python3 -m venv "$venv"
  # shellcheck disable=SC2086 # Words, not one name.
  "$venv/bin/python" -m pip install -q $needs >"$venv/pip.log" 2>&1 && return
  rm -rf "$venv"
  python3 -m venv --system-site-packages "$venv"
}

# True when the environment has what is needed and is where it was made.
is_ready() {
  [ -x "$venv/bin/python" ] &&
    "$venv/bin/python" -c 'import numpy, google.protobuf' 2>/dev/null &&
    [ "$(cat "$venv/made-in" 2>/dev/null)" = "$PWD" ]
}

if ! is_ready; then
  echo "Making $venv for the Python package"
  rm -rf "$venv"
  make_venv
  echo "$PWD" >"$venv/made-in"
  if ! is_ready; then
    echo "No Python package: pip cannot install numpy and protobuf, and python3 has none" >&2
    rm -rf "$venv"
    exit 0
  fi
fi

# Arrays of bfloat16 need it, and nothing else.
if ! "$venv/bin/python" -c 'import ml_dtypes' 2>/dev/null; then
  "$venv/bin/python" -m pip install -q ml_dtypes >>"$venv/pip.log" 2>&1 ||
    echo "No ml_dtypes: bfloat16 tensors cannot be read as arrays" >&2
fi

# Tests of tf.keras need the version whose results are recorded, and nothing else does.
keras=keras==3.15.1
if ! "$venv/bin/python" -c 'import importlib.metadata as m; m.version("keras")' 2>/dev/null; then
  "$venv/bin/python" -m pip install -q "$keras" >>"$venv/pip.log" 2>&1 ||
    echo "No $keras: tests of tf.keras are left out" >&2
fi

site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$PWD/python" >"$site/berth-checkout.pth"
cat >"$venv/bin/berth" <<SCRIPT
#!$PWD/$venv/bin/python
import sys
from berth.__main__ import main
sys.exit(main())
SCRIPT
chmod +x "$venv/bin/berth"
