// sparse_order.c - The order of places of sparse tensors, and their elements.
#include "cpu/ops/sparse_order.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

int berth_sparse_compare(const int64_t *a, const int64_t *b, int64_t rank) {
  for (int64_t i = 0; i < rank; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

bool berth_sparse_is_sorted(const int64_t *at, int64_t count, int64_t rank) {
  for (int64_t i = 1; i < count; ++i, at += rank) {
    int64_t d = 0;
    while (d < rank && at[d] == at[rank + d]) ++d;
    if (d < rank && at[d] > at[rank + d]) return false;
  }
  return true;
}

static int compare_entries(const void *a, const void *b) {
  const berth_sparse_entry_t *x = a, *y = b;
  int order = berth_sparse_compare(x->at, y->at, x->rank);
  return order != 0 ? order : x->index < y->index ? -1 : x->index > y->index;
}

void berth_sparse_sort(berth_sparse_entry_t *entries, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    if (compare_entries(&entries[i - 1], &entries[i]) <= 0) continue;
    qsort(entries, (size_t)count, sizeof(*entries), compare_entries);
    return;
  }
}

// Writes a place as messages do, with numbers below 0 as they are.
static void place_text(const int64_t *place, int64_t rank,
                       char text[BERTH_DIMS_TEXT]) {
  berth_str_t str = {0};
  for (int64_t d = 0; d < rank; ++d) {
    berth_str_printf(&str, "%c%lld", d == 0 ? '[' : ',', (long long)place[d]);
  }
  (void)snprintf(text, BERTH_DIMS_TEXT, "%s]", berth_str_get(&str));
  berth_str_clear(&str);
}

berth_code_t berth_sparse_validate(const int64_t *at, int64_t count,
                                   berth_dims_t shape, const char *prefix,
                                   berth_error_t *err) {
  int64_t rank = shape.rank;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t *place = at + i * rank;
    bool is_inside = true;
    for (int64_t d = 0; d < rank; ++d) {
      is_inside = is_inside && place[d] >= 0 && place[d] < shape.dims[d];
    }
    int order = i > 0 ? berth_sparse_compare(place - rank, place, rank) : -1;
    if (is_inside && order < 0) continue;
    char here[BERTH_DIMS_TEXT], limit[BERTH_DIMS_TEXT] = "";
    place_text(place, rank, here);
    if (!is_inside) berth_dims_text(shape, limit);
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT, "%sindices[%lld] = %s is %s%s", prefix,
        (long long)i, here,
        !is_inside   ? "out of bounds: need 0 <= index < "
        : order == 0 ? "repeated"
                     : "out of order. Many sparse ops require sorted indices.\n"
                       "    Use `tf.sparse.reorder` to create a correctly "
                       "ordered copy.\n\n",
        limit);
  }
  return BERTH_OK;
}

berth_code_t berth_sparse_inside(const berth_tensor_t *at,
                                 const berth_tensor_t *shape,
                                 berth_error_t *err) {
  const int64_t *sizes = shape->data, *place = at->data;
  int64_t rank = shape->count;
  for (int64_t i = 0, axis = 0; i < at->count; ++i) {
    int64_t size = sizes[axis];
    axis = axis + 1 < rank ? axis + 1 : 0;
    if (place[i] >= 0 && place[i] < size) continue;
    char text[BERTH_SPARSE_TEXT];
    int64_t row = i / rank;
    size_t used = 0;
    for (int64_t d = 0; d < rank && d < 10; ++d) {
      used +=
          (size_t)snprintf(text + used, sizeof(text) - used, "%s%lld",
                           d > 0 ? ", " : "", (long long)place[row * rank + d]);
    }
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Sparse index tuple indices[%lld, :] = [%s] is out of bounds",
        (long long)row, text);
  }
  return BERTH_OK;
}

berth_code_t berth_sparse_copy(const berth_tensor_t *values, int64_t from,
                               int64_t count, void *out, int64_t to,
                               berth_error_t *err) {
  size_t size = berth_dtype_size(values->dtype);
  bool is_done =
      berth_elements_copy(values->dtype, (char *)out + (size_t)to * size,
                          (const char *)values->data + (size_t)from * size,
                          count);
  return is_done ? BERTH_OK : berth_error_no_memory(err, "an element");
}

const char *berth_sparse_text(const berth_tensor_t *vector,
                              char text[BERTH_SPARSE_TEXT]) {
  enum { MOST = 10 };
  const int64_t *numbers = vector->data;
  size_t used = 0;
  text[0] = '\0';
  for (int64_t i = 0; i < vector->count && i < MOST; ++i) {
    used += (size_t)snprintf(text + used, BERTH_SPARSE_TEXT - used, "%s%lld",
                             i > 0 ? " " : "", (long long)numbers[i]);
  }
  if (vector->count > MOST) {
    snprintf(text + used, BERTH_SPARSE_TEXT - used, "...");
  }
  return text;
}
