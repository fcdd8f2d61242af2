// matmul_launch_test.c - Kernels of products at any size of launch.
#include "harness.h"

#include "cuda/kernel_driver.h"
#include "cuda/ops/matmul_params.h"

enum { BATCH = 2, M = 70, N = 133, K = 19 };

// The inputs and the result of BATCH products, by |dtype|.
typedef struct products {
  berth_dtype_t dtype;
  berth_device_t *device;
  berth_tensor_t *a, *b;                     // On the host.
  berth_tensor_t *a_card, *b_card, *c_card;  // On the card.
} products_t;

static berth_code_t products_init(products_t *p, berth_dtype_t dtype,
                                  berth_error_t *err) {
  p->dtype = dtype;
  BERTH_TRY(driver_device(&p->device, err));
  p->a = driver_random(dtype, BERTH_SHAPE(BATCH, M, K), 0.5, 1.5);
  p->b = driver_random(dtype, BERTH_SHAPE(BATCH, N, K), 0.5, 1.5);
  BERTH_TRY(driver_move(p->device, p->a, &p->a_card, err));
  BERTH_TRY(driver_move(p->device, p->b, &p->b_card, err));
  return berth_tensor_make(p->device->allocator, dtype, 3,
                           (const int64_t[]){BATCH, M, N}, BATCH * M * N,
                           &p->c_card, err);
}

static void products_deinit(products_t *p) {
  berth_tensor_t *const all[] = {p->a, p->b, p->a_card, p->b_card, p->c_card};
  for (int i = 0; i < BERTH_COUNT_OF(all); ++i) berth_tensor_release(all[i]);
}

// Returns the real part of element |i|: A times the adjoint of B.
static double expected(const products_t *p, int64_t i) {
  int64_t col = i % N, row = i / N % M, batch = i / N / M;
  bool is_complex = p->dtype == BERTH_COMPLEX64 || p->dtype == BERTH_COMPLEX128;
  double sum = 0;
  for (int64_t d = 0; d < K; ++d) {
    for (int part = 0; part <= (is_complex ? 1 : 0); ++part) {
      sum += driver_get(p->a, (batch * M + row) * K + d, part) *
             driver_get(p->b, (batch * N + col) * K + d, part);
    }
  }
  return sum;
}

static void check_launch(products_t *p, const char *module, const char *what,
                         unsigned blocks, unsigned threads) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_call_t call = {.err = &err, .stream = driver_stream(p->device)};
  berth_matmul_params_t params = {.a = p->a_card->data,
                                  .b = p->b_card->data,
                                  .c = p->c_card->data,
                                  .m = M,
                                  .n = N,
                                  .k = K,
                                  .batch = BATCH,
                                  .a_row = K,
                                  .a_col = 1,
                                  .b_row = 1,
                                  .b_col = K,
                                  .a_batch = M * K,
                                  .b_batch = N * K,
                                  .conj_b = 1};
  berth_tensor_t *c = NULL;
  ASSERT_OK(berth_cuda_clear(&call, p->c_card->data, p->c_card->size), &err);
  int kernel = berth_cuda_kernel_for(module, what, p->dtype);
  ASSERT_OK(berth_cuda_launch_blocks(&call, kernel, blocks, threads, &params,
                                     sizeof(params)),
            &err);
  ASSERT_OK(driver_move(NULL, p->c_card, &c, &err), &err);
  double tolerance = p->dtype == BERTH_HALF ? 2e-3 : 1e-5;
  int wrong = 0;
  for (int64_t i = 0; i < c->count; ++i) {
    double want = expected(p, i);
    if (!(fabs(driver_get(c, i, 0) - want) <= tolerance * want)) ++wrong;
  }
  EXPECT_EQ(wrong, 0);
  berth_tensor_release(c);
}

static void check_launches(const char *module, const char *what) {
  static const berth_dtype_t types[] = {BERTH_HALF, BERTH_FLOAT,
                                        BERTH_COMPLEX128};
  static const unsigned sizes[][2] = {{1, 32},  {1, 1024}, {3, 96},
                                      {7, 256}, {40, 64},  {1000, 512}};
  berth_error_t err = BERTH_ERROR_INIT;
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    products_t products = {0};
    ASSERT_OK(products_init(&products, types[t], &err), &err);
    for (int i = 0; i < BERTH_COUNT_OF(sizes); ++i) {
      check_launch(&products, module, what, sizes[i][0], sizes[i][1]);
    }
    products_deinit(&products);
  }
}

TEST(matmul_launch, small) {
  check_launches("matmul_small", "berth_matmul_small");
}
TEST(matmul_launch, tiled) { check_launches("matmul", "berth_matmul"); }
