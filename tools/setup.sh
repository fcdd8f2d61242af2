#!/bin/sh
# setup.sh - Installs what building Berth needs, where it is missing.
#
# Debian and Ubuntu: by apt, as root or with sudo. Elsewhere, or without either,
# one line says what to install.
set -eu

missing=""
need() { # need COMMAND PACKAGE
  command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
need cc gcc
need c++ g++
need cmake cmake
need ninja ninja-build
need pkg-config pkg-config
need protoc-c protobuf-c-compiler
need python3 python3
python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"
python3 - 2>/dev/null <<'SCRIPT' || missing="$missing python3-dev"
import os, sysconfig
raise SystemExit(not os.path.exists(sysconfig.get_path('include') + '/Python.h'))
SCRIPT
pkg-config --exists libprotobuf-c 2>/dev/null || missing="$missing libprotobuf-c-dev"
pkg-config --exists zlib 2>/dev/null || missing="$missing zlib1g-dev"
# GPU kernels are compiled by clang; without it only the software GPU has them.
need clang clang
# oneDNN is opened at run time; without it Berth uses its own loops.
onednn=""
for file in /usr/lib/*/libdnnl.so.* /usr/lib*/libdnnl.so.*; do
  [ ! -e "$file" ] || onednn=$file
done
[ -n "$onednn" ] || missing="$missing libdnnl-dev"
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "Please install what Berth needs, in Debian's names:$missing" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
if [ "$(id -u)" = 0 ]; then
  sudo=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  sudo="sudo"
else
  echo "Please install what Berth needs:  sudo $install" >&2
  exit 1
fi
echo "Installing:$missing"
$sudo apt-get update -qq
# libdnnl-dev is newer than some releases; Berth works without it.
if ! $sudo $install >/dev/null; then
  rest=$(echo "$missing" | sed 's/ libdnnl-dev//')
  [ -z "$rest" ] || $sudo apt-get install -y --no-install-recommends $rest >/dev/null
fi
