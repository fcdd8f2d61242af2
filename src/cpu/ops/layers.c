// layers.c - Kernels that put elements over what is everywhere else.
#include "op/layers.h"

#include <string.h>

#include "cpu/kernels.h"
#include "cpu/ops/move.h"

typedef struct plan {
  size_t zeros;  // Bytes that are set to zero first.
  int32_t output;
  berth_run_fn under_run, over_run;  // NULL: nothing to do.
  const void *under, *over;
} plan_t;

static berth_code_t run_layers(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  if (plan->zeros > 0) memset(args[plan->output], 0, plan->zeros);
  if (plan->under_run != NULL) {
    BERTH_TRY(plan->under_run(plan->under, args, call));
  }
  return plan->over_run == NULL ? BERTH_OK
                                : plan->over_run(plan->over, args, call);
}

static berth_code_t prepare_layers(berth_prepare_t *prepare, berth_layers_fn fn,
                                   berth_error_t *err) {
  berth_layers_t layers;
  plan_t made = {.output = prepare->op.input_count};
  BERTH_TRY(fn(&prepare->op, &layers, err));
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  prepare->run = berth_run_nothing;
  if (count == 0) return BERTH_OK;
  if (layers.zeros) {
    made.zeros = (size_t)count * berth_dtype_size(prepare->op.inputs[0].dtype);
  }
  int64_t work = count / 4;
  if (layers.under.count > 0) {
    BERTH_TRY(berth_cpu_moves_plan(prepare, &layers.under, err));
    made.under_run = prepare->run;
    made.under = prepare->plan;
  }
  if (layers.over.count > 0) {
    BERTH_TRY(berth_cpu_moves_plan(prepare, &layers.over, err));
    made.over_run = prepare->run;
    made.over = prepare->plan;
  }
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = made;
  prepare->run = run_layers;
  prepare->work = work;
  prepare->op.may_overwrite = 0;
  return BERTH_OK;
}

// Defines prepare_<name>(), which plans the layers of berth_op_<name>().
#define LAYERS(name)                                           \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    return prepare_layers(prepare, berth_op_##name, err);      \
  }

LAYERS(band_part)
LAYERS(batch_to_space)
LAYERS(diag)
LAYERS(matrix_diag)
LAYERS(matrix_diag_part)
LAYERS(matrix_set_diag)
LAYERS(space_to_batch)

#define DIAG ((BERTH_TYPES_INEXACT & ~BERTH_TYPE(BFLOAT16)) | BERTH_TYPES_INDEX)
#define KERNEL(name, t, function) \
  { .op = name, .types = {{"T", t}}, .prepare = prepare_##function }

const berth_kernel_t berth_cpu_layers_kernels[] = {
    KERNEL("BatchToSpace", BERTH_TYPES_REAL, batch_to_space),
    KERNEL("BatchToSpaceND", BERTH_TYPES_REAL, batch_to_space),
    KERNEL("Diag", DIAG, diag),
    KERNEL("MatrixBandPart", BERTH_TYPES_BASIC, band_part),
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
