// sweep_run.c - The running half of sweeps: strips of elements, and what goes
// over them.
#include "base/parallel.h"
#include "cpu/loops/stream.h"
#include "cpu/ops/sweep_internal.h"

enum { BLOCK = 512 };  // Elements converted or added up at a time.

// A plan and the addresses of one run.
typedef struct job {
  const berth_sweep_plan_t *plan;
  const char *a, *b;
  char *out;
  berth_strip_fn strip;
  void *const *args;  // Of a sum.
} job_t;

// ---- Strips ----

static inline void loop_do(const berth_sweep_plan_t *plan, const void *a,
                           const void *b, void *out, int64_t count) {
  if (plan->slope != NULL) {
    plan->slope(a, b, &plan->parameter, out, count);
  } else {
    plan->loop(a, b, out, count);
  }
}

void berth_sweep_strip_plain(const berth_sweep_plan_t *plan, const char *a,
                             const char *b, char *out, int64_t count) {
  loop_do(plan, a, b, out, count);
}

// The loop writes pieces into a small buffer, from where they are sent on.
void berth_sweep_strip_stream(const berth_sweep_plan_t *plan, const char *a,
                              const char *b, char *out, int64_t count) {
  _Alignas(64) char piece[BERTH_STREAM_PIECE];
  const int64_t most = BERTH_STREAM_PIECE / plan->out_size;
  const berth_stream_fn stream = berth_cpu_stream();
  for (int64_t i = 0; i < count; i += most) {
    int64_t n = count - i < most ? count - i : most;
    const char *left = a + i * plan->a_size, *right = b + i * plan->b_size;
    berth_cpu_stream_ask(left, (size_t)(n * plan->a_size));
    berth_cpu_stream_ask(right, (size_t)(n * plan->b_size));
    loop_do(plan, left, right, piece, n);
    stream(out + i * plan->out_size, piece, (size_t)(n * plan->out_size));
  }
  berth_cpu_stream_end();
}

void berth_sweep_strip_convert(const berth_sweep_plan_t *plan, const char *a,
                               const char *b, char *out, int64_t count) {
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
    loop_do(plan, x, has_right ? (const void *)y : b,
            plan->narrow != NULL ? (void *)z : to, n);
    if (plan->narrow != NULL) plan->narrow(z, to, n);
    if (plan->after != NULL) {
      plan->widen(to, z, n);
      plan->after(z, NULL, z, n);
      plan->narrow(z, to, n);
    }
  }
}

// ---- Runs ----

static job_t job_make(const berth_sweep_plan_t *plan, void *const *args) {
  const void *b = plan->second >= 0 ? args[plan->second] : &plan->parameter;
  job_t job = {plan, args[plan->first], b, args[plan->result], plan->strip,
               args};
  // Lines that have just been read are written more cheaply where they are.
  if (job.out == job.a || job.out == job.b) job.strip = plan->strip_in_place;
  return job;
}

berth_code_t berth_sweep_run_small(const void *arg, void *const *args,
                                   berth_call_t *call) {
  (void)call;
  const berth_sweep_plan_t *plan = arg;
  loop_do(plan, args[plan->first], args[plan->second], args[plan->result],
          plan->count);
  return BERTH_OK;
}

berth_code_t berth_sweep_run_small_unary(const void *arg, void *const *args,
                                         berth_call_t *call) {
  (void)call;
  const berth_sweep_plan_t *plan = arg;
  plan->loop(args[0], &plan->parameter, args[1], plan->count);
  return BERTH_OK;
}

static void do_flat(void *arg, int64_t begin, int64_t end) {
  const job_t *job = arg;
  const berth_sweep_plan_t *plan = job->plan;
  job->strip(plan, job->a + begin * plan->a_size, job->b + begin * plan->b_size,
             job->out + begin * plan->out_size, end - begin);
}

berth_code_t berth_sweep_run_flat(const void *arg, void *const *args,
                                  berth_call_t *call) {
  (void)call;
  const berth_sweep_plan_t *plan = arg;
  job_t job = job_make(plan, args);
  berth_parallel_for(plan->count, plan->grain, do_flat, &job);
  return BERTH_OK;
}

// Gives rows to |piece|.
static berth_code_t run_by_rows(const berth_sweep_plan_t *plan,
                                void *const *args, berth_parallel_fn piece) {
  job_t job = job_make(plan, args);
  int64_t grain = plan->grain / plan->broadcast.levels[0].count + 1;
  berth_parallel_for(plan->broadcast.rows, grain, piece, &job);
  return BERTH_OK;
}

static void do_rows(void *arg, int64_t begin, int64_t end) {
  const job_t *job = arg;
  const berth_sweep_plan_t *plan = job->plan;
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

berth_code_t berth_sweep_run_rows(const void *arg, void *const *args,
                                  berth_call_t *call) {
  (void)call;
  return run_by_rows(arg, args, do_rows);
}

// Rows of an input that are copied one behind the other.
typedef struct spread {
  int64_t rows, row;    // How many, and the elements of one.
  int64_t step, inner;  // From one row to the next, and inside of one.
} spread_t;

#define SPREAD(type)                                                \
  for (int64_t r = 0; r < spread->rows; ++r, from += step) {        \
    for (int64_t i = 0; i < spread->row; ++i, to += sizeof(type)) { \
      memcpy(to, from + i * inner, sizeof(type));                   \
    }                                                               \
  }                                                                 \
  return
static void spread_copy(const spread_t *spread, char *to, const char *from,
                        int32_t size) {
  const int64_t step = spread->step * size, inner = spread->inner * size;
  switch (size) {
    case 1:
      SPREAD(uint8_t);
    case 2:
      SPREAD(uint16_t);
    case 4:
      SPREAD(uint32_t);
    case 8:
      SPREAD(uint64_t);
    default:
      SPREAD(double[2]);
  }
}
#undef SPREAD

// True when input |k| has an element of its own for each of the output's.
static bool is_whole(const berth_broadcast_t *broadcast, int k) {
  int64_t count = 1;
  for (int i = 0; i < broadcast->level_count; ++i) {
    if (broadcast->levels[i].steps[k] != count) return false;
    count *= broadcast->levels[i].count;
  }
  return true;
}

enum { SPREAD_BYTES = 4096 };

// Copies |rows| rows of each input where |walk| is, unless it is NULL in |to|.
static void rows_gather(const job_t *job, berth_rows_t *walk, int64_t rows,
                        char *const to[2]) {
  const berth_sweep_plan_t *plan = job->plan;
  const berth_level_t *levels = plan->broadcast.levels;
  const char *from[2] = {job->a, job->b};
  int64_t done = 0;
  while (done < rows) {
    const int64_t left = rows - done, line = levels[1].count - walk->index[1];
    spread_t spread = {.rows = left < line ? left : line,
                       .row = levels[0].count};
    for (int k = 0; k < 2; ++k) {
      spread.step = levels[1].steps[k];
      spread.inner = levels[0].steps[k];
      if (to[k] != NULL) {
        spread_copy(&spread, to[k] + done * spread.row * plan->in_size,
                    from[k] + walk->offsets[k] * plan->in_size, plan->in_size);
      }
      walk->offsets[k] += spread.step * (spread.rows - 1);
    }
    walk->index[1] += spread.rows - 1;
    berth_rows_next(&plan->broadcast, walk);
    done += spread.rows;
  }
}

static void do_spread(void *arg, int64_t begin, int64_t end) {
  _Alignas(64) char room[2][SPREAD_BYTES];
  const job_t *job = arg;
  const berth_sweep_plan_t *plan = job->plan;
  const int64_t n = plan->broadcast.levels[0].count;
  const int64_t most = SPREAD_BYTES / (n * plan->in_size);
  char *const to[2] = {is_whole(&plan->broadcast, 0) ? NULL : room[0],
                       is_whole(&plan->broadcast, 1) ? NULL : room[1]};
  berth_sweep_plan_t flat = *plan;
  flat.loop = plan->both;
  flat.a_size = flat.b_size = plan->in_size;
  berth_rows_t walk;
  berth_rows_start(&plan->broadcast, begin, &walk);
  for (int64_t row = begin; row < end; row += most) {
    const int64_t rows = end - row < most ? end - row : most;
    const int64_t at = row * n;
    rows_gather(job, &walk, rows, to);
    plan->strip_in_place(&flat,
                         to[0] != NULL ? to[0] : job->a + at * plan->in_size,
                         to[1] != NULL ? to[1] : job->b + at * plan->in_size,
                         job->out + at * plan->out_size, rows * n);
  }
}

berth_code_t berth_sweep_run_spread(const void *arg, void *const *args,
                                    berth_call_t *call) {
  (void)call;
  return run_by_rows(arg, args, do_spread);
}

// Elements of |tile| each; the short row is at the same place in every tile.
static void do_tiles(void *arg, int64_t begin, int64_t end) {
  const job_t *job = arg;
  const berth_sweep_plan_t *plan = job->plan;
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

berth_code_t berth_sweep_run_tiles(const void *arg, void *const *args,
                                   berth_call_t *call) {
  (void)call;
  const berth_sweep_plan_t *plan = arg;
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

berth_code_t berth_sweep_run_checked(const void *arg, void *const *args,
                                     berth_call_t *call) {
  const berth_sweep_plan_t *plan = arg;
  if (!plan->accept(args[plan->second], plan->right_count)) {
    return berth_error_set_text(call->err, plan->code, plan->text);
  }
  return plan->run(plan, args, call);
}

// Adds inputs [first, end) of |n| elements from byte |at| on into |out|.
static void sum_group(const job_t *job, int first, int end, int64_t at,
                      char *out, int64_t n) {
  const berth_sweep_plan_t *plan = job->plan;
  const char *sum = (const char *)job->args[first] + at;
  for (int k = first + 1; k < end; ++k) {
    plan->strip(plan, sum, (const char *)job->args[k] + at, out, n);
    sum = out;
  }
}

// A block of all inputs before the next one, so that it stays in the cache.
static void do_sum(void *arg, int64_t begin, int64_t end) {
  _Alignas(64) char group[BLOCK * 16];
  const job_t *job = arg;
  const berth_sweep_plan_t *plan = job->plan;
  for (int64_t i = begin; i < end; i += BLOCK) {
    int64_t n = end - i < BLOCK ? end - i : BLOCK;
    int64_t at = i * plan->in_size;
    char *out = job->out + at;
    sum_group(job, 0, plan->first_count, at, out, n);
    for (int k = plan->first_count; k < plan->input_count;
         k += BERTH_SUM_GROUP) {
      sum_group(job, k, k + BERTH_SUM_GROUP, at, group, n);
      plan->strip(plan, out, group, out, n);
    }
  }
}

berth_code_t berth_sweep_run_sum(const void *arg, void *const *args,
                                 berth_call_t *call) {
  (void)call;
  const berth_sweep_plan_t *plan = arg;
  job_t job = {plan, NULL, NULL, args[plan->result], plan->strip, args};
  berth_parallel_for(plan->count, plan->grain, do_sum, &job);
  return BERTH_OK;
}
