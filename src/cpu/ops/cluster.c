// cluster.c - The kernels of centers of clusters.
//
// Half the squared distance of x and c is |x|^2 / 2 + (|c|^2 / 2 - x c), in
// floats, as TensorFlow computes it: what is near at all is found as it finds
// it.
#include "op/cluster.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/words.h"

enum { GRAIN = 1 << 14 };  // Products that are worth a thread.

static float product(const float *a, const float *b, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

static float half_square(const float *a, int64_t n) {
  return 0.5f * product(a, a, n);
}

// ---- NearestNeighbors ----

typedef struct work {
  const berth_cluster_t *cluster;
  const float *points, *centers;
  int64_t *indices;
  float *distances;
} work_t;

// Finds what is near point |i|: the first of equals comes first.
static void nearest_of(const work_t *work, int64_t i) {
  const berth_cluster_t *c = work->cluster;
  const float *x = work->points + i * c->columns;
  int64_t *indices = work->indices + i * c->count, found = 0;
  float *scores = work->distances + i * c->count;
  for (int64_t k = 0; k < c->centers; ++k) {
    const float *center = work->centers + k * c->columns;
    float score =
        half_square(center, c->columns) - product(x, center, c->columns);
    int64_t at = found < c->count ? found++ : found;
    for (; at > 0 && score < scores[at - 1]; --at) {
      if (at == c->count) continue;
      scores[at] = scores[at - 1];
      indices[at] = indices[at - 1];
    }
    if (at == c->count) continue;
    scores[at] = score;
    indices[at] = k;
  }
  float own = half_square(x, c->columns);
  for (int64_t k = 0; k < found; ++k) scores[k] = 2 * (own + scores[k]);
}

static void nearest_piece(void *arg, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) nearest_of(arg, i);
}

static berth_code_t run_nearest(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)call;
  const berth_cluster_t *c = plan;
  work_t work = {c, args[0], args[1], args[3], args[4]};
  if (c->count == 0) return BERTH_OK;
  berth_parallel_for(c->rows, GRAIN / (c->centers * c->columns + 1) + 1,
                     nearest_piece, &work);
  return BERTH_OK;
}

// ---- KmeansPlusPlusInitialization ----

// What centers are drawn with, |rows| of each.
typedef struct draw {
  const berth_cluster_t *cluster;
  const float *points;
  berth_words_t words;
  float *halves;        // Of the squares of points.
  float *nearest;       // Half the squared distances to what is chosen,
  float *sums;          // up to each,
  float *tried, *best;  // and as they would be.
  bool *is_chosen;
} draw_t;

// Draws a point that is not chosen, as likely as it is far from those that are.
static int64_t draw_point(draw_t *d, bool is_first) {
  int64_t n = d->cluster->rows, at = 0;
  if (is_first) return (int64_t)berth_words_below_long(&d->words, (uint64_t)n);
  do {
    float wanted =
        berth_philox_float(berth_words_next(&d->words)) * d->sums[n - 1];
    int64_t end = n;
    for (at = 0; at < end;) {
      int64_t middle = at + (end - at) / 2;
      if (d->sums[middle] > wanted) {
        end = middle;
      } else {
        at = middle + 1;
      }
    }
  } while (at < n && d->is_chosen[at]);
  return at < n ? at : n - 1;
}

// Fills in what is nearest if |at| is chosen, and returns the sum.
static float try_point(draw_t *d, int64_t at) {
  int64_t columns = d->cluster->columns;
  const float *center = d->points + at * columns;
  float sum = 0;
  for (int64_t i = 0; i < d->cluster->rows; ++i) {
    float half = d->halves[i] -
                 product(d->points + i * columns, center, columns) +
                 d->halves[at];
    d->tried[i] = half < d->nearest[i] ? half : d->nearest[i];
    sum += d->tried[i];
  }
  return sum;
}

static void swap(float **a, float **b) {
  float *kept = *a;
  *a = *b;
  *b = kept;
}

// Chooses the best of several points that are drawn.
static int64_t choose(draw_t *d, bool is_first) {
  float least = INFINITY;
  int64_t chosen = 0;
  for (int64_t i = 0; i <= d->cluster->count; ++i) {
    int64_t at = draw_point(d, is_first);
    float sum = try_point(d, at);
    // A single one is taken whatever it is.
    if (!(sum < least) && d->cluster->count > 0) continue;
    least = sum;
    chosen = at;
    swap(&d->tried, &d->best);
  }
  swap(&d->best, &d->nearest);
  return chosen;
}

static berth_code_t run_first_centers(const void *plan, void *const *args,
                                      berth_call_t *call) {
  const berth_cluster_t *c = plan;
  int64_t n = c->rows, columns = c->columns;
  float *room = args[5];
  draw_t d = {.cluster = c,
              .points = args[0],
              .words = berth_words_at(
                  berth_philox_keyed(*(const uint64_t *)args[2], 0, 0)),
              .halves = room,
              .nearest = room + n,
              .sums = room + 2 * n,
              .tried = room + 3 * n,
              .best = room + 4 * n,
              .is_chosen = (bool *)(room + 5 * n)};
  memset(d.is_chosen, 0, (size_t)n);
  for (int64_t i = 0; i < n; ++i) {
    d.halves[i] = half_square(d.points + i * columns, columns);
    d.nearest[i] = INFINITY;
  }
  for (int64_t i = 0; i < c->centers; ++i) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    float sum = 0;
    for (int64_t k = 0; i > 0 && k < n; ++k) {
      d.sums[k] = sum += d.nearest[k];
    }
    int64_t at = choose(&d, i == 0);
    memcpy((float *)args[4] + i * columns, d.points + at * columns,
           (size_t)columns * sizeof(float));
    d.is_chosen[at] = true;
  }
  return BERTH_OK;
}

// ---- KMC2ChainInitialization ----

static berth_code_t run_chain(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)call;
  const float *distances = args[0];
  int64_t chosen = 0;
  berth_words_t words =
      berth_words_at(berth_philox_keyed(*(const uint64_t *)args[1], 0, 0));
  for (int64_t i = 1; i < ((const berth_cluster_t *)plan)->rows; ++i) {
    float part = berth_philox_float(berth_words_next(&words));
    if (distances[i] > part * distances[chosen]) chosen = i;
  }
  *(int64_t *)args[2] = chosen;
  return BERTH_OK;
}

// ---- Preparing ----

typedef berth_code_t (*describe_fn)(berth_case_t *op, berth_cluster_t *out,
                                    berth_error_t *err);

static berth_code_t prepare_with(berth_prepare_t *prepare, describe_fn describe,
                                 berth_run_fn run, berth_error_t *err) {
  berth_cluster_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(describe(&prepare->op, plan, err));
  prepare->run = run;
  prepare->work = plan->rows * (plan->centers + 1) * (plan->columns + 1);
  return BERTH_OK;
}

static berth_code_t prepare_nearest(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  return prepare_with(prepare, berth_op_nearest, run_nearest, err);
}

static berth_code_t prepare_first_centers(berth_prepare_t *prepare,
                                          berth_error_t *err) {
  BERTH_TRY(
      prepare_with(prepare, berth_op_first_centers, run_first_centers, err));
  const berth_cluster_t *plan = prepare->plan;
  prepare->scratch_size = (size_t)plan->rows * (5 * sizeof(float) + 1);
  return BERTH_OK;
}

static berth_code_t prepare_chain(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  return prepare_with(prepare, berth_op_chain, run_chain, err);
}

const berth_kernel_t berth_cpu_cluster_kernels[] = {
    {.op = "KMC2ChainInitialization", .prepare = prepare_chain},
    {.op = "KmeansPlusPlusInitialization", .prepare = prepare_first_centers},
    {.op = "NearestNeighbors", .prepare = prepare_nearest},
    {.op = NULL},
};
