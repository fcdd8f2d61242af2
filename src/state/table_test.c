// table_test.c - Tables beside a plain list, at random.
#include "state/table.h"

#include "harness.h"
#include "tensor/string.h"

enum { KEYS = 40, STEPS = 4000 };

static uint32_t state = 99;

static uint32_t next_random(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

static berth_tensor_t *numbers(int64_t a) {
  berth_tensor_t *tensor = NULL;
  int64_t one = 1;
  if (berth_tensor_make(NULL, BERTH_INT64, 1, &one, 1, &tensor, NULL) ==
      BERTH_OK) {
    *(int64_t *)tensor->data = a;
  }
  return tensor;
}

static berth_tensor_t *texts(int64_t a) {
  berth_tensor_t *tensor = NULL;
  int64_t one = 1;
  char text[64];
  if (berth_tensor_make(NULL, BERTH_STRING, 1, &one, 1, &tensor, NULL) ==
      BERTH_OK) {
    int size = snprintf(text, sizeof(text), "a text of some length: %lld",
                        (long long)a);
    (void)berth_string_set(tensor->data, text, (size_t)size);
  }
  return tensor;
}

// What a table should hold: -1 where a key is not there.
typedef struct shadow {
  int64_t values[KEYS];
  int64_t count;
} shadow_t;

static void check(berth_table_t *table, const shadow_t *shadow, int64_t key,
                  bool has_texts) {
  berth_tensor_t *keys = has_texts ? texts(key) : numbers(key);
  berth_tensor_t *none = numbers(-1);
  int64_t found = 0;
  EXPECT_EQ(berth_table_find(table, keys, none, &found, NULL), BERTH_OK);
  EXPECT_EQ(found, shadow->values[key]);
  EXPECT_EQ(berth_table_size(table), shadow->count);
  berth_tensor_release(keys);
  berth_tensor_release(none);
}

static void change(berth_table_t *table, shadow_t *shadow, int64_t key,
                   bool has_texts) {
  berth_tensor_t *keys = has_texts ? texts(key) : numbers(key);
  if (next_random() % 3 == 0) {
    EXPECT_EQ(berth_table_remove(table, keys, NULL), BERTH_OK);
    shadow->count -= shadow->values[key] >= 0;
    shadow->values[key] = -1;
  } else {
    int64_t value = next_random() % 1000;
    berth_tensor_t *values = numbers(value);
    EXPECT_EQ(berth_table_insert(table, keys, values, false, NULL), BERTH_OK);
    shadow->count += shadow->values[key] < 0;
    shadow->values[key] = value;
    berth_tensor_release(values);
  }
  berth_tensor_release(keys);
}

static void walk(bool has_texts) {
  berth_table_spec_t spec = {
      .kind = BERTH_TABLE_MUTABLE,
      .key_dtype = has_texts ? BERTH_STRING : BERTH_INT64,
      .value_dtype = BERTH_INT64};
  berth_resource_t *resource = NULL;
  shadow_t shadow = {.count = 0};
  for (int i = 0; i < KEYS; ++i) shadow.values[i] = -1;
  ASSERT_TRUE(berth_table_create(&spec, &resource, NULL) == BERTH_OK);
  berth_table_t *table = (berth_table_t *)resource;
  for (int i = 0; i < STEPS; ++i) {
    int64_t range = i % 500 < 250 ? KEYS : 3;
    change(table, &shadow, next_random() % range, has_texts);
    check(table, &shadow, next_random() % KEYS, has_texts);
  }
  berth_tensor_t *keys = NULL, *values = NULL;
  ASSERT_TRUE(berth_table_export(table, &keys, &values, NULL) == BERTH_OK);
  EXPECT_EQ(keys->count, shadow.count);
  EXPECT_EQ(values->count, shadow.count);
  berth_tensor_release(keys);
  berth_tensor_release(values);
  berth_resource_release(resource);
}

TEST(table, holds_numbers) { walk(false); }

TEST(table, holds_texts) { walk(true); }

TEST(table, of_one_filling) {
  berth_table_spec_t spec = {.kind = BERTH_TABLE_STATIC,
                             .key_dtype = BERTH_STRING,
                             .value_dtype = BERTH_INT64};
  berth_resource_t *resource = NULL;
  berth_error_t err = {0};
  ASSERT_TRUE(berth_table_create(&spec, &resource, NULL) == BERTH_OK);
  berth_table_t *table = (berth_table_t *)resource;
  berth_tensor_t *keys = texts(1), *value = numbers(5), *other = numbers(6);
  int64_t found = 0;
  EXPECT_FAILS(berth_table_find(table, keys, other, &found, &err),
               BERTH_FAILED_PRECONDITION, &err, "Table not initialized.");
  EXPECT_EQ(berth_table_fill(table, keys, value, NULL), BERTH_OK);
  EXPECT_EQ(berth_table_fill(table, keys, other, NULL), BERTH_OK);
  EXPECT_EQ(berth_table_find(table, keys, other, &found, NULL), BERTH_OK);
  EXPECT_EQ(found, 5);
  berth_tensor_release(keys);
  berth_tensor_release(value);
  berth_tensor_release(other);
  berth_resource_release(resource);
}
