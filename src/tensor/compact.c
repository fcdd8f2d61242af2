// compact.c - Making tensors of few values, and all of their elements.
#include "tensor/compact.h"

#include <string.h>

#include "base/memory_size.h"
#include "tensor/string.h"

berth_code_t berth_tensor_make_compact(berth_dtype_t dtype, berth_dims_t shape,
                                       int64_t count, int32_t listed,
                                       berth_tensor_t **out_tensor,
                                       berth_error_t *err) {
  berth_tensor_t *head = NULL, *tensor = NULL;
  int64_t dims[] = {listed};
  BERTH_TRY(berth_tensor_make(NULL, dtype, 1, dims, listed, &head, err));
  berth_code_t code = berth_tensor_view(head->buffer, NULL, dtype, shape.rank,
                                        shape.dims, count, NULL, &tensor, err);
  berth_tensor_release(head);
  if (code != BERTH_OK) return code;
  tensor->listed = listed;
  *out_tensor = tensor;
  return BERTH_OK;
}

// Doubles what is copied until there is enough.
static void numbers_repeat(char *first, size_t size, size_t wanted) {
  size_t filled = 1;
  while (filled < wanted) {
    size_t step = filled < wanted - filled ? filled : wanted - filled;
    memcpy(first + filled * size, first, step * size);
    filled += step;
  }
}

bool berth_elements_repeat(berth_dtype_t dtype, void *data, int64_t done,
                           int64_t count) {
  size_t size = berth_dtype_size(dtype);
  bool is_plain = berth_dtype_is_plain(dtype);
  if (done == 0) {
    if (is_plain) memset(data, 0, (size_t)count * size);
    return true;  // Strings and handles are zero from the start.
  }
  char *first = (char *)data + (size_t)(done - 1) * size;
  if (is_plain) {
    numbers_repeat(first, size, (size_t)(count - done) + 1);
    return true;
  }
  for (int64_t i = done; i < count; ++i) {
    char *to = (char *)data + (size_t)i * size;
    if (!berth_elements_copy(dtype, to, first, 1)) return false;
  }
  return true;
}

uint64_t berth_tensor_expanded_size(const berth_tensor_t *tensor) {
  uint64_t size = tensor->size;
  if (tensor->dtype != BERTH_STRING || !berth_tensor_is_compact(tensor)) {
    return size;
  }
  const berth_string_t *strings = berth_tensor_elements(tensor);
  size_t text = 0;
  (void)berth_string_get(&strings[tensor->listed - 1], &text);
  uint64_t texts = 0;
  // Short texts lie in the element.
  if (text < sizeof(berth_string_t) - 1) return size;
  if (__builtin_mul_overflow((uint64_t)(tensor->count - tensor->listed),
                             (uint64_t)text, &texts) ||
      __builtin_add_overflow(size, texts, &size)) {
    return UINT64_MAX;
  }
  return size;
}

berth_code_t berth_tensor_expand(berth_tensor_t *tensor,
                                 berth_tensor_t **out_tensor,
                                 berth_error_t *err) {
  if (!berth_tensor_is_compact(tensor)) {
    *out_tensor = berth_tensor_retain(tensor);
    return BERTH_OK;
  }
  uint64_t size = berth_tensor_expanded_size(tensor);
  if (size > berth_memory_most()) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(
        err, BERTH_RESOURCE_EXHAUSTED,
        "OOM when allocating tensor with shape%s and type %s: its elements "
        "take %llu bytes, and this machine has %llu",
        berth_tensor_dims_text(tensor, text), berth_dtype_name(tensor->dtype),
        (unsigned long long)size, (unsigned long long)berth_memory_most());
  }
  berth_tensor_t *whole = NULL;
  BERTH_TRY(berth_tensor_make(NULL, tensor->dtype, tensor->rank, tensor->dims,
                              tensor->count, &whole, err));
  whole->listed = tensor->listed;
  if (!berth_elements_copy(tensor->dtype, whole->data,
                           berth_tensor_elements(tensor), tensor->listed) ||
      !berth_elements_repeat(tensor->dtype, whole->data, tensor->listed,
                             tensor->count)) {
    berth_tensor_release(whole);
    return berth_error_no_memory(err, "the strings of a constant");
  }
  *out_tensor = whole;
  return BERTH_OK;
}
