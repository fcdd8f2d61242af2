// batch_norm.c - The kernels FusedBatchNorm and its gradient.
//
// Three steps: sums of parts, side by side; what they come to, channel by
// channel; the elements, side by side. A part is some rows where channels come
// last, or the plane of one channel where they come first. Which they are
// depends on shapes alone.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/norm.h"
#include "cpu/ops/chain.h"
#include "op/norm.h"
#include "op/types.h"

enum {
  CHUNK = 4096,       // Elements that are looked at twice, in the cache,
  LEAST_ROWS = 32,    // but so many rows: each chunk's sums are joined.
  PART = 16 * CHUNK,  // Elements that are worth a thread.
};

typedef struct plan {
  const berth_norm_loops_t *loops;
  berth_batch_norm_t norm;
  bool has_rows;       // Channels come last.
  int64_t fold;        // Rows of few channels that are seen as one.
  int64_t chunk_rows;  // Rows of a chunk,
  int64_t part_rows;   // and of a part.
  int64_t parts;
  int64_t grain;        // Parts that are worth a thread.
  size_t item;          // Bytes of an element.
  const float *values;  // Of a term, as norm_run_t has them.
} plan_t;

// Where things are. Sums are two numbers for each part and channel it has:
// mean and squared distances, or gradients and products.
typedef struct norm_run {
  const plan_t *plan;
  const void *x;
  const void *g;  // Of gradients alone.
  void *y;
  const float *mean;    // Of the gradient: what it was given.
  double *sums;         // [parts, 2, channels], or [parts, 2].
  float *room;          // [parts, room of a part].
  const float *values;  // [4, channels]: what elements are computed with.
} norm_run_t;

// ---- Parts ----

// Floats that a part works with: two chunks, and six numbers of each channel of
// rows that are seen as one.
static int64_t part_room(const plan_t *plan) {
  int64_t channels = plan->has_rows ? plan->norm.channels : 1;
  int64_t chunk = plan->has_rows ? plan->chunk_rows * channels : CHUNK;
  return 2 * chunk + 6 * plan->fold * channels;
}

// Returns how many rows are seen as one, so that vectors are full: those of few
// channels fill several.
static int64_t fold_of(int64_t channels) {
  enum { FEW = 32, VECTOR = 16, WIDTH = 64 };
  int64_t fold = 1;
  if (channels == 0 || channels >= FEW) return 1;
  while (fold * channels % VECTOR != 0 || fold * channels < WIDTH) fold *= 2;
  return fold;
}

// Returns |count| elements from |at| on as floats; |room| holds them where they
// are none.
static const float *load(const plan_t *plan, const void *from, int64_t at,
                         int64_t count, float *room) {
  switch (plan->norm.dtype) {
    case BERTH_FLOAT:
      return (const float *)from + at;
    case BERTH_HALF:
      plan->loops->from_half((const uint16_t *)from + at, room, count);
      return room;
    default:
      plan->loops->from_bfloat16((const uint16_t *)from + at, room, count);
      return room;
  }
}

// Returns where |count| results from |at| on are put: their place, or |room|.
static float *result(const plan_t *plan, void *to, int64_t at, float *room) {
  return plan->norm.dtype == BERTH_FLOAT ? (float *)to + at : room;
}

static void store(const plan_t *plan, void *to, int64_t at, int64_t count,
                  const float *from) {
  if (plan->norm.dtype == BERTH_HALF) {
    plan->loops->to_half(from, (uint16_t *)to + at, count);
  } else if (plan->norm.dtype == BERTH_BFLOAT16) {
    plan->loops->to_bfloat16(from, (uint16_t *)to + at, count);
  }
}

// Joins the mean and squares of |count| more elements with those of |*done|.
static void join_moments(double *mean, double *squares, int64_t done,
                         double more_mean, double more_squares, int64_t count) {
  double all = (double)(done + count), apart = more_mean - *mean;
  *mean += apart * (double)count / all;
  *squares += more_squares + apart * apart * (double)done * (double)count / all;
}

// ---- Rows ----

// Joins the moments of |rows| rows, each several of |n| channels, with those of
// |done| that are not; |more| is room for two numbers of each channel of a row.
static void add_moments(const plan_t *plan, const float *x, int64_t rows,
                        int64_t fold, float *more, double *restrict mean,
                        double *restrict squares, int64_t done) {
  int64_t n = plan->norm.channels;
  const float *means = more, *apart = more + n * fold;
  plan->loops->moments(x, rows, n * fold, more, more + n * fold);
  // As join_moments(), with one division for all channels.
  double share = (double)(rows * fold) / (double)(done + rows * fold);
  double weight = share * (double)done, one = 1 / (double)fold;
  for (int64_t i = 0; fold == 1 && i < n; ++i) {
    double d = (double)means[i] - mean[i];
    mean[i] += d * share;
    squares[i] += (double)apart[i] + d * d * weight;
  }
  for (int64_t i = 0; fold > 1 && i < n; ++i) {
    double all = 0, distances = 0;
    for (int64_t k = 0; k < fold; ++k) all += (double)means[k * n + i];
    all *= one;  // A power of two.
    for (int64_t k = 0; k < fold; ++k) {
      double d = (double)means[k * n + i] - all;
      distances += (double)apart[k * n + i] + d * d * (double)rows;
    }
    double d = all - mean[i];
    mean[i] += d * share;
    squares[i] += distances + d * d * weight;
  }
}

static void row_moments(const norm_run_t *run, int64_t part) {
  const plan_t *plan = run->plan;
  int64_t n = plan->norm.channels, end = (part + 1) * plan->part_rows;
  if (end > plan->norm.outer) end = plan->norm.outer;
  double *mean = run->sums + part * 2 * n, *squares = mean + n;
  float *room = run->room + part * part_room(plan);
  float *more = room + 2 * plan->chunk_rows * n;
  int64_t done = 0;
  memset(mean, 0, (size_t)n * 2 * sizeof(*mean));
  for (int64_t r = part * plan->part_rows; r < end; r += plan->chunk_rows) {
    int64_t rows = end - r < plan->chunk_rows ? end - r : plan->chunk_rows;
    int64_t whole = rows / plan->fold, rest = rows % plan->fold;
    const float *x = load(plan, run->x, r * n, rows * n, room);
    if (whole > 0) {
      add_moments(plan, x, whole, plan->fold, more, mean, squares, done);
    }
    done += rows - rest;
    if (rest > 0) {
      x += (rows - rest) * n;
      add_moments(plan, x, rest, 1, more, mean, squares, done);
    }
    done += rest;
  }
}

// Adds up the sums of |rows| rows, each several of |n| channels.
static void add_products(const plan_t *plan, const float *g, const float *x,
                         int64_t rows, int64_t fold, const float *mean,
                         float *more, double *restrict sum,
                         double *restrict product) {
  int64_t n = plan->norm.channels, width = n * fold;
  plan->loops->grad_sums(g, x, rows, width, mean, more, more + width);
  for (int64_t k = 0; k < fold; ++k, more += n) {
    for (int64_t i = 0; i < n; ++i) {
      sum[i] += (double)more[i];
      product[i] += (double)more[width + i];
    }
  }
}

// Writes |n| numbers as often as rows are seen as one, |count| times.
static void repeat(const plan_t *plan, const float *from, int64_t count,
                   float *to) {
  size_t n = (size_t)plan->norm.channels;
  for (int64_t i = 0; i < count; ++i, from += n) {
    for (int64_t k = 0; k < plan->fold; ++k, to += n) {
      memcpy(to, from, n * sizeof(*to));
    }
  }
}

static void row_products(const norm_run_t *run, int64_t part) {
  const plan_t *plan = run->plan;
  int64_t n = plan->norm.channels, end = (part + 1) * plan->part_rows;
  if (end > plan->norm.outer) end = plan->norm.outer;
  double *sum = run->sums + part * 2 * n, *product = sum + n;
  float *room = run->room + part * part_room(plan);
  float *second = room + plan->chunk_rows * n, *more = second + (second - room);
  float *mean = more + 2 * n * plan->fold;
  memset(sum, 0, (size_t)n * 2 * sizeof(*sum));
  repeat(plan, run->mean, 1, mean);
  for (int64_t r = part * plan->part_rows; r < end; r += plan->chunk_rows) {
    int64_t rows = end - r < plan->chunk_rows ? end - r : plan->chunk_rows;
    int64_t whole = rows / plan->fold, rest = rows % plan->fold;
    int64_t at = (rows - rest) * n;
    const float *x = load(plan, run->x, r * n, rows * n, room);
    const float *g = load(plan, run->g, r * n, rows * n, second);
    add_products(plan, g, x, whole, plan->fold, mean, more, sum, product);
    if (rest == 0) continue;
    add_products(plan, g + at, x + at, rest, 1, mean, more, sum, product);
  }
}

// Computes |rows| rows of |n| channels with four numbers of each.
static void make_elements(const norm_run_t *run, const float *g, const float *x,
                          float *y, int64_t rows, int64_t n, const float *v) {
  const plan_t *plan = run->plan;
  berth_norm_slopes_t slopes = {v, v + n, v + 2 * n, v + 3 * n};
  if (run->g == NULL) {
    plan->loops->apply(x, y, rows, n, v, v + n, v + 2 * n);
  } else {
    plan->loops->slope(g, x, y, rows, n, &slopes);
  }
}

static void row_elements(const norm_run_t *run, int64_t part) {
  const plan_t *plan = run->plan;
  int64_t n = plan->norm.channels, end = (part + 1) * plan->part_rows;
  if (end > plan->norm.outer) end = plan->norm.outer;
  float *room = run->room + part * part_room(plan);
  float *second = room + plan->chunk_rows * n;
  float *values = second + plan->chunk_rows * n;
  repeat(plan, run->values, run->g == NULL ? 3 : 4, values);
  for (int64_t r = part * plan->part_rows; r < end; r += plan->chunk_rows) {
    int64_t rows = end - r < plan->chunk_rows ? end - r : plan->chunk_rows;
    int64_t whole = rows / plan->fold, rest = rows % plan->fold;
    int64_t at = (rows - rest) * n;
    const float *x = load(plan, run->x, r * n, rows * n, room), *g = NULL;
    float *y = result(plan, run->y, r * n, second);
    if (run->g != NULL) g = load(plan, run->g, r * n, rows * n, second);
    make_elements(run, g, x, y, whole, n * plan->fold, values);
    if (rest > 0) {
      make_elements(run, g != NULL ? g + at : NULL, x + at, y + at, rest, n,
                    run->values);
    }
    store(plan, run->y, r * n, rows * n, y);
  }
}

// ---- Planes ----

static void plane_moments(const norm_run_t *run, int64_t part) {
  const plan_t *plan = run->plan;
  int64_t n = plan->norm.inner, first = part * n;
  double mean = 0, squares = 0;
  float *room = run->room + part * part_room(plan);
  for (int64_t i = 0; i < n; i += CHUNK) {
    int64_t count = n - i < CHUNK ? n - i : CHUNK;
    float more = 0, more_squares = 0;
    const float *x = load(plan, run->x, first + i, count, room);
    plan->loops->plane_moments(x, count, &more, &more_squares);
    join_moments(&mean, &squares, i, (double)more, (double)more_squares, count);
  }
  run->sums[2 * part] = mean;
  run->sums[2 * part + 1] = squares;
}

static void plane_products(const norm_run_t *run, int64_t part) {
  const plan_t *plan = run->plan;
  int64_t n = plan->norm.inner, first = part * n;
  float mean = run->mean[part % plan->norm.channels];
  double sum = 0, product = 0;
  float *room = run->room + part * part_room(plan);
  for (int64_t i = 0; i < n; i += CHUNK) {
    int64_t count = n - i < CHUNK ? n - i : CHUNK;
    float more = 0, more_product = 0;
    const float *x = load(plan, run->x, first + i, count, room);
    const float *g = load(plan, run->g, first + i, count, room + CHUNK);
    plan->loops->plane_grad_sums(g, x, count, mean, &more, &more_product);
    sum += (double)more;
    product += (double)more_product;
  }
  run->sums[2 * part] = sum;
  run->sums[2 * part + 1] = product;
}

static void plane_elements(const norm_run_t *run, int64_t part) {
  const plan_t *plan = run->plan;
  int64_t n = plan->norm.inner, channels = plan->norm.channels;
  int64_t first = part * n, c = part % channels;
  float *room = run->room + part * part_room(plan);
  const float *v = run->values;
  berth_norm_slopes_t slopes = {v, v + channels, v + 2 * channels,
                                v + 3 * channels};
  for (int64_t i = 0; i < n; i += CHUNK) {
    int64_t count = n - i < CHUNK ? n - i : CHUNK;
    const float *x = load(plan, run->x, first + i, count, room);
    float *y = result(plan, run->y, first + i, room + CHUNK);
    if (run->g == NULL) {
      plan->loops->plane_apply(x, y, count, v[c], v[channels + c],
                               v[2 * channels + c]);
    } else {
      const float *g = load(plan, run->g, first + i, count, room + CHUNK);
      plan->loops->plane_slope(g, x, y, count, &slopes, c);
    }
    store(plan, run->y, first + i, count, y);
  }
}

// ---- All parts ----

static void run_moments(void *arg, int64_t begin, int64_t end) {
  const norm_run_t *run = arg;
  for (int64_t i = begin; i < end; ++i) {
    run->plan->has_rows ? row_moments(run, i) : plane_moments(run, i);
  }
}

static void run_products(void *arg, int64_t begin, int64_t end) {
  const norm_run_t *run = arg;
  for (int64_t i = begin; i < end; ++i) {
    run->plan->has_rows ? row_products(run, i) : plane_products(run, i);
  }
}

static void run_elements(void *arg, int64_t begin, int64_t end) {
  const norm_run_t *run = arg;
  for (int64_t i = begin; i < end; ++i) {
    run->plan->has_rows ? row_elements(run, i) : plane_elements(run, i);
  }
}

// The sums of one channel: of part |k| of it, of how many elements.
typedef struct channel_part {
  double first, second;
  int64_t count;
} channel_part_t;

static int64_t channel_parts(const plan_t *plan) {
  return plan->has_rows ? plan->parts : plan->norm.outer;
}

static channel_part_t channel_part(const norm_run_t *run, int64_t c,
                                   int64_t k) {
  const plan_t *plan = run->plan;
  int64_t n = plan->norm.channels;
  if (!plan->has_rows) {
    const double *sums = run->sums + 2 * (k * n + c);
    return (channel_part_t){sums[0], sums[1], plan->norm.inner};
  }
  int64_t rest = plan->norm.outer - k * plan->part_rows;
  const double *sums = run->sums + k * 2 * n + c;
  return (channel_part_t){sums[0], sums[n],
                          rest < plan->part_rows ? rest : plan->part_rows};
}

// ---- Forward ----

// The outputs that are not images.
typedef struct statistics {
  float *mean, *variance;              // Running ones.
  float *batch_mean, *batch_variance;  // As the gradient wants them.
} statistics_t;

// Finds the mean and variance of channel |c| of the batch.
static void find_moments(const norm_run_t *run, int64_t c, float *out_mean,
                         float *out_variance) {
  const plan_t *plan = run->plan;
  double mean = 0, squares = 0;
  int64_t done = 0;
  for (int64_t k = 0; k < channel_parts(plan); ++k) {
    channel_part_t part = channel_part(run, c, k);
    join_moments(&mean, &squares, done, part.first, part.second, part.count);
    done += part.count;
  }
  *out_mean = (float)mean;
  *out_variance = (float)(squares / (double)done);
}

static void train(const norm_run_t *run, float *const *args,
                  const statistics_t *out) {
  const berth_batch_norm_t *norm = &run->plan->norm;
  int64_t count = norm->outer * norm->inner;
  float unbiased = (float)count / (float)(count > 1 ? count - 1 : 1);
  float keep = 1.0f - norm->factor;
  for (int64_t c = 0; c < norm->channels; ++c) {
    float mean = 0, variance = 0;
    find_moments(run, c, &mean, &variance);
    out->batch_mean[c] = mean;
    out->batch_variance[c] = variance;
    out->mean[c] = mean;
    out->variance[c] = variance * unbiased;
    if (norm->factor == 1.0f) continue;
    out->mean[c] = keep * args[3][c] + norm->factor * mean;
    out->variance[c] = keep * args[4][c] + norm->factor * variance * unbiased;
  }
}

static void keep_inputs(const berth_batch_norm_t *norm, float *const *args,
                        const statistics_t *out) {
  size_t size = (size_t)norm->channels * sizeof(float);
  memcpy(out->mean, args[3], size);
  memcpy(out->variance, args[4], size);
  memcpy(out->batch_mean, args[3], size);
  memcpy(out->batch_variance, args[4], size);
}

static void set_nan(const berth_batch_norm_t *norm, const statistics_t *out) {
  for (int64_t c = 0; c < norm->channels; ++c) {
    out->mean[c] = out->variance[c] = NAN;
    out->batch_mean[c] = out->batch_variance[c] = 0;
  }
}

// Finds what elements are computed with.
static void find_values(const berth_batch_norm_t *norm, const float *mean,
                        const float *variance, const float *scale,
                        const float *offset, float *values) {
  int64_t n = norm->channels;
  for (int64_t c = 0; c < n; ++c) {
    values[c] = mean[c];
    values[n + c] = 1.0f / sqrtf(variance[c] + norm->epsilon) * scale[c];
    values[2 * n + c] = offset[c];
  }
}

static berth_code_t run_norm(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_batch_norm_t *norm = &plan->norm;
  statistics_t out = {args[6], args[7], args[8], args[9]};
  bool has_more = call->node->output_count > 5;
  char *scratch = args[has_more ? 11 : 10];
  if (has_more) *(float *)args[10] = 0;
  if (plan->parts == 0) {
    set_nan(norm, &out);
    return BERTH_OK;
  }
  float *values = (float *)scratch;
  norm_run_t run = {.plan = plan, .x = args[0], .y = args[5], .values = values};
  run.sums = (double *)(values + 4 * norm->channels);
  run.room = (float *)(run.sums +
                       2 * plan->parts * (plan->has_rows ? norm->channels : 1));
  if (norm->is_training) {
    if (!berth_parallel_for(plan->parts, plan->grain, run_moments, &run)) {
      return BERTH_OK;
    }
    train(&run, (float *const *)args, &out);
  } else {
    keep_inputs(norm, (float *const *)args, &out);
  }
  find_values(norm, out.batch_mean, out.batch_variance, args[1], args[2],
              values);
  berth_parallel_for(plan->parts, plan->grain, run_elements, &run);
  return BERTH_OK;
}

// ---- Backward ----

// Finds what the elements of channel |c| are computed with, and the gradients
// of its scale and offset.
static void find_slopes(const norm_run_t *run, int64_t c, void *const *args,
                        float *values) {
  const plan_t *plan = run->plan;
  const berth_batch_norm_t *norm = &plan->norm;
  const float *scale = args[2], *mean = args[3], *variance = args[4];
  float *scale_grad = args[7], *offset_grad = args[8];
  int64_t n = norm->channels;
  double sum = 0, product = 0;
  for (int64_t k = 0; k < channel_parts(plan); ++k) {
    channel_part_t part = channel_part(run, c, k);
    sum += part.first;
    product += part.second;
  }
  float inverse = 1.0f / sqrtf(variance[c] + norm->epsilon);
  double count = (double)(norm->outer * norm->inner);
  scale_grad[c] = (float)product * inverse;
  offset_grad[c] = (float)sum;
  values[c] = mean[c];
  values[n + c] = scale[c] * inverse;
  values[2 * n + c] = norm->is_training ? (float)(sum / count) : 0;
  values[3 * n + c] =
      norm->is_training
          ? (float)(product / count / (double)(variance[c] + norm->epsilon))
          : 0;
}

static berth_code_t run_grad(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_batch_norm_t *norm = &plan->norm;
  // The third version has an input more, which says nothing here.
  bool has_more = call->node->input_count > 5;
  void *shifted[9];
  for (int i = 0; i < 5; ++i) shifted[i] = args[i];
  for (int i = 6; i < 9; ++i) shifted[i] = args[i + (has_more ? 0 : -1)];
  char *scratch = args[has_more ? 11 : 10];
  float *values = (float *)scratch;
  norm_run_t run = {.plan = plan,
                    .x = args[1],
                    .g = args[0],
                    .y = shifted[6],
                    .mean = args[3],
                    .values = values};
  run.sums = (double *)(values + 4 * norm->channels);
  run.room = (float *)(run.sums +
                       2 * plan->parts * (plan->has_rows ? norm->channels : 1));
  if (!berth_parallel_for(plan->parts, plan->grain, run_products, &run)) {
    return BERTH_OK;
  }
  for (int64_t c = 0; c < norm->channels; ++c) {
    find_slopes(&run, c, shifted, values);
  }
  berth_parallel_for(plan->parts, plan->grain, run_elements, &run);
  return BERTH_OK;
}

// ---- Preparing ----

static void cut(plan_t *plan) {
  const berth_batch_norm_t *norm = &plan->norm;
  int64_t n = norm->channels;
  plan->has_rows = norm->inner == 1;
  plan->fold = plan->has_rows ? fold_of(n) : 1;
  if (norm->outer * norm->inner * n == 0) return;
  if (!plan->has_rows) {
    plan->parts = norm->outer * n;
    plan->grain = PART / norm->inner + 1;
    return;
  }
  plan->chunk_rows = n >= CHUNK ? 1 : CHUNK / n;
  if (plan->chunk_rows < LEAST_ROWS && n < CHUNK) plan->chunk_rows = LEAST_ROWS;
  if (plan->chunk_rows > BERTH_NORM_ROWS * plan->fold) {
    plan->chunk_rows = BERTH_NORM_ROWS * plan->fold;
  }
  int64_t chunks = PART / (plan->chunk_rows * n) + 1;
  plan->part_rows = chunks * plan->chunk_rows;
  plan->parts = (norm->outer + plan->part_rows - 1) / plan->part_rows;
  plan->grain = 1;
}

static berth_code_t make_plan(berth_prepare_t *prepare,
                              const berth_batch_norm_t *norm, berth_run_fn run,
                              berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->loops = BERTH_ISA_PICK(berth_cpu_norm_loops);
  plan->norm = *norm;
  plan->item = berth_dtype_size(norm->dtype);
  cut(plan);
  int64_t sums = 2 * plan->parts * (plan->has_rows ? norm->channels : 1);
  prepare->scratch_size =
      (size_t)(4 * norm->channels) * sizeof(float) +
      (size_t)sums * sizeof(double) +
      (size_t)(plan->parts * part_room(plan)) * sizeof(float) + 64;
  prepare->work = norm->outer * norm->inner * norm->channels;
  prepare->run = run;
  return BERTH_OK;
}

// As berth_term_fn, of rows of floats.
static void apply_norm(const void *arg, const char *const *in, char *out,
                       int64_t count) {
  const plan_t *plan = arg;
  int64_t n = plan->norm.channels;
  const float *v = plan->values;
  plan->loops->apply((const float *)(const void *)in[0], (float *)(void *)out,
                     count / n, n, v, v + n, v + 2 * n);
}

// Makes the step a term where it computes with constants.
static berth_code_t set_term(berth_prepare_t *prepare, plan_t *plan,
                             berth_error_t *err) {
  const berth_batch_norm_t *norm = &plan->norm;
  const berth_case_input_t *in = prepare->op.inputs;
  bool is_fixed = true;
  for (int i = 1; i < 5; ++i) is_fixed = is_fixed && in[i].is_fixed;
  if (!is_fixed || norm->is_training || norm->dtype != BERTH_FLOAT ||
      !plan->has_rows || plan->parts == 0) {
    return BERTH_OK;
  }
  float *values = berth_arena_alloc(
      prepare->op.arena, (size_t)(3 * norm->channels) * sizeof(*values));
  berth_cpu_term_t *term =
      berth_arena_calloc(prepare->op.arena, 1, sizeof(*term));
  if (values == NULL || term == NULL) {
    return berth_error_no_memory(err, "a plan");
  }
  find_values(norm, in[3].value, in[4].value, in[1].value, in[2].value, values);
  plan->values = values;
  *term = (berth_cpu_term_t){.term = {.fuse = berth_cpu_fuse,
                                      .count = in[0].count,
                                      .row = norm->channels,
                                      .carried = 1,
                                      .many = true},
                             .apply = apply_norm,
                             .rows_kind = BERTH_ROWS_NORM,
                             .rows = values,
                             .reach = {BERTH_REACH_ALL},
                             .sizes = {sizeof(float)},
                             .out_size = sizeof(float)};
  prepare->term = &term->term;
  return BERTH_OK;
}

static berth_code_t prepare_norm(berth_prepare_t *prepare, berth_error_t *err) {
  berth_batch_norm_t norm;
  BERTH_TRY(berth_op_batch_norm(&prepare->op, &norm, err));
  BERTH_TRY(make_plan(prepare, &norm, run_norm, err));
  return set_term(prepare, prepare->plan, err);
}

static berth_code_t prepare_grad(berth_prepare_t *prepare, berth_error_t *err) {
  berth_batch_norm_t norm;
  BERTH_TRY(berth_op_batch_norm_grad(&prepare->op, &norm, err));
  if (norm.channels_first && !norm.is_training) {
    // TensorFlow's kernels of the CPU have none.
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "The implementation of FusedBatchNormGrad with is_training=False only "
        "support NHWC tensor format for now.");
  }
  return make_plan(prepare, &norm, run_grad, err);
}

#define TYPES (BERTH_TYPES_FLOATING & ~BERTH_TYPE(DOUBLE))
#define KERNEL(name, set, function) \
  { .op = name, .types = {{"T", set}}, .prepare = function }
#define KERNEL_U(name, function)                                   \
  {                                                                \
    .op = name, .types = {{"T", TYPES}, {"U", BERTH_TYPE(FLOAT)}}, \
    .prepare = function                                            \
  }

const berth_kernel_t berth_cpu_batch_norm_kernels[] = {
    KERNEL("FusedBatchNorm", BERTH_TYPE(FLOAT), prepare_norm),
    KERNEL_U("FusedBatchNormV2", prepare_norm),
    KERNEL_U("FusedBatchNormV3", prepare_norm),
    KERNEL("FusedBatchNormGrad", BERTH_TYPE(FLOAT), prepare_grad),
    KERNEL_U("FusedBatchNormGradV2", prepare_grad),
    KERNEL_U("FusedBatchNormGradV3", prepare_grad),
    {.op = NULL},
};
