// shape_test.c - What ops mean that say what shape a tensor has.
#include "op/shape.h"

#include "harness.h"
#include "op/op_testing.h"

static void shape_given(op_case_t *given, const char *op,
                        berth_dtype_t out_type) {
  *given = (op_case_t){.op = op};
  op_case_input(given, BERTH_FLOAT, BERTH_SHAPE(2, 0, 5));
  op_case_output(given, out_type);
}

TEST(shape, is_known_in_advance) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  const berth_answer_t *answers = NULL;
  shape_given(&given, "Shape", BERTH_INT32);
  ASSERT_OK(berth_op_shape(op_case_make(&given), &answers, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3]");
  ASSERT_TRUE(answers[0].size == 12);
  EXPECT_TRUE(memcmp(answers[0].bytes, (const int32_t[]){2, 0, 5}, 12) == 0);
  op_case_deinit(&given);
  shape_given(&given, "Shape", BERTH_INT64);
  ASSERT_OK(berth_op_shape(op_case_make(&given), &answers, &err), &err);
  ASSERT_TRUE(answers[0].size == 24);
  EXPECT_TRUE(memcmp(answers[0].bytes, (const int64_t[]){2, 0, 5}, 24) == 0);
  op_case_deinit(&given);
}

TEST(shape, of_several_is_one_answer_each) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  const berth_answer_t *answers = NULL;
  shape_given(&given, "ShapeN", BERTH_INT32);
  op_case_input(&given, BERTH_FLOAT, BERTH_SCALAR);
  op_case_output(&given, BERTH_INT32);
  ASSERT_OK(berth_op_shape_n(op_case_make(&given), &answers, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3]");
  EXPECT_STR(op_case_shape(&given, 1), "[0]");
  EXPECT_EQ(answers[0].size, 12);
  EXPECT_EQ(answers[1].size, 0);
  op_case_deinit(&given);
}

TEST(shape, sizes_and_ranks_are_scalars) {
  op_case_t given = {.op = "Size"};
  berth_error_t err = BERTH_ERROR_INIT;
  const berth_answer_t *answers = NULL;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_output(&given, BERTH_INT64);
  ASSERT_OK(berth_op_size(op_case_make(&given), &answers, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[]");
  EXPECT_EQ(*(const int64_t *)answers[0].bytes, 6);
  given.op = "Rank";
  given.output_types[0] = BERTH_INT32;
  ASSERT_OK(berth_op_rank(op_case_make(&given), &answers, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[]");
  EXPECT_EQ(*(const int32_t *)answers[0].bytes, 2);
  op_case_deinit(&given);
}

TEST(shape, refuses_what_32_bits_do_not_hold) {
  op_case_t given = {.op = "Shape"};
  berth_error_t err = BERTH_ERROR_INIT;
  const berth_answer_t *answers = NULL;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(1, INT64_C(1) << 31));
  op_case_output(&given, BERTH_INT32);
  EXPECT_FAILS(berth_op_shape(op_case_make(&given), &answers, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Shape output type is 32-bit  but dim 1 is 2147483648");
  EXPECT_FAILS(berth_op_shape_n(op_case_make(&given), &answers, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "ShapeN output type is 32-bit but shape 0 dim 1 is 2147483648");
  EXPECT_FAILS(berth_op_size(op_case_make(&given), &answers, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Number of elements was larger than representable by 32-bit "
               "output type");
  EXPECT_TRUE(answers == NULL);
  op_case_deinit(&given);
}
