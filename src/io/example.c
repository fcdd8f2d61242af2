// example.c - Records of training data.
#include "io/example.h"

#include <string.h>

#include "tensor/string.h"
#include "wire/example.pb-c.h"
#include "wire/message.h"

berth_code_t berth_example_read(const void *bytes, size_t size,
                                berth_arena_t *arena,
                                const berth_example_t **out_example,
                                berth_error_t *err) {
  ProtobufCMessage *message = NULL;
  berth_code_t code = berth_message_unpack(&berth__wire__example__descriptor,
                                           bytes, size, arena, &message, NULL);
  if (code == BERTH_OK) {
    *out_example = (const berth_example_t *)message;
    return BERTH_OK;
  }
  if (code == BERTH_RESOURCE_EXHAUSTED) {
    return berth_error_no_memory(err, "a record");
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Could not parse example input");
}

static berth_feature_t describe(const Berth__Wire__Feature *feature) {
  berth_feature_t found = {.feature = feature};
  switch (feature->kind_case) {
    case BERTH__WIRE__FEATURE__KIND_BYTES_LIST:
      found.dtype = BERTH_STRING;
      found.count = feature->bytes_list->n_value;
      break;
    case BERTH__WIRE__FEATURE__KIND_FLOAT_LIST:
      found.dtype = BERTH_FLOAT;
      found.count = feature->float_list->n_value;
      break;
    case BERTH__WIRE__FEATURE__KIND_INT64_LIST:
      found.dtype = BERTH_INT64;
      found.count = feature->int64_list->n_value;
      break;
    default:
      break;
  }
  return found;
}

berth_feature_t berth_example_find(const berth_example_t *example,
                                   const char *name, size_t size) {
  const Berth__Wire__Features *features =
      ((const Berth__Wire__Example *)example)->features;
  // Of several of one name the last counts.
  for (size_t i = features != NULL ? features->n_feature : 0; i-- > 0;) {
    const Berth__Wire__Features__FeatureEntry *entry = features->feature[i];
    if (entry->value != NULL && strlen(entry->key) == size &&
        memcmp(entry->key, name, size) == 0) {
      return describe(entry->value);
    }
  }
  return (berth_feature_t){0};
}

bool berth_feature_copy(const berth_feature_t *feature, void *out) {
  const Berth__Wire__Feature *from = feature->feature;
  if (feature->count == 0) return true;
  if (feature->dtype == BERTH_FLOAT) {
    memcpy(out, from->float_list->value, feature->count * sizeof(float));
  } else if (feature->dtype == BERTH_INT64) {
    memcpy(out, from->int64_list->value, feature->count * sizeof(int64_t));
  }
  for (size_t i = 0; feature->dtype == BERTH_STRING && i < feature->count;
       ++i) {
    const ProtobufCBinaryData *value = &from->bytes_list->value[i];
    if (!berth_string_set((berth_string_t *)out + i, (const char *)value->data,
                          value->len)) {
      return false;
    }
  }
  return true;
}
