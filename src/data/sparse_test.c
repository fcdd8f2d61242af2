// sparse_test.c - Sparse tensors joined and cut into rows; where iterators are.
#include "data/sparse.h"

#include "base/fault.h"
#include "data/iterator.h"
#include "data/kernels.h"
#include "data/stock.h"
#include "harness.h"

static berth_tensor_t *ints(int32_t rank, const int64_t *dims,
                            const int64_t *values) {
  berth_tensor_t *tensor = NULL;
  berth_dims_t shape = {rank, dims};
  if (berth_tensor_copy_from(BERTH_INT64, shape, values, &tensor, NULL) !=
      BERTH_OK) {
    return NULL;
  }
  return tensor;
}

// Makes a sparse vector of |size| with |count| values at |places|.
static void vector(int64_t count, const int64_t *places, int64_t size,
                   berth_tensor_t **out) {
  int64_t wide[2] = {count, 1}, one = 1;
  out[0] = ints(2, wide, places);
  out[1] = ints(1, &count, places);
  out[2] = ints(1, &one, &size);
}

TEST(sparse, vectors_are_joined_to_the_largest) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *parts[6], *out[3];
  vector(2, (int64_t[]){1, 3}, 4, parts);
  vector(1, (int64_t[]){5}, 7, parts + 3);
  ASSERT_OK(berth_sparse_join(parts, 3, 2, out, &err), &err);
  static const int64_t places[] = {0, 1, 0, 3, 1, 5}, shape[] = {2, 7};
  EXPECT_EQ(out[0]->dims[0], 3);
  EXPECT_EQ(memcmp(out[0]->data, places, sizeof(places)), 0);
  EXPECT_EQ(((const int64_t *)out[1]->data)[2], 5);
  EXPECT_EQ(memcmp(out[2]->data, shape, sizeof(shape)), 0);
  berth_element_drop(out, 3);
  berth_element_drop(parts, 6);
}

TEST(sparse, other_ranks_are_refused) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *parts[6], *out[3];
  int64_t wide[2] = {1, 2}, two = 2;
  vector(1, (int64_t[]){1}, 4, parts);
  parts[3] = ints(2, wide, (int64_t[]){0, 0});
  parts[4] = ints(1, &wide[0], (int64_t[]){9});
  parts[5] = ints(1, &two, (int64_t[]){2, 2});
  EXPECT_EQ(berth_sparse_join(parts, 3, 2, out, &err), BERTH_INVALID_ARGUMENT);
  EXPECT_STR(berth_error_message(&err),
             "Inconsistent rank across SparseTensors: rank prior to "
             "SparseTensor[1] was: 1 but rank of SparseTensor[1] is: 2");
  berth_element_drop(parts, 6);
  berth_error_clear(&err);
}

TEST(sparse, rows_of_the_joined_are_what_was_joined) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *parts[6], *whole[3], *row[3];
  vector(2, (int64_t[]){1, 3}, 7, parts);
  vector(0, (int64_t[]){0}, 7, parts + 3);
  ASSERT_OK(berth_sparse_join(parts, 3, 2, whole, &err), &err);
  berth_dtype_t types[3] = {BERTH_INT64, BERTH_INT64, BERTH_INT64};
  berth_shape_t shapes[3] = {{.rank = 2}, {.rank = 1}, {.rank = 1}};
  berth_dataset_t rows = {.width = 3, .types = types, .shapes = shapes};
  int64_t count = 0;
  int taken = 0;
  ASSERT_OK(berth_rows_count(&rows, whole, 0, &count, &taken), &err);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(taken, 3);
  for (int64_t r = 0; r < 2; ++r) {
    ASSERT_OK(berth_rows_take(&rows, whole, r, berth_element_slice, row, &err),
              &err);
    EXPECT_EQ(row[1]->count, r == 0 ? 2 : 0);
    EXPECT_EQ(*(const int64_t *)row[2]->data, 7);
    if (r == 0) EXPECT_EQ(((const int64_t *)row[0]->data)[1], 3);
    berth_element_drop(row, 3);
  }
  berth_element_drop(whole, 3);
  berth_element_drop(parts, 6);
}

TEST(sparse, nothing_is_lost_when_memory_is_short) {
  berth_tensor_t *parts[6], *out[3] = {NULL};
  vector(2, (int64_t[]){1, 3}, 4, parts);
  vector(1, (int64_t[]){5}, 7, parts + 3);
  for (int64_t nth = 1; nth < 100; ++nth) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_fault_arm("alloc", nth);
    berth_code_t code = berth_sparse_join(parts, 3, 2, out, &err);
    bool has_failed = berth_fault_disarm() > 0;
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    if (code == BERTH_OK) berth_element_drop(out, 3);
    EXPECT_TRUE(out[0] == NULL);
    berth_error_clear(&err);
    if (!has_failed || code == BERTH_OK) break;
  }
  berth_element_drop(parts, 6);
}

// ---- Where iterators are ----

static berth_tensor_t *ten(void) {
  berth_stock_t stock = {.width = 1};
  berth_dtype_t type = BERTH_INT64;
  berth_shape_t shape = {0};
  berth_tensor_t *variant = NULL;
  for (int64_t i = 0; i < 10; ++i) {
    berth_tensor_t *tensor = ints(0, NULL, &i);
    berth_code_t code = berth_stock_add(&stock, &tensor, NULL);
    berth_tensor_release(tensor);
    if (code != BERTH_OK) return NULL;
  }
  return berth_stock_wrap(&stock, &type, &shape, &variant, NULL) == BERTH_OK
             ? variant
             : NULL;
}

static int64_t take(berth_iterator_t *iterator) {
  berth_tensor_t *element = NULL;
  bool is_end = false;
  if (berth_iterator_next(iterator, &element, &is_end, NULL) != BERTH_OK) {
    return -2;
  }
  if (is_end) return -1;
  int64_t value = *(const int64_t *)element->data;
  berth_tensor_release(element);
  return value;
}

TEST(position, an_iterator_goes_back) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *variant = ten(), *state = NULL;
  berth_dataset_t *dataset = NULL;
  berth_iterator_t *iterator = NULL;
  berth_dtype_t type = BERTH_INT64;
  ASSERT_OK(berth_dataset_of(variant, &dataset, &err), &err);
  ASSERT_OK(berth_iterator_create(&type, NULL, 1, &iterator, &err), &err);
  EXPECT_EQ(berth_iterator_save(iterator, &state, &err),
            BERTH_FAILED_PRECONDITION);
  berth_error_clear(&err);
  ASSERT_OK(berth_iterator_start(iterator, dataset, &err), &err);
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(take(iterator), i);
  ASSERT_OK(berth_iterator_save(iterator, &state, &err), &err);
  for (int64_t i = 4; i < 10; ++i) EXPECT_EQ(take(iterator), i);
  EXPECT_EQ(take(iterator), -1);
  ASSERT_OK(berth_iterator_restore(iterator, state, &err), &err);
  EXPECT_EQ(take(iterator), 4);
  for (int64_t nth = 1; nth < 100; ++nth) {
    berth_fault_arm("alloc", nth);
    berth_code_t code = berth_iterator_restore(iterator, state, &err);
    (void)berth_fault_disarm();
    berth_error_clear(&err);
    EXPECT_EQ(take(iterator), code == BERTH_OK ? 4 : 4 + nth);
    if (code == BERTH_OK) break;
  }
  EXPECT_EQ(berth_iterator_restore(iterator, variant, &err),
            BERTH_INVALID_ARGUMENT);
  berth_error_clear(&err);
  berth_tensor_release(state);
  berth_resource_release((berth_resource_t *)iterator);
  berth_tensor_release(variant);
}
