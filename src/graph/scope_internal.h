// scope_internal.h - The scopes of a graph, for scope.c and device_scope.c.
#ifndef BERTH_GRAPH_SCOPE_INTERNAL_H_
#define BERTH_GRAPH_SCOPE_INTERNAL_H_

#include "device/name.h"
#include "graph/scope.h"

typedef struct device_scope {
  enum {
    DEVICE_SPEC,      // |spec|.
    DEVICE_EMPTY,     // Nothing asked for.
    DEVICE_WALL,      // Hides what is outside.
    DEVICE_FUNCTION,  // |fn|.
  } kind;
  berth_device_name_t spec;  // Words point into interned text.
  berth_device_fn fn;
  void *arg;
} device_scope_t;

// Nodes built under a group of controls: ranges of ids, ascending.
typedef struct id_range {
  int32_t first, last;  // Exclusive.
} id_range_t;

typedef struct control_scope {
  bool is_wall;  // Hides what is outside.
  int32_t *nodes;
  int32_t node_count;
  id_range_t *seen;
  size_t seen_count, seen_capacity;
} control_scope_t;

struct berth_scopes {
  berth_map_t taken;  // Lower-case name -> how often it was asked for.
  int32_t indexed;    // Nodes below this are in |taken|.
  // Prefixes of nested name scopes, without the final slash; interned.
  const char **prefixes;
  size_t prefix_count, prefix_capacity;
  device_scope_t *devices;
  size_t device_count, device_capacity;
  const char *device;  // What |devices| come to; NULL: to be found out.
  int32_t *colocated;  // Innermost first.
  size_t colocated_count, colocated_capacity;
  control_scope_t *controls;
  size_t control_count, control_capacity;
};

#endif  // BERTH_GRAPH_SCOPE_INTERNAL_H_
