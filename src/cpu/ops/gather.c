// gather.c - The kernels Gather and GatherV2.
//
// Parameters are seen as [batch, outer, limit, inner], indices as
// [batch, count], and the result is [batch, outer, count, inner]:
//
//   result[b, o, i, :] = params[b, o, indices[b, i], :]
//
// Indices are checked as they are read; the first bad one, in their order, is
// reported after the loop.
#include <stdatomic.h>

#include "base/parallel.h"
#include "cpu/isa.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/loops/stream.h"
#include "cpu/ops/move.h"
#include "op/value.h"

enum {
  PIECE_NS = 20000,
  BYTES_PER_NS = 8,
  AHEAD_BYTES = 4096,  // How far ahead memory is asked for rows,
  AHEAD_MOST = 16,     // at most so many rows,
  AHEAD_LINES = 16,    // and lines of each; the hardware finds the rest.
  STREAM_ROW = 256,    // Shorter rows are not worth streaming.
};

typedef struct gather {
  int64_t batch, outer, limit, count;
  int64_t row;  // Bytes of [inner].
  int32_t index_size;
  int32_t ahead;  // Rows to ask for in advance.
  berth_dtype_t dtype;
  bool is_plain;  // Rows are bytes.
  bool streams;
  int64_t grain;
  int32_t index_rank;
  int64_t index_dims[];
} gather_t;

typedef struct work {
  const gather_t *gather;
  const char *params;
  const void *indices;
  char *out;
  const berth_call_t *call;
  atomic_int_least64_t bad;  // Position of the first bad index, or INT64_MAX.
  atomic_bool no_memory;
} work_t;

static int64_t index_at(const gather_t *gather, const void *indices,
                        int64_t i) {
  switch (gather->index_size) {
    case 2:
      return ((const int16_t *)indices)[i];
    case 4:
      return ((const int32_t *)indices)[i];
    default:
      return ((const int64_t *)indices)[i];
  }
}

// Keeps the smallest position.
static void report_bad(work_t *work, int64_t position) {
  int64_t seen = atomic_load(&work->bad);
  while (position < seen &&
         !atomic_compare_exchange_weak(&work->bad, &seen, position)) {
  }
}

// Asks for the row that comes |ahead| rows later. Inline, because compilers
// take a call that only prefetches for one without effect.
static BERTH_INLINE void fetch_ahead(const work_t *work, const char *params,
                                     int64_t i, int64_t end) {
  const gather_t *gather = work->gather;
  if (i + gather->ahead >= end) return;
  int64_t index = index_at(gather, work->indices, i + gather->ahead);
  if (index < 0 || index >= gather->limit) return;
  const char *row = params + index * gather->row;
  int64_t size = gather->row;
  if (size > AHEAD_LINES * 64) size = AHEAD_LINES * 64;
  for (int64_t at = 0; at < size; at += 64) __builtin_prefetch(row + at);
}

// Rows of one number, which a loop of their own does several times faster.
#define DEFINE_SINGLES(name, index_t, value_t)                            \
  static bool singles_##name(work_t *work, const void *params, int64_t i, \
                             int64_t last, void *to) {                    \
    const index_t *indices = work->indices;                               \
    uint64_t limit = (uint64_t)work->gather->limit;                       \
    const value_t *from = params;                                         \
    value_t *out = to;                                                    \
    for (; i < last; ++i) {                                               \
      uint64_t index = (uint64_t)(int64_t)indices[i];                     \
      if (BERTH_UNLIKELY(index >= limit)) {                               \
        report_bad(work, i);                                              \
        return true;                                                      \
      }                                                                   \
      *out++ = from[index];                                               \
    }                                                                     \
    return true;                                                          \
  }
DEFINE_SINGLES(int32_4, int32_t, uint32_t)
DEFINE_SINGLES(int32_8, int32_t, uint64_t)
DEFINE_SINGLES(int64_4, int64_t, uint32_t)
DEFINE_SINGLES(int64_8, int64_t, uint64_t)
#undef DEFINE_SINGLES

// Gathers rows of one number; false when there is no loop for them. Apart, so
// that the loop over longer rows keeps its registers.
static BERTH_NOINLINE bool gather_singles(work_t *work, const char *params,
                                          int64_t i, int64_t last, char *to) {
  const gather_t *gather = work->gather;
  if (!gather->is_plain) return false;
  if (gather->row == 4 && gather->index_size == 4) {
    return singles_int32_4(work, params, i, last, to);
  }
  if (gather->row == 8 && gather->index_size == 4) {
    return singles_int32_8(work, params, i, last, to);
  }
  if (gather->row == 4 && gather->index_size == 8) {
    return singles_int64_4(work, params, i, last, to);
  }
  if (gather->row == 8 && gather->index_size == 8) {
    return singles_int64_8(work, params, i, last, to);
  }
  return false;
}

static void copy_row(work_t *work, char *to, const char *from) {
  const gather_t *gather = work->gather;
  if (gather->streams) {
    berth_cpu_stream(to, from, (size_t)gather->row);
  } else if (gather->is_plain) {
    memcpy(to, from, (size_t)gather->row);
  } else if (!berth_elements_copy(
                 gather->dtype, to, from,
                 gather->row / (int64_t)berth_dtype_size(gather->dtype))) {
    atomic_store(&work->no_memory, true);
  }
}

// Gathers rows [begin, end) of the result, all within one (batch, outer).
static void gather_rows(work_t *work, int64_t begin, int64_t end) {
  const gather_t *gather = work->gather;
  int64_t slab = begin / gather->count;  // batch * outer of it.
  int64_t batch = slab / gather->outer;
  const char *params = work->params + slab * gather->limit * gather->row;
  char *to = work->out + begin * gather->row;
  int64_t i = batch * gather->count + begin % gather->count;
  int64_t last = i + (end - begin);
  if (gather_singles(work, params, i, last, to)) return;
  for (; i < last; ++i, to += gather->row) {
    if (berth_cpu_ends_at(work->call, i)) return;
    int64_t index = index_at(gather, work->indices, i);
    if (BERTH_UNLIKELY(index < 0 || index >= gather->limit)) {
      report_bad(work, i);
      return;
    }
    fetch_ahead(work, params, i, last);
    copy_row(work, to, params + index * gather->row);
  }
}

static void gather_piece(void *arg, int64_t begin, int64_t end) {
  work_t *work = arg;
  int64_t count = work->gather->count;
  while (begin < end) {
    int64_t next = (begin / count + 1) * count;
    if (next > end) next = end;
    gather_rows(work, begin, next);
    begin = next;
  }
  if (work->gather->streams) berth_cpu_stream_end();
}

// Describes the bad index at |position|: indices[1,2] = 7 is not in [0, 3).
static berth_code_t fail_index(const work_t *work, int64_t position,
                               berth_error_t *err) {
  const gather_t *gather = work->gather;
  berth_str_t at = {0};
  int64_t place[BERTH_MAX_RANK], rest = position;
  for (int32_t i = gather->index_rank - 1; i >= 0; --i) {
    place[i] = rest % gather->index_dims[i];
    rest /= gather->index_dims[i];
  }
  for (int32_t i = 0; i < gather->index_rank; ++i) {
    berth_str_printf(&at, "%s%lld", i > 0 ? "," : "[", (long long)place[i]);
  }
  if (gather->index_rank > 0) berth_str_putc(&at, ']');
  berth_code_t code = berth_error_set(
      err, BERTH_INVALID_ARGUMENT, "indices%s = %lld is not in [0, %lld)",
      berth_str_get(&at), (long long)index_at(gather, work->indices, position),
      (long long)gather->limit);
  berth_str_clear(&at);
  return code;
}

static berth_code_t run_gather(const void *plan, void *const *args,
                               berth_call_t *call) {
  const gather_t *gather = plan;
  // The axis, where there is one, is settled in the plan.
  int output = call->node->input_count;
  work_t work = {.gather = gather,
                 .params = args[0],
                 .indices = args[1],
                 .out = args[output],
                 .call = call,
                 .bad = INT64_MAX};
  int64_t rows = gather->batch * gather->outer * gather->count;
  if (rows > gather->grain && gather->is_plain) {
    berth_parallel_for(rows, gather->grain, gather_piece, &work);
  } else {
    gather_piece(&work, 0, rows);
  }
  int64_t bad = atomic_load(&work.bad);
  if (bad != INT64_MAX) return fail_index(&work, bad, call->err);
  if (atomic_load(&work.no_memory)) {
    return berth_error_no_memory(call->err, "the elements of a tensor");
  }
  return BERTH_OK;
}

// ---- Preparing ----

// Reads axis and batch_dims, checked against the ranks.
static berth_code_t read_axes(const berth_prepare_t *prepare, int32_t *out_axis,
                              int32_t *out_batch, berth_error_t *err) {
  const berth_op_input_t *params = &prepare->op.inputs[0];
  const berth_op_input_t *indices = &prepare->op.inputs[1];
  bool has_axis = prepare->op.input_count > 2;
  if (has_axis && prepare->op.inputs[2].rank != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "axis must be scalar");
  }
  if (params->rank < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "params must be at least 1 dimensional");
  }
  int64_t given = has_axis ? berth_value_int(&prepare->op.inputs[2], 0) : 0;
  int64_t axis = given < 0 ? given + params->rank : given;
  if (axis < 0 || axis >= params->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape must be at least rank %lld but is rank %d",
                           (long long)berth_axis_rank(given),
                           (int)params->rank);
  }
  int64_t batch = berth_node_attr_int(prepare->op.node, "batch_dims", 0);
  if (batch < -indices->rank || batch > indices->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected batch_dims in the range [%d, %d], but "
                           "got %lld",
                           -(int)indices->rank, (int)indices->rank,
                           (long long)batch);
  }
  if (batch < 0) batch += indices->rank;
  *out_axis = (int32_t)axis;
  *out_batch = (int32_t)batch;
  return BERTH_OK;
}

static berth_code_t check_batch(const berth_prepare_t *prepare, int32_t axis,
                                int32_t batch, berth_error_t *err) {
  const berth_op_input_t *params = &prepare->op.inputs[0];
  const berth_op_input_t *indices = &prepare->op.inputs[1];
  if (batch >= params->rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "batch_dims (%d) must be less than rank(params) "
                           "(%d).",
                           (int)batch, (int)params->rank);
  }
  if (axis < batch) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "batch_dims (%d) must be less than or equal to "
                           "axis (%d).",
                           (int)batch, (int)axis);
  }
  for (int32_t i = 0; i < batch; ++i) {
    if (params->dims[i] == indices->dims[i]) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "params.shape[%d]: %lld should be equal to "
                           "indices.shape[%d]: %lld",
                           (int)i, (long long)params->dims[i], (int)i,
                           (long long)indices->dims[i]);
  }
  return BERTH_OK;
}

// Fills in the output's shape: params without the axis, where the indices'
// dimensions after the batch take its place.
static berth_code_t gather_shape(berth_prepare_t *prepare, int32_t axis,
                                 int32_t batch, int64_t *out_count,
                                 berth_error_t *err) {
  const berth_op_input_t *params = &prepare->op.inputs[0];
  const berth_op_input_t *indices = &prepare->op.inputs[1];
  berth_shape_t *shape = &prepare->op.outputs[0];
  *out_count = 1;
  shape->rank = 0;
  for (int32_t i = 0; i < axis; ++i) {
    BERTH_TRY(berth_shape_push(shape, out_count, params->dims[i], err));
  }
  for (int32_t i = batch; i < indices->rank; ++i) {
    BERTH_TRY(berth_shape_push(shape, out_count, indices->dims[i], err));
  }
  for (int32_t i = axis + 1; i < params->rank; ++i) {
    BERTH_TRY(berth_shape_push(shape, out_count, params->dims[i], err));
  }
  return berth_value_check_size(berth_shape_dims(shape), *out_count,
                                params->dtype, err);
}

static int64_t product(const int64_t *dims, int32_t begin, int32_t end) {
  int64_t all = 1;
  for (int32_t i = begin; i < end; ++i) all *= dims[i];
  return all;
}

// Fills in the plan; the output has elements.
static void gather_init(gather_t *gather, const berth_prepare_t *prepare,
                        int32_t axis, int32_t batch, int64_t count) {
  const berth_op_input_t *params = &prepare->op.inputs[0];
  const berth_op_input_t *indices = &prepare->op.inputs[1];
  int64_t size = (int64_t)berth_dtype_size(params->dtype);
  gather->dtype = params->dtype;
  gather->batch = product(params->dims, 0, batch);
  gather->outer = product(params->dims, batch, axis);
  gather->limit = params->dims[axis];
  gather->count = product(indices->dims, batch, indices->rank);
  gather->row = product(params->dims, axis + 1, params->rank) * size;
  gather->index_size = (int32_t)berth_dtype_size(indices->dtype);
  int64_t ahead = 1 + AHEAD_BYTES / gather->row;
  gather->ahead = (int32_t)(ahead < AHEAD_MOST ? ahead : AHEAD_MOST);
  gather->index_rank = indices->rank;
  for (int32_t i = 0; i < indices->rank; ++i) {
    gather->index_dims[i] = indices->dims[i];
  }
  gather->is_plain = berth_dtype_is_plain(params->dtype);
  gather->streams = gather->is_plain && gather->row >= STREAM_ROW &&
                    count * size > berth_cpu_cache_size() / 2;
  gather->grain = PIECE_NS / (2 + gather->row / BYTES_PER_NS) + 1;
}

static berth_code_t prepare_gather(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  int32_t axis = 0, batch = 0;
  BERTH_TRY(read_axes(prepare, &axis, &batch, err));
  BERTH_TRY(check_batch(prepare, axis, batch, err));
  int64_t count = 0;
  BERTH_TRY(gather_shape(prepare, axis, batch, &count, err));
  // Without elements no index is looked at.
  prepare->run = count > 0 ? run_gather : berth_run_nothing;
  if (count == 0) return BERTH_OK;
  size_t rank = (size_t)prepare->op.inputs[1].rank;
  gather_t *gather =
      berth_prepare_plan(prepare, sizeof(*gather) + rank * sizeof(int64_t));
  if (gather == NULL) return berth_error_no_memory(err, "a plan");
  gather_init(gather, prepare, axis, batch, count);
  prepare->work = count * (int64_t)berth_dtype_size(gather->dtype) / 4;
  return BERTH_OK;
}

#define GATHER_TYPES                                                \
  (BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8 | BERTH_TYPES_QUANTIZED | \
   BERTH_TYPES_OBJECT)
#define INDEX_TYPES (BERTH_TYPES_INDEX | BERTH_TYPE(INT16))

const berth_kernel_t berth_cpu_gather_kernels[] = {
    {.op = "GatherV2",
     .types = {{"Tparams", GATHER_TYPES},
               {"Tindices", INDEX_TYPES},
               {"Taxis", BERTH_TYPES_INDEX}},
     .prepare = prepare_gather},
    {.op = "Gather",
     .types = {{"Tparams", GATHER_TYPES}, {"Tindices", INDEX_TYPES}},
     .prepare = prepare_gather},
    {.op = NULL},
};
