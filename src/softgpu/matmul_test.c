// matmul_test.c - Tests of cuBLASLt's product.
#include <sys/resource.h>

#include "softgpu/number.h"
#include "softgpu/softgpu_testing.h"

enum { MAX = 20 * 20 * 2 };

typedef struct problem {
  int m, n, k;
  bool across_a, across_b;
  bool rows_a, rows_b, rows_d;  // Stored by rows; by columns otherwise.
  cudaDataType_t in, out;
  cublasComputeType_t compute;
  double alpha, beta;
  cublasLtEpilogue_t epilogue;
  int batches;
} problem_t;

static size_t size_of(cudaDataType_t type) {
  return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

static double get(const void *data, cudaDataType_t type, int i) {
  if (type == CUDA_R_64F) return ((const double *)data)[i];
  if (type == CUDA_R_32F) return ((const float *)data)[i];
  uint16_t half = ((const uint16_t *)data)[i];
  return type == CUDA_R_16F ? berth_soft_from_half(half)
                            : berth_soft_from_bf16(half);
}

static void put(void *data, cudaDataType_t type, int i, double value) {
  if (type == CUDA_R_64F) {
    ((double *)data)[i] = value;
  } else if (type == CUDA_R_32F) {
    ((float *)data)[i] = (float)value;
  } else {
    ((uint16_t *)data)[i] = type == CUDA_R_16F
                                ? berth_soft_to_half((float)value)
                                : berth_soft_to_bf16((float)value);
  }
}

// One matrix as it is stored, with a gap after each row or column.
typedef struct stored {
  int rows, cols, ld, size;
  bool by_rows;
  cudaDataType_t type;
  CUdeviceptr data;
  cublasLtMatrixLayout_t layout;
} stored_t;

static int at(const stored_t *m, int batch, int i, int j) {
  return batch * m->size + (m->by_rows ? i * m->ld + j : j * m->ld + i);
}

static stored_t store(int rows, int cols, bool by_rows, cudaDataType_t type,
                      int batches) {
  stored_t m = {.rows = rows, .cols = cols, .by_rows = by_rows, .type = type};
  m.ld = (by_rows ? cols : rows) + 1;
  m.size = m.ld * (by_rows ? rows : cols);
  int64_t stride = m.size;
  cublasLtOrder_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
  CU(cuMemAlloc_v2(&m.data, (size_t)(m.size * batches) * size_of(type) + 8));
  EXPECT_EQ(cublasLtMatrixLayoutCreate(&m.layout, type, (uint64_t)rows,
                                       (uint64_t)cols, m.ld),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(
                m.layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof(order)),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(m.layout,
                                             CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                             &batches, sizeof(batches)),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(
                m.layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                sizeof(stride)),
            CUBLAS_STATUS_SUCCESS);
  // Small whole numbers and halves: exact in every type, sums included.
  void *host = (void *)(uintptr_t)m.data;
  for (int i = 0; i < m.size * batches; ++i) {
    put(host, type, i, (double)((i * 7 + rows * 3) % 9 - 4) / 2);
  }
  return m;
}

static void drop(stored_t *m) {
  CU(cuMemFree_v2(m->data));
  cublasLtMatrixLayoutDestroy(m->layout);
}

static double element(const stored_t *m, int batch, int i, int j) {
  return get((const void *)(uintptr_t)m->data, m->type, at(m, batch, i, j));
}

static double expected(const problem_t *p, const stored_t *a, const stored_t *b,
                       double before, const stored_t *bias, int batch, int i,
                       int j) {
  double sum = 0;
  for (int l = 0; l < p->k; ++l) {
    sum += (p->across_a ? element(a, batch, l, i) : element(a, batch, i, l)) *
           (p->across_b ? element(b, batch, j, l) : element(b, batch, l, j));
  }
  sum = p->alpha * sum + p->beta * before;
  if ((p->epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) {
    sum += element(bias, 0, i, 0);
  }
  bool is_cut = (p->epilogue & CUBLASLT_EPILOGUE_RELU) != 0 && sum < 0;
  return is_cut ? 0 : sum;
}

static cublasLtMatmulDesc_t describe(const problem_t *p, CUdeviceptr bias) {
  cublasLtMatmulDesc_t desc = NULL;
  cudaDataType_t scale = p->in == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F;
  int32_t across[] = {p->across_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                      p->across_b ? CUBLAS_OP_T : CUBLAS_OP_N};
  EXPECT_EQ(cublasLtMatmulDescCreate(&desc, p->compute, scale), 0);
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA,
                                           &across[0], 4),
            0);
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB,
                                           &across[1], 4),
            0);
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                           &p->epilogue, 4),
            0);
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(
                desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, 8),
            0);
  return desc;
}

static cublasStatus_t multiply(const problem_t *p, cublasLtMatmulDesc_t desc,
                               const stored_t *a, const stored_t *b,
                               const stored_t *d) {
  float alpha = (float)p->alpha, beta = (float)p->beta;
  bool is_double = p->in == CUDA_R_64F;
  cublasLtHandle_t handle = NULL;
  EXPECT_EQ(cublasLtCreate(&handle), 0);
  cublasStatus_t status = cublasLtMatmul(
      handle, desc, is_double ? (const void *)&p->alpha : &alpha,
      (void *)(uintptr_t)a->data, a->layout, (void *)(uintptr_t)b->data,
      b->layout, is_double ? (const void *)&p->beta : &beta,
      (void *)(uintptr_t)d->data, d->layout, (void *)(uintptr_t)d->data,
      d->layout, NULL, NULL, 0, NULL);
  cublasLtDestroy(handle);
  return status;
}

static void compare(const problem_t *p, const stored_t *a, const stored_t *b,
                    const stored_t *d, const stored_t *bias,
                    const double *before) {
  for (int i = 0; i < p->m * p->n * p->batches; ++i) {
    int batch = i / (p->m * p->n), row = i / p->n % p->m, col = i % p->n;
    double want = expected(p, a, b, before[i], bias, batch, row, col);
    double found = element(d, batch, row, col);
    if (found != want) {
      HARNESS_FAIL("%dx%dx%d %d%d %d%d%d types %d %d: [%d,%d,%d] %g not %g",
                   p->m, p->n, p->k, p->across_a, p->across_b, p->rows_a,
                   p->rows_b, p->rows_d, (int)p->in, (int)p->out, batch, row,
                   col, found, want);
      return;
    }
  }
}

static void try_problem(const problem_t *p) {
  double before[MAX];
  stored_t a = store(p->across_a ? p->k : p->m, p->across_a ? p->m : p->k,
                     p->rows_a, p->in, p->batches);
  stored_t b = store(p->across_b ? p->n : p->k, p->across_b ? p->k : p->n,
                     p->rows_b, p->in, p->batches);
  stored_t d = store(p->m, p->n, p->rows_d, p->out, p->batches);
  stored_t bias = store(p->m, 1, false, p->out, 1);
  for (int i = 0; i < p->m * p->n * p->batches; ++i) {
    before[i] = element(&d, i / (p->m * p->n), i / p->n % p->m, i % p->n);
  }
  cublasLtMatmulDesc_t desc = describe(p, bias.data);
  EXPECT_EQ(multiply(p, desc, &a, &b, &d), CUBLAS_STATUS_SUCCESS);
  CU(cuCtxSynchronize());
  compare(p, &a, &b, &d, &bias, before);
  cublasLtMatmulDescDestroy(desc);
  drop(&a), drop(&b), drop(&d), drop(&bias);
}

static const problem_t plain = {.m = 5,
                                .n = 7,
                                .k = 3,
                                .in = CUDA_R_32F,
                                .out = CUDA_R_32F,
                                .compute = CUBLAS_COMPUTE_32F,
                                .alpha = 1,
                                .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                                .batches = 1};

// Every way to store and turn three matrices.
static void try_all_ways(problem_t p) {
  for (int way = 0; way < 32; ++way) {
    p.across_a = way & 1;
    p.across_b = way & 2;
    p.rows_a = way & 4;
    p.rows_b = way & 8;
    p.rows_d = way & 16;
    try_problem(&p);
  }
}

static void try_all_types(void) {
  static const struct {
    cudaDataType_t in, out;
    cublasComputeType_t compute;
  } types[] = {
      {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
      {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
      {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F},
      {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F},
      {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F},
      {CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F},
  };
  for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
    problem_t p = plain;
    p.in = types[i].in;
    p.out = types[i].out;
    p.compute = types[i].compute;
    try_all_ways(p);
  }
}

TEST(matmul, multiplies_every_type_in_every_order) {
  ASSERT_TRUE(testing_open("T4") != NULL);
  try_all_types();
}

TEST(matmul, does_so_on_any_processor) {
  setenv("BERTH_CPU_ISA", "baseline", 1);
  ASSERT_TRUE(testing_open("T4") != NULL);
  try_all_types();
}

TEST(matmul, scales_adds_and_cuts) {
  static const cublasLtEpilogue_t ends[] = {
      CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU,
      CUBLASLT_EPILOGUE_RELU_BIAS};
  ASSERT_TRUE(testing_open("T4") != NULL);
  for (int i = 0; i < 4; ++i) {
    problem_t p = plain;
    p.epilogue = ends[i];
    try_all_ways(p);
    p.alpha = 2;
    p.beta = -1;
    try_all_ways(p);
    p.in = p.out = CUDA_R_64F;
    p.compute = CUBLAS_COMPUTE_64F;
    try_problem(&p);
  }
}

TEST(matmul, multiplies_batches) {
  problem_t p = plain;
  ASSERT_TRUE(testing_open("T4") != NULL);
  p.batches = 2;
  try_all_ways(p);
}

TEST(matmul, multiplies_nothing) {
  problem_t p = plain;
  ASSERT_TRUE(testing_open("T4") != NULL);
  p.k = 0;
  p.epilogue = CUBLASLT_EPILOGUE_BIAS;
  p.rows_a = p.rows_b = true;
  try_problem(&p);
}

// Wide enough to be spread over threads.
TEST(matmul, multiplies_large_matrices) {
  enum { N = 400 };
  CUdeviceptr a = 0, d = 0;
  problem_t p = plain;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CU(cuMemAlloc_v2(&a, N * N * 4));
  CU(cuMemAlloc_v2(&d, N * N * 4));
  float *from = (float *)(uintptr_t)a, *to = (float *)(uintptr_t)d;
  for (int i = 0; i < N * N; ++i) from[i] = (float)(i % 5);
  stored_t m = {.data = a}, out = {.data = d};
  EXPECT_EQ(cublasLtMatrixLayoutCreate(&m.layout, CUDA_R_32F, N, N, N), 0);
  EXPECT_EQ(cublasLtMatrixLayoutCreate(&out.layout, CUDA_R_32F, N, N, N), 0);
  cublasLtMatmulDesc_t desc = describe(&p, 0);
  EXPECT_EQ(multiply(&p, desc, &m, &m, &out), CUBLAS_STATUS_SUCCESS);
  CU(cuCtxSynchronize());
  // Rows repeat every 5 elements, and 400 is a multiple of 5.
  for (int j = 0; j < N; j += 57) {
    for (int i = 0; i < N; i += 31) {
      double sum = 0;
      for (int l = 0; l < N; ++l) sum += from[l * N + i] * from[j * N + l];
      EXPECT_EQ(to[j * N + i], sum);
    }
  }
  cublasLtMatrixLayoutDestroy(m.layout);
  cublasLtMatrixLayoutDestroy(out.layout);
  cublasLtMatmulDescDestroy(desc);
}

TEST(matmul, loses_what_tensor_cores_do_not_see) {
  problem_t p = plain;
  p.m = p.n = p.k = 1;
  p.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  ASSERT_TRUE(testing_open("T4") != NULL);
  stored_t a = store(1, 1, false, CUDA_R_32F, 1);
  stored_t d = store(1, 1, false, CUDA_R_32F, 1);
  float *from = (float *)(uintptr_t)a.data, *to = (float *)(uintptr_t)d.data;
  *from = 1 + 0x1p-12f;
  cublasLtMatmulDesc_t desc = describe(&p, 0);
  EXPECT_EQ(multiply(&p, desc, &a, &a, &d), 0);
  CU(cuCtxSynchronize());
  EXPECT_EQ(*to, 1);
  cublasLtMatmulDescDestroy(desc);
  p.compute = CUBLAS_COMPUTE_32F;
  desc = describe(&p, 0);
  EXPECT_EQ(multiply(&p, desc, &a, &a, &d), 0);
  CU(cuCtxSynchronize());
  EXPECT_NEAR(*to, 1 + 0x1p-11, 0x1p-22);
  cublasLtMatmulDescDestroy(desc);
  cublasLtMatrixLayoutDestroy(a.layout);
  cublasLtMatrixLayoutDestroy(d.layout);
}

TEST(matmul, refuses_what_does_not_fit) {
  problem_t p = plain;
  ASSERT_TRUE(testing_open("T4") != NULL);
  stored_t a = store(5, 3, false, CUDA_R_32F, 1);
  stored_t b = store(4, 7, false, CUDA_R_32F, 1);
  stored_t half = store(3, 7, false, CUDA_R_16F, 1);
  stored_t d = store(5, 7, false, CUDA_R_32F, 1);
  cublasLtMatmulDesc_t desc = describe(&p, 0);
  int32_t value = 0;
  EXPECT_EQ(multiply(&p, desc, &a, &b, &d), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(&p, desc, &a, &half, &d), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(
                desc, (cublasLtMatmulDescAttributes_t)999, &value, 4),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA,
                                           &value, 2),
            CUBLAS_STATUS_INVALID_VALUE);
  cublasLtMatmulDescDestroy(desc);
  drop(&a), drop(&b), drop(&half), drop(&d);
}

TEST(matmul, chooses_an_algorithm) {
  cublasLtHandle_t handle = NULL;
  cublasLtMatmulPreference_t preference = NULL;
  cublasLtMatmulHeuristicResult_t result[2];
  cublasLtMatrixLayout_t layout = NULL;
  int count = 0;
  uint64_t room = 32 << 20;
  problem_t p = plain;
  cublasLtMatmulDesc_t desc = describe(&p, 0);
  EXPECT_EQ(cublasLtCreate(&handle), 0);
  EXPECT_EQ(cublasLtMatmulPreferenceCreate(&preference), 0);
  EXPECT_EQ(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 512, 512, 512), 0);
  EXPECT_EQ(
      cublasLtMatmulAlgoGetHeuristic(handle, desc, layout, layout, layout,
                                     layout, preference, 2, result, &count),
      0);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(result[0].workspaceSize, 0);
  EXPECT_EQ(cublasLtMatmulPreferenceSetAttribute(
                preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room,
                sizeof(room)),
            0);
  EXPECT_EQ(
      cublasLtMatmulAlgoGetHeuristic(handle, desc, layout, layout, layout,
                                     layout, preference, 2, result, &count),
      0);
  EXPECT_EQ(result[0].workspaceSize, 1 << 20);
  cublasLtMatrixLayoutDestroy(layout);
  cublasLtMatmulPreferenceDestroy(preference);
  cublasLtMatmulDescDestroy(desc);
  cublasLtDestroy(handle);
}

TEST(matmul, fails_the_card_when_led_astray) {
  problem_t p = plain;
  ASSERT_TRUE(testing_open("T4") != NULL);
  stored_t a = store(5, 3, false, CUDA_R_32F, 1);
  stored_t b = store(3, 7, false, CUDA_R_32F, 1);
  stored_t d = store(5, 7, false, CUDA_R_32F, 1);
  cublasLtMatmulDesc_t desc = describe(&p, 0);
  CUdeviceptr right = d.data;
  d.data = 4096;
  EXPECT_EQ(multiply(&p, desc, &a, &b, &d), CUBLAS_STATUS_SUCCESS);
  EXPECT_CU(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  d.data = right;
  cublasLtMatmulDescDestroy(desc);
  cublasLtMatrixLayoutDestroy(a.layout);
  cublasLtMatrixLayoutDestroy(b.layout);
  cublasLtMatrixLayoutDestroy(d.layout);
}

// ---- Numbers ----

TEST(number, rounds_halves) {
  EXPECT_EQ(berth_soft_to_half(1.0f), 0x3c00);
  EXPECT_EQ(berth_soft_to_half(-2.0f), 0xc000);
  EXPECT_EQ(berth_soft_to_half(65504.0f), 0x7bff);
  EXPECT_EQ(berth_soft_to_half(65519.0f), 0x7bff);
  EXPECT_EQ(berth_soft_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(berth_soft_to_half(0x1p-24f), 0x0001);
  EXPECT_EQ(berth_soft_to_half(0x1p-25f), 0x0000);
  EXPECT_EQ(berth_soft_to_half(0x1.8p-24f), 0x0002);
  EXPECT_EQ(berth_soft_to_half(NAN) & 0x7e00, 0x7e00);
  EXPECT_EQ(berth_soft_to_half(1 + 0x1p-11f), 0x3c00);
  EXPECT_EQ(berth_soft_to_half(1 + 0x1.8p-10f), 0x3c02);
  for (unsigned i = 0; i < 0x10000; ++i) {
    bool is_nan = (i & 0x7fff) > 0x7c00;
    uint16_t again = berth_soft_to_half(berth_soft_from_half((uint16_t)i));
    if (!is_nan && again != i) HARNESS_FAIL("%x becomes %x", i, again);
  }
}

TEST(number, rounds_bfloats) {
  EXPECT_EQ(berth_soft_to_bf16(1.0f), 0x3f80);
  EXPECT_EQ(berth_soft_to_bf16(1 + 0x1p-8f), 0x3f80);
  EXPECT_EQ(berth_soft_to_bf16(1 + 0x1.8p-7f), 0x3f82);
  EXPECT_EQ(berth_soft_to_bf16(INFINITY), 0x7f80);
  EXPECT_TRUE((berth_soft_to_bf16(NAN) & 0x7fff) > 0x7f80);
}
