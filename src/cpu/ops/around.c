// around.c - Kernels around those of other ops: what these take is changed
// first, or what they give afterwards.
//
//   EuclideanNorm       the root of Sum over squares
//   ConjugateTranspose  Transpose, then conjugated
//   SparseMatMul        MatMul of inputs made float
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/fold.h"
#include "cpu/loops/number.h"
#include "cpu/loops/unary.h"
#include "op/matrix.h"
#include "op/types.h"
#include "op/value.h"

extern const berth_kernel_t berth_cpu_array_kernels[];
extern const berth_kernel_t berth_cpu_matmul_kernels[];
extern const berth_kernel_t berth_cpu_reduce_kernels[];

// The other kernel, and what is done around it.
typedef struct plan {
  berth_run_fn run;  // NULL: the output is the input.
  const void *inner;
  berth_dtype_t types[2];
  int64_t counts[2], out_count;
  size_t inner_scratch;
} plan_t;

static size_t aligned(size_t size) { return (size + 63) & ~(size_t)63; }

// Lets the kernel of |op| in |table| prepare, and keeps what it has left in a
// plan of one's own.
static berth_code_t prepare_inner(berth_prepare_t *prepare,
                                  const berth_kernel_t *table, const char *op,
                                  plan_t **out_plan, berth_error_t *err) {
  while (strcmp(table->op, op) != 0) ++table;
  BERTH_TRY(table->prepare(prepare, err));
  bool is_same = prepare->op.alias >= 0;
  plan_t inner = {.run = is_same ? NULL : prepare->run,
                  .inner = prepare->plan,
                  .inner_scratch = aligned(prepare->scratch_size)};
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = inner;
  for (int i = 0; i < 2; ++i) {
    plan->types[i] = prepare->op.inputs[i].dtype;
    plan->counts[i] = prepare->op.inputs[i].count;
  }
  plan->out_count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  prepare->op.alias = -1;
  prepare->op.is_part = false;
  prepare->op.may_overwrite = 0;
  prepare->term = NULL;
  *out_plan = plan;
  return BERTH_OK;
}

// Runs the other kernel on |inputs|; its scratch space is the first.
static berth_code_t run_inner(const plan_t *plan, void *const *inputs,
                              void *const *args, berth_call_t *call) {
  void *inner[] = {inputs[0], inputs[1], args[2], args[3]};
  return plan->run(plan->inner, inner, call);
}

// ---- EuclideanNorm ----

enum { SQUARES = 1 << 16 };  // That are made at a time.

// Stores the squares of absolute values.
static void square(berth_dtype_t dtype, const void *in, void *out,
                   int64_t count) {
  switch (dtype) {
    case BERTH_COMPLEX64:
      for (int64_t i = 0; i < count; ++i) {
        const float *x = (const float *)in + 2 * i;
        ((float *)out)[2 * i] = x[0] * x[0] + x[1] * x[1];
        ((float *)out)[2 * i + 1] = 0;
      }
      return;
    case BERTH_COMPLEX128:
      for (int64_t i = 0; i < count; ++i) {
        const double *x = (const double *)in + 2 * i;
        ((double *)out)[2 * i] = x[0] * x[0] + x[1] * x[1];
        ((double *)out)[2 * i + 1] = 0;
      }
      return;
    case BERTH_HALF:
    case BERTH_BFLOAT16:
      // Their loops are those of floats.
      for (int64_t i = 0; i < count; ++i) {
        double x = berth_number_at(dtype, in, i);
        berth_number_set(dtype, out, i, x * x);
      }
      return;
    default:
      berth_unary_loop(BERTH_UNARY_SQUARE, dtype)(in, NULL, out, count);
  }
}

// Takes the roots of |count| numbers.
static void root(berth_dtype_t dtype, void *data, int64_t count) {
  bool is_complex = berth_type_in(dtype, BERTH_TYPES_COMPLEX);
  if (dtype == BERTH_FLOAT || dtype == BERTH_DOUBLE) {
    berth_unary_loop(BERTH_UNARY_SQRT, dtype)(data, NULL, data, count);
    return;
  }
  if (is_complex) dtype = dtype == BERTH_COMPLEX64 ? BERTH_FLOAT : BERTH_DOUBLE;
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = is_complex ? 2 * i : i;
    berth_number_set(dtype, data, at, sqrt(berth_number_at(dtype, data, at)));
  }
}

// The squares of a tensor, to be made in pieces.
typedef struct squares {
  berth_dtype_t dtype;
  const char *in;
  char *out;
  int64_t count;
} squares_t;

static void run_squares(void *arg, int64_t begin, int64_t end) {
  const squares_t *run = arg;
  size_t at = (size_t)begin * berth_dtype_size(run->dtype);
  square(run->dtype, run->in + at, run->out + at, end - begin);
}

// Adds up squares of floats where they lie, each piece in double.
static void add_squares(void *arg, int64_t begin, int64_t end) {
  const squares_t *run = arg;
  const berth_folds_t *folds = BERTH_ISA_PICK(berth_cpu_folds);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t first = i * SQUARES, left = run->count - first;
    ((double *)run->out)[i] = folds->squares((const float *)run->in + first,
                                             left < SQUARES ? left : SQUARES);
  }
}

// The norm of all floats at once, of which there are many.
static berth_code_t run_whole_norm(const void *arg, void *const *args,
                                   berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  const int64_t pieces = (plan->counts[0] + SQUARES - 1) / SQUARES;
  squares_t run = {BERTH_FLOAT, args[0], args[3], plan->counts[0]};
  if (!berth_parallel_for(pieces, 1, add_squares, &run)) return BERTH_OK;
  double sum = 0;
  for (int64_t i = 0; i < pieces; ++i) sum += ((const double *)args[3])[i];
  // What no float holds is infinite.
  *(float *)args[2] = sqrtf((float)sum);
  return BERTH_OK;
}

static berth_code_t run_norm(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  void *squares =
      plan->run == NULL ? args[2] : (char *)args[3] + plan->inner_scratch;
  squares_t run = {plan->types[0], args[0], squares, plan->counts[0]};
  if (!berth_parallel_for(plan->counts[0], SQUARES, run_squares, &run)) {
    return BERTH_OK;  // It was ended.
  }
  if (plan->run != NULL) {
    BERTH_TRY(run_inner(plan, (void *const[]){squares, args[1]}, args, call));
  }
  root(plan->types[0], args[2], plan->out_count);
  return BERTH_OK;
}

static berth_code_t prepare_norm(berth_prepare_t *prepare, berth_error_t *err) {
  plan_t *plan = NULL;
  BERTH_TRY(
      prepare_inner(prepare, berth_cpu_reduce_kernels, "Sum", &plan, err));
  prepare->run = run_norm;
  prepare->work += plan->counts[0];
  // Few are added up as TensorFlow does, for the bits.
  if (plan->types[0] == BERTH_FLOAT && plan->out_count == 1 &&
      plan->counts[0] > SQUARES) {
    prepare->run = run_whole_norm;
    prepare->scratch_size =
        (size_t)(plan->counts[0] / SQUARES + 1) * sizeof(double);
    return BERTH_OK;
  }
  prepare->scratch_size =
      plan->inner_scratch +
      (size_t)plan->counts[0] * berth_dtype_size(plan->types[0]);
  return BERTH_OK;
}

// ---- ConjugateTranspose ----

static berth_code_t run_conjugate(const void *arg, void *const *args,
                                  berth_call_t *call) {
  const plan_t *plan = arg;
  if (plan->out_count == 0) return BERTH_OK;
  if (plan->run != NULL) {
    BERTH_TRY(run_inner(plan, args, args, call));
  } else {
    memcpy(args[2], args[0],
           (size_t)plan->out_count * berth_dtype_size(plan->types[0]));
  }
  for (int64_t i = 0; i < plan->out_count; ++i) {
    if (plan->types[0] == BERTH_COMPLEX64) {
      ((float *)args[2])[2 * i + 1] = -((float *)args[2])[2 * i + 1];
    } else {
      ((double *)args[2])[2 * i + 1] = -((double *)args[2])[2 * i + 1];
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_conjugate(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  plan_t *plan = NULL;
  BERTH_TRY(
      prepare_inner(prepare, berth_cpu_array_kernels, "Transpose", &plan, err));
  prepare->run = run_conjugate;
  prepare->work += plan->out_count;
  return BERTH_OK;
}

// Other types are transposed and nothing else.
static berth_code_t prepare_transpose(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  const berth_kernel_t *kernel = berth_cpu_array_kernels;
  while (strcmp(kernel->op, "Transpose") != 0) ++kernel;
  return kernel->prepare(prepare, err);
}

// ---- SparseMatMul ----

static berth_code_t run_product(const void *arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = arg;
  void *inputs[2] = {args[0], args[1]};
  if (plan->out_count == 0) return BERTH_OK;
  char *room = args[3];
  if (room != NULL) room += plan->inner_scratch;
  for (int i = 0; i < 2; ++i) {
    if (plan->types[i] == BERTH_FLOAT) continue;
    float *to = (float *)(void *)room;
    const uint16_t *from = args[i];
    for (int64_t k = 0; k < plan->counts[i]; ++k) {
      to[k] = berth_bfloat16_to_float(from[k]);
    }
    inputs[i] = to;
    room += aligned((size_t)plan->counts[i] * sizeof(float));
  }
  return run_inner(plan, inputs, args, call);
}

static berth_code_t prepare_product(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  BERTH_TRY(berth_op_sparse_matmul(&prepare->op, err));
  const berth_case_input_t *given = prepare->op.inputs;
  berth_case_input_t as_float[2] = {given[0], given[1]};
  for (int i = 0; i < 2; ++i) {
    as_float[i].dtype = BERTH_FLOAT;
    // What is made float lies elsewhere in each run.
    as_float[i].value = NULL;
    as_float[i].is_fixed = false;
  }
  plan_t *plan = NULL;
  prepare->op.inputs = as_float;
  berth_code_t code =
      prepare_inner(prepare, berth_cpu_matmul_kernels, "MatMul", &plan, err);
  prepare->op.inputs = given;
  BERTH_TRY(code);
  prepare->scratch_size = plan->inner_scratch;
  for (int i = 0; i < 2; ++i) {
    plan->types[i] = given[i].dtype;
    if (plan->types[i] == BERTH_FLOAT) continue;
    prepare->scratch_size += aligned((size_t)plan->counts[i] * sizeof(float));
  }
  prepare->run = run_product;
  return BERTH_OK;
}

#define FLOATS (BERTH_TYPE(FLOAT) | BERTH_TYPE(BFLOAT16))

const berth_kernel_t berth_cpu_around_kernels[] = {
    {.op = "ConjugateTranspose",
     .types = {{"T", BERTH_TYPES_COMPLEX}, {"Tperm", BERTH_TYPES_INDEX}},
     .prepare = prepare_conjugate},
    {.op = "ConjugateTranspose",
     .types = {{"T",
                BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8 | BERTH_TYPES_OBJECT},
               {"Tperm", BERTH_TYPES_INDEX}},
     .prepare = prepare_transpose},
    {.op = "EuclideanNorm",
     .types = {{"T", BERTH_TYPES_ARITHMETIC}, {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_norm},
    {.op = "SparseMatMul",
     .types = {{"Ta", FLOATS}, {"Tb", FLOATS}},
     .prepare = prepare_product},
    {.op = NULL},
};
