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
#include "cpu/ops/gather.h"
#include "cpu/ops/move.h"
#include "op/index.h"

enum {
  PIECE_NS = 20000,
  BYTES_PER_NS = 8,
  AHEAD_BYTES = 4096,  // How far ahead memory is asked for rows,
  AHEAD_MOST = 16,     // at most so many rows,
  AHEAD_LINES = 16,    // and lines of each; the hardware finds the rest.
  STREAM_ROW = 256,    // Shorter rows are not worth streaming.
};

typedef struct plan {
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
} plan_t;

typedef struct work {
  const plan_t *gather;
  const char *params;
  const void *indices;
  char *out;
  const berth_call_t *call;
  atomic_int_least64_t bad;  // Position of the first bad index, or INT64_MAX.
  atomic_bool no_memory;
} work_t;

static int64_t index_at(const plan_t *gather, const void *indices, int64_t i) {
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
  const plan_t *gather = work->gather;
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
  const plan_t *gather = work->gather;
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
  const plan_t *gather = work->gather;
  if (gather->streams) {
    berth_cpu_stream()(to, from, (size_t)gather->row);
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
  const plan_t *gather = work->gather;
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
  const plan_t *gather = work->gather;
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
  const plan_t *gather = plan;
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

// Fills in the plan of |gather|, which has elements.
static void plan_init(plan_t *plan, const berth_case_t *op,
                      const berth_gather_t *gather) {
  const berth_case_input_t *indices = &op->inputs[1];
  int64_t size = (int64_t)berth_dtype_size(op->inputs[0].dtype);
  plan->dtype = op->inputs[0].dtype;
  plan->batch = gather->batch;
  plan->outer = gather->outer;
  plan->limit = gather->limit;
  plan->count = gather->count;
  plan->row = gather->inner * size;
  plan->index_size = (int32_t)berth_dtype_size(indices->dtype);
  int64_t ahead = 1 + AHEAD_BYTES / plan->row;
  plan->ahead = (int32_t)(ahead < AHEAD_MOST ? ahead : AHEAD_MOST);
  plan->index_rank = indices->rank;
  for (int32_t i = 0; i < indices->rank; ++i) {
    plan->index_dims[i] = indices->dims[i];
  }
  plan->is_plain = berth_dtype_is_plain(plan->dtype);
  plan->streams = plan->is_plain && plan->row >= STREAM_ROW &&
                  gather->total * size > berth_cpu_cache_size() / 2;
  plan->grain = PIECE_NS / (2 + plan->row / BYTES_PER_NS) + 1;
}

berth_code_t berth_cpu_gather_prepare(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  berth_gather_t gather;
  BERTH_TRY(berth_op_gather(&prepare->op, &gather, err));
  // Without elements no index is looked at.
  prepare->run = gather.total > 0 ? run_gather : berth_run_nothing;
  if (gather.total == 0) return BERTH_OK;
  size_t rank = (size_t)prepare->op.inputs[1].rank;
  plan_t *plan =
      berth_prepare_plan(prepare, sizeof(*plan) + rank * sizeof(int64_t));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan_init(plan, &prepare->op, &gather);
  prepare->work = gather.total * (int64_t)berth_dtype_size(plan->dtype) / 4;
  return BERTH_OK;
}

#define GATHER_TYPES                                                \
  (BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8 | BERTH_TYPES_QUANTIZED | \
   BERTH_TYPES_OBJECT)
#define INDEX_TYPES (BERTH_TYPES_INDEX | BERTH_TYPE(INT16))

const berth_kernel_t berth_cpu_gather_kernels[] = {
    {.op = "GatherV2",
     .types = {{"Tparams", GATHER_TYPES}, {"Tindices", INDEX_TYPES}},
     .prepare = berth_cpu_gather_prepare},
    {.op = "Gather",
     .types = {{"Tparams", GATHER_TYPES}, {"Tindices", INDEX_TYPES}},
     .prepare = berth_cpu_gather_prepare},
    {.op = NULL},
};
