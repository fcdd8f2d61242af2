// segment.c - SegmentSum, UnsortedSegmentSum and their like.
//
// Numbers of segments that are not there are left out. How many segments there
// are is the last number of those in order: the host waits for it.
#include "cuda/ops/segment.h"

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/math/team.h"
#include "cuda/ops/fill.h"
#include "cuda/ops/scatter.h"
#include "cuda/ops/segment_params.h"
#include "device/backend.h"
#include "device/device.h"
#include "kernel/places.h"
#include "op/group.h"
#include "op/value.h"

// ---- Unsorted ----

typedef struct unsorted_plan {
  berth_run_fn fill_run;
  const void *fill;
  berth_scattering_t scattering;
  berth_places_t places;
  int64_t shape[1];
} unsorted_plan_t;

static berth_code_t run_unsorted(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const unsorted_plan_t *plan = arg;
  berth_places_t places = plan->places;
  places.shape = (berth_dims_t){1, plan->shape};
  BERTH_TRY(plan->fill_run(plan->fill, args, call));
  return berth_scattering_queue(&plan->scattering, &places, false, args[3],
                                args[0], args[1], call);
}

// Stores in |value| what a segment without rows is.
static void set_empty(const berth_segments_t *segments, uint64_t value[2]) {
  // The largest number, and 1.
  static const struct {
    berth_dtype_t dtype;
    uint64_t largest, one;
  } limits[] = {
      {BERTH_FLOAT, 0x7f7fffff, 0x3f800000},
      {BERTH_DOUBLE, 0x7fefffffffffffff, 0x3ff0000000000000},
      {BERTH_HALF, 0x7bff, 0x3c00},
      {BERTH_BFLOAT16, 0x7f7f, 0x3f80},
      {BERTH_INT32, 0x7fffffff, 1},
  };
  for (int i = 0; i < BERTH_COUNT_OF(limits); ++i) {
    if (limits[i].dtype != segments->dtype) continue;
    uint64_t sign = UINT64_C(1) << (berth_dtype_size(segments->dtype) * 8 - 1);
    uint64_t lowest =
        segments->dtype == BERTH_INT32 ? sign : limits[i].largest | sign;
    if (segments->combine == BERTH_COMBINE_MUL) value[0] = limits[i].one;
    if (segments->combine == BERTH_COMBINE_MIN) value[0] = limits[i].largest;
    if (segments->combine == BERTH_COMBINE_MAX) value[0] = lowest;
  }
}

static berth_code_t prepare_unsorted(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_segments_t segments;
  uint64_t value[2] = {0, 0};
  BERTH_TRY(berth_op_segments(&prepare->op, &segments, err));
  set_empty(&segments, value);
  BERTH_TRY(berth_fill_prepare(prepare, berth_dtype_size(segments.dtype), value,
                               -1, err));
  berth_run_fn fill_run = prepare->run;
  const void *fill = prepare->plan;
  unsorted_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->fill_run = fill_run;
  plan->fill = fill;
  plan->shape[0] = segments.count;
  plan->places = (berth_places_t){.dtype = segments.dtype,
                                  .index_type = segments.index_type,
                                  .count = segments.rows,
                                  .depth = 1,
                                  .slice = segments.inner};
  prepare->run = run_unsorted;
  return berth_scattering_find(segments.combine, segments.dtype,
                               &plan->scattering, err);
}

// ---- Sorted ----

typedef struct sorted_plan {
  int kernel;
  berth_segments_t segments;
} sorted_plan_t;

// Waits for the last of the numbers and stores how many segments there are.
static berth_code_t count_segments(const char *ids, berth_dtype_t id_type,
                                   int64_t count, int64_t *out_count,
                                   berth_call_t *call) {
  *out_count = 0;
  if (count == 0) return BERTH_OK;
  berth_device_t *device = call->stream->device;
  size_t size = berth_dtype_size(id_type);
  berth_buffer_t *buffer = NULL;
  BERTH_TRY(device->pinned->alloc(device->pinned, sizeof(int64_t), &buffer,
                                  call->err));
  berth_code_t code = device->backend->streams->copy(
      call->stream, NULL, buffer->data, device,
      ids + (size_t)(count - 1) * size, size, call->err);
  if (code == BERTH_OK) code = berth_cuda_wait(call, buffer);
  if (code == BERTH_OK)
    *out_count = berth_index_at(id_type, buffer->data, 0) + 1;
  berth_buffer_release(buffer);
  if (code != BERTH_OK || *out_count >= 0) return code;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "segment ids must be >= 0");
}

berth_code_t berth_segments_make(const void *ids, berth_dtype_t id_type,
                                 int64_t count, berth_dtype_t dtype,
                                 berth_dims_t rest, berth_call_t *call,
                                 berth_tensor_t **out) {
  int64_t segments = 0, total = 1;
  berth_shape_t shape = {.rank = 0};
  BERTH_TRY(count_segments(ids, id_type, count, &segments, call));
  BERTH_TRY(berth_shape_push(&shape, &total, segments, call->err));
  for (int32_t i = 0; i < rest.rank; ++i) {
    BERTH_TRY(berth_shape_push(&shape, &total, rest.dims[i], call->err));
  }
  return berth_tensor_make(call->allocator, dtype, shape.rank, shape.dims,
                           total, out, call->err);
}

// Chooses who does an element, so that the card is busy.
static uint32_t team_for(uint64_t elements, uint64_t rows, uint64_t count) {
  enum { MANY = 32768, SOME = 512, FEW_ROWS = 16, MANY_ROWS = 1024 };
  uint64_t each = rows / count;
  if (elements >= MANY || each < FEW_ROWS) return BERTH_TEAM_THREAD;
  return elements >= SOME && each < MANY_ROWS ? BERTH_TEAM_WARP
                                              : BERTH_TEAM_BLOCK;
}

static berth_code_t launch_sorted(const sorted_plan_t *plan, void *const *args,
                                  berth_tensor_t *out, berth_call_t *call) {
  const berth_segments_t *segments = &plan->segments;
  uint64_t elements = (uint64_t)out->count;
  berth_segment_params_t params = {
      .out = out->data,
      .data = args[0],
      .ids = args[1],
      .rows = (uint64_t)segments->rows,
      .inner = (uint64_t)segments->inner,
      .count = (uint64_t)out->dims[0],
      .index_size = (uint32_t)berth_dtype_size(segments->index_type),
      .how = (uint32_t)segments->combine,
      .is_mean = segments->is_mean};
  params.team = team_for(elements, params.rows, params.count);
  if (params.team == BERTH_TEAM_BLOCK) {
    enum { MOST_BLOCKS = 65535 };
    unsigned blocks = elements < MOST_BLOCKS ? (unsigned)elements : MOST_BLOCKS;
    return berth_cuda_launch_blocks(call, plan->kernel, blocks,
                                    BERTH_CUDA_BLOCK, &params, sizeof(params));
  }
  return berth_cuda_launch(
      call, plan->kernel,
      elements * (params.team == BERTH_TEAM_WARP ? BERTH_TEAM_WARP_LANES : 1),
      &params, sizeof(params));
}

static berth_code_t run_sorted(const void *arg, void *const *args,
                               berth_call_t *call) {
  const sorted_plan_t *plan = arg;
  const berth_segments_t *segments = &plan->segments;
  berth_tensor_t *out = NULL;
  BERTH_TRY(berth_segments_make(args[1], segments->index_type, segments->rows,
                                segments->dtype, segments->rest, call, &out));
  berth_code_t code =
      out->count > 0 ? launch_sorted(plan, args, out, call) : BERTH_OK;
  if (code == BERTH_OK) {
    call->outputs[0] = out;
  } else {
    berth_tensor_release(out);
  }
  return code;
}

static berth_code_t prepare_sorted(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  sorted_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_segments(&prepare->op, &plan->segments, err));
  plan->kernel =
      berth_cuda_kernel_of("segment", "berth_segments", plan->segments.dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->run = run_sorted;
  return BERTH_OK;
}

#define SORTED(name)                                                         \
  {                                                                          \
    .op = name,                                                              \
    .types = {{"T", BERTH_TYPES_FLOATING}, {"Tindices", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_sorted, .traits = BERTH_OP_UNRECORDED                 \
  }
#define UNSORTED(name, t)                                             \
  {                                                                   \
    .op = name, .types = {{"T", t}, {"Tindices", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_unsorted                                       \
  }

const berth_kernel_t berth_cuda_segment_kernels[] = {
    SORTED("SegmentMax"),
    SORTED("SegmentMean"),
    SORTED("SegmentMin"),
    SORTED("SegmentProd"),
    SORTED("SegmentSum"),
    UNSORTED("UnsortedSegmentMax", BERTH_TYPES_FLOATING | BERTH_TYPE(INT32)),
    UNSORTED("UnsortedSegmentMin", BERTH_TYPES_FLOATING | BERTH_TYPE(INT32)),
    UNSORTED("UnsortedSegmentProd", BERTH_TYPES_FLOATING | BERTH_TYPE(INT32)),
    UNSORTED("UnsortedSegmentSum", BERTH_TYPES_INEXACT | BERTH_TYPE(INT32)),
    {.op = NULL},
};
