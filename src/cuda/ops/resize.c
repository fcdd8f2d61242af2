// resize.c - The kernels that make images of another size, crops and patches.
#include "op/resize.h"

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/resize_params.h"
#include "op/types.h"

// Returns how many elements output 0 has.
static uint64_t output_count(const berth_prepare_t *prepare) {
  return (uint64_t)berth_dims_count(berth_case_output_dims(&prepare->op, 0));
}

// ---- Resizing ----

typedef struct plan {
  int kernel;
  berth_resize_params_t params;
} plan_t;

static berth_code_t run_resize(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  berth_resize_params_t params = plan->params;
  params.in = args[0];
  params.out = args[2];
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

static berth_code_t make_plan(berth_prepare_t *prepare,
                              const berth_resize_t *resize, const char *name,
                              berth_error_t *err) {
  uint64_t count = output_count(prepare);
  prepare->run = berth_run_nothing;
  if (count == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->kernel = berth_cuda_kernel_for("resize", name, resize->dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->params =
      (berth_resize_params_t){.count = count,
                              .channels = (uint64_t)resize->channels,
                              .aligns_corners = resize->aligns_corners,
                              .has_centers = resize->has_centers};
  for (int i = 0; i < 2; ++i) {
    plan->params.in_size[i] = resize->axes[i].in;
    plan->params.out_size[i] = resize->axes[i].out;
    plan->params.scale[i] = resize->axes[i].scale;
  }
  prepare->run = run_resize;
  return BERTH_OK;
}

#define DEFINE_PREPARE(name, family)                                \
  static berth_code_t prepare_##name(berth_prepare_t *prepare,      \
                                     berth_error_t *err) {          \
    berth_resize_t resize;                                          \
    BERTH_TRY(family(&prepare->op, &resize, err));                  \
    return make_plan(prepare, &resize, "berth_resize_" #name, err); \
  }
DEFINE_PREPARE(bilinear, berth_op_resize)
DEFINE_PREPARE(nearest, berth_op_resize)
DEFINE_PREPARE(bilinear_grad, berth_op_resize_grad)
DEFINE_PREPARE(nearest_grad, berth_op_resize_nearest_grad)

// ---- Cropping ----

typedef struct crop_plan {
  int kernel;
  berth_crop_params_t params;
} crop_plan_t;

static berth_code_t run_crop(const void *arg, void *const *args,
                             berth_call_t *call) {
  const crop_plan_t *plan = arg;
  berth_crop_params_t params = plan->params;
  params.image = args[0];
  params.boxes = args[1];
  params.index = args[2];
  params.out = args[4];
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

static berth_code_t prepare_crop(berth_prepare_t *prepare, berth_error_t *err) {
  berth_crop_t crop;
  BERTH_TRY(berth_op_crop_and_resize(&prepare->op, &crop, err));
  prepare->run = berth_run_nothing;
  if (output_count(prepare) == 0) return BERTH_OK;
  crop_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->kernel = berth_cuda_kernel_for("resize", "berth_crop", crop.dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->params = (berth_crop_params_t){.count = output_count(prepare),
                                       .batch = crop.batch,
                                       .in_height = crop.in_height,
                                       .in_width = crop.in_width,
                                       .channels = crop.channels,
                                       .height = crop.height,
                                       .width = crop.width,
                                       .outside = crop.outside,
                                       .is_nearest = crop.is_nearest};
  prepare->run = run_crop;
  return BERTH_OK;
}

// ---- Patches ----

typedef struct patch_plan {
  int kernel;
  berth_patch_params_t params;
} patch_plan_t;

static berth_code_t run_patches(const void *arg, void *const *args,
                                berth_call_t *call) {
  const patch_plan_t *plan = arg;
  berth_patch_params_t params = plan->params;
  params.in = args[0];
  params.out = args[1];
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

static berth_code_t prepare_patches(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  static const char *const kernels[] = {"berth_patches_x1", "berth_patches_x2",
                                        "berth_patches_x4", "berth_patches_x8",
                                        "berth_patches_x16"};
  berth_window_t window;
  BERTH_TRY(berth_op_image_patches(&prepare->op, &window, err));
  prepare->run = berth_run_nothing;
  if (output_count(prepare) == 0) return BERTH_OK;
  patch_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  size_t item = berth_dtype_size(prepare->op.inputs[0].dtype);
  plan->kernel = berth_cuda_kernel("resize", kernels[__builtin_ctzll(item)]);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->params = (berth_patch_params_t){.count = output_count(prepare),
                                        .channels = (uint64_t)window.channels};
  for (int i = 0; i < 2; ++i) {
    const berth_window_axis_t *axis = &window.axes[i + 1];
    plan->params.in_size[i] = axis->in;
    plan->params.out_size[i] = axis->out;
    plan->params.window[i] = axis->window;
    plan->params.stride[i] = axis->stride;
    plan->params.dilation[i] = axis->dilation;
    plan->params.before[i] = axis->before;
  }
  prepare->run = run_patches;
  return BERTH_OK;
}

#define KERNEL(name, set, function) \
  { .op = name, .types = {{"T", set}}, .prepare = function }

const berth_kernel_t berth_cuda_resize_kernels[] = {
    KERNEL("ResizeBilinear", BERTH_TYPES_FLOATING, prepare_bilinear),
    KERNEL("ResizeNearestNeighbor", BERTH_TYPES_FLOATING, prepare_nearest),
    KERNEL("ResizeBilinearGrad", BERTH_TYPES_FLOATING, prepare_bilinear_grad),
    KERNEL("ResizeNearestNeighborGrad", BERTH_TYPES_FLOATING,
           prepare_nearest_grad),
    KERNEL("CropAndResize", BERTH_TYPES_FLOATING & ~BERTH_TYPE(BFLOAT16),
           prepare_crop),
    KERNEL("ExtractImagePatches", BERTH_TYPES_INEXACT | BERTH_TYPE(BOOL),
           prepare_patches),
    {.op = NULL},
};
