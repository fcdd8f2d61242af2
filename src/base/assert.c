// assert.c - The end of a process whose own reasoning was wrong.
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void berth_assert_failed(const char *text, const char *file,
                                   int line) {
  fprintf(stderr, "berth: %s:%d: this must hold but does not: %s\n", file, line,
          text);
  abort();
}
