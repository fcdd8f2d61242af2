// attr_test.c - Attribute values: printing, copying, comparing.
#include "graph/attr.h"

#include "base/fault.h"
#include "harness.h"
#include "tensor/tensor.h"

static void expect_print(berth_attr_value_t value, const char *expected) {
  berth_str_t str = {0};
  berth_attr_print(&value, &str);
  EXPECT_STR(berth_str_get(&str), expected);
  berth_str_clear(&str);
}

static berth_attr_value_t text_value(const char *text) {
  return (berth_attr_value_t){.kind = BERTH_ATTR_STRING,
                              .s = {text, strlen(text)}};
}

static berth_attr_value_t float_value(float value) {
  return (berth_attr_value_t){.kind = BERTH_ATTR_FLOAT, .f = value};
}

#define LIST(of) ((berth_attr_kind_t)(BERTH_ATTR_LIST + (of)))

TEST(attr, prints_scalars_as_tensorflow) {
  expect_print(float_value(0.123456789f), "0.123456791");
  expect_print(float_value(1e10f), "1e+10");
  expect_print(float_value(16777217.0f), "16777216");
  expect_print(float_value(1e-5f), "1e-05");
  expect_print(float_value(0.1f), "0.1");
  expect_print((berth_attr_value_t){.kind = BERTH_ATTR_INT, .i = -7}, "-7");
  expect_print((berth_attr_value_t){.kind = BERTH_ATTR_BOOL, .b = true},
               "true");
  expect_print(
      (berth_attr_value_t){.kind = BERTH_ATTR_TYPE, .type = (berth_dtype_t)101},
      "DT_FLOAT_REF");
  expect_print((berth_attr_value_t){.kind = BERTH_ATTR_NONE},
               "<Unknown AttrValue type>");
  berth_attr_value_t placeholder = text_value("T");
  placeholder.kind = BERTH_ATTR_PLACEHOLDER;
  expect_print(placeholder, "$T");
}

TEST(attr, prints_texts_escaped_and_shortened) {
  expect_print(text_value("abc\n\"q"), "\"abc\\n\\\"q\"");
  expect_print(text_value("\377\001"), "\"\\377\\001\"");
  expect_print(
      text_value("012345678901234567890123456789012345678901234567890123456789"
                 "0123456789012345678901234567890123456789"),
      "\"0123456789...0123456789\"");
}

TEST(attr, prints_shapes) {
  int64_t dims[2] = {2, -1};
  berth_attr_value_t value = {.kind = BERTH_ATTR_SHAPE, .shape = {2, dims}};
  expect_print(value, "[2,?]");
  value.shape.rank = -1;
  expect_print(value, "<unknown>");
  value.shape.rank = 0;
  expect_print(value, "[]");
}

TEST(attr, prints_lists) {
  int64_t numbers[40];
  for (int i = 0; i < 40; ++i) numbers[i] = i;
  berth_attr_value_t value = {
      .kind = LIST(BERTH_ATTR_INT), .count = 3, .i_list = numbers};
  expect_print(value, "[0, 1, 2]");
  value.count = 30;
  expect_print(value, "[0, 1, 2, 3, 4, ..., 25, 26, 27, 28, 29]");
  value.count = 0;
  expect_print(value, "[]");
  bool flags[2] = {true, false};
  expect_print(
      (berth_attr_value_t){
          .kind = LIST(BERTH_ATTR_BOOL), .count = 2, .b_list = flags},
      "[true, false]");
  berth_dtype_t types[2] = {BERTH_FLOAT, BERTH_INT32};
  expect_print(
      (berth_attr_value_t){
          .kind = LIST(BERTH_ATTR_TYPE), .count = 2, .type_list = types},
      "[DT_FLOAT, DT_INT32]");
  berth_attr_text_t texts[2] = {{"a", 1}, {"b", 1}};
  expect_print(
      (berth_attr_value_t){
          .kind = LIST(BERTH_ATTR_STRING), .count = 2, .s_list = texts},
      "[\"a\", \"b\"]");
}

TEST(attr, prints_functions_by_name_of_attribute) {
  berth_attr_t attrs[2] = {
      {"b", {.kind = BERTH_ATTR_INT, .i = 1}},
      {"a", {.kind = BERTH_ATTR_TYPE, .type = BERTH_FLOAT}}};
  berth_attr_func_t func = {"foo", 2, attrs};
  expect_print((berth_attr_value_t){.kind = BERTH_ATTR_FUNC, .func = &func},
               "foo[a=DT_FLOAT, b=1]");
  func.attr_count = 0;
  expect_print((berth_attr_value_t){.kind = BERTH_ATTR_FUNC, .func = &func},
               "foo[]");
}

static berth_tensor_t *floats(berth_dims_t shape) {
  static const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_copy_from(BERTH_FLOAT, shape, values, &tensor, &err) !=
      BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  return tensor;
}

static void expect_tensor(berth_dims_t shape, const char *expected) {
  berth_tensor_t *tensor = floats(shape);
  expect_print(
      (berth_attr_value_t){.kind = BERTH_ATTR_TENSOR, .tensor = tensor},
      expected);
  berth_tensor_release(tensor);
}

TEST(attr, prints_three_elements_of_a_tensor) {
  expect_tensor(BERTH_SCALAR, "Tensor<type: float shape: [] values: 1>");
  expect_tensor(BERTH_SHAPE(2), "Tensor<type: float shape: [2] values: 1 2>");
  expect_tensor(BERTH_SHAPE(5),
                "Tensor<type: float shape: [5] values: 1 2 3...>");
  expect_tensor(BERTH_SHAPE(3, 2),
                "Tensor<type: float shape: [3,2] values: [1 2][3...]...>");
  expect_tensor(BERTH_SHAPE(2, 3),
                "Tensor<type: float shape: [2,3] values: [1 2 3]...>");
  expect_tensor(BERTH_SHAPE(3, 1),
                "Tensor<type: float shape: [3,1] values: [1][2][3]>");
  expect_tensor(BERTH_SHAPE(1, 1, 2),
                "Tensor<type: float shape: [1,1,2] values: [[1 2]]>");
  expect_tensor(BERTH_SHAPE(2, 2, 2),
                "Tensor<type: float shape: [2,2,2] values: [[1 2][3...]]...>");
  expect_tensor(BERTH_SHAPE(2, 0), "Tensor<type: float shape: [2,0] values: >");
}

// ---- Copies ----

// Fills |attrs| with one value of each kind that owns something.
static int sample(berth_attr_t attrs[8], berth_tensor_t *tensor) {
  static const int64_t dims[2] = {2, 3};
  static const berth_dims_t shapes[2] = {{2, dims}, {-1, NULL}};
  static const berth_attr_text_t texts[2] = {{"a", 1}, {"\0b", 2}};
  static berth_tensor_t *tensors[2];
  static berth_attr_t inner[1];
  static berth_attr_func_t funcs[2];
  tensors[0] = tensors[1] = tensor;
  inner[0] = (berth_attr_t){"t", {.kind = BERTH_ATTR_TENSOR, .tensor = tensor}};
  funcs[0] = (berth_attr_func_t){"f", 1, inner};
  funcs[1] = (berth_attr_func_t){"g", 0, NULL};
  const berth_attr_value_t values[8] = {
      {.kind = BERTH_ATTR_STRING, .s = {"text", 4}},
      {.kind = BERTH_ATTR_SHAPE, .shape = {2, dims}},
      {.kind = BERTH_ATTR_TENSOR, .tensor = tensor},
      {.kind = BERTH_ATTR_FUNC, .func = &funcs[0]},
      {.kind = LIST(BERTH_ATTR_STRING), .count = 2, .s_list = texts},
      {.kind = LIST(BERTH_ATTR_SHAPE), .count = 2, .shape_list = shapes},
      {.kind = LIST(BERTH_ATTR_TENSOR), .count = 2, .tensor_list = tensors},
      {.kind = LIST(BERTH_ATTR_FUNC), .count = 2, .func_list = funcs},
  };
  for (int i = 0; i < 8; ++i) attrs[i] = (berth_attr_t){"", values[i]};
  return 8;
}

TEST(attr, copies_equal_their_originals_and_drop_what_they_hold) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = floats(BERTH_SHAPE(2));
  berth_attr_t attrs[8];
  int count = sample(attrs, tensor);
  berth_arena_t arena = {0};
  for (int i = 0; i < count; ++i) {
    berth_attr_value_t copy;
    ASSERT_OK(berth_attr_copy(&attrs[i].value, &arena, &copy, &err), &err);
    EXPECT_TRUE(berth_attr_equal(&attrs[i].value, &copy));
    EXPECT_FALSE(berth_attr_equal(&attrs[(i + 1) % count].value, &copy));
    berth_attr_drop_tensors(&copy);
  }
  EXPECT_TRUE(berth_tensor_is_exclusive(tensor));
  berth_tensor_release(tensor);
  berth_arena_clear(&arena);
}

TEST(attr, tensors_are_compared_by_contents) {
  berth_tensor_t *a = floats(BERTH_SHAPE(2, 3)), *b = floats(BERTH_SHAPE(2, 3));
  berth_tensor_t *c = floats(BERTH_SHAPE(3, 2));
  berth_attr_value_t x = {.kind = BERTH_ATTR_TENSOR, .tensor = a}, y = x;
  y.tensor = b;
  EXPECT_TRUE(berth_attr_equal(&x, &y));
  ((float *)berth_tensor_data(b))[5] = 7;
  EXPECT_FALSE(berth_attr_equal(&x, &y));
  y.tensor = c;
  EXPECT_FALSE(berth_attr_equal(&x, &y));
  berth_tensor_release(a);
  berth_tensor_release(b);
  berth_tensor_release(c);
}

TEST(attr, a_copy_without_memory_holds_nothing) {
  berth_tensor_t *tensor = floats(BERTH_SHAPE(2));
  berth_attr_t attrs[8];
  int count = sample(attrs, tensor);
  for (int i = 0; i < count; ++i) {
    berth_arena_t arena = {0};
    berth_attr_value_t copy;
    berth_fault_arm("alloc", 1);
    berth_code_t code = berth_attr_copy(&attrs[i].value, &arena, &copy, NULL);
    berth_fault_disarm();
    bool owns_memory = attrs[i].value.kind != BERTH_ATTR_TENSOR;
    EXPECT_EQ(code, owns_memory ? BERTH_RESOURCE_EXHAUSTED : BERTH_OK);
    if (code == BERTH_OK) berth_attr_drop_tensors(&copy);
    berth_arena_clear(&arena);
  }
  EXPECT_TRUE(berth_tensor_is_exclusive(tensor));
  berth_tensor_release(tensor);
}
