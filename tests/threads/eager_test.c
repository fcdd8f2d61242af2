// eager_test.c - Eager calls from several threads.
#include "threads_testing.h"

enum { CALLS = 100 };

// Calls |op| on one or two inputs and gives back the first element.
static double call(berth_context_t *context, const char *op, berth_tensor_t *a,
                   berth_tensor_t *b) {
  berth_tensor_t *inputs[] = {a, b}, *result = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  int count = 1;
  berth_code_t code = berth_eager_call(
      context, op, NULL, inputs, b != NULL ? 2 : 1, &result, &count, &err);
  if (code != BERTH_OK) HARNESS_FAIL("%s: %s", op, berth_error_message(&err));
  double first = element(result, 0);
  berth_tensor_release(result);
  berth_error_clear(&err);
  return first;
}

static void call_ops(worker_t *worker) {
  static const char *const ops[] = {"AddV2", "Mul", "Sub", "Maximum"};
  berth_context_t *context = worker->shared;
  for (int i = 0; i < CALLS; ++i) {
    berth_tensor_t *a = scalar((float)i), *b = scalar(2);
    const double expected[] = {i + 2, i * 2, i - 2, i > 2 ? i : 2};
    int op = (i + worker->index) % 4;
    EXPECT_EQ(call(context, ops[op], a, b), expected[op]);
    berth_tensor_t *many = ramp(1 + (i + worker->index) % 30);
    EXPECT_EQ(call(context, "Square", many, NULL), 0);
    berth_tensor_release(a);
    berth_tensor_release(b);
    berth_tensor_release(many);
  }
}

TEST(eager, from_many_threads) {
  berth_context_t *context = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  crew_run(call_ops, context);
  berth_context_destroy(context);
}

// One tensor that all threads read and whose references they count.
typedef struct shared {
  berth_context_t *context;
  berth_tensor_t *tensor;
} shared_t;

static void call_shared(worker_t *worker) {
  shared_t *s = worker->shared;
  for (int i = 0; i < CALLS; ++i) {
    berth_tensor_t *own = berth_tensor_retain(s->tensor);
    EXPECT_EQ(call(s->context, "Neg", own, NULL), 0);
    EXPECT_EQ(call(s->context, "Identity", own, NULL), 0);
    berth_tensor_release(own);
  }
}

TEST(eager, on_one_tensor) {
  shared_t s = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_context_create(NULL, &s.context, &err), &err);
  s.tensor = ramp(100);
  crew_run(call_shared, &s);
  EXPECT_TRUE(berth_tensor_is_exclusive(s.tensor));
  berth_tensor_release(s.tensor);
  berth_context_destroy(s.context);
}

static void fail_calls(worker_t *worker) {
  berth_context_t *context = worker->shared;
  for (int i = 0; i < CALLS; ++i) {
    berth_tensor_t *a = ramp(2), *b = ramp(3), *result = NULL;
    berth_tensor_t *inputs[] = {a, b};
    berth_error_t err = BERTH_ERROR_INIT;
    int count = 1;
    EXPECT_EQ(berth_eager_call(context, "AddV2", NULL, inputs, 2, &result,
                               &count, &err),
              BERTH_INVALID_ARGUMENT);
    EXPECT_TRUE(result == NULL);
    berth_error_clear(&err);
    berth_tensor_release(a);
    berth_tensor_release(b);
  }
}

TEST(eager, failing_in_many_threads) {
  berth_context_t *context = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  crew_run(fail_calls, context);
  berth_context_destroy(context);
}

// Kinds of calls that come and go while others use them.
static void call_ever_new(worker_t *worker) {
  berth_context_t *context = worker->shared;
  for (int i = 0; i < CALLS * 5; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_tensor_t *in = scalar(-2), *out = NULL;
    int count = 1;
    float alpha = (float)(i % 2 == 0 ? i : worker->index);
    berth_op_t *op = berth_op_begin(NULL, "LeakyRelu", NULL);
    berth_op_attr_float(op, "alpha", alpha);
    ASSERT_OK(
        berth_eager_call_op(context, op, NULL, &in, 1, &out, &count, &err),
        &err);
    EXPECT_EQ(element(out, 0), -2 * alpha);
    EXPECT_EQ(call(context, "Neg", in, NULL), 2);
    if (worker->index == 0 && i % 50 == 0) {
      berth_context_set_cache_limit(context, i % 100 == 0 ? 0 : 3);
    }
    EXPECT_TRUE(berth_context_cache_size(context) <= 4);
    berth_op_abandon(op);
    berth_tensor_release(in);
    berth_tensor_release(out);
  }
}

TEST(eager, while_kinds_of_calls_are_forgotten) {
  berth_context_t *context = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(berth_context_create(NULL, &context, &err), &err);
  berth_context_set_cache_limit(context, 4);
  crew_run(call_ever_new, context);
  berth_context_destroy(context);
}
