// name.c - Ops that older graphs call by other names.
#include "op/name.h"

#include <string.h>

// What stands in front, and what must follow it there.
typedef struct prefix {
  const char *front, *follows;
} prefix_t;

static const prefix_t prefixes[] = {
    {"Experimental", ""},     {"Batch", "Matrix"}, {"Batch", "Cholesky"},
    {"Batch", "SelfAdjoint"}, {"Batch", "Svd"},    {"Batch", "FFT"},
    {"Batch", "IFFT"},     {"Ordered", "Map"},
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
  static const char *const things[] = {
      "TensorArray", "AudioSummary",  "Example", "Glimpse", "Queue",
      "Reader",      "SessionHandle", "Stack",   "Table"};
  size_t size = strlen(name);
  const char *end = name + (size > 2 ? size - 2 : 0);
  if (strcmp(end, "V2") != 0 && strcmp(end, "V3") != 0) return size;
  for (size_t i = 0; i < sizeof(things) / sizeof(*things); ++i) {
    if (strstr(name, things[i]) != NULL) return size - 2;
  }
  return size;
}
