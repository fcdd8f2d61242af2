// fused_conv.c - The kernels FusedPadConv2D and FusedResizeAndPadConv2D: an
// image is resized and mirrored into scratch space, and convolved there.
//
//   input ── resize ──> scratch ── moves ──> scratch ── convolution ──> output
//
// A stage that has nothing to do is left out.
#include "op/fused_conv.h"

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/ops/conv.h"
#include "cpu/ops/move.h"
#include "cpu/ops/resize_place.h"

typedef struct plan {
  berth_fused_conv_t fused;
  berth_run_fn moves, conv;  // NULL: none.
  const void *moves_plan, *conv_plan;
  size_t padded_at, scratch_at;  // Behind the resized image.
} plan_t;

// ---- Resizing ----

typedef struct resizing {
  const berth_resize_t *resize;
  const void *from;
  void *to;
} resizing_t;

static double rounded(berth_dtype_t dtype, double x) {
  double room;
  berth_number_set(dtype, &room, 0, x);
  return berth_number_at(dtype, &room, 0);
}

// Every step is rounded, as TensorFlow takes it.
static double between(berth_dtype_t dtype, double a, double b, float share) {
  double part = rounded(dtype, (double)share);
  double far = rounded(dtype, rounded(dtype, b - a) * part);
  return rounded(dtype, a + far);
}

// Makes rows [begin, end) of all images.
static void resize_rows(void *arg, int64_t begin, int64_t end) {
  const resizing_t *run = arg;
  const berth_resize_t *r = run->resize;
  int64_t depth = r->channels, width = r->axes[1].in;
  for (int64_t row = begin; row < end; ++row) {
    berth_between_t y = berth_resize_between(r, 0, row % r->axes[0].out);
    int64_t image = row / r->axes[0].out * r->axes[0].in;
    for (int64_t i = 0; i < r->axes[1].out; ++i) {
      berth_between_t x = berth_resize_between(r, 1, i);
      for (int64_t c = 0; c < depth; ++c) {
        double sides[2];
        for (int k = 0; k < 2; ++k) {
          int64_t at = (image + (k == 0 ? y.lower : y.upper)) * width;
          double a = berth_number_at(r->dtype, run->from,
                                     (at + x.lower) * depth + c);
          double b = berth_number_at(r->dtype, run->from,
                                     (at + x.upper) * depth + c);
          sides[k] = between(r->dtype, a, b, x.share);
        }
        berth_number_set(r->dtype, run->to,
                         (row * r->axes[1].out + i) * depth + c,
                         between(r->dtype, sides[0], sides[1], y.share));
      }
    }
  }
}

// ---- Together ----

static berth_code_t run_fused(const void *data, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = data;
  int inputs = plan->fused.resizes ? 4 : 3;
  char *scratch = args[inputs + 1];
  void *image = args[0];
  if (plan->fused.resizes) {
    const berth_resize_t *resize = &plan->fused.resize;
    resizing_t run = {resize, image, scratch};
    int64_t row = resize->axes[1].out * resize->channels * 20;
    if (!berth_parallel_for(resize->batch * resize->axes[0].out,
                            20000 / (row + 1) + 1, resize_rows, &run)) {
      return BERTH_OK;
    }
    image = scratch;
  }
  if (plan->moves != NULL) {
    void *to = scratch + plan->padded_at;
    void *parts[] = {image, args[inputs - 2], to};
    BERTH_TRY(plan->moves(plan->moves_plan, parts, call));
    image = to;
  }
  void *parts[] = {image, args[inputs - 1], args[inputs],
                   scratch + plan->scratch_at};
  return plan->conv(plan->conv_plan, parts, call);
}

// Returns |prepare| for a stage of two inputs, to be planned.
static berth_prepare_t stage_of(const berth_prepare_t *prepare,
                                const berth_case_input_t *inputs,
                                berth_shape_t *out) {
  berth_prepare_t stage = {.op = prepare->op, .device = prepare->device};
  stage.op.inputs = inputs;
  stage.op.input_count = 2;
  stage.op.outputs = out;
  stage.op.alias = -1;
  return stage;
}

static size_t bytes_of(berth_dtype_t dtype, const berth_shape_t *shape) {
  size_t count = (size_t)berth_dims_count(berth_shape_dims(shape));
  return (count * berth_dtype_size(dtype) + 63) & ~(size_t)63;
}

static berth_case_input_t image_of(berth_dtype_t dtype,
                                   const berth_shape_t *shape) {
  berth_dims_t dims = berth_shape_dims(shape);
  return (berth_case_input_t){.dtype = dtype,
                              .rank = dims.rank,
                              .dims = dims.dims,
                              .count = berth_dims_count(dims)};
}

static berth_code_t plan_moves(const berth_prepare_t *prepare, plan_t *plan,
                               const berth_case_input_t *pads,
                               berth_error_t *err) {
  berth_fused_conv_t *fused = &plan->fused;
  berth_dims_t before = berth_shape_dims(&fused->resized);
  if (berth_dims_equal(before, berth_shape_dims(&fused->padded))) {
    return BERTH_OK;
  }
  berth_dtype_t dtype = prepare->op.inputs[0].dtype;
  berth_case_input_t inputs[] = {image_of(dtype, &fused->resized), *pads};
  berth_prepare_t stage = stage_of(prepare, inputs, &fused->padded);
  BERTH_TRY(berth_cpu_moves_plan(&stage, &fused->moves, err));
  plan->moves = stage.run;
  plan->moves_plan = stage.plan;
  plan->scratch_at += bytes_of(dtype, &fused->padded);
  return BERTH_OK;
}

static berth_code_t prepare_fused_conv(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  berth_fused_conv_t *fused = &plan->fused;
  BERTH_TRY(berth_op_fused_conv(&prepare->op, fused, err));
  const berth_case_input_t *last =
      &prepare->op.inputs[prepare->op.input_count - 1];
  if (fused->resizes) {
    plan->padded_at = bytes_of(last->dtype, &fused->resized);
  }
  plan->scratch_at = plan->padded_at;
  BERTH_TRY(plan_moves(prepare, plan, last - 1, err));
  berth_case_input_t inputs[] = {image_of(last->dtype, &fused->padded), *last};
  berth_prepare_t stage = stage_of(prepare, inputs, prepare->op.outputs);
  BERTH_TRY(berth_cpu_conv_plan(&stage, &fused->conv, err));
  plan->conv = stage.run;
  plan->conv_plan = stage.plan;
  prepare->scratch_size = plan->scratch_at + stage.scratch_size;
  prepare->work = stage.work + (int64_t)plan->scratch_at;
  prepare->plan = plan;
  prepare->run = run_fused;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_fused_conv_kernels[] = {
    {.op = "FusedPadConv2D",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = prepare_fused_conv},
    {.op = "FusedResizeAndPadConv2D",
     .types = {{"T", BERTH_TYPES_FLOATING & ~BERTH_TYPE(BFLOAT16)}},
     .prepare = prepare_fused_conv},
    {.op = NULL},
};
