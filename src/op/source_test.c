// source_test.c - What ops mean that make numbers from nothing.
#include "op/source.h"

#include "harness.h"
#include "op/op_testing.h"
#include "tensor/half.h"

// ---- Range ----

// Makes a Range over the three elements of |dtype| at |numbers|.
static void range_given(op_case_t *given, berth_dtype_t dtype,
                        const void *numbers) {
  *given = (op_case_t){.op = "Range"};
  for (size_t i = 0; i < 3; ++i) {
    op_case_value(given, dtype, BERTH_SCALAR,
                  (const char *)numbers + i * berth_dtype_size(dtype));
  }
  op_case_output(given, dtype);
}

TEST(range, counts_integers_both_ways) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_sequence_t sequence;
  range_given(&given, BERTH_INT32, (const int32_t[]){2, 11, 3});
  ASSERT_OK(berth_op_range(op_case_make(&given), &sequence, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3]");
  EXPECT_EQ(sequence.start.integer, 2);
  EXPECT_EQ(sequence.delta.integer, 3);
  EXPECT_EQ(sequence.dtype, BERTH_INT32);
  op_case_deinit(&given);
  // The widest distance there is.
  range_given(&given, BERTH_INT64,
              (const int64_t[]){INT64_MAX, INT64_MIN, INT64_MIN});
  ASSERT_OK(berth_op_range(op_case_make(&given), &sequence, &err), &err);
  EXPECT_EQ(sequence.count, 2);
  op_case_deinit(&given);
}

TEST(range, rounds_to_the_type_before_it_counts) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_sequence_t sequence;
  range_given(&given, BERTH_FLOAT, (const float[]){0, 1, 0.1F});
  ASSERT_OK(berth_op_range(op_case_make(&given), &sequence, &err), &err);
  EXPECT_EQ(sequence.count, 10);
  EXPECT_TRUE(sequence.delta.real == (double)0.1F);
  op_case_deinit(&given);
  const uint16_t halves[] = {berth_float_to_half(0), berth_float_to_half(1),
                             berth_float_to_half(0.3F)};
  range_given(&given, BERTH_HALF, halves);
  ASSERT_OK(berth_op_range(op_case_make(&given), &sequence, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[4]");
  op_case_deinit(&given);
}

TEST(range, refuses_what_leads_nowhere) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_sequence_t sequence;
  range_given(&given, BERTH_INT32, (const int32_t[]){0, 5, 0});
  EXPECT_FAILS(berth_op_range(op_case_make(&given), &sequence, &err),
               BERTH_INVALID_ARGUMENT, &err, "Requires delta != 0: 0");
  op_case_deinit(&given);
  range_given(&given, BERTH_INT32, (const int32_t[]){5, 0, 1});
  EXPECT_FAILS(berth_op_range(op_case_make(&given), &sequence, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Requires start <= limit when delta > 0: 5/0");
  op_case_deinit(&given);
  range_given(&given, BERTH_FLOAT, (const float[]){0, 5.5F, -1});
  EXPECT_FAILS(berth_op_range(op_case_make(&given), &sequence, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Requires start >= limit when delta < 0: 0/5.5");
  op_case_deinit(&given);
  range_given(&given, BERTH_DOUBLE, (const double[]){0, 1e30, 1e-30});
  EXPECT_FAILS(berth_op_range(op_case_make(&given), &sequence, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Requires ((limit - start) / delta) <= 9223372036854775807");
  op_case_deinit(&given);
}

// ---- LinSpace ----

static void lin_space_given(op_case_t *given, int32_t count) {
  *given = (op_case_t){.op = "LinSpace"};
  op_case_input(given, BERTH_FLOAT, BERTH_SCALAR);
  op_case_input(given, BERTH_FLOAT, BERTH_SCALAR);
  op_case_ints(given, BERTH_SCALAR, count);
  op_case_output(given, BERTH_FLOAT);
}

TEST(lin_space, has_as_many_as_asked_for) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  lin_space_given(&given, 7);
  ASSERT_OK(berth_op_lin_space(op_case_make(&given), &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[7]");
  op_case_deinit(&given);
  lin_space_given(&given, 0);
  EXPECT_FAILS(berth_op_lin_space(op_case_make(&given), &err),
               BERTH_INVALID_ARGUMENT, &err, "Requires num > 0: 0");
  op_case_deinit(&given);
}

// ---- Random numbers ----

static void random_given(op_case_t *given, const char *op,
                         berth_dtype_t dtype) {
  *given = (op_case_t){.op = op};
  op_case_ints(given, BERTH_SHAPE(2), 3, 5);
  op_case_output(given, dtype);
}

TEST(random, says_what_and_how_many) {
  static const struct {
    const char *op;
    berth_dtype_t dtype;
    berth_distribution_t distribution;
    int group;
  } cases[] = {
      {"RandomUniform", BERTH_FLOAT, BERTH_RANDOM_UNIFORM, 4},
      {"RandomUniform", BERTH_DOUBLE, BERTH_RANDOM_UNIFORM, 2},
      {"RandomStandardNormal", BERTH_HALF, BERTH_RANDOM_NORMAL, 4},
      {"TruncatedNormal", BERTH_DOUBLE, BERTH_RANDOM_TRUNCATED, 2},
      {"RandomUniformInt", BERTH_INT32, BERTH_RANDOM_INTEGERS, 4},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    op_case_t given;
    berth_error_t err = BERTH_ERROR_INIT;
    berth_random_t random;
    random_given(&given, cases[i].op, cases[i].dtype);
    op_case_input(&given, cases[i].dtype, BERTH_SCALAR);
    op_case_input(&given, cases[i].dtype, BERTH_SCALAR);
    ASSERT_OK(berth_op_random(op_case_make(&given), &random, &err), &err);
    EXPECT_STR(op_case_shape(&given, 0), "[3,5]");
    EXPECT_EQ(random.distribution, cases[i].distribution);
    EXPECT_EQ(random.dtype, cases[i].dtype);
    EXPECT_EQ(random.count, 15);
    EXPECT_EQ(random.group, cases[i].group);
    op_case_deinit(&given);
  }
}

TEST(random, refuses_shapes_that_are_none) {
  op_case_t given = {.op = "RandomUniform"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_random_t random;
  op_case_ints(&given, BERTH_SCALAR, 3);
  op_case_output(&given, BERTH_FLOAT);
  EXPECT_FAILS(berth_op_random(op_case_make(&given), &random, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "shape must be a vector of {int32,int64}, got shape []");
  op_case_deinit(&given);
  random_given(&given, "RandomUniformInt", BERTH_INT32);
  op_case_input(&given, BERTH_INT32, BERTH_SCALAR);
  op_case_input(&given, BERTH_INT32, BERTH_SHAPE(1));
  EXPECT_FAILS(berth_op_random(op_case_make(&given), &random, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "maxval must be 0-D, got shape [1]");
  op_case_deinit(&given);
}

TEST(random, limits_may_be_as_wide_as_the_type) {
  berth_error_t err = BERTH_ERROR_INIT;
  uint64_t low = 0, range = 0;
  ASSERT_OK(berth_random_limits(BERTH_INT64, &(int64_t){INT64_MIN},
                                &(int64_t){INT64_MAX}, &low, &range, &err),
            &err);
  EXPECT_EQ((int64_t)low, INT64_MIN);
  EXPECT_TRUE(range == UINT64_MAX);
  EXPECT_FAILS(berth_random_limits(BERTH_INT32, &(int32_t){3}, &(int32_t){3},
                                   &low, &range, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Need minval < maxval, got 3 >= 3");
}
