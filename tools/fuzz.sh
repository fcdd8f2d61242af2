#!/bin/sh
# fuzz.sh - Runs the fuzz targets, each for so many seconds.
#
#   tools/fuzz.sh [SECONDS [TARGET...]]     600 seconds each, all of them
#
# Two run at a time. What crashes is left in build/fuzz/<target>/ and named;
# put it into tests/fuzz/corpus/<target>/ with the fix.
set -u
# More memory than there is gives NULL, as the system does.
export ASAN_OPTIONS="allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
cd "$(dirname "$0")/.." || exit 1
seconds=${1:-600}
[ $# -gt 0 ] && shift
cmake --preset fuzz >/dev/null || exit 1
cmake --build build/fuzz -j "${JOBS:-$(nproc)}" >/dev/null || exit 1
targets=${*:-$(ls build/fuzz/bin | sed -n 's/^fuzz-//p')}

# Fuzzes $1 from its corpus, writing what is new to the build tree.
fuzz() {
  mkdir -p "build/fuzz/$1"
  "build/fuzz/bin/fuzz-$1" -max_total_time="$seconds" -timeout=20 \
    -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="build/fuzz/$1/" \
    "build/fuzz/$1" "tests/fuzz/corpus/$1" >"build/fuzz/$1.log" 2>&1
  code=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$1.log")
  echo "$1: ${runs:-?} inputs, exit $code"
  return $code
}

set -- $targets
bad=0
while [ $# -gt 0 ]; do
  fuzz "$1" &
  first=$!
  shift
  second=
  if [ $# -gt 0 ]; then
    fuzz "$1" &
    second=$!
    shift
  fi
  wait "$first" || bad=1
  [ -z "$second" ] || wait "$second" || bad=1
done
exit $bad
