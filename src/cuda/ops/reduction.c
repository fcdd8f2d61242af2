// reduction.c - A reduction over any dimensions, and how it is launched.
#include "cuda/ops/reduction.h"

#include "base/assert.h"
#include "cuda/code/launch.h"
#include "cuda/math/team.h"

enum {
  MAX_STAGES = 4,
  // Outputs of so few values are made by one thread each where they are
  // neighbours, and where they are not.
  THREAD_LINE = 16,
  THREAD_COLUMN = 32,
  // Up to so many values are work for a warp: where there are few outputs, and
  // where there are many.
  WARP_VALUES = 256,
  WARP_VALUES_OF_MANY = 2048,
  // A block, or a thread, is worth its start from so many values on.
  BLOCK_CHUNK = 8192,
  THREAD_CHUNK = 32,
  // Chunks of neighbours begin at multiples of so many, which aligns them.
  CHUNK_ALIGN = 1024,
  // A team that reads values far apart wastes most of what it fetches, which
  // does not matter up to so many in all.
  FEW = 1 << 20,
  // Lines of several dimensions are read as such from so many values on.
  LONG_LINE = 512,
  LOAD = 16,  // Bytes of the longest load.
  // Threads, and blocks, that keep one multiprocessor busy; more blocks make
  // the end more even.
  BUSY_THREADS = 2048,
  BUSY_WIDE_THREADS = 1024,
  BUSY_BLOCKS = BUSY_THREADS / BERTH_CUDA_BLOCK,
  // Loads that a thread has under way when it folds a short line.
  LOADS = 4,
  MOST_BLOCKS = 4 * BUSY_BLOCKS,
};

// One launch.
typedef struct stage {
  int kernel;
  unsigned blocks;
  berth_reduction_params_t params;  // Without addresses.
  size_t out_at;  // Where in the scratch space its results lie.
} stage_t;

typedef struct reduction {
  int stage_count;
  int input_count;
  stage_t stages[MAX_STAGES];
} reduction_t;

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t divide_up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

static berth_code_t run_stages(const void *plan_arg, void *const *args,
                               berth_call_t *call) {
  const reduction_t *plan = plan_arg;
  void *const *outputs = args + plan->input_count;
  const void *in = args[0];
  for (int i = 0; i < plan->stage_count; ++i) {
    const stage_t *stage = &plan->stages[i];
    bool is_last = i + 1 == plan->stage_count;
    berth_reduction_params_t params = stage->params;
    params.in = in;
    // Views may begin anywhere.
    if ((uintptr_t)in % LOAD != 0) params.is_wide = params.lanes = 0;
    params.out = is_last ? outputs[0] : (char *)outputs[1] + stage->out_at;
    BERTH_TRY(berth_cuda_launch_blocks(call, stage->kernel, stage->blocks,
                                       BERTH_CUDA_BLOCK, &params,
                                       sizeof(params)));
    in = params.out;
  }
  return BERTH_OK;
}

// ---- Dimensions ----

// Appends a dimension slower than those before; axes_finish() turns them round.
static void axes_push(berth_reduction_axes_t *axes, uint64_t dim,
                      uint64_t step) {
  BERTH_ASSERT(axes->rank < BERTH_REDUCTION_AXES);
  axes->dims[axes->rank] = dim;
  axes->steps[axes->rank] = step;
  ++axes->rank;
}

static void axes_finish(berth_reduction_axes_t *axes) {
  for (uint32_t i = 0, j = axes->rank; i + 1 < j; ++i) {
    --j;
    uint64_t dim = axes->dims[i], step = axes->steps[i];
    axes->dims[i] = axes->dims[j];
    axes->steps[i] = axes->steps[j];
    axes->dims[j] = dim;
    axes->steps[j] = step;
  }
}

// Sorts the levels of |reduction| into kept and folded. The |parts| of a value
// are a last dimension, kept.
static void set_levels(const berth_reduction_t *reduction, int parts,
                       berth_reduction_params_t *params) {
  const berth_reduction_level_t *levels = reduction->levels;
  int32_t last = reduction->level_count - 1;
  uint64_t step = 1, size = (uint64_t)parts;
  params->outputs = params->values = 1;
  if (size > 1 && (last < 0 || levels[last].is_reduced)) {
    axes_push(&params->kept, size, step);
    params->outputs = step = size;
    size = 1;
  }
  for (int32_t i = last; i >= 0; --i, size = 1) {
    size *= (uint64_t)levels[i].count;
    bool is_reduced = levels[i].is_reduced;
    axes_push(is_reduced ? &params->folded : &params->kept, size, step);
    *(is_reduced ? &params->values : &params->outputs) *= size;
    step *= size;
  }
  axes_finish(&params->kept);
  axes_finish(&params->folded);
}

// ---- Stages ----

static uint32_t warp_or_block(const berth_reduction_params_t *params,
                              uint64_t sms) {
  uint64_t limit =
      params->outputs >= sms * BUSY_BLOCKS ? WARP_VALUES_OF_MANY : WARP_VALUES;
  return params->values <= limit ? BERTH_TEAM_WARP : BERTH_TEAM_BLOCK;
}

// Returns how many threads make one result where lines of values of |size|
// bytes are short, many, one behind the other and read 16 bytes at a time; 0:
// they are not.
static uint32_t short_lanes(const berth_reduction_params_t *params, size_t size,
                            uint64_t sms) {
  uint64_t vectors = params->values * size / LOAD;
  bool suits = params->folded.rank == 1 && params->kept.rank == 1 &&
               params->values * size % LOAD == 0 &&
               params->values <= WARP_VALUES_OF_MANY &&
               params->outputs >= sms * BUSY_BLOCKS;
  uint32_t lanes = 1;
  while (lanes < BERTH_TEAM_WARP_LANES && lanes * LOADS < vectors) lanes *= 2;
  return suits ? lanes : 0;
}

// The fastest dimension is folded: threads of a team read neighbours.
static void spread_lines(berth_reduction_params_t *params, size_t size,
                         uint64_t sms, bool may_chunk) {
  const berth_reduction_axes_t *folded = &params->folded;
  uint64_t outputs = params->outputs, values = params->values;
  params->chunk_values = values;
  // Short lines leave most of a team idle; it goes from value to value then.
  params->has_lines =
      folded->rank == 1 || folded->dims[folded->rank - 1] >= LONG_LINE;
  params->lanes = short_lanes(params, size, sms);
  if (values <= THREAD_LINE && outputs >= sms * BUSY_THREADS / 32) {
    params->team = BERTH_TEAM_THREAD;
    return;
  }
  params->team = warp_or_block(params, sms);
  if (params->team == BERTH_TEAM_WARP || !may_chunk) return;
  uint64_t chunks = least(values / BLOCK_CHUNK, sms * BUSY_BLOCKS / outputs);
  if (chunks <= 1) return;
  params->chunk_values =
      divide_up(divide_up(values, chunks), CHUNK_ALIGN) * CHUNK_ALIGN;
  params->chunks = divide_up(values, params->chunk_values);
}

// Returns how many neighbouring outputs a thread can make at once: as many as
// there are values of |size| bytes in the longest load; 1 where outputs are no
// neighbours, or not that many.
static uint64_t wide_width(const berth_reduction_params_t *params,
                           size_t size) {
  const berth_reduction_axes_t *kept = &params->kept;
  uint64_t width = LOAD / size;
  bool suits = params->folded.rank == 1 && kept->rank > 0 &&
               kept->steps[kept->rank - 1] == 1 &&
               kept->dims[kept->rank - 1] % width == 0;
  return suits ? width : 1;
}

// The fastest dimension is kept: neighbouring threads make neighbouring
// outputs, and where these are few, chunks of them that are interleaved.
static void spread_columns(berth_reduction_params_t *params, size_t size,
                           uint64_t sms, bool may_chunk) {
  uint64_t outputs = params->outputs, values = params->values;
  uint64_t width = wide_width(params, size);
  uint64_t busy = width > 1 ? BUSY_WIDE_THREADS : BUSY_THREADS;
  uint64_t room = sms * busy / (outputs / width);
  bool is_few = values <= THREAD_COLUMN || room <= 2;
  params->team = BERTH_TEAM_THREAD;
  if (!is_few &&
      (!may_chunk || (values <= BLOCK_CHUNK && values * outputs <= FEW))) {
    params->team = warp_or_block(params, sms);
    params->chunk_values = values;
    return;
  }
  params->is_wide = width > 1;
  if (!is_few) params->chunks = most(1, least(values / THREAD_CHUNK, room));
}

static unsigned count_blocks(const berth_reduction_params_t *params,
                             size_t size, uint64_t sms) {
  uint64_t items = params->outputs * params->chunks;
  if (params->is_wide) items /= LOAD / size;
  uint64_t of_block = params->team == BERTH_TEAM_BLOCK ? 1
                      : params->team == BERTH_TEAM_WARP
                          ? BERTH_CUDA_BLOCK / BERTH_TEAM_WARP_LANES
                          : BERTH_CUDA_BLOCK;
  return (unsigned)least(divide_up(items, of_block), sms * MOST_BLOCKS);
}

// Decides who makes which results of |stage|, whose dimensions are known and
// whose values have |size| bytes.
static void stage_spread(stage_t *stage, size_t size, uint64_t sms,
                         bool may_chunk) {
  berth_reduction_params_t *params = &stage->params;
  const berth_reduction_axes_t *folded = &params->folded;
  params->chunks = 1;
  params->divisor = 1;
  if (folded->rank > 0 && folded->steps[folded->rank - 1] == 1) {
    spread_lines(params, size, sms, may_chunk);
  } else {
    spread_columns(params, size, sms, may_chunk);
  }
  stage->blocks = count_blocks(params, size, sms);
}

// Makes |params| the reduction of what the chunks of |before| have made.
static void reduce_chunks(const berth_reduction_params_t *before,
                          berth_reduction_params_t *params) {
  params->outputs = before->outputs;
  params->values = before->chunks;
  if (params->outputs > 1) axes_push(&params->kept, params->outputs, 1);
  axes_push(&params->folded, params->values, params->outputs);
}

// Appends stages until every output is one result; returns the bytes of
// scratch space they need.
static size_t add_stages(reduction_t *plan,
                         const berth_cuda_reduction_spec_t *spec,
                         uint64_t sms) {
  size_t scratch = 0;
  for (;;) {
    stage_t *stage = &plan->stages[plan->stage_count++];
    bool is_first = plan->stage_count == 1;
    stage_spread(stage, is_first ? spec->value_size : spec->acc_size, sms,
                 plan->stage_count < MAX_STAGES);
    const berth_reduction_params_t *params = &stage->params;
    if (params->chunks == 1) return scratch;
    stage->out_at = scratch;
    size_t size = params->outputs * params->chunks * spec->acc_size;
    scratch += divide_up(size, 64) * 64;
    reduce_chunks(params, &plan->stages[plan->stage_count].params);
  }
}

// Fills in the kernels, and what the last stage does alone.
static void finish_stages(reduction_t *plan,
                          const berth_cuda_reduction_spec_t *spec) {
  for (int i = 0; i < plan->stage_count; ++i) {
    plan->stages[i].kernel = i == 0 ? spec->fold : spec->merge;
  }
  berth_reduction_params_t *last = &plan->stages[plan->stage_count - 1].params;
  last->store = spec->store;
  last->divisor = spec->divisor;
}

berth_code_t berth_cuda_reduction_plan(berth_prepare_t *prepare,
                                       const berth_reduction_t *reduction,
                                       const berth_cuda_reduction_spec_t *spec,
                                       berth_error_t *err) {
  reduction_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL || spec->fold < 0 || spec->merge < 0) {
    return berth_error_no_memory(err, "a reduction");
  }
  plan->input_count = prepare->op.input_count;
  prepare->run = run_stages;
  if (reduction->outputs == 0) return BERTH_OK;
  berth_reduction_params_t *first = &plan->stages[0].params;
  uint64_t sms = (uint64_t)berth_cuda_multiprocessors(prepare->device);
  if (reduction->values > 0) {
    set_levels(reduction, spec->parts, first);
  } else {
    first->outputs = (uint64_t)reduction->outputs * (uint64_t)spec->parts;
  }
  prepare->scratch_size = add_stages(plan, spec, sms);
  finish_stages(plan, spec);
  return BERTH_OK;
}
