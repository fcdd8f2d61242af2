// session_internal.h - A session from the inside.
//
//   session ─┬─ graph (retained), and what it is lowered to
//            ├─ devices
//            ├─ placement: one device per node, redone when the graph grows
//            ├─ programs: one per combination of feeds, fetches and targets,
//            │  those used last
//            └─ state: variables, queues, random sequences
//
// The session of an eager context has the context's devices, variables and
// queues; of random sequences it has its own, as every function has.
//
// Programs are found without a lock (program_cache.h).
//
//   session_life.c     making and closing it, what the executor asks
//   session_place.c    lowering; where nodes go
//   session_program.c  from what a run asks for to its program
//   session_call.c     one call
//   session.c          runs, and what can be asked
//
// Each of the files uses those above it.
#ifndef BERTH_RUNTIME_SESSION_INTERNAL_H_
#define BERTH_RUNTIME_SESSION_INTERNAL_H_

#include "base/hash.h"
#include "base/thread.h"
#include "berth/session.h"
#include "device/reclaim.h"
#include "exec/program.h"
#include "exec/prune.h"
#include "exec/run.h"
#include "lower/lower.h"
#include "place/place.h"
#include "runtime/devices.h"
#include "runtime/program_cache.h"
#include "state/container.h"

struct berth_cancel {
  atomic_int refs;
  atomic_int fired;
};

struct berth_session {
  berth_exec_host_t host;  // First: the executor's callbacks get its address.
  berth_graph_t *given;    // The program's.
  // The one that is run: |given|, or the one that |lowering| makes of it. Changes
  // once, under |lock|.
  berth_graph_t *graph;
  _Atomic(berth_lowering_t *) lowering;  // NULL: there was nothing to lower.
  berth_config_t config;
  berth_log_style_t style;
  berth_device_set_t devices;
  berth_container_t *container;  // Its own; |host| has the one of variables.
  // Whose devices and variables it has. Borrowed; outlives this. May be NULL.
  struct berth_context *context;
  // Where functions that kernels call run, if it has no |context|. Guarded by
  // |routine_lock|; NULL until one is needed.
  struct berth_context *routine_context;
  berth_mutex_t routine_lock;

  // Guarded by |lock|, as what follows it.
  int preferred_device;  // Of nodes that ask for none: an index, or -1.
  int16_t *pins;         // By node id: a device, or -1. Owned.
  int pin_count;
  atomic_int closed;
  berth_terms_t terms;            // Calls under way.
  berth_reclaimer_t *reclaimers;  // By device: they drop idle frames.

  // Held while the graph is placed and programs are made.
  berth_mutex_t lock;
  atomic_int placed_count;  // Nodes of |given| that |placement| covers.
  berth_placement_t placement;
  berth_resource_t **resources;  // By node id; owned.
  int resource_count;
  berth_program_cache_t programs;
};

// Counts a call in, or says that the session is closed. |*out_term| is for the
// leaving.
BERTH_NODISCARD berth_code_t berth_session_enter(berth_session_t *session,
                                                 unsigned *out_term,
                                                 berth_error_t *err);
void berth_session_leave(berth_session_t *session, unsigned term);

// Finds or makes the program for |signature|; borrowed until the call leaves.
// |control| ends the making.
BERTH_NODISCARD berth_code_t berth_session_program(
    berth_session_t *session, const berth_signature_t *signature,
    const berth_run_control_t *control, berth_program_t **out_program,
    berth_error_t *err);

// The same for a signature that names nodes of the graph that is run.
BERTH_NODISCARD berth_code_t berth_session_program_of(
    berth_session_t *session, const berth_signature_t *signature,
    const berth_run_control_t *control, berth_program_t **out_program,
    berth_error_t *err);

// Places what was added to the graph. The lock must be held.
BERTH_NODISCARD berth_code_t berth_session_place(berth_session_t *session,
                                                 berth_error_t *err);

// Lowers what was added to the graph. The lock must be held.
BERTH_NODISCARD berth_code_t berth_session_lower(berth_session_t *session,
                                                 berth_error_t *err);

// Places only what |signature| needs. The lock must be held.
BERTH_NODISCARD berth_code_t berth_session_place_pruned(
    berth_session_t *session, const berth_signature_t *signature,
    berth_error_t *err);

// Finds the program for |signature| and runs it with |feeds|. In a context's
// session it is the one for the memories that the feeds are in. The session was
// entered. |*out_program| is set as soon as it is known.
BERTH_NODISCARD berth_code_t
berth_session_call(berth_session_t *session, const berth_signature_t *signature,
                   berth_tensor_t *const *feeds, berth_tensor_t **results,
                   const berth_run_control_t *control,
                   berth_program_t **out_program, berth_error_t *err);

// Runs |made|, a program of a context's session, with other |feeds|: as the
// program for the memories that these are in. The session was entered.
BERTH_NODISCARD berth_code_t berth_session_call_again(
    berth_session_t *session, const berth_program_t *made,
    berth_tensor_t *const *feeds, berth_tensor_t **results,
    const berth_run_control_t *control, berth_error_t *err);

// Fills |options| with the session's devices and settings, for all nodes there
// are.
void berth_session_place_options(const berth_session_t *session,
                                 berth_place_options_t *options);

// Fills |control| with the session's own settings.
void berth_session_control(berth_session_t *session, const berth_run_t *run,
                           berth_run_control_t *control);

#endif  // BERTH_RUNTIME_SESSION_INTERNAL_H_
