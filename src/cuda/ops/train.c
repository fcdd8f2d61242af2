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
#include "cuda/ops/order.h"
#include "cuda/ops/train_params.h"

typedef struct plan {
  berth_train_t train;  // First: changes lead to it.
  int kernel;
  int joined_kernel;  // For several updates; -1: there is none.
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

// Those that are not there are read as well.
static const void *scalar_of(const berth_train_arg_t *with, int i) {
  return with->scalars[i < with->train->scalar_count ? i : 0];
}

// Fewer indices are looked for, each time anew: that is one kernel.
enum { WORTH_ORDER = 256 };

// Queues an update by rows, for which the indices are put in order.
static berth_code_t apply_rows(const berth_train_arg_t *with,
                               berth_train_params_t *params,
                               berth_call_t *call) {
  const berth_train_t *train = with->train;
  berth_ordering_t order = {0};
  params->indices = with->indices;
  params->is_wide = train->index_type == BERTH_INT64;
  params->row = params->count / params->rows;
  params->index_count = (uint64_t)train->index_count;
  params->count = params->row * params->index_count;
  if (params->index_count >= WORTH_ORDER) {
    BERTH_TRY(berth_order_queue(with->indices, train->index_type,
                                params->index_count, params->rows, call,
                                &order));
    params->keys = order.keys;
    params->places = order.places;
  }
  berth_code_t code = berth_cuda_launch(call, plan_of(with)->kernel,
                                        params->count, params, sizeof(*params));
  berth_tensor_release(order.memory);
  return code;
}

static berth_code_t apply_train(const berth_train_update_t *update,
                                berth_error_t *err) {
  const berth_train_arg_t *with = update->with;
  const berth_tensor_t *const *from = update->from;
  const berth_train_t *train = with->train;
  berth_call_t call = {.err = err, .node = train->node, .stream = with->stream};
  uint64_t count = (uint64_t)from[0]->count;
  berth_train_params_t params = {.grad = with->grad, .count = count};
  BERTH_TRY(set_places(train, from, update->to, &params, &call));
  for (int i = 0; i < BERTH_TRAIN_SCALARS; ++i) {
    params.scalars[i] = scalar_of(with, i);
  }
  if (train->is_sparse && count > 0) {
    params.rows = (uint64_t)from[0]->dims[0];
    return apply_rows(with, &params, &call);
  }
  return berth_cuda_launch(&call, plan_of(with)->kernel, params.count, &params,
                           sizeof(params));
}

// ---- Several updates ----

_Static_assert((int)BERTH_TRAIN_JOINED <= (int)BERTH_TRAIN_PARTS,
               "a launch has room for all that are joined");

static bool joins(const berth_train_arg_t *with,
                  const berth_train_arg_t *next) {
  return plan_of(with)->joined_kernel >= 0 &&
         plan_of(with)->joined_kernel == plan_of(next)->joined_kernel &&
         with->stream == next->stream;
}

static void describe(const berth_train_update_t *update,
                     berth_train_part_t *out) {
  *out = (berth_train_part_t){.grad = update->with->grad,
                              .count = (uint64_t)update->from[0]->count};
  for (int i = 0; i < update->with->train->variable_count; ++i) {
    out->from[i] = update->from[i]->data;
    out->to[i] = update->to[i]->data;
  }
  for (int i = 0; i < BERTH_TRAIN_SCALARS; ++i) {
    out->scalars[i] = scalar_of(update->with, i);
  }
}

static berth_code_t apply_joined(const berth_train_update_t *updates, int count,
                                 berth_error_t *err) {
  const berth_train_arg_t *with = updates[0].with;
  berth_call_t call = {
      .err = err, .node = with->train->node, .stream = with->stream};
  berth_train_parts_params_t params = {.part_count = (uint32_t)count};
  for (int i = 0; i < count; ++i) {
    describe(&updates[i], &params.parts[i]);
    params.parts[i].first = params.pieces;
    params.pieces +=
        (params.parts[i].count + BERTH_TRAIN_PIECE - 1) / BERTH_TRAIN_PIECE;
  }
  if (params.pieces == 0) return BERTH_OK;
  enum { MOST_BLOCKS = 65535 };
  unsigned blocks = params.pieces < MOST_BLOCKS ? (unsigned)params.pieces
                                                : (unsigned)MOST_BLOCKS;
  return berth_cuda_launch_blocks(&call, plan_of(with)->joined_kernel, blocks,
                                  BERTH_CUDA_BLOCK, &params, sizeof(params));
}

static const berth_train_backend_t backend = {
    .apply = apply_train, .joins = joins, .apply_joined = apply_joined};

static berth_code_t run_train(const void *plan, void *const *args,
                              berth_call_t *call) {
  return berth_train_run(&((const plan_t *)plan)->train, &backend, args, call);
}

static const char *const names[BERTH_TRAIN_COUNT] = {
#define TRAIN(NAME, name, ...) [BERTH_TRAIN_##NAME] = #name,
#include "op/train_list.inc"
};

static int kernel_of(const berth_train_t *train) {
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

// Sets the kernel for several updates; floats have one, where no rows are named.
static berth_code_t find_joined(plan_t *plan, berth_error_t *err) {
  plan->joined_kernel = -1;
  if (plan->train.is_sparse || plan->train.dtype != BERTH_FLOAT) {
    return BERTH_OK;
  }
  char name[64];
  snprintf(name, sizeof(name), "berth_joined_%s_f32",
           names[plan->train.function]);
  plan->joined_kernel = berth_cuda_kernel("train_joined_f32", name);
  return plan->joined_kernel >= 0 ? BERTH_OK
                                  : berth_error_no_memory(err, "a kernel");
}

static berth_code_t prepare_train(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_train(&prepare->op, &plan->train, err));
  plan->kernel = kernel_of(&plan->train);
  if (plan->kernel < 0) return berth_error_no_memory(err, "a kernel");
  BERTH_TRY(find_joined(plan, err));
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
