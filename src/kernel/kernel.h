// kernel.h - What a kernel is: select, prepare, run.
//
//   select    does this kernel do this node? (types; an optional function)
//   prepare   once per shapes: checks them, says the shapes of the outputs,
//             chooses a run function and fills a plan for it; cached
//   run       the work: plan, addresses, nothing else
//
// The executor owns all memory: it calls prepare with the shapes it knows,
// finds room for the outputs, and calls run with their addresses. What run
// needs beyond addresses (state, cancellation, tensors as such) is in
// berth_call_t.
//
// Which inputs a kernel treats how is said by masks of input bits, so that the
// executor can decide before it runs anything:
//   value_inputs  prepare reads their contents (an axis, a shape); where they
//                 are not known in advance the step is prepared when it runs.
//                 Bit 31 stands for the last input, wherever that is: the axis
//                 of a concatenation. Ask berth_kernel_reads_value().
//   keep_inputs   run keeps the tensor beyond the run (assign, enqueue). Bit 31
//                 stands for that input and all after it. Ask
//                 berth_kernel_keeps().
//
// Kernels are constant tables; everything here may be used from any thread.
#ifndef BERTH_KERNEL_KERNEL_H_
#define BERTH_KERNEL_KERNEL_H_

#include <stdatomic.h>

#include "base/arena.h"
#include "base/error.h"
#include "device/stream.h"
#include "graph/graph.h"
#include "tensor/handle.h"
#include "tensor/tensor.h"

typedef struct berth_commit berth_commit_t;  // state/commit.h
typedef struct berth_container berth_container_t;
typedef struct berth_call berth_call_t;
typedef struct berth_prepare berth_prepare_t;
typedef struct berth_move_sink berth_move_sink_t;  // kernel/move.h

// Does the work. |args| holds the addresses of the inputs, then of the outputs,
// then of the scratch space if prepare asked for some. An input or output
// without elements may be NULL. For a reference input the address is that of a
// berth_handle_t that holds the variable. Returns BERTH_OK, an error described
// in |call->err|, or BERTH_PENDING (blocking kernels only).
typedef berth_code_t (*berth_run_fn)(const void *plan, void *const *args,
                                     berth_call_t *call);

// What a blocking kernel returns when its completion will come later.
#define BERTH_PENDING ((berth_code_t)1000)

// An input as prepare sees it.
typedef struct berth_kernel_input {
  berth_dtype_t dtype;  // Without reference.
  int32_t rank;
  const int64_t *dims;  // All known.
  int64_t count;
  const void *value;  // Its contents, for value_inputs; for others where they
                      // are known anyway, else NULL.
} berth_kernel_input_t;

struct berth_prepare {
  const berth_node_t *node;
  int input_count;
  int output_count;
  const berth_kernel_input_t *inputs;
  berth_arena_t *arena;    // Where plans live.
  berth_device_t *device;  // Where it will run. Borrowed; NULL: a host device.
  // Where a kernel that only moves elements tells its moves instead of planning
  // them. Borrowed; NULL: nobody asks.
  berth_move_sink_t *moves;

  // Filled in by the kernel. |outputs| has room for output_count shapes. A rank
  // of -1 says that the shape is known only when the step has run; allowed for
  // kernels with BERTH_KERNEL_MAKES_TENSORS.
  berth_shape_t *outputs;
  berth_run_fn run;
  void *plan;
  size_t scratch_size;  // Bytes of scratch space, aligned to 64.
  int64_t work;         // About how many nanoseconds it will take; 0: few.
  // Output 0 is input |alias| in another shape: nothing needs to run (run may
  // be NULL then). -1: no.
  int8_t alias;
  // Inputs whose memory output 0 may take over: same size, and each element is
  // read before it is written.
  uint32_t may_overwrite;
};

// Returns |size| zeroed bytes for the plan and sets |prepare->plan|; NULL when
// memory is short.
void *berth_prepare_plan(berth_prepare_t *prepare, size_t size);

// Sets output |index| to a copy of |dims|.
void berth_prepare_output(berth_prepare_t *prepare, int index,
                          berth_dims_t dims);

static inline berth_dims_t berth_prepare_input_dims(
    const berth_prepare_t *prepare, int index) {
  const berth_kernel_input_t *input = &prepare->inputs[index];
  return (berth_dims_t){input->rank, input->dims};
}

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
  // Optional. Called once, when |done| has been called and |cancel| will not
  // be: frees what |storage| holds.
  void (*cleanup)(berth_completion_t *completion);
  // For the kernel: whatever it needs while it waits.
  _Alignas(16) unsigned char storage[192];
};

// What run may ask for.
struct berth_call {
  berth_error_t *err;
  const berth_node_t *node;
  berth_container_t *container;  // The session's resources.
  berth_resource_t *resource;    // What bind returned for this node. Borrowed.
  berth_completion_t *completion;  // Of a blocking kernel; else NULL.
  const atomic_int *cancelled;     // Not zero: stop soon.
  berth_allocator_t *allocator;    // For tensors made by the kernel.
  berth_stream_t
      *stream;  // Where the work is queued; NULL: it is done at once.
  // Tensors of the inputs named by keep_inputs, and of all inputs of kernels
  // with BERTH_KERNEL_MAKES_TENSORS; NULL elsewhere. Borrowed: retain to keep.
  berth_tensor_t *const *inputs;
  // Where a kernel with BERTH_KERNEL_MAKES_TENSORS puts its results: one
  // reference each.
  berth_tensor_t **outputs;
  // Where a kernel with BERTH_KERNEL_UPDATES adds its changes; else NULL.
  berth_commit_t *commit;
};

enum {
  // The kernel makes its output tensors itself, and their shapes may be known
  // only then.
  BERTH_KERNEL_MAKES_TENSORS = 1,
  // run may return BERTH_PENDING.
  BERTH_KERNEL_BLOCKS = 2,
  // The result depends on more than the inputs (random numbers, time), or the
  // run does more than make outputs. Schemas that are stateful imply it.
  BERTH_KERNEL_IMPURE = 4,
  // On a device with streams: run decides anew each time what it queues, or
  // waits for the device, so that it cannot be part of a recording. Kernels
  // with any other flag, and those of stateful schemas, never are.
  BERTH_KERNEL_NOT_RECORDED = 8,
  // The kernel changes variables: run adds what is to happen to |commit| and
  // does nothing itself. Inputs and plan stay until the commit is done or
  // dropped; there is no scratch.
  BERTH_KERNEL_UPDATES = 16,
  // The kernel only hands elements on, or looks at shapes: it computes with
  // none, and how a thread computes (base/float_env.h) is nothing to it.
  BERTH_KERNEL_MOVES = 32,
};

// A set of types for one attribute.
typedef struct berth_kernel_types {
  const char *attr;  // NULL ends a list.
  berth_dtype_set_t types;
} berth_kernel_types_t;

typedef struct berth_kernel {
  const char *op;
  berth_kernel_types_t types[4];  // All must hold; none: any types.
  berth_code_t (*prepare)(berth_prepare_t *prepare, berth_error_t *err);
  uint32_t value_inputs;
  uint32_t keep_inputs;
  uint32_t flags;
  // Optional. Finds or makes the resource that the node owns: a variable, a
  // queue, a random sequence. Called once per session and node; the caller owns
  // one reference.
  berth_code_t (*bind)(const berth_node_t *node, berth_container_t *container,
                       berth_resource_t **out_resource, berth_error_t *err);
  // Optional. Says no to a node whose types fit; appends the reason to |why|.
  bool (*select)(const berth_node_t *node, berth_str_t *why);
} berth_kernel_t;

// Says in |value_inputs| that prepare reads the last input.
#define BERTH_KERNEL_LAST_INPUT (UINT32_C(1) << 31)

// True when prepare reads the contents of input |index| of |input_count|.
static inline bool berth_kernel_reads_value(const berth_kernel_t *kernel,
                                            int index, int input_count) {
  if (index < 31 && (kernel->value_inputs >> index & 1) != 0) return true;
  return index == input_count - 1 &&
         (kernel->value_inputs & BERTH_KERNEL_LAST_INPUT) != 0;
}

// True when run keeps the tensor of input |index|.
static inline bool berth_kernel_keeps(const berth_kernel_t *kernel, int index) {
  return (kernel->keep_inputs >> (index < 31 ? index : 31) & 1) != 0;
}

// Adds |count| kernels for devices of |device_type| ("CPU"). The table is
// constant and stays. Called by backends while the process object is made.
BERTH_NODISCARD berth_code_t berth_kernel_add(const char *device_type,
                                              const berth_kernel_t *kernels,
                                              int count, berth_error_t *err);

// Returns the kernel that does |node| on |device_type|, or NULL and the reason
// in |why| (which may be NULL).
const berth_kernel_t *berth_kernel_find(const char *device_type,
                                        const berth_node_t *node,
                                        berth_str_t *why);

// True when there is a kernel for |op| on |device_type| for some types.
bool berth_kernel_exists(const char *device_type, const char *op);

#endif  // BERTH_KERNEL_KERNEL_H_
