// shape.c - Arithmetic of shapes, known and partly known.
#include "tensor/shape.h"

#include <stdio.h>

int64_t berth_dims_count(berth_dims_t dims) {
  int64_t count = 1;
  for (int32_t i = 0; i < dims.rank; ++i) {
    if (dims.dims[i] < 0) return -1;
    if (__builtin_mul_overflow(count, dims.dims[i], &count)) return -1;
  }
  return dims.rank < 0 ? -1 : count;
}

bool berth_dims_is_full(berth_dims_t dims) {
  for (int32_t i = 0; i < dims.rank; ++i) {
    if (dims.dims[i] < 0) return false;
  }
  return dims.rank >= 0;
}

berth_code_t berth_dims_check(berth_dims_t dims, int64_t *out_count,
                              berth_error_t *err) {
  if (dims.rank > BERTH_MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Too many dimensions");
  }
  for (int32_t i = 0; i < dims.rank; ++i) {
    if (dims.dims[i] >= 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Dimension %lld must be >= 0",
                           (long long)dims.dims[i]);
  }
  char text[BERTH_DIMS_TEXT];
  int64_t count = berth_dims_count(dims);
  if (dims.rank < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape %s is not fully defined",
                           berth_dims_text(dims, text));
  }
  if (count < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape %s would have more than 2**63 - 1 elements",
                           berth_dims_text(dims, text));
  }
  *out_count = count;
  return BERTH_OK;
}

void berth_dims_print(berth_dims_t dims, berth_str_t *str) {
  if (dims.rank < 0) {
    berth_str_puts(str, "<unknown>");
    return;
  }
  berth_str_putc(str, '[');
  for (int32_t i = 0; i < dims.rank; ++i) {
    if (i > 0) berth_str_putc(str, ',');
    if (dims.dims[i] < 0) {
      berth_str_putc(str, '?');
    } else {
      berth_str_printf(str, "%lld", (long long)dims.dims[i]);
    }
  }
  berth_str_putc(str, ']');
}

const char *berth_dims_text(berth_dims_t dims, char text[BERTH_DIMS_TEXT]) {
  // Leaves room for one more dimension, a comma and the cut end, "...]".
  enum { ROOM = 20 + 1 + 5 };
  if (dims.rank < 0) {
    memcpy(text, "<unknown>", sizeof("<unknown>"));
    return text;
  }
  int size = snprintf(text, BERTH_DIMS_TEXT, "[");
  for (int32_t i = 0; i < dims.rank; ++i) {
    size_t room = (size_t)(BERTH_DIMS_TEXT - size);
    const char *comma = i > 0 ? "," : "";
    if (room < ROOM) {
      size += snprintf(text + size, room, "...");
      break;
    }
    if (dims.dims[i] < 0) {
      size += snprintf(text + size, room, "%s?", comma);
    } else {
      size +=
          snprintf(text + size, room, "%s%lld", comma, (long long)dims.dims[i]);
    }
  }
  snprintf(text + size, (size_t)(BERTH_DIMS_TEXT - size), "]");
  return text;
}

bool berth_dims_broadcast(berth_dims_t a, berth_dims_t b, berth_shape_t *out) {
  int32_t rank = a.rank > b.rank ? a.rank : b.rank;
  for (int32_t i = 1; i <= rank; ++i) {
    int64_t from_a = i <= a.rank ? a.dims[a.rank - i] : 1;
    int64_t from_b = i <= b.rank ? b.dims[b.rank - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) return false;
    out->dims[rank - i] = from_a == 1 ? from_b : from_a;
  }
  out->rank = rank;
  return true;
}

bool berth_dims_merge(berth_dims_t a, berth_dims_t b, berth_shape_t *out) {
  if (a.rank < 0 || b.rank < 0) {
    berth_shape_set(out, a.rank < 0 ? b : a);
    return true;
  }
  if (a.rank != b.rank) return false;
  for (int32_t i = 0; i < a.rank; ++i) {
    int64_t from_a = a.dims[i], from_b = b.dims[i];
    if (from_a >= 0 && from_b >= 0 && from_a != from_b) return false;
    out->dims[i] = from_a >= 0 ? from_a : from_b;
  }
  out->rank = a.rank;
  return true;
}
