// gemm.c - A product of matrices as cuBLASLt describes it, on the host.
#include "softgpu/gemm.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/parallel.h"
#include "softgpu/number.h"
#include "softgpu/product.h"

// Rows that a thread multiplies at a time; fewer than WIDE_WORK multiplications
// are not worth a second thread.
enum { BAND_ROWS = 144, WIDE_WORK = 1 << 22 };

size_t berth_soft_type_size(cudaDataType_t type) {
  switch (type) {
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
      return 8;
    case CUDA_C_64F:
      return 16;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_8I:
      return 1;
  }
  return 0;
}

// ---- Elements ----

static double load(const void *data, cudaDataType_t type, int64_t index) {
  switch (type) {
    case CUDA_R_64F:
      return ((const double *)data)[index];
    case CUDA_R_16F:
      return berth_soft_from_half(((const uint16_t *)data)[index]);
    case CUDA_R_16BF:
      return berth_soft_from_bf16(((const uint16_t *)data)[index]);
    default:
      return ((const float *)data)[index];
  }
}

static void store(void *data, cudaDataType_t type, int64_t index,
                  double value) {
  switch (type) {
    case CUDA_R_64F:
      ((double *)data)[index] = value;
      break;
    case CUDA_R_16F:
      ((uint16_t *)data)[index] = berth_soft_to_half((float)value);
      break;
    case CUDA_R_16BF:
      ((uint16_t *)data)[index] = berth_soft_to_bf16((float)value);
      break;
    default:
      ((float *)data)[index] = (float)value;
      break;
  }
}

// ---- Matrices of floats ----

// A matrix of floats, borrowed or converted. One of its strides is 1.
typedef struct operand {
  const float *data;
  int64_t row_stride, col_stride;
  float *owned;  // NULL: borrowed.
} operand_t;

// Converts |matrix|, beginning at |data|, into rows.
static bool convert(const berth_soft_matrix_t *matrix, const void *data,
                    bool is_tf32, operand_t *out) {
  size_t count = (size_t)(matrix->rows * matrix->cols);
  float *to = berth_alloc((count > 0 ? count : 1) * sizeof(float));
  if (to == NULL) return false;
  *out = (operand_t){to, matrix->cols, 1, to};
  for (int64_t i = 0; i < matrix->rows; ++i) {
    for (int64_t j = 0; j < matrix->cols; ++j) {
      int64_t index = i * matrix->row_stride + j * matrix->col_stride;
      float value = (float)load(data, matrix->type, index);
      *to++ = is_tf32 ? berth_soft_to_tf32(value) : value;
    }
  }
  return true;
}

// Takes |matrix| as it is, where it is made of floats that count in full.
static bool take(const berth_soft_matrix_t *matrix, const void *data,
                 bool is_tf32, operand_t *out) {
  if (matrix->type != CUDA_R_32F || is_tf32) {
    return convert(matrix, data, is_tf32, out);
  }
  *out = (operand_t){data, matrix->row_stride, matrix->col_stride, NULL};
  return true;
}

// ---- Products of floats ----

// A product that is spread over threads.
typedef struct spread {
  const berth_soft_product_t *whole;
  atomic_bool is_short;  // Of memory.
} spread_t;

// Multiplies the bands [begin, end) of rows.
static void multiply_bands(void *arg, int64_t begin, int64_t end) {
  spread_t *spread = arg;
  const berth_soft_product_t *whole = spread->whole;
  int64_t first = begin * BAND_ROWS, last = end * BAND_ROWS;
  berth_soft_product_t part = *whole;
  part.m = (last < whole->m ? last : whole->m) - first;
  part.a += first * whole->a_row;
  part.c += first * whole->c_row;
  if (!berth_soft_product_run(&part)) atomic_store(&spread->is_short, true);
}

// The workers of a wide loop would put streams in an order among themselves,
// which the thread sanitizer must not believe in.
static bool multiply(const berth_soft_product_t *p) {
  int64_t bands = (p->m + BAND_ROWS - 1) / BAND_ROWS;
  int64_t least = WIDE_WORK / (p->k > 0 ? p->k : 1);
  if (bands <= 1 || p->m * p->n < least || BERTH_TSAN) {
    return berth_soft_product_run(p);
  }
  spread_t spread = {p, false};
  berth_parallel_for_all(bands, 1, multiply_bands, &spread);
  return !atomic_load(&spread.is_short);
}

// ---- Finishing ----

// Where the bare product lies.
typedef struct bare {
  const void *data;
  cudaDataType_t type;
  int64_t row_stride, col_stride;
} bare_t;

// Makes D of the bare product, which may lie in D itself.
static void finish(const berth_soft_gemm_t *gemm, const bare_t *bare,
                   const void *c, void *d) {
  const berth_soft_matrix_t *to = &gemm->d, *from = &gemm->c;
  for (int64_t i = 0; i < to->rows; ++i) {
    double bias = gemm->bias ? load(gemm->bias, gemm->bias_type, i) : 0;
    for (int64_t j = 0; j < to->cols; ++j) {
      double value = load(bare->data, bare->type,
                          i * bare->row_stride + j * bare->col_stride);
      value *= gemm->alpha;
      if (gemm->beta != 0) {
        value += gemm->beta * load(c, from->type,
                                   i * from->row_stride + j * from->col_stride);
      }
      value += bias;
      // As written, a NaN stays.
      if (gemm->has_relu && value < 0) value = 0;
      store(d, to->type, i * to->row_stride + j * to->col_stride, value);
    }
  }
}

static bool is_bare(const berth_soft_gemm_t *gemm) {
  return gemm->alpha == 1 && gemm->beta == 0 && gemm->bias == NULL &&
         !gemm->has_relu;
}

// ---- One matrix of a batch ----

typedef struct batch {
  const void *a, *b, *c;
  void *d;
} batch_t;

// Describes A·B; |k| is what the two have in common.
static berth_soft_product_t describe(const operand_t *a, const operand_t *b,
                                     const berth_soft_matrix_t *d, int64_t k,
                                     float *c) {
  return (berth_soft_product_t){
      .m = d->rows,
      .n = d->cols,
      .k = k,
      .a = a->data,
      .a_row = a->row_stride,
      .a_col = a->col_stride,
      .b = b->data,
      .b_row = b->row_stride,
      .b_col = b->col_stride,
      .c = c,
      .c_row = d->row_stride,
  };
}

// Turns |p| over, for a result that is stored by columns, |c_col| apart.
static berth_soft_product_t transposed(const berth_soft_product_t *p,
                                       int64_t c_col) {
  return (berth_soft_product_t){
      .m = p->n,
      .n = p->m,
      .k = p->k,
      .a = p->b,
      .a_row = p->b_col,
      .a_col = p->b_row,
      .b = p->a,
      .b_row = p->a_col,
      .b_col = p->a_row,
      .c = p->c,
      .c_row = c_col,
  };
}

static bool run_floats(const berth_soft_gemm_t *gemm, const batch_t *batch) {
  const berth_soft_matrix_t *d = &gemm->d;
  operand_t a = {0}, b = {0};
  float *scratch = NULL;
  bool is_done = false;
  if (!take(&gemm->a, batch->a, gemm->is_tf32, &a) ||
      !take(&gemm->b, batch->b, gemm->is_tf32, &b)) {
    goto done;
  }
  berth_soft_product_t p = describe(&a, &b, d, gemm->a.cols, batch->d);
  bare_t bare = {batch->d, CUDA_R_32F, d->row_stride, d->col_stride};
  bool is_direct = d->type == CUDA_R_32F && gemm->beta == 0;
  if (is_direct && d->col_stride != 1) {
    p = transposed(&p, d->col_stride);
  } else if (!is_direct) {
    size_t count = (size_t)(d->rows * d->cols);
    scratch = berth_alloc((count > 0 ? count : 1) * sizeof(float));
    if (scratch == NULL) goto done;
    p.c = scratch;
    p.c_row = d->cols;
    bare = (bare_t){scratch, CUDA_R_32F, d->cols, 1};
  }
  if (!multiply(&p)) goto done;
  if (!is_direct || !is_bare(gemm)) finish(gemm, &bare, batch->c, batch->d);
  is_done = true;
done:
  berth_free(a.owned);
  berth_free(b.owned);
  berth_free(scratch);
  return is_done;
}

static bool run_doubles(const berth_soft_gemm_t *gemm, const batch_t *batch) {
  const berth_soft_matrix_t *a = &gemm->a, *b = &gemm->b, *d = &gemm->d;
  size_t count = (size_t)(d->rows * d->cols);
  double *sums = berth_calloc(count > 0 ? count : 1, sizeof(double));
  if (sums == NULL) return false;
  const double *left = batch->a, *right = batch->b;
  for (int64_t i = 0; i < d->rows; ++i) {
    double *row = sums + i * d->cols;
    for (int64_t l = 0; l < a->cols; ++l) {
      double factor = left[i * a->row_stride + l * a->col_stride];
      const double *from = right + l * b->row_stride;
      for (int64_t j = 0; j < d->cols; ++j) {
        row[j] += factor * from[j * b->col_stride];
      }
    }
  }
  bare_t bare = {sums, CUDA_R_64F, d->cols, 1};
  finish(gemm, &bare, batch->c, batch->d);
  berth_free(sums);
  return true;
}

static void *at_batch(const berth_soft_matrix_t *matrix, int64_t index) {
  if (matrix->data == NULL) return NULL;
  int64_t size = (int64_t)berth_soft_type_size(matrix->type);
  return (char *)matrix->data + index * matrix->batch_stride * size;
}

bool berth_soft_gemm_run(const berth_soft_gemm_t *gemm) {
  for (int64_t i = 0; i < gemm->batches; ++i) {
    batch_t batch = {at_batch(&gemm->a, i), at_batch(&gemm->b, i),
                     at_batch(&gemm->c, i), at_batch(&gemm->d, i)};
    bool is_done = gemm->a.type == CUDA_R_64F ? run_doubles(gemm, &batch)
                                              : run_floats(gemm, &batch);
    if (!is_done) return false;
  }
  return true;
}
