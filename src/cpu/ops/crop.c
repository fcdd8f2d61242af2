// crop.c - The kernels CropAndResize, its gradients and ExtractImagePatches.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/floats.h"
#include "op/resize.h"
#include "op/types.h"
#include "tensor/half.h"

typedef struct plan {
  berth_crop_t crop;
  size_t item;  // Bytes of an element of the image.
} plan_t;

typedef struct crop_run {
  const plan_t *plan;
  const char *image;
  const float *boxes;
  const int32_t *index;
  const float *grads;
  void *out;
  float *room;
} crop_run_t;

// ---- Where pixels of a crop are ----

// One dimension of a box: where its first pixel is and how far apart they are.
typedef struct track {
  float first, step;
  int64_t size;  // Of the image.
} track_t;

static track_t track_of(float low, float high, int64_t size, int64_t count) {
  float most = (float)(size - 1);
  if (count <= 1) return (track_t){0.5f * (low + high) * most, 0, size};
  return (track_t){low * most, (high - low) * most / (float)(count - 1), size};
}

// Where pixel |i| is: between which two, and whether in the image at all.
typedef struct spot {
  bool is_inside;
  float share;
  int64_t lower, upper, nearest;
} spot_t;

static spot_t spot_of(const track_t *track, int64_t i) {
  float at = track->first + (float)i * track->step;
  spot_t spot = {.is_inside = at >= 0 && at <= (float)(track->size - 1)};
  if (!spot.is_inside) return spot;
  // What is inside is not negative: cutting off is rounding down.
  spot.lower = (int64_t)at;
  spot.share = at - (float)spot.lower;
  spot.upper = spot.lower + (spot.share > 0);
  if (spot.upper > track->size - 1) spot.upper = track->size - 1;
  spot.nearest = spot.lower + (spot.share >= 0.5f);
  return spot;
}

static track_t down_track(const crop_run_t *run, int64_t box) {
  const berth_crop_t *crop = &run->plan->crop;
  const float *edges = run->boxes + 4 * box;
  return track_of(edges[0], edges[2], crop->in_height, crop->height);
}

static track_t over_track(const crop_run_t *run, int64_t box) {
  const berth_crop_t *crop = &run->plan->crop;
  const float *edges = run->boxes + 4 * box;
  return track_of(edges[1], edges[3], crop->in_width, crop->width);
}

// Checks what only values say.
static berth_code_t check_values(const crop_run_t *run, berth_error_t *err) {
  const berth_crop_t *crop = &run->plan->crop;
  for (int64_t i = 0; i < 4 * crop->boxes; ++i) {
    if (isfinite(run->boxes[i])) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Boxes contains at least one element that is not finite");
  }
  for (int64_t i = 0; i < crop->boxes; ++i) {
    if (run->index[i] >= 0 && run->index[i] < crop->batch) continue;
    return berth_error_set(err, BERTH_OUT_OF_RANGE,
                           "box_index has values outside [0, batch_size)");
  }
  return BERTH_OK;
}

// ---- Crops ----

// Returns pixel (y, x) of the image of |box| as floats, in |room| where they
// are of another type.
static const float *pixel_of(const crop_run_t *run, int64_t box, int64_t y,
                             int64_t x, float *room) {
  const berth_crop_t *crop = &run->plan->crop;
  int64_t at = ((run->index[box] * crop->in_height + y) * crop->in_width + x) *
               crop->channels;
  const char *from = run->image + (size_t)at * run->plan->item;
  if (crop->dtype == BERTH_FLOAT) return (const float *)(const void *)from;
  if (crop->dtype == BERTH_UINT8) {  // Most are of these: no call for each.
    for (int64_t c = 0; c < crop->channels; ++c) {
      room[c] = (float)((const uint8_t *)from)[c];
    }
    return room;
  }
  berth_floats_from(crop->dtype, from, room, crop->channels);
  return room;
}

static void mix(const float *a, const float *b, const float *c, const float *d,
                float down, float over, int64_t n, float *out) {
  for (int64_t i = 0; i < n; ++i) {
    float top = a[i] + (b[i] - a[i]) * over;
    float bottom = c[i] + (d[i] - c[i]) * over;
    out[i] = top + (bottom - top) * down;
  }
}

static void make_pixel(const crop_run_t *run, int64_t box, const spot_t *down,
                       const spot_t *over, float *out, float *room) {
  const berth_crop_t *crop = &run->plan->crop;
  int64_t n = crop->channels;
  if (crop->is_nearest) {
    const float *from = pixel_of(run, box, down->nearest, over->nearest, room);
    // Few, as a rule: what stands for a call with a size is slow to begin.
    for (int64_t c = 0; c < n; ++c) out[c] = from[c];
    return;
  }
  const float *a = pixel_of(run, box, down->lower, over->lower, room);
  const float *b = pixel_of(run, box, down->lower, over->upper, room + n);
  const float *c = pixel_of(run, box, down->upper, over->lower, room + 2 * n);
  const float *d = pixel_of(run, box, down->upper, over->upper, room + 3 * n);
  mix(a, b, c, d, down->share, over->share, n, out);
}

// Makes |count| pixels of one row of |box|, which are |over| sideways.
static void make_pixels(const crop_run_t *run, int64_t box, const spot_t *down,
                        const spot_t *over, int64_t count, float *out) {
  const berth_crop_t *crop = &run->plan->crop;
  int64_t n = crop->channels;
  for (int64_t i = 0; i < count; ++i, out += n) {
    if (down->is_inside && over[i].is_inside) {
      make_pixel(run, box, down, &over[i], out, run->room + box * 4 * n);
      continue;
    }
    for (int64_t c = 0; c < n; ++c) out[c] = crop->outside;
  }
}

// Makes |box|, so many columns at once: where they are is worked out once.
static void make_box(const crop_run_t *run, int64_t box) {
  enum { AT_ONCE = 64 };
  const berth_crop_t *crop = &run->plan->crop;
  int64_t n = crop->channels;
  track_t down = down_track(run, box), over = over_track(run, box);
  float *out = (float *)run->out + box * crop->height * crop->width * n;
  for (int64_t first = 0; first < crop->width; first += AT_ONCE) {
    spot_t spots[AT_ONCE];
    int64_t left = crop->width - first, count = left < AT_ONCE ? left : AT_ONCE;
    for (int64_t i = 0; i < count; ++i) spots[i] = spot_of(&over, first + i);
    for (int64_t y = 0; y < crop->height; ++y) {
      spot_t row = spot_of(&down, y);
      make_pixels(run, box, &row, spots, count,
                  out + (y * crop->width + first) * n);
    }
  }
}

static void run_boxes(void *arg, int64_t begin, int64_t end) {
  for (int64_t box = begin; box < end; ++box) make_box(arg, box);
}

static berth_code_t run_crop(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  crop_run_t run = {.plan = plan,
                    .image = args[0],
                    .boxes = args[1],
                    .index = args[2],
                    .out = args[4],
                    .room = args[5]};
  BERTH_TRY(check_values(&run, call->err));
  berth_parallel_for(plan->crop.boxes, 1, run_boxes, &run);
  return BERTH_OK;
}

// ---- Gradients of the image ----

static void add_float(const plan_t *plan, void *out, int64_t at, float value) {
  switch (plan->crop.dtype) {
    case BERTH_FLOAT:
      ((float *)out)[at] += value;
      return;
    case BERTH_DOUBLE:
      ((double *)out)[at] += (double)value;
      return;
    default: {
      uint16_t *to = (uint16_t *)out + at;
      float rounded = berth_half_to_float(berth_float_to_half(value));
      *to = berth_float_to_half(berth_half_to_float(*to) + rounded);
    }
  }
}

// Adds |grad| times |share| to pixel (y, x) of the image of |box|.
static void add_pixel(const crop_run_t *run, int64_t box, int64_t y, int64_t x,
                      const float *grad, float down, float over) {
  const berth_crop_t *crop = &run->plan->crop;
  int64_t at = ((run->index[box] * crop->in_height + y) * crop->in_width + x) *
               crop->channels;
  if (crop->dtype == BERTH_FLOAT) {
    float *out = (float *)run->out + at;
    for (int64_t c = 0; c < crop->channels; ++c) {
      out[c] += over * (down * grad[c]);
    }
    return;
  }
  for (int64_t c = 0; c < crop->channels; ++c) {
    add_float(run->plan, run->out, at + c, over * (down * grad[c]));
  }
}

static void spread_pixel(const crop_run_t *run, int64_t box, const spot_t *y,
                         const spot_t *x, const float *grad) {
  if (run->plan->crop.is_nearest) {
    add_pixel(run, box, y->nearest, x->nearest, grad, 1, 1);
    return;
  }
  float top = 1 - y->share, left = 1 - x->share;
  add_pixel(run, box, y->lower, x->lower, grad, top, left);
  add_pixel(run, box, y->lower, x->upper, grad, top, x->share);
  add_pixel(run, box, y->upper, x->lower, grad, y->share, left);
  add_pixel(run, box, y->upper, x->upper, grad, y->share, x->share);
}

// Boxes overlap: one thread does all.
static berth_code_t run_grad_image(const void *arg, void *const *args,
                                   berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_crop_t *crop = &plan->crop;
  crop_run_t run = {.plan = plan,
                    .grads = args[0],
                    .boxes = args[1],
                    .index = args[2],
                    .out = args[4]};
  BERTH_TRY(check_values(&run, call->err));
  int64_t image = crop->in_height * crop->in_width * crop->channels;
  memset(args[4], 0, (size_t)(crop->batch * image) * plan->item);
  const float *grad = run.grads;
  for (int64_t box = 0; box < crop->boxes; ++box) {
    track_t down = down_track(&run, box), over = over_track(&run, box);
    for (int64_t i = 0; i < crop->height; ++i) {
      spot_t y = spot_of(&down, i);
      for (int64_t j = 0; j < crop->width; ++j, grad += crop->channels) {
        spot_t x = spot_of(&over, j);
        if (y.is_inside && x.is_inside) spread_pixel(&run, box, &y, &x, grad);
      }
    }
  }
  return BERTH_OK;
}

// ---- Gradients of boxes ----

// How the image changes at a pixel of a crop, downwards and sideways, times the
// gradient there.
typedef struct slope {
  float down, over;
} slope_t;

static slope_t slope_at(const crop_run_t *run, int64_t box, const spot_t *y,
                        const spot_t *x, const float *grad) {
  int64_t n = run->plan->crop.channels;
  float *room = run->room;
  slope_t slope = {0, 0};
  const float *a = pixel_of(run, box, y->lower, x->lower, room);
  const float *b = pixel_of(run, box, y->lower, x->upper, room + n);
  const float *c = pixel_of(run, box, y->upper, x->lower, room + 2 * n);
  const float *d = pixel_of(run, box, y->upper, x->upper, room + 3 * n);
  for (int64_t i = 0; i < n; ++i) {
    float down = (1 - x->share) * (c[i] - a[i]) + x->share * (d[i] - b[i]);
    float over = (1 - y->share) * (b[i] - a[i]) + y->share * (d[i] - c[i]);
    slope.down += down * grad[i];
    slope.over += over * grad[i];
  }
  return slope;
}

// Adds what |slope| at pixel |i| of |count| is to the edges |low| and |high|.
static void add_edges(float slope, int64_t i, int64_t count, int64_t size,
                      float *low, float *high) {
  float most = (float)(size - 1);
  if (count > 1) {
    float ratio = most / (float)(count - 1);
    *low += slope * (most - (float)i * ratio);
    *high += slope * ((float)i * ratio);
  } else {
    *low += slope * 0.5f * most;
    *high += slope * 0.5f * most;
  }
}

static berth_code_t run_grad_boxes(const void *arg, void *const *args,
                                   berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_crop_t *crop = &plan->crop;
  crop_run_t run = {.plan = plan,
                    .grads = args[0],
                    .image = args[1],
                    .boxes = args[2],
                    .index = args[3],
                    .out = args[4],
                    .room = args[5]};
  BERTH_TRY(check_values(&run, call->err));
  const float *grad = run.grads;
  memset(args[4], 0, (size_t)crop->boxes * 4 * sizeof(float));
  for (int64_t box = 0; box < crop->boxes; ++box) {
    track_t down = down_track(&run, box), over = over_track(&run, box);
    float *out = (float *)args[4] + 4 * box;
    for (int64_t i = 0; i < crop->height; ++i) {
      spot_t y = spot_of(&down, i);
      for (int64_t j = 0; j < crop->width; ++j, grad += crop->channels) {
        spot_t x = spot_of(&over, j);
        if (!y.is_inside || !x.is_inside) continue;
        slope_t slope = slope_at(&run, box, &y, &x, grad);
        add_edges(slope.down, i, crop->height, crop->in_height, &out[0],
                  &out[2]);
        add_edges(slope.over, j, crop->width, crop->in_width, &out[1], &out[3]);
      }
    }
  }
  return BERTH_OK;
}

// ---- Preparing ----

static berth_code_t make_plan(berth_prepare_t *prepare,
                              const berth_crop_t *crop, int64_t rooms,
                              berth_run_fn run, berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->crop = *crop;
  plan->item = berth_dtype_size(crop->dtype);
  prepare->scratch_size = (size_t)(rooms * 4 * crop->channels) * sizeof(float);
  prepare->work =
      crop->boxes * crop->height * crop->width * (crop->channels * 2 + 10);
  prepare->run = run;
  return BERTH_OK;
}

static berth_code_t prepare_crop(berth_prepare_t *prepare, berth_error_t *err) {
  berth_crop_t crop;
  BERTH_TRY(berth_op_crop_and_resize(&prepare->op, &crop, err));
  return make_plan(prepare, &crop, crop.boxes, run_crop, err);
}

static berth_code_t prepare_grad_image(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  berth_crop_t crop;
  BERTH_TRY(berth_op_crop_grad_image(&prepare->op, &crop, err));
  return make_plan(prepare, &crop, 0, run_grad_image, err);
}

static berth_code_t prepare_grad_boxes(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  berth_crop_t crop;
  BERTH_TRY(berth_op_crop_grad_boxes(&prepare->op, &crop, err));
  return make_plan(prepare, &crop, 1, run_grad_boxes, err);
}

// ---- Patches ----

typedef struct patch_plan {
  berth_window_t window;
  size_t pixel;  // Bytes.
} patch_plan_t;

typedef struct patch_run {
  const patch_plan_t *plan;
  const char *in;
  char *out;
} patch_run_t;

// Fills the patch of output (h, w) of image |batch|.
static char *fill_patch(const patch_run_t *run, int64_t batch, int64_t h,
                        int64_t w, char *to) {
  const berth_window_t *window = &run->plan->window;
  const berth_window_axis_t *down = &window->axes[1], *over = &window->axes[2];
  size_t pixel = run->plan->pixel;
  for (int64_t i = 0; i < down->window; ++i) {
    int64_t y = h * down->stride - down->before + i * down->dilation;
    for (int64_t j = 0; j < over->window; ++j, to += pixel) {
      int64_t x = w * over->stride - over->before + j * over->dilation;
      if (y < 0 || y >= down->in || x < 0 || x >= over->in) {
        memset(to, 0, pixel);
        continue;
      }
      int64_t at = (batch * down->in + y) * over->in + x;
      memcpy(to, run->in + (size_t)at * pixel, pixel);
    }
  }
  return to;
}

static void run_patch_rows(void *arg, int64_t begin, int64_t end) {
  const patch_run_t *run = arg;
  const berth_window_t *window = &run->plan->window;
  const berth_window_axis_t *down = &window->axes[1], *over = &window->axes[2];
  size_t patch = (size_t)(down->window * over->window) * run->plan->pixel;
  for (int64_t r = begin; r < end; ++r) {
    char *to = run->out + (size_t)(r * over->out) * patch;
    for (int64_t w = 0; w < over->out; ++w) {
      to = fill_patch(run, r / down->out, r % down->out, w, to);
    }
  }
}

static berth_code_t run_patches(const void *arg, void *const *args,
                                berth_call_t *call) {
  (void)call;
  const patch_plan_t *plan = arg;
  const berth_window_t *window = &plan->window;
  patch_run_t run = {plan, args[0], args[1]};
  int64_t row = window->axes[2].out * window->out_channels;
  berth_parallel_for(window->batch * window->axes[1].out, 50000 / (row + 1) + 1,
                     run_patch_rows, &run);
  return BERTH_OK;
}

static berth_code_t prepare_patches(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  berth_window_t window;
  BERTH_TRY(berth_op_image_patches(&prepare->op, &window, err));
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  prepare->run = berth_run_nothing;
  if (count == 0) return BERTH_OK;
  patch_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->window = window;
  plan->pixel =
      (size_t)window.channels * berth_dtype_size(prepare->op.inputs[0].dtype);
  prepare->work = count;
  prepare->run = run_patches;
  return BERTH_OK;
}

#define GRAD_TYPES (BERTH_TYPES_FLOATING & ~BERTH_TYPE(BFLOAT16))

const berth_kernel_t berth_cpu_crop_kernels[] = {
    {.op = "CropAndResize",
     .types = {{"T", BERTH_TYPES_REAL}},
     .prepare = prepare_crop},
    {.op = "CropAndResizeGradImage",
     .types = {{"T", GRAD_TYPES}},
     .prepare = prepare_grad_image},
    {.op = "CropAndResizeGradBoxes",
     .types = {{"T", BERTH_TYPES_REAL}},
     .prepare = prepare_grad_boxes},
    {.op = "ExtractImagePatches",
     .types = {{"T", BERTH_TYPES_BASIC}},
     .prepare = prepare_patches},
    {.op = NULL},
};
