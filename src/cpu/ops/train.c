// train.c - Kernels by which optimisers update variables.
#include "kernel/train.h"

#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/train.h"
#include "kernel/places.h"

enum { GRAIN = 16384 };  // Elements that are worth a thread.

typedef struct plan {
  berth_train_t train;  // First: changes lead to it.
  berth_train_fn loop;
  berth_train_fn root_loop;  // Where the last scalar is -1/2; NULL: |loop|.
} plan_t;

static const plan_t *plan_of(const berth_train_arg_t *with) {
  return (const plan_t *)(const void *)with->train;
}

// ---- Checks ----

static berth_code_t check_values(const berth_train_arg_t *with,
                                 berth_error_t *err) {
  const berth_train_t *train = with->train;
  for (int i = 0; i < train->scalar_count; ++i) {
    if (train->signs[i] == BERTH_TRAIN_ANY) continue;
    BERTH_TRY(berth_train_check_value(
        train, i, berth_number_at(train->dtype, with->scalars[i], 0), err));
  }
  return BERTH_OK;
}

static berth_code_t check_elements(const berth_train_arg_t *with,
                                   const berth_tensor_t *now,
                                   berth_error_t *err) {
  const berth_train_t *train = with->train;
  BERTH_TRY(check_values(with, err));
  for (int64_t i = 0; i < train->index_count; ++i) {
    int64_t index = berth_index_at(train->index_type, with->indices, i);
    if (index >= 0 && index < now->dims[0]) continue;
    return berth_train_fail_index(train, i, index, now->dims[0], err);
  }
  return BERTH_OK;
}

// ---- Updating ----

typedef struct work {
  berth_train_fn loop;
  berth_train_places_t places;
} work_t;

static void do_piece(void *arg, int64_t begin, int64_t end) {
  const work_t *work = arg;
  work->loop(&work->places, begin, begin, end - begin);
}

// Row after row: one that is named twice is updated twice.
static void do_rows(const berth_train_arg_t *with, const work_t *work,
                    int64_t row) {
  const berth_train_t *train = with->train;
  for (int64_t i = 0; i < train->index_count; ++i) {
    int64_t index = berth_index_at(train->index_type, with->indices, i);
    work->loop(&work->places, index * row, i * row, row);
  }
}

static berth_train_fn loop_for(const berth_train_arg_t *with) {
  const plan_t *plan = plan_of(with);
  if (plan->root_loop == NULL) return plan->loop;
  const void *power = with->scalars[plan->train.scalar_count - 1];
  bool is_root = berth_number_at(plan->train.dtype, power, 0) == -0.5;
  return is_root ? plan->root_loop : plan->loop;
}

static berth_code_t apply_train(const berth_train_update_t *update,
                                berth_error_t *err) {
  const berth_train_arg_t *with = update->with;
  const berth_tensor_t *const *from = update->from;
  berth_tensor_t *const *to = update->to;
  (void)err;
  static const unsigned char zero[16] = {0};
  const berth_train_t *train = with->train;
  work_t work = {.loop = loop_for(with), .places = {.grad = with->grad}};
  for (int i = 0; i < BERTH_TRAIN_SCALARS; ++i) {
    work.places.scalars[i] = i < train->scalar_count ? with->scalars[i] : zero;
  }
  for (int i = 0; i < train->variable_count; ++i) {
    work.places.from[i] = from[i]->data;
    work.places.to[i] = to[i]->data;
    if (!train->is_sparse) continue;
    // What no row is for stays as it is.
    if (to[i] != from[i] && to[i]->size > 0) {
      memcpy(to[i]->data, from[i]->data, to[i]->size);
    }
    work.places.from[i] = to[i]->data;
  }
  if (from[0]->count == 0) return BERTH_OK;
  if (train->is_sparse) {
    do_rows(with, &work, from[0]->count / from[0]->dims[0]);
  } else {
    berth_parallel_for(from[0]->count, GRAIN, do_piece, &work);
  }
  return BERTH_OK;
}

static const berth_train_backend_t backend = {.check = check_elements,
                                              .apply = apply_train};

static berth_code_t run_train(const void *plan, void *const *args,
                              berth_call_t *call) {
  return berth_train_run(&((const plan_t *)plan)->train, &backend, args, call);
}

// ---- Preparing ----

static berth_train_fn loop_of(berth_train_function_t function,
                              berth_dtype_t dtype) {
  const berth_train_hot_t *hot = BERTH_ISA_PICK(berth_cpu_train_hot);
  switch (dtype) {
    case BERTH_FLOAT:
      return hot->f32[function];
    case BERTH_DOUBLE:
      return hot->f64[function];
    case BERTH_HALF:
      return berth_cpu_train_half[function];
    case BERTH_BFLOAT16:
      return berth_cpu_train_bfloat16[function];
    case BERTH_COMPLEX64:
      return berth_cpu_train_c64[function];
    case BERTH_COMPLEX128:
      return berth_cpu_train_c128[function];
    default:
      return NULL;
  }
}

// Returns the function that is |function| where its power is -1/2, or COUNT.
static berth_train_function_t root_of(berth_train_function_t function) {
  switch (function) {
    case BERTH_TRAIN_FTRL:
      return BERTH_TRAIN_FTRL_ROOT;
    case BERTH_TRAIN_FTRL_LINEAR:
      return BERTH_TRAIN_FTRL_LINEAR_ROOT;
    case BERTH_TRAIN_FTRL_V2:
      return BERTH_TRAIN_FTRL_V2_ROOT;
    case BERTH_TRAIN_FTRL_V2_LINEAR:
      return BERTH_TRAIN_FTRL_V2_LINEAR_ROOT;
    default:
      return BERTH_TRAIN_COUNT;
  }
}

static berth_code_t prepare_train(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_train(&prepare->op, &plan->train, err));
  plan->loop = loop_of(plan->train.function, plan->train.dtype);
  if (plan->loop == NULL) {
    return berth_error_set(err, BERTH_INTERNAL, "%s has no loop for %s",
                           prepare->op.node->op->name,
                           berth_dtype_name(plan->train.dtype));
  }
  berth_train_function_t root = root_of(plan->train.function);
  if (root != BERTH_TRAIN_COUNT) {
    plan->root_loop = loop_of(root, plan->train.dtype);
  }
  prepare->run = run_train;
  prepare->work = prepare->op.inputs[plan->train.grad].count;
  return BERTH_OK;
}

#define INEXACT BERTH_TYPES_INEXACT
#define FLOATING BERTH_TYPES_FLOATING
#define COMMON (BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))
#define NOT_BF16 (~BERTH_TYPE(BFLOAT16))
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

const berth_kernel_t berth_cpu_train_kernels[] = {
    DENSE("GradientDescent", INEXACT),
    DENSE("ProximalGradientDescent", COMMON),
    DENSE("Momentum", INEXACT),
    ONE("ResourceApplyKerasMomentum", INEXACT),
    DENSE("Adagrad", INEXACT),
    DENSE("AdagradV2", INEXACT),
    DENSE("AdagradDA", COMMON),
    DENSE("ProximalAdagrad", COMMON),
    DENSE("Adadelta", INEXACT),
    DENSE("RMSProp", INEXACT),
    DENSE("CenteredRMSProp", INEXACT),
    DENSE("Adam", INEXACT),
    ONE("ResourceApplyAdamWithAmsgrad", FLOATING),
    DENSE("AdaMax", FLOATING &NOT_BF16),
    DENSE("AddSign", FLOATING),
    DENSE("PowerSign", FLOATING),
    DENSE("Ftrl", FLOATING),
    DENSE("FtrlV2", FLOATING),
    SPARSE("ProximalGradientDescent", COMMON),
    SPARSE("Momentum", INEXACT),
    ROWS("ResourceSparseApplyKerasMomentum", INEXACT),
    SPARSE("Adagrad", INEXACT),
    SPARSE("AdagradV2", INEXACT),
    SPARSE("AdagradDA", COMMON),
    SPARSE("ProximalAdagrad", COMMON),
    SPARSE("Adadelta", INEXACT),
    SPARSE("RMSProp", INEXACT &NOT_BF16),
    SPARSE("CenteredRMSProp", INEXACT &NOT_BF16),
    SPARSE("Ftrl", FLOATING),
    SPARSE("FtrlV2", FLOATING),
    {.op = NULL},
};
