// resize_grad.c - The gradients of resizing. Images are pieces: outputs of one
// overlap in what they add to.
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/floats.h"
#include "cpu/ops/resize_place.h"
#include "op/types.h"
#include "tensor/half.h"

typedef struct plan plan_t;
struct plan {
  berth_resize_t resize;
  void (*image)(const plan_t *plan, const void *grad, void *out);
  size_t grad_item, item;
  bool is_small;  // Sums of 16-bit types are made in float, in |room|.
  // Where the outputs of each axis are, by the way of resizing; in the arena.
  const berth_between_t *between[2];
  const berth_among_t *among[2];
  const int64_t *nearest[2];
};

typedef struct grad_run {
  const plan_t *plan;
  const char *grad;
  char *out;
  float *room;  // For all images.
} grad_run_t;

#define PLAIN(x) (x)
#define HALF_SUM(x, y) \
  berth_float_to_half(berth_half_to_float(x) + berth_half_to_float(y))
#define BFLOAT16_SUM(x, y)                             \
  berth_float_to_bfloat16(berth_bfloat16_to_float(x) + \
                          berth_bfloat16_to_float(y))
#define SUM(x, y) ((x) + (y))
#define SUM_8(x, y) ((uint8_t)((x) + (y)))
#define SUM_16(x, y) ((uint16_t)((x) + (y)))
#define AS_DOUBLE(x) ((double)(x))

// ---- Between two, among four: gradients are float ----

// The four that an output lies between, one row behind the other.
#define DEFINE_GRADS(name, type, AS)                                           \
  static void between_##name(const plan_t *plan, const void *from, void *to) { \
    const float *grad = from;                                                  \
    const berth_resize_axis_t *axes = plan->resize.axes;                       \
    int64_t n = plan->resize.channels;                                         \
    for (int64_t y = 0; y < axes[0].out; ++y) {                                \
      berth_between_t down = plan->between[0][y];                              \
      type *top = (type *)to + down.lower * axes[1].in * n;                    \
      type *bottom = (type *)to + down.upper * axes[1].in * n;                 \
      for (int64_t x = 0; x < axes[1].out; ++x, grad += n) {                   \
        berth_between_t over = plan->between[1][x];                            \
        int64_t left = over.lower * n, right = over.upper * n;                 \
        for (int64_t c = 0; c < n; ++c) {                                      \
          float high = grad[c] * (1 - down.share);                             \
          float low = grad[c] * down.share;                                    \
          top[left + c] += AS(high * (1 - over.share));                        \
          top[right + c] += AS(high * over.share);                             \
          bottom[left + c] += AS(low * (1 - over.share));                      \
          bottom[right + c] += AS(low * over.share);                           \
        }                                                                      \
      }                                                                        \
    }                                                                          \
  }
DEFINE_GRADS(f32, float, PLAIN)
DEFINE_GRADS(f64, double, AS_DOUBLE)

typedef float four_t __attribute__((vector_size(16)));

// Adds what four channels at a time give to a row of the image; returns how many
// channels that were.
static int64_t add_fours(const float *grad, int64_t n, float weight,
                         const berth_among_t *over, float *row) {
  int64_t c = 0;
  for (; c + 4 <= n; c += 4) {
    four_t part, sum;
    memcpy(&part, grad + c, sizeof(part));
    part *= weight;
    for (int i = 0; i < 4; ++i) {
      float *at = row + over->at[i] * n + c;
      memcpy(&sum, at, sizeof(sum));
      sum += part * over->weights[i];
      memcpy(at, &sum, sizeof(sum));
    }
  }
  return c;
}

#define ONE_BY_ONE(grad, n, weight, over, row) 0

#define DEFINE_AMONG(name, type, AS, FOURS)                                  \
  static void among_##name(const plan_t *plan, const void *from, void *to) { \
    const float *grad = from;                                                \
    const berth_resize_axis_t *axes = plan->resize.axes;                     \
    int64_t n = plan->resize.channels;                                       \
    for (int64_t y = 0; y < axes[0].out; ++y) {                              \
      const berth_among_t *down = &plan->among[0][y];                        \
      for (int64_t x = 0; x < axes[1].out; ++x, grad += n) {                 \
        const berth_among_t *over = &plan->among[1][x];                      \
        for (int k = 0; k < 4; ++k) {                                        \
          type *row = (type *)to + down->at[k] * axes[1].in * n;             \
          int64_t c = FOURS(grad, n, down->weights[k], over, row);           \
          for (; c < n; ++c) {                                               \
            type part = AS(grad[c]) * AS(down->weights[k]);                  \
            for (int i = 0; i < 4; ++i) {                                    \
              row[over->at[i] * n + c] += part * AS(over->weights[i]);       \
            }                                                                \
          }                                                                  \
        }                                                                    \
      }                                                                      \
    }                                                                        \
  }
DEFINE_AMONG(f32, float, PLAIN, add_fours)
DEFINE_AMONG(f64, double, AS_DOUBLE, ONE_BY_ONE)

// ---- The nearest: gradients are of the type of the image ----

#define DEFINE_NEAREST(name, type, ADD)                                        \
  static void nearest_##name(const plan_t *plan, const void *from, void *to) { \
    const type *grad = from;                                                   \
    const berth_resize_axis_t *axes = plan->resize.axes;                       \
    int64_t n = plan->resize.channels;                                         \
    for (int64_t y = 0; y < axes[0].out; ++y) {                                \
      type *row = (type *)to + plan->nearest[0][y] * axes[1].in * n;           \
      for (int64_t x = 0; x < axes[1].out; ++x, grad += n) {                   \
        type *out = row + plan->nearest[1][x] * n;                             \
        for (int64_t c = 0; c < n; ++c) out[c] = (type)ADD(out[c], grad[c]);   \
      }                                                                        \
    }                                                                          \
  }
DEFINE_NEAREST(f32, float, SUM)
DEFINE_NEAREST(f64, double, SUM)
DEFINE_NEAREST(half, uint16_t, HALF_SUM)
DEFINE_NEAREST(bfloat16, uint16_t, BFLOAT16_SUM)
DEFINE_NEAREST(8, uint8_t, SUM_8)
DEFINE_NEAREST(16, uint16_t, SUM_16)
DEFINE_NEAREST(32, uint32_t, SUM)
DEFINE_NEAREST(64, uint64_t, SUM)

// ---- Running ----

static void run_images(void *arg, int64_t begin, int64_t end) {
  const grad_run_t *run = arg;
  const plan_t *plan = run->plan;
  const berth_resize_axis_t *axes = plan->resize.axes;
  int64_t grad = axes[0].out * axes[1].out * plan->resize.channels;
  size_t size =
      (size_t)(axes[0].in * axes[1].in * plan->resize.channels) * plan->item;
  for (int64_t i = begin; i < end; ++i) {
    char *out = run->out + (size_t)i * size;
    const char *from = run->grad + (size_t)(i * grad) * plan->grad_item;
    if (!plan->is_small) {
      memset(out, 0, size);
      plan->image(plan, from, out);
      continue;
    }
    int64_t count = (int64_t)(size / plan->item);
    float *sums = run->room + i * count;
    memset(sums, 0, (size_t)count * sizeof(*sums));
    plan->image(plan, from, sums);
    berth_floats_to(plan->resize.dtype, sums, out, count);
  }
}

static berth_code_t run_grad(const void *arg, void *const *args,
                             berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  grad_run_t run = {plan, args[0], args[2], plan->is_small ? args[3] : NULL};
  berth_parallel_for(plan->resize.batch, 1, run_images, &run);
  return BERTH_OK;
}

static berth_code_t make_plan(berth_prepare_t *prepare,
                              const berth_resize_t *resize, plan_t **out_plan,
                              berth_error_t *err) {
  prepare->run = berth_run_nothing;
  *out_plan = NULL;
  if (berth_dims_count(berth_case_output_dims(&prepare->op, 0)) == 0) {
    return BERTH_OK;
  }
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->resize = *resize;
  plan->item = berth_dtype_size(resize->dtype);
  plan->grad_item = berth_dtype_size(prepare->op.inputs[0].dtype);
  prepare->work = prepare->op.inputs[0].count * 8;
  prepare->run = run_grad;
  *out_plan = plan;
  return BERTH_OK;
}

// Defines place_<way>(), which works out where all outputs of both axes are, and
// is false when memory is short.
#define DEFINE_PLACES(way, type)                                     \
  static bool place_##way(plan_t *plan, berth_arena_t *arena) {      \
    for (int axis = 0; axis < 2; ++axis) {                           \
      int64_t count = plan->resize.axes[axis].out;                   \
      type *places =                                                 \
          berth_arena_calloc(arena, (size_t)count, sizeof(*places)); \
      if (places == NULL) return false;                              \
      for (int64_t i = 0; i < count; ++i) {                          \
        places[i] = berth_resize_##way(&plan->resize, axis, i);      \
      }                                                              \
      plan->way[axis] = places;                                      \
    }                                                                \
    return true;                                                     \
  }
DEFINE_PLACES(between, berth_between_t)
DEFINE_PLACES(among, berth_among_t)
DEFINE_PLACES(nearest, int64_t)

static berth_code_t prepare_between(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  berth_resize_t resize;
  plan_t *plan;
  BERTH_TRY(berth_op_resize_grad(&prepare->op, &resize, err));
  BERTH_TRY(make_plan(prepare, &resize, &plan, err));
  if (plan == NULL) return BERTH_OK;
  if (!place_between(plan, prepare->op.arena)) {
    return berth_error_no_memory(err, "a plan");
  }
  plan->image = resize.dtype == BERTH_DOUBLE ? between_f64 : between_f32;
  plan->is_small = plan->item == 2;
  if (plan->is_small) {
    prepare->scratch_size =
        (size_t)berth_dims_count(berth_case_output_dims(&prepare->op, 0)) *
        sizeof(float);
  }
  return BERTH_OK;
}

static berth_code_t prepare_among(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_resize_t resize;
  plan_t *plan;
  BERTH_TRY(berth_op_resize_grad(&prepare->op, &resize, err));
  BERTH_TRY(make_plan(prepare, &resize, &plan, err));
  if (plan == NULL) return BERTH_OK;
  if (!place_among(plan, prepare->op.arena)) {
    return berth_error_no_memory(err, "a plan");
  }
  plan->image = resize.dtype == BERTH_FLOAT ? among_f32 : among_f64;
  return BERTH_OK;
}

static berth_code_t prepare_nearest(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  berth_resize_t resize;
  plan_t *plan;
  BERTH_TRY(berth_op_resize_nearest_grad(&prepare->op, &resize, err));
  BERTH_TRY(make_plan(prepare, &resize, &plan, err));
  if (plan == NULL) return BERTH_OK;
  if (!place_nearest(plan, prepare->op.arena)) {
    return berth_error_no_memory(err, "a plan");
  }
  switch (resize.dtype) {
    case BERTH_FLOAT:
      plan->image = nearest_f32;
      return BERTH_OK;
    case BERTH_DOUBLE:
      plan->image = nearest_f64;
      return BERTH_OK;
    case BERTH_HALF:
      plan->image = nearest_half;
      return BERTH_OK;
    case BERTH_BFLOAT16:
      plan->image = nearest_bfloat16;
      return BERTH_OK;
    default:
      plan->image = plan->item == 1   ? nearest_8
                    : plan->item == 2 ? nearest_16
                    : plan->item == 4 ? nearest_32
                                      : nearest_64;
      return BERTH_OK;
  }
}

#define COMMON (BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))
#define KERNEL(name, set, function) \
  { .op = name, .types = {{"T", set}}, .prepare = function }

const berth_kernel_t berth_cpu_resize_grad_kernels[] = {
    KERNEL("ResizeBilinearGrad", BERTH_TYPES_FLOATING, prepare_between),
    KERNEL("ResizeBicubicGrad", COMMON, prepare_among),
    KERNEL("ResizeNearestNeighborGrad", BERTH_TYPES_REAL, prepare_nearest),
    {.op = NULL},
};
