// tensor_array_test.c - Arrays and stacks of a run: rules, sums, limits,
// threads.
#include "state/tensor_array.h"

#include "base/fault.h"
#include "base/thread.h"
#include "harness.h"
#include "state/stack.h"

static berth_tensor_t *number(int64_t value) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_make(NULL, BERTH_INT64, 0, NULL, 1, &tensor, NULL) ==
      BERTH_OK) {
    *(int64_t *)tensor->data = value;
  }
  return tensor;
}

// As berth_sum_fn.
static berth_code_t add(void *arg, berth_tensor_t *a, berth_tensor_t *b,
                        berth_tensor_t **out_sum, berth_error_t *err) {
  (void)arg;
  *out_sum = number(*(const int64_t *)a->data + *(const int64_t *)b->data);
  return *out_sum != NULL ? BERTH_OK : berth_error_no_memory(err, "a sum");
}

static berth_tensor_array_t *array_of(int64_t size, bool is_dynamic) {
  berth_resource_t *array = NULL;
  berth_tensor_array_spec_t spec = {.name = "a",
                                    .dtype = BERTH_INT64,
                                    .shape = {-1, NULL},
                                    .size = size,
                                    .is_dynamic = is_dynamic,
                                    .clears = true};
  EXPECT_EQ(berth_tensor_array_create(&spec, &array, NULL), BERTH_OK);
  return (berth_tensor_array_t *)array;
}

static void drop(berth_tensor_array_t *array) {
  berth_resource_release((berth_resource_t *)array);
}

static berth_code_t write_number(berth_tensor_array_t *array, int64_t index,
                                 int64_t value) {
  berth_tensor_t *tensor = number(value);
  berth_code_t code =
      berth_tensor_array_write(array, index, tensor, add, NULL, NULL);
  berth_tensor_release(tensor);
  return code;
}

// Returns element |index|; -1: it cannot be read, -2: it is zeros.
static int64_t read_number(berth_tensor_array_t *array, int64_t index) {
  berth_tensor_t *tensor = NULL;
  berth_shape_t shape;
  if (berth_tensor_array_read(array, index, &tensor, &shape, NULL) !=
      BERTH_OK) {
    return -1;
  }
  int64_t value = tensor != NULL ? *(const int64_t *)tensor->data : -2;
  berth_tensor_release(tensor);
  return value;
}

TEST(tensor_array, is_written_once_and_read_once) {
  berth_tensor_array_t *array = array_of(3, false);
  EXPECT_EQ(write_number(array, 1, 7), BERTH_OK);
  EXPECT_EQ(write_number(array, 1, 8), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(write_number(array, 3, 8), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(write_number(array, -1, 8), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(read_number(array, 1), 7);
  EXPECT_EQ(read_number(array, 1), -1);
  EXPECT_EQ(write_number(array, 1, 8), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(read_number(array, 0), -1);
  berth_tensor_array_close(array);
  EXPECT_EQ(write_number(array, 0, 8), BERTH_INVALID_ARGUMENT);
  drop(array);
}

TEST(tensor_array, grows_where_it_may) {
  berth_tensor_array_t *array = array_of(0, true);
  int64_t size = 0;
  for (int64_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(write_number(array, i, i), BERTH_OK);
  }
  EXPECT_EQ(berth_tensor_array_size(array, &size, NULL), BERTH_OK);
  EXPECT_EQ(size, 5000);
  for (int64_t i = 0; i < 5000; ++i) EXPECT_EQ(read_number(array, i), i);
  drop(array);
}

TEST(tensor_array, sums_gradients_and_keeps_sources_apart) {
  berth_tensor_array_t *array = array_of(2, true);
  berth_resource_t *one = NULL, *same = NULL, *other = NULL, *none = NULL;
  EXPECT_EQ(write_number(array, 0, 1), BERTH_OK);
  EXPECT_EQ(berth_tensor_array_grad(array, "s", BERTH_SCALAR, &one, NULL),
            BERTH_OK);
  EXPECT_EQ(berth_tensor_array_grad(array, "s", BERTH_SCALAR, &same, NULL),
            BERTH_OK);
  EXPECT_EQ(berth_tensor_array_grad(array, "t", BERTH_SCALAR, &other, NULL),
            BERTH_OK);
  EXPECT_TRUE(one == same && one != other);
  berth_tensor_array_t *grad = (berth_tensor_array_t *)one;
  EXPECT_EQ(berth_tensor_array_grad(grad, "s", BERTH_SCALAR, &none, NULL),
            BERTH_INVALID_ARGUMENT);
  for (int64_t i = 1; i <= 10; ++i) {
    EXPECT_EQ(write_number(grad, 0, i), BERTH_OK);
  }
  EXPECT_EQ(read_number(grad, 0), 55);
  EXPECT_EQ(read_number((berth_tensor_array_t *)other, 0), -2);
  // The array itself stays as long as it is.
  EXPECT_EQ(write_number(array, 5, 1), BERTH_INVALID_ARGUMENT);
  drop(array);
  EXPECT_EQ(write_number((berth_tensor_array_t *)other, 1, 4), BERTH_OK);
  berth_resource_release(one);
  berth_resource_release(same);
  berth_resource_release(other);
}

// What a sum meets that another one gets ahead of, once.
typedef struct rival {
  berth_tensor_array_t *array;
  bool is_done;
} rival_t;

// As berth_sum_fn.
static berth_code_t add_behind(void *arg, berth_tensor_t *a, berth_tensor_t *b,
                               berth_tensor_t **out_sum, berth_error_t *err) {
  rival_t *rival = arg;
  if (!rival->is_done) {
    rival->is_done = true;
    EXPECT_EQ(write_number(rival->array, 0, 100), BERTH_OK);
  }
  return add(NULL, a, b, out_sum, err);
}

TEST(tensor_array, sums_again_what_has_changed_meanwhile) {
  berth_tensor_array_t *array = array_of(1, false);
  berth_resource_t *grad = NULL;
  EXPECT_EQ(berth_tensor_array_grad(array, "s", BERTH_SCALAR, &grad, NULL),
            BERTH_OK);
  rival_t rival = {.array = (berth_tensor_array_t *)grad};
  berth_tensor_t *two = number(2);
  EXPECT_EQ(write_number(rival.array, 0, 1), BERTH_OK);
  EXPECT_EQ(
      berth_tensor_array_write(rival.array, 0, two, add_behind, &rival, NULL),
      BERTH_OK);
  EXPECT_EQ(read_number(rival.array, 0), 103);
  berth_tensor_release(two);
  berth_resource_release(grad);
  drop(array);
}

static void add_many(void *arg) {
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(write_number(arg, i % 3, 1), BERTH_OK);
  }
}

TEST(tensor_array, loses_no_gradient_among_threads) {
  berth_thread_t threads[4];
  berth_tensor_array_t *array = array_of(3, false);
  berth_resource_t *grad = NULL;
  EXPECT_EQ(berth_tensor_array_grad(array, "s", BERTH_SCALAR, &grad, NULL),
            BERTH_OK);
  for (int i = 0; i < 4; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], add_many, grad, NULL), NULL);
  }
  for (int i = 0; i < 4; ++i) berth_thread_join(&threads[i]);
  int64_t sum = 0;
  for (int64_t i = 0; i < 3; ++i) {
    sum += read_number((berth_tensor_array_t *)grad, i);
  }
  EXPECT_EQ(sum, 2000);
  berth_resource_release(grad);
  drop(array);
}

// Makes, writes, reads and derives; returns the first failure.
static berth_code_t use_all(void) {
  berth_resource_t *array = NULL, *grad = NULL;
  berth_tensor_t *tensor = number(3), *read = NULL;
  const int64_t two = 2;
  berth_shape_t shape;
  berth_tensor_array_spec_t spec = {
      .name = "a", .dtype = BERTH_INT64, .size = 2, .is_dynamic = true};
  berth_code_t code = tensor == NULL
                          ? BERTH_RESOURCE_EXHAUSTED
                          : berth_tensor_array_create(&spec, &array, NULL);
  berth_tensor_array_t *a = (berth_tensor_array_t *)array;
  for (int64_t i = 0; code == BERTH_OK && i < 9; ++i) {
    code = berth_tensor_array_write(a, i, tensor, add, NULL, NULL);
  }
  if (code == BERTH_OK) {
    code = berth_tensor_array_read(a, 8, &read, &shape, NULL);
  }
  if (code == BERTH_OK) {
    code =
        berth_tensor_array_grad(a, "s", (berth_dims_t){1, &two}, &grad, NULL);
  }
  berth_tensor_release(read);
  berth_tensor_release(tensor);
  berth_resource_release(grad);
  berth_resource_release(array);
  return code;
}

TEST(tensor_array, bears_a_lack_of_memory_everywhere) {
  berth_code_t code = BERTH_RESOURCE_EXHAUSTED;
  int64_t at = 1;
  for (; code != BERTH_OK && at < 200; ++at) {
    berth_fault_arm("alloc", at);
    code = use_all();
    berth_fault_disarm();
    if (code != BERTH_OK) EXPECT_EQ(code, BERTH_RESOURCE_EXHAUSTED);
  }
  EXPECT_EQ(code, BERTH_OK);
  EXPECT_TRUE(at > 10);
}

TEST(stack, gives_back_what_came_last) {
  berth_resource_t *made = NULL;
  ASSERT_OK(berth_stack_create("s", BERTH_INT64, 100, &made, NULL), NULL);
  berth_stack_t *stack = (berth_stack_t *)made;
  berth_tensor_t *tensor = NULL;
  EXPECT_EQ(berth_stack_pop(stack, &tensor, NULL), BERTH_INVALID_ARGUMENT);
  for (int64_t i = 0; i < 100; ++i) {
    tensor = number(i);
    EXPECT_EQ(berth_stack_push(stack, tensor, NULL), BERTH_OK);
    berth_tensor_release(tensor);
  }
  tensor = number(0);
  EXPECT_EQ(berth_stack_push(stack, tensor, NULL), BERTH_INVALID_ARGUMENT);
  berth_tensor_release(tensor);
  for (int64_t i = 99; i >= 50; --i) {
    EXPECT_EQ(berth_stack_pop(stack, &tensor, NULL), BERTH_OK);
    EXPECT_EQ(*(const int64_t *)tensor->data, i);
    berth_tensor_release(tensor);
  }
  berth_stack_close(stack);
  EXPECT_EQ(berth_stack_pop(stack, &tensor, NULL), BERTH_INVALID_ARGUMENT);
  berth_resource_release(made);
}
