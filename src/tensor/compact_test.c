// compact_test.c - Tensors of few values, and all of their elements.
#include "tensor/compact.h"

#include "base/memory_size.h"
// The address sanitizer is to give NULL for too much, as malloc() does.
#define HARNESS_ASAN_OPTIONS "allocator_may_return_null=1"
#include "harness.h"
#include "tensor/string.h"

static berth_tensor_t *make(berth_dtype_t dtype, int64_t count,
                            int32_t listed) {
  berth_tensor_t *tensor = NULL;
  int64_t dims[] = {count};
  if (berth_tensor_make_compact(dtype, (berth_dims_t){1, dims}, count, listed,
                                &tensor, NULL) != BERTH_OK) {
    return NULL;
  }
  return tensor;
}

TEST(compact, keeps_the_listed_elements_only) {
  berth_tensor_t *tensor = make(BERTH_FLOAT, INT64_C(1) << 40, 3);
  ASSERT_TRUE(tensor != NULL);
  EXPECT_TRUE(berth_tensor_is_compact(tensor));
  EXPECT_TRUE(tensor->data == NULL);
  EXPECT_EQ(tensor->size, INT64_C(1) << 42);
  EXPECT_EQ(berth_tensor_distinct(tensor), 3);
  EXPECT_EQ(berth_tensor_place(tensor, 1), 1);
  EXPECT_EQ(berth_tensor_place(tensor, 1000), 2);
  EXPECT_EQ(tensor->buffer->size, 12);
  berth_tensor_release(tensor);
}

// Every size of a number there is.
TEST(compact, expands_numbers) {
  static const berth_dtype_t types[] = {BERTH_INT8, BERTH_HALF, BERTH_FLOAT,
                                        BERTH_DOUBLE, BERTH_COMPLEX128};
  for (int t = 0; t < 5; ++t) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_tensor_t *tensor = make(types[t], 10000, 3), *whole = NULL;
    ASSERT_TRUE(tensor != NULL);
    size_t size = berth_dtype_size(types[t]);
    char *elements = berth_tensor_elements(tensor);
    for (size_t i = 0; i < 3 * size; ++i) elements[i] = (char)(i + 1);
    ASSERT_OK(berth_tensor_expand(tensor, &whole, &err), &err);
    EXPECT_FALSE(berth_tensor_is_compact(whole));
    EXPECT_EQ(whole->listed, 3);
    const char *data = whole->data;
    EXPECT_TRUE(memcmp(data, elements, 3 * size) == 0);
    for (size_t i = 3; i < 10000; ++i) {
      ASSERT_TRUE(memcmp(data + i * size, elements + 2 * size, size) == 0);
    }
    berth_tensor_release(whole);
    berth_tensor_release(tensor);
  }
}

TEST(compact, expands_strings) {
  static const char text[] = "long enough to lie in memory of its own";
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = make(BERTH_STRING, 500, 2), *whole = NULL;
  ASSERT_TRUE(tensor != NULL);
  berth_string_t *strings = berth_tensor_elements(tensor);
  ASSERT_TRUE(berth_string_set(&strings[0], "first", 5));
  ASSERT_TRUE(berth_string_set(&strings[1], text, sizeof text - 1));
  EXPECT_EQ(berth_tensor_expanded_size(tensor),
            500 * 24 + 498 * (sizeof text - 1));
  ASSERT_OK(berth_tensor_expand(tensor, &whole, &err), &err);
  size_t size = 0;
  EXPECT_TRUE(strcmp(berth_tensor_get_string(whole, 0, &size), "first") == 0);
  for (int64_t i = 1; i < 500; ++i) {
    const char *element = berth_tensor_get_string(whole, i, &size);
    EXPECT_TRUE(size == sizeof text - 1 && memcmp(element, text, size) == 0);
  }
  berth_tensor_release(tensor);
  berth_tensor_release(whole);
}

TEST(compact, gives_another_reference_to_what_is_whole) {
  berth_tensor_t *tensor = NULL, *same = NULL;
  ASSERT_OK(
      berth_tensor_create(BERTH_FLOAT, (berth_dims_t){0, NULL}, &tensor, NULL),
      NULL);
  ASSERT_OK(berth_tensor_expand(tensor, &same, NULL), NULL);
  EXPECT_TRUE(same == tensor);
  berth_tensor_release(same);
  berth_tensor_release(tensor);
}

// More than there is, and more than there can be.
TEST(compact, refuses_what_no_machine_holds) {
  static const int64_t counts[] = {INT64_C(1) << 50, INT64_MAX / 8};
  for (int i = 0; i < 2; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_tensor_t *tensor = make(BERTH_INT64, counts[i], 1), *whole = NULL;
    ASSERT_TRUE(tensor != NULL);
    EXPECT_EQ(berth_tensor_expand(tensor, &whole, &err),
              BERTH_RESOURCE_EXHAUSTED);
    EXPECT_TRUE(strstr(berth_error_message(&err),
                       "OOM when allocating tensor with shape[") != NULL);
    EXPECT_TRUE(whole == NULL);
    berth_error_clear(&err);
    berth_tensor_release(tensor);
  }
}

// Few elements, each a megabyte: the texts are what does not fit.
TEST(compact, counts_the_texts_of_strings) {
  berth_error_t err = BERTH_ERROR_INIT;
  int64_t count = (int64_t)(berth_memory_most() >> 20) + 2;
  berth_tensor_t *tensor = make(BERTH_STRING, count, 1), *whole = NULL;
  ASSERT_TRUE(tensor != NULL);
  char *text = calloc(1, 1 << 20);
  ASSERT_TRUE(text != NULL);
  ASSERT_TRUE(berth_string_set(berth_tensor_elements(tensor), text, 1 << 20));
  free(text);
  EXPECT_EQ(berth_tensor_expand(tensor, &whole, &err),
            BERTH_RESOURCE_EXHAUSTED);
  berth_error_clear(&err);
  berth_tensor_release(tensor);
  // So many that their size cannot be counted.
  tensor = make(BERTH_STRING, INT64_MAX / 24, 1);
  ASSERT_TRUE(tensor != NULL);
  static const char forty[] = "forty bytes of text, more than are inside";
  ASSERT_TRUE(
      berth_string_set(berth_tensor_elements(tensor), forty, sizeof forty));
  EXPECT_TRUE(berth_tensor_expanded_size(tensor) == UINT64_MAX);
  berth_tensor_release(tensor);
}
