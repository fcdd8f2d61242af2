// draw_boxes.c - The kernels DrawBoundingBoxes and ImageProjectiveTransform.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/floats.h"
#include "op/draw.h"
#include "op/types.h"

// ---- Boxes ----

static const float known_colors[10][4] = {
    {1, 1, 0, 1},       {0, 0, 1, 1},       {1, 0, 0, 1},    {0, 1, 0, 1},
    {0.5f, 0, 0.5f, 1}, {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1}, {0, 0, 0.5f, 1},
    {0, 1, 1, 1},       {1, 0, 1, 1}};

typedef struct draw_run {
  const berth_draw_t *plan;
  const float *boxes, *colors;
  char *out;
  size_t item;
} draw_run_t;

// Paints pixel (y, x) of image |b| in colour |number|.
static void paint(const draw_run_t *run, int64_t b, int64_t y, int64_t x,
                  int64_t number) {
  const berth_draw_t *plan = run->plan;
  const float *color = plan->colors > 0
                           ? run->colors + number * plan->color_channels
                           : known_colors[number];
  float white = 1;
  if (plan->colors == 0 && plan->channels == 1) color = &white;
  int64_t at = ((b * plan->height + y) * plan->width + x) * plan->channels;
  berth_floats_to(plan->dtype, color, run->out + (size_t)at * run->item,
                  plan->channels);
}

// One dimension of a box, in pixels: its edges, and what of it is in the image.
typedef struct edges {
  int64_t low, high, first, last;
} edges_t;

// Stores the edges of what lies from |low| to |high| of |size| pixels. Returns
// false where there is nothing to see.
static bool find_edges(float low, float high, int64_t size, edges_t *out) {
  float from = low * (float)(size - 1), to = high * (float)(size - 1);
  // Far enough outside, and no number that an integer cannot hold.
  float most = (float)(size + 1);
  if (!(from <= to)) {
    // Rounded towards zero they may still be the same.
    if (!(from > -1 && to > -1 && from < most)) return false;
  }
  from = from < -most ? -most : from > most ? most : from;
  to = to < -most ? -most : to > most ? most : to;
  out->low = (int64_t)from;
  out->high = (int64_t)to;
  if (out->low > out->high || out->low >= size || out->high < 0) return false;
  out->first = out->low > 0 ? out->low : 0;
  out->last = out->high < size - 1 ? out->high : size - 1;
  return true;
}

static void draw_box(const draw_run_t *run, int64_t b, int64_t k) {
  const berth_draw_t *plan = run->plan;
  const float *box = run->boxes + (b * plan->boxes + k) * 4;
  int64_t number = k % (plan->colors > 0 ? plan->colors : 10);
  edges_t rows, columns;
  if (!find_edges(box[0], box[2], plan->height, &rows)) return;
  if (!find_edges(box[1], box[3], plan->width, &columns)) return;
  for (int64_t x = columns.first; x <= columns.last; ++x) {
    if (rows.low >= 0) paint(run, b, rows.low, x, number);
    if (rows.high < plan->height) paint(run, b, rows.high, x, number);
  }
  for (int64_t y = rows.first; y <= rows.last; ++y) {
    if (columns.low >= 0) paint(run, b, y, columns.low, number);
    if (columns.high < plan->width) paint(run, b, y, columns.high, number);
  }
}

static berth_code_t run_draw(const void *arg, void *const *args,
                             berth_call_t *call) {
  const berth_draw_t *plan = arg;
  int inputs = call->node->input_count;
  draw_run_t run = {.plan = plan,
                    .boxes = args[1],
                    .colors = inputs > 2 ? args[2] : NULL,
                    .out = args[inputs],
                    .item = berth_dtype_size(plan->dtype)};
  size_t size =
      (size_t)(plan->batch * plan->height * plan->width * plan->channels) *
      run.item;
  memcpy(run.out, args[0], size);
  for (int64_t b = 0; b < plan->batch; ++b) {
    for (int64_t k = 0; k < plan->boxes; ++k) draw_box(&run, b, k);
  }
  return BERTH_OK;
}

static berth_code_t prepare_draw(berth_prepare_t *prepare, berth_error_t *err) {
  berth_draw_t draw;
  BERTH_TRY(berth_op_draw(&prepare->op, &draw, err));
  prepare->run = berth_run_nothing;
  if (prepare->op.inputs[0].count == 0) return BERTH_OK;
  berth_draw_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = draw;
  prepare->work = prepare->op.inputs[0].count;
  prepare->run = run_draw;
  return BERTH_OK;
}

// ---- Projections ----

typedef struct project_run {
  const berth_project_t *plan;
  const char *in;
  const float *ways;
  char *out;
  size_t item;
  float fill;
} project_run_t;

static float within(float at, float most) {
  return at < 0 ? 0 : at > most ? most : at;
}

// Returns where |at| is in an image of |size| that goes on beyond its edges.
static float reflect(float at, float size) {
  float twice = 2 * size;
  if (at < 0) {
    if (size <= 1) return 0;
    if (at < twice) at = twice * (float)(int64_t)(-at / twice) + at;
    at = at < -size ? at + twice : -at - 1;
  } else if (at > size - 1) {
    if (size <= 1) return 0;
    at -= twice * (float)(int64_t)(at / twice);
    if (at >= size) at = twice - at - 1;
  }
  return within(at, size - 1);
}

static float wrap(float at, float size) {
  if (at < 0) {
    if (size <= 1) return 0;
    at += size * (float)((int64_t)(-at / (size - 1)) + 1);
  } else if (at > size - 1) {
    if (size <= 1) return 0;
    at -= size * (float)(int64_t)(at / (size - 1));
  }
  return within(at, size - 1);
}

// No place is further away: what lies there is outside all the same, and an
// integer holds it.
#define FAR 1e15f

static float mapped(const berth_project_t *plan, float at, int64_t size) {
  if (!(at > -FAR && at < FAR)) at = at > 0 ? FAR : -FAR;
  switch (plan->outside) {
    case BERTH_OUTSIDE_REFLECT:
      return reflect(at, (float)size);
    case BERTH_OUTSIDE_WRAP:
      return wrap(at, (float)size);
    case BERTH_OUTSIDE_NEAREST:
      return within(at, (float)(size - 1));
    default:
      return at;
  }
}

// Returns channel |c| of pixel (y, x) of image |b|.
static float pixel_at(const project_run_t *run, int64_t b, int64_t y, int64_t x,
                      int64_t c) {
  const berth_project_t *plan = run->plan;
  if (y < 0 || y >= plan->in_height || x < 0 || x >= plan->in_width) {
    return run->fill;
  }
  int64_t at =
      ((b * plan->in_height + y) * plan->in_width + x) * plan->channels + c;
  float value = 0;
  berth_floats_from(plan->dtype, run->in + (size_t)at * run->item, &value, 1);
  return value;
}

static float seen_at(const project_run_t *run, int64_t b, float y, float x,
                     int64_t c) {
  if (!run->plan->is_bilinear) {
    return pixel_at(run, b, (int64_t)roundf(y), (int64_t)roundf(x), c);
  }
  float top = floorf(y), left = floorf(x), bottom = top + 1, right = left + 1;
  int64_t i = (int64_t)top, j = (int64_t)left;
  float high = (right - x) * pixel_at(run, b, i, j, c) +
               (x - left) * pixel_at(run, b, i, j + 1, c);
  float low = (right - x) * pixel_at(run, b, i + 1, j, c) +
              (x - left) * pixel_at(run, b, i + 1, j + 1, c);
  return (bottom - y) * high + (y - top) * low;
}

static void project_pixel(const project_run_t *run, int64_t b, int64_t i,
                          int64_t j, int64_t to) {
  const berth_project_t *plan = run->plan;
  const float *t = run->ways + (plan->has_many ? 8 * b : 0);
  float y = (float)i, x = (float)j, scale = t[6] * x + t[7] * y + 1;
  float in_x = (t[0] * x + t[1] * y + t[2]) / scale;
  float in_y = (t[3] * x + t[4] * y + t[5]) / scale;
  in_x = mapped(plan, in_x, plan->in_width);
  in_y = mapped(plan, in_y, plan->in_height);
  for (int64_t c = 0; c < plan->channels; ++c) {
    float value = scale == 0 ? run->fill : seen_at(run, b, in_y, in_x, c);
    berth_floats_to(plan->dtype, &value,
                    run->out + (size_t)(to + c) * run->item, 1);
  }
}

static void project_rows(void *arg, int64_t begin, int64_t end) {
  const project_run_t *run = arg;
  const berth_project_t *plan = run->plan;
  for (int64_t r = begin; r < end; ++r) {
    for (int64_t j = 0; j < plan->width; ++j) {
      project_pixel(run, r / plan->height, r % plan->height, j,
                    (r * plan->width + j) * plan->channels);
    }
  }
}

static berth_code_t run_project(const void *arg, void *const *args,
                                berth_call_t *call) {
  const berth_project_t *plan = arg;
  int inputs = call->node->input_count;
  project_run_t run = {.plan = plan,
                       .in = args[0],
                       .ways = args[1],
                       .out = args[inputs],
                       .item = berth_dtype_size(plan->dtype),
                       .fill = inputs > 3 ? *(const float *)args[3] : 0};
  berth_parallel_for(plan->batch * plan->height,
                     2000 / (plan->width * plan->channels + 1) + 1,
                     project_rows, &run);
  return BERTH_OK;
}

static berth_code_t prepare_project(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  berth_project_t project;
  BERTH_TRY(berth_op_project(&prepare->op, &project, err));
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  prepare->run = berth_run_nothing;
  if (count == 0) return BERTH_OK;
  berth_project_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = project;
  prepare->work = count * 20;
  prepare->run = run_project;
  return BERTH_OK;
}

#define TYPES (BERTH_TYPE(HALF) | BERTH_TYPE(FLOAT))
#define SEEN (BERTH_TYPES_INDEX | BERTH_TYPES_FLOATING | BERTH_TYPE(UINT8))

const berth_kernel_t berth_cpu_draw_boxes_kernels[] = {
    {.op = "DrawBoundingBoxes",
     .types = {{"T", TYPES}},
     .prepare = prepare_draw},
    {.op = "DrawBoundingBoxesV2",
     .types = {{"T", TYPES}},
     .prepare = prepare_draw},
    {.op = "ImageProjectiveTransformV2",
     .types = {{"dtype", SEEN}},
     .prepare = prepare_project},
    {.op = "ImageProjectiveTransformV3",
     .types = {{"dtype", SEEN}},
     .prepare = prepare_project},
    {.op = NULL},
};
