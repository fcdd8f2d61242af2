// sweep.c - Running a loop over all elements of one or two inputs.
//
// prepare chooses three things that do not depend on each other: the loop
// (which input is a single element), the strip around it (plain, converting,
// past the caches) and the run around that (flat, tiled, rows).
#include "cpu/sweep.h"

#include "base/parallel.h"
#include "cpu/broadcast.h"
#include "cpu/convert.h"
#include "cpu/stream.h"
#include "cpu/value.h"

enum {
  BLOCK = 512,      // Elements converted or added up at a time.
  GROUP = 8,        // Inputs of a sum that are added up together.
  SHORT_ROW = 256,  // Elements; shorter rows are repeated.
  TILE = 2048,      // Elements of repeated rows.
  MEMORY_COST = 40  // Picoseconds a byte that comes from memory.
};

typedef struct plan plan_t;

// Does |count| elements that are contiguous or single as the plan says.
typedef void (*strip_fn)(const plan_t *plan, const char *a, const char *b,
                         char *out, int64_t count);

struct plan {
  berth_loop_fn loop;
  int64_t count;   // Of the output.
  int32_t first;   // Which argument is |a|.
  int32_t second;  // Which is |b|; -1: the parameter.
  int32_t result;  // Which is the output.
  strip_fn strip;
  strip_fn strip_in_place;  // Never past the caches.
  int32_t a_size, b_size;   // Bytes from one element to the next; 0: single.
  int32_t in_size, out_size;
  berth_convert_fn widen, narrow;  // Narrow NULL: the output is no such type.
  berth_loop_fn after;             // NULL: none.
  int64_t grain;
  int64_t tile;  // Elements of a repeated row in scratch space.
  int64_t row;   // Elements of the row that is repeated.
  bool tile_is_first;
  berth_broadcast_t broadcast;
  bool (*accept)(const void *right, int64_t count);
  int64_t right_count;
  berth_run_fn run;  // After |accept|.
  berth_code_t code;
  const char *text;
  int32_t input_count;  // Of a sum.
  union {
    double f64;
    float f32;
  } parameter;
};

// A plan and the addresses of one run.
typedef struct job {
  const plan_t *plan;
  const char *a, *b;
  char *out;
  strip_fn strip;
  void *const *args;  // Of a sum.
} job_t;

// --- Strips ----------------------------------------------------------------

static void strip_plain(const plan_t *plan, const char *a, const char *b,
                        char *out, int64_t count) {
  plan->loop(a, b, out, count);
}

// The loop writes pieces into a small buffer, from where they are sent on.
static void strip_stream(const plan_t *plan, const char *a, const char *b,
                         char *out, int64_t count) {
  _Alignas(64) char piece[BERTH_STREAM_PIECE];
  const int64_t most = BERTH_STREAM_PIECE / plan->out_size;
  for (int64_t i = 0; i < count; i += most) {
    int64_t n = count - i < most ? count - i : most;
    plan->loop(a + i * plan->a_size, b + i * plan->b_size, piece, n);
    berth_cpu_stream(out + i * plan->out_size, piece,
                     (size_t)(n * plan->out_size));
  }
  berth_cpu_stream_end();
}

static void strip_convert(const plan_t *plan, const char *a, const char *b,
                          char *out, int64_t count) {
  float x[BLOCK], y[BLOCK], z[BLOCK];
  const bool has_right = plan->second >= 0;
  // What is single is converted once.
  if (plan->a_size == 0) plan->widen(a, x, 1);
  if (has_right && plan->b_size == 0) plan->widen(b, y, 1);
  for (int64_t i = 0; i < count; i += BLOCK) {
    int64_t n = count - i < BLOCK ? count - i : BLOCK;
    if (plan->a_size != 0) plan->widen(a + i * plan->a_size, x, n);
    if (plan->b_size != 0) plan->widen(b + i * plan->b_size, y, n);
    char *to = out + i * plan->out_size;
    plan->loop(x, has_right ? (const void *)y : b,
               plan->narrow != NULL ? (void *)z : to, n);
    if (plan->narrow != NULL) plan->narrow(z, to, n);
    if (plan->after != NULL) {
      plan->widen(to, z, n);
      plan->after(z, NULL, z, n);
      plan->narrow(z, to, n);
    }
  }
}

// --- Runs ------------------------------------------------------------------

static job_t job_make(const plan_t *plan, void *const *args) {
  const void *b = plan->second >= 0 ? args[plan->second] : &plan->parameter;
  job_t job = {plan, args[plan->first], b, args[plan->result], plan->strip,
               args};
  // Lines that have just been read are written more cheaply where they are.
  if (job.out == job.a || job.out == job.b) job.strip = plan->strip_in_place;
  return job;
}

// A few elements of a type that needs no conversion.
static berth_code_t run_small(const void *arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  plan->loop(args[plan->first], args[plan->second], args[plan->result],
             plan->count);
  return BERTH_OK;
}

static berth_code_t run_small_unary(const void *arg, void *const *args,
                                    berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  plan->loop(args[0], &plan->parameter, args[1], plan->count);
  return BERTH_OK;
}

static void do_flat(void *arg, int64_t begin, int64_t end) {
  const job_t *job = arg;
  const plan_t *plan = job->plan;
  job->strip(plan, job->a + begin * plan->a_size, job->b + begin * plan->b_size,
             job->out + begin * plan->out_size, end - begin);
}

static berth_code_t run_flat(const void *arg, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  job_t job = job_make(plan, args);
  berth_parallel_for(plan->count, plan->grain, do_flat, &job);
  return BERTH_OK;
}

static void do_rows(void *arg, int64_t begin, int64_t end) {
  const job_t *job = arg;
  const plan_t *plan = job->plan;
  const int64_t n = plan->broadcast.levels[0].count;
  berth_rows_t walk;
  berth_rows_start(&plan->broadcast, begin, &walk);
  for (int64_t row = begin; row < end; ++row) {
    job->strip(plan, job->a + walk.offsets[0] * plan->in_size,
               job->b + walk.offsets[1] * plan->in_size,
               job->out + row * n * plan->out_size, n);
    berth_rows_next(&plan->broadcast, &walk);
  }
}

static berth_code_t run_rows(const void *arg, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  job_t job = job_make(plan, args);
  int64_t grain = plan->grain / plan->broadcast.levels[0].count + 1;
  berth_parallel_for(plan->broadcast.rows, grain, do_rows, &job);
  return BERTH_OK;
}

// Elements of |tile| each; the short row is at the same place in every tile.
static void do_tiles(void *arg, int64_t begin, int64_t end) {
  const job_t *job = arg;
  const plan_t *plan = job->plan;
  for (int64_t k = begin; k < end; ++k) {
    int64_t at = k * plan->tile;
    int64_t n = plan->count - at < plan->tile ? plan->count - at : plan->tile;
    const char *a = job->a, *b = job->b;
    if (plan->tile_is_first) {
      b += at * plan->in_size;
    } else {
      a += at * plan->in_size;
    }
    job->strip(plan, a, b, job->out + at * plan->out_size, n);
  }
}

static berth_code_t run_tiles(const void *arg, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  job_t job = job_make(plan, args);
  char *tile = args[plan->result + 1];
  const size_t bytes = (size_t)(plan->row * plan->in_size);
  for (int64_t i = 0; i < plan->tile / plan->row; ++i) {
    memcpy(tile + (size_t)i * bytes, plan->tile_is_first ? job.a : job.b,
           bytes);
  }
  *(plan->tile_is_first ? &job.a : &job.b) = tile;
  int64_t tiles = (plan->count + plan->tile - 1) / plan->tile;
  berth_parallel_for(tiles, plan->grain / plan->tile + 1, do_tiles, &job);
  return BERTH_OK;
}

// Looks at the whole right input first, so that loops need not fail.
static berth_code_t run_checked(const void *arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = arg;
  if (!plan->accept(args[plan->second], plan->right_count)) {
    return berth_error_set_text(call->err, plan->code, plan->text);
  }
  return plan->run(plan, args, call);
}

// Adds inputs [first, end) of |n| elements from byte |at| on into |out|.
static void sum_group(const job_t *job, int first, int end, int64_t at,
                      char *out, int64_t n) {
  const plan_t *plan = job->plan;
  const char *sum = (const char *)job->args[first] + at;
  for (int k = first + 1; k < end; ++k) {
    plan->strip(plan, sum, (const char *)job->args[k] + at, out, n);
    sum = out;
  }
}

// A block of all inputs before the next one, so that it stays in the cache.
//
// The order is TensorFlow's, which shows in how half precision rounds: groups
// of eight, each added up by itself, after a first one of two to nine.
static void do_sum(void *arg, int64_t begin, int64_t end) {
  _Alignas(64) char group[BLOCK * 16];
  const job_t *job = arg;
  const plan_t *plan = job->plan;
  const int count = plan->input_count;
  const int first = (count - 2) % GROUP + 2;
  for (int64_t i = begin; i < end; i += BLOCK) {
    int64_t n = end - i < BLOCK ? end - i : BLOCK;
    int64_t at = i * plan->in_size;
    char *out = job->out + at;
    sum_group(job, 0, first, at, out, n);
    for (int k = first; k < count; k += GROUP) {
      sum_group(job, k, k + GROUP, at, group, n);
      plan->strip(plan, out, group, out, n);
    }
  }
}

static berth_code_t run_sum(const void *arg, void *const *args,
                            berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  job_t job = {plan, NULL, NULL, args[plan->result], plan->strip, args};
  berth_parallel_for(plan->count, plan->grain, do_sum, &job);
  return BERTH_OK;
}

// --- Preparing -------------------------------------------------------------

static void plan_set_conversion(plan_t *plan, const berth_sweep_t *sweep) {
  const berth_convert_loops_t *loops = BERTH_ISA_PICK(berth_cpu_convert_loops);
  if (sweep->input == BERTH_HALF) {
    plan->widen = loops->half_to_float;
    if (sweep->output == BERTH_HALF) plan->narrow = loops->float_to_half;
  } else if (sweep->input == BERTH_BFLOAT16) {
    plan->widen = loops->BFLOAT16_to_FLOAT;
    if (sweep->output == BERTH_BFLOAT16) {
      plan->narrow = loops->FLOAT_to_BFLOAT16;
    }
  }
  if (plan->narrow != NULL) plan->after = sweep->after;
}

static void plan_set_strip(plan_t *plan) {
  plan->strip = plan->widen != NULL ? strip_convert : strip_plain;
  plan->strip_in_place = plan->strip;
  if (plan->widen == NULL &&
      plan->count * plan->out_size > berth_cpu_cache_size() / 2) {
    plan->strip = strip_stream;
  }
}

static plan_t *plan_make(berth_prepare_t *prepare, const berth_sweep_t *sweep,
                         int64_t count, berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) {
    berth_error_no_memory(err, "a plan");
    return NULL;
  }
  plan->loop = sweep->loops.both;
  plan->count = count;
  plan->in_size = (int32_t)berth_dtype_size(sweep->input);
  plan->out_size = (int32_t)berth_dtype_size(sweep->output);
  plan->a_size = plan->b_size = plan->in_size;
  // What comes from memory takes that long at least, however simple the loop.
  int32_t least = (plan->in_size + plan->out_size) * MEMORY_COST;
  int32_t cost = sweep->cost > least ? sweep->cost : least;
  plan->grain = berth_grain(cost);
  prepare->work = count / 1000 * cost;
  plan_set_conversion(plan, sweep);
  plan_set_strip(plan);
  return plan;
}

berth_code_t berth_sweep_unary(berth_prepare_t *prepare,
                               const berth_sweep_t *sweep, berth_error_t *err) {
  berth_prepare_output(prepare, 0, berth_prepare_input_dims(prepare, 0));
  plan_t *plan = plan_make(prepare, sweep, prepare->inputs[0].count, err);
  if (plan == NULL) return BERTH_RESOURCE_EXHAUSTED;
  plan->second = -1;
  plan->result = 1;
  plan->b_size = 0;
  if (sweep->input == BERTH_DOUBLE) {
    plan->parameter.f64 = sweep->parameter;
  } else {
    plan->parameter.f32 = (float)sweep->parameter;
  }
  prepare->may_overwrite = plan->in_size == plan->out_size ? 1 : 0;
  if (plan->count == 0) {
    prepare->run = berth_run_nothing;
  } else if (plan->count == 1 && sweep->one != NULL && plan->widen == NULL) {
    prepare->run = sweep->one;
  } else if (plan->widen == NULL && plan->count <= plan->grain) {
    prepare->run = run_small_unary;
  } else {
    prepare->run = run_flat;
  }
  return BERTH_OK;
}

// Sets which argument is |a|, and the loop, for one level of steps.
static void plan_set_order(plan_t *plan, const berth_sweep_t *sweep,
                           const berth_level_t *level) {
  plan->first = sweep->swap ? 1 : 0;
  int64_t a_step = level->steps[plan->first];
  int64_t b_step = level->steps[1 - plan->first];
  if (a_step == 0 && b_step != 0 && sweep->loops.left == NULL) {
    plan->first = 1 - plan->first;
    a_step = b_step;
    b_step = 0;
  }
  plan->second = 1 - plan->first;
  plan->a_size = a_step == 0 ? 0 : plan->in_size;
  plan->b_size = b_step == 0 ? 0 : plan->in_size;
  // A single element of each is a run of one.
  if (a_step == 0 && b_step != 0) plan->loop = sweep->loops.left;
  if (b_step == 0 && a_step != 0) plan->loop = sweep->loops.right;
}

// Uses a repeated row when the shapes are [n,m] and [m] with a small m.
static bool plan_set_tile(berth_prepare_t *prepare, plan_t *plan) {
  const berth_broadcast_t *broadcast = &plan->broadcast;
  const berth_level_t *inner = &broadcast->levels[0];
  if (broadcast->level_count != 2 || inner->count > SHORT_ROW ||
      inner->steps[0] != 1 || inner->steps[1] != 1) {
    return false;
  }
  plan->row = inner->count;
  plan->tile = TILE / inner->count * inner->count;
  plan->tile_is_first = broadcast->levels[1].steps[0] == 0;
  prepare->scratch_size = (size_t)(plan->tile * plan->in_size);
  return true;
}

// The steps of the inputs by argument become those of |a| and |b|.
static void plan_swap_steps(const plan_t *plan, const berth_broadcast_t *from,
                            berth_level_t *levels) {
  for (int i = 0; i < from->level_count; ++i) {
    levels[i] = from->levels[i];
    levels[i].steps[0] = from->levels[i].steps[plan->first];
    levels[i].steps[1] = from->levels[i].steps[plan->second];
  }
}

static berth_code_t plan_set_broadcast(berth_prepare_t *prepare, plan_t *plan,
                                       const berth_sweep_t *sweep,
                                       berth_error_t *err) {
  berth_dims_t inputs[2] = {berth_prepare_input_dims(prepare, 0),
                            berth_prepare_input_dims(prepare, 1)};
  BERTH_TRY(berth_broadcast_make(inputs, 2,
                                 berth_shape_dims(&prepare->outputs[0]),
                                 prepare->arena, &plan->broadcast, err));
  plan_set_order(plan, sweep, &plan->broadcast.levels[0]);
  if (plan->first == 0) return BERTH_OK;
  berth_level_t *levels = berth_arena_calloc(
      prepare->arena, (size_t)plan->broadcast.level_count, sizeof(*levels));
  if (levels == NULL) return berth_error_no_memory(err, "a broadcast");
  plan_swap_steps(plan, &plan->broadcast, levels);
  plan->broadcast.levels = levels;
  return BERTH_OK;
}

static berth_run_fn plan_choose_run(berth_prepare_t *prepare, plan_t *plan,
                                    const berth_sweep_t *sweep) {
  if (plan->broadcast.level_count > 1) {
    if (plan_set_tile(prepare, plan)) return run_tiles;
    // Pieces that are shorter than their buffer gain nothing from it.
    if (plan->broadcast.levels[0].count * plan->out_size < BERTH_STREAM_PIECE) {
      plan->strip = plan->strip_in_place;
    }
    return run_rows;
  }
  if (plan->widen != NULL) return run_flat;
  if (plan->count == 1 && sweep->one != NULL) return sweep->one;
  return plan->count <= plan->grain ? run_small : run_flat;
}

berth_code_t berth_sweep_binary(berth_prepare_t *prepare,
                                const berth_sweep_t *sweep,
                                berth_error_t *err) {
  int64_t count = berth_dims_count(berth_shape_dims(&prepare->outputs[0]));
  plan_t *plan = plan_make(prepare, sweep, count, err);
  if (plan == NULL) return BERTH_RESOURCE_EXHAUSTED;
  plan->result = 2;
  if (count == 0) {
    prepare->run = berth_run_nothing;
    return BERTH_OK;
  }
  BERTH_TRY(plan_set_broadcast(prepare, plan, sweep, err));
  plan->run = plan_choose_run(prepare, plan, sweep);
  plan->accept = sweep->accept;
  plan->right_count = prepare->inputs[plan->second].count;
  plan->code = sweep->code;
  plan->text = sweep->text;
  prepare->run = plan->accept != NULL ? run_checked : plan->run;
  for (int i = 0; i < 2; ++i) {
    bool fits =
        prepare->inputs[i].count == count && plan->in_size == plan->out_size;
    if (fits) prepare->may_overwrite |= UINT32_C(1) << i;
  }
  return BERTH_OK;
}

berth_code_t berth_sweep_sum(berth_prepare_t *prepare,
                             const berth_sweep_t *sweep, berth_error_t *err) {
  berth_prepare_output(prepare, 0, berth_prepare_input_dims(prepare, 0));
  plan_t *plan = plan_make(prepare, sweep, prepare->inputs[0].count, err);
  if (plan == NULL) return BERTH_RESOURCE_EXHAUSTED;
  plan->strip = plan->strip_in_place;
  plan->input_count = prepare->input_count;
  plan->result = prepare->input_count;
  prepare->run = plan->count == 0 ? berth_run_nothing : run_sum;
  // A later input would be overwritten before it is read.
  prepare->may_overwrite = 3;
  return BERTH_OK;
}
