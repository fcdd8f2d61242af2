// tape.h - Tapes of eager calls, from the inside.
//
//   tape ─┬─ graph     a node for each call, and for each value from elsewhere
//         ├─ tensors   what each output of each node was
//         └─ places    tensor -> output, by address
//
//   I1  A tensor that is on the tape is held by it: its address stands for it.
//   I2  A node is there only if it depends on something that is watched.
//
// tape.c notes calls, tape_gradient.c goes back through them.
#ifndef BERTH_RUNTIME_TAPE_H_
#define BERTH_RUNTIME_TAPE_H_

#include "berth/tape.h"
#include "graph/graph.h"

typedef struct berth_tape_place {
  const berth_tensor_t *tensor;  // NULL: free.
  berth_out_t out;
} berth_tape_place_t;

struct berth_tape {
  berth_context_t *context;
  berth_graph_t *graph;
  berth_tensor_t **tensors;  // Held. NULL where an output was not kept.
  size_t tensor_count, tensor_capacity;
  int32_t *first;   // By node: its first output among |tensors|.
  bool *is_linked;  // By node: it depends on something watched.
  size_t node_count, node_capacity;
  berth_tape_place_t *places;  // Open addressing.
  size_t place_count, place_capacity;
};

// Returns where |tensor| is on the tape; no node when it is not.
berth_out_t berth_tape_find(const berth_tape_t *tape,
                            const berth_tensor_t *tensor);

#endif  // BERTH_RUNTIME_TAPE_H_
