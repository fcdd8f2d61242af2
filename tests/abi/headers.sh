#!/bin/sh
# headers.sh - Every public header compiles alone, as C11 and as C++17.
#
#   headers.sh C_COMPILER CXX_COMPILER INCLUDE_FOLDER...
set -u
cc=$1
cxx=$2
shift 2
flags="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only"
includes=""
headers=""
for folder in "$@"; do
  includes="$includes -I$folder"
  headers="$headers $(cd "$folder" && ls berth/*.h)"
done
status=0
# compile COMMAND... reads the program from standard input.
compile() {
  # shellcheck disable=SC2086
  "$@" $flags $includes - || status=1
}
for header in $headers; do
  # Twice: a header must guard itself. The function keeps the file from being
  # empty, which C11 does not allow.
  program="#include <$header>
#include <$header>
int main(void) { return 0; }"
  echo "$program" | compile "$cc" -std=c11 -xc -Wstrict-prototypes
  if [ -n "$cxx" ]; then echo "$program" | compile "$cxx" -std=c++17 -xc++; fi
done
exit $status
