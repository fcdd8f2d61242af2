#!/bin/sh
# demo.sh - Runs the guides' programs, in Python and in C: on this machine's GPU,
# or on the guides' own machines, made in software.
#
#   demo.sh FOLDER_OF_PROGRAMS
set -eu
bin=$1
scripts=examples/python
export TF_CPP_MIN_LOG_LEVEL=1 # Information only repeats the device mapping.

K40C='Tesla K40c@0000:05:00.0'
K20M='Tesla K20m*4@0000:02:00.0,0000:03:00.0,0000:83:00.0,0000:84:00.0'

# show_script SCRIPT [SPEC]: runs a script of the guides as a person would type it.
show_script() {
  [ -x .venv/bin/berth ] || return 0
  echo
  if [ $# -gt 1 ]; then
    echo "\$ berth run --simulate '$2' $scripts/$1"
    .venv/bin/berth run --simulate "$2" "$scripts/$1"
  else
    echo "\$ berth run $scripts/$1"
    .venv/bin/berth run "$scripts/$1"
  fi
}

# show_program PROGRAM [SPEC]: the same for a program in C.
show_program() {
  echo
  if [ $# -gt 1 ]; then
    echo "\$ BERTH_SIMULATE_GPUS='$2' $1"
    BERTH_SIMULATE_GPUS="$2" "$bin/$1"
  else
    echo "\$ $1"
    "$bin/$1"
  fi
}

if "$bin/berth" devices --json | grep -q '"no_card"'; then
  "$bin/berth" devices | sed -n 's/^\(No GPU: [^;]*\).*/\1/p'
  echo "So here are the guides' machines, simulated: the scripts in Python, unedited,"
  show_script log_placement.py "$K40C"
  show_script multi_gpu.py "$K20M"
  show_script logical_limit.py "$K40C"
  echo
  echo "and the first of them in C."
  show_program log_placement "$K40C"
else
  "$bin/berth" devices
  echo
  echo "The guides' scripts in Python, unedited,"
  show_script log_placement.py
  show_script manual_placement.py
  show_script logical_limit.py
  echo
  echo "and the first of them in C."
  show_program log_placement
fi

if [ -x .venv/bin/berth ]; then
  echo
  echo "Now a script of your own:  .venv/bin/berth run SCRIPT.py"
fi
