// unique_test.c - The search of Unique.
#include "kernel/unique.h"

#include "base/fault.h"
#include "harness.h"

// Searches |in|; the caller releases both outputs.
static berth_code_t search(const berth_tensor_t *in, berth_dtype_t index_type,
                           const atomic_int *cancelled,
                           berth_tensor_t *outputs[2], berth_error_t *err) {
  berth_call_t call = {.err = err, .outputs = outputs, .cancelled = cancelled};
  outputs[0] = outputs[1] = NULL;
  return berth_unique_find(in, index_type, &call);
}

static void release(berth_tensor_t *outputs[2]) {
  berth_tensor_release(outputs[0]);
  berth_tensor_release(outputs[1]);
}

TEST(unique, keeps_the_first_of_equals) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *in = NULL, *out[2];
  const int64_t values[] = {7, 3, 7, 7, 5, 3};
  ASSERT_OK(
      berth_tensor_copy_from(BERTH_INT64, BERTH_SHAPE(6), values, &in, &err),
      &err);
  ASSERT_OK(search(in, BERTH_INT32, NULL, out, &err), &err);
  ASSERT_TRUE(out[0]->count == 3 && out[1]->count == 6);
  EXPECT_TRUE(memcmp(out[0]->data, (const int64_t[]){7, 3, 5}, 24) == 0);
  EXPECT_TRUE(memcmp(out[1]->data, (const int32_t[]){0, 1, 0, 0, 2, 1}, 24) ==
              0);
  release(out);
  berth_tensor_release(in);
}

// NaN equals nothing, and both zeros are one.
TEST(unique, compares_numbers) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *in = NULL, *out[2];
  const float values[] = {0.0F, NAN, -0.0F, NAN};
  ASSERT_OK(
      berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(4), values, &in, &err),
      &err);
  ASSERT_OK(search(in, BERTH_INT64, NULL, out, &err), &err);
  EXPECT_EQ(out[0]->count, 3);
  EXPECT_TRUE(memcmp(out[1]->data, (const int64_t[]){0, 1, 0, 2}, 32) == 0);
  release(out);
  berth_tensor_release(in);
}

TEST(unique, lets_go_when_its_run_has_ended) {
  enum { MANY = 1 << 17 };
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *in = NULL, *out[2];
  const atomic_int ended = 1;
  ASSERT_OK(berth_tensor_create(BERTH_UINT8, BERTH_SHAPE(MANY), &in, &err),
            &err);
  memset(in->data, 0, MANY);
  EXPECT_FAILS(search(in, BERTH_INT32, &ended, out, &err), BERTH_CANCELLED,
               &err, "Run call was cancelled");
  EXPECT_TRUE(out[0] == NULL && out[1] == NULL);
  berth_tensor_release(in);
}

TEST(unique, survives_every_failed_allocation) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *in = NULL, *out[2];
  const int32_t values[] = {1, 2, 1};
  ASSERT_OK(
      berth_tensor_copy_from(BERTH_INT32, BERTH_SHAPE(3), values, &in, &err),
      &err);
  berth_code_t code = BERTH_RESOURCE_EXHAUSTED;
  int64_t nth = 1;
  for (; code != BERTH_OK && nth < 50; ++nth) {
    berth_fault_arm("alloc", nth);
    code = search(in, BERTH_INT32, NULL, out, &err);
    berth_fault_disarm();
    EXPECT_TRUE(code == BERTH_OK || code == BERTH_RESOURCE_EXHAUSTED);
    berth_error_clear(&err);
  }
  EXPECT_TRUE(nth > 3 && code == BERTH_OK);
  release(out);
  berth_tensor_release(in);
}
