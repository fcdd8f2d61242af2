// eager.h - Calling one op at once.
//
//   berth_tensor_t *in[] = {a, b}, *out[1];
//   int count = 1;
//   code = berth_eager_call(context, "MatMul", NULL, in, 2, out, &count, &err);
//
// Attributes that the inputs do not tell are given by an op description:
// berth_op_begin(NULL, "MatMul", NULL), the berth_op_attr_ functions, and
// berth_op_abandon() when it is no longer needed; one description serves any
// number of calls.
//
// Threads: everything here is thread-safe, but a description belongs to one
// thread at a time.
#ifndef BERTH_EAGER_H_
#define BERTH_EAGER_H_

#include "berth/session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_context berth_context_t;

// Creates a context with the devices that |config| asks for (NULL: defaults),
// to be destroyed when no call is under way.
BERTH_API BERTH_NODISCARD berth_code_t
berth_context_create(const berth_config_t *config,
                     berth_context_t **out_context, berth_error_t *err);
BERTH_API void berth_context_destroy(berth_context_t *context);

// Returns how many devices there are, and the full name of one of them; NULL
// when there is none of that number.
BERTH_API int berth_context_device_count(const berth_context_t *context);
BERTH_API const char *berth_context_device_name(const berth_context_t *context,
                                                int index);

// Calls |op| on |device| (NULL: wherever it is best) and stores its outputs,
// which the caller releases. |*output_count| is the room in |outputs| and is
// set to how many there are; where that is more than the room, the op is not
// called and the code is BERTH_INVALID_ARGUMENT.
//
// An op that takes a handle runs where what it stands for is, whatever |device|
// says: a variable is read and changed on the device of its VarHandleOp.
//
// The poll function of the context's configuration is called now and then; when
// it ends the call the code is BERTH_CANCELLED and nothing is stored. An op
// that changes a variable is done to its end or has not begun.
BERTH_API BERTH_NODISCARD berth_code_t berth_eager_call(
    berth_context_t *context, const char *op, const char *device,
    berth_tensor_t *const *inputs, int input_count, berth_tensor_t **outputs,
    int *output_count, berth_error_t *err);

// The same with the attributes of a description.
BERTH_API BERTH_NODISCARD berth_code_t berth_eager_call_op(
    berth_context_t *context, const berth_op_t *op, const char *device,
    berth_tensor_t *const *inputs, int input_count, berth_tensor_t **outputs,
    int *output_count, berth_error_t *err);

// Copies |tensor| to |device|, in any form that names one of the context's
// ("GPU:0", "/device:GPU:0", the full name), and stores the copy, or another
// reference where it is there already. BERTH_INVALID_ARGUMENT `<name> unknown
// device.` when there is none. The poll function ends it as it does a call.
BERTH_API BERTH_NODISCARD berth_code_t berth_eager_copy(
    berth_context_t *context, berth_tensor_t *tensor, const char *device,
    berth_tensor_t **out_tensor, berth_error_t *err);

// Returns the full name of the device of the resource behind |handle|, which an
// eager call of |context| made; NULL for any other tensor. Borrowed from the
// context.
BERTH_API const char *berth_context_handle_device(
    const berth_context_t *context, const berth_tensor_t *handle);

// Creates a session on |graph| with the devices and variables of |context|,
// which must outlive it, and with its settings as they are now. It runs what a
// function of the program's does: handles of variables that eager calls gave
// can be fed, feeds may be on any device, and what is fetched stays where it is
// made. Fed tensors must not change afterwards: they may be handed on. Random
// sequences are the session's own. To be destroyed with
// berth_session_destroy().
BERTH_API BERTH_NODISCARD berth_code_t
berth_context_session(berth_context_t *context, berth_graph_t *graph,
                      berth_session_t **out_session, berth_error_t *err);

// Makes a tensor of |size| bytes of the caller's at |data|, in the memory of
// |device|, without a copy. What others have queued to fill it must be done, or
// the device's stream (berth_tensor_stream()) wait for it. |deallocator| (may
// be NULL) is called when the last reference is gone and the device is done
// with it; on failure it is not called.
BERTH_API BERTH_NODISCARD berth_code_t
berth_eager_wrap(berth_context_t *context, const char *device,
                 berth_dtype_t dtype, berth_dims_t shape, void *data,
                 size_t size, berth_deallocator_fn deallocator, void *arg,
                 berth_tensor_t **out_tensor, berth_error_t *err);

// Makes eager calls log their placement, or not.
BERTH_API void berth_context_set_log_placement(berth_context_t *context,
                                               bool log);
BERTH_API void berth_context_set_soft_placement(berth_context_t *context,
                                                bool soft);

// Says how many kinds of calls are kept ready: an op, its attributes, the types
// of its inputs and a device. Past that the least recently used are forgotten,
// and made anew should they come again; a random op then begins its sequence
// anew. Without a word it is the environment's BERTH_EAGER_CACHE, or 4096. 0
// keeps none.
BERTH_API void berth_context_set_cache_limit(berth_context_t *context,
                                             int count);

// Returns how many are kept now.
BERTH_API int berth_context_cache_size(const berth_context_t *context);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_EAGER_H_
