// glimpse.c - The kernels ExtractGlimpse, SampleDistortedBoundingBox and their
// kin.
#include "op/glimpse.h"

#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/ops/words.h"
#include "op/types.h"

// ---- SampleDistortedBoundingBox ----

typedef struct box {
  int32_t left, top, right, bottom;
} box_t;

static float area_of(box_t box) {
  return (float)((box.right - box.left) * (box.bottom - box.top));
}

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }
static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

static box_t common_part(box_t a, box_t b) {
  box_t both = {larger(a.left, b.left), larger(a.top, b.top),
                smaller(a.right, b.right), smaller(a.bottom, b.bottom)};
  return both.left > both.right || both.top > both.bottom ? (box_t){0} : both;
}

typedef struct search {
  const berth_distort_t *spec;
  int32_t width, height;
  float covered;
  const float *boxes;
  int64_t count;
} search_t;

static box_t box_at(const search_t *s, int64_t i) {
  const float *box = s->boxes + 4 * i;
  return (box_t){(int32_t)(box[1] * (float)s->width),
                 (int32_t)(box[0] * (float)s->height),
                 (int32_t)(box[3] * (float)s->width),
                 (int32_t)(box[2] * (float)s->height)};
}

static bool covers(const search_t *s, box_t crop) {
  if (area_of(crop) < 1) return false;
  // Where there are no boxes the image is one.
  for (int64_t i = 0; i < (s->count > 0 ? s->count : 1); ++i) {
    box_t box =
        s->count > 0 ? box_at(s, i) : (box_t){0, 0, s->width, s->height};
    float area = area_of(box);
    if (area < 1) continue;
    if (area_of(common_part(crop, box)) / area >= s->covered) return true;
  }
  return false;
}

static int32_t rounded(float x) { return (int32_t)lrintf(x); }

// Returns the most rows of a box of which the columns fit.
static int32_t most_rows(const search_t *s, float area, float aspect) {
  int32_t most = rounded(sqrtf(area / aspect));
  if (rounded((float)most * aspect) > s->width) {
    const float little = 0.0000001f;
    most =
        (int32_t)(((double)s->width + 0.5 - (double)little) / (double)aspect);
    if (rounded((float)most * aspect) > s->width) --most;
  }
  return smaller(most, s->height);
}

// Draws a box of the shape |aspect|; false when none fits.
static bool draw_box(const search_t *s, float aspect, berth_words_t *words,
                     box_t *out) {
  float least = s->spec->areas[0], most = s->spec->areas[1];
  if (most <= 0 || aspect <= 0 || s->width <= 0 || s->height <= 0 ||
      least > most) {
    return false;
  }
  least = least * (float)s->width * (float)s->height;
  most = most * (float)s->width * (float)s->height;
  int32_t rows = rounded(sqrtf(least / aspect));
  int32_t top = most_rows(s, most, aspect);
  if (rows >= top) {
    rows = top;
  } else {
    rows += (int32_t)berth_words_below(words, (uint32_t)(top - rows + 1));
  }
  int32_t columns = rounded((float)rows * aspect);
  float area = (float)(columns * rows);
  if (area < least) {
    columns = rounded((float)++rows * aspect);
    area = (float)(columns * rows);
  }
  if (area > most) {
    columns = rounded((float)--rows * aspect);
    area = (float)(columns * rows);
  }
  if (area < least || area > most || columns > s->width || rows > s->height ||
      columns <= 0 || rows <= 0) {
    return false;
  }
  int32_t y = 0, x = 0;
  if (rows < s->height) {
    y = (int32_t)berth_words_below(words, (uint32_t)(s->height - rows));
  }
  if (columns < s->width) {
    x = (int32_t)berth_words_below(words, (uint32_t)(s->width - columns));
  }
  *out = (box_t){x, y, x + columns, y + rows};
  return true;
}

static box_t search(const search_t *s, berth_words_t *words) {
  const float *aspects = s->spec->aspects;
  for (int64_t i = 0; i < s->spec->attempts; ++i) {
    box_t box = {0};
    float aspect = berth_philox_float(berth_words_next(words)) *
                       (aspects[1] - aspects[0]) +
                   aspects[0];
    if (draw_box(s, aspect, words, &box) && covers(s, box)) return box;
  }
  return (box_t){0, 0, s->width, s->height};
}

// Checks what is known in a run alone.
static berth_code_t read_search(berth_dtype_t dtype, void *const *args,
                                search_t *out, berth_call_t *call) {
  double height = berth_number_at(dtype, args[0], 0);
  double width = berth_number_at(dtype, args[0], 1);
  if (height < 0 || height >= (double)INT32_MAX || width < 0 ||
      width >= (double)INT32_MAX) {
    bool is_height = height < 0 || height >= (double)INT32_MAX;
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "image %s cannot be >= int32 max",
                           is_height ? "height" : "width");
  }
  out->height = (int32_t)height;
  out->width = (int32_t)width;
  if (call->node->input_count > 2) out->covered = *(const float *)args[2];
  if (out->covered < 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Min object covered must be non-negative: %g",
                           (double)out->covered);
  }
  for (int64_t i = 0; i < 4 * out->count; ++i) {
    if (out->boxes[i] >= 0 && out->boxes[i] <= 1) continue;
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "All bounding box coordinates must be in [0.0, "
                           "1.0]: %g",
                           (double)out->boxes[i]);
  }
  return BERTH_OK;
}

typedef struct distort_plan {
  berth_distort_t spec;
  berth_dtype_t dtype, seed;
  int64_t count;
} distort_plan_t;

static berth_words_t distort_words(const distort_plan_t *plan,
                                   void *const *args, berth_call_t *call) {
  if (call->node->input_count < 4) {
    return berth_words_reserve(call, (uint64_t)plan->spec.attempts);
  }
  uint64_t key = 0, counter[2], seeds[2];
  for (int i = 0; i < 2; ++i) {
    seeds[i] = plan->seed == BERTH_INT64
                   ? (uint64_t)((const int64_t *)args[3])[i]
                   : (uint64_t)((const int32_t *)args[3])[i];
  }
  berth_philox_scramble(seeds[0], seeds[1], &key, counter);
  return berth_words_at(berth_philox_keyed(key, counter[0], counter[1]));
}

static berth_code_t run_distort(const void *arg, void *const *args,
                                berth_call_t *call) {
  const distort_plan_t *plan = arg;
  int inputs = call->node->input_count;
  search_t s = {.spec = &plan->spec,
                .covered = plan->spec.covered,
                .boxes = args[1],
                .count = plan->count};
  BERTH_TRY(read_search(plan->dtype, args, &s, call));
  berth_words_t words = distort_words(plan, args, call);
  box_t box = search(&s, &words);
  const int32_t begin[] = {box.top, box.left, 0};
  const int32_t size[] = {box.bottom - box.top, box.right - box.left, -1};
  for (int i = 0; i < 3; ++i) {
    berth_number_set(plan->dtype, args[inputs], i, (double)begin[i]);
    berth_number_set(plan->dtype, args[inputs + 1], i, (double)size[i]);
  }
  float *out = args[inputs + 2];
  out[0] = (float)box.top / (float)s.height;
  out[1] = (float)box.left / (float)s.width;
  out[2] = (float)box.bottom / (float)s.height;
  out[3] = (float)box.right / (float)s.width;
  return BERTH_OK;
}

static berth_code_t prepare_distort(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  distort_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_distort(&prepare->op, &plan->spec, err));
  plan->dtype = prepare->op.inputs[0].dtype;
  plan->count = prepare->op.inputs[1].count / 4;
  if (prepare->op.input_count > 3) plan->seed = prepare->op.inputs[3].dtype;
  prepare->run = run_distort;
  prepare->work = plan->spec.attempts * 100;
  return BERTH_OK;
}

// ---- ExtractGlimpse ----

// Returns where a window of |window| pixels around |place| begins.
static int64_t begin_of(const berth_glimpse_t *g, float place, int64_t size,
                        int64_t window) {
  float in = (float)size, half = (float)window / 2.0f;
  bool moves = g->is_first || (g->is_normalized && g->is_centered);
  if (g->is_normalized) place *= in;
  if (g->is_centered) {
    if (g->is_first || g->is_normalized) place /= 2.0f;
    place += in / 2.0f;
  }
  if (moves) place -= half;
  return (int64_t)place;
}

// Stores which part of |window| pixels from |begin| on lies in |size|: its
// first and how many; true when all of it does.
static bool overlap(int64_t begin, int64_t window, int64_t size,
                    int64_t *out_first, int64_t *out_count) {
  bool is_whole = begin >= 0 && begin + window < size;
  int64_t first = begin < 0 ? -begin : 0;
  int64_t count = begin < 0 ? window + begin : window;
  if (begin >= 0 && begin + window >= size) count = size - begin;
  *out_first = first;
  *out_count = count < 0 ? 0 : count < size ? count : size;
  return is_whole;
}

// Fills a window with noise like the image that begins at |in|.
static void fill_noise(const berth_glimpse_t *g, const float *in, float *out,
                       berth_words_t *words) {
  int64_t pixels = g->in[1] * g->in[2], depth = g->in[3];
  int64_t count = g->rows * g->columns;
  if (g->noise == BERTH_NOISE_ZERO) {
    memset(out, 0, (size_t)(count * depth) * sizeof(*out));
    return;
  }
  // Uniform noise is about all channels, normal noise about each.
  for (int64_t c = 0; c < depth; ++c) {
    bool is_uniform = g->noise == BERTH_NOISE_UNIFORM;
    int64_t begin = is_uniform ? 0 : c, step = is_uniform ? 1 : depth;
    float least = in[begin], most = in[begin];
    double sum = 0, squares = 0;
    for (int64_t i = begin; i < pixels * depth; i += step) {
      least = in[i] < least ? in[i] : least;
      most = in[i] > most ? in[i] : most;
      sum += (double)in[i];
    }
    double mean = sum / (double)pixels;
    for (int64_t i = begin; i < pixels * depth; i += step) {
      squares += ((double)in[i] - mean) * ((double)in[i] - mean);
    }
    double sigma = sqrt(squares / (double)pixels);
    for (int64_t i = 0; i < count; ++i) {
      double u = berth_words_double(words);
      double v = is_uniform ? 0 : berth_words_double(words);
      double x = is_uniform ? (double)least + u * (double)(most - least)
                            : mean + sigma * sqrt(-2 * log1p(-u)) *
                                         cos(6.283185307179586 * v);
      x = x < (double)least ? (double)least : x;
      out[i * depth + c] = (float)(x > (double)most ? (double)most : x);
    }
  }
}

static void glimpse(const berth_glimpse_t *g, const float *in,
                    const float *place, float *out, berth_words_t *words) {
  int64_t y = begin_of(g, place[0], g->in[1], g->rows);
  int64_t x = begin_of(g, place[1], g->in[2], g->columns);
  int64_t first[2], count[2], depth = g->in[3];
  bool is_inside = overlap(y, g->rows, g->in[1], &first[0], &count[0]);
  is_inside &= overlap(x, g->columns, g->in[2], &first[1], &count[1]);
  if (!is_inside) fill_noise(g, in, out, words);
  if (count[0] == 0 || count[1] == 0) return;
  y = y < 0 ? 0 : y;
  x = x < 0 ? 0 : x;
  for (int64_t r = 0; r < count[0]; ++r) {
    memcpy(out + ((first[0] + r) * g->columns + first[1]) * depth,
           in + ((y + r) * g->in[2] + x) * depth,
           (size_t)(count[1] * depth) * sizeof(*out));
  }
}

static berth_code_t run_glimpse(const void *arg, void *const *args,
                                berth_call_t *call) {
  const berth_glimpse_t *g = arg;
  (void)call;
  // TensorFlow's noise is another one for each call, whatever is done.
  berth_words_t words = berth_words_at(berth_generator_begin(0, 0));
  for (int64_t b = 0; b < g->in[0]; ++b) {
    glimpse(g, (const float *)args[0] + b * g->in[1] * g->in[2] * g->in[3],
            (const float *)args[2] + 2 * b,
            (float *)args[3] + b * g->rows * g->columns * g->in[3], &words);
  }
  return BERTH_OK;
}

static berth_code_t prepare_glimpse(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  berth_glimpse_t *g = berth_prepare_plan(prepare, sizeof(*g));
  if (g == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_glimpse(&prepare->op, g, err));
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  bool is_nothing = count == 0 || prepare->op.inputs[0].count == 0;
  prepare->run = is_nothing ? berth_run_nothing : run_glimpse;
  prepare->work = count;
  return BERTH_OK;
}

#define BOX_TYPES \
  (BERTH_TYPES_INDEX | BERTH_TYPE(UINT8) | BERTH_TYPE(INT8) | BERTH_TYPE(INT16))
#define BOX(name) \
  { .op = name, .types = {{"T", BOX_TYPES}}, .prepare = prepare_distort }

const berth_kernel_t berth_cpu_glimpse_kernels[] = {
    {.op = "ExtractGlimpse", .prepare = prepare_glimpse},
    BOX("SampleDistortedBoundingBox"),
    BOX("SampleDistortedBoundingBoxV2"),
    BOX("StatelessSampleDistortedBoundingBox"),
    {.op = NULL},
};
