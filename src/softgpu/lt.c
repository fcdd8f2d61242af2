// lt.c - cuBLASLt's objects: descriptions that products are made of.
#include "softgpu/lt.h"

#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "softgpu/exports.h"

enum { LT_VERSION = 130100 };

// ---- Words ----

const char *cublasLtGetStatusName(cublasStatus_t status) {
  switch (status) {
#define X(name, number, text) \
  case name:                  \
    return #name;
    BERTH_CUBLAS_RESULTS(X)
#undef X
  }
  return "unrecognized status";
}

const char *cublasLtGetStatusString(cublasStatus_t status) {
  switch (status) {
#define X(name, number, text) \
  case name:                  \
    return text;
    BERTH_CUBLAS_RESULTS(X)
#undef X
  }
  return "unrecognized status";
}

size_t cublasLtGetVersion(void) { return LT_VERSION; }

// ---- Attributes ----

// Where an attribute is kept in its object.
typedef struct field {
  int attribute;
  size_t offset;
  size_t size;
} field_t;

#define FIELD(attribute, type, member) \
  { attribute, offsetof(type, member), sizeof(((type *)0)->member) }

static const field_t desc_fields[] = {
#define X(attribute, member) \
  FIELD(attribute, struct cublasLtMatmulDescOpaque, member),
    X(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, compute_type)
        X(CUBLASLT_MATMUL_DESC_SCALE_TYPE, scale_type)
            X(CUBLASLT_MATMUL_DESC_POINTER_MODE, pointer_mode)
                X(CUBLASLT_MATMUL_DESC_TRANSA, trans_a)
                    X(CUBLASLT_MATMUL_DESC_TRANSB, trans_b)
                        X(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue)
                            X(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias) X(
                                CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, bias_type)
#undef X
};

static const field_t layout_fields[] = {
#define X(attribute, member) \
  FIELD(attribute, struct cublasLtMatrixLayoutOpaque, member),
    X(CUBLASLT_MATRIX_LAYOUT_TYPE, type) X(CUBLASLT_MATRIX_LAYOUT_ORDER, order)
        X(CUBLASLT_MATRIX_LAYOUT_ROWS, rows) X(
            CUBLASLT_MATRIX_LAYOUT_COLS, cols) X(CUBLASLT_MATRIX_LAYOUT_LD, ld)
            X(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batch_count)
                X(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, batch_stride)
#undef X
};

static const field_t preference_fields[] = {
#define X(attribute, member) \
  FIELD(attribute, struct cublasLtMatmulPreferenceOpaque, member),
    X(CUBLASLT_MATMUL_PREF_SEARCH_MODE, search_mode)
        X(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, max_workspace_bytes)
            X(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reduction_mask) X(
                CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment[0])
                X(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment[1]) X(
                    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment[2])
                    X(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment[3])
#undef X
};

static cublasStatus_t set(void *object, const field_t *fields, int count,
                          int attribute, const void *value, size_t size) {
  for (int i = 0; object != NULL && value != NULL && i < count; ++i) {
    if (fields[i].attribute != attribute) continue;
    if (fields[i].size != size) break;
    memcpy((char *)object + fields[i].offset, value, size);
    return CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
    const void *value, size_t size) {
  return set(desc, desc_fields, BERTH_COUNT_OF(desc_fields), (int)attribute,
             value, size);
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(
    cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute,
    const void *value, size_t size) {
  return set(layout, layout_fields, BERTH_COUNT_OF(layout_fields),
             (int)attribute, value, size);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference,
    cublasLtMatmulPreferenceAttributes_t attribute, const void *value,
    size_t size) {
  return set(preference, preference_fields, BERTH_COUNT_OF(preference_fields),
             (int)attribute, value, size);
}

// ---- Life ----

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  if (handle == NULL) return CUBLAS_STATUS_INVALID_VALUE;
  cublasLtHandle_t made = berth_calloc(1, sizeof(*made));
  if (made == NULL) return CUBLAS_STATUS_ALLOC_FAILED;
  *handle = made;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  berth_free(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc,
                                        cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  if (desc == NULL) return CUBLAS_STATUS_INVALID_VALUE;
  cublasLtMatmulDesc_t made = berth_alloc(sizeof(*made));
  if (made == NULL) return CUBLAS_STATUS_ALLOC_FAILED;
  *made = (struct cublasLtMatmulDescOpaque){
      .compute_type = (int32_t)compute,
      .scale_type = (int32_t)scale,
      .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
      .bias_type = -1,
  };
  *desc = made;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  berth_free(desc);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                          cudaDataType_t type, uint64_t rows,
                                          uint64_t cols, int64_t ld) {
  if (layout == NULL) return CUBLAS_STATUS_INVALID_VALUE;
  cublasLtMatrixLayout_t made = berth_alloc(sizeof(*made));
  if (made == NULL) return CUBLAS_STATUS_ALLOC_FAILED;
  *made = (struct cublasLtMatrixLayoutOpaque){.type = (uint32_t)type,
                                              .order = CUBLASLT_ORDER_COL,
                                              .rows = rows,
                                              .cols = cols,
                                              .ld = ld,
                                              .batch_count = 1};
  *layout = made;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  berth_free(layout);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(
    cublasLtMatmulPreference_t *preference) {
  if (preference == NULL) return CUBLAS_STATUS_INVALID_VALUE;
  cublasLtMatmulPreference_t made = berth_calloc(1, sizeof(*made));
  if (made == NULL) return CUBLAS_STATUS_ALLOC_FAILED;
  *preference = made;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(
    cublasLtMatmulPreference_t preference) {
  berth_free(preference);
  return CUBLAS_STATUS_SUCCESS;
}
