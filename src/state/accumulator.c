// accumulator.c - Sums of gradients that several workers bring.
#include "state/accumulator.h"

#include <string.h>

#include "base/alloc.h"
#include "state/accumulator_internal.h"
#include "tensor/half.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

// ---- Numbers ----

void berth_sum_add(berth_dtype_t dtype, void *to, const void *from,
                   int64_t count) {
  if (dtype == BERTH_FLOAT) {
    float *a = to;
    const float *b = from;
    for (int64_t i = 0; i < count; ++i) a[i] += b[i];
  } else if (dtype == BERTH_DOUBLE) {
    double *a = to;
    const double *b = from;
    for (int64_t i = 0; i < count; ++i) a[i] += b[i];
  } else {
    uint16_t *a = to;
    const uint16_t *b = from;
    for (int64_t i = 0; i < count; ++i) {
      a[i] = berth_float_to_half(berth_half_to_float(a[i]) +
                                 berth_half_to_float(b[i]));
    }
  }
}

void berth_sum_divide(berth_dtype_t dtype, void *data, int64_t count,
                      int64_t by) {
  if (dtype == BERTH_FLOAT) {
    for (int64_t i = 0; i < count; ++i) ((float *)data)[i] /= (float)by;
  } else if (dtype == BERTH_DOUBLE) {
    for (int64_t i = 0; i < count; ++i) ((double *)data)[i] /= (double)by;
  } else {
    uint16_t *half = data;
    float number = berth_half_to_float(berth_float_to_half((float)by));
    for (int64_t i = 0; i < count; ++i) {
      half[i] = berth_float_to_half(berth_half_to_float(half[i]) / number);
    }
  }
}

// ---- Making ----

static void accumulator_destroy(berth_resource_t *resource) {
  berth_accumulator_t *accumulator = (berth_accumulator_t *)resource;
  berth_tensor_release(accumulator->sum);
  berth_tensor_release(accumulator->indices);
  berth_free(accumulator->counts);
  berth_mutex_deinit(&accumulator->lock);
  berth_free(accumulator);
}

static berth_code_t accumulator_create(void *arg,
                                       berth_resource_t **out_resource,
                                       berth_error_t *err) {
  const berth_accumulator_options_t *options = arg;
  berth_accumulator_t *made = berth_calloc(1, sizeof(*made));
  if (made == NULL) return berth_error_no_memory(err, "an accumulator");
  atomic_init(&made->resource.refs, 1);
  made->resource.kind = BERTH_RESOURCE_ACCUMULATOR;
  made->resource.destroy = accumulator_destroy;
  made->dtype = options->dtype;
  made->is_sparse = options->is_sparse;
  made->is_mean = options->is_mean;
  berth_shape_set(&made->shape, options->shape);
  berth_mutex_init(&made->lock);
  *out_resource = &made->resource;
  return BERTH_OK;
}

berth_code_t berth_accumulator_get(berth_container_t *container,
                                   const char *container_name, const char *key,
                                   const berth_accumulator_options_t *options,
                                   berth_accumulator_t **out,
                                   berth_error_t *err) {
  berth_accumulator_options_t wanted = *options;
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_container_find_or_create(
      container, container_name, BERTH_RESOURCE_ACCUMULATOR, key,
      accumulator_create, &wanted, &resource, err));
  *out = (berth_accumulator_t *)resource;
  return BERTH_OK;
}

berth_accumulator_options_t berth_accumulator_options(
    const berth_accumulator_t *accumulator) {
  return (berth_accumulator_options_t){
      .dtype = accumulator->dtype,
      .shape = berth_shape_dims(&accumulator->shape),
      .is_sparse = accumulator->is_sparse,
      .is_mean = accumulator->is_mean};
}

int32_t berth_accumulator_count(berth_accumulator_t *accumulator) {
  berth_mutex_lock(&accumulator->lock);
  int32_t count = accumulator->count;
  berth_mutex_unlock(&accumulator->lock);
  return count;
}

void berth_accumulator_set_step(berth_accumulator_t *accumulator,
                                int64_t step) {
  berth_mutex_lock(&accumulator->lock);
  accumulator->step = step;
  berth_mutex_unlock(&accumulator->lock);
}

// ---- Dense gradients ----

// Makes the sum a tensor that nobody else holds.
static berth_code_t own_sum(berth_accumulator_t *accumulator,
                            berth_error_t *err) {
  if (accumulator->is_own) return BERTH_OK;
  const berth_tensor_t *sum = accumulator->sum;
  berth_tensor_t *copy = NULL;
  BERTH_TRY(berth_tensor_make(NULL, sum->dtype, sum->rank, sum->dims,
                              sum->count, &copy, err));
  if (sum->count > 0) memcpy(copy->data, sum->data, sum->size);
  berth_tensor_release(accumulator->sum);
  accumulator->sum = copy;
  accumulator->is_own = true;
  return BERTH_OK;
}

static berth_code_t fail_shape(berth_dims_t expected,
                               const berth_tensor_t *gradient,
                               berth_error_t *err) {
  char wanted[BERTH_DIMS_TEXT], got[BERTH_DIMS_TEXT];
  return INVALID(
      "Shape mismatch: expected %s, got %s", berth_dims_text(expected, wanted),
      berth_dims_text((berth_dims_t){gradient->rank, gradient->dims}, got));
}

// True when |gradient| has the sizes of |shape| that are known.
static bool fits(berth_dims_t shape, const berth_tensor_t *gradient) {
  if (shape.rank < 0) return true;
  bool is_same = shape.rank == gradient->rank;
  for (int32_t d = 0; is_same && d < shape.rank; ++d) {
    is_same = shape.dims[d] < 0 || shape.dims[d] == gradient->dims[d];
  }
  return is_same;
}

static berth_code_t add_dense(berth_accumulator_t *accumulator,
                              berth_tensor_t *gradient, berth_error_t *err) {
  berth_dims_t shape = berth_shape_dims(&accumulator->shape);
  if (!fits(shape, gradient)) return fail_shape(shape, gradient, err);
  if (accumulator->count == 0) {
    accumulator->sum = berth_tensor_retain(gradient);
    return BERTH_OK;
  }
  berth_dims_t own = {accumulator->sum->rank, accumulator->sum->dims};
  if (!fits(own, gradient)) return fail_shape(own, gradient, err);
  BERTH_TRY(own_sum(accumulator, err));
  berth_sum_add(gradient->dtype, accumulator->sum->data, gradient->data,
                gradient->count);
  return BERTH_OK;
}

berth_code_t berth_accumulator_apply(berth_accumulator_t *accumulator,
                                     int64_t step, berth_tensor_t *gradient,
                                     berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&accumulator->lock);
  if (step >= accumulator->step) {
    code = add_dense(accumulator, gradient, err);
    if (code == BERTH_OK) ++accumulator->count;
  }
  berth_mutex_unlock(&accumulator->lock);
  berth_accumulator_flush(accumulator);
  return code;
}

// ---- Rows ----

// Checks what is known of the whole shape.
static berth_code_t check_whole(berth_dims_t own, const berth_tensor_t *shape,
                                berth_error_t *err) {
  if (shape == NULL || own.rank < 0) return BERTH_OK;
  if (own.rank > shape->count) {
    return INVALID("Shape mismatch: expected shape rank at least %d, got %lld",
                   (int)own.rank, (long long)shape->count);
  }
  for (int32_t d = 0; d < own.rank; ++d) {
    int64_t size = ((const int64_t *)shape->data)[d];
    if (own.dims[d] < 0 || own.dims[d] == size) continue;
    return INVALID("Shape mismatch: expected shape dim %d to be %lld, got %lld",
                   (int)d, (long long)own.dims[d], (long long)size);
  }
  return BERTH_OK;
}

static berth_code_t check_indices(berth_dims_t own,
                                  const berth_tensor_t *indices,
                                  const berth_tensor_t *values,
                                  berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (indices->rank != 1) {
    return INVALID(
        "Input indices should be vector but received shape: %s",
        berth_dims_text((berth_dims_t){indices->rank, indices->dims}, text));
  }
  if (values->rank == 0) return INVALID("Values cannot be 0-dimensional.");
  if (values->dims[0] != indices->count) {
    return INVALID("Expected %lld non-empty input values, got %lld",
                   (long long)indices->count, (long long)values->dims[0]);
  }
  if (own.rank < 1 || own.dims[0] < 0) return BERTH_OK;
  for (int64_t i = 0; i < indices->count; ++i) {
    int64_t index = ((const int64_t *)indices->data)[i];
    if (index < own.dims[0]) continue;
    return INVALID(
        "Shape mismatch: index of slice %lld exceeded limits of shape; index "
        "is %lld exceeded %lld",
        (long long)i, (long long)index, (long long)own.dims[0]);
  }
  return BERTH_OK;
}

// Checks the sizes of rows, against those that are there or the shape.
static berth_code_t check_rows(const berth_accumulator_t *accumulator,
                               const berth_tensor_t *values,
                               berth_error_t *err) {
  berth_dims_t own = berth_shape_dims(&accumulator->shape);
  bool has_rows = accumulator->count > 0;
  if (has_rows) {
    own = (berth_dims_t){accumulator->sum->rank, accumulator->sum->dims};
  }
  if (has_rows ? own.rank != values->rank : own.rank > values->rank) {
    return INVALID("Shape mismatch: expected values rank %s%d, got %d",
                   has_rows ? "" : "at least ", (int)own.rank,
                   (int)values->rank);
  }
  for (int32_t d = 1; d < own.rank; ++d) {
    if (own.dims[d] < 0 || own.dims[d] == values->dims[d]) continue;
    return INVALID(
        "Shape mismatch: expected values dim %d to be %lld, got %lld", (int)d,
        (long long)own.dims[d], (long long)values->dims[d]);
  }
  return BERTH_OK;
}

// Rows that are being joined: of the sum, of a gradient, and what they become.
typedef struct merge {
  const berth_accumulator_t *old;
  const berth_tensor_t *indices, *values;
  int64_t count;
  berth_tensor_t *new_sum, *new_indices;
  int64_t *new_counts;
} merge_t;

// Returns whether the next row is of the sum (1), of the gradient (2) or of both
// (3), where |i| and |j| of them are done.
static int merge_next(const merge_t *merge, int64_t i, int64_t j) {
  const int64_t *a = merge->old->indices->data, *b = merge->indices->data;
  if (i == merge->old->indices->count) return 2;
  if (j == merge->indices->count || a[i] < b[j]) return 1;
  return a[i] == b[j] ? 3 : 2;
}

static void merge_count(merge_t *merge) {
  int64_t i = 0, j = 0;
  merge->count = 0;
  while (i < merge->old->indices->count || j < merge->indices->count) {
    int from = merge_next(merge, i, j);
    i += from & 1;
    j += from >> 1;
    ++merge->count;
  }
}

static berth_code_t merge_make(merge_t *merge, berth_error_t *err) {
  berth_shape_t shape;
  berth_shape_set(&shape,
                  (berth_dims_t){merge->values->rank, merge->values->dims});
  shape.dims[0] = merge->count;
  merge->new_counts =
      berth_calloc((size_t)merge->count + 1, sizeof(*merge->new_counts));
  if (merge->new_counts == NULL) return berth_error_no_memory(err, "counts");
  BERTH_TRY(berth_tensor_create(BERTH_INT64, (berth_dims_t){1, &merge->count},
                                &merge->new_indices, err));
  return berth_tensor_create(merge->values->dtype, berth_shape_dims(&shape),
                             &merge->new_sum, err);
}

static void merge_fill(merge_t *merge) {
  const berth_accumulator_t *old = merge->old;
  int64_t row = merge->count > 0 ? merge->new_sum->count / merge->count : 0;
  size_t bytes = (size_t)row * berth_dtype_size(merge->values->dtype);
  const char *a = old->sum->data, *b = merge->values->data;
  char *to = merge->new_sum->data;
  for (int64_t i = 0, j = 0, k = 0; k < merge->count; ++k, to += bytes) {
    int from = merge_next(merge, i, j);
    bool is_old = (from & 1) != 0;
    memcpy(to, is_old ? a + (size_t)i * bytes : b + (size_t)j * bytes, bytes);
    if (from == 3) {
      berth_sum_add(merge->values->dtype, to, b + (size_t)j * bytes, row);
    }
    ((int64_t *)merge->new_indices->data)[k] =
        ((const int64_t *)(is_old ? old->indices : merge->indices)
             ->data)[is_old ? i : j];
    merge->new_counts[k] =
        (is_old ? (old->counts != NULL ? old->counts[i] : 1) : 0) + (from >> 1);
    i += from & 1;
    j += from >> 1;
  }
}

static berth_code_t add_rows(berth_accumulator_t *accumulator,
                             berth_tensor_t *indices, berth_tensor_t *values,
                             berth_error_t *err) {
  if (accumulator->count == 0) {
    accumulator->sum = berth_tensor_retain(values);
    accumulator->indices = berth_tensor_retain(indices);
    return BERTH_OK;
  }
  merge_t merge = {.old = accumulator, .indices = indices, .values = values};
  merge_count(&merge);
  berth_code_t code = merge_make(&merge, err);
  if (code != BERTH_OK) {
    berth_free(merge.new_counts);
    berth_tensor_release(merge.new_indices);
    return code;
  }
  merge_fill(&merge);
  berth_tensor_release(accumulator->sum);
  berth_tensor_release(accumulator->indices);
  berth_free(accumulator->counts);
  accumulator->sum = merge.new_sum;
  accumulator->indices = merge.new_indices;
  accumulator->counts = merge.new_counts;
  accumulator->is_own = true;
  return BERTH_OK;
}

berth_code_t berth_accumulator_apply_rows(berth_accumulator_t *accumulator,
                                          int64_t step, berth_tensor_t *indices,
                                          berth_tensor_t *values,
                                          const berth_tensor_t *shape,
                                          berth_error_t *err) {
  berth_dims_t own = berth_shape_dims(&accumulator->shape);
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&accumulator->lock);
  if (step >= accumulator->step) {
    code = check_whole(own, shape, err);
    if (code == BERTH_OK) code = check_indices(own, indices, values, err);
    if (code == BERTH_OK) code = check_rows(accumulator, values, err);
    if (code == BERTH_OK) code = add_rows(accumulator, indices, values, err);
    if (code == BERTH_OK) ++accumulator->count;
  }
  berth_mutex_unlock(&accumulator->lock);
  berth_accumulator_flush(accumulator);
  return code;
}
