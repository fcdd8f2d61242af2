// builder.h - A program under construction.
//
//   builder.c      slots, steps, copies; what can be settled is
//   build_value.c  which slot an input is
//   build_fetch.c  what is fetched
//   build_node.c   from nodes to steps
//   program.c      the whole
//
// Each of the files uses those above it. Nothing here outlives the making of a
// program. Whatever adds something fails with BERTH_RESOURCE_EXHAUSTED, and
// what may settle a step with what that step fails with; the program is thrown
// away then.
//
// Threads: as the making of a program, one.
#ifndef BERTH_EXEC_BUILDER_H_
#define BERTH_EXEC_BUILDER_H_

#include "base/str.h"
#include "exec/order.h"
#include "exec/program.h"
#include "exec/prune.h"
#include "exec/twin.h"

// A copy of a slot in another space, or the value of the variable it refers to.
typedef struct berth_made_copy {
  int32_t slot;    // The copy.
  int32_t next;    // Another copy of the same slot, or -1.
  int16_t space;   // BERTH_VALUE_OF: a value.
  int32_t writes;  // How many there had been.
} berth_made_copy_t;

enum { BERTH_VALUE_OF = -1 };

// An input of a Merge whose slot is not there yet: it comes round a loop.
typedef struct berth_back_edge {
  berth_out_t out;
  int32_t arg;    // Where the slot belongs.
  int16_t space;  // Where it is wanted.
} berth_back_edge_t;

// Arrays grow; the program takes them over.
typedef struct berth_builder {
  berth_program_t *program;
  const berth_exec_host_t *host;
  berth_prune_t prune;
  berth_order_t order;
  berth_twins_t twins;
  berth_watch_t *watch;
  int32_t *first_slot;  // By node: slot of output 0, or -1.
  int32_t *updates_at;  // By node: updaters when it was added.
  int32_t *first_copy;  // By slot: into |copies|, or -1.
  berth_made_copy_t *copies;
  size_t copy_count;
  size_t slot_capacity, settled_capacity, step_capacity, arg_capacity,
      settled_step_capacity, first_copy_capacity, copy_capacity,
      updater_capacity, back_edge_capacity;
  berth_back_edge_t *back_edges;  // Still open.
  size_t back_edge_count;
  berth_node_id_t *updaters;  // Nodes so far that take a variable to write it.
  int32_t updater_count;
  int32_t writes;       // Steps so far that may have written a variable.
  berth_str_t missing;  // Nodes without a kernel.
  int missing_count;
} berth_builder_t;

// ---- builder.c ----

// Adds a slot for a value of |dtype| in |space|.
BERTH_NODISCARD berth_code_t berth_builder_slot(berth_builder_t *builder,
                                                berth_dtype_t dtype, int space,
                                                int32_t *out_slot,
                                                berth_error_t *err);

// Appends |step| with its |slots|: inputs, outputs, and one for scratch space.
BERTH_NODISCARD berth_code_t berth_builder_step(berth_builder_t *builder,
                                                berth_step_t step,
                                                const int32_t *slots,
                                                berth_error_t *err);

// Settles |step|, or appends it to what a run does.
BERTH_NODISCARD berth_code_t
berth_builder_settle_or_step(berth_builder_t *builder, berth_step_t *step,
                             const int32_t *slots, berth_error_t *err);

// Notes that |copy| is |slot| in |space|.
BERTH_NODISCARD berth_code_t berth_builder_note_copy(berth_builder_t *builder,
                                                     int32_t slot, int32_t copy,
                                                     int space,
                                                     berth_error_t *err);

// Makes |*slot| a slot in |space| that holds the same value, copying it if it
// is elsewhere and has not been copied before. |label| is who wants it.
BERTH_NODISCARD berth_code_t berth_builder_bring(berth_builder_t *builder,
                                                 int32_t *slot, int space,
                                                 const char *label,
                                                 berth_error_t *err);

// ---- build_value.c ----

// Returns the slot of |out|: that of its feed, or of its node's output.
int32_t berth_builder_slot_of(const berth_builder_t *builder, berth_out_t out);

// True when |out| carries a variable and not a value.
bool berth_builder_is_ref(const berth_builder_t *builder, berth_out_t out);

// True when input |index| of |node| wants the variable itself.
bool berth_builder_wants_ref(const berth_node_t *node, int index);

// Adds a step that reads the variable |out| for |label|, after what |consumer|
// (if any) waits for. One that waits for nothing shares the value with the
// next, until something is written.
BERTH_NODISCARD berth_code_t berth_builder_deref(
    berth_builder_t *builder, berth_out_t out, const char *label,
    const berth_node_t *consumer, int32_t *out_slot, berth_error_t *err);

// True when |out| is what a variable held, renamed or reshaped, and that may
// have been updated since |out| was made. TensorFlow's shows what the variable
// holds now, so that it is to be renewed.
bool berth_builder_is_outdated(const berth_builder_t *builder, berth_out_t out);

// Returns what stands for |node| where others only wait for it: it does nothing,
// and waits for all that |node| would wait for. NULL when memory is short.
const berth_node_t *berth_builder_waiting_node(berth_builder_t *builder,
                                               const berth_node_t *node);

// Adds steps that read the variable behind such an |out| again for |label|,
// after all that |consumer| waits for, and give it the shape of |out|.
BERTH_NODISCARD berth_code_t berth_builder_renew(
    berth_builder_t *builder, berth_out_t out, const char *label,
    const berth_node_t *consumer, int32_t *out_slot, berth_error_t *err);

// Finds the slot for input |index| of |node|.
BERTH_NODISCARD berth_code_t berth_builder_input(berth_builder_t *builder,
                                                 const berth_node_t *node,
                                                 int index, int32_t *out_slot,
                                                 berth_error_t *err);

// ---- build_fetch.c ----

// Makes room for the fetches of |program|: none has a slot.
BERTH_NODISCARD berth_code_t
berth_builder_fetches_init(berth_program_t *program, berth_error_t *err);

// Reads the variables among the outputs of |node| that are fetched, just after
// it: a later step may change them.
BERTH_NODISCARD berth_code_t berth_builder_fetched_refs(
    berth_builder_t *builder, const berth_node_t *node, berth_error_t *err);

// Takes out what is fetched of |node|, which lies in a loop.
BERTH_NODISCARD berth_code_t berth_builder_fetched_in_loop(
    berth_builder_t *builder, const berth_node_t *node, berth_error_t *err);

// Finds the slots of the fetches that carry values. What is fetched goes to the
// host, unless it is the result of a call.
BERTH_NODISCARD berth_code_t berth_builder_fetches(berth_builder_t *builder,
                                                   berth_error_t *err);

// ---- build_node.c ----

// Adds all needed nodes of the first |node_count| in order. Fails with
// BERTH_UNIMPLEMENTED when some have no kernel: all are looked at, and the
// first twenty named.
BERTH_NODISCARD berth_code_t berth_builder_nodes(berth_builder_t *builder,
                                                 int node_count,
                                                 berth_error_t *err);

// ---- program.c ----

// Makes an empty program with one reference; NULL when memory is short.
berth_program_t *berth_program_new(const berth_exec_host_t *host);

// Builds what follows from steps, arguments and slots: segments, commits, uses.
BERTH_NODISCARD berth_code_t berth_program_finish(berth_program_t *program,
                                                  berth_error_t *err);

#endif  // BERTH_EXEC_BUILDER_H_
