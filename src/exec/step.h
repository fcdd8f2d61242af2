// step.h - One node with its kernel, and the plans it has been prepared for.
//
// A step runs in one of two ways. In a layout its shapes are known: it was
// prepared in advance and its addresses are in the frame. Otherwise it is
// *late*: it is prepared when it runs, from the shapes of the tensors that
// arrive, and its outputs are new tensors. An eager call is one late step.
//
// Plans of late steps are kept, a few per step, because shapes repeat.
//
// Threads: berth_step_call() may run in several threads at once.
#ifndef BERTH_EXEC_STEP_H_
#define BERTH_EXEC_STEP_H_

#include "base/thread.h"
#include "device/lender.h"
#include "exec/retire.h"
#include "kernel/kernel.h"

// A device as programs see it. The session's, which outlives them.
typedef struct berth_exec_device {
  const char *name;                // Full name. Borrowed.
  const berth_backend_t *backend;  // Constant.
  berth_allocator_t *allocator;    // Of its memory. Borrowed.
  // When it works beside the host, on memory of its own; else NULL. Borrowed.
  berth_device_t *device;
  berth_lender_t *lender;  // Of memory for runs. Borrowed.
} berth_exec_device_t;

// What the executor needs to know about whoever runs programs. Filled in by
// the runtime; borrowed, outlives every program.
typedef struct berth_exec_host {
  const berth_graph_t *graph;
  const berth_exec_device_t *devices;
  int device_count;
  berth_container_t *container;  // Where kernels look for resources by name.
  berth_terms_t *terms;          // Of its runs. Borrowed.
  bool keep_constants;           // Settle what can be; false: nothing.
  bool skips_unread;             // Leave out what is only waited for (prune.h).
  bool joins_twins;              // One step for equal nodes (twin.h).
  bool fuses;                    // Do steps as one where that can be (fuse.h).
  bool cuts_blocks;              // Cut programs with loops (cut.h).
  // Both are asked while a program is made alone, by its thread.
  // Returns the device of |node|, an index into |devices|.
  int (*device_of)(const struct berth_exec_host *host, int32_t node);
  // Returns the resource that |node| owns (berth_op_schema_t.owns); borrowed.
  berth_code_t (*resource_of)(const struct berth_exec_host *host,
                              const berth_node_t *node,
                              berth_resource_t **out_resource,
                              berth_error_t *err);
} berth_exec_host_t;

// The shape that an output will have.
typedef struct berth_output_shape {
  berth_dims_t dims;  // Rank -1: known only afterwards.
  int64_t count;      // Elements; -1 then.
} berth_output_shape_t;

// Shapes of outputs and how to make them, for given inputs: what prepare said
// (kernel/kernel.h). Immutable; lives in the arena it was prepared in.
typedef struct berth_prepared {
  berth_run_fn run;  // NULL: output 0 is input |alias|, and there is no work.
  const void *plan;
  size_t scratch_size;     // Bytes; 0: none.
  int64_t work;            // Nanoseconds, about.
  uint32_t may_overwrite;  // Inputs whose bytes output 0 may take over.
  int8_t alias;            // Input that output 0 is, or -1.
  // The outputs lie in input |part_of|, from |part_at| bytes on.
  bool is_part;
  int8_t part_of;
  int64_t part_at;
  const berth_term_t *term;             // How it is fused with others, or NULL.
  const berth_output_shape_t *outputs;  // By output.
} berth_prepared_t;

typedef struct berth_plan_cache berth_plan_cache_t;

// A step of a program, or an eager call. Immutable once it is made, but for
// |cache|.
typedef struct berth_step {
  const berth_node_t *node;  // The graph's, or the program's own (pseudo.h).
  const berth_kernel_t *kernel;  // Constant.
  uint32_t traits;               // BERTH_OP_*, the op's and the kernel's.
  const char *label;             // Who is named in errors; NULL: the node.
  berth_resource_t *resource;    // Borrowed from the host, or NULL.
  int32_t first_arg;             // Into the program's args.
  int32_t input_count;
  int32_t output_count;
  int16_t device;    // Into the host's devices.
  int16_t blocker;   // Into the program's blockers, or -1: it does not wait.
  bool on_host;      // Runs in the calling thread, on host memory.
  bool ends_commit;  // The next step does not add to its commit. Of no account
                     // among conditionals and loops.
  bool reads;        // Only hands out what a variable holds.
  // By output: it is in host memory although the step runs on a device.
  // Borrowed; NULL: none is.
  const bool *host_outputs;
  berth_plan_cache_t *cache;  // Of late plans; made at the first late call.
} berth_step_t;

// What a call of a late step works with. Borrowed for the call.
typedef struct berth_late_call {
  const void *const *data;           // Addresses of the inputs.
  const berth_case_input_t *inputs;  // Their types and shapes.
  berth_tensor_t *const *tensors;    // As such; NULL entries: not a tensor.
  berth_tensor_t **outputs;          // Filled in: one reference each.
  berth_completion_t *completion;    // For blocking kernels.
  const atomic_int *cancelled;
  const struct berth_run_control *control;  // Of the run; NULL: there is none.
  berth_container_t **of_run;               // As in berth_call_t.
  berth_container_t *container;
  berth_allocator_t *allocator;
  berth_device_t *device;  // Where the work is queued; NULL: it is done here.
  // Where a kernel adds what it wants to change, with what kernels before it
  // do; the caller does it. NULL: it is done at once.
  berth_commit_t *commit;
  // Holds, with |commit|, what the changes refer to until they are done.
  berth_arena_t *plans;
  bool may_share;  // An output may be a part of an input.
} berth_late_call_t;

// Prepares |step|, which has a kernel, for |inputs| on |device| (NULL: the
// host); plan and shapes go to |arena|. Fails with what the kernel's prepare
// does, BERTH_INVALID_ARGUMENT mostly, without the node's name
// (berth_step_blame()); what is in the arena then is of no use.
BERTH_NODISCARD berth_code_t
berth_step_prepare(const berth_step_t *step, const berth_case_input_t *inputs,
                   berth_device_t *device, berth_arena_t *arena,
                   berth_prepared_t *out_prepared, berth_error_t *err);

// Prepares (or finds the plan), makes the outputs and runs; on a device, queues
// the work on its compute stream. BERTH_PENDING when the completion will bring
// the outputs.
//
// |call->outputs| hold references on success, and NULL or what they held before
// on failure. Fails as prepare and run do, and with BERTH_RESOURCE_EXHAUSTED
// when there is no memory for outputs or plans. Takes a lock only where shapes
// are new.
BERTH_NODISCARD berth_code_t berth_step_call(berth_step_t *step,
                                             const berth_late_call_t *call,
                                             berth_error_t *err);

// Returns the device whose streams |step| uses; NULL: it runs on the host.
static inline berth_device_t *berth_step_device(
    const berth_exec_device_t *devices, const berth_step_t *step) {
  return step->on_host ? NULL : devices[step->device].device;
}

// Returns what allocates the outputs of |step|.
static inline berth_allocator_t *berth_step_allocator(
    const berth_exec_device_t *devices, const berth_step_t *step) {
  bool is_cpu = devices[step->device].device == NULL;
  return devices[step->on_host && !is_cpu ? 0 : step->device].allocator;
}

// Gives |step|, whose node is set, its kernel; NULL: there is none.
static inline void berth_step_set_kernel(berth_step_t *step,
                                         const berth_kernel_t *kernel) {
  step->kernel = kernel;
  step->traits = kernel != NULL ? step->node->op->traits | kernel->traits : 0;
}

// True when |step| changes variables.
static inline bool berth_step_updates(const berth_step_t *step) {
  return (step->traits & BERTH_OP_UPDATES) != 0;
}

// True when |step| needs input |index| as a tensor that may outlive the run:
// its kernel makes tensors of its own, or keeps it.
static inline bool berth_step_keeps(const berth_step_t *step, int index) {
  return (step->traits & BERTH_OP_MAKES) != 0 ||
         berth_op_keeps(step->node->op, index);
}

// True when |step| depends on nothing but its inputs.
bool berth_step_is_pure(const berth_step_t *step);

// Returns who is named where |step| is told of: in errors, reports, plans.
static inline const char *berth_step_name(const berth_step_t *step) {
  return step->label != NULL ? step->label : step->node->name;
}

// Appends `\n\t [[{{node n}}]]` to |err|, unless it names a node already; then
// the bare name.
void berth_step_blame(const berth_step_t *step, berth_error_t *err);

// Frees the plans of |step|, which nobody calls any more.
void berth_step_deinit(berth_step_t *step);

#endif  // BERTH_EXEC_STEP_H_
