// partition_node.h - The nodes that join the graphs of two devices.
//
// All of these make a NodeDef in an arena and return NULL when memory is short.
// The device is set by whoever adds the node to a graph.
#ifndef BERTH_RUNTIME_PARTITION_NODE_H_
#define BERTH_RUNTIME_PARTITION_NODE_H_

#include "base/arena.h"
#include "berth/types.h"
#include "wire/graph.pb-c.h"

// A value on its way from one device to another. Borrowed texts.
typedef struct berth_transfer {
  berth_arena_t *arena;
  const char *from, *to;  // Names of the nodes at both ends.
  berth_dtype_t dtype;
  const char *send_device, *recv_device;
  int edge;  // Its number in TensorFlow's graph.
} berth_transfer_t;

// A _Send of |input|, named `<from>/_<number>`.
Berth__Wire__NodeDef *berth_partition_send(const berth_transfer_t *transfer,
                                           const char *input, int number);
Berth__Wire__NodeDef *berth_partition_recv(const berth_transfer_t *transfer,
                                           int number);

// What carries a control edge: an empty constant `<from>/ctrl/_<number>` behind
// |from|, and an Identity of what was received.
Berth__Wire__NodeDef *berth_partition_empty(const berth_transfer_t *transfer,
                                            int number);
Berth__Wire__NodeDef *berth_partition_identity(const berth_transfer_t *transfer,
                                               const char *input, int number);

// An _Arg (|input| NULL) or a _Retval called |name|, number |index|.
Berth__Wire__NodeDef *berth_partition_end(berth_arena_t *arena, const char *op,
                                          const char *name, berth_dtype_t dtype,
                                          int index, const char *input);

#endif  // BERTH_RUNTIME_PARTITION_NODE_H_
