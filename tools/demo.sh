#!/bin/sh
# demo.sh - Runs the guides' programs: on this machine's GPU, or on the guides'
# own machines, made in software.
#
#   demo.sh FOLDER_OF_PROGRAMS
set -eu
bin=$1
export TF_CPP_MIN_LOG_LEVEL=1 # Information only repeats the device mapping.

# show PROGRAM [SPEC]: runs a program as a person would type it.
show() {
  echo
  if [ $# -gt 1 ]; then
    export BERTH_SIMULATE_GPUS="$2"
    echo "\$ BERTH_SIMULATE_GPUS='$2' $1"
  else
    echo "\$ $1"
  fi
  "$bin/$1"
}

if "$bin/berth" devices --json | grep -q '"no_card"'; then
  "$bin/berth" devices | sed -n 's/^\(No GPU: [^;]*\).*/\1/p'
  echo "So here are the guides' machines, simulated."
  show log_placement 'Tesla K40c@0000:05:00.0'
  show multi_gpu \
    'Tesla K20m*4@0000:02:00.0,0000:03:00.0,0000:83:00.0,0000:84:00.0'
else
  "$bin/berth" devices
  show log_placement
  show manual_placement
fi
