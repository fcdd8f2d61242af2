// linear.c - Kernels of linear algebra: MatrixInverse, MatrixSolve,
// determinants, Cholesky, Lu.
//
// All work matrix by matrix, in their own type.
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/loops/solve.h"
#include "op/linear.h"
#include "op/types.h"

// ---- Running ----

typedef struct plan {
  berth_linear_t linear;
  const berth_solve_loops_t *loops;
  size_t size;  // Of an element.
  bool is_adjoint, is_lower;
} plan_t;

// Parts of the scratch space.
typedef struct space {
  berth_solve_space_t solve;
  char *matrix;
  int64_t *rows;
} space_t;

static size_t round_up(size_t size) { return (size + 63) & ~(size_t)63; }

static size_t matrix_size(const plan_t *plan) {
  size_t n = (size_t)plan->linear.n;
  return round_up(n * n * plan->size);
}

static size_t space_size(const plan_t *plan) {
  const berth_linear_t *linear = &plan->linear;
  return matrix_size(plan) + round_up((size_t)linear->n * sizeof(int64_t)) +
         berth_solve_space_size(plan->loops->dtype, linear->n, linear->columns);
}

static space_t space_at(const plan_t *plan, void *scratch) {
  const berth_linear_t *linear = &plan->linear;
  space_t space = {.matrix = scratch};
  char *rows = space.matrix + matrix_size(plan);
  space.rows = (int64_t *)(void *)rows;
  space.solve = berth_solve_space_at(
      plan->loops->dtype, linear->n, linear->columns,
      rows + round_up((size_t)linear->n * sizeof(int64_t)));
  return space;
}

static char *matrix_at(void *data, const plan_t *plan, int64_t i,
                       int64_t elements) {
  return (char *)data + (size_t)(i * elements) * plan->size;
}

// Puts |a|, or its adjoint, where it is decomposed.
static void load(const plan_t *plan, const char *a, const space_t *space) {
  size_t n = (size_t)plan->linear.n;
  if (plan->is_adjoint) {
    plan->loops->adjoint(a, (int64_t)n, space->matrix);
  } else {
    memcpy(space->matrix, a, n * n * plan->size);
  }
}

// Solves |a| x = |b|, or where |b| is NULL x is the inverse. False: there is no
// solution.
static bool solve(const plan_t *plan, const char *a, const char *b, char *x,
                  int64_t columns, const space_t *space) {
  berth_triangle_t lower = {.is_lower = true, .has_ones = true}, upper = {0};
  int64_t n = plan->linear.n;
  size_t row = (size_t)columns * plan->size;
  load(plan, a, space);
  (void)plan->loops->lu(space->matrix, n, space->rows, &space->solve);
  if (plan->loops->has_zero(space->matrix, n)) return false;
  if (b == NULL) memset(x, 0, (size_t)n * row);
  for (int64_t i = 0; i < n; ++i) {
    char *to = x + (size_t)i * row;
    int64_t from = space->rows[i];
    if (b != NULL) {
      memcpy(to, b + (size_t)from * row, row);
    } else if (plan->loops->dtype == BERTH_FLOAT ||
               plan->loops->dtype == BERTH_COMPLEX64) {
      *(float *)(void *)(to + (size_t)from * plan->size) = 1;
    } else {
      *(double *)(void *)(to + (size_t)from * plan->size) = 1;
    }
  }
  plan->loops->triangle(space->matrix, n, x, columns, lower, &space->solve);
  plan->loops->triangle(space->matrix, n, x, columns, upper, &space->solve);
  return true;
}

// The same for |a| that is a triangle.
static void solve_triangle(const plan_t *plan, const char *a, const char *b,
                           char *x, const space_t *space) {
  const berth_linear_t *linear = &plan->linear;
  berth_triangle_t form = {.is_lower = plan->is_lower,
                           .is_adjoint = plan->is_adjoint};
  memcpy(x, b, (size_t)(linear->n * linear->columns) * plan->size);
  plan->loops->triangle(a, linear->n, x, linear->columns, form, &space->solve);
}

static berth_code_t fail_singular(const char *text, berth_call_t *call) {
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT, "%s", text);
}

static berth_code_t run_inverse(const void *arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = arg;
  int64_t n = plan->linear.n;
  space_t space = space_at(plan, args[2]);
  for (int64_t i = 0; i < plan->linear.batch; ++i) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    if (!solve(plan, matrix_at(args[0], plan, i, n * n), NULL,
               matrix_at(args[1], plan, i, n * n), n, &space)) {
      return fail_singular("Input is not invertible.", call);
    }
  }
  return BERTH_OK;
}

static berth_code_t run_solve(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_linear_t *linear = &plan->linear;
  int64_t n = linear->n, right = n * linear->columns;
  space_t space = space_at(plan, args[3]);
  for (int64_t i = 0; i < linear->batch; ++i) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    int64_t at[2];
    berth_linear_places(linear, i, at);
    const char *a = matrix_at(args[0], plan, at[0], n * n);
    const char *b = matrix_at(args[1], plan, at[1], right);
    char *x = matrix_at(args[2], plan, i, right);
    if (linear->is_triangle) {
      solve_triangle(plan, a, b, x, &space);
    } else if (!solve(plan, a, b, x, linear->columns, &space)) {
      return fail_singular("Input matrix is not invertible.", call);
    }
  }
  return BERTH_OK;
}

static berth_code_t run_determinant(const void *arg, void *const *args,
                                    berth_call_t *call) {
  const plan_t *plan = arg;
  int64_t n = plan->linear.n;
  bool is_log = call->node->output_count == 2;
  space_t space = space_at(plan, args[is_log ? 3 : 2]);
  for (int64_t i = 0; i < plan->linear.batch; ++i) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    double sign[2], size[2];  // Room for any type.
    load(plan, matrix_at(args[0], plan, i, n * n), &space);
    int order = plan->loops->lu(space.matrix, n, space.rows, &space.solve);
    plan->loops->log_determinant(space.matrix, n, order, sign, size);
    if (is_log) {
      memcpy(matrix_at(args[1], plan, i, 1), sign, plan->size);
      memcpy(matrix_at(args[2], plan, i, 1), size, plan->size);
    } else {
      plan->loops->determinant(sign, size, matrix_at(args[1], plan, i, 1));
    }
  }
  return BERTH_OK;
}

static berth_code_t run_lu(const void *arg, void *const *args,
                           berth_call_t *call) {
  const plan_t *plan = arg;
  int64_t n = plan->linear.n;
  space_t space = space_at(plan, args[3]);
  for (int64_t i = 0; i < plan->linear.batch; ++i) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    char *out = matrix_at(args[1], plan, i, n * n);
    memcpy(out, matrix_at(args[0], plan, i, n * n),
           (size_t)(n * n) * plan->size);
    (void)plan->loops->lu(out, n, space.rows, &space.solve);
    if (plan->loops->has_zero(out, n)) {
      return fail_singular("Input is not invertible.", call);
    }
    for (int64_t k = 0; k < n; ++k) {
      berth_index_set(call->node->output_types[1], args[2], i * n + k,
                      space.rows[k]);
    }
  }
  return BERTH_OK;
}

// What has no factor is not a number, as TensorFlow has it: below the diagonal.
static void fill_nan(const plan_t *plan, char *out) {
  int64_t n = plan->linear.n;
  bool is_wide = plan->loops->dtype == BERTH_DOUBLE ||
                 plan->loops->dtype == BERTH_COMPLEX128;
  int64_t parts =
      berth_type_in(plan->loops->dtype, BERTH_TYPES_COMPLEX) ? 2 : 1;
  memset(out, 0, (size_t)(n * n) * plan->size);
  for (int64_t i = 0; i < n * n * parts; ++i) {
    int64_t element = i / parts;
    if (element % n > element / n) continue;
    if (is_wide) {
      ((double *)(void *)out)[i] = NAN;
    } else {
      ((float *)(void *)out)[i] = NAN;
    }
  }
}

static berth_code_t run_cholesky(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = arg;
  int64_t n = plan->linear.n;
  space_t space = space_at(plan, args[2]);
  for (int64_t i = 0; i < plan->linear.batch; ++i) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    char *out = matrix_at(args[1], plan, i, n * n);
    memcpy(out, matrix_at(args[0], plan, i, n * n),
           (size_t)(n * n) * plan->size);
    if (!plan->loops->cholesky(out, n, &space.solve)) fill_nan(plan, out);
  }
  return BERTH_OK;
}

// ---- Preparing ----

static berth_code_t plan_make(berth_prepare_t *prepare, berth_run_fn run,
                              berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_linear(&prepare->op, &plan->linear, err));
  const berth_node_t *node = prepare->op.node;
  plan->loops = berth_solve_loops(prepare->op.inputs[0].dtype);
  plan->size = berth_dtype_size(prepare->op.inputs[0].dtype);
  plan->is_adjoint = berth_node_attr_bool(node, "adjoint", false);
  plan->is_lower = berth_node_attr_bool(node, "lower", true);
  prepare->scratch_size = space_size(plan);
  prepare->run = plan->linear.batch > 0 ? run : berth_run_nothing;
  prepare->work =
      plan->linear.batch * plan->linear.n * plan->linear.n * plan->linear.n / 4;
  return BERTH_OK;
}

#define PREPARE(id)                                          \
  static berth_code_t prepare_##id(berth_prepare_t *prepare, \
                                   berth_error_t *err) {     \
    return plan_make(prepare, run_##id, err);                \
  }
PREPARE(inverse)
PREPARE(solve)
PREPARE(determinant)
PREPARE(cholesky)
PREPARE(lu)

#define TYPES (BERTH_TYPES_COMPLEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))
#define KERNEL(name, id) \
  { .op = name, .types = {{"T", TYPES}}, .prepare = prepare_##id }

const berth_kernel_t berth_cpu_linear_kernels[] = {
    KERNEL("MatrixInverse", inverse),
    KERNEL("MatrixSolve", solve),
    KERNEL("MatrixTriangularSolve", solve),
    KERNEL("MatrixDeterminant", determinant),
    KERNEL("LogMatrixDeterminant", determinant),
    KERNEL("Cholesky", cholesky),
    KERNEL("Lu", lu),
    {.op = NULL},
};
