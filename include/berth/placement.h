// placement.h - Where nodes run, and why.
//
// Every node's device comes with a reason. A placement can be asked of a
// session (berth_session_placement()), or computed for devices that need not
// exist, which takes no card and no driver:
//
//   const char *names[] = {"CPU:0", "GPU:0"};
//   berth_plan_options_t options = {.devices = names, .device_count = 2};
//   code = berth_plan_create(graph, &options, &plan, &err);
//   if (code == BERTH_OK) code = berth_plan_explain(plan, node, &text, &err);
//   ...
//   berth_plan_destroy(plan);
//
// docs/howto/debug-a-placement.md goes through one that surprises.
//
// Threads: a plan never changes and may be asked from several; the rest is
// plain data.
#ifndef BERTH_PLACEMENT_H_
#define BERTH_PLACEMENT_H_

#include "berth/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

// Why a node is on its device: the fact that somebody would have to change to
// move it. A request of the node's own comes before what kernels there are,
// these before the nodes it must be with, and these before what is convenient.
typedef enum berth_reason {
  BERTH_REASON_NONE = 0,          // Not placed.
  BERTH_REASON_ASKED,             // The script asked for this device.
  BERTH_REASON_ASKED_PARTLY,      // It asked for less; this is the best match.
  BERTH_REASON_DEFAULT,           // Nothing asked; the best type with a kernel.
  BERTH_REASON_ONLY_DEVICE_TYPE,  // Nothing asked; the only type there is.
  BERTH_REASON_NO_GPU_KERNEL,     // TensorFlow has no GPU kernel for the op.
  BERTH_REASON_NO_GPU_KERNEL_FOR_TYPE,  // None for these types.
  BERTH_REASON_SOFT_NO_DEVICE,  // Asked for a device that does not exist.
  BERTH_REASON_SOFT_NO_KERNEL,  // Asked for a type without a kernel.
  BERTH_REASON_SOFT_COLOCATED,  // Asked for another, but must be with a
                                // reference or resource elsewhere.
  BERTH_REASON_GROUP,           // Same group as another node.
  BERTH_REASON_RESOURCE,        // With the variable or resource it uses.
  BERTH_REASON_GENERATOR,       // Made where its only consumers are.
  BERTH_REASON_METADATA,        // Only looks at the shape of its input there.
  BERTH_REASON_KEPT,            // Stateful, and was there before.
  BERTH_REASON_FUNCTION_CALL,   // A function call: any device would do.
  BERTH_REASON_IDENTITY,        // Only hands on a value that is there.
  BERTH_REASON_COUNT
} berth_reason_t;

// Returns a short name: "asked", "no-gpu-kernel"; "unknown" for a number that
// is no reason. Constant.
BERTH_API const char *berth_reason_name(berth_reason_t reason);

// How placements are logged and their errors worded. The classic style also
// chooses as TensorFlow did then.
typedef enum berth_log_style {
  BERTH_STYLE_DEFAULT = 0,  // Each line once, on stdout.
  BERTH_STYLE_TF2 = 1,      // TensorFlow 2.21's text and streams: lines of
                            // nodes on stdout and once more as log lines.
  BERTH_STYLE_CLASSIC = 2   // As TensorFlow of 2015 to 2017 printed it.
} berth_log_style_t;

// Where one node is. Zeroed but for |because| is a node that is not placed.
typedef struct berth_node_placement {
  const char *device;       // Full name; NULL when not placed. Borrowed from
                            // the session or plan that was asked.
  berth_reason_t reason;    // BERTH_REASON_NONE when not placed.
  berth_node_id_t because;  // The node the reason refers to, or -1.
} berth_node_placement_t;

// A placement of a graph on imagined devices. One owner; immutable after
// create. Retains its graph, and says nothing of nodes that are added later.
typedef struct berth_plan berth_plan_t;

// What to imagine. Borrowed for the call; zeroed but for the devices is fine.
typedef struct berth_plan_options {
  // Full names such as "/job:localhost/replica:0/task:0/device:GPU:3"; short
  // ones ("GPU:3") are completed. The first one's task is where the program
  // runs.
  const char *const *devices;
  // What the log says of each ("device: 0, name: Tesla K40c, ..."), in the
  // same order; NULL, or one that is NULL: nothing.
  const char *const *descriptions;
  int device_count;           // Of both lists; at least one.
  bool allow_soft_placement;  // Go elsewhere where a request cannot be met.
  // Refuse to put on a CPU what nobody asked to have there, where there are
  // GPUs.
  bool strict;
  bool log;  // Print devices and placements as a session does.
  berth_log_style_t style;
} berth_plan_options_t;

// Places |graph| on the devices of |options|, which need not exist, and stores
// the plan, which the caller destroys.
//
// Fails with TensorFlow's texts: BERTH_INVALID_ARGUMENT when a request cannot
// be met, nodes that must be together cannot be, or a node has no kernel on any
// of the devices; the same for a name that is none or comes twice, and for what
// |strict| refuses. BERTH_FAILED_PRECONDITION without a device, and the graph's
// own error when it has one.
BERTH_API BERTH_NODISCARD berth_code_t berth_plan_create(
    const berth_graph_t *graph, const berth_plan_options_t *options,
    berth_plan_t **out_plan, berth_error_t *err);

// Frees |plan| and lets go of its graph. What was borrowed from it goes too.
BERTH_API void berth_plan_destroy(berth_plan_t *plan);

// Fills |out| for |node|. A node that was added later, or is none, is not
// placed, and without a plan (NULL) none is.
BERTH_API void berth_plan_query(const berth_plan_t *plan, berth_node_id_t node,
                                berth_node_placement_t *out);

// Stores a sentence that says why, to be freed with berth_text_free().
// BERTH_INVALID_ARGUMENT when the graph has no such node.
BERTH_API BERTH_NODISCARD berth_code_t
berth_plan_explain(const berth_plan_t *plan, berth_node_id_t node,
                   char **out_text, berth_error_t *err);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_PLACEMENT_H_
