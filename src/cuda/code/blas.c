// blas.c - Products by cuBLASLt: planned once, then queued.
//
// The objects that describe a product to the library are made with its plan and
// dropped with it; what only the choice of an algorithm needs goes at once. All
// of them are memory of the host: no driver is called to free them, so they may
// be dropped after the card was reset, and when the process ends.
#include "cuda/code/blas.h"
#include "cuda/card/admit.h"

#include "base/fork.h"
#include "cuda/card/precision.h"
#include "cuda/stream/device_internal.h"

// Cards whose handles are kept; more than the driver shows.
enum { MAX_CARDS = 64 };

// Vector loads are of 16 bytes; nothing in the library asks for more.
enum { BEST_ALIGNMENT = 16 };

// The library wants its workspace aligned like this; scratch space is less.
enum { WORKSPACE_ALIGNMENT = 256 };

// What the vendor recommends: Hopper and later split products more.
#define WORKSPACE_NEW (UINT64_C(32) << 20)
#define WORKSPACE_OLD (UINT64_C(4) << 20)

#define LT_TRY(err, name, ...)                              \
  do {                                                      \
    cublasStatus_t status_ = BERTH_LT(name, __VA_ARGS__);   \
    if (BERTH_UNLIKELY(status_ != CUBLAS_STATUS_SUCCESS)) { \
      return berth_cublaslt_error(err, status_, #name);     \
    }                                                       \
  } while (0)

// ---- Handles ----

typedef struct handle {
  cublasLtHandle_t handle;
  uint64_t generation;  // Of the card when it was made; 0: none.
} handle_t;

static berth_mutex_t handle_lock = BERTH_MUTEX_INIT;  // Guards the table.
BERTH_FORK_HOLDS(handle_lock, BERTH_FORK_HANDLE)
static handle_t handles[MAX_CARDS];

// Lock held, the card's context bound.
static berth_code_t make_handle(berth_cuda_card_t *card, handle_t *kept,
                                berth_error_t *err) {
  uint64_t live = atomic_load(&card->live);
  if (kept->generation == live) return BERTH_OK;
  // One of an older generation went with its context.
  kept->generation = 0;
  berth_cuda_act_t act;
  BERTH_TRY(berth_cuda_admit(card, BERTH_COST_LIBRARY, &act, err));
  cublasStatus_t status = BERTH_LT(cublasLtCreate, &kept->handle);
  berth_cuda_admitted(&act);
  if (status != CUBLAS_STATUS_SUCCESS) {
    return berth_cublaslt_error(err, status, "cublasLtCreate");
  }
  kept->generation = live;
  return BERTH_OK;
}

// Stores the handle of |card|, whose context is bound. Borrowed.
static berth_code_t get_handle(berth_cuda_card_t *card,
                               cublasLtHandle_t *out_handle,
                               berth_error_t *err) {
  if (card->index >= MAX_CARDS) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "cuBLASLt is used on the first %d GPUs only",
                           MAX_CARDS);
  }
  handle_t *kept = &handles[card->index];
  berth_mutex_lock(&handle_lock);
  berth_code_t code = make_handle(card, kept, err);
  *out_handle = kept->handle;
  berth_mutex_unlock(&handle_lock);
  return code;
}

void berth_blas_forget(const berth_cuda_card_t *card) {
  if (card->index >= MAX_CARDS) return;
  handle_t *kept = &handles[card->index];
  berth_mutex_lock(&handle_lock);
  if (kept->generation != 0) (void)BERTH_LT(cublasLtDestroy, kept->handle);
  kept->generation = 0;
  berth_mutex_unlock(&handle_lock);
}

// ---- Describing ----

// How a type of numbers is stored, and computed with.
typedef struct numbers {
  cudaDataType_t type;
  cudaDataType_t scale;
  cublasComputeType_t compute;
  // One and zero in the type |scale|.
  const void *one, *zero;
} numbers_t;

static const float float_one[2] = {1, 0}, float_zero[2] = {0, 0};
static const double double_one[2] = {1, 0}, double_zero[2] = {0, 0};

#define WITH_FLOAT(type, scale) \
  { type, scale, CUBLAS_COMPUTE_32F, float_one, float_zero }
#define WITH_DOUBLE(type) \
  { type, type, CUBLAS_COMPUTE_64F, double_one, double_zero }

static numbers_t numbers_of(berth_dtype_t dtype, bool is_tf32) {
  static const numbers_t half = WITH_FLOAT(CUDA_R_16F, CUDA_R_32F);
  static const numbers_t bfloat16 = WITH_FLOAT(CUDA_R_16BF, CUDA_R_32F);
  static const numbers_t complex64 = WITH_FLOAT(CUDA_C_32F, CUDA_C_32F);
  static const numbers_t complex128 = WITH_DOUBLE(CUDA_C_64F);
  static const numbers_t float64 = WITH_DOUBLE(CUDA_R_64F);
  numbers_t float32 = WITH_FLOAT(CUDA_R_32F, CUDA_R_32F);
  switch (dtype) {
    case BERTH_HALF:
      return half;
    case BERTH_BFLOAT16:
      return bfloat16;
    case BERTH_DOUBLE:
      return float64;
    case BERTH_COMPLEX64:
      return complex64;
    case BERTH_COMPLEX128:
      return complex128;
    default:
      if (is_tf32) float32.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
      return float32;
  }
}

// No fault points: what frees host memory does not fail.
static void objects_deinit(berth_blas_objects_t *objects) {
  const berth_cublaslt_api_t *api = &berth_cublaslt_api;
  if (objects->result != NULL)
    api->cublasLtMatrixLayoutDestroy(objects->result);
  if (objects->second != NULL)
    api->cublasLtMatrixLayoutDestroy(objects->second);
  if (objects->first != NULL) api->cublasLtMatrixLayoutDestroy(objects->first);
  if (objects->product != NULL)
    api->cublasLtMatmulDescDestroy(objects->product);
  *objects = (berth_blas_objects_t){0};
}

// What the arena of a plan calls.
static void objects_drop(void *objects) { objects_deinit(objects); }

// Describes matrices of |rows| by |cols| that lie by rows.
static berth_code_t make_layout(cudaDataType_t type, int64_t rows, int64_t cols,
                                int64_t batch, int64_t step,
                                cublasLtMatrixLayout_t *out_layout,
                                berth_error_t *err) {
  LT_TRY(err, cublasLtMatrixLayoutCreate, out_layout, type, (uint64_t)cols,
         (uint64_t)rows, cols);
  if (batch == 1) return BERTH_OK;
  int32_t count = (int32_t)batch;
  LT_TRY(err, cublasLtMatrixLayoutSetAttribute, *out_layout,
         CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count));
  LT_TRY(err, cublasLtMatrixLayoutSetAttribute, *out_layout,
         CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof(step));
  return BERTH_OK;
}

static int32_t operation(bool is_transposed, bool is_conj) {
  if (!is_transposed) return CUBLAS_OP_N;
  return is_conj ? CUBLAS_OP_C : CUBLAS_OP_T;
}

// On failure |objects| holds what was made so far.
static berth_code_t objects_init(berth_blas_objects_t *objects,
                                 const numbers_t *numbers,
                                 const berth_cuda_product_t *product,
                                 berth_error_t *err) {
  int64_t m = product->m, n = product->n, k = product->k;
  bool turn_a = product->transpose_a, turn_b = product->transpose_b;
  int32_t first = operation(turn_b, product->conj_b);
  int32_t second = operation(turn_a, product->conj_a);
  LT_TRY(err, cublasLtMatmulDescCreate, &objects->product, numbers->compute,
         numbers->scale);
  LT_TRY(err, cublasLtMatmulDescSetAttribute, objects->product,
         CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof(first));
  LT_TRY(err, cublasLtMatmulDescSetAttribute, objects->product,
         CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof(second));
  BERTH_TRY(make_layout(numbers->type, turn_b ? n : k, turn_b ? k : n,
                        product->batch, product->b_step, &objects->first, err));
  BERTH_TRY(make_layout(numbers->type, turn_a ? k : m, turn_a ? m : k,
                        product->batch, product->a_step, &objects->second,
                        err));
  return make_layout(numbers->type, m, n, product->batch, m * n,
                     &objects->result, err);
}

// ---- Choosing ----

// Returns the largest power of two, up to the best, that all of |count| steps
// of elements of |size| bytes are multiples of.
static uint32_t alignment_of(const int64_t *steps, int32_t count, size_t size) {
  uint32_t best = BEST_ALIGNMENT;
  for (int32_t i = 0; i < count; ++i) {
    while ((uint64_t)steps[i] * size % best != 0) best /= 2;
  }
  return best;
}

static void set_alignment(const berth_cuda_product_t *product,
                          berth_blas_plan_t *plan) {
  size_t size = berth_dtype_size(product->dtype);
  int64_t c_step =
      product->repeats == 1 ? 0 : product->batch * product->m * product->n;
  plan->align_a = alignment_of(product->a_steps, product->levels, size);
  plan->align_b = alignment_of(product->b_steps, product->levels, size);
  plan->align_c = alignment_of(&c_step, 1, size);
}

static berth_code_t set_preference(cublasLtMatmulPreference_t preference,
                                   const berth_blas_plan_t *plan,
                                   berth_error_t *err) {
  uint64_t room = plan->card->cc_major >= 9 ? WORKSPACE_NEW : WORKSPACE_OLD;
  const struct {
    cublasLtMatmulPreferenceAttributes_t attribute;
    uint32_t alignment;
  } sides[] = {{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, plan->align_b},
               {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, plan->align_a},
               {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, plan->align_c},
               {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, plan->align_c}};
  LT_TRY(err, cublasLtMatmulPreferenceSetAttribute, preference,
         CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof(room));
  for (int i = 0; i < BERTH_COUNT_OF(sides); ++i) {
    LT_TRY(err, cublasLtMatmulPreferenceSetAttribute, preference,
           sides[i].attribute, &sides[i].alignment, sizeof(uint32_t));
  }
  return BERTH_OK;
}

// Asks the library for its best algorithm.
static berth_code_t ask(cublasLtMatmulPreference_t preference,
                        berth_blas_plan_t *plan, berth_error_t *err) {
  const berth_blas_objects_t *objects = &plan->objects;
  cublasLtHandle_t handle = NULL;
  cublasLtMatmulHeuristicResult_t found = {0};
  int count = 0;
  BERTH_TRY(set_preference(preference, plan, err));
  BERTH_TRY(get_handle(plan->card, &handle, err));
  cublasStatus_t status =
      BERTH_LT(cublasLtMatmulAlgoGetHeuristic, handle, objects->product,
               objects->first, objects->second, objects->result,
               objects->result, preference, 1, &found, &count);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED ||
      status == CUBLAS_STATUS_INVALID_VALUE ||
      (status == CUBLAS_STATUS_SUCCESS &&
       (count == 0 || found.state != CUBLAS_STATUS_SUCCESS))) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "cuBLASLt has no algorithm for this product");
  }
  if (status != CUBLAS_STATUS_SUCCESS) {
    return berth_cublaslt_error(err, status, "cublasLtMatmulAlgoGetHeuristic");
  }
  plan->algorithm = found.algo;
  plan->workspace = found.workspaceSize;
  return BERTH_OK;
}

// Chooses an algorithm for what |plan| describes.
static berth_code_t choose(berth_blas_plan_t *plan, berth_error_t *err) {
  cublasLtMatmulPreference_t preference = NULL;
  LT_TRY(err, cublasLtMatmulPreferenceCreate, &preference);
  berth_code_t code = ask(preference, plan, err);
  berth_cublaslt_api.cublasLtMatmulPreferenceDestroy(preference);
  return code;
}

berth_code_t berth_blas_prepare(berth_prepare_t *prepare,
                                const berth_cuda_product_t *product,
                                berth_blas_plan_t *out_plan,
                                berth_error_t *err) {
  berth_blas_plan_t plan = {0};
  if (product->batch > INT32_MAX) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "cuBLASLt takes no batch as large as this");
  }
  BERTH_TRY(berth_cublaslt_open(err));
  BERTH_TRY(berth_device_start(prepare->device, err));
  plan.card = ((berth_cuda_device_t *)prepare->device)->card;
  BERTH_TRY(berth_cuda_bind(plan.card, err));

  plan.has_tf32 = berth_cuda_card_has_tf32(plan.card, product->dtype);
  plan.is_tf32 = plan.has_tf32 && berth_cuda_tf32();
  numbers_t numbers = numbers_of(product->dtype, plan.is_tf32);
  set_alignment(product, &plan);
  berth_code_t code = objects_init(&plan.objects, &numbers, product, err);
  if (code == BERTH_OK) code = choose(&plan, err);
  // What the library's kernels take they take when they first run.
  if (code == BERTH_OK) {
    code = berth_cuda_expect(plan.card, BERTH_COST_PLAN, err);
  }
  if (code != BERTH_OK) {
    objects_deinit(&plan.objects);
    return code;
  }
  *out_plan = plan;
  if (berth_prepare_own(prepare, &out_plan->objects, objects_drop)) {
    return BERTH_OK;
  }
  return berth_error_no_memory(err, "the plan of a product");
}

size_t berth_blas_scratch(const berth_blas_plan_t *plan) {
  return plan->workspace == 0 ? 0 : plan->workspace + WORKSPACE_ALIGNMENT;
}

bool berth_blas_is_aligned(const berth_blas_plan_t *plan, void *const *args) {
  return (uintptr_t)args[0] % plan->align_a == 0 &&
         (uintptr_t)args[1] % plan->align_b == 0 &&
         (uintptr_t)args[2] % plan->align_c == 0;
}

// ---- Running ----

static void *workspace_in(const berth_blas_plan_t *plan, void *scratch) {
  if (plan->workspace == 0) return NULL;
  return (char *)scratch + (-(uintptr_t)scratch & (WORKSPACE_ALIGNMENT - 1));
}

static berth_code_t queue(const berth_blas_plan_t *plan,
                          const berth_cuda_product_t *product,
                          const numbers_t *numbers,
                          const berth_blas_objects_t *objects,
                          const cublasLtMatmulAlgo_t *algorithm,
                          void *const *args, berth_call_t *call) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)call->stream;
  cublasLtHandle_t handle = NULL;
  BERTH_TRY(get_handle(plan->card, &handle, call->err));
  void *space = workspace_in(plan, args[3]);
  for (int64_t i = 0; i < product->repeats; ++i) {
    berth_cuda_operands_t at = berth_cuda_product_operands(product, args, i);
    LT_TRY(call->err, cublasLtMatmul, handle, objects->product, numbers->one,
           at.b, objects->first, at.a, objects->second, numbers->zero, at.c,
           objects->result, at.c, objects->result, algorithm, space,
           plan->workspace, stream->native);
    berth_cuda_stream_queued(stream);
  }
  return BERTH_OK;
}

// Where TF32 was turned on or off since it was planned: the product is
// described again, for this call, and the library chooses.
static BERTH_NOINLINE berth_code_t run_otherwise(
    const berth_blas_plan_t *plan, const berth_cuda_product_t *product,
    const numbers_t *numbers, void *const *args, berth_call_t *call) {
  berth_blas_objects_t objects = {0};
  berth_code_t code = objects_init(&objects, numbers, product, call->err);
  if (code == BERTH_OK) {
    code = queue(plan, product, numbers, &objects, NULL, args, call);
  }
  objects_deinit(&objects);
  return code;
}

berth_code_t berth_blas_run(const berth_blas_plan_t *plan,
                            const berth_cuda_product_t *product,
                            void *const *args, berth_call_t *call) {
  bool is_tf32 = plan->has_tf32 && berth_cuda_tf32();
  numbers_t numbers = numbers_of(product->dtype, is_tf32);
  BERTH_TRY(
      berth_cuda_stream_enter((berth_cuda_stream_t *)call->stream, call->err));
  if (BERTH_UNLIKELY(is_tf32 != plan->is_tf32)) {
    return run_otherwise(plan, product, &numbers, args, call);
  }
  return queue(plan, product, &numbers, &plan->objects, &plan->algorithm, args,
               call);
}
