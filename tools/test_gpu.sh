#!/bin/sh
# test_gpu.sh - Tests Berth on the machine's own GPU.
#
#   tools/test_gpu.sh [--out FOLDER] [--pass NAME]... [--only REGEX]
#   tools/test_gpu.sh --no-build FOLDER ...   runs a tree that was built before
#   tools/test_gpu.sh --pack FILE             builds, and packs what a machine
#                                             without a compiler needs
#
# Passes and logs: tools/gpu_tests.py. Without a GPU nothing is tested, which is
# a failure when BERTH_REQUIRE_GPU=1 says so.
set -eu
cd "$(dirname "$0")/.."
build=build/gpu
is_built=no
pack=
case ${1:-} in
--no-build)
  build=$2
  is_built=yes
  shift 2
  ;;
--pack)
  pack=$2
  shift 2
  ;;
esac

if [ "$is_built" = no ]; then
  mkdir -p "$build"
  echo "building in $build"
  if ! cmake --preset gpu >"$build/build.log" 2>&1 ||
    ! cmake --build "$build" -j "${JOBS:-$(nproc)}" --target all tests \
      >>"$build/build.log" 2>&1; then
    tail -n 20 "$build/build.log"
    exit 1
  fi
  python3 tools/gpu_tests.py list "$build"
fi
if [ -n "$pack" ]; then
  exec python3 tools/gpu_tests.py pack "$build" "$pack"
fi

unset BERTH_SIMULATE_GPUS
# A packed tree brings its libraries along.
libraries=$(cd "$build/lib" && pwd)
export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
if "$build/bin/berth" devices --json | grep -q '"no_card"'; then
  echo "skipped: $("$build/bin/berth" devices | grep '^No GPU')"
  [ "${BERTH_REQUIRE_GPU:-}" != 1 ]
  exit
fi
"$build/bin/berth" devices
export BERTH_TEST_GPU=1
exec python3 tools/gpu_tests.py run "$build" "$@"
