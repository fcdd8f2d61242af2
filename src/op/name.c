// name.c - Ops that older graphs call by other names.
#include "op/name.h"

#include <stdbool.h>
#include <string.h>

// What stands in front, and what must follow it there.
typedef struct prefix {
  const char *front, *follows;
} prefix_t;

static const prefix_t prefixes[] = {
    {"Experimental", ""},     {"Batch", "Matrix"}, {"Batch", "Cholesky"},
    {"Batch", "SelfAdjoint"}, {"Batch", "Svd"},    {"Batch", "FFT"},
    {"Batch", "IFFT"},
};

// Ops of which a second version does the same; the first is its name but for
// the two letters at the end.
static const char *const versions[] = {
    "Conv3DBackpropFilterV2",
    "Conv3DBackpropInputV2",
    "QuantizeAndDequantizeV2",
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
  for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); ++i) {
    size_t size = strlen(versions[i]) - 2;
    if (strlen(name) == size && memcmp(name, versions[i], size) == 0) {
      return versions[i];
    }
  }
  return name;
}

size_t berth_op_plain_size(const char *name) {
  static const char front[] = "TensorArray";
  size_t size = strlen(name);
  bool has_generations = strncmp(name, front, strlen(front)) == 0 &&
                         (strcmp(name + size - 2, "V2") == 0 ||
                          strcmp(name + size - 2, "V3") == 0);
  return has_generations ? size - 2 : size;
}
