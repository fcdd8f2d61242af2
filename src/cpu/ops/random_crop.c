// random_crop.c - RandomCrop: a part of an image that lies anywhere in it.
#include <string.h>

#include "cpu/kernels.h"
#include "op/resize.h"
#include "op/types.h"
#include "state/generator.h"

typedef struct plan {
  int64_t image[2], crop[2];  // Rows and columns.
  size_t pixel;               // Bytes of one.
} plan_t;

static berth_code_t run_crop(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  int64_t first[2] = {0, 0};
  // Where nothing is cut off no number is drawn.
  if (memcmp(plan->image, plan->crop, sizeof(plan->crop)) != 0) {
    berth_philox_t philox =
        berth_generator_reserve((berth_generator_t *)call->resource, 1);
    uint32_t words[4];
    int drawn = 0;
    berth_philox_next(&philox, words);
    for (int i = 1; i >= 0; --i) {  // Columns first.
      uint32_t left = (uint32_t)(plan->image[i] - plan->crop[i]);
      if (left > 0) first[i] = words[drawn++] % (left + 1);
    }
  }
  size_t row = (size_t)plan->crop[1] * plan->pixel;
  for (int64_t i = 0; i < plan->crop[0]; ++i) {
    int64_t at = (first[0] + i) * plan->image[1] + first[1];
    memcpy((char *)args[2] + (size_t)i * row,
           (const char *)args[0] + (size_t)at * plan->pixel, row);
  }
  return BERTH_OK;
}

static berth_code_t prepare_crop(berth_prepare_t *prepare, berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_random_crop(&prepare->op, err));
  const berth_case_input_t *image = &prepare->op.inputs[0];
  memcpy(plan->image, image->dims, sizeof(plan->image));
  memcpy(plan->crop, prepare->op.outputs[0].dims, sizeof(plan->crop));
  plan->pixel = (size_t)image->dims[2] * berth_dtype_size(image->dtype);
  prepare->run = run_crop;
  prepare->work = image->count / 4;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_random_crop_kernels[] = {
    {.op = "RandomCrop",
     .types = {{"T", BERTH_TYPES_REAL}},
     .prepare = prepare_crop},
    {.op = NULL},
};
