// linear.c - Kernels of linear algebra: MatrixInverse, MatrixSolve,
// determinants, Cholesky, Lu.
//
// All work matrix by matrix, in their own type.
#include <complex.h>
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "op/linear.h"
#include "op/types.h"
#include "tensor/complex.h"

#define NUMBER float
#define REAL float
#define NAME(x) x##_f32
#define SIZE_OF(x) fabsf(x)
#define CONJ(x) (x)
#define PART(x) (x)
#define LOG_OF logf
#define EXP_OF expf
#define SQRT_OF sqrtf
#include "cpu/loops/matrix_slot.inc"

#define NUMBER double
#define REAL double
#define NAME(x) x##_f64
#define SIZE_OF(x) fabs(x)
#define CONJ(x) (x)
#define PART(x) (x)
#define LOG_OF log
#define EXP_OF exp
#define SQRT_OF sqrt
#include "cpu/loops/matrix_slot.inc"

#define NUMBER berth_complex64_t
#define REAL float
#define NAME(x) x##_c64
#define SIZE_OF(x) cabsf(x)
#define CONJ(x) conjf(x)
#define PART(x) crealf(x)
#define LOG_OF logf
#define EXP_OF expf
#define SQRT_OF sqrtf
#include "cpu/loops/matrix_slot.inc"

#define NUMBER berth_complex128_t
#define REAL double
#define NAME(x) x##_c128
#define SIZE_OF(x) cabs(x)
#define CONJ(x) conj(x)
#define PART(x) creal(x)
#define LOG_OF log
#define EXP_OF exp
#define SQRT_OF sqrt
#include "cpu/loops/matrix_slot.inc"

// The functions of one type.
typedef struct slot {
  berth_dtype_t dtype;
  bool (*solve)(const void *a, const void *b, void *x, int64_t n,
                int64_t columns, bool is_adjoint, void *work, int64_t *rows);
  bool (*solve_triangle)(const void *a, const void *b, void *x, int64_t n,
                         int64_t columns, bool is_lower, bool is_adjoint,
                         void *work);
  void (*log_determinant)(const void *a, int64_t n, void *sign, void *size,
                          void *work, int64_t *rows);
  void (*determinant)(const void *a, int64_t n, void *out, void *work,
                      int64_t *rows);
  bool (*cholesky)(const void *a, int64_t n, void *out);
  bool (*lu)(const void *a, int64_t n, void *out, int64_t *rows);
} slot_t;

#define SLOT(type, end)                                             \
  {                                                                 \
    type, solve_##end, solve_triangle_##end, log_determinant_##end, \
        determinant_##end, cholesky_##end, decompose_##end          \
  }

static const slot_t slots[] = {SLOT(BERTH_FLOAT, f32), SLOT(BERTH_DOUBLE, f64),
                               SLOT(BERTH_COMPLEX64, c64),
                               SLOT(BERTH_COMPLEX128, c128)};

static const slot_t *slot_of(berth_dtype_t dtype) {
  for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); ++i) {
    if (slots[i].dtype == dtype) return &slots[i];
  }
  return &slots[0];
}

// ---- Running ----

typedef struct plan {
  berth_linear_t linear;
  const slot_t *slot;
  size_t size;  // Of an element.
  bool is_adjoint, is_lower;
} plan_t;

static const char *matrix_at(const void *data, const plan_t *plan, int64_t i,
                             int64_t elements) {
  return (const char *)data + (size_t)(i * elements) * plan->size;
}

// Where |rows| lie in the scratch space: behind one matrix.
static int64_t *rows_in(const plan_t *plan, void *scratch) {
  size_t n = (size_t)plan->linear.n;
  size_t size = (n * n * plan->size + 15) & ~(size_t)15;
  return (int64_t *)(void *)((char *)scratch + size);
}

static berth_code_t fail_singular(const char *text, berth_call_t *call) {
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT, "%s", text);
}

static berth_code_t run_inverse(const void *arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = arg;
  int64_t n = plan->linear.n;
  for (int64_t i = 0; i < plan->linear.batch; ++i) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    const char *a = matrix_at(args[0], plan, i, n * n);
    char *x = (char *)(uintptr_t)matrix_at(args[1], plan, i, n * n);
    if (!plan->slot->solve(a, NULL, x, n, n, plan->is_adjoint, args[2],
                           rows_in(plan, args[2]))) {
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
  for (int64_t i = 0; i < linear->batch; ++i) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    int64_t at[2];
    berth_linear_places(linear, i, at);
    const char *a = matrix_at(args[0], plan, at[0], n * n);
    const char *b = matrix_at(args[1], plan, at[1], right);
    char *x = (char *)(uintptr_t)matrix_at(args[2], plan, i, right);
    bool is_solved =
        linear->is_triangle
            ? plan->slot->solve_triangle(a, b, x, n, linear->columns,
                                         plan->is_lower, plan->is_adjoint,
                                         args[3])
            : plan->slot->solve(a, b, x, n, linear->columns, plan->is_adjoint,
                                args[3], rows_in(plan, args[3]));
    if (!is_solved) {
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
  void *scratch = args[is_log ? 3 : 2];
  for (int64_t i = 0; i < plan->linear.batch; ++i) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    const char *a = matrix_at(args[0], plan, i, n * n);
    char *out = (char *)args[1] + (size_t)i * plan->size;
    if (is_log) {
      plan->slot->log_determinant(a, n, out,
                                  (char *)args[2] + (size_t)i * plan->size,
                                  scratch, rows_in(plan, scratch));
    } else {
      plan->slot->determinant(a, n, out, scratch, rows_in(plan, scratch));
    }
  }
  return BERTH_OK;
}

static berth_code_t run_lu(const void *arg, void *const *args,
                           berth_call_t *call) {
  const plan_t *plan = arg;
  int64_t n = plan->linear.n, *rows = args[3];
  for (int64_t i = 0; i < plan->linear.batch; ++i) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    const char *a = matrix_at(args[0], plan, i, n * n);
    char *out = (char *)(uintptr_t)matrix_at(args[1], plan, i, n * n);
    if (!plan->slot->lu(a, n, out, rows)) {
      return fail_singular("Input is not invertible.", call);
    }
    for (int64_t k = 0; k < n; ++k) {
      berth_index_set(call->node->output_types[1], args[2], i * n + k, rows[k]);
    }
  }
  return BERTH_OK;
}

// What has no factor is not a number, as TensorFlow has it: below the diagonal.
static void fill_nan(const plan_t *plan, char *out) {
  int64_t n = plan->linear.n;
  bool is_wide = plan->slot->dtype == BERTH_DOUBLE ||
                 plan->slot->dtype == BERTH_COMPLEX128;
  int64_t parts = berth_type_in(plan->slot->dtype, BERTH_TYPES_COMPLEX) ? 2 : 1;
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
  for (int64_t i = 0; i < plan->linear.batch; ++i) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    const char *a = matrix_at(args[0], plan, i, n * n);
    char *out = (char *)(uintptr_t)matrix_at(args[1], plan, i, n * n);
    if (!plan->slot->cholesky(a, n, out)) fill_nan(plan, out);
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
  plan->slot = slot_of(prepare->op.inputs[0].dtype);
  plan->size = berth_dtype_size(prepare->op.inputs[0].dtype);
  plan->is_adjoint = berth_node_attr_bool(node, "adjoint", false);
  plan->is_lower = berth_node_attr_bool(node, "lower", true);
  size_t n = (size_t)plan->linear.n;
  prepare->scratch_size = n * n * plan->size + 16 + n * sizeof(int64_t);
  prepare->run = plan->linear.batch > 0 ? run : berth_run_nothing;
  prepare->work =
      plan->linear.batch * plan->linear.n * plan->linear.n * plan->linear.n;
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
