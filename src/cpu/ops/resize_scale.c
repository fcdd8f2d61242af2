// resize_scale.c - ScaleAndTranslate and its gradient.
//
// An output along one axis is a sum over a span of inputs, weighted by a filter
// around the place that it comes from. Rows are summed first, then columns; a
// gradient goes from outputs to inputs.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "op/resize.h"

#define PI 3.14159265358979323846f

// ---- Filters ----

static float lanczos(float x, float radius) {
  if (x > radius) return 0;
  if (x <= 1e-3f) return 1;
  return radius * sinf(PI * x) * sinf(PI * x / radius) / (PI * PI * x * x);
}

static float weight_of(const berth_scaling_t *plan, float x) {
  float sigma = plan->radius / 3;
  switch (plan->filter) {
    case BERTH_SCALE_LANCZOS:
      return lanczos(x, plan->radius);
    case BERTH_SCALE_GAUSSIAN:
      return x >= plan->radius ? 0 : expf(-x * x / (2 * sigma * sigma));
    case BERTH_SCALE_BOX:
      return x < 0.5f ? 1 : x == 0.5f ? 0.5f : 0;
    case BERTH_SCALE_TRIANGLE:
      return x < 1 ? 1 - x : 0;
    case BERTH_SCALE_KEYS:
      return x >= 2   ? 0
             : x >= 1 ? ((-0.5f * x + 2.5f) * x - 4) * x + 2
                      : (1.5f * x - 2.5f) * x * x + 1;
    default:
      return x >= 2   ? 0
             : x >= 1 ? ((-7.0f / 18 * x + 2) * x - 10.0f / 3) * x + 16.0f / 9
                      : (7.0f / 6 * x - 2) * x * x + 8.0f / 9;
  }
}

// ---- Spans ----

// The inputs of every output along an axis: |size| weights each, from
// |starts| on.
typedef struct spans {
  int64_t in, out, size;
  int64_t *starts;
  float *weights;
} spans_t;

static int64_t clamp(int64_t x, int64_t most) {
  return x < 0 ? 0 : x > most ? most : x;
}

// Fills in the span of output |o|, whose place among inputs is |at|.
static void span_fill(const berth_scaling_t *plan, spans_t *spans, int64_t o,
                      float at, float stretch) {
  float reach = plan->radius * stretch, total = 0;
  float *weights = spans->weights + o * spans->size;
  if (at < 0 || at > (float)spans->in) return;
  int64_t first = clamp((int64_t)ceilf(at - reach - 0.5f), spans->in - 1);
  int64_t end = clamp((int64_t)floorf(at + reach - 0.5f), spans->in - 1) + 1;
  if (end - first > spans->size) end = first + spans->size;
  for (int64_t i = first; i < end; ++i) {
    float distance = (float)i + 0.5f - at;
    weights[i - first] = weight_of(plan, fabsf(distance * (1.0f / stretch)));
    total += weights[i - first];
  }
  bool is_some = fabsf(total) >= 1000.0f * 1.17549435e-38f;
  for (int64_t i = 0; i < end - first; ++i) {
    weights[i] = is_some ? weights[i] * (1.0f / total) : 0;
  }
  spans->starts[o] = first;
}

static berth_code_t spans_init(const berth_scaling_t *plan, int axis,
                               float scale, float shift, spans_t *spans,
                               berth_error_t *err) {
  if (!(scale > 0)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Scale must be greater than zero.");
  }
  float inverse = 1.0f / scale, back = -inverse * shift;
  float stretch = plan->antialias && inverse > 1 ? inverse : 1;
  *spans = (spans_t){.in = plan->in[axis], .out = plan->out[axis]};
  float widest = 2 * ceilf(plan->radius * stretch) + 1;
  spans->size = widest < (float)spans->in ? (int64_t)widest : spans->in;
  size_t count = (size_t)spans->out;
  spans->starts = berth_calloc(count, sizeof(*spans->starts));
  spans->weights = berth_calloc(count * (size_t)spans->size, sizeof(float));
  if (spans->starts == NULL || spans->weights == NULL) {
    return berth_error_no_memory(err, "weights of a filter");
  }
  for (int64_t o = 0; o < spans->out; ++o) {
    span_fill(plan, spans, o, ((float)o + 0.5f) * inverse + back, stretch);
  }
  return BERTH_OK;
}

static void spans_deinit(spans_t *spans) {
  berth_free(spans->starts);
  berth_free(spans->weights);
}

// ---- Sums ----

// Sums |from|, |outer| times the inputs of |spans| times |inner| numbers, to
// |to|; |turns|: from outputs to inputs.
static void sum_axis(const spans_t *spans, int64_t outer, int64_t inner,
                     bool turns, const float *from, float *to) {
  int64_t sizes[2] = {turns ? spans->out : spans->in,
                      turns ? spans->in : spans->out};
  memset(to, 0, (size_t)(outer * sizes[1] * inner) * sizeof(*to));
  for (int64_t k = 0; k < outer * spans->out; ++k) {
    int64_t o = k % spans->out, b = k / spans->out;
    for (int64_t i = 0; i < spans->size; ++i) {
      float weight = spans->weights[o * spans->size + i];
      int64_t at = spans->starts[o] + i;
      if (weight == 0 || at >= spans->in) continue;
      const float *x = from + (b * sizes[0] + (turns ? o : at)) * inner;
      float *y = to + (b * sizes[1] + (turns ? at : o)) * inner;
      for (int64_t c = 0; c < inner; ++c) y[c] += weight * x[c];
    }
  }
}

// How many numbers there are when rows are summed.
static int64_t middle_of(const berth_scaling_t *plan) {
  int64_t rows = plan->is_gradient ? plan->in[0] : plan->out[0];
  int64_t columns = plan->is_gradient ? plan->out[1] : plan->in[1];
  return plan->batch * rows * columns * plan->channels;
}

static void scale_all(const berth_scaling_t *plan, const spans_t spans[2],
                      const float *in, float *room, float *out) {
  bool turns = plan->is_gradient;
  int64_t rows = turns ? plan->in[0] : plan->out[0];
  int64_t columns = turns ? plan->out[1] : plan->in[1];
  sum_axis(&spans[0], plan->batch, columns * plan->channels, turns, in, room);
  sum_axis(&spans[1], plan->batch * rows, plan->channels, turns, room, out);
}

// Returns the image as floats: it itself, or |room| filled with them.
static const float *as_floats(const berth_scaling_t *plan, const void *in,
                              float *room) {
  if (plan->dtype == BERTH_FLOAT) return in;
  int64_t count = plan->batch * plan->in[0] * plan->in[1] * plan->channels;
  for (int64_t i = 0; i < count; ++i) {
    room[i] = (float)berth_number_at(plan->dtype, in, i);
  }
  return room;
}

static berth_code_t run_scale(const void *arg, void *const *args,
                              berth_call_t *call) {
  const berth_scaling_t *plan = arg;
  const float *scale = args[2], *shift = args[3];
  spans_t spans[2] = {{0}, {0}};
  berth_code_t code = BERTH_OK;
  for (int i = 0; i < 2 && code == BERTH_OK; ++i) {
    code = spans_init(plan, i, scale[i], shift[i], &spans[i], call->err);
  }
  if (code == BERTH_OK) {
    float *room = args[5];
    const float *in = as_floats(plan, args[0], room + middle_of(plan));
    scale_all(plan, spans, in, room, args[4]);
  }
  spans_deinit(&spans[0]);
  spans_deinit(&spans[1]);
  return code;
}

static berth_code_t prepare_scale(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_scaling_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_scale(&prepare->op, plan, err));
  int64_t middle = middle_of(plan);
  int64_t image = plan->batch * plan->in[0] * plan->in[1] * plan->channels;
  prepare->scratch_size =
      (size_t)(middle + (plan->dtype == BERTH_FLOAT ? 0 : image)) *
      sizeof(float);
  prepare->run = run_scale;
  prepare->work = (middle + image) * 20;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_resize_scale_kernels[] = {
    {.op = "ScaleAndTranslate",
     .types = {{"T", BERTH_TYPES_REAL}},
     .prepare = prepare_scale},
    {.op = "ScaleAndTranslateGrad",
     .types = {{"T", BERTH_TYPE(FLOAT)}},
     .prepare = prepare_scale},
    {.op = NULL},
};
