// l2_loss.c - The kernel L2Loss: half the sum of squares.
//
// Sums are made in double, block by block, so that they depend neither on the
// number of threads nor, as far as shows, on the order.
#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/convert.h"
#include "cpu/loops/fold.h"
#include "op/reduce.h"
#include "op/types.h"
#include "tensor/half.h"

enum { BLOCK = 16384 };

typedef struct plan {
  berth_dtype_t dtype;
  int64_t count, blocks;
} plan_t;

typedef struct loss_run {
  const plan_t *plan;
  const void *in;
  double *sums;  // One for each block.
} loss_run_t;

// Adds up squares in several sums, which need not wait for each other.
#define DEFINE_SQUARES(name, type)                         \
  static double name(const type *x, int64_t n) {           \
    enum { AT_ONCE = 8 };                                  \
    double sums[AT_ONCE] = {0}, sum = 0;                   \
    int64_t i = 0;                                         \
    for (; i + AT_ONCE <= n; i += AT_ONCE) {               \
      for (int k = 0; k < AT_ONCE; ++k) {                  \
        sums[k] += (double)x[i + k] * (double)x[i + k];    \
      }                                                    \
    }                                                      \
    for (; i < n; ++i) sum += (double)x[i] * (double)x[i]; \
    for (int k = 0; k < AT_ONCE; ++k) sum += sums[k];      \
    return sum;                                            \
  }
DEFINE_SQUARES(squares_f32, float)
DEFINE_SQUARES(squares_f64, double)

static double squares_16(const uint16_t *x, int64_t n, berth_convert_fn widen) {
  enum { PIECE = 512 };
  float wide[PIECE];
  double sum = 0;
  for (int64_t i = 0; i < n; i += PIECE) {
    int64_t count = n - i < PIECE ? n - i : PIECE;
    widen(x + i, wide, count);
    sum += squares_f32(wide, count);
  }
  return sum;
}

static double sum_block(const loss_run_t *run, int64_t begin, int64_t end) {
  const berth_convert_loops_t *convert =
      BERTH_ISA_PICK(berth_cpu_convert_loops);
  const int64_t n = end - begin;
  switch (run->plan->dtype) {
    case BERTH_FLOAT:
      return BERTH_ISA_PICK(berth_cpu_folds)
          ->squares((const float *)run->in + begin, n);
    case BERTH_DOUBLE:
      return squares_f64((const double *)run->in + begin, n);
    case BERTH_HALF:
      return squares_16((const uint16_t *)run->in + begin, n,
                        convert->half_to_float);
    default:
      return squares_16((const uint16_t *)run->in + begin, n,
                        convert->BFLOAT16_to_FLOAT);
  }
}

static void run_blocks(void *arg, int64_t begin, int64_t end) {
  const loss_run_t *run = arg;
  for (int64_t b = begin; b < end; ++b) {
    int64_t first = b * BLOCK, behind = first + BLOCK;
    if (behind > run->plan->count) behind = run->plan->count;
    run->sums[b] = sum_block(run, first, behind);
  }
}

static berth_code_t run_loss(const void *arg, void *const *args,
                             berth_call_t *call) {
  const plan_t *plan = arg;
  (void)call;
  loss_run_t run = {plan, args[0], args[2]};
  double sum = 0;
  if (!berth_parallel_for(plan->blocks, 4, run_blocks, &run)) return BERTH_OK;
  for (int64_t b = 0; b < plan->blocks; ++b) sum += run.sums[b];
  sum /= 2;
  if (plan->dtype == BERTH_FLOAT) *(float *)args[1] = (float)sum;
  if (plan->dtype == BERTH_DOUBLE) *(double *)args[1] = sum;
  if (plan->dtype == BERTH_HALF) {
    *(uint16_t *)args[1] = berth_float_to_half((float)sum);
  }
  if (plan->dtype == BERTH_BFLOAT16) {
    *(uint16_t *)args[1] = berth_float_to_bfloat16((float)sum);
  }
  return BERTH_OK;
}

static berth_code_t prepare_loss(berth_prepare_t *prepare, berth_error_t *err) {
  berth_reduction_t reduction;
  BERTH_TRY(berth_op_l2_loss(&prepare->op, &reduction, err));
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->dtype = reduction.dtype;
  plan->count = reduction.values;
  plan->blocks = (plan->count + BLOCK - 1) / BLOCK;
  prepare->scratch_size = (size_t)plan->blocks * sizeof(double);
  prepare->run = run_loss;
  prepare->work = plan->count;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_l2_loss_kernels[] = {
    {.op = "L2Loss",
     .types = {{"T", BERTH_TYPES_FLOATING}},
     .prepare = prepare_loss},
    {.op = NULL},
};
