// eager.h - Calling one op at once.
//
//   berth_tensor_t *in[] = {a, b}, *out[1];
//   int count = 1;
//   code = berth_eager_call(context, "MatMul", NULL, in, 2, out, &count, &err);
//
// Attributes that the inputs do not tell are given by an op description:
// berth_op_begin(NULL, "MatMul", NULL), the berth_op_attr_ functions, and
// berth_op_abandon() when it is no longer needed; one description serves any
// number of calls:
//
//   berth_op_t *op = berth_op_begin(NULL, "Cast", NULL);
//   berth_op_attr_type(op, "DstT", BERTH_INT32);
//   code = berth_eager_call_op(context, op, "/gpu:0", in, 1, out, &count,
//   &err); berth_op_abandon(op);
//
// The first call of a kind (an op, its attributes, the types of its inputs, a
// device) is checked, placed and prepared; later ones find that ready.
//
// Threads: everything here is thread-safe, but a description belongs to one
// thread at a time.
#ifndef BERTH_EAGER_H_
#define BERTH_EAGER_H_

#include "berth/session.h"

#ifdef __cplusplus
extern "C" {
#endif

// Devices, variables and what calls have prepared. One owner; thread-safe.
typedef struct berth_context berth_context_t;

// Creates a context with the devices that |config| asks for (copied; NULL: what
// berth_process_configure() has set, or the defaults with soft placement).
// Fails as berth_session_create() does, for what is not about a graph.
BERTH_API BERTH_NODISCARD berth_code_t
berth_context_create(const berth_config_t *config,
                     berth_context_t **out_context, berth_error_t *err);

// Frees |context| with its variables. No call may be under way, and sessions of
// berth_context_session() are destroyed before. Tensors that it gave live on.
// NULL is fine.
BERTH_API void berth_context_destroy(berth_context_t *context);

// Return how many devices there are, and the full name of one of them, CPUs
// first; NULL when there is none of that number. They never change. Borrowed;
// lives as long as the context.
BERTH_API int berth_context_device_count(const berth_context_t *context);
BERTH_API const char *berth_context_device_name(const berth_context_t *context,
                                                int index);

// Calls |op| on |device| (NULL: wherever it is best) and stores its outputs,
// which the caller releases. |*output_count| is the room in |outputs| and is
// set to how many there are; where that is more than the room, the op is not
// called and the code is BERTH_INVALID_ARGUMENT.
//
// Outputs lie on the device of the call, but for those that its kernel leaves
// on the host; inputs that are elsewhere are copied there first. On a GPU work
// is only queued: a call may return before it is done, and a fault shows in a
// later one. berth_tensor_to_host() waits.
//
// An op that takes a handle runs where what it stands for is, whatever |device|
// says: a variable is read and changed on the device of its VarHandleOp.
//
// The poll function of the context's configuration is called now and then; when
// it ends the call the code is BERTH_CANCELLED and nothing is stored. An op
// that changes a variable is done to its end or has not begun.
//
// On failure there is nothing to release: |outputs| is untouched or holds
// NULLs. Fails with
//
//   BERTH_INVALID_ARGUMENT    an input is NULL; types, attributes or shapes do
//                             not fit; |device| is no name, or cannot be had
//                             and placement is not soft
//   BERTH_NOT_FOUND           there is no such op, or no kernel of TensorFlow's
//                             for it on any of the devices
//   BERTH_UNIMPLEMENTED       Berth has no kernel for it on the device
//   BERTH_RESOURCE_EXHAUSTED  the device or the host is out of memory
//   BERTH_INTERNAL            the card has failed (berth_device_reset());
//                             BERTH_UNAVAILABLE where that is for good
//
// and with whatever the op itself fails with.
BERTH_API BERTH_NODISCARD berth_code_t berth_eager_call(
    berth_context_t *context, const char *op, const char *device,
    berth_tensor_t *const *inputs, int input_count, berth_tensor_t **outputs,
    int *output_count, berth_error_t *err);

// The same with the attributes of a description, and its device where |device|
// is NULL; inputs that it was given do not count. Fails too with what went
// wrong when the description was made.
BERTH_API BERTH_NODISCARD berth_code_t berth_eager_call_op(
    berth_context_t *context, const berth_op_t *op, const char *device,
    berth_tensor_t *const *inputs, int input_count, berth_tensor_t **outputs,
    int *output_count, berth_error_t *err);

// Copies |tensor| to |device|, in any form that names one of the context's
// ("GPU:0", "/device:GPU:0", the full name), and stores the copy, or another
// reference where it is there already; the caller releases either. Waits until
// the copy is done. BERTH_INVALID_ARGUMENT `<name> unknown device.` when there
// is none; BERTH_UNIMPLEMENTED for types that are no plain bytes, on their way
// between host and device. The poll function ends it as it does a call.
BERTH_API BERTH_NODISCARD berth_code_t berth_eager_copy(
    berth_context_t *context, berth_tensor_t *tensor, const char *device,
    berth_tensor_t **out_tensor, berth_error_t *err);

// Returns the full name of the device of the resource behind |handle|, which an
// eager call of |context| made; NULL for any other tensor. Borrowed from the
// context. Both must be given.
BERTH_API const char *berth_context_handle_device(
    const berth_context_t *context, const berth_tensor_t *handle);

// Gives |context| the devices that |config| asks for among those that the
// process has now (berth_process_reconfigure()). Calls that are under way go on
// with what they have; sessions of the context keep what it had. Fails as
// berth_context_create() does, and nothing has changed then. Names of devices
// that were got before stay valid. Thread-safe.
BERTH_API BERTH_NODISCARD berth_code_t berth_context_refresh(
    berth_context_t *context, const berth_config_t *config, berth_error_t *err);

// Returns which device of |context| the calling thread's last call ran on, if
// it was one of this context's. What a kernel on a GPU leaves on the host
// (shapes, for instance) belongs to the GPU for TensorFlow, whatever
// berth_tensor_device() says of its memory.
BERTH_API int berth_context_last_device(const berth_context_t *context);

// Creates a session on |graph| with the devices and variables of |context|,
// which must outlive it, and with its settings as they are now. It runs what a
// function of the program's does: handles of variables that eager calls gave
// can be fed, feeds may be on any device, and what is fetched stays where it is
// made. Fed tensors must not change afterwards: they may be handed on. Random
// sequences are the session's own. To be destroyed with
// berth_session_destroy(), before the context. Fails with the graph's own error
// when it has one.
BERTH_API BERTH_NODISCARD berth_code_t
berth_context_session(berth_context_t *context, berth_graph_t *graph,
                      berth_session_t **out_session, berth_error_t *err);

// Lets ops that are called in |context| and its sessions, those of datasets for
// instance, call the function |name| of |graph|, which is retained. Removing it
// does nothing to what was made with it. Fails with BERTH_RESOURCE_EXHAUSTED.
//
// So a program calls a function by name:
//
//   berth_op_t *op = berth_op_begin(NULL, "PartitionedCall", NULL);
//   berth_op_attr_func(op, "f", name);
//   berth_op_attr_types(op, "Tin", …), berth_op_attr_types(op, "Tout", …);
//   code = berth_eager_call_op(context, op, NULL, in, 1, out, &count, &err);
//
// The first call plans it; where a function runs is a session's choice, and what
// it gives is in host memory.
BERTH_API BERTH_NODISCARD berth_code_t
berth_context_add_function(berth_context_t *context, const char *name,
                           berth_graph_t *graph, berth_error_t *err);
BERTH_API void berth_context_remove_function(berth_context_t *context,
                                             const char *name);

// Makes a tensor of |size| bytes of the caller's at |data|, in the memory of
// |device|, without a copy. What others have queued to fill it must be done, or
// the device's stream (berth_tensor_stream()) wait for it. |deallocator| (may
// be NULL) is called when the last reference is gone and the device is done
// with it, which the releasing thread waits for; on failure it is not called.
// Until then the device's card cannot be given back. |device| may be a CPU:
// this is berth_tensor_wrap() then.
//
// Fails as berth_tensor_wrap() does, with BERTH_INVALID_ARGUMENT `<name>
// unknown device.`, and with what starting the device fails with. That |data|
// is memory of that device is not checked.
BERTH_API BERTH_NODISCARD berth_code_t
berth_eager_wrap(berth_context_t *context, const char *device,
                 berth_dtype_t dtype, berth_dims_t shape, void *data,
                 size_t size, berth_deallocator_fn deallocator, void *arg,
                 berth_tensor_t **out_tensor, berth_error_t *err);

// Makes eager calls log their placement from now on, or not.
BERTH_API void berth_context_set_log_placement(berth_context_t *context,
                                               bool log);

// Lets calls go to another device where the one asked for cannot be had or has
// no kernel, or makes them fail, from now on.
BERTH_API void berth_context_set_soft_placement(berth_context_t *context,
                                                bool soft);

// Says how many kinds of calls are kept ready: an op, its attributes, the types
// of its inputs and a device. Past that the least recently used are forgotten,
// and made anew should they come again; a random op then begins its sequence
// anew. Without a word it is the environment's BERTH_EAGER_CACHE, or 4096. 0
// keeps none, and so does a negative count. |context| must be given.
BERTH_API void berth_context_set_cache_limit(berth_context_t *context,
                                             int count);

// Returns how many are kept now. |context| must be given.
BERTH_API int berth_context_cache_size(const berth_context_t *context);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_EAGER_H_
