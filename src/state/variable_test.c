// variable_test.c - Variables: reading, assigning and updating.
#include "state/variable.h"

#include "base/fault.h"
#include "base/thread.h"
#include "harness.h"

static berth_container_t *container = NULL;

// Makes a variable and, when |value| is not 0, gives it two such elements.
static berth_variable_t *make(const char *name, int64_t value) {
  berth_variable_t *variable = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  if (container == NULL) {
    EXPECT_EQ(berth_container_create(&container, &err), BERTH_OK);
  }
  EXPECT_EQ(
      berth_variable_get(container, "", name, BERTH_INT64, &variable, &err),
      BERTH_OK);
  if (value != 0) {
    int64_t values[2] = {value, value};
    berth_tensor_t *tensor = NULL;
    EXPECT_EQ(berth_tensor_copy_from(BERTH_INT64, BERTH_SHAPE(2), values,
                                     &tensor, &err),
              BERTH_OK);
    berth_variable_assign(variable, tensor);
    berth_tensor_release(tensor);
  }
  return variable;
}

static void drop(berth_variable_t *variable) {
  berth_resource_release((berth_resource_t *)variable);
  berth_container_destroy(container);
  container = NULL;
}

// Adds |*arg| to every element, one after the other.
static berth_code_t add(void *arg, berth_tensor_t *target, berth_error_t *err) {
  (void)err;
  int64_t *elements = target->data;
  for (int64_t i = 0; i < target->count; ++i) elements[i] += *(int64_t *)arg;
  return BERTH_OK;
}

static berth_code_t spoil(void *arg, berth_tensor_t *target,
                          berth_error_t *err) {
  (void)arg;
  if (!berth_tensor_is_exclusive(target)) return BERTH_INTERNAL;
  ((int64_t *)target->data)[0] = -1;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "no");
}

static int64_t first_of(const berth_tensor_t *tensor) {
  return ((const int64_t *)tensor->data)[0];
}

TEST(variable, begins_without_a_value) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make("v", 0);
  int64_t one = 1;
  EXPECT_STR(berth_variable_name(variable), "v");
  EXPECT_EQ(berth_variable_dtype(variable), BERTH_INT64);
  EXPECT_FALSE(berth_variable_is_initialized(variable));
  EXPECT_TRUE(berth_variable_read(variable) == NULL);
  EXPECT_FAILS(berth_variable_update(variable, add, &one, &err),
               BERTH_FAILED_PRECONDITION, &err,
               "Attempting to use uninitialized value v");
  drop(variable);
}

TEST(variable, assigning_leaves_readers_what_they_read) {
  berth_variable_t *variable = make("v", 3);
  berth_tensor_t *old = berth_variable_read(variable);
  berth_variable_t *same = make("v", 4);
  EXPECT_TRUE(same == variable);
  berth_tensor_t *new = berth_variable_read(variable);
  EXPECT_EQ(first_of(old), 3);
  EXPECT_EQ(first_of(new), 4);
  EXPECT_TRUE(berth_tensor_is_exclusive(old));
  berth_tensor_release(old);
  berth_tensor_release(new);
  berth_variable_reset(variable);
  EXPECT_FALSE(berth_variable_is_initialized(variable));
  berth_resource_release((berth_resource_t *)same);
  drop(variable);
}

TEST(variable, updates_in_place_only_when_alone) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make("v", 3);
  int64_t ten = 10;
  berth_tensor_t *value = berth_variable_read(variable);
  void *memory = berth_tensor_data(value);
  berth_tensor_release(value);
  ASSERT_OK(berth_variable_update(variable, add, &ten, &err), &err);
  value = berth_variable_read(variable);
  EXPECT_TRUE(berth_tensor_data(value) == memory);
  EXPECT_EQ(first_of(value), 13);
  // |value| is being looked at: the next update must not disturb it.
  ASSERT_OK(berth_variable_update(variable, add, &ten, &err), &err);
  EXPECT_EQ(first_of(value), 13);
  berth_tensor_t *next = berth_variable_read(variable);
  EXPECT_EQ(first_of(next), 23);
  berth_tensor_release(value);
  // A view of the memory counts as much as the tensor itself.
  berth_tensor_t *view = NULL;
  ASSERT_OK(berth_tensor_reshape(next, BERTH_SHAPE(2, 1), &view, &err), &err);
  berth_tensor_release(next);
  ASSERT_OK(berth_variable_update(variable, add, &ten, &err), &err);
  EXPECT_EQ(first_of(view), 23);
  berth_tensor_release(view);
  drop(variable);
}

TEST(variable, failed_update_of_a_shared_value_changes_nothing) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make("v", 3);
  berth_tensor_t *value = berth_variable_read(variable);
  EXPECT_FAILS(berth_variable_update(variable, spoil, NULL, &err),
               BERTH_INVALID_ARGUMENT, &err, "no");
  berth_tensor_t *after = berth_variable_read(variable);
  EXPECT_TRUE(after == value);
  EXPECT_EQ(first_of(after), 3);
  berth_fault_arm("alloc", 1);
  int64_t one = 1;
  EXPECT_EQ(berth_variable_update(variable, add, &one, NULL),
            BERTH_RESOURCE_EXHAUSTED);
  berth_fault_disarm();
  EXPECT_EQ(first_of(after), 3);
  berth_tensor_release(value);
  berth_tensor_release(after);
  drop(variable);
}

// Doubles the value, in place where that is allowed.
static berth_code_t twice(void *arg, berth_tensor_t *value, bool is_exclusive,
                          berth_tensor_t **out_value, berth_error_t *err) {
  bool *was_exclusive = arg;
  berth_tensor_t *to = value;
  *was_exclusive = is_exclusive;
  if (!is_exclusive) {
    BERTH_TRY(berth_tensor_create(BERTH_INT64, BERTH_SHAPE(2), &to, err));
  }
  for (int i = 0; i < 2; ++i) {
    ((int64_t *)to->data)[i] = 2 * ((int64_t *)value->data)[i];
  }
  *out_value = to;
  return BERTH_OK;
}

TEST(variable, renews_in_place_only_when_alone) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make("v", 0);
  bool was_exclusive = false;
  EXPECT_FAILS(berth_variable_renew(variable, twice, &was_exclusive, &err),
               BERTH_FAILED_PRECONDITION, &err,
               "Attempting to use uninitialized value v");
  drop(variable);

  variable = make("v", 3);
  ASSERT_OK(berth_variable_renew(variable, twice, &was_exclusive, &err), &err);
  EXPECT_TRUE(was_exclusive);
  berth_tensor_t *before = berth_variable_read(variable);
  EXPECT_EQ(first_of(before), 6);
  ASSERT_OK(berth_variable_renew(variable, twice, &was_exclusive, &err), &err);
  EXPECT_FALSE(was_exclusive);
  EXPECT_EQ(first_of(before), 6);
  berth_tensor_t *after = berth_variable_read(variable);
  EXPECT_EQ(first_of(after), 12);
  berth_tensor_release(before);
  berth_tensor_release(after);
  drop(variable);
}

TEST(variable, remembers_the_first_shape_declared) {
  berth_variable_t *variable = make("v", 0);
  EXPECT_EQ(berth_variable_declared(variable).rank, 0);
  ASSERT_OK(berth_variable_declare(variable, BERTH_SHAPE(2, 3), NULL), NULL);
  ASSERT_OK(berth_variable_declare(variable, BERTH_SHAPE(7), NULL), NULL);
  EXPECT_TRUE(
      berth_dims_equal(berth_variable_declared(variable), BERTH_SHAPE(2, 3)));
  drop(variable);
}

enum { ADDERS = 2, UPDATES = 3000 };

static void add_many(void *arg) {
  int64_t one = 1;
  for (int i = 0; i < UPDATES; ++i) {
    EXPECT_EQ(berth_variable_update(arg, add, &one, NULL), BERTH_OK);
  }
}

// Looks at values until they have all been added; each must be whole.
static void read_many(void *arg) {
  int64_t last = 0;
  while (last < 1 + ADDERS * UPDATES) {
    berth_tensor_t *value = berth_variable_read(arg);
    const int64_t *elements = berth_tensor_data(value);
    EXPECT_EQ(elements[0], elements[1]);
    EXPECT_TRUE(elements[0] >= last);
    last = elements[0];
    berth_tensor_release(value);
  }
}

TEST(variable, readers_never_see_half_an_update) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_variable_t *variable = make("v", 1);
  berth_thread_t threads[ADDERS + 1];
  for (int i = 0; i < ADDERS; ++i) {
    ASSERT_OK(berth_thread_start(&threads[i], add_many, variable, &err), &err);
  }
  ASSERT_OK(berth_thread_start(&threads[ADDERS], read_many, variable, &err),
            &err);
  for (int i = 0; i <= ADDERS; ++i) berth_thread_join(&threads[i]);
  berth_tensor_t *value = berth_variable_read(variable);
  EXPECT_EQ(first_of(value), 1 + ADDERS * UPDATES);
  berth_tensor_release(value);
  drop(variable);
}
