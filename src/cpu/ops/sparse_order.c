// sparse_order.c - The order of places of sparse tensors.
#include "cpu/ops/sparse_order.h"

#include <stdio.h>
#include <stdlib.h>

int berth_sparse_compare(const int64_t *a, const int64_t *b, int64_t rank) {
  for (int64_t i = 0; i < rank; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
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
