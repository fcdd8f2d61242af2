// matrix_test.c - What products and biases mean: shapes, batches, errors.
#include "op/matrix.h"

#include "base/fault.h"
#include "base/str.h"
#include "harness.h"
#include "op/op_testing.h"

// Returns |product| as text: "2x3x4 ta cb | 5:1,0 4:0,1" is m by k by n, A
// transposed, B conjugated, and a batch of 5 by 4 with the steps of A and B.
static const char *show(const berth_product_t *product) {
  static char shown[512];
  berth_str_t str = {0};
  berth_str_printf(&str, "%lldx%lldx%lld", (long long)product->m,
                   (long long)product->k, (long long)product->n);
  if (product->transpose_a) berth_str_printf(&str, " ta");
  if (product->transpose_b) berth_str_printf(&str, " tb");
  if (product->conj_a) berth_str_printf(&str, " ca");
  if (product->conj_b) berth_str_printf(&str, " cb");
  berth_str_printf(&str, " |");
  for (int32_t i = 0; i < product->batch_rank; ++i) {
    berth_str_printf(&str, " %lld:%lld,%lld", (long long)product->batch_dims[i],
                     (long long)product->a_steps[i],
                     (long long)product->b_steps[i]);
  }
  snprintf(shown, sizeof(shown), "%s", berth_str_get(&str));
  berth_str_clear(&str);
  return shown;
}

static void given_two(op_case_t *given, const char *op, berth_dtype_t dtype,
                      berth_dims_t a, berth_dims_t b) {
  *given = (op_case_t){.op = op};
  op_case_input(given, dtype, a);
  op_case_input(given, dtype, b);
  op_case_output(given, dtype);
}

// ---- Products ----

TEST(matmul, describes_one_product) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_product_t product;
  given_two(&given, "MatMul", BERTH_FLOAT, BERTH_SHAPE(2, 3),
            BERTH_SHAPE(3, 4));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_matmul(op, &product, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,4]");
  EXPECT_STR(show(&product), "2x3x4 |");
  EXPECT_EQ(product.batch, 1);
  EXPECT_EQ(product.dtype, BERTH_FLOAT);
  EXPECT_EQ(op->alias, -1);
  EXPECT_EQ(op->may_overwrite, 0);
  op_case_deinit(&given);
}

TEST(matmul, transposes_and_never_conjugates) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_product_t product;
  given_two(&given, "MatMul", BERTH_COMPLEX64, BERTH_SHAPE(3, 2),
            BERTH_SHAPE(4, 3));
  op_case_bool(&given, "transpose_a", true);
  op_case_bool(&given, "transpose_b", true);
  ASSERT_OK(berth_op_matmul(op_case_make(&given), &product, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,4]");
  EXPECT_STR(show(&product), "2x3x4 ta tb |");
  EXPECT_EQ(berth_product_a_cols(&product), 2);
  EXPECT_EQ(berth_product_b_cols(&product), 3);
  op_case_deinit(&given);
}

TEST(matmul, refuses_what_does_not_fit) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_product_t product;
  given_two(&given, "MatMul", BERTH_FLOAT, BERTH_SHAPE(2, 3),
            BERTH_SHAPE(4, 3));
  EXPECT_FAILS(berth_op_matmul(op_case_make(&given), &product, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Matrix size-incompatible: In[0]: [2,3], In[1]: [4,3]");
  op_case_deinit(&given);
  given_two(&given, "MatMul", BERTH_FLOAT, BERTH_SHAPE(2, 3), BERTH_SHAPE(3));
  EXPECT_FAILS(berth_op_matmul(op_case_make(&given), &product, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "In[0] and In[1] has different ndims: [2,3] vs. [3]");
  op_case_deinit(&given);
  given_two(&given, "MatMul", BERTH_FLOAT, BERTH_SHAPE(3), BERTH_SHAPE(3));
  EXPECT_FAILS(berth_op_matmul(op_case_make(&given), &product, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "In[0] and In[1] ndims must be == 2: 1");
  op_case_deinit(&given);
}

TEST(batch_matmul, takes_batches_as_they_are) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_product_t product;
  given_two(&given, "BatchMatMul", BERTH_COMPLEX128, BERTH_SHAPE(5, 2, 3),
            BERTH_SHAPE(5, 4, 3));
  op_case_bool(&given, "adj_y", true);
  ASSERT_OK(berth_op_batch_matmul(op_case_make(&given), &product, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[5,2,4]");
  EXPECT_STR(show(&product), "2x3x4 tb cb | 5:1,1");
  op_case_deinit(&given);
  given_two(&given, "BatchMatMul", BERTH_FLOAT, BERTH_SHAPE(5, 2, 3),
            BERTH_SHAPE(1, 3, 4));
  EXPECT_FAILS(berth_op_batch_matmul(op_case_make(&given), &product, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "In[0].dim(0) and In[1].dim(0) must be the same: [5,2,3] vs "
               "[1,3,4]");
  op_case_deinit(&given);
}

TEST(batch_matmul_v2, repeats_what_is_broadcast) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_product_t product;
  given_two(&given, "BatchMatMulV2", BERTH_FLOAT, BERTH_SHAPE(5, 1, 7, 2, 3),
            BERTH_SHAPE(4, 7, 3, 6));
  ASSERT_OK(berth_op_batch_matmul_v2(op_case_make(&given), &product, &err),
            &err);
  EXPECT_STR(op_case_shape(&given, 0), "[5,4,7,2,6]");
  EXPECT_STR(show(&product), "2x3x6 | 5:7,0 4:0,7 7:1,1");
  EXPECT_EQ(product.batch, 140);
  op_case_deinit(&given);
  given_two(&given, "BatchMatMulV2", BERTH_FLOAT, BERTH_SHAPE(5, 2, 3),
            BERTH_SHAPE(4, 3, 6));
  EXPECT_FAILS(
      berth_op_batch_matmul_v2(op_case_make(&given), &product, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "In[0] and In[1] must have compatible batch dimensions: [5,2,3] vs. "
      "[4,3,6]");
  op_case_deinit(&given);
}

TEST(batch_matmul_v2, of_nothing_multiplies_no_sizes) {
  const int64_t huge = INT64_C(1) << 40;
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_product_t product;
  given_two(&given, "BatchMatMulV2", BERTH_FLOAT,
            BERTH_SHAPE(0, huge, huge, 2, 3), BERTH_SHAPE(3, 6));
  ASSERT_OK(berth_op_batch_matmul_v2(op_case_make(&given), &product, &err),
            &err);
  EXPECT_EQ(product.batch, 0);
  op_case_deinit(&given);
}

TEST(batch_matmul_v2, refuses_too_many_elements) {
  const int64_t huge = INT64_C(1) << 40;
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_product_t product;
  given_two(&given, "BatchMatMulV2", BERTH_FLOAT, BERTH_SHAPE(huge, 0),
            BERTH_SHAPE(0, huge));
  EXPECT_EQ(berth_op_batch_matmul_v2(op_case_make(&given), &product, &err),
            BERTH_INVALID_ARGUMENT);
  berth_error_clear(&err);
  op_case_deinit(&given);
}

TEST(batch_matmul_v2, says_when_memory_is_short) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_product_t product;
  given_two(&given, "BatchMatMulV2", BERTH_FLOAT, BERTH_SHAPE(5, 2, 3),
            BERTH_SHAPE(5, 3, 6));
  while (berth_arena_alloc(&given.arena, 8) != given.arena.end - 8) continue;
  berth_fault_arm("alloc", 1);
  EXPECT_EQ(berth_op_batch_matmul_v2(op_case_make(&given), &product, &err),
            BERTH_RESOURCE_EXHAUSTED);
  EXPECT_EQ(berth_fault_disarm(), 1);
  berth_error_clear(&err);
  op_case_deinit(&given);
}

// ---- Biases ----

TEST(bias_add, adds_along_the_last_dimension) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_bias_t bias;
  given_two(&given, "BiasAdd", BERTH_FLOAT, BERTH_SHAPE(8, 5, 3),
            BERTH_SHAPE(3));
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_bias_add(op, &bias, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[8,5,3]");
  EXPECT_EQ(bias.rank, 1);
  EXPECT_EQ(bias.dims[0], 3);
  EXPECT_EQ(op->alias, -1);
  op_case_deinit(&given);
}

TEST(bias_add, adds_along_dimension_1_with_channels_first) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_bias_t bias;
  given_two(&given, "BiasAdd", BERTH_FLOAT, BERTH_SHAPE(8, 3, 5, 6),
            BERTH_SHAPE(3));
  op_case_text(&given, "data_format", "NCHW");
  ASSERT_OK(berth_op_bias_add(op_case_make(&given), &bias, &err), &err);
  EXPECT_EQ(bias.rank, 3);
  EXPECT_EQ(bias.dims[0], 3);
  EXPECT_EQ(bias.dims[1], 1);
  EXPECT_EQ(bias.dims[2], 1);
  op_case_deinit(&given);
}

TEST(bias_add, refuses_what_does_not_fit) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_bias_t bias;
  given_two(&given, "BiasAdd", BERTH_FLOAT, BERTH_SHAPE(8), BERTH_SHAPE(8));
  EXPECT_FAILS(berth_op_bias_add(op_case_make(&given), &bias, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Input tensor must be at least 2D: [8]");
  op_case_deinit(&given);
  given_two(&given, "BiasAdd", BERTH_FLOAT, BERTH_SHAPE(8, 3),
            BERTH_SHAPE(3, 1));
  EXPECT_FAILS(berth_op_bias_add(op_case_make(&given), &bias, &err),
               BERTH_INVALID_ARGUMENT, &err, "Biases must be 1D: [3,1]");
  op_case_deinit(&given);
  given_two(&given, "BiasAdd", BERTH_FLOAT, BERTH_SHAPE(8, 3), BERTH_SHAPE(8));
  EXPECT_FAILS(berth_op_bias_add(op_case_make(&given), &bias, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Must provide as many biases as the last dimension of the input "
               "tensor: [8] vs. [8,3]");
  op_case_deinit(&given);
}
