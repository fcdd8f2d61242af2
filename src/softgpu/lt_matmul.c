// lt_matmul.c - cuBLASLt's product: checking it, and giving it to a stream.
#include <string.h>

#include "softgpu/exports.h"
#include "softgpu/gemm.h"
#include "softgpu/lt.h"
#include "softgpu/number.h"
#include "softgpu/space.h"
#include "softgpu/stream.h"

// Marks an algorithm as ours, and what a large product asks for, so that
// callers meet the case.
static const uint64_t ALGORITHM = 0x7467666f73;  // "softg".
static const uint64_t WORKSPACE_BYTES = 1 << 20;
static const double LARGE = 1 << 24;

#define LT_TRY(expr)                                            \
  do {                                                          \
    cublasStatus_t lt_status_ = (expr);                         \
    if (lt_status_ != CUBLAS_STATUS_SUCCESS) return lt_status_; \
  } while (0)

// ---- Describing ----

static cublasStatus_t describe(cublasLtMatrixLayout_t layout, bool is_across,
                               berth_soft_matrix_t *out) {
  if (layout == NULL) return CUBLAS_STATUS_INVALID_VALUE;
  bool by_rows = layout->order == CUBLASLT_ORDER_ROW;
  uint64_t shortest = by_rows ? layout->cols : layout->rows;
  if (layout->order != CUBLASLT_ORDER_COL && !by_rows) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (layout->ld < 1 || (uint64_t)layout->ld < shortest ||
      layout->rows > INT32_MAX || layout->cols > INT32_MAX) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  *out = (berth_soft_matrix_t){.type = (cudaDataType_t)layout->type,
                               .rows = (int64_t)layout->rows,
                               .cols = (int64_t)layout->cols,
                               .row_stride = by_rows ? layout->ld : 1,
                               .col_stride = by_rows ? 1 : layout->ld,
                               .batch_stride = layout->batch_stride};
  if (!is_across) return CUBLAS_STATUS_SUCCESS;
  berth_soft_matrix_t straight = *out;
  out->rows = straight.cols;
  out->cols = straight.rows;
  out->row_stride = straight.col_stride;
  out->col_stride = straight.row_stride;
  return CUBLAS_STATUS_SUCCESS;
}

static bool is_supported(const berth_soft_gemm_t *gemm, int32_t compute) {
  cudaDataType_t in = gemm->a.type, out = gemm->d.type;
  bool is_half = in == CUDA_R_16F || in == CUDA_R_16BF;
  if (gemm->b.type != in || gemm->c.type != out) return false;
  if (in == CUDA_R_64F) {
    return out == CUDA_R_64F && compute == CUBLAS_COMPUTE_64F;
  }
  if (compute == CUBLAS_COMPUTE_64F) return false;
  if (compute == CUBLAS_COMPUTE_16F) {
    return in == CUDA_R_16F && out == CUDA_R_16F;
  }
  return (in == CUDA_R_32F && out == CUDA_R_32F) ||
         (is_half && (out == in || out == CUDA_R_32F));
}

static cublasStatus_t describe_end(cublasLtMatmulDesc_t desc,
                                   berth_soft_gemm_t *gemm) {
  gemm->has_relu = (desc->epilogue & CUBLASLT_EPILOGUE_RELU) != 0;
  switch (desc->epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_RELU:
      return CUBLAS_STATUS_SUCCESS;
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
      gemm->bias = desc->bias;
      gemm->bias_type =
          desc->bias_type < 0 ? gemm->d.type : (cudaDataType_t)desc->bias_type;
      return CUBLAS_STATUS_SUCCESS;
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

static bool has_batches(cublasLtMatrixLayout_t layout, int32_t count) {
  return layout->batch_count == count;
}

// Fills |*out| but for addresses and factors.
static cublasStatus_t describe_all(cublasLtMatmulDesc_t desc,
                                   cublasLtMatrixLayout_t a,
                                   cublasLtMatrixLayout_t b,
                                   cublasLtMatrixLayout_t c,
                                   cublasLtMatrixLayout_t d,
                                   berth_soft_gemm_t *out) {
  if (desc == NULL) return CUBLAS_STATUS_INVALID_VALUE;
  memset(out, 0, sizeof(*out));
  LT_TRY(describe(a, desc->trans_a != CUBLAS_OP_N, &out->a));
  LT_TRY(describe(b, desc->trans_b != CUBLAS_OP_N, &out->b));
  LT_TRY(describe(c, false, &out->c));
  LT_TRY(describe(d, false, &out->d));
  LT_TRY(describe_end(desc, out));
  if (out->a.cols != out->b.rows || out->a.rows != out->d.rows ||
      out->b.cols != out->d.cols || out->c.rows != out->d.rows ||
      out->c.cols != out->d.cols || d->batch_count < 1 ||
      !has_batches(a, d->batch_count) || !has_batches(b, d->batch_count) ||
      !has_batches(c, d->batch_count)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  out->batches = d->batch_count;
  out->is_tf32 = desc->compute_type == CUBLAS_COMPUTE_32F_FAST_TF32 &&
                 out->a.type == CUDA_R_32F;
  return is_supported(out, desc->compute_type) &&
                 desc->pointer_mode == CUBLASLT_POINTER_MODE_HOST
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_NOT_SUPPORTED;
}

// ---- Choosing ----

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int wanted,
    cublasLtMatmulHeuristicResult_t *results, int *count) {
  berth_soft_gemm_t gemm;
  if (handle == NULL || preference == NULL || wanted < 1 || results == NULL ||
      count == NULL) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  *count = 0;
  LT_TRY(describe_all(desc, a, b, c, d, &gemm));
  double work = (double)gemm.d.rows * (double)gemm.d.cols * (double)gemm.a.cols;
  bool takes_room =
      work >= LARGE && preference->max_workspace_bytes >= WORKSPACE_BYTES;
  uint64_t bytes = takes_room ? WORKSPACE_BYTES : 0;
  results[0] = (cublasLtMatmulHeuristicResult_t){
      .algo = {{ALGORITHM, bytes}},
      .workspaceSize = bytes,
      .state = CUBLAS_STATUS_SUCCESS,
      .wavesCount = 1,
  };
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}

// ---- Doing ----

static void run_gemm(CUstream stream, const void *payload) {
  (void)stream;
  if (!berth_soft_gemm_run(payload)) berth_soft_trap(CUDA_ERROR_LAUNCH_FAILED);
}

static const berth_soft_work_kind_t gemm_kind = {"matmul", run_gemm, NULL,
                                                 false};
static const berth_soft_work_kind_t stray_kind = {
    "matmul", berth_soft_run_stray, NULL, false};

static double factor(const void *value, int32_t type) {
  uint16_t half = 0;
  float single = 0;
  double whole = 0;
  if (type == CUDA_R_64F) {
    memcpy(&whole, value, sizeof(whole));
    return whole;
  }
  if (type == CUDA_R_16F) {
    memcpy(&half, value, sizeof(half));
    return berth_soft_from_half(half);
  }
  memcpy(&single, value, sizeof(single));
  return single;
}

// True when all of |matrix| is memory that a card can use.
static bool is_reachable(const berth_soft_matrix_t *matrix, int64_t batches) {
  if (matrix->rows == 0 || matrix->cols == 0) return true;
  int64_t last = (matrix->rows - 1) * matrix->row_stride +
                 (matrix->cols - 1) * matrix->col_stride +
                 (batches - 1) * matrix->batch_stride;
  return last >= 0 &&
         berth_soft_space_covers(
             (uintptr_t)matrix->data,
             (uint64_t)(last + 1) * berth_soft_type_size(matrix->type),
             BERTH_SOFT_ANY);
}

static bool is_in_reach(const berth_soft_gemm_t *gemm) {
  return is_reachable(&gemm->a, gemm->batches) &&
         is_reachable(&gemm->b, gemm->batches) &&
         is_reachable(&gemm->d, gemm->batches) &&
         (gemm->beta == 0 || is_reachable(&gemm->c, gemm->batches));
}

static bool is_algorithm(const cublasLtMatmulAlgo_t *algo, const void *room,
                         size_t room_size) {
  if (algo == NULL) return true;
  return algo->data[0] == ALGORITHM && algo->data[1] <= room_size &&
         (algo->data[1] == 0 || room != NULL);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle,
                              cublasLtMatmulDesc_t desc, const void *alpha,
                              const void *a, cublasLtMatrixLayout_t a_layout,
                              const void *b, cublasLtMatrixLayout_t b_layout,
                              const void *beta, const void *c,
                              cublasLtMatrixLayout_t c_layout, void *d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t workspace_size, CUstream stream) {
  berth_soft_gemm_t gemm;
  CUstream found = NULL;
  if (handle == NULL || alpha == NULL || beta == NULL || a == NULL ||
      b == NULL || d == NULL ||
      !is_algorithm(algo, workspace, workspace_size)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  LT_TRY(describe_all(desc, a_layout, b_layout, c_layout, d_layout, &gemm));
  if (berth_soft_stream_find(stream, &found) != CUDA_SUCCESS) {
    return CUBLAS_STATUS_NOT_INITIALIZED;
  }
  gemm.alpha = factor(alpha, desc->scale_type);
  gemm.beta = factor(beta, desc->scale_type);
  memcpy(&gemm.a.data, &a, sizeof(a));
  memcpy(&gemm.b.data, &b, sizeof(b));
  memcpy(&gemm.c.data, &c, sizeof(c));
  gemm.d.data = d;
  const berth_soft_work_kind_t *kind =
      is_in_reach(&gemm) ? &gemm_kind : &stray_kind;
  return berth_soft_submit(found, kind, &gemm, sizeof(gemm)) == CUDA_SUCCESS
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_EXECUTION_FAILED;
}
