// linear.c - Kernels of linear algebra: MatrixInverse, MatrixSolve,
// determinants, Cholesky, Lu, MatrixTriangularSolve.
//
// Small matrices, and many of middling size, are decomposed by kernels of our
// own, a block each. Larger ones are the library's, one after the other; without
// it they go to the host. Only the host can fail: what may be singular is looked
// at, and waited for.
#include "op/linear.h"

#include <string.h>

#include "cuda/code/launch.h"
#include "cuda/code/solver.h"
#include "cuda/kernels.h"
#include "cuda/ops/hosted.h"
#include "cuda/ops/linear.h"
#include "cuda/ops/linear_params.h"
#include "device/device.h"
#include "op/types.h"

typedef enum goal {
  INVERSE,
  SOLUTION,
  TRIANGLE,
  DETERMINANT,
  LOG_DETERMINANT,
  FACTORS,
  CHOLESKY
} goal_t;

typedef struct plan {
  goal_t goal;
  bool is_adjoint, is_lower, has_library;
  size_t size;  // Of an element.
  int lu, cholesky, order, singular, rows, determinant, gather, triangle, move;
  berth_solver_t solver;
  berth_linear_outputs_t outputs;
  berth_linear_params_t params;  // Without addresses.
} plan_t;

// Parts of the scratch space.
typedef struct space {
  char *work;    // The matrices that are decomposed.
  char *matrix;  // What follows is there with the library: one by columns,
  int64_t *swaps;
  char *room;
  int32_t *info;  // one number for each of them.
  int32_t *rows;
  uint32_t *turns;
} space_t;

// Lays out the scratch space at |at|; returns its end.
static uintptr_t lay_out(const plan_t *plan, uintptr_t at, space_t *out) {
  const berth_linear_params_t *p = &plan->params;
  size_t matrix = (size_t)(p->n * p->n) * plan->size;
  *out = (space_t){0};
  if (plan->goal == TRIANGLE) return at;
  if (plan->has_library) {
    out->room = berth_linear_take(&at, plan->solver.on_card);
    out->matrix = berth_linear_take(&at, matrix);
    out->swaps = berth_linear_take(&at, p->n * sizeof(int64_t));
  }
  if (plan->goal != FACTORS) {
    out->work = berth_linear_take(&at, p->batch * matrix);
  }
  out->info = berth_linear_take(&at, p->batch * sizeof(int32_t));
  out->rows = berth_linear_take(&at, p->batch * p->n * sizeof(int32_t));
  out->turns = berth_linear_take(&at, p->batch * sizeof(uint32_t));
  return at;
}

// ---- Queueing ----

static berth_code_t launch(berth_call_t *call, int kernel, uint64_t threads,
                           const berth_linear_params_t *params) {
  return berth_cuda_launch(call, kernel, threads, params, sizeof(*params));
}

// A block for each matrix.
static berth_code_t launch_blocks(berth_call_t *call, int kernel,
                                  const berth_linear_params_t *params) {
  return berth_cuda_launch_blocks(
      call, kernel, berth_linear_blocks(params->batch),
      berth_linear_threads(params->n), params, sizeof(*params));
}

static berth_code_t move(const plan_t *plan, void *out, const void *in,
                         bool turns, bool is_conj, berth_call_t *call) {
  const berth_linear_params_t *p = &plan->params;
  berth_linear_move_params_t params = {.out = out,
                                       .in = in,
                                       .batch = 1,
                                       .rows = p->n,
                                       .columns = p->n,
                                       .turns = turns,
                                       .is_conj = is_conj};
  return berth_cuda_launch(call, plan->move, p->n * p->n, &params,
                           sizeof(params));
}

// The library's rows are columns: a matrix goes there and back.
static berth_code_t queue_lu(const plan_t *plan, const space_t *space,
                             berth_linear_params_t *p, berth_call_t *call) {
  if (!plan->has_library) return launch_blocks(call, plan->lu, p);
  berth_solver_operands_t at = {.a = space->matrix,
                                .values = space->swaps,
                                .room = space->room,
                                .info = space->info};
  size_t matrix = (size_t)(p->n * p->n) * plan->size;
  berth_linear_params_t one = *p;
  one.batch = 1;
  one.swaps = space->swaps;
  for (uint64_t i = 0; i < p->batch; ++i) {
    char *work = (char *)p->work + i * matrix;
    BERTH_TRY(move(plan, space->matrix, (const char *)p->a + i * matrix,
                   !plan->is_adjoint, plan->is_adjoint, call));
    BERTH_TRY(berth_solver_run(&plan->solver, &at, call));
    one.rows = p->rows + i * p->n;
    one.turns = p->turns + i;
    BERTH_TRY(launch(call, plan->order, 1, &one));
    BERTH_TRY(move(plan, work, space->matrix, true, false, call));
  }
  return BERTH_OK;
}

// Solves with a triangle of p->a, in p->out.
static berth_code_t queue_triangle(const plan_t *plan,
                                   const berth_linear_params_t *p,
                                   berth_call_t *call) {
  if (!plan->has_library) {
    return launch(call, plan->triangle, p->batch * p->columns, p);
  }
  berth_solver_form_t form = {.is_lower = p->is_lower != 0,
                              .has_ones = p->has_ones != 0,
                              .is_adjoint = p->is_adjoint != 0};
  size_t matrix = (size_t)(p->n * p->n) * plan->size;
  size_t right = (size_t)(p->n * p->columns) * plan->size;
  for (uint64_t i = 0; i < p->batch; ++i) {
    uint64_t from = i, at = 0;
    for (uint32_t k = 0; k < p->level_count; ++k) {
      at += from % p->counts[k] * p->a_steps[k];
      from /= p->counts[k];
    }
    if (p->level_count == 0) at = i;
    BERTH_TRY(berth_solver_triangle(
        &plan->solver, form, (const char *)p->a + at * matrix,
        (char *)p->out + i * right, (int64_t)p->columns, call));
  }
  return BERTH_OK;
}

// X = U^-1 L^-1 P B, of what queue_lu() has left.
static berth_code_t queue_solution(const plan_t *plan,
                                   const berth_linear_params_t *p,
                                   berth_call_t *call) {
  berth_linear_params_t half = *p;
  BERTH_TRY(launch(call, plan->gather, p->batch * p->n * p->columns, &half));
  half.a = p->work;
  half.is_adjoint = 0;
  half.is_lower = half.has_ones = 1;
  BERTH_TRY(queue_triangle(plan, &half, call));
  half.is_lower = half.has_ones = 0;
  return queue_triangle(plan, &half, call);
}

static berth_code_t queue_cholesky(const plan_t *plan, const space_t *space,
                                   berth_linear_params_t *p,
                                   berth_call_t *call) {
  if (!plan->has_library) return launch_blocks(call, plan->cholesky, p);
  size_t matrix = (size_t)(p->n * p->n) * plan->size;
  BERTH_TRY(berth_cuda_copy(call, p->work, p->a, (size_t)p->batch * matrix));
  for (uint64_t i = 0; i < p->batch; ++i) {
    berth_solver_operands_t at = {.a = (char *)p->work + i * matrix,
                                  .room = space->room,
                                  .info = space->info + i};
    BERTH_TRY(berth_solver_run(&plan->solver, &at, call));
  }
  berth_linear_move_params_t params = {.out = p->out,
                                       .in = p->work,
                                       .info = space->info,
                                       .batch = p->batch,
                                       .rows = p->n,
                                       .columns = p->n,
                                       .is_lower = 1};
  return berth_cuda_launch(call, plan->move, p->batch * p->n * p->n, &params,
                           sizeof(params));
}

// Looks for zeros on the diagonals of factors, and waits for what is found.
static berth_code_t check(const plan_t *plan, berth_linear_params_t *p,
                          berth_call_t *call) {
  berth_allocator_t *pinned = call->stream->device->pinned;
  berth_buffer_t *buffer = NULL;
  BERTH_TRY(pinned->alloc(pinned, sizeof(uint32_t), &buffer, call->err));
  p->found = buffer->data;
  *p->found = 0;
  berth_code_t code = launch(call, plan->singular, p->batch * p->n, p);
  if (code == BERTH_OK) code = berth_cuda_wait(call, buffer);
  if (code == BERTH_OK && *p->found != 0) {
    code = berth_error_set(call->err, BERTH_INVALID_ARGUMENT, "%s",
                           plan->goal == SOLUTION
                               ? "Input matrix is not invertible."
                               : "Input is not invertible.");
  }
  berth_buffer_release(buffer);
  return code;
}

// ---- Outputs ----

void berth_linear_outputs_set(berth_linear_outputs_t *outputs,
                              const berth_case_t *op) {
  outputs->count = op->output_count;
  for (int i = 0; i < op->output_count; ++i) {
    outputs->shapes[i] = op->outputs[i];
  }
}

berth_code_t berth_linear_outputs_make(const berth_linear_outputs_t *outputs,
                                       berth_call_t *call) {
  for (int i = 0; i < outputs->count; ++i) {
    berth_dims_t dims = berth_shape_dims(&outputs->shapes[i]);
    BERTH_TRY(berth_tensor_make(call->allocator, call->node->output_types[i],
                                dims.rank, dims.dims, berth_dims_count(dims),
                                &call->outputs[i], call->err));
  }
  return BERTH_OK;
}

// ---- Running ----

static berth_code_t queue(const plan_t *plan, const space_t *space,
                          berth_linear_params_t *p, berth_call_t *call) {
  switch (plan->goal) {
    case CHOLESKY:
      return queue_cholesky(plan, space, p, call);
    case TRIANGLE:
      p->rows = NULL;
      BERTH_TRY(launch(call, plan->gather, p->batch * p->n * p->columns, p));
      return queue_triangle(plan, p, call);
    case DETERMINANT:
    case LOG_DETERMINANT:
      BERTH_TRY(queue_lu(plan, space, p, call));
      return launch(call, plan->determinant, p->batch, p);
    case FACTORS:
      BERTH_TRY(queue_lu(plan, space, p, call));
      BERTH_TRY(launch(call, plan->rows, p->batch * p->n, p));
      return check(plan, p, call);
    default:
      BERTH_TRY(queue_lu(plan, space, p, call));
      BERTH_TRY(queue_solution(plan, p, call));
      return check(plan, p, call);
  }
}

static berth_code_t run_linear(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_node_t *node = call->node;
  int inputs = node->input_count, outputs = node->output_count;
  berth_linear_params_t params = plan->params;
  space_t space;
  BERTH_TRY(berth_linear_outputs_make(&plan->outputs, call));
  (void)lay_out(plan, (uintptr_t)args[inputs + outputs], &space);
  params.out = call->outputs[0]->data;
  params.values = outputs > 1 ? call->outputs[1]->data : NULL;
  params.a = args[0];
  params.b = inputs > 1 ? args[1] : NULL;
  params.work = plan->goal == FACTORS ? params.out : space.work;
  params.rows = space.rows;
  params.turns = space.turns;
  return queue(plan, &space, &params, call);
}

// ---- Preparing ----

static goal_t goal_of(const char *op) {
  static const char *const names[] = {
      [INVERSE] = "MatrixInverse",
      [SOLUTION] = "MatrixSolve",
      [TRIANGLE] = "MatrixTriangularSolve",
      [DETERMINANT] = "MatrixDeterminant",
      [LOG_DETERMINANT] = "LogMatrixDeterminant",
      [FACTORS] = "Lu",
      [CHOLESKY] = "Cholesky",
  };
  int goal = 0;
  while (strcmp(names[goal], op) != 0) ++goal;
  return (goal_t)goal;
}

berth_code_t berth_linear_library(berth_prepare_t *prepare,
                                  berth_solver_t *solver, bool *out_is_there,
                                  berth_error_t *err) {
  berth_error_t reason = BERTH_ERROR_INIT;
  berth_code_t code = berth_solver_prepare(prepare, solver, &reason);
  *out_is_there = code == BERTH_OK;
  if (code != BERTH_UNAVAILABLE && code != BERTH_UNIMPLEMENTED) {
    return berth_error_move(err, &reason);
  }
  berth_error_clear(&reason);
  return BERTH_OK;
}

static bool find_kernels(plan_t *plan, berth_dtype_t dtype) {
  const struct {
    const char *name;
    int *kernel;
  } all[] = {{"berth_lu", &plan->lu},
             {"berth_cholesky", &plan->cholesky},
             {"berth_order", &plan->order},
             {"berth_singular", &plan->singular},
             {"berth_rows", &plan->rows},
             {"berth_determinant", &plan->determinant},
             {"berth_gather", &plan->gather},
             {"berth_triangle", &plan->triangle},
             {"berth_move", &plan->move}};
  for (int i = 0; i < BERTH_COUNT_OF(all); ++i) {
    *all[i].kernel = berth_cuda_kernel_of("linear", all[i].name, dtype);
    if (*all[i].kernel < 0) return false;
  }
  return true;
}

// Says how batches are broadcast; false where that takes too many levels.
static bool set_levels(const berth_linear_t *linear,
                       berth_linear_params_t *params) {
  const berth_broadcast_t *broadcast = &linear->broadcast;
  if (!linear->broadcasts) return true;
  if (broadcast->level_count > BERTH_LINEAR_LEVELS) return false;
  params->level_count = (uint32_t)broadcast->level_count;
  for (int32_t i = 0; i < broadcast->level_count; ++i) {
    params->counts[i] = (uint64_t)broadcast->levels[i].count;
    params->a_steps[i] = (uint64_t)broadcast->levels[i].steps[0];
    params->b_steps[i] = (uint64_t)broadcast->levels[i].steps[1];
  }
  return true;
}

static void set_params(plan_t *plan, const berth_case_t *op,
                       const berth_linear_t *linear) {
  const berth_node_t *node = op->node;
  plan->goal = goal_of(node->op->name);
  plan->size = berth_dtype_size(op->inputs[0].dtype);
  plan->is_adjoint = berth_node_attr_bool(node, "adjoint", false);
  plan->is_lower = berth_node_attr_bool(node, "lower", true);
  plan->params = (berth_linear_params_t){
      .batch = (uint64_t)linear->batch,
      .n = (uint64_t)linear->n,
      .columns =
          (uint64_t)(plan->goal == INVERSE ? linear->n : linear->columns),
      .is_adjoint = plan->is_adjoint,
      .is_lower = plan->is_lower,
      .is_log = plan->goal == LOG_DETERMINANT,
      .is_wide = plan->goal == FACTORS && node->output_types[1] == BERTH_INT64};
  plan->solver =
      (berth_solver_t){.kind = plan->goal == TRIANGLE   ? BERTH_SOLVER_TRIANGLE
                               : plan->goal == CHOLESKY ? BERTH_SOLVER_CHOLESKY
                                                        : BERTH_SOLVER_LU,
                       .dtype = op->inputs[0].dtype,
                       .m = linear->n,
                       .n = linear->n};
}

static berth_code_t prepare_linear(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_linear_t linear;
  BERTH_TRY(berth_op_linear(&prepare->op, &linear, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  set_params(plan, &prepare->op, &linear);
  bool has_columns = prepare->op.input_count == 1 || linear.columns > 0;
  if (linear.batch == 0 || linear.n == 0 || !has_columns ||
      !set_levels(&linear, &plan->params)) {
    return berth_cuda_prepare_hosted(prepare, err);
  }
  plan->has_library = !berth_linear_is_small(linear.n, linear.batch);
  if (plan->has_library) {
    bool is_there = false;
    BERTH_TRY(berth_linear_library(prepare, &plan->solver, &is_there, err));
    if (!is_there) return berth_cuda_prepare_hosted(prepare, err);
  }
  if (!find_kernels(plan, prepare->op.inputs[0].dtype)) {
    return berth_error_no_memory(err, "kernels");
  }
  space_t space;
  berth_linear_outputs_set(&plan->outputs, &prepare->op);
  // An address may be off by less than what it is aligned to.
  prepare->scratch_size = lay_out(plan, 0, &space) + BERTH_SOLVER_ALIGNMENT;
  prepare->run = run_linear;
  return BERTH_OK;
}

// The CPU's kernel does what cannot be done here.
#define TYPES (BERTH_TYPES_COMPLEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))
#define KERNEL(name)                                                \
  {                                                                 \
    .op = name, .types = {{"T", TYPES}}, .prepare = prepare_linear, \
    .traits = BERTH_HOSTED_TRAITS                                   \
  }

const berth_kernel_t berth_cuda_linear_kernels[] = {
    KERNEL("Cholesky"),
    KERNEL("LogMatrixDeterminant"),
    KERNEL("Lu"),
    KERNEL("MatrixDeterminant"),
    KERNEL("MatrixInverse"),
    KERNEL("MatrixSolve"),
    KERNEL("MatrixTriangularSolve"),
    {.op = NULL},
};
