// tensor.h - Tensors: typed arrays in host or device memory.
//
// A tensor is counted: create gives one reference, retain adds one, release
// takes one away. Its type, shape and memory never change; its contents may be
// written by whoever created it until it is first handed to Berth (as a feed,
// a constant, an eager input), and are read-only from then on.
//
// Elements are stored row by row. Strings are stored as berth_string_t headers;
// use berth_tensor_set_string() and berth_tensor_get_string().
//
//   const float values[] = {1, 2, 3, 4, 5, 6};
//   berth_tensor_t *tensor = NULL;
//   code = berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(2, 3), values,
//                                 &tensor, &err);
//   if (code == BERTH_OK) code = berth_tensor_print(tensor, stdout, &err);
//   berth_tensor_release(tensor);
//
// Results of a session are in host memory, those of eager calls where they were
// made. Whatever reads elements as text, bytes or a file brings a tensor of a
// device to the host first, and waits for that.
//
// Threads: counting is thread-safe; contents as any memory.
#ifndef BERTH_TENSOR_H_
#define BERTH_TENSOR_H_

#include <stdio.h>

#include "berth/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// A typed array. Counted; type, shape and memory immutable after create.
typedef struct berth_tensor berth_tensor_t;

// Gives memory back that was lent to berth_tensor_wrap(): |data| and |size| as
// they were given there. Called once, from any thread, when the last user is
// gone, which may be long after the program has released its tensor. No lock of
// Berth's is held.
typedef void (*berth_deallocator_fn)(void *data, size_t size, void *arg);

// Creates a tensor in host memory; numbers are not initialised, strings are
// empty. The caller owns one reference. Fails with BERTH_INVALID_ARGUMENT for a
// type or shape that no tensor can have (a reference type, unknown or negative
// dimensions, more than 2^63 - 1 bytes) and with BERTH_RESOURCE_EXHAUSTED when
// there is no memory, `OOM when allocating tensor with shape[...]`.
BERTH_API BERTH_NODISCARD berth_code_t
berth_tensor_create(berth_dtype_t dtype, berth_dims_t shape,
                    berth_tensor_t **out_tensor, berth_error_t *err);

// Makes a tensor of |size| bytes of the caller's at |data|, without a copy.
// |deallocator| (may be NULL) is called when the last reference is gone; on
// failure it is not called. The memory is written by nobody but the program,
// however few references there are. Fails as berth_tensor_create() does, and
// with BERTH_INVALID_ARGUMENT when |size| is smaller than the shape needs, or
// |data| is not aligned to its elements.
BERTH_API BERTH_NODISCARD berth_code_t
berth_tensor_wrap(berth_dtype_t dtype, berth_dims_t shape, void *data,
                  size_t size, berth_deallocator_fn deallocator, void *arg,
                  berth_tensor_t **out_tensor, berth_error_t *err);

// Creates a tensor in host memory with a copy of |data|, which holds as many
// elements as |shape| and may go afterwards. Fails as berth_tensor_create()
// does; BERTH_INVALID_ARGUMENT for strings, resources and variants too.
BERTH_API BERTH_NODISCARD berth_code_t berth_tensor_copy_from(
    berth_dtype_t dtype, berth_dims_t shape, const void *data,
    berth_tensor_t **out_tensor, berth_error_t *err);

// Says that |tensor| was given by its first |count| elements and that all
// others repeat the last of them. Messages then list these instead of all
// bytes, as TensorFlow's do. A count that is not between 1 and all of them
// means that all are listed, which is so at first. Only for who makes the
// tensor, before others see it.
BERTH_API void berth_tensor_set_listed(berth_tensor_t *tensor, int64_t count);

// Makes another tensor over the same memory with as many elements in another
// shape; nothing is copied, and the caller releases both.
// BERTH_INVALID_ARGUMENT for a shape with more or fewer elements, or one that
// no tensor can have.
BERTH_API BERTH_NODISCARD berth_code_t
berth_tensor_reshape(berth_tensor_t *tensor, berth_dims_t shape,
                     berth_tensor_t **out_tensor, berth_error_t *err);

// Adds and takes away a reference. Retaining returns |tensor| itself. NULL is
// fine for both. The last release frees the memory, or calls its deallocator,
// unless another tensor shares it.
BERTH_API berth_tensor_t *berth_tensor_retain(berth_tensor_t *tensor);
BERTH_API void berth_tensor_release(berth_tensor_t *tensor);

// True when the caller holds the only reference to the tensor and to its
// memory, so that it may hand the memory on or write to it. False for memory
// that was lent (berth_tensor_wrap()), which its owner may look at, and for
// NULL.
BERTH_API bool berth_tensor_is_exclusive(const berth_tensor_t *tensor);

// Return what the tensor is: its type, its shape (borrowed), how many elements.
// These and the ones below take NULL for a tensor without type, shape (of
// unknown rank), elements and device ("").
BERTH_API berth_dtype_t berth_tensor_dtype(const berth_tensor_t *tensor);
BERTH_API berth_dims_t berth_tensor_shape(const berth_tensor_t *tensor);
BERTH_API int64_t berth_tensor_count(const berth_tensor_t *tensor);

// Returns the bytes of the elements (of the headers, for strings).
BERTH_API size_t berth_tensor_size(const berth_tensor_t *tensor);

// Returns the address of the first element: host memory, or an address of the
// device that berth_tensor_device() names, ready when the work queued before on
// berth_tensor_stream() is done. NULL for a tensor without elements is
// possible.
//
// The memory of a device whose address is known keeps its card from being given
// back (berth_device_release_memory()) until it is released. Memory that is
// away is brought back first: that waits for a card that is being given back.
BERTH_API void *berth_tensor_data(const berth_tensor_t *tensor);

// Returns the full name of the device whose memory it is; that of CPU:0 for
// host memory, whatever made it. Borrowed; lives as long as the process.
BERTH_API const char *berth_tensor_device(const berth_tensor_t *tensor);

// Returns the driver's stream on which the tensor is made; NULL in host memory,
// and while the memory of its device is given back.
BERTH_API void *berth_tensor_stream(const berth_tensor_t *tensor);

// Gives a tensor in host memory with the same contents: another reference to
// |tensor| where it is there already, else a copy that is ready when this
// returns. Either way the caller releases it. Waits for the work on the device
// that makes the tensor.
//
// Fails with what that work failed with, which is BERTH_INTERNAL where the card
// has failed, and with BERTH_RESOURCE_EXHAUSTED when the host has no memory.
BERTH_API BERTH_NODISCARD berth_code_t
berth_tensor_to_host(const berth_tensor_t *tensor, berth_tensor_t **out_tensor,
                     berth_error_t *err);

// The same, asking |poll| (NULL: nobody) now and then while it waits for a
// device: BERTH_CANCELLED when that says so. |tensor| is as it was then.
BERTH_API BERTH_NODISCARD berth_code_t berth_tensor_to_host_polled(
    const berth_tensor_t *tensor, berth_poll_fn poll, void *poll_arg,
    berth_tensor_t **out_tensor, berth_error_t *err);

// Stores a copy of |size| bytes as element |index| of a string tensor, in place
// of what was there. |text| may be NULL for a size of 0, and hold NULs.
// BERTH_INVALID_ARGUMENT for another type, and an index beyond the elements.
// Only for who makes the tensor, before others see it.
BERTH_API BERTH_NODISCARD berth_code_t
berth_tensor_set_string(berth_tensor_t *tensor, int64_t index, const char *text,
                        size_t size, berth_error_t *err);

// Returns element |index| of a string tensor and stores its length in
// |*out_size| (may be NULL). Borrowed; lives as long as the tensor, and until
// the element is set anew. Not NUL-terminated. NULL, and |*out_size| untouched,
// for a bad index or type.
BERTH_API const char *berth_tensor_get_string(const berth_tensor_t *tensor,
                                              int64_t index, size_t *out_size);

// Writes |tensor| as numpy's print does, with a final newline. BERTH_UNKNOWN
// when |file| cannot be written; fails as berth_tensor_to_host() does.
BERTH_API BERTH_NODISCARD berth_code_t berth_tensor_print(
    const berth_tensor_t *tensor, FILE *file, berth_error_t *err);

// Stores the text numpy's str() gives in |*out_text|, to be freed with
// berth_text_free(): with more than 1000 elements only the first and last three
// of each dimension.
// Fails as berth_tensor_to_host() does.
BERTH_API BERTH_NODISCARD berth_code_t berth_tensor_format(
    const berth_tensor_t *tensor, char **out_text, berth_error_t *err);

// The same as numpy before 1.14 gave it, with a column for the sign:
// "[[ 22.  28.]\n [ 49.  64.]]".
BERTH_API BERTH_NODISCARD berth_code_t berth_tensor_format_classic(
    const berth_tensor_t *tensor, char **out_text, berth_error_t *err);

// Frees a text or bytes that a function of Berth stored for the caller to free.
// NULL is fine. Not for what was borrowed.
BERTH_API void berth_text_free(void *text);

// Reads a .npy file of numpy, which may come from anywhere: only plain files,
// and what the header claims is held against the size of the file first.
//
// BERTH_NOT_FOUND, BERTH_PERMISSION_DENIED and others as berth_file_write() for
// a file that cannot be opened; BERTH_INVALID_ARGUMENT for what is no .npy
// file, BERTH_DATA_LOSS for one that is cut off, BERTH_UNIMPLEMENTED for
// versions and types that no tensor has (objects, records, dates).
BERTH_API BERTH_NODISCARD berth_code_t berth_tensor_load_npy(
    const char *path, berth_tensor_t **out_tensor, berth_error_t *err);

// Writes one, as berth_file_write() does and failing as that does.
// BERTH_UNIMPLEMENTED for types that numpy has not (bfloat16, resource),
// BERTH_INVALID_ARGUMENT for strings that a .npy file cannot hold.
BERTH_API BERTH_NODISCARD berth_code_t berth_tensor_save_npy(
    const berth_tensor_t *tensor, const char *path, berth_error_t *err);

// Reads a serialised TensorProto; the bytes may go afterwards. The last value
// repeats where fewer are listed than there are elements. BERTH_DATA_LOSS for
// bytes that are cut off, BERTH_INVALID_ARGUMENT for what is no TensorProto, or
// none of a tensor; BERTH_UNIMPLEMENTED for variants.
BERTH_API BERTH_NODISCARD berth_code_t
berth_tensor_from_proto(const void *bytes, size_t size,
                        berth_tensor_t **out_tensor, berth_error_t *err);

// Writes one, to be freed with berth_text_free(). Of resources and variants,
// which mean nothing elsewhere, only type and shape. Fails as
// berth_tensor_to_host() does.
BERTH_API BERTH_NODISCARD berth_code_t
berth_tensor_to_proto(const berth_tensor_t *tensor, void **out_bytes,
                      size_t *out_size, berth_error_t *err);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_TENSOR_H_
