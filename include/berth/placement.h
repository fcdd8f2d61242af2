// placement.h - Where nodes run, and why.
//
// Every node's device comes with a reason. A placement can be asked of a
// session, or computed for devices that need not exist.
#ifndef BERTH_PLACEMENT_H_
#define BERTH_PLACEMENT_H_

#include "berth/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

// Why a node is on its device.
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

// Returns a short name: "asked", "no-gpu-kernel".
BERTH_API const char *berth_reason_name(berth_reason_t reason);

// How placements are logged and their errors worded.
typedef enum berth_log_style {
  BERTH_STYLE_DEFAULT = 0,  // Each line once, on stdout.
  BERTH_STYLE_TF2 = 1,      // TensorFlow 2.21's text and streams.
  BERTH_STYLE_CLASSIC = 2   // As TensorFlow of 2015 to 2017 printed it.
} berth_log_style_t;

typedef struct berth_node_placement {
  const char *device;  // Full name; NULL when not placed. Borrowed.
  berth_reason_t reason;
  berth_node_id_t because;  // The node the reason refers to, or -1.
} berth_node_placement_t;

// A placement of a graph on imagined devices. Immutable after create.
typedef struct berth_plan berth_plan_t;

typedef struct berth_plan_options {
  // Full names such as "/job:localhost/replica:0/task:0/device:GPU:3"; short
  // ones ("GPU:3") are completed.
  const char *const *devices;
  const char *const *descriptions;  // NULL: none.
  int device_count;
  bool allow_soft_placement;
  bool strict;
  bool log;
  berth_log_style_t style;
} berth_plan_options_t;

// Places |graph| on the devices of |options|, which need not exist. Fails with
// TensorFlow's texts.
BERTH_API BERTH_NODISCARD berth_code_t berth_plan_create(
    const berth_graph_t *graph, const berth_plan_options_t *options,
    berth_plan_t **out_plan, berth_error_t *err);
BERTH_API void berth_plan_destroy(berth_plan_t *plan);
// Fills |out| for |node|; zeroed for a node that was added later.
BERTH_API void berth_plan_query(const berth_plan_t *plan, berth_node_id_t node,
                                berth_node_placement_t *out);
// Stores a sentence that says why, to be freed with berth_text_free().
BERTH_API BERTH_NODISCARD berth_code_t
berth_plan_explain(const berth_plan_t *plan, berth_node_id_t node,
                   char **out_text, berth_error_t *err);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_PLACEMENT_H_
