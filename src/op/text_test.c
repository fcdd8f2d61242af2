// text_test.c - What ops mean that make texts of tensors.
#include "op/text.h"

#include "harness.h"
#include "op/op_testing.h"

// ---- AsString ----

static void as_string_given(op_case_t *given, berth_dtype_t dtype) {
  *given = (op_case_t){.op = "AsString"};
  op_case_input(given, dtype, BERTH_SHAPE(2, 3));
  op_case_output(given, BERTH_STRING);
}

TEST(as_string, writes_a_directive) {
  static const struct {
    berth_dtype_t dtype;
    const char *directive;
  } cases[] = {{BERTH_FLOAT, "%f"},  {BERTH_COMPLEX128, "%f"},
               {BERTH_INT8, "%lld"}, {BERTH_UINT64, "%llu"},
               {BERTH_STRING, "%s"}, {BERTH_BFLOAT16, "%f"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    op_case_t given;
    berth_error_t err = BERTH_ERROR_INIT;
    berth_text_format_t format;
    as_string_given(&given, cases[i].dtype);
    ASSERT_OK(berth_op_as_string(op_case_make(&given), &format, &err), &err);
    EXPECT_STR(op_case_shape(&given, 0), "[2,3]");
    EXPECT_STR(format.directive, cases[i].directive);
    EXPECT_TRUE(format.is_plain);
    EXPECT_TRUE(format.characters <= 0);
    op_case_deinit(&given);
  }
}

TEST(as_string, puts_attributes_into_it) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_text_format_t format;
  as_string_given(&given, BERTH_DOUBLE);
  op_case_int(&given, "width", 8);
  op_case_int(&given, "precision", 2);
  op_case_text(&given, "fill", "-");
  op_case_bool(&given, "scientific", true);
  ASSERT_OK(berth_op_as_string(op_case_make(&given), &format, &err), &err);
  EXPECT_STR(format.directive, "%-8.2e");
  EXPECT_FALSE(format.is_plain);
  EXPECT_EQ(format.characters, 8);
  op_case_deinit(&given);
}

TEST(as_string, refuses_what_a_type_cannot_have) {
  op_case_t given;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_text_format_t format;
  as_string_given(&given, BERTH_INT32);
  op_case_int(&given, "precision", 2);
  EXPECT_FAILS(berth_op_as_string(op_case_make(&given), &format, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "precision not supported for datatype int32");
  given.attr_count = 0;
  op_case_text(&given, "fill", "ab");
  EXPECT_FAILS(berth_op_as_string(op_case_make(&given), &format, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Fill string must be one or fewer characters");
  given.attr_count = 0;
  op_case_text(&given, "fill", "x");
  EXPECT_FAILS(berth_op_as_string(op_case_make(&given), &format, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Fill argument not supported: \"x\"");
  given.attr_count = 0;
  op_case_int(&given, "width", 1 << 21);
  EXPECT_FAILS(
      berth_op_as_string(op_case_make(&given), &format, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "AsString can write width up to 1048576, but 2097152 was asked for");
  op_case_deinit(&given);
}

// ---- StringJoin ----

TEST(string_join, repeats_scalars) {
  op_case_t given = {.op = "StringJoin"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_text_join_t join;
  op_case_input(&given, BERTH_STRING, BERTH_SCALAR);
  op_case_input(&given, BERTH_STRING, BERTH_SHAPE(2, 3));
  op_case_text(&given, "separator", ", ");
  op_case_output(&given, BERTH_STRING);
  ASSERT_OK(berth_op_string_join(op_case_make(&given), &join, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3]");
  EXPECT_EQ(join.count, 6);
  EXPECT_STR(join.separator, ", ");
  op_case_input(&given, BERTH_STRING, BERTH_SHAPE(3, 2));
  EXPECT_FAILS(berth_op_string_join(op_case_make(&given), &join, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Input shapes do not match: [2,3] vs. [3,2]");
  op_case_deinit(&given);
}

// ---- Reports ----

TEST(report, an_assertion_tells_of_all_but_its_condition) {
  op_case_t given = {.op = "Assert"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_report_t report;
  op_case_input(&given, BERTH_BOOL, BERTH_SCALAR);
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_ints(&given, BERTH_SCALAR, 7);
  ASSERT_OK(berth_op_assert(op_case_make(&given), &report, &err), &err);
  EXPECT_EQ(report.first, 1);
  EXPECT_EQ(report.count, 2);
  EXPECT_EQ(report.limit, 3);
  EXPECT_EQ(report.inputs[0].count, 6);
  EXPECT_TRUE(report.inputs[0].dims != given.inputs[1].dims);
  // What is said is what there is when it runs.
  EXPECT_TRUE(report.inputs[1].value == NULL);
  op_case_int(&given, "summarize", -1);
  ASSERT_OK(berth_op_assert(op_case_make(&given), &report, &err), &err);
  EXPECT_EQ(report.limit, INT64_MAX);
  given.inputs[0].rank = 1;
  given.inputs[0].dims = (const int64_t[]){1};
  EXPECT_FAILS(berth_op_assert(op_case_make(&given), &report, &err),
               BERTH_INVALID_ARGUMENT, &err, "In[0] should be a scalar: [1]");
  op_case_deinit(&given);
}

TEST(report, print_hands_its_input_on) {
  op_case_t given = {.op = "Print"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_report_t report;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_output(&given, BERTH_FLOAT);
  berth_case_t *op = op_case_make(&given);
  ASSERT_OK(berth_op_print(op, &report, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[2,3]");
  EXPECT_EQ(op->alias, 0);
  EXPECT_EQ(report.count, 0);
  EXPECT_STR(report.text, "");
  EXPECT_EQ(report.most, -1);
  op_case_int(&given, "first_n", 2);
  op_case_text(&given, "message", "x is ");
  ASSERT_OK(berth_op_print(op_case_make(&given), &report, &err), &err);
  EXPECT_STR(report.text, "x is ");
  EXPECT_EQ(report.most, 2);
  op_case_deinit(&given);
}

TEST(report, print_v2_says_one_text) {
  op_case_t given = {.op = "PrintV2"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_speech_t speech;
  op_case_input(&given, BERTH_STRING, BERTH_SCALAR);
  ASSERT_OK(berth_op_print_v2(op_case_make(&given), &speech, &err), &err);
  EXPECT_STR(speech.end, "\n");
  EXPECT_STR(speech.stream, "stderr");
  op_case_text(&given, "output_stream", "stdout");
  ASSERT_OK(berth_op_print_v2(op_case_make(&given), &speech, &err), &err);
  EXPECT_STR(speech.stream, "stdout");
  given.inputs[0].rank = 1;
  given.inputs[0].dims = (const int64_t[]){1};
  EXPECT_FAILS(berth_op_print_v2(op_case_make(&given), &speech, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Input is expected to be scalar, but got [1]");
  op_case_deinit(&given);
}

TEST(report, a_format_has_a_place_for_each_input) {
  op_case_t given = {.op = "StringFormat"};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_report_t report;
  op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(2, 3));
  op_case_input(&given, BERTH_FLOAT, BERTH_SCALAR);
  op_case_text(&given, "template", "{} and {}");
  op_case_text(&given, "placeholder", "{}");
  op_case_output(&given, BERTH_STRING);
  ASSERT_OK(berth_op_string_format(op_case_make(&given), &report, &err), &err);
  EXPECT_STR(op_case_shape(&given, 0), "[]");
  EXPECT_EQ(report.first, 0);
  EXPECT_EQ(report.count, 2);
  EXPECT_STR(report.text, "{} and {}");
  EXPECT_STR(report.mark, "{}");
  given.attrs[0].value.s = (berth_attr_text_t){"{}", 2};
  EXPECT_FAILS(
      berth_op_string_format(op_case_make(&given), &report, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "num placeholders in template and num inputs must match: 1 vs. 2");
  op_case_deinit(&given);
}
