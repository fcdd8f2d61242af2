// einsum_test.c - What an equation means: loops, shapes, errors.
#include "op/einsum.h"

#include "base/str.h"
#include "harness.h"
#include "op/op_testing.h"

// Returns |einsum| as text: "2:3,0,4 | 3:1,4,0" is a loop of 2 over the output,
// with the steps of both inputs and of the output, and one of 3 summed over.
static const char *show(const berth_einsum_t *einsum) {
  static char shown[512];
  berth_str_t str = {0};
  for (int32_t l = 0; l <= einsum->count; ++l) {
    if (l == einsum->kept) berth_str_printf(&str, "| ");
    if (l == einsum->count) break;
    berth_str_printf(&str, "%lld:%lld,%lld,%lld ", (long long)einsum->dims[l],
                     (long long)einsum->steps[0][l],
                     (long long)einsum->steps[1][l],
                     (long long)einsum->steps[2][l]);
  }
  snprintf(shown, sizeof(shown), "%s", berth_str_get(&str));
  berth_str_clear(&str);
  return shown;
}

static void given_equation(op_case_t *given, const char *equation) {
  *given = (op_case_t){.op = "Einsum"};
  op_case_text(given, "equation", equation);
  op_case_output(given, BERTH_FLOAT);
}

TEST(einsum, of_two_matrices_sums_over_one_label) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_einsum_t einsum;
  given_equation(&given, "ij,jk->ik");
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 4));
  ASSERT_OK(berth_op_einsum(op_case_make(&given), &einsum, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,4]");
  EXPECT_STR(show(&einsum), "2:3,0,4 4:0,1,1 | 3:1,4,0 ");
  EXPECT_EQ(einsum.inputs, 2);
  EXPECT_EQ(einsum.outputs, 8);
  EXPECT_FALSE(einsum.has_diagonal);
  op_case_deinit(&given);
}

TEST(einsum, walks_along_diagonals) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_einsum_t einsum;
  given_equation(&given, "ii->");
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(5, 5));
  ASSERT_OK(berth_op_einsum(op_case_make(&given), &einsum, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[]");
  EXPECT_STR(show(&einsum), "| 5:6,0,0 ");
  EXPECT_FALSE(einsum.has_diagonal);
  op_case_deinit(&given);
  given_equation(&given, "i->ii");
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(5));
  ASSERT_OK(berth_op_einsum(op_case_make(&given), &einsum, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[5,5]");
  EXPECT_STR(show(&einsum), "5:1,0,6 | ");
  EXPECT_TRUE(einsum.has_diagonal);
  EXPECT_EQ(einsum.outputs, 25);
  op_case_deinit(&given);
}

TEST(einsum, broadcasts_an_ellipsis) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_einsum_t einsum;
  given_equation(&given, "...i,i->...");
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 1, 3));
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3));
  ASSERT_OK(berth_op_einsum(op_case_make(&given), &einsum, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,1]");
  EXPECT_STR(show(&einsum), "2:3,0,1 1:0,0,0 | 3:1,1,0 ");
  op_case_deinit(&given);
}

TEST(einsum, refuses_bad_equations) {
  static const struct {
    const char *equation;
    berth_code_t code;
    const char *message;
  } cases[] = {
      {"ij,jk", BERTH_INVALID_ARGUMENT,
       "Expecting exactly one '->' in einsum equation: ij,jk"},
      {"ij->i", BERTH_INVALID_ARGUMENT, "Expected 1 inputs but got: 2"},
      {"ij,j1->i", BERTH_INVALID_ARGUMENT,
       "Invalid character '1' in einsum equation: labels are letters, and an "
       "ellipsis is \"...\""},
      {"ij,ijk->i", BERTH_INVALID_ARGUMENT,
       "Expected input 1 to have rank 3 but got: 2"},
      {"ij,ik->k", BERTH_INVALID_ARGUMENT,
       "Expected dimension 2 at axis 0 of the input shaped [3,4] but got "
       "dimension 3"},
  };
  for (int i = 0; i < (int)(sizeof(cases) / sizeof(cases[0])); ++i) {
    op_case_t given;
    berth_error_t err = BERTH_ERROR_INIT;
    berth_einsum_t einsum;
    given_equation(&given, cases[i].equation);
    op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
    op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 4));
    EXPECT_FAILS(berth_op_einsum(op_case_make(&given), &einsum, &err),
                 cases[i].code, &err, cases[i].message);
    op_case_deinit(&given);
  }
}
