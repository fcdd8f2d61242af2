// matmul.c - MatMul and its batched kin on cards.
//
// Large products are cuBLASLt's. Without the library, for addresses and shapes
// that it does not take, and for small products, where calling it costs more
// than the work, there are kernels of our own (matmul.cu, matmul_small.cu).
#include <stdatomic.h>

#include "base/log.h"
#include "cuda/code/blas.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/chain.h"
#include "cuda/ops/matmul_params.h"
#include "op/types.h"

// A product is small when a thread adds up an element of the result in less
// time than the library takes to be called. An H200 does 32 terms in 3 us; the
// call costs 7 to 13 us.
enum { SMALL_DEPTH = 32, SMALL_WORK = 1 << 18 };

typedef struct plan {
  berth_cuda_product_t product;
  bool is_blas;
  berth_blas_plan_t blas;
  int small, tiled;  // Our own kernels; |small| is -1 for large products.
} plan_t;

// ---- Running ----

static berth_matmul_params_t params_of(const berth_cuda_product_t *product,
                                       berth_cuda_operands_t at) {
  int64_t a_cols = berth_cuda_product_a_cols(product);
  int64_t b_cols = berth_cuda_product_b_cols(product);
  bool turn_a = product->transpose_a, turn_b = product->transpose_b;
  return (berth_matmul_params_t){.a = at.a,
                                 .b = at.b,
                                 .c = at.c,
                                 .m = (uint64_t)product->m,
                                 .n = (uint64_t)product->n,
                                 .k = (uint64_t)product->k,
                                 .batch = (uint64_t)product->batch,
                                 .a_row = turn_a ? 1 : a_cols,
                                 .a_col = turn_a ? a_cols : 1,
                                 .b_row = turn_b ? 1 : b_cols,
                                 .b_col = turn_b ? b_cols : 1,
                                 .a_batch = product->a_step,
                                 .b_batch = product->b_step,
                                 .conj_a = product->conj_a ? 1 : 0,
                                 .conj_b = product->conj_b ? 1 : 0};
}

static unsigned tiles_of(const berth_matmul_params_t *params) {
  const uint64_t side = BERTH_MATMUL_TILE;
  uint64_t tiles = (params->m + side - 1) / side *
                   ((params->n + side - 1) / side) * params->batch;
  return tiles < INT32_MAX ? (unsigned)tiles : INT32_MAX;
}

static berth_code_t run_own(const plan_t *plan, void *const *args,
                            berth_call_t *call) {
  for (int64_t i = 0; i < plan->product.repeats; ++i) {
    berth_matmul_params_t params = params_of(
        &plan->product, berth_cuda_product_operands(&plan->product, args, i));
    if (plan->small >= 0) {
      BERTH_TRY(berth_cuda_launch(call, plan->small,
                                  params.batch * params.m * params.n, &params,
                                  sizeof(params)));
    } else {
      BERTH_TRY(berth_cuda_launch_blocks(call, plan->tiled, tiles_of(&params),
                                         BERTH_CUDA_BLOCK, &params,
                                         sizeof(params)));
    }
  }
  return BERTH_OK;
}

static berth_code_t run_product(const void *plan, void *const *args,
                                berth_call_t *call) {
  const plan_t *with = plan;
  if (with->is_blas && berth_blas_is_aligned(&with->blas, args)) {
    return berth_blas_run(&with->blas, &with->product, args, call);
  }
  return run_own(with, args, call);
}

// ---- Preparing ----

static bool is_small(const berth_cuda_product_t *product) {
  double work = (double)product->m * (double)product->n *
                (double)product->batch *
                (double)(product->k > 0 ? product->k : 1);
  return product->k <= SMALL_DEPTH && work <= SMALL_WORK;
}

// Says once that large products are slower than they could be.
static void tell_missing(const berth_error_t *reason) {
  static atomic_flag was_told = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&was_told)) return;
  berth_log(BERTH_LOG_WARNING, "cuda/ops/matmul.c", __LINE__,
            "products of matrices on GPUs are slower than they could be: %s",
            berth_error_message(reason));
}

// Uses cuBLASLt where it can be had; BERTH_OK without it too.
static berth_code_t try_blas(berth_prepare_t *prepare, plan_t *plan,
                             berth_error_t *err) {
  berth_error_t reason = BERTH_ERROR_INIT;
  berth_code_t code =
      berth_blas_prepare(prepare, &plan->product, &plan->blas, &reason);
  if (code == BERTH_UNAVAILABLE) tell_missing(&reason);
  if (code == BERTH_UNAVAILABLE || code == BERTH_UNIMPLEMENTED) {
    berth_trace("kernel", "%s: own kernel: %s", prepare->op.node->name,
                berth_error_message(&reason));
    berth_error_clear(&reason);
    return BERTH_OK;
  }
  if (code != BERTH_OK) return berth_error_move(err, &reason);
  plan->is_blas = true;
  prepare->scratch_size = berth_blas_scratch(&plan->blas);
  return BERTH_OK;
}

static berth_code_t find_kernels(plan_t *plan, bool use_small,
                                 berth_error_t *err) {
  berth_dtype_t dtype = plan->product.dtype;
  plan->tiled = berth_cuda_kernel_for("matmul", "berth_matmul", dtype);
  plan->small = use_small ? berth_cuda_kernel_for("matmul_small",
                                                  "berth_matmul_small", dtype)
                          : -1;
  if (plan->tiled >= 0 && (!use_small || plan->small >= 0)) return BERTH_OK;
  return berth_error_no_memory(err, "the kernel of a product");
}

// Plans the product that |describe| says.
static berth_code_t prepare_product(berth_prepare_t *prepare,
                                    berth_product_fn describe,
                                    berth_error_t *err) {
  berth_product_t product;
  BERTH_TRY(describe(&prepare->op, &product, err));
  prepare->run = berth_run_nothing;
  if (product.batch == 0 || product.m == 0 || product.n == 0) return BERTH_OK;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "the plan of a product");
  BERTH_TRY(berth_cuda_product_from(&product, prepare->op.arena, &plan->product,
                                    err));
  bool use_small = is_small(&plan->product);
  BERTH_TRY(find_kernels(plan, use_small, err));
  prepare->run = run_product;
  berth_chain_term_head(prepare, plan->product.dtype, NULL);
  // A sum of nothing is zero, which the library does not compute.
  if (use_small || plan->product.k == 0) return BERTH_OK;
  return try_blas(prepare, plan, err);
}

// Defines prepare_<name>(), which plans the product of berth_op_<name>().
#define PRODUCT(name)                                          \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    return prepare_product(prepare, berth_op_##name, err);     \
  }

PRODUCT(matmul)
PRODUCT(batch_matmul)
PRODUCT(batch_matmul_v2)

#define TYPES \
  (BERTH_TYPES_FLOATING | BERTH_TYPE(COMPLEX64) | BERTH_TYPE(COMPLEX128))
#define KERNEL(name, function) \
  { .op = name, .types = {{"T", TYPES}}, .prepare = prepare_##function }

const berth_kernel_t berth_cuda_matmul_kernels[] = {
    KERNEL("MatMul", matmul),
    KERNEL("BatchMatMul", batch_matmul),
    KERNEL("BatchMatMulV2", batch_matmul_v2),
    // On cards TensorFlow has one type for all.
    {.op = "BatchMatMulV3",
     .types = {{"Ta", TYPES}, {"Tb", TYPES}},
     .prepare = prepare_batch_matmul_v2},
    {.op = NULL},
};
