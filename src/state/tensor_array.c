// tensor_array.c - Arrays of tensors that a run writes and reads by number.
#include "state/tensor_array.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/thread.h"

// One element. A tensor that is not there, though it was written, is zeros.
typedef struct cell {
  berth_tensor_t *tensor;
  int64_t *dims;  // Of an element of gradients that has no tensor; else NULL.
  int32_t rank;
  bool is_written, is_read, is_cleared;
} cell_t;

struct berth_tensor_array {
  berth_resource_t resource;  // First.
  berth_dtype_t dtype;
  bool clears, is_uniform, is_grad;
  char *name;
  berth_mutex_t lock;  // Guards what follows.
  bool is_dynamic, is_closed;
  bool has_sums;  // Some element is a sum: there are no gradients.
  int32_t rank;   // Of elements, as far as that is known.
  int64_t *dims;
  cell_t *cells;
  size_t size, capacity;
  berth_tensor_array_t *grads;  // Retained.
  berth_tensor_array_t *next;   // Of those of one array.
  char *source;                 // Of an array of gradients.
};

// ---- Shapes ----

static berth_dims_t shape_of(const berth_tensor_array_t *array) {
  return (berth_dims_t){array->rank, array->dims};
}

static bool is_same_or_open(berth_dims_t a, berth_dims_t b) {
  if (a.rank < 0 || b.rank < 0) return true;
  bool fits = a.rank == b.rank;
  for (int32_t i = 0; fits && i < a.rank; ++i) {
    fits = a.dims[i] < 0 || b.dims[i] < 0 || a.dims[i] == b.dims[i];
  }
  return fits;
}

// Makes |*out| dimensions of its own. False when memory is short.
static bool dims_copy(berth_dims_t dims, int64_t **out) {
  size_t rank = dims.rank > 0 ? (size_t)dims.rank : 0;
  int64_t *copy = berth_calloc(rank + 1, sizeof(*copy));
  if (copy == NULL) return false;
  if (rank > 0) memcpy(copy, dims.dims, rank * sizeof(*copy));
  berth_free(*out);
  *out = copy;
  return true;
}

// ---- Life ----

static void cells_drop(berth_tensor_array_t *array) {
  for (size_t i = 0; i < array->size; ++i) {
    berth_tensor_release(array->cells[i].tensor);
    berth_free(array->cells[i].dims);
  }
  berth_free(array->cells);
  array->cells = NULL;
  array->size = array->capacity = 0;
}

static void array_destroy(berth_resource_t *resource) {
  berth_tensor_array_t *array = (berth_tensor_array_t *)resource;
  for (berth_tensor_array_t *grad = array->grads; grad != NULL;) {
    berth_tensor_array_t *next = grad->next;
    berth_resource_release(&grad->resource);
    grad = next;
  }
  cells_drop(array);
  berth_mutex_deinit(&array->lock);
  berth_free(array->name);
  berth_free(array->source);
  berth_free(array->dims);
  berth_free(array);
}

// Makes the array |size| long; new elements were not written. False when memory
// is short.
static bool resize(berth_tensor_array_t *array, size_t size) {
  if (size > array->capacity) {
    size_t capacity = size > 2 * array->capacity ? size : 2 * array->capacity;
    cell_t *cells = berth_realloc(array->cells, capacity, sizeof(*cells));
    if (cells == NULL) return false;
    array->cells = cells;
    array->capacity = capacity;
  }
  if (size > array->size) {
    memset(array->cells + array->size, 0,
           (size - array->size) * sizeof(cell_t));
    array->size = size;
  }
  return true;
}

// Makes an array; |spec->name| is its name as it is.
static berth_tensor_array_t *array_make(const berth_tensor_array_spec_t *spec) {
  berth_tensor_array_t *array = berth_calloc(1, sizeof(*array));
  if (array == NULL) return NULL;
  atomic_init(&array->resource.refs, 1);
  array->resource.kind = BERTH_RESOURCE_ARRAY;
  array->resource.destroy = array_destroy;
  berth_mutex_init(&array->lock);
  array->dtype = spec->dtype;
  array->clears = spec->clears;
  array->is_uniform = spec->is_uniform;
  array->is_dynamic = spec->is_dynamic;
  array->rank = spec->shape.rank;
  array->name = berth_strdup(spec->name);
  if (array->name == NULL || !dims_copy(spec->shape, &array->dims) ||
      !resize(array, (size_t)spec->size)) {
    array_destroy(&array->resource);
    return NULL;
  }
  return array;
}

// Joins two texts and what stands between them. The caller frees it.
static char *text_join(const char *a, const char *between, const char *b) {
  size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
  char *text = berth_alloc(size);
  if (text != NULL) (void)snprintf(text, size, "%s%s%s", a, between, b);
  return text;
}

berth_code_t berth_tensor_array_create(const berth_tensor_array_spec_t *spec,
                                       berth_resource_t **out_array,
                                       berth_error_t *err) {
  static atomic_uint_fast64_t count;  // As TensorFlow has one for all.
  char number[32];
  (void)snprintf(number, sizeof(number), "%" PRIuFAST64,
                 atomic_fetch_add_explicit(&count, 1, memory_order_relaxed));
  berth_tensor_array_spec_t named = *spec;
  char *name = text_join(spec->name, "_", number);
  named.name = name;
  berth_tensor_array_t *array = name != NULL ? array_make(&named) : NULL;
  berth_free(name);
  if (array == NULL) return berth_error_no_memory(err, "a TensorArray");
  *out_array = &array->resource;
  return BERTH_OK;
}

// ---- Errors ----

static berth_code_t check_open(const berth_tensor_array_t *array,
                               berth_error_t *err) {
  if (!array->is_closed) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "TensorArray %s has already been closed.",
                         array->name);
}

static berth_code_t fail_write(const berth_tensor_array_t *array, int64_t index,
                               const char *why, berth_error_t *err) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "TensorArray %s: Could not write to TensorArray index "
                         "%" PRId64 " because it has already been %s.",
                         array->name, index, why);
}

// ---- Gradients ----

// Gives |grad| the shapes of what was written to |array|, behind |prefix|.
static bool shapes_copy(const berth_tensor_array_t *array, berth_dims_t prefix,
                        berth_tensor_array_t *grad) {
  for (size_t i = 0; i < array->size; ++i) {
    const cell_t *from = &array->cells[i];
    cell_t *to = &grad->cells[i];
    if (!from->is_written) continue;
    int64_t *dims =
        berth_calloc((size_t)(prefix.rank + from->rank) + 1, sizeof(*dims));
    if (dims == NULL) return false;
    for (int32_t j = 0; j < prefix.rank; ++j) dims[j] = prefix.dims[j];
    for (int32_t j = 0; j < from->rank; ++j) {
      dims[prefix.rank + j] = from->dims[j];
    }
    *to = (cell_t){
        .dims = dims, .rank = prefix.rank + from->rank, .is_written = true};
  }
  return true;
}

static berth_tensor_array_t *grad_make(berth_tensor_array_t *array,
                                       const char *source,
                                       berth_dims_t prefix) {
  berth_shape_t shape = {.rank = array->rank};
  if (array->rank >= 0) {
    if (array->rank + prefix.rank > BERTH_MAX_RANK) return NULL;
    berth_shape_set(&shape, prefix);
    for (int32_t i = 0; i < array->rank; ++i) {
      shape.dims[shape.rank++] = array->dims[i];
    }
  }
  char *name = text_join(array->name, "@", source);
  if (name == NULL) return NULL;
  berth_tensor_array_spec_t spec = {.name = name,
                                    .dtype = array->dtype,
                                    .shape = berth_shape_dims(&shape),
                                    .size = (int64_t)array->size,
                                    .clears = true,
                                    .is_uniform = array->is_uniform};
  berth_tensor_array_t *grad = array_make(&spec);
  berth_free(name);
  if (grad == NULL) return NULL;
  grad->is_grad = true;
  grad->source = berth_strdup(source);
  if (grad->source == NULL || !shapes_copy(array, prefix, grad)) {
    array_destroy(&grad->resource);
    return NULL;
  }
  return grad;
}

static berth_code_t grad_find(berth_tensor_array_t *array, const char *source,
                              berth_dims_t prefix,
                              berth_tensor_array_t **out_grad,
                              berth_error_t *err) {
  BERTH_TRY(check_open(array, err));
  if (array->has_sums) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Unable to create a gradients TensorArray for %s.  Perhaps you used "
        "the multiple_writes_aggregate flag on a previous write?  Gradient "
        "calculation is impossible when multiple writes are performed to the "
        "same index.",
        array->name);
  }
  array->is_dynamic = false;
  berth_tensor_array_t *grad = array->grads;
  while (grad != NULL && strcmp(grad->source, source) != 0) grad = grad->next;
  if (grad == NULL) {
    grad = grad_make(array, source, prefix);
    if (grad == NULL) return berth_error_no_memory(err, "a TensorArray");
    grad->next = array->grads;
    array->grads = grad;
  }
  *out_grad = grad;
  return BERTH_OK;
}

berth_code_t berth_tensor_array_grad(berth_tensor_array_t *array,
                                     const char *source, berth_dims_t prefix,
                                     berth_resource_t **out_grad,
                                     berth_error_t *err) {
  if (array->is_grad) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Wrong input container. _tensor_array_grads%s",
                           array->name);
  }
  berth_tensor_array_t *grad = NULL;
  berth_mutex_lock(&array->lock);
  berth_code_t code = grad_find(array, source, prefix, &grad, err);
  if (code == BERTH_OK) *out_grad = berth_resource_retain(&grad->resource);
  berth_mutex_unlock(&array->lock);
  return code;
}

// ---- Questions ----

const char *berth_tensor_array_name(const berth_tensor_array_t *array) {
  return array->name;
}

berth_dtype_t berth_tensor_array_dtype(const berth_tensor_array_t *array) {
  return array->dtype;
}

bool berth_tensor_array_is_dynamic(berth_tensor_array_t *array) {
  berth_mutex_lock(&array->lock);
  bool is_dynamic = array->is_dynamic;
  berth_mutex_unlock(&array->lock);
  return is_dynamic;
}

bool berth_tensor_array_is_grad(const berth_tensor_array_t *array) {
  return array->is_grad;
}

berth_code_t berth_tensor_array_size(berth_tensor_array_t *array,
                                     int64_t *out_size, berth_error_t *err) {
  berth_mutex_lock(&array->lock);
  berth_code_t code = check_open(array, err);
  if (code == BERTH_OK) *out_size = (int64_t)array->size;
  berth_mutex_unlock(&array->lock);
  return code;
}

void berth_tensor_array_shape(berth_tensor_array_t *array,
                              berth_shape_t *out_shape) {
  berth_mutex_lock(&array->lock);
  berth_shape_set(out_shape, shape_of(array));
  berth_mutex_unlock(&array->lock);
}

berth_code_t berth_tensor_array_merge_shape(berth_tensor_array_t *array,
                                            berth_dims_t shape,
                                            berth_error_t *err) {
  berth_shape_t merged;
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&array->lock);
  if (!berth_dims_merge(shape_of(array), shape, &merged)) {
    char has[BERTH_DIMS_TEXT], is[BERTH_DIMS_TEXT];
    code = berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "PartialTensorShape: Incompatible shapes during merge: %s vs. %s",
        berth_dims_text(shape_of(array), has), berth_dims_text(shape, is));
  } else if (!dims_copy(berth_shape_dims(&merged), &array->dims)) {
    code = berth_error_no_memory(err, "a TensorArray");
  } else {
    array->rank = merged.rank;
  }
  berth_mutex_unlock(&array->lock);
  return code;
}

void berth_tensor_array_close(berth_tensor_array_t *array) {
  berth_mutex_lock(&array->lock);
  cells_drop(array);
  array->is_closed = true;
  berth_mutex_unlock(&array->lock);
}

// ---- Writing ----

static berth_code_t check_shape(berth_tensor_array_t *array, int64_t index,
                                const berth_tensor_t *tensor,
                                berth_error_t *err) {
  berth_dims_t dims = berth_tensor_dims(tensor);
  if (!is_same_or_open(shape_of(array), dims)) {
    char is[BERTH_DIMS_TEXT], has[BERTH_DIMS_TEXT];
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "TensorArray %s: Could not write to TensorArray index %" PRId64
        " because the value shape is %s which is incompatible with the "
        "TensorArray's inferred element shape: %s (consider setting "
        "infer_shape=False).",
        array->name, index, berth_dims_text(dims, is),
        berth_dims_text(shape_of(array), has));
  }
  if (!array->is_uniform || berth_dims_is_full(shape_of(array))) {
    return BERTH_OK;
  }
  if (!dims_copy(dims, &array->dims)) {
    return berth_error_no_memory(err, "a TensorArray");
  }
  array->rank = dims.rank;
  return BERTH_OK;
}

// Finds the element that |tensor| is written to, after all checks.
static berth_code_t cell_find(berth_tensor_array_t *array, int64_t index,
                              const berth_tensor_t *tensor, cell_t **out_cell,
                              berth_error_t *err) {
  BERTH_TRY(check_open(array, err));
  bool is_inside = index >= 0 && index < (int64_t)array->size;
  if (!is_inside && (index < 0 || !array->is_dynamic)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "TensorArray %s: Tried to write to index %" PRId64
                           " but array is not resizeable and size is: %zu",
                           array->name, index, array->size);
  }
  if (!is_inside && !resize(array, (size_t)index + 1)) {
    return berth_error_no_memory(err, "a TensorArray");
  }
  BERTH_TRY(check_shape(array, index, tensor, err));
  cell_t *cell = &array->cells[index];
  if (cell->is_read) return fail_write(array, index, "read", err);
  if (cell->is_written && !array->is_grad) {
    return fail_write(array, index, "written to", err);
  }
  *out_cell = cell;
  if (!cell->is_written) return BERTH_OK;
  berth_dims_t has = {cell->rank, cell->dims};
  if (berth_dims_equal(has, berth_tensor_dims(tensor))) return BERTH_OK;
  char old[BERTH_DIMS_TEXT], is[BERTH_DIMS_TEXT];
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "TensorArray %s: Could not aggregate to TensorArray index %" PRId64
      " because the existing shape is %s but the new input shape is %s.",
      array->name, index, berth_dims_text(has, old),
      berth_tensor_dims_text(tensor, is));
}

// Writes |tensor|, unless there is something to add it to: then that is
// |*out_before|, retained.
static berth_code_t write_or_get(berth_tensor_array_t *array, int64_t index,
                                 berth_tensor_t *tensor,
                                 berth_tensor_t **out_before,
                                 berth_error_t *err) {
  cell_t *cell = NULL;
  BERTH_TRY(cell_find(array, index, tensor, &cell, err));
  if (cell->tensor != NULL && cell->tensor->count > 0) {
    *out_before = berth_tensor_retain(cell->tensor);
    return BERTH_OK;
  }
  if (!cell->is_written) {
    if (!dims_copy(berth_tensor_dims(tensor), &cell->dims)) {
      return berth_error_no_memory(err, "a TensorArray");
    }
    cell->rank = tensor->rank;
    cell->is_written = true;
  }
  berth_tensor_release(cell->tensor);
  cell->tensor = berth_tensor_retain(tensor);
  return BERTH_OK;
}

// Puts |sum| in the place of |before|, taking it over; false when something
// else is there by now.
static bool sum_put(berth_tensor_array_t *array, int64_t index,
                    const berth_tensor_t *before, berth_tensor_t *sum) {
  berth_mutex_lock(&array->lock);
  bool is_there =
      index < (int64_t)array->size && array->cells[index].tensor == before;
  if (is_there) {
    berth_tensor_release(array->cells[index].tensor);
    array->cells[index].tensor = sum;
    array->has_sums = true;
  }
  berth_mutex_unlock(&array->lock);
  return is_there;
}

berth_code_t berth_tensor_array_write(berth_tensor_array_t *array,
                                      int64_t index, berth_tensor_t *tensor,
                                      berth_sum_fn sum, void *arg,
                                      berth_error_t *err) {
  for (;;) {
    berth_tensor_t *before = NULL, *made = NULL;
    berth_mutex_lock(&array->lock);
    berth_code_t code = write_or_get(array, index, tensor, &before, err);
    berth_mutex_unlock(&array->lock);
    if (code != BERTH_OK || before == NULL) return code;
    code = sum(arg, before, tensor, &made, err);
    bool is_done = code != BERTH_OK || sum_put(array, index, before, made);
    berth_tensor_release(before);
    if (is_done) return code;
    berth_tensor_release(made);
  }
}

// ---- Reading ----

// Lets elements up to |index| be zeros where none were written.
static berth_code_t zeros_note(berth_tensor_array_t *array, int64_t index,
                               berth_error_t *err) {
  if (!berth_dims_is_full(shape_of(array))) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "TensorArray %s: Could not read from TensorArray index %" PRId64
        ".  Furthermore, the element shape is not fully defined: %s.  It is "
        "possible you are working with a resizeable TensorArray and "
        "stop_gradients is not allowing the gradients to be written.  If you "
        "set the full element_shape property on the forward TensorArray, the "
        "proper all-zeros tensor will be returned instead of incurring this "
        "error.",
        array->name, index, berth_dims_text(shape_of(array), text));
  }
  if (!resize(array, (size_t)index + 1)) {
    return berth_error_no_memory(err, "a TensorArray");
  }
  cell_t *cell = &array->cells[index];
  if (!dims_copy(shape_of(array), &cell->dims)) {
    return berth_error_no_memory(err, "a TensorArray");
  }
  cell->rank = array->rank;
  cell->is_written = true;
  return BERTH_OK;
}

static berth_code_t read_locked(berth_tensor_array_t *array, int64_t index,
                                berth_tensor_t **out_tensor,
                                berth_shape_t *out_shape, berth_error_t *err) {
  BERTH_TRY(check_open(array, err));
  bool is_inside = index >= 0 && index < (int64_t)array->size;
  if (index < 0 || (!is_inside && !array->is_grad)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Tried to read from index %" PRId64
                           " but array size is: %zu",
                           index, array->size);
  }
  if (!is_inside || !array->cells[index].is_written) {
    BERTH_TRY(zeros_note(array, index, err));
  }
  cell_t *cell = &array->cells[index];
  if (cell->is_cleared) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "TensorArray %s: Could not read index %" PRId64
                           " twice because it was cleared after a previous "
                           "read (perhaps try setting clear_after_read = "
                           "false?).",
                           array->name, index);
  }
  berth_shape_set(out_shape, (berth_dims_t){cell->rank, cell->dims});
  *out_tensor = cell->tensor;
  if (array->clears) {
    cell->tensor = NULL;
    cell->is_cleared = true;
  } else if (cell->tensor != NULL) {
    (void)berth_tensor_retain(cell->tensor);
  }
  cell->is_read = true;
  return BERTH_OK;
}

berth_code_t berth_tensor_array_read(berth_tensor_array_t *array, int64_t index,
                                     berth_tensor_t **out_tensor,
                                     berth_shape_t *out_shape,
                                     berth_error_t *err) {
  berth_mutex_lock(&array->lock);
  berth_code_t code = read_locked(array, index, out_tensor, out_shape, err);
  berth_mutex_unlock(&array->lock);
  return code;
}
