// kernel.h - What a kernel is: select, prepare, run.
//
//   select    does this kernel do this node? (types; an optional function)
//   prepare   once per shapes: lets the op's family check them and describe the
//             work, chooses a run function and fills a plan for it; cached
//   run       the work: plan, addresses, nothing else
//
// The executor owns all memory: it calls prepare with the shapes it knows,
// finds room for the outputs, and calls run with their addresses. What run
// needs beyond addresses (state, cancellation, tensors as such) is in
// berth_call_t.
//
// What an op means whatever computes it is not here: which inputs are read as
// values, kept, whether it blocks (ops.def), what it checks and the shapes it
// gives (room op).
//
// Kernels are constant tables; everything here may be used from any thread.
#ifndef BERTH_KERNEL_KERNEL_H_
#define BERTH_KERNEL_KERNEL_H_

#include <stdatomic.h>

#include "device/backend.h"
#include "device/stream.h"
#include "op/case.h"
#include "tensor/handle.h"
#include "tensor/tensor.h"

typedef struct berth_commit berth_commit_t;  // state/commit.h
typedef struct berth_container berth_container_t;
typedef struct berth_call berth_call_t;
typedef struct berth_prepare berth_prepare_t;
typedef struct berth_term berth_term_t;  // kernel/fuse.h

// Does the work. |args| holds the addresses of the inputs, then of the outputs,
// then of the scratch space if prepare asked for some. An input or output
// without elements may be NULL. For a reference input the address is that of a
// berth_handle_t that holds the variable. Returns BERTH_OK, an error described
// in |call->err|, or BERTH_PENDING (blocking kernels only).
//
// |plan| is shared by threads that run the step at once: it is not written. On
// a device the work is queued on |call->stream| and nothing is waited for;
// |args| are addresses there, but for arguments in host memory. An error that
// shows only when the work is done comes from the stream. A run that was
// cancelled may return BERTH_OK with outputs that are half done: the executor
// looks.
typedef berth_code_t (*berth_run_fn)(const void *plan, void *const *args,
                                     berth_call_t *call);

// A run function for outputs without elements, and for ops that do nothing.
berth_code_t berth_run_nothing(const void *plan, void *const *args,
                               berth_call_t *call);

// What a blocking kernel returns when its completion will come later. No code
// of errors: never leaves the executor.
#define BERTH_PENDING ((berth_code_t)1000)

// What prepare is given, and fills in. Prepare fails as families do (op/case.h),
// with BERTH_RESOURCE_EXHAUSTED, and with BERTH_UNIMPLEMENTED for shapes that
// only this device cannot do; the executor then drops what lies in the arena.
struct berth_prepare {
  berth_case_t op;         // Filled in by the op's family.
  berth_device_t *device;  // Where it will run. Borrowed; NULL: a host device.
  bool repeats;            // It will run many times in a run.

  // Filled in by the kernel.
  berth_run_fn run;     // May be NULL where the output is an input (op.alias).
  void *plan;           // berth_prepare_plan() makes it.
  size_t scratch_size;  // Bytes of scratch space, aligned to 64.
  int64_t work;         // About how many nanoseconds it will take; 0: few.
  const berth_term_t *term;  // How it is fused with others; NULL: it is not.
};

// Describes |tensor| as an input, whose contents are at |value| if they are known.
static inline berth_case_input_t berth_input_of(const berth_tensor_t *tensor,
                                                const void *value) {
  return (berth_case_input_t){.dtype = berth_dtype_base(tensor->dtype),
                              .rank = tensor->rank,
                              .dims = tensor->dims,
                              .count = tensor->count,
                              .value = value};
}

// Returns |size| zeroed bytes for the plan and sets |prepare->plan|; NULL when
// memory is short. They live as long as the plan and are freed with it.
void *berth_prepare_plan(berth_prepare_t *prepare, size_t size);

// Makes |thing|, an object of a library that the plan refers to, the plan's
// own: |drop| is called with it once, when nothing runs the plan any more, or
// prepare has failed. False when memory is short; then it has been called
// already.
BERTH_NODISCARD bool berth_prepare_own(berth_prepare_t *prepare, void *thing,
                                       void (*drop)(void *));

// Returns what is wrong with what a kernel whose step has |traits| has filled in
// |prepare|, or NULL: what berth_case_check() finds, nothing to run, scratch
// space of an update. For assertions.
const char *berth_prepare_check(const berth_prepare_t *prepare,
                                uint32_t traits);

// The end of a step that blocks. Belongs to the run; lives until |done| has
// been called, exactly once, from any thread. After that it must not be
// touched.
typedef struct berth_completion berth_completion_t;
struct berth_completion {
  // Finishes the step. |outputs| (as many as the node has, each a reference
  // that is taken over; NULL on failure) are its results; |text| is the message
  // of a failure.
  void (*done)(berth_completion_t *completion, berth_code_t code,
               const char *text, berth_tensor_t **outputs);
  // Set by a kernel that returns BERTH_PENDING: called at most once, from any
  // thread, when the run is cancelled; must lead to |done| soon. May race with
  // |done| and even come after it: the kernel's own lock decides.
  void (*cancel)(berth_completion_t *completion);
  // Optional. Called once, on the run's own thread, when what |done| brought is
  // taken over, before anything that reads it runs: lets what is queued from
  // then on come after it.
  berth_code_t (*taken)(berth_completion_t *completion, berth_error_t *err);
  // Optional. Called once, when |done| has been called and |cancel| will not
  // be: frees what |storage| holds.
  void (*cleanup)(berth_completion_t *completion);
  // For the kernel: whatever it needs while it waits.
  _Alignas(16) unsigned char storage[192];
};

struct berth_run_control;  // exec/watch.h

// What run may ask for. Borrowed for the call.
struct berth_call {
  berth_error_t *err;  // May be NULL.
  const berth_node_t *node;
  berth_container_t *container;    // The session's resources.
  berth_resource_t *resource;      // What the node owns, or NULL. Borrowed.
  berth_completion_t *completion;  // Of a blocking kernel; else NULL.
  const atomic_int *cancelled;     // Not zero: stop soon.
  // What ends the run, for a kernel that runs others; NULL: it is told nothing.
  const struct berth_run_control *control;
  // Where the run keeps what goes with it, by name; NULL: it is no run. Made
  // by the first that needs it: steps that make their outputs come one by one.
  berth_container_t **of_run;
  // The device that the node was placed on, among those of the session, though
  // the step may be done on the host: what lies there in host memory alone.
  int place;
  berth_allocator_t *allocator;  // For tensors made by the kernel.
  // Where the work is queued; NULL: it is done at once.
  berth_stream_t *stream;
  // Tensors of the inputs that the op keeps, and of all inputs of ops that make
  // their outputs; NULL elsewhere. Borrowed: retain to keep.
  berth_tensor_t *const *inputs;
  // Those of them, as bits, that the kernel may change, and hand out as outputs:
  // nobody else holds them, or will look at them.
  uint32_t given;
  // Where the kernel of an op that makes its outputs puts them: one reference
  // each.
  berth_tensor_t **outputs;
  // Where the kernel of an op that updates adds its changes; else NULL.
  berth_commit_t *commit;
};

// A set of types for one attribute.
typedef struct berth_kernel_types {
  const char *attr;         // NULL ends a list.
  berth_dtype_set_t types;  // Of values: a reference counts as its base type.
} berth_kernel_types_t;

// One kernel: constant, part of a backend's table.
typedef struct berth_kernel {
  const char *op;  // Name of the op; NULL ends a table.
  // All must hold; none: any types. What the schema or the registrations of the
  // device type leave no choice of need not be here.
  berth_kernel_types_t types[2];
  // Required. Called once per step and shapes, from any thread.
  berth_code_t (*prepare)(berth_prepare_t *prepare, berth_error_t *err);
  // Types of tensors that it hands on as they are, wherever they are. Said by
  // kernels of the CPU: for these types, of their first attribute, they serve
  // devices of every type that have no kernel of their own.
  berth_dtype_set_t anywhere;
  // Traits that this kernel has besides those of its op (graph/schema.h).
  uint32_t traits;
  // Optional. Says no to a node whose types fit; appends the reason to |why|,
  // which may be NULL. NULL: yes to all.
  bool (*select)(const berth_node_t *node, berth_str_t *why);
} berth_kernel_t;

// Adds kernels for the devices of |backend|. The table ends with an entry
// without an op, is constant and stays. Called by backends while the process
// object is made, and never afterwards: finding takes no lock. Of several for
// one op the first that fits is taken. Fails with BERTH_RESOURCE_EXHAUSTED, and
// with BERTH_INTERNAL for a ninth backend.
BERTH_NODISCARD berth_code_t berth_kernel_add(const berth_backend_t *backend,
                                              const berth_kernel_t *kernels,
                                              berth_error_t *err);

// Returns the kernel that does |node| on devices of |backend|, one of the
// host's where that does it anywhere, or NULL. The reasons of all that refused
// are appended to |why| (which may be NULL), also when a later one does it.
// Constant.
const berth_kernel_t *berth_kernel_find(const berth_backend_t *backend,
                                        const berth_node_t *node,
                                        berth_str_t *why);

// Returns the backend whose kernels work in the calling thread, on host memory:
// the first without streams that was added; NULL: none was.
const berth_backend_t *berth_kernel_host(void);

// Returns the first backend of |device_type| ("CPU") that has kernels, or NULL.
const berth_backend_t *berth_kernel_backend(const char *device_type);

// True when some backend of |device_type| has a kernel for |op|, for some
// types.
bool berth_kernel_exists(const char *device_type, const char *op);

#endif  // BERTH_KERNEL_KERNEL_H_
