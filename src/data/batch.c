// batch.c - Elements joined, padded, and taken apart again.
#include <inttypes.h>

#include "base/alloc.h"
#include "data/batch.h"
#include "data/kernels.h"
#include "data/map.h"
#include "data/sparse.h"
#include "graph/graph.h"

typedef struct batch {
  berth_dataset_t base;
  int64_t size;
  bool drops;                 // What is left at the end.
  berth_shape_t *pads;        // Of a padded batch: -1 is as long as needed.
  berth_tensor_t **fillings;  // What lies there.
} batch_t;

typedef struct batch_cursor {
  berth_cursor_t base;
  bool is_over;
  berth_tensor_t **element;
  berth_tensor_t **elements;  // Of a padded batch: all of them.
} batch_cursor_t;

static void batch_close(berth_cursor_t *base) {
  batch_cursor_t *cursor = (batch_cursor_t *)base;
  berth_free(cursor->element);
  berth_free(cursor->elements);
}

static berth_code_t batch_open(berth_cursor_t *base, berth_error_t *err) {
  batch_cursor_t *cursor = (batch_cursor_t *)base;
  cursor->element =
      berth_calloc((size_t)base->dataset->width + 1, sizeof(*cursor->element));
  if (cursor->element == NULL) return berth_error_no_memory(err, "a batch");
  return berth_cursor_open_input(base, err);
}

berth_code_t berth_batch_begin(berth_tensor_t *const *element, int width,
                               int64_t size, berth_tensor_t **out,
                               berth_error_t *err) {
  for (int i = 0; i < width; ++i) {
    const berth_tensor_t *tensor = element[i];
    int64_t dims[BERTH_MAX_RANK] = {size}, count = 0;
    berth_code_t code = BERTH_OK;
    if (tensor->rank >= BERTH_MAX_RANK) {
      code = berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "elements of rank %d cannot be batched",
                             (int)tensor->rank);
    }
    for (int32_t d = 0; code == BERTH_OK && d < tensor->rank; ++d) {
      dims[d + 1] = tensor->dims[d];
    }
    if (code == BERTH_OK) {
      code = berth_tensor_check(
          tensor->dtype, (berth_dims_t){tensor->rank + 1, dims}, &count, err);
    }
    if (code == BERTH_OK) {
      code = berth_tensor_make(NULL, tensor->dtype, tensor->rank + 1, dims,
                               count, &out[i], err);
    }
    if (code != BERTH_OK) {
      berth_element_drop(out, i);
      return code;
    }
  }
  return BERTH_OK;
}

berth_code_t berth_batch_put(berth_tensor_t *const *element, int width,
                             int64_t row, berth_tensor_t **out,
                             berth_error_t *err) {
  for (int i = 0; i < width; ++i) {
    const berth_tensor_t *tensor = element[i];
    const berth_tensor_t *to = out[i];
    berth_dims_t dims = {to->rank - 1, to->dims + 1};
    if (!berth_dims_equal(dims, berth_tensor_dims(tensor))) {
      char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Cannot batch tensors with different shapes in component %d. First "
          "element had shape %s and element %" PRId64 " had shape %s.",
          i, berth_dims_text(dims, a), row, berth_tensor_dims_text(tensor, b));
    }
    char *data = (char *)to->data + (size_t)row * tensor->size;
    if (!berth_elements_copy(tensor->dtype, data, tensor->data,
                             tensor->count)) {
      return berth_error_no_memory(err, "a batch");
    }
  }
  return BERTH_OK;
}

berth_code_t berth_batch_cut(berth_tensor_t **out, int width, int64_t count,
                             berth_error_t *err) {
  for (int i = 0; i < width; ++i) {
    berth_tensor_t *whole = out[i], *part = NULL;
    int64_t dims[BERTH_MAX_RANK];
    memcpy(dims, whole->dims, (size_t)whole->rank * sizeof(*dims));
    dims[0] = count;
    int64_t rows = whole->dims[0];
    int64_t elements = whole->count / rows * count;
    BERTH_TRY(berth_tensor_make(NULL, whole->dtype, whole->rank, dims, elements,
                                &part, err));
    bool ok =
        berth_elements_copy(whole->dtype, part->data, whole->data, elements);
    berth_tensor_release(whole);
    out[i] = part;
    if (!ok) return berth_error_no_memory(err, "a batch");
  }
  return BERTH_OK;
}

static berth_code_t batch_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  batch_cursor_t *cursor = (batch_cursor_t *)base;
  const batch_t *batch = (const batch_t *)base->dataset;
  int width = base->dataset->width;
  int64_t count = 0;
  // Batches of more than there is are made as large as what is known.
  int64_t known = berth_dataset_count(base->dataset->inputs[0]);
  int64_t size = known >= 0 && known < batch->size ? known : batch->size;
  berth_code_t code = BERTH_OK;
  *out_end = cursor->is_over;
  while (code == BERTH_OK && !*out_end && count < batch->size) {
    code = berth_cursor_next(base->input, cursor->element, out_end, err);
    if (code != BERTH_OK || *out_end) break;
    if (count == 0)
      code = berth_batch_begin(cursor->element, width, size, out, err);
    if (code != BERTH_OK) {
      berth_element_drop(cursor->element, width);
      return code;
    }
    code = berth_batch_put(cursor->element, width, count, out, err);
    berth_element_drop(cursor->element, width);
    count++;
    if (code == BERTH_OK && berth_reading_has_ended(base->reading)) {
      code = berth_reading_fail_ended(err);
    }
  }
  if (code == BERTH_OK && *out_end) {
    cursor->is_over = true;
    bool is_dropped = count < batch->size && batch->drops;
    if (count > 0 && is_dropped) berth_element_drop(out, width);
    if (count > 0 && !is_dropped) *out_end = false;
    if (!*out_end && count < size)
      code = berth_batch_cut(out, width, count, err);
  }
  if (code != BERTH_OK && count > 0) berth_element_drop(out, width);
  return code;
}

static int64_t batch_count(const berth_dataset_t *dataset) {
  const batch_t *batch = (const batch_t *)dataset;
  int64_t count = berth_dataset_count(dataset->inputs[0]);
  if (count < 0) return count;
  return count / batch->size + (!batch->drops && count % batch->size != 0);
}

static const berth_dataset_kind_t batch_kind = {
    .name = "BatchDataset",
    .size = sizeof(batch_t),
    .cursor_size = sizeof(batch_cursor_t),
    .open = batch_open,
    .next = batch_next,
    .close = batch_close,
    .count = batch_count,
};

static berth_code_t read_size(berth_call_t *call, int64_t *out_size) {
  int first = 0, count = 0;
  berth_data_range(call, "batch_size", &first, &count);
  BERTH_TRY(berth_data_int(call, first, "batch_size", out_size));
  if (*out_size > 0) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "Batch size must be greater than zero.");
}

// ---- Padded ----

// Finds how long component |i| of |count| elements becomes.
static berth_code_t pad_dims(const batch_t *batch, berth_tensor_t **elements,
                             int64_t count, int i, int64_t *dims,
                             berth_error_t *err) {
  const berth_shape_t *pad = &batch->pads[i];
  int width = batch->base.width;
  dims[0] = count;
  for (int32_t d = 0; d < pad->rank; ++d) {
    dims[d + 1] = pad->dims[d] < 0 ? 0 : pad->dims[d];
  }
  for (int64_t e = 0; e < count; ++e) {
    const berth_tensor_t *tensor = elements[e * width + i];
    if (tensor->rank != pad->rank) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "All elements in a batch must have the same rank as the padded shape "
          "for component%d: expected rank %d got element with rank %d",
          i, (int)pad->rank, (int)tensor->rank);
    }
    for (int32_t d = 0; d < pad->rank; ++d) {
      if (pad->dims[d] < 0 && tensor->dims[d] > dims[d + 1]) {
        dims[d + 1] = tensor->dims[d];
      }
      if (pad->dims[d] >= 0 && tensor->dims[d] > pad->dims[d]) {
        return berth_error_set(
            err, BERTH_DATA_LOSS,
            "Attempted to pad to a smaller size than the input element.");
      }
    }
  }
  return BERTH_OK;
}

// Copies |from| into the corner of |to|, whose dimensions are |dims|.
static bool copy_corner(const berth_tensor_t *from, const int64_t *dims,
                        char *to, size_t item) {
  int32_t rank = from->rank;
  if (from->count == 0) return true;
  int64_t row = rank > 0 ? from->dims[rank - 1] : 1;
  int64_t rows = from->count / row;
  int64_t at[BERTH_MAX_RANK] = {0};
  const char *data = from->data;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t place = 0;
    for (int32_t d = 0; d < rank; ++d) place = place * dims[d] + at[d];
    if (!berth_elements_copy(from->dtype, to + (size_t)place * item,
                             data + (size_t)(r * row) * item, row)) {
      return false;
    }
    for (int32_t d = rank - 2; d >= 0; --d) {
      if (++at[d] < from->dims[d]) break;
      at[d] = 0;
    }
  }
  return true;
}

static berth_code_t pad_component(const batch_t *batch,
                                  berth_tensor_t **elements, int64_t count,
                                  int i, berth_tensor_t **out, int *out_parts,
                                  berth_error_t *err) {
  *out_parts = 1;
  int64_t dims[BERTH_MAX_RANK + 1], all = 0;
  int32_t rank = batch->pads[i].rank + 1;
  berth_dtype_t dtype = batch->base.types[i];
  if (rank > BERTH_MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "elements of rank %d cannot be batched", rank - 1);
  }
  BERTH_TRY(pad_dims(batch, elements, count, i, dims, err));
  BERTH_TRY(berth_tensor_check(dtype, (berth_dims_t){rank, dims}, &all, err));
  BERTH_TRY(berth_tensor_make(NULL, dtype, rank, dims, all, out, err));
  size_t item = all > 0 ? (*out)->size / (size_t)all : 0;
  const char *filling = batch->fillings[i]->data;
  bool ok = true;
  for (int64_t k = 0; ok && k < all; ++k) {
    ok = berth_elements_copy(dtype, (char *)(*out)->data + (size_t)k * item,
                             filling, 1);
  }
  size_t step = count > 0 ? (*out)->size / (size_t)count : 0;
  for (int64_t e = 0; ok && e < count; ++e) {
    ok = copy_corner(elements[e * batch->base.width + i], dims + 1,
                     (char *)(*out)->data + (size_t)e * step, item);
  }
  if (ok) return BERTH_OK;
  berth_tensor_release(*out);
  *out = NULL;
  return berth_error_no_memory(err, "a batch");
}

// Joins component |i| of |count| elements; stores how many components it took.
typedef berth_code_t (*join_fn)(const batch_t *batch, berth_tensor_t **elements,
                                int64_t count, int i, berth_tensor_t **out,
                                int *out_parts, berth_error_t *err);

// Takes all elements of a batch before they are joined.
static berth_code_t gather(berth_cursor_t *base, join_fn join,
                           berth_tensor_t **out, bool *out_end,
                           berth_error_t *err) {
  batch_cursor_t *cursor = (batch_cursor_t *)base;
  const batch_t *batch = (const batch_t *)base->dataset;
  int width = base->dataset->width;
  int64_t count = 0;
  berth_code_t code = BERTH_OK;
  size_t capacity = 0;
  berth_tensor_t **elements = NULL;
  *out_end = cursor->is_over;
  while (code == BERTH_OK && !*out_end && count < batch->size) {
    while (capacity < (size_t)(count + 1) * (size_t)width) {
      berth_tensor_t **more =
          berth_grow(elements, capacity, &capacity, sizeof(*elements));
      if (more == NULL) {
        code = berth_error_no_memory(err, "a batch");
        goto done;
      }
      elements = more;
    }
    code =
        berth_cursor_next(base->input, elements + count * width, out_end, err);
    if (code == BERTH_OK && !*out_end) count++;
    if (code == BERTH_OK && berth_reading_has_ended(base->reading)) {
      code = berth_reading_fail_ended(err);
    }
  }
  if (code != BERTH_OK) goto done;
  cursor->is_over = *out_end;
  *out_end = count == 0 || (count < batch->size && batch->drops);
  int parts = 1;
  for (int i = 0; !*out_end && i < width; i += parts) {
    code = join(batch, elements, count, i, &out[i], &parts, err);
    if (code == BERTH_OK) continue;
    berth_element_drop(out, i);
    break;
  }
done:
  berth_element_drop(elements, (int)(count * width));
  berth_free(elements);
  return code;
}

static berth_code_t padded_next(berth_cursor_t *base, berth_tensor_t **out,
                                bool *out_end, berth_error_t *err) {
  return gather(base, pad_component, out, out_end, err);
}

static void padded_drop(berth_dataset_t *dataset) {
  batch_t *batch = (batch_t *)dataset;
  if (batch->fillings != NULL)
    berth_element_drop(batch->fillings, dataset->width);
  berth_free(batch->fillings);
  berth_free(batch->pads);
}

static const berth_dataset_kind_t padded_kind = {
    .name = "PaddedBatchDataset",
    .size = sizeof(batch_t),
    .cursor_size = sizeof(batch_cursor_t),
    .open = batch_open,
    .next = padded_next,
    .close = batch_close,
    .drop = padded_drop,
    .count = batch_count,
};

static berth_code_t read_pads(berth_call_t *call, batch_t *batch) {
  int width = batch->base.width, shapes = 0, values = 0, count = 0;
  batch->pads = berth_calloc((size_t)width + 1, sizeof(*batch->pads));
  batch->fillings = berth_calloc((size_t)width + 1, sizeof(*batch->fillings));
  if (batch->pads == NULL || batch->fillings == NULL) {
    return berth_error_no_memory(call->err, "a batch");
  }
  berth_data_range(call, "padded_shapes", &shapes, &count);
  berth_data_range(call, "padding_values", &values, &count);
  for (int i = 0; i < width; ++i) {
    const berth_tensor_t *shape = call->inputs[shapes + i];
    berth_tensor_t *value = call->inputs[values + i];
    if (shape->rank != 1 || shape->count >= BERTH_MAX_RANK) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "All padded shapes must be vectors");
    }
    if (value->rank != 0) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "All padding values must be scalars");
    }
    batch->pads[i].rank = (int32_t)shape->count;
    memcpy(batch->pads[i].dims, shape->data, shape->size);
    batch->fillings[i] = berth_tensor_retain(value);
  }
  return BERTH_OK;
}

static berth_code_t make_padded(berth_call_t *call,
                                berth_dataset_t **out_dataset) {
  int64_t size = 0;
  int first = 0, count = 0;
  bool drops = false;
  BERTH_TRY(read_size(call, &size));
  berth_data_range(call, "drop_remainder", &first, &count);
  if (count > 0) {
    BERTH_TRY(berth_data_bool(call, first, "drop_remainder", &drops));
  }
  berth_dataset_t *made = NULL;
  BERTH_TRY(berth_dataset_make(&padded_kind, call, 1, &made, call->err));
  batch_t *batch = (batch_t *)made;
  batch->size = size;
  batch->drops = drops;
  return berth_data_finish(made, read_pads(call, batch), out_dataset);
}

// ---- With sparse tensors ----

static bool is_sparse_at(const berth_dataset_t *dataset, int i) {
  return i + BERTH_SPARSE_PARTS <= dataset->width &&
         berth_sparse_begins(dataset->shapes[i].rank,
                             dataset->inputs[0]->shapes[i].rank);
}

static berth_code_t join_component(const batch_t *batch,
                                   berth_tensor_t **elements, int64_t count,
                                   int i, berth_tensor_t **out, int *out_parts,
                                   berth_error_t *err) {
  int width = batch->base.width;
  *out_parts = 1;
  if (is_sparse_at(&batch->base, i)) {
    *out_parts = BERTH_SPARSE_PARTS;
    return berth_sparse_join(elements + i, width, count, out, err);
  }
  BERTH_TRY(berth_batch_begin(elements + i, 1, count, out, err));
  for (int64_t e = 0; e < count; ++e) {
    berth_code_t code =
        berth_batch_put(elements + e * width + i, 1, e, out, err);
    if (code == BERTH_OK) continue;
    berth_element_drop(out, 1);
    return code;
  }
  return BERTH_OK;
}

static berth_code_t mixed_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  return gather(base, join_component, out, out_end, err);
}

static const berth_dataset_kind_t mixed_kind = {
    .name = "BatchDataset",
    .size = sizeof(batch_t),
    .cursor_size = sizeof(batch_cursor_t),
    .open = batch_open,
    .next = mixed_next,
    .close = batch_close,
    .count = batch_count,
};

static berth_code_t make_batch(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  int64_t size = 0;
  int first = 0, count = 0;
  bool drops = false;
  BERTH_TRY(read_size(call, &size));
  berth_data_range(call, "drop_remainder", &first, &count);
  if (count > 0) {
    BERTH_TRY(berth_data_bool(call, first, "drop_remainder", &drops));
  }
  BERTH_TRY(berth_dataset_make(&batch_kind, call, 1, out_dataset, call->err));
  berth_dataset_t *made = *out_dataset;
  for (int i = 0; i < made->width; ++i) {
    if (is_sparse_at(made, i)) made->kind = &mixed_kind;
  }
  ((batch_t *)made)->size = size;
  ((batch_t *)made)->drops = drops;
  return BERTH_OK;
}

// Maps on several threads, and batches what comes of it.
static berth_code_t make_mapped(berth_call_t *call,
                                berth_dataset_t **out_dataset) {
  int count = call->node->input_count;
  berth_dataset_t *mapped = NULL;
  berth_tensor_t *few[BERTH_ELEMENT_FEW];
  berth_tensor_t **inputs = berth_element_room(count, few);
  if (inputs == NULL) return berth_error_no_memory(call->err, "a dataset");
  berth_code_t code = berth_wide_make(call, &mapped);
  for (int i = 1; i < count; ++i) inputs[i] = call->inputs[i];
  if (code == BERTH_OK) code = berth_dataset_wrap(mapped, inputs, call->err);
  if (code == BERTH_OK) {
    berth_call_t batch = *call;
    batch.inputs = inputs;
    code = make_batch(&batch, out_dataset);
    berth_tensor_release(inputs[0]);
  }
  if (inputs != few) berth_free(inputs);
  return code;
}

// ---- Unbatch ----

typedef struct unbatch_cursor {
  berth_cursor_t base;
  berth_tensor_t **batch;
  int64_t at, rows;
} unbatch_cursor_t;

static void unbatch_close(berth_cursor_t *base) {
  unbatch_cursor_t *cursor = (unbatch_cursor_t *)base;
  if (cursor->batch != NULL) {
    berth_element_drop(cursor->batch, base->dataset->width);
  }
  berth_free(cursor->batch);
}

static berth_code_t unbatch_open(berth_cursor_t *base, berth_error_t *err) {
  unbatch_cursor_t *cursor = (unbatch_cursor_t *)base;
  cursor->batch =
      berth_calloc((size_t)base->dataset->width + 1, sizeof(*cursor->batch));
  if (cursor->batch == NULL) return berth_error_no_memory(err, "a batch");
  return berth_cursor_open_input(base, err);
}

static berth_code_t check_batch(unbatch_cursor_t *cursor, berth_error_t *err) {
  const berth_dataset_t *rows = cursor->base.dataset;
  int64_t count = 0;
  int parts = 1;
  for (int i = 0; i < rows->width; i += parts) {
    if (berth_rows_count(rows, cursor->batch, i, &count, &parts) != BERTH_OK) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Input element must have a non-scalar value in each component.");
    }
    if (i == 0) cursor->rows = count;
    if (count != cursor->rows) {
      int64_t first = cursor->rows;
      cursor->rows = 0;
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Input element must have the same batch size in each component. "
          "Component 0 had size %" PRId64 " but component %d had size, %" PRId64
          ".",
          first, i, count);
    }
  }
  return BERTH_OK;
}

static berth_code_t unbatch_next(berth_cursor_t *base, berth_tensor_t **out,
                                 bool *out_end, berth_error_t *err) {
  unbatch_cursor_t *cursor = (unbatch_cursor_t *)base;
  int width = base->dataset->width;
  while (cursor->at >= cursor->rows) {
    berth_element_drop(cursor->batch, width);
    cursor->at = cursor->rows = 0;
    BERTH_TRY(berth_cursor_next(base->input, cursor->batch, out_end, err));
    if (*out_end) return BERTH_OK;
    BERTH_TRY(check_batch(cursor, err));
  }
  *out_end = false;
  return berth_rows_take(base->dataset, cursor->batch, cursor->at++,
                         berth_element_slice, out, err);
}

static int64_t unbatch_count(const berth_dataset_t *dataset) {
  const berth_dataset_t *input = dataset->inputs[0];
  int64_t count = berth_dataset_count(input);
  if (count == BERTH_INFINITE || count == 0) return count;
  if (count < 0 || input->width == 0 || input->shapes[0].rank < 1 ||
      input->shapes[0].dims[0] < 0 ||
      berth_sparse_begins(input->shapes[0].rank, dataset->shapes[0].rank)) {
    return BERTH_UNCOUNTED;
  }
  return count * input->shapes[0].dims[0];
}

static const berth_dataset_kind_t unbatch_kind = {
    .name = "UnbatchDataset",
    .size = sizeof(berth_dataset_t),
    .cursor_size = sizeof(unbatch_cursor_t),
    .open = unbatch_open,
    .next = unbatch_next,
    .close = unbatch_close,
    .count = unbatch_count,
};

static berth_code_t make_unbatch(berth_call_t *call,
                                 berth_dataset_t **out_dataset) {
  return berth_dataset_make(&unbatch_kind, call, 1, out_dataset, call->err);
}

BERTH_DATASET(batch)
BERTH_DATASET(mapped)
BERTH_DATASET(padded)
BERTH_DATASET(unbatch)

const berth_kernel_t berth_data_batch_kernels[] = {
    BERTH_DATA_OP("BatchDataset", batch),
    BERTH_DATA_OP("BatchDatasetV2", batch),
    BERTH_DATA_OP("ParallelBatchDataset", batch),
    BERTH_DATA_OP("MapAndBatchDataset", mapped),
    BERTH_DATA_OP("PaddedBatchDataset", padded),
    BERTH_DATA_OP("PaddedBatchDatasetV2", padded),
    BERTH_DATA_OP("UnbatchDataset", unbatch),
    {.op = NULL},
};
