// example_fuzz.c - Feeds arbitrary bytes to the readers of records of training
// data.
//
// The bytes are taken for an Example, a SequenceExample and a list of features;
// every feature that can be read must copy as many values as were counted.
#include <stdint.h>
#include <stdlib.h>

#include "io/example.h"
#include "tensor/string.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Exactly as large as was counted: the sanitizer sees what is written behind.
static void copy(const berth_feature_t *feature) {
  size_t element = feature->dtype == BERTH_STRING  ? sizeof(berth_string_t)
                   : feature->dtype == BERTH_FLOAT ? sizeof(float)
                                                   : sizeof(int64_t);
  void *values = calloc(feature->count + 1, element);
  if (values == NULL || !berth_feature_copy(feature, values)) __builtin_trap();
  for (size_t i = 0; feature->dtype == BERTH_STRING && i < feature->count;
       ++i) {
    berth_string_clear((berth_string_t *)values + i);
  }
  free(values);
}

static void in_context(void *arg, berth_slice_t key, berth_slice_t message) {
  berth_feature_t feature;
  (void)arg;
  (void)key;
  if (berth_feature_read(message, &feature)) copy(&feature);
}

static void in_lists(void *arg, berth_slice_t key, berth_slice_t list) {
  berth_slice_t feature;
  bool is_there = true;
  while (berth_feature_list_next(&list, &feature, &is_there) && is_there) {
    in_context(arg, key, feature);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  berth_slice_t bytes = {(const char *)data, size};
  (void)berth_example_walk(bytes, in_context, NULL);
  (void)berth_sequence_walk(bytes, in_context, in_lists, NULL);
  in_lists(NULL, bytes, bytes);
  in_context(NULL, bytes, bytes);
  return 0;
}
