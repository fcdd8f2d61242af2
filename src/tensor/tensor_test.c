// tensor_test.c - Making, sharing and reading tensors.
#include "tensor/tensor.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "base/thread.h"
#include "harness.h"
#include "tensor/handle.h"
#include "tensor/string.h"

static bool is_aligned(const void *data, size_t alignment) {
  return (uintptr_t)data % alignment == 0;
}

static berth_tensor_t *make(berth_dtype_t dtype, berth_dims_t shape) {
  berth_tensor_t *tensor = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_tensor_create(dtype, shape, &tensor, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  berth_error_clear(&err);
  return tensor;
}

TEST(tensor, has_what_it_was_made_with) {
  berth_tensor_t *tensor = make(BERTH_FLOAT, BERTH_SHAPE(2, 3));
  ASSERT_TRUE(tensor != NULL);
  EXPECT_EQ(berth_tensor_dtype(tensor), BERTH_FLOAT);
  EXPECT_TRUE(berth_dims_equal(berth_tensor_shape(tensor), BERTH_SHAPE(2, 3)));
  EXPECT_EQ(berth_tensor_count(tensor), 6);
  EXPECT_EQ(berth_tensor_size(tensor), 24);
  EXPECT_STR(berth_tensor_device(tensor),
             "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_TRUE(berth_tensor_stream(tensor) == NULL);
  EXPECT_TRUE(berth_tensor_is_exclusive(tensor));
  berth_tensor_release(tensor);
}

TEST(tensor, data_is_aligned_and_its_own) {
  static const int64_t sizes[] = {0, 1, 15, 63, 64, 1000, 4096, 4097, 100000};
  berth_tensor_t *tensors[9];
  for (int i = 0; i < 9; ++i) {
    tensors[i] = make(BERTH_UINT8, BERTH_SHAPE(sizes[i]));
    ASSERT_TRUE(tensors[i] != NULL);
    EXPECT_TRUE(is_aligned(tensors[i]->data, sizes[i] < 64 ? 16 : 64));
    memset(tensors[i]->data, i, tensors[i]->size);
  }
  for (int i = 0; i < 9; ++i) {
    const uint8_t *bytes = tensors[i]->data;
    for (int64_t j = 0; j < sizes[i]; ++j) EXPECT_EQ(bytes[j], i);
    berth_tensor_release(tensors[i]);
  }
}

TEST(tensor, every_rank_fits_its_block) {
  int64_t dims[BERTH_MAX_RANK];
  for (int i = 0; i < BERTH_MAX_RANK; ++i) dims[i] = 1;
  for (int32_t rank = 0; rank <= BERTH_MAX_RANK; ++rank) {
    berth_tensor_t *tensor = make(BERTH_DOUBLE, (berth_dims_t){rank, dims});
    ASSERT_TRUE(tensor != NULL);
    *(double *)tensor->data = rank;
    EXPECT_EQ(tensor->rank, rank);
    EXPECT_TRUE(rank == 0 || tensor->dims[rank - 1] == 1);
    berth_tensor_release(tensor);
  }
}

TEST(tensor, refuses_bad_kinds) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  EXPECT_FAILS(
      berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(-1, 3), &tensor, &err),
      BERTH_INVALID_ARGUMENT, &err, "Shape [?,3] is not fully defined");
  EXPECT_FAILS(berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(-5), &tensor, &err),
               BERTH_INVALID_ARGUMENT, &err, "Dimension -5 must be >= 0");
  EXPECT_FAILS(
      berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(1LL << 61, 2), &tensor,
                          &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Shape [2305843009213693952,2] of type float would take more than 2**63 "
      "- 1 bytes");
  EXPECT_FAILS(berth_tensor_create(berth_dtype_ref(BERTH_FLOAT), BERTH_SCALAR,
                                   &tensor, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "A tensor cannot have the type float_ref (101)");
  EXPECT_FAILS(
      berth_tensor_create((berth_dtype_t)99, BERTH_SCALAR, &tensor, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "A tensor cannot have the type INVALID (99)");
  EXPECT_TRUE(tensor == NULL);
}

TEST(tensor, too_large_for_any_memory) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  EXPECT_FAILS(
      berth_tensor_create(BERTH_INT8, BERTH_SHAPE(INT64_MAX), &tensor, &err),
      BERTH_RESOURCE_EXHAUSTED, &err,
      "OOM when allocating tensor with shape[9223372036854775807] and type "
      "int8 on /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu");
}

static int deallocations = 0;
static void note_deallocation(void *data, size_t size, void *arg) {
  EXPECT_TRUE(data == arg);
  EXPECT_EQ(size, 32);
  ++deallocations;
}

TEST(tensor, wraps_memory_and_says_when_it_is_done) {
  _Alignas(16) float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL, *view = NULL;
  ASSERT_OK(berth_tensor_wrap(BERTH_FLOAT, BERTH_SHAPE(2, 3), values, 32,
                              note_deallocation, values, &tensor, &err),
            &err);
  EXPECT_TRUE(berth_tensor_data(tensor) == values);
  EXPECT_EQ(berth_tensor_size(tensor), 24);
  ASSERT_OK(berth_tensor_reshape(tensor, BERTH_SHAPE(6), &view, &err), &err);
  berth_tensor_release(tensor);
  EXPECT_EQ(deallocations, 0);
  EXPECT_TRUE(((float *)berth_tensor_data(view))[5] == 6.0f);
  berth_tensor_release(view);
  EXPECT_EQ(deallocations, 1);
}

TEST(tensor, wrap_refuses_what_does_not_fit) {
  _Alignas(16) float values[8] = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  EXPECT_FAILS(berth_tensor_wrap(BERTH_FLOAT, BERTH_SHAPE(3, 3), values, 32,
                                 note_deallocation, values, &tensor, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "A tensor of type float and shape [3,3] needs 36 bytes but 32 "
               "were given");
  EXPECT_FAILS(berth_tensor_wrap(BERTH_FLOAT, BERTH_SHAPE(1), NULL, 32,
                                 note_deallocation, values, &tensor, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "A tensor of type float and shape [1] needs 4 bytes but 0 were "
               "given");
  EXPECT_EQ(berth_tensor_wrap(BERTH_FLOAT, BERTH_SHAPE(1), (char *)values + 2,
                              16, NULL, NULL, &tensor, &err),
            BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(strstr(berth_error_message(&err),
                     "is not aligned to 4 bytes, which elements of type float "
                     "need") != NULL);
  berth_error_clear(&err);
  EXPECT_EQ(deallocations, 0);
  ASSERT_OK(berth_tensor_wrap(BERTH_FLOAT, BERTH_SHAPE(0), NULL, 0, NULL, NULL,
                              &tensor, &err),
            &err);
  berth_tensor_release(tensor);
}

TEST(tensor, views_share_memory_and_exclusiveness) {
  berth_error_t err = BERTH_ERROR_INIT;
  static const int32_t values[] = {1, 2, 3, 4, 5, 6};
  berth_tensor_t *tensor = NULL, *view = NULL;
  ASSERT_OK(berth_tensor_copy_from(BERTH_INT32, BERTH_SHAPE(6), values, &tensor,
                                   &err),
            &err);
  ASSERT_OK(berth_tensor_reshape(tensor, BERTH_SHAPE(2, 3), &view, &err), &err);
  EXPECT_TRUE(berth_tensor_data(view) == berth_tensor_data(tensor));
  EXPECT_FALSE(berth_tensor_is_exclusive(tensor));
  EXPECT_FALSE(berth_tensor_is_exclusive(view));
  EXPECT_FAILS(berth_tensor_reshape(tensor, BERTH_SHAPE(4), &view, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Input to reshape is a tensor with 6 values, but the requested "
               "shape has 4");
  berth_tensor_release(tensor);
  EXPECT_TRUE(berth_tensor_is_exclusive(view));
  EXPECT_EQ(((int32_t *)berth_tensor_data(view))[5], 6);
  berth_tensor_retain(view);
  EXPECT_FALSE(berth_tensor_is_exclusive(view));
  berth_tensor_release(view);
  berth_tensor_release(view);
  berth_tensor_release(NULL);
}

// Fills every string of |tensor|, reads them back through a copy.
static void check_strings(int64_t count) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = make(BERTH_STRING, BERTH_SHAPE(count));
  berth_tensor_t *copy = NULL;
  ASSERT_TRUE(tensor != NULL);
  size_t size = 1;
  EXPECT_TRUE(berth_tensor_get_string(tensor, count - 1, &size) != NULL);
  EXPECT_EQ(size, 0);
  char text[64];
  for (int64_t i = 0; i < count; ++i) {
    int length = snprintf(text, sizeof(text), "%*d", (int)(i % 50), (int)i);
    ASSERT_OK(berth_tensor_set_string(tensor, i, text, (size_t)length, &err),
              &err);
  }
  ASSERT_OK(berth_tensor_clone(tensor, &copy, &err), &err);
  berth_tensor_release(tensor);
  for (int64_t i = 0; i < count; ++i) {
    int length = snprintf(text, sizeof(text), "%*d", (int)(i % 50), (int)i);
    const char *got = berth_tensor_get_string(copy, i, &size);
    EXPECT_EQ(size, length);
    EXPECT_STR(got, text);
  }
  berth_tensor_release(copy);
}

TEST(tensor, owns_its_strings) {
  check_strings(3);
  check_strings(60);
  check_strings(1000);
}

TEST(tensor, string_functions_refuse_bad_calls) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *numbers = make(BERTH_FLOAT, BERTH_SHAPE(2));
  berth_tensor_t *strings = make(BERTH_STRING, BERTH_SHAPE(2)), *none = NULL;
  ASSERT_TRUE(numbers != NULL && strings != NULL);
  size_t size = 0;
  EXPECT_TRUE(berth_tensor_get_string(numbers, 0, &size) == NULL);
  EXPECT_TRUE(berth_tensor_get_string(strings, 2, &size) == NULL);
  EXPECT_TRUE(berth_tensor_get_string(strings, -1, &size) == NULL);
  EXPECT_FAILS(berth_tensor_set_string(numbers, 0, "x", 1, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "A tensor of type float has no strings");
  EXPECT_FAILS(berth_tensor_set_string(strings, 2, "x", 1, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "Element 2 of a tensor with 2 elements");
  EXPECT_FAILS(
      berth_tensor_copy_from(BERTH_STRING, BERTH_SCALAR, "", &none, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "Elements of type string cannot be copied from bytes");
  berth_tensor_release(numbers);
  berth_tensor_release(strings);
}

static int destroyed = 0;
static void note_destroyed(berth_resource_t *resource) {
  (void)resource;
  ++destroyed;
}

TEST(tensor, holds_its_handles) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_resource_t resource = {.refs = 1, .destroy = note_destroyed};
  berth_tensor_t *tensor = make(BERTH_RESOURCE, BERTH_SHAPE(2)), *copy = NULL;
  ASSERT_TRUE(tensor != NULL);
  berth_handle_t *handles = berth_tensor_data(tensor);
  EXPECT_TRUE(handles[0].resource == NULL && handles[1].resource == NULL);
  handles[1].resource = berth_resource_retain(&resource);
  ASSERT_OK(berth_tensor_clone(tensor, &copy, &err), &err);
  EXPECT_EQ(resource.refs, 3);
  // Over itself: the reference must not be lost in between.
  ASSERT_TRUE(berth_elements_copy(BERTH_RESOURCE, handles, handles, 2));
  EXPECT_EQ(resource.refs, 3);
  berth_tensor_release(tensor);
  berth_tensor_release(copy);
  EXPECT_EQ(destroyed, 0);
  berth_resource_release(&resource);
  EXPECT_EQ(destroyed, 1);
}

typedef struct heap_buffer {
  berth_buffer_t buffer;
} heap_buffer_t;

static int buffers_alive = 0;
static void heap_destroy(berth_buffer_t *buffer) {
  --buffers_alive;
  berth_free(buffer);
}

static berth_code_t heap_alloc(berth_allocator_t *allocator, size_t size,
                               berth_buffer_t **out_buffer,
                               berth_error_t *err) {
  (void)allocator;
  heap_buffer_t *made = berth_alloc(sizeof(heap_buffer_t) + size + 64);
  if (made == NULL) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED, "the pool is full");
  }
  uintptr_t data = ((uintptr_t)(made + 1) + 63) & ~(uintptr_t)63;
  berth_buffer_init(&made->buffer, (void *)data, size, heap_destroy);
  ++buffers_alive;
  *out_buffer = &made->buffer;
  return BERTH_OK;
}

TEST(tensor, large_ones_come_from_the_allocator) {
  berth_allocator_t allocator = {heap_alloc, NULL};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_set_host_allocator(&allocator);
  berth_tensor_t *small = make(BERTH_UINT8, BERTH_SHAPE(4096));
  EXPECT_EQ(buffers_alive, 0);
  berth_tensor_t *large = make(BERTH_UINT8, BERTH_SHAPE(4097));
  EXPECT_EQ(buffers_alive, 1);
  check_strings(1000);
  EXPECT_EQ(buffers_alive, 1);
  berth_tensor_release(small);
  berth_tensor_release(large);
  EXPECT_EQ(buffers_alive, 0);
  berth_fault_arm("alloc", 1);
  berth_tensor_t *none = NULL;
  EXPECT_FAILS(berth_tensor_create(BERTH_HALF, BERTH_SHAPE(9000), &none, &err),
               BERTH_RESOURCE_EXHAUSTED, &err,
               "OOM when allocating tensor with shape[9000] and type half on "
               "/job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu\n"
               "the pool is full");
  berth_fault_disarm();
  berth_tensor_set_host_allocator(NULL);
}

// Makes, wraps, views and copies; every allocation may fail.
static berth_code_t scenario(berth_error_t *err) {
  static float values[4];
  berth_tensor_t *tensors[5] = {NULL};
  berth_code_t code =
      berth_tensor_create(BERTH_STRING, BERTH_SHAPE(300), &tensors[0], err);
  if (code != BERTH_OK) goto done;
  code = berth_tensor_set_string(tensors[0], 9, "as long as it takes to own it",
                                 29, err);
  if (code != BERTH_OK) goto done;
  code = berth_tensor_clone(tensors[0], &tensors[1], err);
  if (code != BERTH_OK) goto done;
  code =
      berth_tensor_reshape(tensors[1], BERTH_SHAPE(30, 10), &tensors[2], err);
  if (code != BERTH_OK) goto done;
  code = berth_tensor_wrap(BERTH_FLOAT, BERTH_SHAPE(4), values, 16, NULL, NULL,
                           &tensors[3], err);
  if (code != BERTH_OK) goto done;
  code = berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(4), values,
                                &tensors[4], err);
done:
  for (int i = 0; i < 5; ++i) berth_tensor_release(tensors[i]);
  return code;
}

TEST(tensor, survives_every_failed_allocation) {
  berth_allocator_t allocator = {heap_alloc, NULL};
  berth_tensor_set_host_allocator(&allocator);
  for (int64_t nth = 1; nth < 100; ++nth) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_fault_arm("alloc", nth);
    berth_code_t code = scenario(&err);
    int64_t passes = berth_fault_disarm();
    berth_error_clear(&err);
    EXPECT_EQ(buffers_alive, 0);
    if (code == BERTH_OK) {
      EXPECT_EQ(passes, nth - 1);
      EXPECT_TRUE(passes >= 9);
      return;
    }
    EXPECT_EQ(code, BERTH_RESOURCE_EXHAUSTED);
  }
  HARNESS_FAIL("the scenario never succeeded");
}

static _Atomic(berth_tensor_t *) mailbox = NULL;

// Takes tensors out of the mailbox, so that they are freed by another thread
// than their maker's.
static void free_from_mailbox(void *arg) {
  int *freed = arg;
  while (*freed < 20000) {
    berth_tensor_t *tensor = atomic_exchange(&mailbox, NULL);
    if (tensor == NULL) continue;
    EXPECT_EQ(*(int32_t *)berth_tensor_data(tensor), *freed);
    berth_tensor_release(tensor);
    ++*freed;
  }
}

TEST(tensor, may_be_freed_by_another_thread) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_thread_t thread;
  int freed = 0;
  ASSERT_OK(berth_thread_start(&thread, free_from_mailbox, &freed, &err), &err);
  for (int32_t i = 0; i < 20000; ++i) {
    berth_tensor_t *tensor = make(BERTH_INT32, BERTH_SHAPE(1 + i % 500));
    *(int32_t *)berth_tensor_data(tensor) = i;
    while (atomic_load(&mailbox) != NULL) {
    }
    atomic_store(&mailbox, tensor);
  }
  berth_thread_join(&thread);
  EXPECT_EQ(freed, 20000);
}
