// spectral.c - Kernels of decompositions that look for values:
// SelfAdjointEigV2, Svd.
//
// Small matrices, and many of middling size, are turned by kernels of our own, a
// block each, where they are their own adjoint. Larger ones are the library's;
// what is left, and all without the library, goes to the host.
#include "cuda/code/launch.h"
#include "cuda/code/solver.h"
#include "cuda/kernels.h"
#include "cuda/ops/hosted.h"
#include "cuda/ops/linear.h"
#include "cuda/ops/linear_params.h"
#include "op/factor.h"
#include "op/types.h"

// Of eigenvalues: a matrix turned by one block takes longer than the library, so
// that there have to be many.
enum { SMALL = 32, MIDDLE = 2 * BERTH_LINEAR_PAIRS, MANY = 32 };

// Singular values of fewer rows or columns are found faster by the host.
enum { LEAST_OF_LIBRARY = 64 };

typedef struct plan {
  berth_factor_t factor;
  berth_dtype_t dtype;
  size_t size;  // Of an element.
  bool has_library;
  int eigen, move;
  berth_solver_t solver;
  berth_linear_outputs_t outputs;
} plan_t;

// Parts of the scratch space; of our own kernel |matrix| alone.
typedef struct space {
  char *matrix;  // What is decomposed.
  void *values, *u, *room;
  int32_t *info;
} space_t;

static int64_t least_of(const berth_factor_t *f) {
  return f->m < f->n ? f->m : f->n;
}
static int64_t most_of(const berth_factor_t *f) {
  return f->m < f->n ? f->n : f->m;
}

// Columns of U, where the library is asked for them.
static int64_t columns_of(const berth_factor_t *f) {
  return f->is_full ? most_of(f) : least_of(f);
}

// Lays out the scratch space at |at|; returns its end.
static uintptr_t lay_out(const plan_t *plan, uintptr_t at, space_t *out) {
  const berth_factor_t *f = &plan->factor;
  uint64_t matrix = (uint64_t)(f->m * f->n) * plan->size;
  *out = (space_t){0};
  if (!plan->has_library) {
    out->matrix = berth_linear_take(&at, 2 * (uint64_t)f->batch * matrix);
    return at;
  }
  out->room = berth_linear_take(&at, plan->solver.on_card);
  out->matrix = berth_linear_take(&at, matrix);
  out->values = berth_linear_take(&at, (uint64_t)f->n * plan->size);
  out->info = berth_linear_take(&at, sizeof(int32_t));
  if (f->kind == BERTH_FACTOR_SVD && f->has_vectors) {
    out->u = berth_linear_take(
        &at, (uint64_t)(most_of(f) * columns_of(f)) * plan->size);
  }
  return at;
}

// ---- Running ----

static berth_code_t move(const plan_t *plan,
                         const berth_linear_move_params_t *params,
                         berth_call_t *call) {
  return berth_cuda_launch(call, plan->move,
                           params->batch * params->rows * params->columns,
                           params, sizeof(*params));
}

// Turns all matrices by our own kernel.
static berth_code_t queue_own(const plan_t *plan, const space_t *space,
                              const void *in, berth_call_t *call) {
  const berth_factor_t *f = &plan->factor;
  berth_linear_params_t params = {
      .a = in,
      .work = space->matrix,
      .values = call->outputs[0]->data,
      .out = f->has_vectors ? call->outputs[1]->data : NULL,
      .batch = (uint64_t)f->batch,
      .n = (uint64_t)f->n};
  return berth_cuda_launch_blocks(
      call, plan->eigen, berth_linear_blocks(params.batch),
      berth_linear_threads(params.n), &params, sizeof(params));
}

// The library's columns are rows: what it finds are the vectors of the transpose,
// which is the conjugate.
static berth_code_t queue_eigen(const plan_t *plan, const space_t *space,
                                const char *in, int64_t i, berth_call_t *call) {
  const berth_factor_t *f = &plan->factor;
  uint64_t n = (uint64_t)f->n;
  size_t matrix = n * n * plan->size;
  bool is_real = plan->dtype == BERTH_FLOAT || plan->dtype == BERTH_DOUBLE;
  char *values = (char *)call->outputs[0]->data + (size_t)i * n * plan->size;
  berth_solver_operands_t at = {.a = space->matrix,
                                .values = is_real ? values : space->values,
                                .room = space->room,
                                .info = space->info};
  BERTH_TRY(berth_cuda_copy(call, at.a, in + (size_t)i * matrix, matrix));
  BERTH_TRY(berth_solver_run(&plan->solver, &at, call));
  if (!is_real) {
    berth_linear_move_params_t widen = {.out = values,
                                        .in = space->values,
                                        .batch = 1,
                                        .rows = 1,
                                        .columns = n,
                                        .is_real = 1};
    BERTH_TRY(move(plan, &widen, call));
  }
  if (!f->has_vectors) return BERTH_OK;
  berth_linear_move_params_t params = {
      .out = (char *)call->outputs[1]->data + (size_t)i * matrix,
      .in = space->matrix,
      .info = space->info,
      .batch = 1,
      .rows = n,
      .columns = n,
      .turns = 1,
      .is_conj = 1};
  return move(plan, &params, call);
}

// The library wants a matrix that is tall: one that is wide is its transpose as
// it lies, and its U and V change places. V lies as its transpose by columns, so
// it comes where it belongs; U is moved.
static berth_code_t queue_singular(const plan_t *plan, const space_t *space,
                                   const char *in, int64_t i,
                                   berth_call_t *call) {
  const berth_factor_t *f = &plan->factor;
  uint64_t m = (uint64_t)f->m, n = (uint64_t)f->n;
  uint64_t least = (uint64_t)least_of(f), most = (uint64_t)most_of(f);
  uint64_t columns = (uint64_t)columns_of(f);
  bool is_wide = m < n;
  size_t index = (size_t)i;
  berth_tensor_t *u = call->outputs[is_wide ? 2 : 1];
  berth_tensor_t *v = call->outputs[is_wide ? 1 : 2];
  berth_linear_move_params_t load = {.out = space->matrix,
                                     .in = in + index * m * n * plan->size,
                                     .batch = 1,
                                     .rows = is_wide ? m : n,
                                     .columns = is_wide ? n : m,
                                     .turns = !is_wide};
  berth_solver_operands_t at = {
      .a = space->matrix,
      .values = (char *)call->outputs[0]->data + index * least * plan->size,
      .u = space->u,
      .vh = f->has_vectors
                ? (char *)v->data + index * least * least * plan->size
                : NULL,
      .room = space->room,
      .info = space->info};
  BERTH_TRY(move(plan, &load, call));
  BERTH_TRY(berth_solver_run(&plan->solver, &at, call));
  if (!f->has_vectors) return BERTH_OK;
  berth_linear_move_params_t params = {
      .out = (char *)u->data + index * most * columns * plan->size,
      .in = space->u,
      .info = space->info,
      .batch = 1,
      .rows = most,
      .columns = columns,
      .turns = 1};
  return move(plan, &params, call);
}

static berth_code_t queue(const plan_t *plan, const space_t *space,
                          const void *in, berth_call_t *call) {
  const berth_factor_t *f = &plan->factor;
  for (int i = 1; !f->has_vectors && i < plan->outputs.count; ++i) {
    const berth_tensor_t *none = call->outputs[i];
    BERTH_TRY(berth_cuda_clear(call, none->data, none->size));
  }
  if (!plan->has_library) return queue_own(plan, space, in, call);
  for (int64_t i = 0; i < f->batch; ++i) {
    BERTH_TRY(f->kind == BERTH_FACTOR_SVD
                  ? queue_singular(plan, space, in, i, call)
                  : queue_eigen(plan, space, in, i, call));
  }
  return BERTH_OK;
}

static berth_code_t run_spectral(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = arg;
  space_t space;
  (void)lay_out(plan, (uintptr_t)args[1 + plan->outputs.count], &space);
  BERTH_TRY(berth_linear_outputs_make(&plan->outputs, call));
  return queue(plan, &space, args[0], call);
}

// ---- Preparing ----

static bool is_for_host(const berth_factor_t *f) {
  if (f->batch == 0 || f->m == 0 || f->n == 0) return true;
  return f->kind == BERTH_FACTOR_SVD && least_of(f) < LEAST_OF_LIBRARY;
}

static bool is_for_library(const berth_factor_t *f) {
  return f->kind == BERTH_FACTOR_SVD ||
         (f->n > SMALL && (f->n > MIDDLE || f->batch < MANY));
}

static berth_code_t prepare_spectral(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_factor_t factor;
  BERTH_TRY(berth_op_factor(&prepare->op, &factor, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  if (is_for_host(&factor)) return berth_cuda_prepare_hosted(prepare, err);
  plan->factor = factor;
  plan->dtype = prepare->op.inputs[0].dtype;
  plan->size = berth_dtype_size(plan->dtype);
  plan->has_library = is_for_library(&factor);
  plan->solver = (berth_solver_t){.kind = factor.kind == BERTH_FACTOR_SVD
                                              ? BERTH_SOLVER_SINGULAR
                                              : BERTH_SOLVER_EIGEN,
                                  .dtype = plan->dtype,
                                  .m = most_of(&factor),
                                  .n = least_of(&factor),
                                  .has_vectors = factor.has_vectors,
                                  .is_full = factor.is_full};
  if (plan->has_library) {
    bool is_there = false;
    BERTH_TRY(berth_linear_library(prepare, &plan->solver, &is_there, err));
    if (!is_there) return berth_cuda_prepare_hosted(prepare, err);
  }
  plan->eigen = berth_cuda_kernel_of("linear", "berth_eigen", plan->dtype);
  plan->move = berth_cuda_kernel_of("linear", "berth_move", plan->dtype);
  if (plan->eigen < 0 || plan->move < 0) {
    return berth_error_no_memory(err, "kernels");
  }
  space_t space;
  berth_linear_outputs_set(&plan->outputs, &prepare->op);
  // An address may be off by less than what it is aligned to.
  prepare->scratch_size = lay_out(plan, 0, &space) + BERTH_SOLVER_ALIGNMENT;
  prepare->run = run_spectral;
  return BERTH_OK;
}

#define REAL (BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))

const berth_kernel_t berth_cuda_spectral_kernels[] = {
    {.op = "SelfAdjointEigV2",
     .types = {{"T", REAL | BERTH_TYPES_COMPLEX}},
     .prepare = prepare_spectral,
     .traits = BERTH_HOSTED_TRAITS},
    {.op = "Svd",
     .types = {{"T", REAL}},
     .prepare = prepare_spectral,
     .traits = BERTH_HOSTED_TRAITS},
    {.op = NULL},
};
