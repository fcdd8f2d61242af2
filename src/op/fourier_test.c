// fourier_test.c - What Fourier transforms mean.
#include "harness.h"

#include "op/fourier.h"
#include "op/op_testing.h"

TEST(fourier, of_real_numbers_gives_half_a_spectrum) {
  op_case_t given = {.op = "RFFT"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_fourier_t fourier;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 9));
  op_case_ints(&given, BERTH_SHAPE(1), 8);
  op_case_output(&given, BERTH_COMPLEX64);
  ASSERT_OK(berth_op_fourier(op_case_make(&given), &fourier, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[3,5]");
  EXPECT_EQ(fourier.sizes[2], 8);
  EXPECT_EQ(fourier.in[2], 9);
  EXPECT_EQ(fourier.batch, 3);
  op_case_deinit(&given);
}

TEST(fourier, refuses_too_few_numbers) {
  op_case_t given = {.op = "IRFFT"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_fourier_t fourier;
  op_case_input(&given, BERTH_COMPLEX64, BERTH_SHAPE(3));
  op_case_ints(&given, BERTH_SHAPE(1), 8);
  op_case_output(&given, BERTH_FLOAT);
  EXPECT_FAILS(berth_op_fourier(op_case_make(&given), &fourier, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Input dimension 0 must have length of at least 5 but got: 3");
  op_case_deinit(&given);
}
