#!/bin/sh
# ci.sh - Builds and tests one preset, or all that `make test` covers.
#
#   tools/ci.sh PRESET [ctest options]     one of CMakePresets.json
#   tools/ci.sh all                        dev, asan, tsan (threaded tests), checks
#
# The last line counts: N passed, N failed.
set -u
# The leak checker stumbles over the thread-local storage of libraries that are
# opened late, as oneDNN is; and more memory than there is gives NULL, as usual.
export ASAN_OPTIONS="intercept_tls_get_addr=0:allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
cd "$(dirname "$0")/.." || exit 1
jobs=${JOBS:-$(nproc)}
passed=0
failed=0

# Adds what ctest counted in the log $1.
count() {
  total=$(sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' "$1" | tail -n 1)
  bad=$(sed -n 's/.*, \([0-9]*\) tests failed out of.*/\1/p' "$1" | tail -n 1)
  passed=$((passed + ${total:-0} - ${bad:-0}))
  failed=$((failed + ${bad:-0}))
}

# What a preset is configured with beside itself: the Python package needs the
# environment that tools/venv.sh makes.
python="$PWD/.venv/bin/python"
python_flags=""
[ ! -x "$python" ] || python_flags="-DBERTH_PYTHON=ON -DPython_EXECUTABLE=$python"

# Builds preset $1 and runs its tests; the rest of the arguments go to ctest.
run_preset() {
  preset=$1
  shift
  log="build/$preset/ci.log"
  mkdir -p "build/$preset"
  echo "== $preset"
  # shellcheck disable=SC2086 # Two words, or none.
  if ! cmake --preset "$preset" -DBERTH_WERROR=ON $python_flags >"$log" 2>&1 ||
    ! cmake --build "build/$preset" -j "$jobs" --target all tests >>"$log" 2>&1; then
    grep -m 5 -A 5 -E '(error|Error):|FAILED:' "$log"
    echo "preset $preset does not build; see $log"
    failed=$((failed + 1))
    return
  fi
  # Addresses at random now and then lie where the thread sanitizer wants to be.
  fixed=""
  if [ "$preset" = tsan ] && setarch "$(uname -m)" -R true 2>/dev/null; then
    fixed="setarch $(uname -m) -R"
  fi
  # shellcheck disable=SC2086 # Several words, or none.
  $fixed ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure "$@" | tee "$log.ctest" |
    grep -v -E '^ *Start|^test [0-9]| Passed |^$' || true
  count "$log.ctest"
}

# Tests that want GPUs simulate them; the machine's own are for `make test-gpu`.
if [ -e /dev/nvidiactl ]; then
  export BERTH_SIMULATE_GPUS=none
fi

if [ "${1:-all}" = all ]; then
  run_preset release
  run_preset asan -LE 'static|slow'
  run_preset tsan -L threads
else
  run_preset "$@"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
