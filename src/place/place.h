// place.h - Deciding which device each node runs on, and why.
//
// Placement is a function of a graph, a list of devices and some flags; it
// touches no device, so that any machine can be imagined: four GPUs, GPU:10,
// two tasks. The algorithm is TensorFlow's (docs/design/placement.md):
// constraints per node, colocation sets by union-find, candidates, two passes.
//
// Arrays of integers throughout: device names are parsed once each, strings are
// compared by address, 100,000 nodes take milliseconds.
//
// Threads: pure; the caller holds the graph's lock or passes a count of nodes
// that stay.
#ifndef BERTH_PLACE_PLACE_H_
#define BERTH_PLACE_PLACE_H_

#include "base/error.h"
#include "berth/placement.h"
#include "device/name.h"
#include "graph/graph.h"

// A device as placement sees it. Texts are borrowed; plain data.
typedef struct berth_place_device {
  const char *name;            // Full canonical name.
  const char *description;     // Physical description; "" for a CPU.
  berth_device_name_t parsed;  // |name|, whose words lie in it.
  bool is_local;               // In the task that places; others come last.
} berth_place_device_t;

// A feed or a fetch of the run that nodes are placed for, as a node.
typedef struct berth_place_end {
  const char *name;  // "_arg_x_0_0". Borrowed.
  const char *op;    // "_Arg" or "_Retval".
} berth_place_end_t;

// What to place and how. All is borrowed for the call.
typedef struct berth_place_options {
  const berth_place_device_t *devices;  // No two of one name.
  int device_count;                     // At least one.
  bool allow_soft_placement;  // Go elsewhere where a request cannot be met.
  bool strict;                // A node that lands on a CPU unasked is an error.
  bool log;                   // Log each node as it is placed.
  berth_log_style_t style;    // Of the log, and of the wording of errors.
  int default_device;         // Of nodes that ask for nothing: index, or -1.
  // Devices that must be kept, by node id: an index or -1. NULL: none.
  const int16_t *assigned;
  int assigned_count;
  // Nodes to place; NULL: all below |node_count|. One byte per node.
  const uint8_t *only;
  int node_count;
  // What is logged, on the first device, once all but the generators are
  // placed. Not in the classic style.
  const berth_place_end_t *ends;
  int end_count;
} berth_place_options_t;

// The outcome, by node id. Owned by the caller: berth_placement_deinit().
// Zeroed owns nothing.
typedef struct berth_placement {
  int node_count;
  int16_t *device;   // Index into the devices; -1: not placed.
  uint8_t *reason;   // berth_reason_t.
  int32_t *because;  // The node a reason refers to, or -1.
  int32_t *order;    // Node ids in the order of placement (of the log).
} berth_placement_t;

// Places the nodes. On failure |out_placement| is untouched, nothing is left to
// free, and the text is TensorFlow's; lines may have been logged.
//
//   BERTH_INVALID_ARGUMENT    a request is no name or cannot be met; nodes that
//                             must be together cannot be; an op has no kernel
//                             on any of the devices; what |strict| refuses; too
//                             many devices or types of devices
//   BERTH_FAILED_PRECONDITION there is no device
//   BERTH_INTERNAL            a device that must be kept cannot be
//   BERTH_RESOURCE_EXHAUSTED  no memory
BERTH_NODISCARD berth_code_t berth_place(const berth_graph_t *graph,
                                         const berth_place_options_t *options,
                                         berth_placement_t *out_placement,
                                         berth_error_t *err);

// Frees what |placement| owns and zeroes it.
void berth_placement_deinit(berth_placement_t *placement);

// Prints the mapping of devices to cards (`Device mapping:`) in the style of
// |options|: as a log line in the style of TensorFlow 2, else on stdout.
void berth_place_log_devices(const berth_place_options_t *options);

// Appends a sentence that says why |node|, one of |graph|'s, is where it is in
// |placement|, which |options| led to; also for one that is not placed.
void berth_place_explain(const berth_graph_t *graph,
                         const berth_placement_t *placement,
                         const berth_place_options_t *options, int32_t node,
                         berth_str_t *str);

#endif  // BERTH_PLACE_PLACE_H_
