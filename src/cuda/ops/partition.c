// partition.c - DynamicPartition, and DynamicStitch, which puts parts together.
//
// What decides the shapes is looked at on the host: the numbers of parts come
// there, indices to stitch by are there already. Rows stay on the card.
#include "base/alloc.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/scatter.h"
#include "device/backend.h"
#include "device/device.h"
#include "kernel/places.h"
#include "op/group.h"
#include "op/value.h"

// Makes a tensor of |count| slices, which are what is left of the shape of
// |like| after |outer| dimensions.
static berth_code_t make_slices(const berth_tensor_t *like, int32_t outer,
                                int64_t count, berth_call_t *call,
                                berth_tensor_t **out) {
  berth_shape_t shape = {.rank = 0};
  int64_t total = 1;
  BERTH_TRY(berth_shape_push(&shape, &total, count, call->err));
  for (int32_t i = outer; i < like->rank; ++i) {
    BERTH_TRY(berth_shape_push(&shape, &total, like->dims[i], call->err));
  }
  return berth_tensor_make(call->allocator, like->dtype, shape.rank, shape.dims,
                           total, out, call->err);
}

// Describes |count| places among |*limit| slices of |tensor|.
static berth_places_t places_in(const berth_tensor_t *tensor, int32_t outer,
                                int64_t count, const int64_t *limit) {
  berth_places_t places = {.dtype = tensor->dtype,
                           .index_type = BERTH_INT64,
                           .count = count,
                           .depth = 1,
                           .slice = 1,
                           .shape = {1, limit}};
  for (int32_t i = outer; i < tensor->rank; ++i) {
    places.slice *= tensor->dims[i];
  }
  return places;
}

// Brings |count| indices to the card; what was brought may be freed.
static berth_code_t bring_indices(const int64_t *indices, int64_t count,
                                  berth_call_t *call, berth_tensor_t **out) {
  const berth_device_t *device = call->stream->device;
  BERTH_TRY(berth_tensor_make(call->allocator, BERTH_INT64, 1, &count, count,
                              out, call->err));
  if (count == 0) return BERTH_OK;
  berth_code_t code = device->backend->streams->copy(
      call->stream, call->stream->device, (*out)->data, NULL, indices,
      (*out)->size, call->err);
  // Memory that is not pinned is not in use any more when that is done.
  if (code == BERTH_OK) code = berth_cuda_wait(call, NULL);
  if (code == BERTH_OK) return BERTH_OK;
  berth_tensor_release(*out);
  *out = NULL;
  return code;
}

// ---- DynamicPartition ----

// What a run has on the host.
typedef struct partition {
  int32_t *which;   // Which part each row belongs to.
  int64_t *counts;  // Rows of each part.
  int64_t *rows;    // The rows of all parts, one behind the other.
} partition_t;

static berth_code_t fetch_parts(const berth_tensor_t *parts, int32_t *which,
                                berth_call_t *call) {
  if (parts->size == 0) return BERTH_OK;
  BERTH_TRY(call->stream->device->backend->streams->copy(
      call->stream, NULL, which, call->stream->device, parts->data, parts->size,
      call->err));
  return berth_cuda_wait(call, NULL);
}

// Counts the rows of each part.
static berth_code_t count_parts(const berth_tensor_t *parts,
                                const partition_t *with, int count,
                                berth_call_t *call) {
  for (int64_t i = 0; i < parts->count; ++i) {
    int32_t which = with->which[i];
    if (which >= 0 && which < count) {
      ++with->counts[which];
      continue;
    }
    berth_str_t at = {0};
    berth_place_print(berth_tensor_dims(parts), i, &at);
    berth_code_t code = berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                                        "partitions%s = %d is not in [0, %d)",
                                        berth_str_get(&at), (int)which, count);
    berth_str_clear(&at);
    return code;
  }
  return BERTH_OK;
}

// Lists the rows of each part, one part behind the other.
static void list_rows(const partition_t *with, int64_t rows, int count,
                      int64_t *next) {
  int64_t begin = 0;
  for (int i = 0; i < count; ++i) {
    next[i] = begin;
    begin += with->counts[i];
  }
  for (int64_t i = 0; i < rows; ++i) with->rows[next[with->which[i]]++] = i;
}

// Makes the outputs and queues what fills them.
static berth_code_t gather_parts(const berth_scattering_t *moves,
                                 const partition_t *with, int count,
                                 berth_call_t *call) {
  const berth_tensor_t *data = call->inputs[0], *parts = call->inputs[1];
  berth_tensor_t *rows = NULL;
  int64_t at = 0;
  BERTH_TRY(bring_indices(with->rows, parts->count, call, &rows));
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    code = make_slices(data, parts->rank, with->counts[i], call,
                       &call->outputs[i]);
    if (code != BERTH_OK) break;
    berth_places_t places =
        places_in(data, parts->rank, with->counts[i], &parts->count);
    code = berth_scattering_queue(moves, &places, false, call->outputs[i]->data,
                                  data->data, (int64_t *)rows->data + at, call);
    at += with->counts[i];
  }
  berth_tensor_release(rows);
  return code;
}

static berth_code_t run_partition(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)args;
  const berth_tensor_t *parts = call->inputs[1];
  int count = call->node->output_count;
  size_t rows = (size_t)parts->count;
  int64_t *memory =
      berth_calloc(2 * (size_t)count + 2 * rows + 1, sizeof(*memory));
  if (memory == NULL) return berth_error_no_memory(call->err, "partitions");
  int64_t *next = memory + count;
  partition_t with = {.counts = memory, .rows = next + count};
  with.which = (int32_t *)(with.rows + rows);
  for (int i = 0; i < count; ++i) call->outputs[i] = NULL;
  berth_code_t code = fetch_parts(parts, with.which, call);
  if (code == BERTH_OK) code = count_parts(parts, &with, count, call);
  if (code == BERTH_OK) {
    list_rows(&with, parts->count, count, next);
    code = gather_parts(plan, &with, count, call);
  }
  for (int i = 0; code != BERTH_OK && i < count; ++i) {
    berth_tensor_release(call->outputs[i]);
    call->outputs[i] = NULL;
  }
  berth_free(memory);
  return code;
}

static berth_code_t prepare_partition(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  berth_scattering_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  prepare->run = run_partition;
  BERTH_TRY(berth_op_partition(&prepare->op, err));
  return berth_gathering_find(plan, err);
}

// ---- DynamicStitch ----

// Checks the indices, which are on the host; stores how many there are, and
// the largest.
static berth_code_t find_largest(berth_call_t *call, int count,
                                 int64_t *out_rows, int64_t *out_largest) {
  *out_rows = 0;
  *out_largest = -1;
  for (int i = 0; i < count; ++i) {
    const int32_t *places = call->inputs[i]->data;
    *out_rows += call->inputs[i]->count;
    for (int64_t k = 0; k < call->inputs[i]->count; ++k) {
      if (places[k] > *out_largest) *out_largest = places[k];
      if (places[k] >= 0) continue;
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "indices[%lld] is out of range", (long long)k);
    }
  }
  return BERTH_OK;
}

// Writes to |to| the indices of all inputs, one behind the other: -1 where a
// later one names the same place. |last| has room for every place.
static void list_places(berth_call_t *call, int count, int64_t *to,
                        int64_t *last) {
  int64_t at = 0;
  for (int i = 0; i < count; ++i) {
    const int32_t *places = call->inputs[i]->data;
    for (int64_t k = 0; k < call->inputs[i]->count; ++k, ++at) {
      // Counted from one: none is named yet.
      if (last[places[k]] > 0) to[last[places[k]] - 1] = -1;
      last[places[k]] = at + 1;
      to[at] = places[k];
    }
  }
}

static berth_code_t scatter_parts(const berth_scattering_t *moves, int count,
                                  const berth_tensor_t *indices,
                                  berth_tensor_t *out, berth_call_t *call) {
  const int64_t *at = indices->data;
  if (out->size == 0) return BERTH_OK;
  // Places that nobody names are not left to chance.
  BERTH_TRY(berth_cuda_clear(call, out->data, out->size));
  for (int i = 0; i < count; ++i) {
    berth_places_t places =
        places_in(out, 1, call->inputs[i]->count, &out->dims[0]);
    BERTH_TRY(berth_scattering_queue(moves, &places, false, out->data,
                                     call->inputs[count + i]->data, at, call));
    at += call->inputs[i]->count;
  }
  return BERTH_OK;
}

static berth_code_t run_stitch(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)args;
  int count = call->node->input_count / 2;
  int64_t rows = 0, largest = -1;
  BERTH_TRY(find_largest(call, count, &rows, &largest));
  int64_t *to = berth_calloc((size_t)(rows + largest + 2), sizeof(*to));
  if (to == NULL) return berth_error_no_memory(call->err, "indices");
  list_places(call, count, to, to + rows);
  berth_tensor_t *out = NULL, *indices = NULL;
  berth_code_t code = bring_indices(to, rows, call, &indices);
  berth_free(to);
  if (code != BERTH_OK) return code;
  code = make_slices(call->inputs[count], call->inputs[0]->rank, largest + 1,
                     call, &out);
  if (code == BERTH_OK) {
    code = scatter_parts(plan, count, indices, out, call);
    if (code == BERTH_OK) {
      call->outputs[0] = out;
    } else {
      berth_tensor_release(out);
    }
  }
  berth_tensor_release(indices);
  return code;
}

static berth_code_t prepare_stitch(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_scattering_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  prepare->run = run_stitch;
  BERTH_TRY(berth_op_stitch(&prepare->op, err));
  return berth_scattering_find(
      BERTH_COMBINE_SET, prepare->op.inputs[prepare->op.input_count / 2].dtype,
      plan, err);
}

#define TYPES (BERTH_TYPES_INEXACT | BERTH_TYPES_INDEX)
#define KERNEL(name, function)                                          \
  {                                                                     \
    .op = name, .types = {{"T", TYPES}}, .prepare = prepare_##function, \
    .traits = BERTH_OP_UNRECORDED                                       \
  }

const berth_kernel_t berth_cuda_partition_kernels[] = {
    KERNEL("DynamicPartition", partition),
    KERNEL("DynamicStitch", stitch),
    {.op = NULL},
};
