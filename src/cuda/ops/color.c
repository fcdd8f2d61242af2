// color.c - The kernels of colours: contrast, hue, saturation, HSV.
#include "op/color.h"

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/color_params.h"
#include "op/types.h"

typedef struct plan {
  int kernel;
  bool has_blocks;  // A block does one channel of an image.
  berth_color_params_t params;
} plan_t;

static berth_code_t run_color(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  bool has_amount = call->node->input_count > 1;
  berth_color_params_t params = plan->params;
  params.in = args[0];
  params.amount = has_amount ? args[1] : NULL;
  params.out = args[has_amount ? 2 : 1];
  if (plan->has_blocks) {
    uint64_t blocks = params.images * params.channels;
    return berth_cuda_launch_blocks(call, plan->kernel,
                                    blocks < 65535 ? (unsigned)blocks : 65535,
                                    BERTH_CUDA_BLOCK, &params, sizeof(params));
  }
  return berth_cuda_launch(call, plan->kernel, params.images * params.pixels,
                           &params, sizeof(params));
}

static berth_code_t make_plan(berth_prepare_t *prepare,
                              const berth_color_t *color, const char *name,
                              bool has_blocks, berth_error_t *err) {
  prepare->run = berth_run_nothing;
  if (color->images * color->pixels * color->channels == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->kernel = berth_cuda_kernel_for("color", name, color->dtype);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  plan->has_blocks = has_blocks;
  plan->params = (berth_color_params_t){.images = (uint64_t)color->images,
                                        .pixels = (uint64_t)color->pixels,
                                        .channels = (uint64_t)color->channels};
  prepare->run = run_color;
  return BERTH_OK;
}

#define DEFINE_PREPARE(name, family, has_blocks)                        \
  static berth_code_t prepare_##name(berth_prepare_t *prepare,          \
                                     berth_error_t *err) {              \
    berth_color_t color;                                                \
    BERTH_TRY(family(&prepare->op, &color, err));                       \
    return make_plan(prepare, &color, "berth_" #name, has_blocks, err); \
  }
DEFINE_PREPARE(contrast, berth_op_adjust, true)
DEFINE_PREPARE(hue, berth_op_adjust, false)
DEFINE_PREPARE(saturation, berth_op_adjust, false)
DEFINE_PREPARE(to_hsv, berth_op_hsv, false)
DEFINE_PREPARE(from_hsv, berth_op_hsv, false)

#define ADJUSTED (BERTH_TYPE(HALF) | BERTH_TYPE(FLOAT))
#define COMMON (BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))
#define KERNEL(name, set, function) \
  { .op = name, .types = {{"T", set}}, .prepare = function }

const berth_kernel_t berth_cuda_color_kernels[] = {
    KERNEL("AdjustContrastv2", ADJUSTED, prepare_contrast),
    KERNEL("AdjustHue", ADJUSTED, prepare_hue),
    KERNEL("AdjustSaturation", ADJUSTED, prepare_saturation),
    KERNEL("RGBToHSV", COMMON, prepare_to_hsv),
    KERNEL("HSVToRGB", COMMON, prepare_from_hsv),
    {.op = NULL},
};
