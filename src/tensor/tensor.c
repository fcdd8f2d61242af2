// tensor.c - Making, sharing and reading tensors.
//
// A tensor and what it needs are one block where that is possible:
//
//   small    [block | tensor | dims | padding | data]
//   wrapped  [block | tensor | dims]     data is the caller's
//   owning   [block | tensor | dims]     elements of |inner| own things
//   view     [tensor | dims]             buffer of somebody else
//
// A block begins with a buffer, and whoever drops the last reference to that
// buffer frees the block: a view may outlive the tensor it was made from.
#include "tensor/tensor.h"

#include <string.h>

#include "base/alloc.h"
#include "device/device.h"
#include "memory/pool.h"
#include "tensor/block.h"

enum { DATA_ALIGNMENT = 64, SMALL_ALIGNMENT = 16 };

// Host tensors live on the first CPU device, whatever made them.
#define HOST_DEVICE "/job:localhost/replica:0/task:0/device:CPU:0"

typedef struct block {
  berth_buffer_t buffer;
  size_t total_bytes;  // Of the block, for berth_block_free().
  union {
    berth_deallocator_fn deallocator;  // Wrapped; NULL: nobody to tell.
    berth_buffer_t *inner;             // Owning; retained.
  };
  void *arg;            // Wrapped: the deallocator's.
  berth_dtype_t dtype;  // Owning: type of the elements to destroy.
  bool is_wrapped;
  bool is_owning;
} block_t;

_Static_assert(sizeof(block_t) % _Alignof(berth_tensor_t) == 0,
               "the tensor follows the block");

static _Atomic(berth_allocator_t *) host_allocator = NULL;

void berth_tensor_set_host_allocator(berth_allocator_t *allocator) {
  atomic_store(&host_allocator, allocator);
}

// ---- Blocks ----

static void block_destroy(berth_buffer_t *buffer) {
  block_t *block = (block_t *)buffer;
  if (block->is_owning) {
    int64_t count = (int64_t)(buffer->size / berth_dtype_size(block->dtype));
    berth_elements_destroy(block->dtype, buffer->data, count);
    berth_buffer_release(block->inner);
  } else if (block->is_wrapped && block->deallocator != NULL) {
    block->deallocator(buffer->data, buffer->size, block->arg);
  }
  berth_block_free(block, block->total_bytes);
}

static size_t tensor_bytes(int32_t rank) {
  return sizeof(berth_tensor_t) + (size_t)rank * sizeof(int64_t);
}

// Fills in a tensor of one reference over |buffer|, whose reference it takes.
static void tensor_init(berth_tensor_t *tensor, berth_dtype_t dtype,
                        berth_dims_t dims, int64_t count, size_t size,
                        berth_buffer_t *buffer, void *data) {
  atomic_init(&tensor->refs, 1);
  tensor->rank = dims.rank;
  tensor->dtype = dtype;
  tensor->listed = 0;
  tensor->count = count;
  tensor->size = size;
  tensor->data = data;
  tensor->buffer = buffer;
  tensor->device = NULL;
  for (int32_t i = 0; i < dims.rank; ++i) tensor->dims[i] = dims.dims[i];
}

static berth_tensor_t *block_tensor(block_t *block) {
  return (berth_tensor_t *)((char *)block + sizeof(block_t));
}

// True when |tensor| lies in the block of its buffer and goes with it.
static bool is_in_block(const berth_tensor_t *tensor) {
  return tensor->buffer->destroy == block_destroy &&
         (const char *)tensor->buffer + sizeof(block_t) == (const char *)tensor;
}

// Makes a block for a tensor of |rank| and |data_bytes| more; NULL when memory
// is short.
static block_t *block_create(int32_t rank, size_t data_bytes) {
  size_t total = sizeof(block_t) + tensor_bytes(rank);
  if (__builtin_add_overflow(total, data_bytes, &total)) return NULL;
  if (total > PTRDIFF_MAX) return NULL;
  block_t *block = berth_block_alloc(total);
  if (block == NULL) return NULL;
  block->total_bytes = total;
  block->is_wrapped = block->is_owning = false;
  return block;
}

// Makes a host tensor whose data follows it. NULL when memory is short.
static berth_tensor_t *small_create(berth_dtype_t dtype, berth_dims_t dims,
                                    int64_t count, size_t size) {
  size_t alignment = size < DATA_ALIGNMENT ? SMALL_ALIGNMENT : DATA_ALIGNMENT;
  size_t room = 0;
  // Blocks are aligned to 16, so the data moves up by at most the difference.
  if (__builtin_add_overflow(size, alignment, &room)) return NULL;
  block_t *block = block_create(dims.rank, room);
  if (block == NULL) return NULL;
  berth_tensor_t *tensor = block_tensor(block);
  uintptr_t after = (uintptr_t)tensor + tensor_bytes(dims.rank);
  void *data = (void *)((after + alignment - 1) & ~(uintptr_t)(alignment - 1));
  berth_buffer_init(&block->buffer, data, size, block_destroy);
  tensor_init(tensor, dtype, dims, count, size, &block->buffer, data);
  if (BERTH_UNLIKELY(!berth_dtype_is_plain(dtype))) {
    memset(data, 0, size);
    block->is_owning = true;
    block->inner = NULL;
    block->dtype = dtype;
  }
  return tensor;
}

// ---- Making ----

static berth_code_t no_memory(berth_error_t *err, berth_dtype_t dtype,
                              berth_dims_t dims) {
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                         "OOM when allocating tensor with shape%s and type %s "
                         "on " HOST_DEVICE " by allocator cpu",
                         berth_dims_text(dims, text), berth_dtype_name(dtype));
}

// The same before what an allocator has to say.
static berth_code_t no_room(berth_error_t *err,
                            const berth_allocator_t *allocator,
                            berth_dtype_t dtype, berth_dims_t dims) {
  const berth_device_t *device = allocator->device;
  char text[BERTH_DIMS_TEXT];
  berth_dims_text(dims, text);
  if (device == NULL) {
    (void)berth_error_prepend(
        err,
        "OOM when allocating tensor with shape%s and type %s on " HOST_DEVICE
        " by allocator cpu\n",
        text, berth_dtype_name(dtype));
    return BERTH_RESOURCE_EXHAUSTED;
  }
  (void)berth_error_prepend(
      err,
      "OOM when allocating tensor with shape%s and type %s on %s by allocator "
      "%s_%d_bfc\n",
      text, berth_dtype_name(dtype), berth_device_full_name(device),
      berth_device_type(device), (int)device->parsed.id);
  return BERTH_RESOURCE_EXHAUSTED;
}

// Puts elements that own something under a block that destroys them. Takes the
// reference to |inner|, also when it fails.
static berth_code_t owning_create(berth_buffer_t *inner, berth_dtype_t dtype,
                                  berth_dims_t dims, int64_t count,
                                  berth_tensor_t **out_tensor,
                                  berth_error_t *err) {
  block_t *block = block_create(dims.rank, 0);
  if (block == NULL) {
    berth_buffer_release(inner);
    return no_memory(err, dtype, dims);
  }
  size_t size = (size_t)count * berth_dtype_size(dtype);
  memset(inner->data, 0, size);
  berth_buffer_init(&block->buffer, inner->data, size, block_destroy);
  block->is_owning = true;
  block->inner = inner;
  block->dtype = dtype;
  berth_tensor_t *tensor = block_tensor(block);
  tensor_init(tensor, dtype, dims, count, size, &block->buffer, inner->data);
  *out_tensor = tensor;
  return BERTH_OK;
}

// Makes a tensor in memory of |allocator|.
static berth_code_t large_create(berth_allocator_t *allocator,
                                 berth_dtype_t dtype, berth_dims_t dims,
                                 int64_t count, size_t size,
                                 berth_tensor_t **out_tensor,
                                 berth_error_t *err) {
  berth_buffer_t *buffer = NULL;
  berth_code_t code =
      allocator->alloc(allocator, size > 0 ? size : 1, &buffer, err);
  if (code == BERTH_RESOURCE_EXHAUSTED) {
    return no_room(err, allocator, dtype, dims);
  }
  if (code != BERTH_OK) return code;
  if (!berth_dtype_is_plain(dtype)) {
    return owning_create(buffer, dtype, dims, count, out_tensor, err);
  }
  code = berth_tensor_view(buffer, buffer->data, dtype, dims.rank, dims.dims,
                           count, allocator->device, out_tensor, err);
  berth_buffer_release(buffer);
  return code;
}

BERTH_UNGUARDED
berth_code_t berth_tensor_make(berth_allocator_t *allocator,
                               berth_dtype_t dtype, int32_t rank,
                               const int64_t *dims, int64_t count,
                               berth_tensor_t **out_tensor,
                               berth_error_t *err) {
  berth_dims_t shape = {rank, dims};
  size_t size = 0;
  if (__builtin_mul_overflow((size_t)count, berth_dtype_size(dtype), &size)) {
    return no_memory(err, dtype, shape);
  }
  bool is_host = allocator == NULL || allocator->device == NULL;
  if (is_host && size > BERTH_SMALL_TENSOR && allocator == NULL) {
    allocator = atomic_load_explicit(&host_allocator, memory_order_acquire);
  }
  if (allocator != NULL && (!is_host || size > BERTH_SMALL_TENSOR)) {
    return large_create(allocator, dtype, shape, count, size, out_tensor, err);
  }
  berth_tensor_t *tensor = small_create(dtype, shape, count, size);
  if (BERTH_UNLIKELY(tensor == NULL)) return no_memory(err, dtype, shape);
  *out_tensor = tensor;
  return BERTH_OK;
}

berth_code_t berth_tensor_view(berth_buffer_t *buffer, void *data,
                               berth_dtype_t dtype, int32_t rank,
                               const int64_t *dims, int64_t count,
                               berth_device_t *device,
                               berth_tensor_t **out_tensor,
                               berth_error_t *err) {
  berth_tensor_t *tensor = berth_block_alloc(tensor_bytes(rank));
  if (tensor == NULL) return berth_error_no_memory(err, "a tensor");
  tensor_init(tensor, dtype, (berth_dims_t){rank, dims}, count,
              (size_t)count * berth_dtype_size(dtype),
              berth_buffer_retain(buffer), data);
  tensor->device = device;
  *out_tensor = tensor;
  return BERTH_OK;
}

// As berth_tensor_check(), saying what is wrong.
static BERTH_NOINLINE berth_code_t check_slowly(berth_dtype_t dtype,
                                                berth_dims_t shape,
                                                int64_t *out_count,
                                                berth_error_t *err) {
  if (!berth_dtype_is_valid((int)dtype) || berth_dtype_is_ref(dtype)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "A tensor cannot have the type %s (%d)",
                           berth_dtype_name(dtype), (int)dtype);
  }
  char text[BERTH_DIMS_TEXT];
  if (shape.rank > BERTH_MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Too many dimensions");
  }
  if (shape.rank > 0) BERTH_GIVEN(shape.dims, err);
  for (int32_t i = 0; i < shape.rank; ++i) {
    if (shape.dims[i] != -1) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape %s is not fully defined",
                           berth_dims_text(shape, text));
  }
  int64_t count = 0, bytes = 0;
  BERTH_TRY(berth_dims_check(shape, &count, err));
  if (__builtin_mul_overflow(count, (int64_t)berth_dtype_size(dtype), &bytes)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape %s of type %s would take more than 2**63 - 1 "
                           "bytes",
                           berth_dims_text(shape, text),
                           berth_dtype_name(dtype));
  }
  *out_count = count;
  return BERTH_OK;
}

BERTH_UNGUARDED
berth_code_t berth_tensor_check(berth_dtype_t dtype, berth_dims_t shape,
                                int64_t *out_count, berth_error_t *err) {
  bool has_dims = shape.rank == 0 || (shape.rank > 0 && shape.dims != NULL &&
                                      shape.rank <= BERTH_MAX_RANK);
  int64_t count = has_dims ? berth_dims_count(shape) : -1, bytes = 0;
  int64_t size = (int64_t)berth_dtype_size(dtype);  // 0: there is no such type.
  if (BERTH_LIKELY(count >= 0 && size > 0 && !berth_dtype_is_ref(dtype) &&
                   !__builtin_mul_overflow(count, size, &bytes))) {
    *out_count = count;
    return BERTH_OK;
  }
  return check_slowly(dtype, shape, out_count, err);
}

berth_code_t berth_tensor_create(berth_dtype_t dtype, berth_dims_t shape,
                                 berth_tensor_t **out_tensor,
                                 berth_error_t *err) {
  BERTH_GIVEN(out_tensor, err);
  int64_t count = 0;
  BERTH_TRY(berth_tensor_check(dtype, shape, &count, err));
  return berth_tensor_make(NULL, dtype, shape.rank, shape.dims, count,
                           out_tensor, err);
}

// Returns what an address of elements of |dtype| must be a multiple of.
static size_t element_alignment(berth_dtype_t dtype) {
  switch ((int)dtype) {
    case BERTH_COMPLEX64:
      return 4;
    case BERTH_COMPLEX128:
    case BERTH_STRING:
      return 8;
    default:
      return berth_dtype_size(dtype);
  }
}

static berth_code_t check_lent(berth_dtype_t dtype, berth_dims_t shape,
                               const void *data, size_t size, int64_t count,
                               berth_error_t *err) {
  size_t needed = (size_t)count * berth_dtype_size(dtype);
  char text[BERTH_DIMS_TEXT];
  if (size < needed || (data == NULL && needed > 0)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "A tensor of type %s and shape %s needs %zu bytes "
                           "but %zu were given",
                           berth_dtype_name(dtype),
                           berth_dims_text(shape, text), needed,
                           data != NULL ? size : 0);
  }
  size_t alignment = element_alignment(dtype);
  if ((uintptr_t)data % alignment != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Memory at %p is not aligned to %zu bytes, which "
                           "elements of type %s need",
                           data, alignment, berth_dtype_name(dtype));
  }
  return BERTH_OK;
}

// NOLINTNEXTLINE(readability-function-size): a public signature.
berth_code_t berth_tensor_wrap(berth_dtype_t dtype, berth_dims_t shape,
                               void *data, size_t size,
                               berth_deallocator_fn deallocator, void *arg,
                               berth_tensor_t **out_tensor,
                               berth_error_t *err) {
  BERTH_GIVEN(out_tensor, err);
  int64_t count = 0;
  BERTH_TRY(berth_tensor_check(dtype, shape, &count, err));
  BERTH_TRY(check_lent(dtype, shape, data, size, count, err));
  block_t *block = block_create(shape.rank, 0);
  if (block == NULL) return berth_error_no_memory(err, "a tensor");
  block->is_wrapped = true;
  block->deallocator = deallocator;
  block->arg = arg;
  berth_buffer_init(&block->buffer, data, size, block_destroy);
  berth_tensor_t *tensor = block_tensor(block);
  tensor_init(tensor, dtype, shape, count,
              (size_t)count * berth_dtype_size(dtype), &block->buffer, data);
  *out_tensor = tensor;
  return BERTH_OK;
}

berth_code_t berth_tensor_copy_from(berth_dtype_t dtype, berth_dims_t shape,
                                    const void *data,
                                    berth_tensor_t **out_tensor,
                                    berth_error_t *err) {
  BERTH_GIVEN(out_tensor, err);
  if (berth_dtype_is_valid((int)dtype) && !berth_dtype_is_plain(dtype)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Elements of type %s cannot be copied from bytes",
                           berth_dtype_name(dtype));
  }
  berth_tensor_t *tensor = NULL;
  BERTH_TRY(berth_tensor_create(dtype, shape, &tensor, err));
  if (data == NULL && tensor->size > 0) {
    berth_tensor_release(tensor);
    return berth_error_missing(err, "data");
  }
  if (tensor->size > 0) memcpy(tensor->data, data, tensor->size);
  *out_tensor = tensor;
  return BERTH_OK;
}

void berth_tensor_set_listed(berth_tensor_t *tensor, int64_t count) {
  if (tensor == NULL) return;
  bool is_some = count > 0 && count <= tensor->count && count <= INT32_MAX;
  tensor->listed = is_some ? (int32_t)count : 0;
}

berth_code_t berth_tensor_reshape(berth_tensor_t *tensor, berth_dims_t shape,
                                  berth_tensor_t **out_tensor,
                                  berth_error_t *err) {
  BERTH_GIVEN(tensor, err);
  BERTH_GIVEN(out_tensor, err);
  int64_t count = 0;
  BERTH_TRY(berth_tensor_check(tensor->dtype, shape, &count, err));
  if (count != tensor->count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input to reshape is a tensor with %lld values, but "
                           "the requested shape has %lld",
                           (long long)tensor->count, (long long)count);
  }
  return berth_tensor_view(tensor->buffer, tensor->data, tensor->dtype,
                           shape.rank, shape.dims, count, tensor->device,
                           out_tensor, err);
}

berth_code_t berth_tensor_clone(const berth_tensor_t *tensor,
                                berth_tensor_t **out_tensor,
                                berth_error_t *err) {
  berth_tensor_t *copy = NULL;
  BERTH_TRY(berth_tensor_make(NULL, tensor->dtype, tensor->rank, tensor->dims,
                              tensor->count, &copy, err));
  if (!berth_elements_copy(tensor->dtype, copy->data, tensor->data,
                           tensor->count)) {
    berth_tensor_release(copy);
    return berth_error_no_memory(err, "a copy of a tensor");
  }
  *out_tensor = copy;
  return BERTH_OK;
}

// ---- Sharing ----

berth_tensor_t *berth_tensor_retain(berth_tensor_t *tensor) {
  if (tensor != NULL) {
    atomic_fetch_add_explicit(&tensor->refs, 1, memory_order_relaxed);
  }
  return tensor;
}

void berth_tensor_release(berth_tensor_t *tensor) {
  if (tensor == NULL) return;
  // Nobody can add a reference to a tensor of which this is the only one, so
  // the common case needs no locked instruction.
  if (atomic_load_explicit(&tensor->refs, memory_order_acquire) != 1 &&
      atomic_fetch_sub_explicit(&tensor->refs, 1, memory_order_acq_rel) != 1) {
    return;
  }
  berth_buffer_t *buffer = tensor->buffer;
  if (!is_in_block(tensor)) {
    berth_block_free(tensor, tensor_bytes(tensor->rank));
  } else if (berth_buffer_is_exclusive(buffer)) {
    // The same goes for a block; the buffer of a pool may be held from there.
    block_destroy(buffer);
    return;
  }
  berth_buffer_release(buffer);
}

// True when the memory is somebody else's, who may look at it at any time.
static bool is_wrapped(const berth_buffer_t *buffer) {
  return buffer->destroy == block_destroy &&
         ((const block_t *)buffer)->is_wrapped;
}

bool berth_tensor_is_exclusive(const berth_tensor_t *tensor) {
  if (tensor == NULL) return false;
  return atomic_load_explicit(&tensor->refs, memory_order_acquire) == 1 &&
         berth_buffer_is_exclusive(tensor->buffer) &&
         !is_wrapped(tensor->buffer);
}

const char *berth_tensor_dims_text(const berth_tensor_t *tensor,
                                   char text[BERTH_DIMS_TEXT]) {
  return berth_dims_text(berth_tensor_dims(tensor), text);
}

// ---- Reading ----

berth_dtype_t berth_tensor_dtype(const berth_tensor_t *tensor) {
  if (tensor == NULL) return BERTH_INVALID;
  return tensor->dtype;
}

berth_dims_t berth_tensor_shape(const berth_tensor_t *tensor) {
  if (tensor == NULL) return BERTH_UNKNOWN_RANK;
  return berth_tensor_dims(tensor);
}

int64_t berth_tensor_count(const berth_tensor_t *tensor) {
  if (tensor == NULL) return 0;
  return tensor->count;
}

size_t berth_tensor_size(const berth_tensor_t *tensor) {
  return tensor != NULL ? tensor->size : 0;
}

// Somebody is about to know an address on a card: what is away comes back, and
// stays for as long as the memory is in use.
static BERTH_NOINLINE void lay_open(const berth_tensor_t *tensor) {
  berth_hold_t hold = {.what = "the asking for an address"};
  // Nothing ends the wait for a card that is being given back: there is no way
  // to say so. On a card that has failed nothing is behind the address.
  if (berth_device_hold(tensor->device, &hold, NULL, NULL, NULL) != BERTH_OK) {
    return;
  }
  if (tensor->buffer != NULL && berth_pool_owns(tensor->buffer)) {
    berth_pool_pin(tensor->buffer);
  }
  berth_gate_leave(&hold);
}

void *berth_tensor_data(const berth_tensor_t *tensor) {
  if (tensor == NULL) return NULL;
  if (BERTH_UNLIKELY(tensor->device != NULL)) lay_open(tensor);
  return tensor->data;
}

const char *berth_tensor_device(const berth_tensor_t *tensor) {
  if (tensor == NULL) return "";
  if (tensor->device == NULL) return HOST_DEVICE;
  return berth_device_full_name(tensor->device);
}

void *berth_tensor_stream(const berth_tensor_t *tensor) {
  if (tensor == NULL) return NULL;
  berth_device_t *device = tensor->device;
  if (device == NULL) return NULL;
  return device->backend->streams->native(berth_device_compute(device));
}

void berth_text_free(void *text) { berth_free(text); }
