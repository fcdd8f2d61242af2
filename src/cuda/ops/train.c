// train.c - Kernels by which optimisers update variables on cards.
//
// Updates are queued when their commit is done; whoever reads the variables
// afterwards queues its work behind that. What is an error on the host but
// depends on values has a defined result: signs of scalars are not looked at,
// and indices outside of the variable are left out.
#include "kernel/train.h"

#include <stdio.h>

#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/train_params.h"

typedef struct plan {
  berth_train_t train;  // First: changes lead to it.
  int kernel;
} plan_t;

static const plan_t *plan_of(const berth_train_arg_t *with) {
  return (const plan_t *)(const void *)with->train;
}

// Of those by rows what no row is for stays as it is.
static berth_code_t set_places(const berth_train_t *train,
                               const berth_tensor_t *const *from,
                               berth_tensor_t *const *to,
                               berth_train_params_t *params,
                               berth_call_t *call) {
  for (int i = 0; i < train->variable_count; ++i) {
    params->from[i] = from[i]->data;
    params->to[i] = to[i]->data;
    if (!train->is_sparse) continue;
    if (to[i] != from[i] && to[i]->size > 0) {
      BERTH_TRY(berth_cuda_copy(call, to[i]->data, from[i]->data, to[i]->size));
    }
    params->from[i] = to[i]->data;
  }
  return BERTH_OK;
}

static berth_code_t apply_train(const berth_train_arg_t *with,
                                const berth_tensor_t *const *from,
                                berth_tensor_t *const *to, berth_error_t *err) {
  const berth_train_t *train = with->train;
  berth_call_t call = {.err = err, .node = train->node, .stream = with->stream};
  uint64_t count = (uint64_t)from[0]->count;
  berth_train_params_t params = {.grad = with->grad, .count = count};
  BERTH_TRY(set_places(train, from, to, &params, &call));
  // Those that are not there are read as well.
  for (int i = 0; i < BERTH_TRAIN_SCALARS; ++i) {
    params.scalars[i] = with->scalars[i < train->scalar_count ? i : 0];
  }
  if (train->is_sparse && count > 0) {
    params.indices = with->indices;
    params.is_wide = train->index_type == BERTH_INT64;
    params.rows = (uint64_t)from[0]->dims[0];
    params.row = count / params.rows;
    params.index_count = (uint64_t)train->index_count;
    params.count = params.row * params.index_count;
  }
  return berth_cuda_launch(&call, plan_of(with)->kernel, params.count, &params,
                           sizeof(params));
}

static const berth_train_backend_t backend = {NULL, apply_train};

static berth_code_t run_train(const void *plan, void *const *args,
                              berth_call_t *call) {
  return berth_train_run(&((const plan_t *)plan)->train, &backend, args, call);
}

static int kernel_of(const berth_train_t *train) {
  static const char *const names[BERTH_TRAIN_COUNT] = {
#define TRAIN(NAME, name, ...) [BERTH_TRAIN_##NAME] = #name,
#include "op/train_list.inc"
  };
  const char *module = NULL;
  switch (train->dtype) {
    case BERTH_FLOAT:
      module = "train_f32";
      break;
    case BERTH_DOUBLE:
      module = "train_f64";
      break;
    case BERTH_HALF:
      module = "train_f16";
      break;
    default:
      module = "train_complex";
  }
  char name[64];
  snprintf(name, sizeof(name), "berth_%s_%s",
           train->is_sparse ? "rows" : "train", names[train->function]);
  return berth_cuda_kernel_for(module, name, train->dtype);
}

static berth_code_t prepare_train(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_train(&prepare->op, &plan->train, err));
  plan->kernel = kernel_of(&plan->train);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  prepare->run = run_train;
  return BERTH_OK;
}

#define INEXACT (BERTH_TYPES_INEXACT & ~BERTH_TYPE(BFLOAT16))
#define FLOATING (BERTH_TYPES_FLOATING & ~BERTH_TYPE(BFLOAT16))
#define ONE(name, t) \
  { .op = name, .types = {{"T", t}}, .prepare = prepare_train }
#define ROWS(name, t)                                                 \
  {                                                                   \
    .op = name, .types = {{"T", t}, {"Tindices", BERTH_TYPES_INDEX}}, \
    .prepare = prepare_train                                          \
  }
#define DENSE(name, t) ONE("Apply" name, t), ONE("ResourceApply" name, t)
#define SPARSE(name, t) \
  ROWS("SparseApply" name, t), ROWS("ResourceSparseApply" name, t)

const berth_kernel_t berth_cuda_train_kernels[] = {
    DENSE("GradientDescent", INEXACT),
    DENSE("Momentum", INEXACT),
    ONE("ResourceApplyKerasMomentum", INEXACT),
    DENSE("Adagrad", INEXACT),
    DENSE("AdagradV2", INEXACT),
    DENSE("ProximalAdagrad", FLOATING),
    DENSE("Adadelta", INEXACT),
    DENSE("RMSProp", INEXACT),
    DENSE("CenteredRMSProp", INEXACT),
    DENSE("Adam", INEXACT),
    ONE("ResourceApplyAdamWithAmsgrad", FLOATING),
    DENSE("AdaMax", FLOATING),
    DENSE("AddSign", FLOATING),
    DENSE("PowerSign", FLOATING),
    DENSE("Ftrl", FLOATING),
    DENSE("FtrlV2", FLOATING),
    ROWS("ResourceSparseApplyKerasMomentum", INEXACT),
    SPARSE("Adagrad", FLOATING),
    SPARSE("AdagradV2", FLOATING),
    SPARSE("ProximalAdagrad", FLOATING),
    SPARSE("Adadelta", INEXACT),
    SPARSE("Ftrl", FLOATING),
    SPARSE("FtrlV2", FLOATING),
    {.op = NULL},
};
