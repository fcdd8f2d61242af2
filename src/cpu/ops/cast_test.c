// cast_test.c - Conversions between types.
#include "cpu/ops/elementwise_test.h"
#include "tensor/half.h"

static driver_t cast_of(berth_tensor_t *x, berth_dtype_t from,
                        berth_dtype_t to) {
  driver_t driver = {.op = "Cast"};
  driver_type(&driver, "SrcT", from);
  driver_type(&driver, "DstT", to);
  driver_input(&driver, x);
  driver_output(&driver, to);
  return driver;
}

static void expect_cast(berth_tensor_t *x, berth_dtype_t to,
                        const char *expected) {
  driver_t driver = cast_of(x, x->dtype, to);
  expect_output(&driver, expected);
}

#define FLOATS(...)                                                           \
  driver_floats(                                                              \
      BERTH_SHAPE((int64_t)(sizeof((float[]){__VA_ARGS__}) / sizeof(float))), \
      __VA_ARGS__)

TEST(cast, floats_out_of_range_become_what_x86_makes_of_them) {
  expect_cast(FLOATS(NAN, INFINITY, -INFINITY, 3e9f, -1.9f, 1.9f), BERTH_INT32,
              "[6] -2147483648 -2147483648 -2147483648 -2147483648 -1 1");
  expect_cast(FLOATS(NAN, 1e19f, -1e19f, 3e9f, -1.9f), BERTH_INT64,
              "[5] -9223372036854775808 -9223372036854775808 "
              "-9223372036854775808 3000000000 -1");
  expect_cast(FLOATS(NAN, 3e9f, -1, 1e10f), BERTH_UINT32,
              "[4] 80000000 b2d05e00 ffffffff 80000000");
  expect_cast(FLOATS(NAN, 1e19f, -1, 2e19f), BERTH_UINT64,
              "[4] 8000000000000000 8ac7230000000000 ffffffffffffffff "
              "8000000000000000");
  expect_cast(FLOATS(NAN, 300, -300, -1), BERTH_INT8, "[4] 00 2c d4 ff");
  expect_cast(FLOATS(70000, -1), BERTH_UINT16, "[2] 1170 ffff");
}

TEST(cast, whatever_is_not_zero_is_true) {
  expect_cast(FLOATS(NAN, 0, -0.0f, 0.5f), BERTH_BOOL, "[4] 01 00 00 01");
  const float complex_numbers[] = {1, 2, 0, 1};
  expect_cast(driver_tensor(BERTH_COMPLEX64, BERTH_SHAPE(2), complex_numbers),
              BERTH_BOOL, "[2] 01 00");
}

TEST(cast, integers_keep_their_low_bits) {
  expect_cast(driver_longs(BERTH_SHAPE(2), -1, 0x123456789), BERTH_INT32,
              "[2] -1 591751049");
  expect_cast(driver_ints(BERTH_SHAPE(3), -1, 255, 256), BERTH_UINT8,
              "[3] ff ff 00");
  expect_cast(driver_ints(BERTH_SHAPE(3), -1, 7, 24), BERTH_INT4,
              "[3] ff 07 f8");
  const uint8_t fours[] = {0x0f, 0x07, 0x08};
  expect_cast(driver_tensor(BERTH_INT4, BERTH_SHAPE(3), fours), BERTH_INT32,
              "[3] -1 7 -8");
  expect_cast(driver_tensor(BERTH_UINT4, BERTH_SHAPE(3), fours), BERTH_INT32,
              "[3] 15 7 8");
}

TEST(cast, large_integers_are_rounded_once) {
  // 2^53 + 1 and 2^24 + 1 do not fit; the second is decided by its last bit.
  expect_cast(driver_longs(BERTH_SHAPE(2), 9007199254740993, 16777217),
              BERTH_DOUBLE, "[2] 9007199254740992 16777217");
  const uint64_t big = UINT64_MAX;
  expect_cast(driver_tensor(BERTH_UINT64, BERTH_SCALAR, &big), BERTH_FLOAT,
              "[] 1.84467441e+19");
  expect_cast(driver_longs(BERTH_SCALAR, -1), BERTH_UINT64,
              "[] ffffffffffffffff");
}

TEST(cast, narrow_floats_round_to_even) {
  expect_cast(FLOATS(1, 65504, 65520, 1.0009765625f, 1e-8f), BERTH_HALF,
              "[5] 3c00 7bff 7c00 3c01 0000");
  expect_cast(FLOATS(1, 1.005859375f, 3.4e38f), BERTH_BFLOAT16,
              "[3] 3f80 3f81 7f80");
  expect_cast(FLOATS(1, 448, 500), BERTH_FLOAT8_E4M3FN, "[3] 38 7e 7f");
  expect_cast(FLOATS(1, 65536), BERTH_FLOAT8_E5M2, "[2] 3c 7c");
}

static void expect_truncated(berth_tensor_t *x, berth_dtype_t to,
                             const char *expected) {
  driver_t driver = cast_of(x, x->dtype, to);
  driver_bool(&driver, "Truncate", true);
  expect_output(&driver, expected);
}

TEST(cast, truncation_rounds_towards_zero) {
  expect_truncated(FLOATS(1.005859375f, 3.4e38f, NAN), BERTH_BFLOAT16,
                   "[3] 3f80 7f7f 7fc0");
  expect_truncated(FLOATS(65520, 1.9f, -1.9f), BERTH_HALF,
                   "[3] 7bff 3f99 bf99");
  expect_truncated(driver_doubles(BERTH_SCALAR, 1.00000017881), BERTH_FLOAT,
                   "[] 1.00000012");
  // It means nothing here.
  expect_truncated(FLOATS(1.9f), BERTH_INT32, "[1] 1");
}

TEST(cast, complex_numbers_lose_their_imaginary_part) {
  const double numbers[] = {1.5, 2, -3.25, 4};
  berth_dims_t two = BERTH_SHAPE(2);
  expect_cast(driver_tensor(BERTH_COMPLEX128, two, numbers), BERTH_FLOAT,
              "[2] 1.5 -3.25");
  expect_cast(driver_tensor(BERTH_COMPLEX128, two, numbers), BERTH_INT32,
              "[2] 1 -3");
}

TEST(cast, numbers_become_complex) {
  driver_t driver = cast_of(FLOATS(1.5f, 2), BERTH_FLOAT, BERTH_COMPLEX128);
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(driver_call(&driver, &err), &err);
  const double *out = driver_data(&driver, 0);
  EXPECT_TRUE(out[0] == 1.5 && out[1] == 0 && out[2] == 2 && out[3] == 0);
  driver_deinit(&driver);
}

TEST(cast, to_the_same_type_is_the_same_tensor) {
  driver_t driver = cast_of(FLOATS(1, 2), BERTH_FLOAT, BERTH_FLOAT);
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(driver_call(&driver, &err), &err);
  EXPECT_TRUE(driver_data(&driver, 0) == driver.inputs[0]->data);
  driver_deinit(&driver);
}

static void expect_unsupported(berth_dtype_t from, berth_dtype_t to,
                               const char *message) {
  berth_tensor_t *x = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_tensor_create(from, BERTH_SHAPE(1), &x, &err), &err);
  driver_t driver = cast_of(x, from, to);
  expect_failure(&driver, BERTH_UNIMPLEMENTED, message);
}

TEST(cast, says_what_is_not_supported) {
  expect_unsupported(BERTH_STRING, BERTH_FLOAT,
                     "Cast string to float is not supported");
  expect_unsupported(BERTH_FLOAT, BERTH_STRING,
                     "Cast float to string is not supported");
  expect_unsupported(BERTH_FLOAT, BERTH_INT4,
                     "Cast float to int4 is not supported");
  expect_unsupported(BERTH_INT4, BERTH_BOOL,
                     "Cast int4 to bool is not supported");
  expect_unsupported(BERTH_INT32, BERTH_FLOAT8_E5M2,
                     "Cast int32 to float8_e5m2 is not supported");
  expect_unsupported(BERTH_FLOAT, BERTH_FLOAT8_E4M3FNUZ,
                     "Cast float to float8_e4m3fnuz is not supported");
}

// Small whole numbers survive the way to every type and back.
static void check_round_trip(berth_dtype_t type, int64_t count) {
  driver_t there =
      cast_of(driver_count_up(BERTH_SHAPE(count)), BERTH_FLOAT, type);
  berth_error_t err = BERTH_ERROR_INIT;
  float *in = there.inputs[0]->data;
  for (int64_t i = 0; i < count; ++i) in[i] = (float)(i % 16);
  ASSERT_OK(driver_call(&there, &err), &err);
  driver_t back =
      cast_of(berth_tensor_retain(there.outputs[0]), type, BERTH_FLOAT);
  ASSERT_OK(driver_call(&back, &err), &err);
  EXPECT_TRUE(memcmp(driver_data(&back, 0), in, (size_t)count * 4) == 0);
  driver_deinit(&there);
  driver_deinit(&back);
}

TEST(cast, goes_to_every_type_and_back) {
  const berth_dtype_t types[] = {
      BERTH_DOUBLE, BERTH_HALF,    BERTH_BFLOAT16,     BERTH_INT8,
      BERTH_UINT8,  BERTH_INT16,   BERTH_UINT16,       BERTH_INT32,
      BERTH_UINT32, BERTH_INT64,   BERTH_UINT64,       BERTH_COMPLEX64,
      BERTH_QINT8,  BERTH_QUINT8,  BERTH_QINT32,       BERTH_COMPLEX128,
      BERTH_QINT16, BERTH_QUINT16, BERTH_FLOAT8_E4M3FN};
  for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
    check_round_trip(types[i], 16);
    check_round_trip(types[i], 1021);
    check_round_trip(types[i], 0);
  }
}

TEST(cast, large_tensors_go_past_the_caches) {
  check_round_trip(BERTH_INT32, 9000001);
  check_round_trip(BERTH_HALF, 9000001);
}
