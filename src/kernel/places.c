// places.c - Going to places in a tensor that are given as indices.
#include "kernel/places.h"

int64_t berth_places_find_bad(const berth_places_t *places,
                              const void *indices) {
  for (int64_t i = 0; i < places->count; ++i) {
    if (berth_place_at(places, indices, i) < 0) return i;
  }
  return -1;
}

void berth_place_print(berth_dims_t outer, int64_t i, berth_str_t *str) {
  int64_t place[BERTH_MAX_RANK];
  for (int32_t d = outer.rank - 1; d >= 0; --d) {
    place[d] = i % outer.dims[d];
    i /= outer.dims[d];
  }
  for (int32_t d = 0; d < outer.rank; ++d) {
    berth_str_printf(str, "%s%lld", d > 0 ? "," : "[", (long long)place[d]);
  }
  if (outer.rank > 0) berth_str_putc(str, ']');
}

void berth_place_print_indices(const berth_places_t *places,
                               const void *indices, int64_t i,
                               berth_str_t *str) {
  berth_str_putc(str, '[');
  for (int32_t d = 0; d < places->depth; ++d) {
    berth_str_printf(str, "%s%lld", d > 0 ? ", " : "",
                     (long long)berth_index_at(places->index_type, indices,
                                               i * places->depth + d));
  }
  berth_str_putc(str, ']');
}

berth_code_t berth_place_fail(const berth_places_t *places, const void *indices,
                              int64_t i, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  berth_str_t at = {0};
  berth_place_print(places->outer, i, &at);
  berth_str_puts(&at, " = ");
  berth_place_print_indices(places, indices, i, &at);
  berth_code_t code = berth_error_set(
      err, BERTH_INVALID_ARGUMENT, "indices%s does not index into shape %s",
      berth_str_get(&at), berth_dims_text(places->shape, text));
  berth_str_clear(&at);
  return code;
}

// The same for an index of the first dimension.
static berth_code_t fail_index(const berth_places_t *places,
                               const void *indices, int64_t i,
                               berth_error_t *err) {
  berth_str_t at = {0};
  berth_place_print(places->outer, i, &at);
  berth_code_t code = berth_error_set(
      err, BERTH_INVALID_ARGUMENT, "indices%s = %lld is not in [0, %lld)",
      berth_str_get(&at),
      (long long)berth_index_at(places->index_type, indices, i),
      (long long)places->shape.dims[0]);
  berth_str_clear(&at);
  return code;
}

// Checks the type, and describes the places.
static berth_code_t check_shapes(const berth_scatter_t *scatter,
                                 const berth_tensor_t *now,
                                 berth_places_t *out_places,
                                 berth_error_t *err) {
  if (now->dtype != scatter->dtype) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "DType of variable handle and updates must match: %s vs. %s",
        berth_dtype_name(now->dtype), berth_dtype_name(scatter->dtype));
  }
  return berth_scatter_check(scatter, berth_tensor_dims(now), out_places, err);
}

berth_code_t berth_places_check_shapes(const berth_scatter_t *scatter,
                                       const berth_tensor_t *now,
                                       berth_error_t *err) {
  berth_places_t places;
  return check_shapes(scatter, now, &places, err);
}

berth_code_t berth_places_check_variable(const berth_scatter_t *scatter,
                                         const berth_tensor_t *now,
                                         const void *indices,
                                         berth_error_t *err) {
  berth_places_t places;
  BERTH_TRY(check_shapes(scatter, now, &places, err));
  int64_t bad = berth_places_find_bad(&places, indices);
  if (bad < 0) return BERTH_OK;
  return scatter->is_nd ? berth_place_fail(&places, indices, bad, err)
                        : fail_index(&places, indices, bad, err);
}
