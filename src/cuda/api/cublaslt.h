// cublaslt.h - What Berth uses of cuBLASLt's interface, declared anew.
//
// cuBLASLt multiplies matrices as described by small objects: a product, four
// layouts, a preference. It never allocates on the card by itself; workspace is
// the caller's. As in driver.h, names, numbers and layouts are the library's
// binary interface.
#ifndef BERTH_CUDA_API_CUBLASLT_H_
#define BERTH_CUDA_API_CUBLASLT_H_

#include <stddef.h>
#include <stdint.h>

#include "cuda/api/driver.h"

// BERTH_CUBLAS_RESULTS(X): X(name, number, text of cublasLtGetStatusString()).
#define BERTH_CUBLAS_RESULTS(X)                                              \
  X(CUBLAS_STATUS_SUCCESS, 0, "success")                                     \
  X(CUBLAS_STATUS_NOT_INITIALIZED, 1, "the library was not initialized")     \
  X(CUBLAS_STATUS_ALLOC_FAILED, 3, "the resource allocation failed")         \
  X(CUBLAS_STATUS_INVALID_VALUE, 7,                                          \
    "an unsupported value or parameter was passed to the function")          \
  X(CUBLAS_STATUS_ARCH_MISMATCH, 8,                                          \
    "the function requires an architectural feature absent from the device") \
  X(CUBLAS_STATUS_MAPPING_ERROR, 11, "an access to GPU memory space failed") \
  X(CUBLAS_STATUS_EXECUTION_FAILED, 13,                                      \
    "the function failed to launch on the GPU")                              \
  X(CUBLAS_STATUS_INTERNAL_ERROR, 14, "an internal operation failed")        \
  X(CUBLAS_STATUS_NOT_SUPPORTED, 15,                                         \
    "the requested functionality is not supported")                          \
  X(CUBLAS_STATUS_LICENSE_ERROR, 16, "the license check failed")

typedef enum cublasStatus_enum {
#define X(name, number, text) name = number,
  BERTH_CUBLAS_RESULTS(X)
#undef X
} cublasStatus_t;

typedef enum cudaDataType_enum {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_R_8I = 3,
  CUDA_C_32F = 4,
  CUDA_C_64F = 5,
  CUDA_R_32I = 10,
  CUDA_R_16BF = 14,
} cudaDataType_t;

typedef enum cublasComputeType_enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
} cublasComputeType_t;

typedef enum cublasOperation_enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
} cublasOperation_t;

typedef enum cublasLtOrder_enum {
  CUBLASLT_ORDER_COL = 0,
  CUBLASLT_ORDER_ROW = 1,
} cublasLtOrder_t;

typedef enum cublasLtPointerMode_enum {
  CUBLASLT_POINTER_MODE_HOST = 0,
} cublasLtPointerMode_t;

// The bias has as many elements as the result has rows.
typedef enum cublasLtEpilogue_enum {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_RELU_BIAS = 6,
} cublasLtEpilogue_t;

typedef enum cublasLtMatmulDescAttributes_enum {
  CUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0,     // int32_t.
  CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1,       // int32_t.
  CUBLASLT_MATMUL_DESC_POINTER_MODE = 2,     // int32_t.
  CUBLASLT_MATMUL_DESC_TRANSA = 3,           // int32_t.
  CUBLASLT_MATMUL_DESC_TRANSB = 4,           // int32_t.
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,         // uint32_t.
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,     // An address on the card.
  CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 26,  // int32_t; -1: as the result.
} cublasLtMatmulDescAttributes_t;

typedef enum cublasLtMatrixLayoutAttribute_enum {
  CUBLASLT_MATRIX_LAYOUT_TYPE = 0,                  // uint32_t.
  CUBLASLT_MATRIX_LAYOUT_ORDER = 1,                 // int32_t.
  CUBLASLT_MATRIX_LAYOUT_ROWS = 2,                  // uint64_t.
  CUBLASLT_MATRIX_LAYOUT_COLS = 3,                  // uint64_t.
  CUBLASLT_MATRIX_LAYOUT_LD = 4,                    // int64_t.
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,           // int32_t.
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6,  // int64_t, in elements.
} cublasLtMatrixLayoutAttribute_t;

typedef enum cublasLtMatmulPreferenceAttributes_enum {
  CUBLASLT_MATMUL_PREF_SEARCH_MODE = 0,            // uint32_t.
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,    // uint64_t.
  CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,  // uint32_t.
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,  // uint32_t.
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,  // uint32_t.
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,  // uint32_t.
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,  // uint32_t.
} cublasLtMatmulPreferenceAttributes_t;

typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct cublasLtMatmulDescOpaque *cublasLtMatmulDesc_t;
typedef struct cublasLtMatrixLayoutOpaque *cublasLtMatrixLayout_t;
typedef struct cublasLtMatmulPreferenceOpaque *cublasLtMatmulPreference_t;

typedef struct cublasLtMatmulAlgo_st {
  uint64_t data[8];
} cublasLtMatmulAlgo_t;

typedef struct cublasLtMatmulHeuristicResult_st {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
} cublasLtMatmulHeuristicResult_t;

#endif  // BERTH_CUDA_API_CUBLASLT_H_
