// poll_test.c - Kernels that may take long ask whether they are to go on.
#include "cpu/loops/poll.h"
#include "cpu/kernel_driver.h"
#include "cpu/kernels.h"
#include "harness.h"

// Counts how often it was asked, and says yes from |last| on.
typedef struct asked {
  int count, last;
} asked_t;

static bool count_asked(void *arg) {
  asked_t *asked = arg;
  return ++asked->count >= asked->last;
}

enum { COUNT = 20 * BERTH_CPU_POLL, STRINGS = 2 * BERTH_CPU_POLL };

static berth_tensor_t *floats_make(berth_dims_t shape) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_FLOAT, shape, &tensor, NULL) != BERTH_OK) {
    abort();
  }
  float *values = tensor->data;
  for (int64_t i = 0; i < tensor->count; ++i) values[i] = (float)(i % 1000);
  return tensor;
}

static berth_tensor_t *strings_make(int64_t count) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_STRING, BERTH_SHAPE(count), &tensor, NULL) !=
      BERTH_OK) {
    abort();
  }
  return tensor;
}

// Runs |driver| twice: to its end, asking at least |least| times, and only
// until it is told to stop.
static void expect_asked(driver_t *driver, int least) {
  berth_error_t err = BERTH_ERROR_INIT;
  asked_t asked = {.last = INT32_MAX};
  berth_parallel_scope_t scope = {1, count_asked, &asked};
  (void)berth_parallel_enter(&scope);
  ASSERT_OK(driver_call(driver, &err), &err);
  EXPECT_TRUE(asked.count >= least);
  driver_drop_outputs(driver);
  asked = (asked_t){.last = 2};
  berth_code_t code = driver_call(driver, &err);
  EXPECT_TRUE(code == BERTH_OK || code == BERTH_CANCELLED);
  EXPECT_EQ(asked.count, 2);
  (void)berth_parallel_enter(NULL);
  berth_error_clear(&err);
  driver_deinit(driver);
}

TEST(poll, top_k_of_one_row) {
  driver_t driver = {.op = "TopKV2"};
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_type(&driver, "Tk", BERTH_INT32);
  driver_type(&driver, "index_type", BERTH_INT32);
  driver_input(&driver, floats_make(BERTH_SHAPE(COUNT)));
  driver_input(&driver, driver_ints(BERTH_SCALAR, COUNT));
  driver_output(&driver, BERTH_FLOAT);
  driver_output(&driver, BERTH_INT32);
  // While elements come in, and while they are put in order.
  expect_asked(&driver, 2 * (COUNT / BERTH_CPU_POLL - 1));
}

TEST(poll, unique) {
  driver_t driver = {.op = "Unique"};
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_type(&driver, "out_idx", BERTH_INT32);
  driver_input(&driver, floats_make(BERTH_SHAPE(COUNT)));
  driver_output(&driver, BERTH_FLOAT);
  driver_output(&driver, BERTH_INT32);
  expect_asked(&driver, COUNT / BERTH_CPU_POLL);
}

TEST(poll, where) {
  driver_t driver = {.op = "Where"};
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_input(&driver, floats_make(BERTH_SHAPE(COUNT)));
  driver_output(&driver, BERTH_INT64);
  expect_asked(&driver, 2 * (COUNT / BERTH_CPU_POLL));
}

TEST(poll, in_top_k_of_long_and_of_many_rows) {
  for (int i = 0; i < 2; ++i) {
    int64_t rows = i == 0 ? 1 : COUNT / 4;
    driver_t driver = {.op = "InTopKV2"};
    driver_type(&driver, "T", BERTH_INT32);
    driver_input(&driver, floats_make(BERTH_SHAPE(rows, COUNT / rows)));
    berth_tensor_t *targets = NULL;
    ASSERT_OK(
        berth_tensor_create(BERTH_INT32, BERTH_SHAPE(rows), &targets, NULL),
        NULL);
    memset(targets->data, 0, targets->size);
    driver_input(&driver, targets);
    driver_input(&driver, driver_ints(BERTH_SCALAR, 1));
    driver_output(&driver, BERTH_BOOL);
    expect_asked(&driver, COUNT / BERTH_CPU_POLL / 2);
  }
}

TEST(poll, lin_space) {
  driver_t driver = {.op = "LinSpace"};
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_type(&driver, "Tidx", BERTH_INT32);
  driver_input(&driver, driver_floats(BERTH_SCALAR, 0));
  driver_input(&driver, driver_floats(BERTH_SCALAR, 1));
  driver_input(&driver, driver_ints(BERTH_SCALAR, COUNT));
  driver_output(&driver, BERTH_FLOAT);
  expect_asked(&driver, COUNT / BERTH_CPU_POLL);
}

TEST(poll, check_numerics) {
  driver_t driver = {.op = "CheckNumerics"};
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_text(&driver, "message", "m");
  driver_input(&driver, floats_make(BERTH_SHAPE(COUNT)));
  driver_output(&driver, BERTH_FLOAT);
  expect_asked(&driver, COUNT / BERTH_CPU_POLL - 1);
}

TEST(poll, as_string) {
  driver_t driver = {.op = "AsString"};
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_input(&driver, floats_make(BERTH_SHAPE(STRINGS)));
  driver_output(&driver, BERTH_STRING);
  expect_asked(&driver, STRINGS / BERTH_CPU_POLL);
}

// A few long texts take as long as many short ones.
TEST(poll, as_string_of_long_texts) {
  driver_t driver = {.op = "AsString"};
  driver_type(&driver, "T", BERTH_FLOAT);
  driver_int(&driver, "width", 1 << 20);
  driver_input(&driver, floats_make(BERTH_SHAPE(8)));
  driver_output(&driver, BERTH_STRING);
  expect_asked(&driver, 8);
}

TEST(poll, string_join) {
  driver_t driver = {.op = "StringJoin"};
  driver_int(&driver, "N", 2);
  driver_text(&driver, "separator", ",");
  driver_input(&driver, strings_make(STRINGS));
  driver_input(&driver, strings_make(STRINGS));
  driver_output(&driver, BERTH_STRING);
  expect_asked(&driver, STRINGS / 64);
}

TEST(poll, add_of_strings) {
  driver_t driver = {.op = "Add"};
  driver_type(&driver, "T", BERTH_STRING);
  driver_input(&driver, strings_make(STRINGS));
  driver_input(&driver, strings_make(STRINGS));
  driver_output(&driver, BERTH_STRING);
  expect_asked(&driver, STRINGS / BERTH_CPU_POLL);
}

TEST(poll, gather_of_strings) {
  driver_t driver = {.op = "GatherV2"};
  driver_type(&driver, "Tparams", BERTH_STRING);
  driver_type(&driver, "Tindices", BERTH_INT32);
  driver_type(&driver, "Taxis", BERTH_INT32);
  berth_tensor_t *indices = NULL;
  ASSERT_OK(
      berth_tensor_create(BERTH_INT32, BERTH_SHAPE(STRINGS), &indices, NULL),
      NULL);
  memset(indices->data, 0, indices->size);
  driver_input(&driver, strings_make(3));
  driver_input(&driver, indices);
  driver_input(&driver, driver_ints(BERTH_SCALAR, 0));
  driver_output(&driver, BERTH_STRING);
  expect_asked(&driver, STRINGS / BERTH_CPU_POLL);
}

// What would take a gigabyte for each number is not begun.
TEST(poll, as_string_of_absurd_texts) {
  static const char *const names[] = {"width", "precision"};
  static const int64_t sizes[] = {(1 << 20) + 1, INT32_MAX, INT64_MAX};
  for (int i = 0; i < 6; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    driver_t driver = {.op = "AsString"};
    driver_type(&driver, "T", BERTH_FLOAT);
    driver_int(&driver, names[i % 2], sizes[i / 2]);
    driver_input(&driver, floats_make(BERTH_SHAPE(4)));
    driver_output(&driver, BERTH_STRING);
    EXPECT_EQ(driver_call(&driver, &err), BERTH_INVALID_ARGUMENT);
    EXPECT_TRUE(strstr(berth_error_message(&err), "AsString can write ") !=
                NULL);
    berth_error_clear(&err);
    driver_deinit(&driver);
  }
}
