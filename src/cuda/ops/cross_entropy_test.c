// cross_entropy_test.c - Tests of both kinds of cross entropy on a GPU.
#include "harness.h"

#include "cuda/kernel_driver.h"

static driver_t loss_of(const char *op, berth_tensor_t *logits,
                        berth_tensor_t *labels) {
  driver_t driver = {.op = op};
  driver_type(&driver, "T", logits->dtype);
  if (labels->dtype != logits->dtype) {
    driver_type(&driver, "Tlabels", labels->dtype);
  }
  driver_input(&driver, logits);
  driver_input(&driver, labels);
  driver_output(&driver, logits->dtype);
  driver_output(&driver, logits->dtype);
  return driver;
}

// Labels are above every share: where both are close, few bits are left.
static void check_dense(berth_dtype_t dtype, berth_dims_t logits,
                        berth_dims_t labels, double tolerance) {
  driver_t driver = loss_of("SoftmaxCrossEntropyWithLogits",
                            driver_random(dtype, logits, -2, 2),
                            driver_random(dtype, labels, 1, 2));
  driver_check(&driver, tolerance);
}

static void check_sparse(berth_dtype_t dtype, berth_dtype_t label_type,
                         int64_t rows, int64_t columns, double tolerance) {
  berth_tensor_t *labels = NULL;
  ASSERT_OK(berth_tensor_create(label_type, BERTH_SHAPE(rows), &labels, NULL),
            NULL);
  for (int64_t i = 0; i < rows; ++i) {
    driver_set(labels, i, (double)(i * 7919 % columns));
  }
  driver_t driver =
      loss_of("SparseSoftmaxCrossEntropyWithLogits",
              driver_random(dtype, BERTH_SHAPE(rows, columns), -2, 2), labels);
  driver_check(&driver, tolerance);
}

TEST(cross_entropy, agrees_with_the_cpu) {
  // By threads, warps and blocks.
  check_dense(BERTH_FLOAT, BERTH_SHAPE(300, 7), BERTH_SHAPE(300, 7), 2e-6);
  check_dense(BERTH_FLOAT, BERTH_SHAPE(30, 1000), BERTH_SHAPE(30, 1000), 1e-5);
  check_dense(BERTH_FLOAT, BERTH_SHAPE(3, 9001), BERTH_SHAPE(3, 9001), 4e-5);
  check_dense(BERTH_DOUBLE, BERTH_SHAPE(5, 33), BERTH_SHAPE(5, 33), 4e-14);
  check_dense(BERTH_HALF, BERTH_SHAPE(30, 9), BERTH_SHAPE(30, 9), 8 * 0x1p-10);
  check_dense(BERTH_BFLOAT16, BERTH_SHAPE(9, 9), BERTH_SHAPE(9, 9), 8 * 0x1p-7);
}

TEST(cross_entropy, repeats_what_is_short) {
  check_dense(BERTH_FLOAT, BERTH_SHAPE(1, 7), BERTH_SHAPE(20, 7), 2e-6);
  check_dense(BERTH_FLOAT, BERTH_SHAPE(20, 7), BERTH_SHAPE(1, 7), 2e-6);
  check_dense(BERTH_FLOAT, BERTH_SHAPE(20, 70), BERTH_SHAPE(20, 1), 2e-5);
}

TEST(cross_entropy, of_classes_agrees_with_the_cpu) {
  check_sparse(BERTH_FLOAT, BERTH_INT32, 300, 10, 2e-6);
  check_sparse(BERTH_FLOAT, BERTH_INT64, 300, 10, 2e-6);
  check_sparse(BERTH_FLOAT, BERTH_INT64, 20, 1000, 4e-6);
  check_sparse(BERTH_FLOAT, BERTH_INT32, 3, 10000, 4e-6);
  check_sparse(BERTH_DOUBLE, BERTH_INT32, 9, 50, 4e-15);
  check_sparse(BERTH_HALF, BERTH_INT64, 9, 10, 8 * 0x1p-10);
  check_sparse(BERTH_BFLOAT16, BERTH_INT32, 9, 10, 8 * 0x1p-7);
}

// As in TensorFlow, where only the CPU looks at labels.
TEST(cross_entropy, of_no_class_is_nan) {
  driver_t driver = loss_of("SparseSoftmaxCrossEntropyWithLogits",
                            driver_floats(BERTH_SHAPE(3, 2), 0, 0, 0, 0, 0, 0),
                            driver_ints(BERTH_SHAPE(3), 2, 0, -1));
  EXPECT_STR(driver_result(&driver), "[3] nan 0.693147182 nan");
}
