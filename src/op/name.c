// name.c - Ops that older graphs call by a longer name.
#include "op/name.h"

#include <string.h>

// What stands in front, and what must follow it there.
typedef struct prefix {
  const char *front, *follows;
} prefix_t;

static const prefix_t prefixes[] = {
    {"Experimental", ""},     {"Batch", "Matrix"}, {"Batch", "Cholesky"},
    {"Batch", "SelfAdjoint"}, {"Batch", "Svd"},
};

const char *berth_op_plain_name(const char *name) {
  for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); ++i) {
    const prefix_t *prefix = &prefixes[i];
    size_t size = strlen(prefix->front);
    if (strncmp(name, prefix->front, size) == 0 &&
        strncmp(name + size, prefix->follows, strlen(prefix->follows)) == 0) {
      return name + size;
    }
  }
  return name;
}
