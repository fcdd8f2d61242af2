// tile_test.c - Tile, Fill, BroadcastTo, Transpose and the shapes of tensors.
#include "cpu/kernels.h"
#include "harness.h"

#include "cpu/kernel_driver.h"

// Calls |op| on |tensor| and |argument|, both taken over.
static berth_code_t call(driver_t *driver, const char *op,
                         berth_tensor_t *tensor, berth_tensor_t *argument,
                         berth_error_t *err) {
  driver->op = op;
  driver_type(driver, "T", tensor->dtype);
  driver_type(driver, "Tmultiples", argument->dtype);
  driver_type(driver, "Tidx", argument->dtype);
  driver_type(driver, "Tperm", argument->dtype);
  driver_input(driver, tensor);
  driver_input(driver, argument);
  driver_output(driver, tensor->dtype);
  return driver_call(driver, err);
}

static void expect(const char *op, berth_dims_t dims, berth_tensor_t *argument,
                   const char *expected) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(call(&driver, op, driver_count_up(dims), argument, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), expected);
  driver_deinit(&driver);
}

static void expect_error(const char *op, berth_dims_t dims,
                         berth_tensor_t *argument, const char *message) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(call(&driver, op, driver_count_up(dims), argument, &err),
               BERTH_INVALID_ARGUMENT, &err, message);
  driver_deinit(&driver);
}

#define INTS2(a, b) driver_ints(BERTH_SHAPE(2), a, b)

TEST(tile, repeats) {
  expect("Tile", BERTH_SHAPE(2, 2), INTS2(2, 2),
         "[4,4] 0 1 0 1 2 3 2 3 0 1 0 1 2 3 2 3");
  expect("Tile", BERTH_SHAPE(1, 2), INTS2(3, 1), "[3,2] 0 1 0 1 0 1");
  expect("Tile", BERTH_SHAPE(2, 1), INTS2(1, 3), "[2,3] 0 0 0 1 1 1");
  expect("Tile", BERTH_SHAPE(2, 2), INTS2(0, 1), "[0,2]");
  expect("Tile", BERTH_SHAPE(0, 2), INTS2(3, 2), "[0,4]");
}

TEST(tile, errors) {
  berth_dims_t dims = BERTH_SHAPE(2, 2);
  expect_error("Tile", dims, driver_ints(BERTH_SHAPE(1), 2),
               "Expected multiples argument to be a vector of length 2 but "
               "got length 1");
  expect_error("Tile", dims, INTS2(2, -1),
               "Expected multiples[1] >= 0, but got -1");
  expect_error("Tile", dims, driver_ints(BERTH_SHAPE(1, 2), 2, 1),
               "Expected multiples to be 1-D, but got shape [1,2]");
  int64_t huge = INT64_C(1) << 40;
  expect_error("Tile", dims, driver_longs(BERTH_SHAPE(2), huge, huge),
               "Encountered overflow when multiplying 2199023255552 with "
               "2199023255552, result: -1");
  expect_error("Tile", dims, driver_longs(BERTH_SHAPE(2), INT64_MAX, 1),
               "Expected a non-negative size, got -2");
}

TEST(tile, types_without_a_kernel) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  uint16_t values[] = {1, 2};
  EXPECT_FAILS(
      call(&driver, "Tile", driver_tensor(BERTH_UINT16, BERTH_SHAPE(2), values),
           driver_ints(BERTH_SHAPE(1), 2), &err),
      BERTH_UNIMPLEMENTED, &err,
      "TileOp : The input data type is not supported, DataType : "
      "uint16, Dimension : 1");
  driver_deinit(&driver);
}

TEST(tile, strings) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  const char *texts[] = {"a", "longer than twenty-three bytes"};
  ASSERT_OK(call(&driver, "Tile", driver_strings(texts, 2),
                 driver_ints(BERTH_SHAPE(1), 2), &err),
            &err);
  EXPECT_STR(driver_show(&driver, 0),
             "[4] a longer than twenty-three bytes a longer than twenty-three "
             "bytes");
  driver_deinit(&driver);
}

TEST(tile, broadcast_to) {
  expect("BroadcastTo", BERTH_SHAPE(2, 1), driver_ints(BERTH_SHAPE(3), 2, 2, 3),
         "[2,2,3] 0 0 0 1 1 1 0 0 0 1 1 1");
  expect("BroadcastTo", BERTH_SCALAR, driver_ints(BERTH_SHAPE(1), 2),
         "[2] 0 0");
  expect_error("BroadcastTo", BERTH_SHAPE(2, 3), INTS2(2, 2),
               "Incompatible shapes: [2,3] vs. [2,2]");
  expect_error("BroadcastTo", BERTH_SHAPE(2, 3), driver_ints(BERTH_SHAPE(1), 3),
               "Rank of input (2) must be no greater than rank of output "
               "shape (1).");
  expect_error("BroadcastTo", BERTH_SHAPE(2, 1), INTS2(2, -1),
               "Dimension -1 must be >= 0");
}

static berth_code_t fill(driver_t *driver, berth_tensor_t *dims,
                         berth_tensor_t *value, berth_error_t *err) {
  driver->op = "Fill";
  driver_type(driver, "T", value->dtype);
  driver_type(driver, "index_type", dims->dtype);
  driver_input(driver, dims);
  driver_input(driver, value);
  driver_output(driver, value->dtype);
  return driver_call(driver, err);
}

static void expect_fill_error(berth_tensor_t *dims, berth_tensor_t *value,
                              berth_code_t code, const char *message) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  EXPECT_FAILS(fill(&driver, dims, value, &err), code, &err, message);
  driver_deinit(&driver);
}

TEST(tile, fill) {
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(fill(&driver, INTS2(2, 2), driver_floats(BERTH_SCALAR, 3), &err),
            &err);
  EXPECT_STR(driver_show(&driver, 0), "[2,2] 3 3 3 3");
  driver_deinit(&driver);
  berth_tensor_t *one = driver_floats(BERTH_SCALAR, 1);
  expect_fill_error(INTS2(2, -1), berth_tensor_retain(one),
                    BERTH_INVALID_ARGUMENT, "Dimension -1 must be >= 0");
  expect_fill_error(driver_ints(BERTH_SHAPE(1, 1), 2), berth_tensor_retain(one),
                    BERTH_INVALID_ARGUMENT,
                    "dims must represent a vector, got shape [1,1]");
  expect_fill_error(INTS2(2, 2), driver_floats(BERTH_SHAPE(2), 1, 2),
                    BERTH_INVALID_ARGUMENT,
                    "value must represent a scalar, got shape [2]");
  int64_t huge = INT64_C(1) << 40;
  expect_fill_error(driver_longs(BERTH_SHAPE(2), huge, huge),
                    berth_tensor_retain(one), BERTH_INVALID_ARGUMENT,
                    "Shape [1099511627776,1099511627776] would have more than "
                    "2**63 - 1 elements");
  expect_fill_error(driver_longs(BERTH_SHAPE(1), INT64_C(1) << 62), one,
                    BERTH_RESOURCE_EXHAUSTED,
                    "OOM when allocating tensor with "
                    "shape[4611686018427387904] and type float on "
                    "/job:localhost/replica:0/task:0/device:CPU:0 by "
                    "allocator cpu");
}

TEST(transpose, small) {
  expect("Transpose", BERTH_SHAPE(2, 3), INTS2(1, 0), "[3,2] 0 3 1 4 2 5");
  expect("Transpose", BERTH_SHAPE(2, 3), INTS2(-1, -2), "[3,2] 0 3 1 4 2 5");
  expect("Transpose", BERTH_SHAPE(2, 1, 3),
         driver_ints(BERTH_SHAPE(3), 1, 0, 2), "[1,2,3] 0 1 2 3 4 5");
  expect("Transpose", BERTH_SHAPE(2, 0, 3),
         driver_ints(BERTH_SHAPE(3), 2, 1, 0), "[3,0,2]");
  expect("Transpose", BERTH_SCALAR, driver_ints(BERTH_SHAPE(0), 0), "[] 0");
}

TEST(transpose, errors) {
  berth_dims_t dims = BERTH_SHAPE(2, 3);
  expect_error("Transpose", dims, driver_ints(BERTH_SHAPE(1), 0),
               "transpose expects a vector of size 2. But input(1) is a "
               "vector of size 1");
  expect_error("Transpose", dims, INTS2(0, 2), "2 is out of range [0 .. 2)");
  expect_error("Transpose", dims, INTS2(-3, 1), "-1 is out of range [0 .. 2)");
  expect_error("Transpose", dims, INTS2(0, 0), "1 is missing from {0,0}.");
  expect_error("Transpose", dims, driver_ints(BERTH_SCALAR, 0),
               "perm must be rank 1, got shape []");
}

// Every permutation of a shape, in every element size, against a plain loop.
static void check_permutation(berth_dtype_t dtype, const int32_t *perm) {
  enum { A = 3, B = 67, C = 35, N = A * B * C };
  const int64_t dims[] = {A, B, C};
  size_t size = berth_dtype_size(dtype);
  unsigned char *data = malloc(N * size);
  for (size_t i = 0; i < N * size; ++i) {
    data[i] = (unsigned char)(i * 2654435761u >> 11);
  }
  driver_t driver = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(call(&driver, "Transpose",
                 driver_tensor(dtype, BERTH_SHAPE(A, B, C), data),
                 driver_tensor(BERTH_INT32, BERTH_SHAPE(3), perm), &err),
            &err);
  const unsigned char *out = driver_data(&driver, 0);
  int64_t steps[] = {B * C, C, 1}, wrong = 0, at = 0;
  for (int64_t i = 0; i < dims[perm[0]]; ++i) {
    for (int64_t j = 0; j < dims[perm[1]]; ++j) {
      for (int64_t k = 0; k < dims[perm[2]]; ++k, ++at) {
        int64_t from =
            i * steps[perm[0]] + j * steps[perm[1]] + k * steps[perm[2]];
        wrong += memcmp(out + (size_t)at * size, data + (size_t)from * size,
                        size) != 0;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  driver_deinit(&driver);
  free(data);
}

TEST(transpose, all_sizes_and_permutations) {
  static const berth_dtype_t types[] = {BERTH_INT8, BERTH_HALF, BERTH_FLOAT,
                                        BERTH_DOUBLE, BERTH_COMPLEX128};
  static const int32_t perms[][3] = {
      {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int t = 0; t < BERTH_COUNT_OF(types); ++t) {
    for (int p = 0; p < BERTH_COUNT_OF(perms); ++p) {
      check_permutation(types[t], perms[p]);
    }
  }
}

TEST(transpose, invert_permutation) {
  driver_t driver = {.op = "InvertPermutation"};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_type(&driver, "T", BERTH_INT32);
  driver_input(&driver, driver_ints(BERTH_SHAPE(3), 1, 2, 0));
  driver_output(&driver, BERTH_INT32);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[3] 2 0 1");
  ((int32_t *)driver.inputs[0]->data)[2] = 1;
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "1 is duplicated in the input.");
  ((int32_t *)driver.inputs[0]->data)[0] = 3;
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "3 is not between 0 and 3");
  driver_deinit(&driver);
}

TEST(shape, says_what_there_is) {
  const char *ops[] = {"Shape", "Size", "Rank"};
  const char *narrow[] = {"[2] 2 3", "[] 6", "[] 2"};
  for (int i = 0; i < 3; ++i) {
    driver_t driver = {.op = ops[i]};
    berth_error_t err = BERTH_ERROR_INIT;
    driver_type(&driver, "T", BERTH_FLOAT);
    if (i < 2) driver_type(&driver, "out_type", BERTH_INT32);
    driver_input(&driver, driver_count_up(BERTH_SHAPE(2, 3)));
    driver_output(&driver, BERTH_INT32);
    ASSERT_OK(driver_call(&driver, &err), &err);
    EXPECT_STR(driver_show(&driver, 0), narrow[i]);
    driver_deinit(&driver);
  }
}

TEST(shape, several_and_wide) {
  driver_t driver = {.op = "ShapeN"};
  berth_error_t err = BERTH_ERROR_INIT;
  driver_type(&driver, "out_type", BERTH_INT64);
  driver_input(&driver, driver_count_up(BERTH_SHAPE(INT64_C(1) << 32, 0)));
  driver_input(&driver, driver_count_up(BERTH_SCALAR));
  driver_output(&driver, BERTH_INT64);
  driver_output(&driver, BERTH_INT64);
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_STR(driver_show(&driver, 0), "[2] 4294967296 0");
  EXPECT_STR(driver_show(&driver, 1), "[0]");
  driver.output_types[0] = driver.output_types[1] = BERTH_INT32;
  driver.attrs[0].value.type = BERTH_INT32;
  EXPECT_FAILS(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT, &err,
               "ShapeN output type is 32-bit but shape 0 dim 0 is 4294967296");
  driver_deinit(&driver);
}
