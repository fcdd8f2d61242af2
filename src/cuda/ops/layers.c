// layers.c - Kernels that put elements over what is everywhere else: diagonals,
// bands, blocks (op/layers.h).
#include "op/layers.h"

#include <stdio.h>
#include <string.h>

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/band_params.h"
#include "cuda/ops/fill.h"
#include "cuda/ops/move_plan.h"
#include "op/value.h"

typedef struct plan {
  berth_run_fn under_run, over_run;
  const void *under, *over;
} plan_t;

static berth_code_t run_layers(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  BERTH_TRY(plan->under_run(plan->under, args, call));
  return plan->over_run(plan->over, args, call);
}

static const uint64_t zero[2] = {0, 0};

// Plans what is everywhere: zeros, an element that is on the host, or moves.
static berth_code_t plan_under(berth_prepare_t *prepare,
                               const berth_layers_t *layers,
                               berth_error_t *err) {
  size_t size = berth_dtype_size(prepare->op.inputs[0].dtype);
  prepare->run = berth_run_nothing;
  if (layers->zeros) return berth_fill_prepare(prepare, size, zero, -1, err);
  if (layers->under.count == 0) return BERTH_OK;
  int from = layers->under.first->from_arg;
  if (from == 0) return berth_cuda_moves_prepare(prepare, &layers->under, err);
  return berth_fill_prepare(prepare, size, prepare->op.inputs[from].value, -1,
                            err);
}

static berth_code_t prepare_layers(berth_prepare_t *prepare, berth_layers_fn fn,
                                   berth_error_t *err) {
  berth_layers_t layers;
  plan_t made;
  BERTH_TRY(fn(&prepare->op, &layers, err));
  prepare->run = berth_run_nothing;
  prepare->op.may_overwrite = 0;
  if (berth_dims_count(berth_case_output_dims(&prepare->op, 0)) == 0) {
    return BERTH_OK;
  }
  BERTH_TRY(plan_under(prepare, &layers, err));
  made.under_run = prepare->run;
  made.under = prepare->plan;
  BERTH_TRY(berth_cuda_moves_prepare(prepare, &layers.over, err));
  made.over_run = prepare->run;
  made.over = prepare->plan;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = made;
  prepare->run = run_layers;
  return BERTH_OK;
}

// Defines prepare_<name>(), which plans the layers of berth_op_<name>().
#define LAYERS(name)                                           \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    return prepare_layers(prepare, berth_op_##name, err);      \
  }

LAYERS(batch_to_space)
LAYERS(diag)
LAYERS(matrix_diag)
LAYERS(matrix_diag_part)
LAYERS(matrix_set_diag)
LAYERS(space_to_batch)

// ---- MatrixBandPart: of every row another part, so a kernel of its own ----

typedef struct band_plan {
  int kernel;
  berth_band_params_t params;  // Without addresses.
} band_plan_t;

static berth_code_t run_band(const void *arg, void *const *args,
                             berth_call_t *call) {
  const band_plan_t *plan = arg;
  berth_band_params_t params = plan->params;
  params.in = args[0];
  params.out = args[3];
  return berth_cuda_launch(call, plan->kernel, params.count, &params,
                           sizeof(params));
}

static berth_code_t prepare_band(berth_prepare_t *prepare, berth_error_t *err) {
  const berth_case_input_t *input = &prepare->op.inputs[0];
  int64_t lower = 0, upper = 0;
  BERTH_TRY(berth_op_band(&prepare->op, &lower, &upper, err));
  band_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  char name[32];
  snprintf(name, sizeof(name), "berth_band_x%zu",
           berth_dtype_size(input->dtype));
  int kernel = berth_cuda_kernel("band", name);
  if (plan == NULL || kernel < 0) return berth_error_no_memory(err, "a plan");
  plan->kernel = kernel;
  plan->params =
      (berth_band_params_t){.count = (uint64_t)input->count,
                            .rows = (uint64_t)input->dims[input->rank - 2],
                            .columns = (uint64_t)input->dims[input->rank - 1],
                            .lower = lower,
                            .upper = upper};
  prepare->op.may_overwrite = 1;
  prepare->run = input->count > 0 ? run_band : berth_run_nothing;
  return BERTH_OK;
}

#define KERNEL(name, t, function) \
  { .op = name, .types = {{"T", t}}, .prepare = prepare_##function }

const berth_kernel_t berth_cuda_layers_kernels[] = {
    KERNEL("BatchToSpace", BERTH_TYPES_REAL, batch_to_space),
    KERNEL("BatchToSpaceND", BERTH_TYPES_REAL, batch_to_space),
    KERNEL("Diag", BERTH_TYPES_ARITHMETIC, diag),
    KERNEL("MatrixBandPart", BERTH_TYPES_BASIC, band),
    KERNEL("MatrixDiag", BERTH_TYPES_BASIC, matrix_diag),
    KERNEL("MatrixDiagPart", BERTH_TYPES_BASIC, matrix_diag_part),
    KERNEL("MatrixDiagPartV2", BERTH_TYPES_BASIC, matrix_diag_part),
    KERNEL("MatrixDiagPartV3", BERTH_TYPES_BASIC, matrix_diag_part),
    KERNEL("MatrixDiagV2", BERTH_TYPES_BASIC, matrix_diag),
    KERNEL("MatrixDiagV3", BERTH_TYPES_BASIC, matrix_diag),
    KERNEL("MatrixSetDiag", BERTH_TYPES_BASIC, matrix_set_diag),
    KERNEL("MatrixSetDiagV2", BERTH_TYPES_BASIC, matrix_set_diag),
    KERNEL("MatrixSetDiagV3", BERTH_TYPES_BASIC, matrix_set_diag),
    KERNEL("SpaceToBatch", BERTH_TYPES_REAL, space_to_batch),
    KERNEL("SpaceToBatchND", BERTH_TYPES_REAL, space_to_batch),
    {.op = NULL},
};
