// one_hot.c - The kernel OneHot.
#include "cuda/ops/one_hot_params.h"

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "op/index.h"

enum { MAX_UNIT = 16 };

// A launch: its kernel, and what that is told, without addresses.
typedef struct launch {
  int kernel;
  berth_one_hot_params_t params;
} launch_t;

typedef struct plan {
  launch_t plain;
  bool has_lines;
  launch_t lines;  // In units of 16 bytes, where the output is aligned to them.
} plan_t;

static berth_code_t run_one_hot(const void *plan, void *const *args,
                                berth_call_t *call) {
  const plan_t *one_hot = plan;
  bool is_aligned = ((uintptr_t)args[4] & (MAX_UNIT - 1)) == 0;
  const launch_t *launch =
      one_hot->has_lines && is_aligned ? &one_hot->lines : &one_hot->plain;
  berth_one_hot_params_t params = launch->params;
  params.indices = args[0];
  params.on = args[2];
  params.off = args[3];
  params.out = args[4];
  return berth_cuda_launch(call, launch->kernel, params.count, &params,
                           sizeof(params));
}

static int32_t index_kind(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_INT8:
      return BERTH_ONE_HOT_I8;
    case BERTH_UINT8:
      return BERTH_ONE_HOT_U8;
    case BERTH_INT32:
      return BERTH_ONE_HOT_I32;
    default:
      return BERTH_ONE_HOT_I64;
  }
}

// Fills in what the kernel is told.
static void measure(const berth_case_t *op, const berth_one_hot_t *one_hot,
                    berth_one_hot_params_t *params) {
  params->count = (uint64_t)one_hot->count;
  params->depth = (uint64_t)one_hot->depth;
  params->suffix = (uint64_t)one_hot->suffix;
  params->index_kind = index_kind(op->inputs[0].dtype);
  if (params->count >= BERTH_DIVIDE_LIMIT) return;
  params->depth_by = berth_divider(params->depth);
  params->suffix_by = berth_divider(params->suffix);
}

#define NAMES(what)                                             \
  {                                                             \
    "berth_one_hot" what "_x1", "berth_one_hot" what "_x2",     \
        "berth_one_hot" what "_x4", "berth_one_hot" what "_x8", \
        "berth_one_hot" what "_x16"                             \
  }

// Which kernel, of those for each size of an element.
typedef enum shape { PLAIN, WIDE, LINES } shape_t;

static berth_code_t set_kernel(launch_t *launch, shape_t shape, size_t size,
                               berth_error_t *err) {
  static const char *const names[][5] = {
      [PLAIN] = NAMES(""), [WIDE] = NAMES("_wide"), [LINES] = NAMES("_lines")};
  int class = __builtin_ctzll((unsigned long long)size);
  launch->kernel = berth_cuda_kernel("one_hot", names[shape][class]);
  return launch->kernel >= 0 ? BERTH_OK
                             : berth_error_no_memory(err, "a kernel");
}

// Plans lines of units of 16 bytes, if the result has such.
static berth_code_t plan_lines(plan_t *plan, size_t size, berth_error_t *err) {
  const berth_one_hot_params_t *plain = &plan->plain.params;
  uint64_t pack = MAX_UNIT / size;
  plan->has_lines = pack > 1 && plain->suffix == 1 &&
                    plain->depth % pack == 0 &&
                    plain->count / pack < BERTH_DIVIDE_LIMIT;
  if (!plan->has_lines) return BERTH_OK;
  berth_one_hot_params_t *lines = &plan->lines.params;
  *lines = *plain;
  lines->count /= pack;
  lines->depth_by = berth_divider(lines->depth / pack);
  return set_kernel(&plan->lines, LINES, size, err);
}

static berth_code_t prepare_one_hot(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  berth_one_hot_t one_hot;
  BERTH_TRY(berth_op_one_hot(&prepare->op, &one_hot, err));
  prepare->run = one_hot.count > 0 ? run_one_hot : berth_run_nothing;
  if (one_hot.count == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  measure(&prepare->op, &one_hot, &plan->plain.params);
  size_t size = berth_dtype_size(prepare->op.inputs[2].dtype);
  bool is_wide = plan->plain.params.count >= BERTH_DIVIDE_LIMIT;
  BERTH_TRY(set_kernel(&plan->plain, is_wide ? WIDE : PLAIN, size, err));
  return plan_lines(plan, size, err);
}

const berth_kernel_t berth_cuda_one_hot_kernels[] = {
    {.op = "OneHot",
     .types = {{"T", BERTH_TYPES_BASIC},
               {"TI",
                BERTH_TYPES_INDEX | BERTH_TYPE(INT8) | BERTH_TYPE(UINT8)}},
     .prepare = prepare_one_hot},
    {.op = NULL},
};
