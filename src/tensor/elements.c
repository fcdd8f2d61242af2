// elements.c - Elements that own something: strings and handles.
#include <string.h>

#include "tensor/handle.h"
#include "tensor/string.h"
#include "tensor/tensor.h"

void berth_elements_destroy(berth_dtype_t dtype, void *data, int64_t count) {
  if (dtype == BERTH_STRING) {
    berth_string_t *strings = data;
    for (int64_t i = 0; i < count; ++i) {
      if (berth_string_is_large(&strings[i])) berth_string_clear(&strings[i]);
    }
  } else {
    berth_handle_t *handles = data;
    for (int64_t i = 0; i < count; ++i) {
      berth_resource_release(handles[i].resource);
    }
  }
}

static bool strings_copy(berth_string_t *to, const berth_string_t *from,
                         int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!berth_string_is_large(&from[i]) && !berth_string_is_large(&to[i])) {
      to[i] = from[i];
      continue;
    }
    size_t size = 0;
    const char *text = berth_string_get(&from[i], &size);
    if (!berth_string_set(&to[i], text, size)) return false;
  }
  return true;
}

bool berth_elements_copy(berth_dtype_t dtype, void *to, const void *from,
                         int64_t count) {
  if (count == 0) return true;
  if (dtype == BERTH_STRING) return strings_copy(to, from, count);
  if (berth_dtype_is_plain(dtype)) {
    memcpy(to, from, (size_t)count * berth_dtype_size(dtype));
    return true;
  }
  berth_handle_t *to_handles = to;
  const berth_handle_t *from_handles = from;
  for (int64_t i = 0; i < count; ++i) {
    berth_resource_t *old = to_handles[i].resource;
    to_handles[i].resource = berth_resource_retain(from_handles[i].resource);
    berth_resource_release(old);
  }
  return true;
}

berth_code_t berth_tensor_set_string(berth_tensor_t *tensor, int64_t index,
                                     const char *text, size_t size,
                                     berth_error_t *err) {
  BERTH_GIVEN(tensor, err);
  BERTH_GIVEN_LIST(text, size, err);
  if (tensor->dtype != BERTH_STRING) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "A tensor of type %s has no strings",
                           berth_dtype_name(tensor->dtype));
  }
  if (index < 0 || index >= tensor->count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Element %lld of a tensor with %lld elements",
                           (long long)index, (long long)tensor->count);
  }
  berth_string_t *strings = tensor->data;
  if (!berth_string_set(&strings[index], size > 0 ? text : "", size)) {
    return berth_error_no_memory(err, "a string");
  }
  return BERTH_OK;
}

const char *berth_tensor_get_string(const berth_tensor_t *tensor, int64_t index,
                                    size_t *out_size) {
  if (tensor == NULL) return NULL;
  if (tensor->dtype != BERTH_STRING || index < 0 || index >= tensor->count) {
    return NULL;
  }
  size_t size = 0;
  const berth_string_t *strings = tensor->data;
  return berth_string_get(&strings[index], out_size != NULL ? out_size : &size);
}
