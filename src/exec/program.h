// program.h - A part of a graph, ready to be run again and again.
//
// A program is made once per combination of feeds, fetches and targets:
//
//   prune     only what fetches and targets need, stopping at feeds
//   order     by node id, which is a topological order; where there are loops,
//             with each of them in one stretch (order.h)
//   twins     nodes that compute the same have one step (twin.h)
//   slots     one per value: a feed, an output, the value of a reference
//   copies    where an edge leads to another memory (copy.h)
//   settle    what depends on no feed and no state is computed once, now
//   segments  the rest is cut where a step may have to wait
//
//   steps     [ add | mul | dequeue | … ]         in running order
//   args      [ x y out | out z out2 | … ]        slots of each step: inputs,
//                                                 outputs, scratch (-1)
//
// A frame (frame.h) has one address for each entry of |args|, so that a step is
// run with a pointer into that table and nothing is gathered.
//
// The invariants of the room are numbered in its README and cited as I1 to I8;
// check.h walks what can be walked.
//
// Threads: immutable after create, but for the count of references and the
// caches that say so.
#ifndef BERTH_EXEC_PROGRAM_H_
#define BERTH_EXEC_PROGRAM_H_

#include "base/arena.h"
#include "base/thread.h"
#include "exec/step.h"
#include "exec/watch.h"
#include "graph/graph.h"
#include "kernel/kernel.h"

typedef struct berth_layout berth_layout_t;
typedef struct berth_flow berth_flow_t;
typedef struct berth_used_device berth_used_device_t;  // exec/hold.h
typedef struct berth_expected berth_expected_t;        // exec/expect.h

// A value on its way through a program.
typedef struct berth_slot {
  berth_dtype_t dtype;     // Without reference.
  int32_t producer;        // Step, or -1 for feeds and settled values.
  int32_t first_use;       // Into |uses|: positions in |args|.
  int32_t use_count;       // All of them, the producer's own included.
  int32_t consumer_count;  // Steps that read it.
  int16_t space;           // Whose memory it is in (copy.h).
  bool is_kept;            // Fetched, or kept by a kernel: needs a tensor.
  bool is_copied;          // A copy reads it.
  // Fed memory that is the caller's, who may change it when the run is over: it
  // is never handed on.
  bool is_borrowed;
} berth_slot_t;

// A maximal set of steps that wait for the same blocking steps. Segments are
// contiguous in |steps|; one runs when everything it waits for is done.
typedef struct berth_segment {
  int32_t begin, end;   // Steps.
  int32_t wait_count;   // Blocking steps and segments to wait for.
  const int32_t *next;  // Segments that wait for this one.
  int32_t next_count;
} berth_segment_t;

// A step that may wait, and the segments that wait for it.
typedef struct berth_blocker {
  int32_t step;  // -1 for a feed that comes later (partial runs).
  int32_t feed;  // Index of that feed, or -1.
  const int32_t *next;
  int32_t next_count;
} berth_blocker_t;

// The combination that a program is for. Borrowed arrays; a program's own lie
// in its arena.
typedef struct berth_signature {
  const berth_out_t *feeds;
  int feed_count;
  const berth_out_t *fetches;
  int fetch_count;
  const berth_node_id_t *targets;
  int target_count;
  bool is_partial;  // Feeds come one by one.
  // A call of a function: feeds are tensors that nobody changes, so that they
  // may be handed on, and what is fetched stays where it is made.
  bool is_call;
  // By feed: the space it comes in (copy.h). NULL: all are the host's.
  const int16_t *feed_spaces;
} berth_signature_t;

// A node without a step of its own (twin.h).
typedef struct berth_twin {
  int32_t node;
  int32_t of;  // The node whose outputs it has.
  int16_t device;
} berth_twin_t;

// Counted by who may run it: the session's cache, callables, partial runs. The
// runs themselves are counted in the host's terms (retire.h).
typedef struct berth_program {
  berth_retired_t retired;  // First.
  atomic_int refs;
  berth_arena_t arena;  // Everything below but tensors.
  berth_signature_t signature;
  const berth_exec_host_t *host;  // Borrowed; the session outlives programs.
  int step_count;
  berth_step_t *steps;
  int arg_count;
  int32_t *args;  // Slots; -1: scratch.
  int32_t *uses;
  int slot_count;
  berth_slot_t *slots;
  berth_tensor_t **settled;  // By slot; NULL: not settled. Owned.
  int32_t *feed_slots;       // By feed; -1: nothing uses it.
  int32_t *fetch_slots;
  int segment_count;
  berth_segment_t *segments;
  int blocker_count;
  berth_blocker_t *blockers;
  // Steps that were settled, for traces; |steps| of their own.
  int settled_step_count;
  berth_step_t *settled_steps;
  berth_twin_t *twins;
  int twin_count;
  berth_used_device_t *used;  // Devices it works on, in the order of memories.
  int used_count;
  bool uses_devices;   // Some step is queued on a lane of a device.
  bool repeats;        // It is run many times in a run: a block of a loop.
  berth_flow_t *flow;  // Conditionals and loops (flow.h); NULL: none. Owned.

  // Layouts, newest first: the BERTH_MAX_LAYOUTS used last. Changed under
  // |lock|, as what follows, and read without.
  berth_mutex_t lock;
  _Atomic(berth_layout_t *) layouts;
  int layout_count;
  atomic_uint tick;  // Layouts made so far.
  int churn;         // Layouts in a row that were replaced before they paid.
  int late_runs;     // Runs to come that get no layout of their own.
  // By step: what it is expected to make (expect.h). NULL: nothing ever is;
  // itself constant.
  berth_expected_t *expected;
  bool expects_nothing;  // What was expected has misled the making of layouts.
  _Atomic(berth_layout_t *) late_layout;  // The one without shapes.
} berth_program_t;

enum { BERTH_MAX_LAYOUTS = 16 };

// Makes the program for |signature| (copied) over the first |node_count| nodes,
// which are placed, with one reference. Computes what can be settled, which may
// take time: |watch| may end it. Starts the devices it works on, and holds
// their gates meanwhile (I6). The caller holds the session's lock.
//
//   BERTH_INVALID_ARGUMENT    bad feeds, fetches and targets, in TensorFlow's
//                             words; a cycle that is no loop
//   BERTH_OUT_OF_RANGE        an output that a node has not
//   BERTH_UNIMPLEMENTED       nodes without kernel, up to twenty of them named;
//                             loops in a partial run; too many blocking ops
//   BERTH_CANCELLED, BERTH_DEADLINE_EXCEEDED  as |watch| says
//
// and with whatever a settled step, or starting a device, fails with.
BERTH_NODISCARD berth_code_t berth_program_create(
    const berth_exec_host_t *host, const berth_signature_t *signature,
    int node_count, berth_watch_t *watch, berth_program_t **out_program,
    berth_error_t *err);

// Adds and takes away a reference. The last one retires |program|: runs that
// have begun may go on. NULL is fine for release.
berth_program_t *berth_program_retain(berth_program_t *program);
void berth_program_release(berth_program_t *program);

// Destroys a program that nobody runs or knows, at once. NULL is fine.
void berth_program_destroy(berth_program_t *program);

// True when |program| was made for an equal signature: the same outputs in the
// same order. Takes no lock.
bool berth_program_is_for(const berth_program_t *program,
                          const berth_signature_t *signature);

#endif  // BERTH_EXEC_PROGRAM_H_
