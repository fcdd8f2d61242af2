// stock_test.c - Elements in memory, datasets of them, and numbers of seeds.
#include "data/stock.h"

#include "base/alloc.h"
#include "data/kernels.h"
#include "harness.h"

static berth_tensor_t *number(int64_t value) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_copy_from(BERTH_INT64, BERTH_SCALAR, &value, &tensor,
                             NULL) != BERTH_OK) {
    return NULL;
  }
  return tensor;
}

static berth_stock_t stock_of(int64_t count) {
  berth_stock_t stock = {.width = 1};
  for (int64_t i = 0; i < count; ++i) {
    berth_tensor_t *tensor = number(10 * i);
    berth_code_t code = berth_stock_add(&stock, &tensor, NULL);
    berth_tensor_release(tensor);
    if (code != BERTH_OK) break;
  }
  return stock;
}

TEST(stock, a_dataset_of_it_is_gone_through_twice) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_stock_t stock = stock_of(3);
  berth_dtype_t type = BERTH_INT64;
  berth_shape_t shape = {0};
  berth_tensor_t *variant = NULL;
  berth_dataset_t *dataset = NULL;
  ASSERT_OK(berth_stock_wrap(&stock, &type, &shape, &variant, &err), &err);
  EXPECT_EQ(stock.count, 0);
  ASSERT_OK(berth_dataset_of(variant, &dataset, &err), &err);
  EXPECT_EQ(berth_dataset_count(dataset), 3);
  for (int turn = 0; turn < 2; ++turn) {
    berth_reading_t reading;
    berth_cursor_t *cursor = NULL;
    berth_reading_init(&reading);
    ASSERT_OK(berth_cursor_open(dataset, &reading, &cursor, &err), &err);
    bool is_end = false;
    for (int64_t i = 0; i < 3; ++i) {
      berth_tensor_t *element = NULL;
      ASSERT_OK(berth_cursor_next(cursor, &element, &is_end, &err), &err);
      EXPECT_TRUE(!is_end);
      EXPECT_EQ(*(const int64_t *)element->data, 10 * i);
      berth_tensor_release(element);
    }
    for (int again = 0; again < 2; ++again) {
      berth_tensor_t *element = NULL;
      ASSERT_OK(berth_cursor_next(cursor, &element, &is_end, &err), &err);
      EXPECT_TRUE(is_end);
    }
    berth_cursor_close(cursor);
    berth_reading_deinit(&reading);
  }
  berth_tensor_release(variant);
}

TEST(stock, what_is_no_dataset_is_refused) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = number(1);
  berth_dataset_t *dataset = NULL;
  EXPECT_EQ(berth_dataset_of(tensor, &dataset, &err), BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(dataset == NULL);
  berth_tensor_release(tensor);
  berth_error_clear(&err);
}

// Dataset.random(seed=4) of TensorFlow 2.21 begins with these numbers.
TEST(lots, are_tensorflows) {
  static const uint32_t expected[] = {3128586565u, 2023892699u, 452966358u,
                                      4293674553u, 1485036815u};
  berth_lots_t lots;
  berth_lots_begin(&lots, 87654321, 4);
  for (int i = 0; i < BERTH_COUNT_OF(expected); ++i) {
    EXPECT_EQ(berth_lots_next(&lots), expected[i]);
  }
}

TEST(seeds, differ_with_each_iterator_or_never) {
  berth_error_t err = BERTH_ERROR_INIT;
  for (int is_anew = 0; is_anew < 2; ++is_anew) {
    berth_seeds_t *seeds = NULL;
    int64_t a[2] = {0}, b[2] = {0};
    ASSERT_OK(berth_seeds_create(3, 4, is_anew != 0, &seeds, &err), &err);
    berth_seeds_next(seeds, &a[0], &a[1]);
    berth_seeds_next(seeds, &b[0], &b[1]);
    EXPECT_EQ(a[0] == b[0] && a[1] == b[1], is_anew == 0);
    if (is_anew == 0) {
      EXPECT_EQ(a[0], 3);
      EXPECT_EQ(a[1], 4);
    }
    berth_seeds_destroy(seeds);
  }
}
