// chain_text_test.c - What is written for groups of functions.
#include "cuda/ops/chain_text.h"

#include "base/alloc.h"
#include "cuda/code/terms.h"
#include "harness.h"
#include "op/elementwise.h"

#define FUNCTION(name)                               \
  ".visible .func  (.param .b32 func_retval0) " name \
  "("                                                \
  "\n\t.param .b32 " name "_param_0,\n\t.param .b64 " name "_param_1\n)\n{\n"

static const char terms[] =
    FUNCTION("berth_term_u_relu_f32")
    "\t.reg .pred \t%p<2>;\n\t.reg .f32 \t%f<3>;\n\n"
    "\tld.param.f32 \t%f1, [berth_term_u_relu_f32_param_0];\n"
    "\tsetp.le.f32 \t%p1, %f1, 0f00000000;\n"
    "\tselp.f32 \t%f2, 0f00000000, %f1, %p1;\n"
    "\tst.param.f32 \t[func_retval0+0], %f2;\n\tret;\n\n}\n"
    FUNCTION("berth_term_u_slope_f32")
    "\t.reg .f32 \t%f<3>;\n"
    "\tld.param.f32 \t%f1, [berth_term_u_slope_f32_param_0];\n"
    "\tld.param.f64 \t%fd1, [berth_term_u_slope_f32_param_1];\n"
    "\tbra.uni \tLBB1_2;\nLBB1_1:\n"
    "\tst.param.f32 \t[func_retval0+0], %f1;\n\tret;\n"
    "LBB1_2:\n\tbra.uni \tLBB1_1;\n\n}\n"
    FUNCTION("berth_term_u_table_f32")
    "\tld.global.nc.u64 \t%rd1, [table];\n\tret;\n\n}\n";

// Writes |steps| of three inputs: one of elements, one number, one row; the
// results of the steps |outputs| are stored.
static char *text_with(const berth_chain_text_step_t *steps, int count,
                       const int32_t *outputs, int output_count,
                       berth_dtype_t dtype, int cc_major) {
  static const uint8_t reach[] = {BERTH_REACH_ALL, BERTH_REACH_ONE,
                                  BERTH_REACH_ROW};
  const berth_dtype_t dtypes[] = {dtype, dtype, dtype};
  berth_chain_text_t chain = {.steps = steps,
                              .step_count = count,
                              .input_count = 3,
                              .outputs = outputs,
                              .output_count = output_count,
                              .reach = reach,
                              .dtypes = dtypes,
                              .cc_major = cc_major,
                              .terms = {terms, terms, terms}};
  berth_str_t out = {0};
  if (berth_chain_text_write(&chain, &out)) return berth_str_take(&out);
  berth_str_clear(&out);
  return NULL;
}

// The same with one output, the result of the last step.
static char *text_of(const berth_chain_text_step_t *steps, int count,
                     berth_dtype_t dtype, int cc_major) {
  const int32_t last = count - 1;
  return text_with(steps, count, &last, 1, dtype, cc_major);
}

#define UNARY(word, from)                                                  \
  {                                                                        \
    .name = "u_" word, .dtype = BERTH_FLOAT, .input_count = 1, .inputs = { \
      from                                                                 \
    }                                                                      \
  }
#define BINARY(word, x, y)                                                 \
  {                                                                        \
    .name = "b_" word, .dtype = BERTH_FLOAT, .input_count = 2, .inputs = { \
      x,                                                                   \
      y                                                                    \
    }                                                                      \
  }

static void expect(const char *text, const char *part) {
  if (text == NULL || strstr(text, part) == NULL) {
    HARNESS_FAIL("not there: %s\nin: %s", part,
                 text != NULL ? text : "nothing");
  }
}

TEST(chain_text, arithmetic_is_one_instruction) {
  const berth_chain_text_step_t steps[] = {
      BINARY("sub", 1, 0), BINARY("mul", ~0, 2), BINARY("add", ~1, ~0)};
  char *text = text_of(steps, 3, BERTH_FLOAT, 9);
  expect(text, "ld.global.f32 %c1, [%g1];\n");
  expect(text, "ld.global.v4.f32 {%i0_4, %i0_5, %i0_6, %i0_7}, [%there];\n");
  expect(text, "sub.rn.f32 %v0_7, %c1, %i0_7;\n");
  expect(text, "mul.rn.f32 %v1_0, %v0_0, %i2_0;\n");
  expect(text, "add.rn.f32 %v2_5, %v1_5, %v0_5;\n");
  expect(text,
         "@%is1 st.global.v4.f32 [%there], "
         "{%v2_4, %v2_5, %v2_6, %v2_7};\n");
  expect(text, ".visible .entry berth_chain_text_narrow(");
  expect(text, "ld.global.f32 %i0_1, [%there];\n");
  // A row is read where its index leads, all else where the element is.
  expect(text, "mad.lo.u64 %there, %row0, 4, %g2;\n");
  expect(text, "mad.lo.u64 %there, %at0, 4, %g0;\n");
  berth_free(text);
}

// Outputs but for the first have addresses behind those of the inputs, and all
// are written when everything was read.
TEST(chain_text, several_outputs) {
  const berth_chain_text_step_t steps[] = {
      BINARY("sub", 1, 0), BINARY("mul", ~0, 2), BINARY("add", ~1, ~0)};
  char *text = text_with(steps, 3, (const int32_t[]){2, 0}, 2, BERTH_FLOAT, 9);
  expect(text, ".param .align 8 .b8 p[72]\n");
  expect(text, "ld.param.u64 %g3, [p+64];\n");
  expect(text,
         "add.rn.f32 %v2_7, %v1_7, %v0_7;\n"
         "mad.lo.u64 %there, %at0, 4, %out;\n"
         "st.global.v4.f32 [%there], {%v2_0, %v2_1, %v2_2, %v2_3};\n");
  expect(text,
         "mad.lo.u64 %there, %at1, 4, %g3;\n"
         "@%is1 st.global.v4.f32 [%there], {%v0_4, %v0_5, %v0_6, %v0_7};\n");
  EXPECT_TRUE(strstr(text, "%g4") == NULL);
  berth_free(text);
}

// Few elements have a kernel in which a thread takes one, and reads all that it
// needs before it computes.
TEST(chain_text, few_elements) {
  static const uint8_t reach[] = {BERTH_REACH_ALL, BERTH_REACH_ROW,
                                  BERTH_REACH_ALL};
  static const berth_dtype_t dtypes[] = {BERTH_FLOAT, BERTH_FLOAT, BERTH_FLOAT};
  const berth_chain_text_step_t steps[] = {BINARY("sub", 0, 1),
                                           BINARY("add", ~0, 2)};
  berth_chain_text_t chain = {.steps = steps,
                              .step_count = 2,
                              .input_count = 3,
                              .outputs = (const int32_t[]){1},
                              .output_count = 1,
                              .reach = reach,
                              .dtypes = dtypes,
                              .cc_major = 9,
                              .is_few = true};
  berth_str_t out = {0};
  EXPECT_TRUE(berth_chain_text_write(&chain, &out));
  const char *text = berth_str_get(&out);
  expect(text, ".visible .entry " BERTH_CHAIN_NARROW "(");
  expect(text,
         "mad.lo.u64 %there, %at0, 4, %g2;\nld.global.f32 %i2_0, [%there];\n"
         ".reg .f32 %v0_<1>;\nsub.rn.f32 %v0_0, %i0_0, %i1_0;\n");
  expect(text, "mad.lo.u64 %i, %apart, 1, %i;\n");
  EXPECT_TRUE(strstr(text, BERTH_CHAIN_WIDE) == NULL);
  EXPECT_TRUE(strstr(text, "%v0_1") == NULL);
  berth_str_clear(&out);
}

// The instruction makes another NaN of one than the function does, unless it is
// arithmetic's.
TEST(chain_text, relu_is_one_instruction_behind_arithmetic_alone) {
  const berth_chain_text_step_t behind[] = {BINARY("add", 0, 1),
                                            UNARY("relu", ~0)};
  const berth_chain_text_step_t first[] = {UNARY("relu", 0),
                                           BINARY("add", ~0, 1)};
  char *text = text_of(behind, 2, BERTH_FLOAT, 9);
  expect(text, ".version 7.0\n.target sm_80\n");
  expect(text, "max.NaN.f32 %v1_3, %v0_3, 0f00000000;\n");
  EXPECT_TRUE(strstr(text, "selp.f32") == NULL);
  berth_free(text);
  text = text_of(first, 2, BERTH_FLOAT, 9);
  expect(text, "mov.f32 %f1, %i0_3;\n");
  expect(text, "selp.f32 \t%f2, 0f00000000, %f1, %p1;\nmov.f32 %v0_3, %f2;\n}");
  EXPECT_TRUE(strstr(text, "max.NaN") == NULL);
  berth_free(text);
  text = text_of(behind, 2, BERTH_FLOAT, 7);
  expect(text, ".version 6.0\n.target sm_70\n");
  EXPECT_TRUE(strstr(text, "max.NaN") == NULL);
  berth_free(text);
}

TEST(chain_text, functions_are_blocks) {
  berth_chain_text_step_t steps[] = {UNARY("slope", 0)};
  steps[0].parameter = 0.25;
  char *text = text_of(steps, 1, BERTH_FLOAT, 9);
  expect(text,
         "{\n.reg .f32 \t%f<3>;\nmov.f32 %f1, %i0_1;\n"
         "mov.f64 %fd1, 0d3FD0000000000000;\nbra.uni \tLBB1_2;\nLBB1_1:\n"
         "mov.f32 %v0_1, %f1;\nbra.uni BERTH_END;\n"
         "LBB1_2:\nbra.uni \tLBB1_1;\nBERTH_END:\nmov.f32 %v0_1, %v0_1;\n}\n");
  berth_free(text);
}

TEST(chain_text, a_change_of_sign_makes_one_nan) {
  const berth_chain_text_step_t steps[] = {UNARY("neg", 0), UNARY("abs", ~0)};
  char *text = text_of(steps, 2, BERTH_FLOAT, 9);
  expect(text,
         "neg.f32 %v0_2, %i0_2;\nsetp.nan.f32 %is0, %i0_2, %i0_2;\n"
         "selp.f32 %v0_2, 0f7FFFFFFF, %v0_2, %is0;\n");
  expect(text, "abs.f32 %v1_2, %v0_2;\n");
  berth_free(text);
}

TEST(chain_text, what_has_no_text_is_refused) {
  const berth_chain_text_step_t table[] = {UNARY("table", 0)};
  const berth_chain_text_step_t none[] = {UNARY("nothing", 0)};
  EXPECT_TRUE(text_of(table, 1, BERTH_FLOAT, 9) == NULL);
  EXPECT_TRUE(text_of(none, 1, BERTH_FLOAT, 9) == NULL);
}

// ---- The texts of the build ----

static void write_all(const char *const *names, int count, int inputs) {
  static const berth_dtype_t dtypes[] = {BERTH_FLOAT, BERTH_HALF,
                                         BERTH_BFLOAT16};
  static const uint8_t reach[] = {BERTH_REACH_ALL, BERTH_REACH_ROW};
  for (int type = 0; type < 3; ++type) {
    berth_error_t err = BERTH_ERROR_INIT;
    const char *all[3] = {NULL, NULL, NULL};
    berth_code_t code = berth_cuda_terms(type, &all[type], &err);
    if (code == BERTH_NOT_FOUND) SKIP(berth_error_message(&err));
    ASSERT_OK(code, &err);
    for (int i = 0; i < count; ++i) {
      // What a card has no kernel of.
      bool is_missing = type == 2 && (strstr(names[i], "soft") != NULL ||
                                      strstr(names[i], "trunc_div") != NULL ||
                                      strstr(names[i], "mul_no_nan") != NULL);
      berth_chain_text_step_t step = {.name = names[i],
                                      .dtype = dtypes[type],
                                      .input_count = inputs,
                                      .inputs = {0, 1}};
      const berth_dtype_t both[] = {dtypes[type], dtypes[type]};
      berth_chain_text_t chain = {.steps = &step,
                                  .step_count = 1,
                                  .input_count = inputs,
                                  .outputs = (const int32_t[]){0},
                                  .output_count = 1,
                                  .reach = reach,
                                  .dtypes = both,
                                  .cc_major = 9,
                                  .terms = {all[0], all[1], all[2]}};
      berth_str_t out = {0};
      if (!berth_chain_text_write(&chain, &out) && !is_missing) {
        HARNESS_FAIL("no text of %s, type %d", names[i], type);
      }
      EXPECT_TRUE(strstr(berth_str_get(&out), "ld.param.f32") == NULL);
      EXPECT_TRUE(strstr(berth_str_get(&out), "retval") == NULL);
      berth_str_clear(&out);
    }
  }
}

TEST(chain_text, every_function_has_one) {
  static const char *const unary[] = {
      "u_neg",   "u_abs",      "u_square", "u_sign", "u_sqrt", "u_rsqrt",
      "u_floor", "u_ceil",     "u_round",  "u_exp",  "u_log",  "u_sigmoid",
      "u_tanh",  "u_erf",      "u_erfc",   "u_relu", "u_elu",  "u_leaky_relu",
      "u_selu",  "u_softplus", "u_cast"};
  static const char *const binary[] = {"b_add",
                                       "b_sub",
                                       "b_mul",
                                       "b_div",
                                       "b_max",
                                       "b_min",
                                       "b_squared_difference",
                                       "b_trunc_div",
                                       "b_relu_grad"};
  write_all(unary, BERTH_COUNT_OF(unary), 1);
  write_all(binary, BERTH_COUNT_OF(binary), 2);
}
