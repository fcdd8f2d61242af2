// prune.h - Which nodes a run needs.
//
// Walks back from fetches and targets, stopping at feeds, with a stack of its
// own: a chain of a million nodes must not exhaust the thread's.
//
// A node that others only wait for, and that does nothing but make outputs,
// need not run: whoever waits for it has to wait for what it would have waited
// for. TensorFlow's optimisers do the same; without it a step of training would
// compute slopes by its images, which nobody reads, because a gate waits for all
// slopes of a node.
#ifndef BERTH_EXEC_PRUNE_H_
#define BERTH_EXEC_PRUNE_H_

#include "exec/program.h"

typedef struct berth_prune {
  uint8_t *needed;     // By node id: must run,
  uint8_t *for_order;  // or is only waited for: nobody reads its outputs.
  int32_t *feed_of;    // By node id: first feed of one of its outputs, or -1.
  int32_t *next_feed;  // By feed: the next one of the same node, or -1.
  const berth_signature_t *signature;
  int node_count;
  bool skips;
} berth_prune_t;

// Checks |signature| and marks what it needs; |skips|: what is only waited for
// need not run. Fails with TensorFlow's texts for unknown, repeated and
// contradicting feeds and fetches. Whatever the outcome, berth_prune_deinit()
// frees.
BERTH_NODISCARD berth_code_t berth_prune_init(
    berth_prune_t *prune, const berth_graph_t *graph,
    const berth_signature_t *signature, int node_count, bool skips,
    berth_error_t *err);
void berth_prune_deinit(berth_prune_t *prune);

// Returns the index of the feed for |out|, or -1.
static inline int berth_prune_feed_of(const berth_prune_t *prune,
                                      berth_out_t out) {
  int feed = prune->feed_of[out.node];
  while (feed >= 0 && prune->signature->feeds[feed].index != out.index) {
    feed = prune->next_feed[feed];
  }
  return feed;
}

#endif  // BERTH_EXEC_PRUNE_H_
