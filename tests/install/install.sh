#!/bin/sh
# install.sh - Installs Berth, moves it, and uses it as a stranger would.
#
#   install.sh BUILD_FOLDER C_COMPILER [FLAG...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
cc=$2
shift 2
flags=$*
work=$build/install-test
expected='[[2. 4.]
 [6. 8.]]'

fail() {
  echo "install: $*" >&2
  exit 1
}
# check WHAT COMMAND...: the command must print the sum.
check() {
  what=$1
  shift
  [ "$("$@")" = "$expected" ] || fail "the program $what prints something else"
}

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/first" >"$work/log" || {
  cat "$work/log"
  fail "cmake --install failed"
}
# Nothing installed may depend on where that was.
mv "$work/first" "$work/prefix"
prefix=$work/prefix
pc=$(dirname "$(find "$prefix" -name berth.pc)")
lib=$(dirname "$pc")
if grep -rlI "$work/first" "$prefix"; then fail "these files contain the prefix"; fi

# Nor may it look for libraries anywhere but beside itself; an empty entry is the
# current folder.
for object in "$prefix/bin/berth" "$lib"/*.so; do
  path=$(readelf -d "$object" | sed -n 's/.*R[UN]*PATH.*\[\(.*\)\].*/\1/p')
  if [ -n "$path" ] && echo "$path" | tr ':' '\n' | grep -qv '^[$]ORIGIN'; then
    fail "$object looks for libraries in '$path'"
  fi
done

PKG_CONFIG_PATH=$pc
export PKG_CONFIG_PATH
program=$here/consumer/program.c
# The words of pkg-config are separate arguments.
# shellcheck disable=SC2046,SC2086
$cc $flags "$program" -o "$work/by_pkgconfig" $(pkg-config --cflags --libs berth)
check "built with pkg-config" env LD_LIBRARY_PATH="$lib" "$work/by_pkgconfig"
# shellcheck disable=SC2046,SC2086
$cc $flags "$program" -o "$work/by_archive" $(pkg-config --cflags berth) "$lib/libberth.a" \
  $(pkg-config --static --libs-only-l berth | sed 's/-lberth//')
check "built with the archive" "$work/by_archive"
[ "$(pkg-config --modversion berth)" = "$("$prefix/bin/berth" --version | sed 's/berth //')" ] ||
  fail "versions differ"

cmake -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" >"$work/log" 2>&1 &&
  cmake --build "$work/consumer" >>"$work/log" 2>&1 || {
  cat "$work/log"
  fail "a project with find_package(berth) does not build"
}
check "built with berth::berth" "$work/consumer/with_shared"
check "built with berth::static" "$work/consumer/with_static"

# The kernels of cards are in a library beside libberth.so, and so are
# simulated cards.
[ -f "$lib/libberth-cuda.so" ] || fail "the kernels of GPUs are missing"
# shellcheck disable=SC2086
$cc $flags "$here/consumer/card.c" -o "$work/card" -ldl
cards=$(env BERTH_SIMULATE_GPUS='T4*2' BERTH_SIMULATE_LEDGER="$work/ledger" \
  "$work/card" "$lib/libberth-softgpu.so") || fail "the software GPU does not start"
[ "$cards" = 2 ] || fail "the software GPU has $cards cards instead of 2"

# Every command has its options in the manual and in all completions.
man=$prefix/share/man/man1/berth.1
for command in run explain devices ops; do
  grep -q "^\.SS berth $command" "$man" || fail "$command is not in the manual"
  for option in $("$prefix/bin/berth" $command --help | grep -o '^  --[a-z0-9-]*' | sort -u); do
    name=${option#--}
    grep -q -- "$(echo "$option" | sed 's/-/\\\\-/g')" "$man" || fail "$option is not in the manual"
    for file in bash-completion/completions/berth zsh/site-functions/_berth; do
      grep -q -- "$option" "$prefix/share/$file" || fail "$option is not in $file"
    done
    grep -q -- "-l $name" "$prefix/share/fish/vendor_completions.d/berth.fish" ||
      fail "$option is not in berth.fish"
  done
done
if command -v groff >/dev/null; then
  [ -z "$(groff -man -ww -z "$man" 2>&1)" ] || fail "groff warns about the manual"
fi
if command -v bash >/dev/null; then
  found=$(bash -c '. "$1"; COMP_WORDS=(berth run --so); COMP_CWORD=2; _berth; echo "${COMPREPLY[*]}"' \
    bash "$prefix/share/bash-completion/completions/berth")
  [ "$found" = "--soft-placement" ] || fail "bash completes --so to '$found'"
  found=$(PATH=$prefix/bin:$PATH bash -c \
    '. "$1"; COMP_WORDS=(berth ops BiasAddG); COMP_CWORD=2; _berth; echo "${COMPREPLY[*]}"' \
    bash "$prefix/share/bash-completion/completions/berth")
  [ "$found" = "BiasAddGrad" ] || fail "bash completes BiasAddG to '$found'"
fi
rm -rf "$work"
