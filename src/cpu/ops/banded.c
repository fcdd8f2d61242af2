// banded.c - The kernel BandedTriangularSolve: triangles of which only the
// diagonals beside the main one are there.
//
// Element (r, c) of a triangle is in column r of its bands: band |r - c| of a
// lower one, counted from the last band of an upper one.
#include <complex.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/linear.h"
#include "op/types.h"

typedef struct plan {
  berth_linear_t linear;
  berth_dtype_t dtype;
  size_t size;  // Of an element.
  bool is_lower, is_adjoint;
} plan_t;

// Defines <name>(), which solves for one matrix, and <name>_has_zero(), which
// looks at its diagonal.
#define BANDED(name, T, conj)                                                 \
  static void name(const plan_t *plan, const void *bands, const void *right,  \
                   void *out) {                                               \
    const berth_linear_t *linear = &plan->linear;                             \
    int64_t n = linear->n, columns = linear->columns, count = linear->bands;  \
    bool is_down = plan->is_lower != plan->is_adjoint;                        \
    const T *a = bands, *b = right;                                           \
    T *x = out;                                                               \
    for (int64_t step = 0; step < n; ++step) {                                \
      int64_t i = is_down ? step : n - 1 - step;                              \
      int64_t most = step < count - 1 ? step : count - 1;                     \
      for (int64_t c = 0; c < columns; ++c) {                                 \
        T sum = b[i * columns + c];                                           \
        for (int64_t d = 1; d <= most; ++d) {                                 \
          int64_t j = is_down ? i - d : i + d;                                \
          int64_t band = plan->is_lower ? d : count - 1 - d;                  \
          T element = a[band * n + (plan->is_adjoint ? j : i)];               \
          sum -= (plan->is_adjoint ? conj(element) : element) *               \
                 x[j * columns + c];                                          \
        }                                                                     \
        T diagonal = a[(plan->is_lower ? 0 : count - 1) * n + i];             \
        x[i * columns + c] =                                                  \
            sum / (plan->is_adjoint ? conj(diagonal) : diagonal);             \
      }                                                                       \
    }                                                                         \
  }                                                                           \
  static bool name##_has_zero(const plan_t *plan, const void *bands) {        \
    int64_t n = plan->linear.n;                                               \
    const T *row =                                                            \
        (const T *)bands + (plan->is_lower ? 0 : plan->linear.bands - 1) * n; \
    for (int64_t i = 0; i < n; ++i) {                                         \
      if (row[i] == 0) return true;                                           \
    }                                                                         \
    return false;                                                             \
  }

#define SAME(x) (x)
BANDED(solve_f32, float, SAME)
BANDED(solve_f64, double, SAME)
BANDED(solve_c64, float complex, conjf)
BANDED(solve_c128, double complex, conj)

static berth_code_t run_banded(const void *arg, void *const *args,
                               berth_call_t *call) {
  static const struct {
    berth_dtype_t dtype;
    void (*solve)(const plan_t *, const void *, const void *, void *);
    bool (*has_zero)(const plan_t *, const void *);
  } loops[] = {{BERTH_FLOAT, solve_f32, solve_f32_has_zero},
               {BERTH_DOUBLE, solve_f64, solve_f64_has_zero},
               {BERTH_COMPLEX64, solve_c64, solve_c64_has_zero},
               {BERTH_COMPLEX128, solve_c128, solve_c128_has_zero}};
  const plan_t *plan = arg;
  const berth_linear_t *linear = &plan->linear;
  size_t matrix = (size_t)(linear->bands * linear->n) * plan->size;
  size_t right = (size_t)(linear->n * linear->columns) * plan->size;
  int type = 0;
  while (loops[type].dtype != plan->dtype) ++type;
  // TensorFlow looks at the first matrix alone; others are divided by.
  if (loops[type].has_zero(plan, args[0])) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Input matrix is not invertible.");
  }
  for (int64_t i = 0; i < linear->batch; ++i) {
    int64_t at[2];
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    berth_linear_places(linear, i, at);
    loops[type].solve(plan, (const char *)args[0] + (size_t)at[0] * matrix,
                      (const char *)args[1] + (size_t)at[1] * right,
                      (char *)args[2] + (size_t)i * right);
  }
  return BERTH_OK;
}

static berth_code_t prepare_banded(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_linear(&prepare->op, &plan->linear, err));
  const berth_node_t *node = prepare->op.node;
  plan->dtype = prepare->op.inputs[0].dtype;
  plan->size = berth_dtype_size(plan->dtype);
  plan->is_lower = berth_node_attr_bool(node, "lower", true);
  plan->is_adjoint = berth_node_attr_bool(node, "adjoint", false);
  prepare->run = run_banded;
  prepare->work = plan->linear.batch * plan->linear.n * plan->linear.bands *
                  plan->linear.columns;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_banded_kernels[] = {
    {.op = "BandedTriangularSolve",
     .types = {{"T",
                BERTH_TYPES_COMPLEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE)}},
     .prepare = prepare_banded},
    {.op = NULL},
};
