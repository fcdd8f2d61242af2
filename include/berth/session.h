// session.h - Running graphs.
//
// A session runs parts of one graph: those that the fetches and targets need.
// It owns the variables, queues and random sequences of that graph, and where
// each node is placed. The graph may grow while sessions run it.
//
//   berth_tensor_t *result = NULL;
//   code = berth_session_run(session, feeds, 2, &c, 1, &result, &err);
//
// The first run of a combination of feeds, fetches and targets plans it; later
// ones only run it. Fed tensors are borrowed for the call.
//
// Threads: everything here is thread-safe. Runs of one session may overlap.
#ifndef BERTH_SESSION_H_
#define BERTH_SESSION_H_

#include "berth/config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_session berth_session_t;

// A value for one output of the graph.
typedef struct berth_feed {
  berth_out_t out;
  berth_tensor_t *tensor;  // Borrowed.
} berth_feed_t;

// Creates a session on |graph| (retained) with the devices that |config| asks
// for (NULL: defaults). Fails with the graph's own error when it has one.
BERTH_API BERTH_NODISCARD berth_code_t
berth_session_create(berth_graph_t *graph, const berth_config_t *config,
                     berth_session_t **out_session, berth_error_t *err);

// Cancels what is running, waits for it and refuses further runs with
// BERTH_CANCELLED `Session has been closed.`
BERTH_API void berth_session_close(berth_session_t *session);

// The same without waiting: also for those who are called by a run of the
// session, as poll functions and host callbacks are, and for handlers of
// signals (docs/design/threading.md says how these are installed).
BERTH_API void berth_session_cancel(berth_session_t *session);

// Closes and frees. No call may be under way in another thread.
BERTH_API void berth_session_destroy(berth_session_t *session);

// Runs what |fetches| need and stores one tensor for each in |results|, which
// the caller releases.
BERTH_API BERTH_NODISCARD berth_code_t
berth_session_run(berth_session_t *session, const berth_feed_t *feeds,
                  int feed_count, const berth_out_t *fetches, int fetch_count,
                  berth_tensor_t **results, berth_error_t *err);

// ---- With options ----

// Ends runs from another thread. Counted.
typedef struct berth_cancel berth_cancel_t;
BERTH_API berth_cancel_t *berth_cancel_create(void);
BERTH_API berth_cancel_t *berth_cancel_retain(berth_cancel_t *cancel);
BERTH_API void berth_cancel_release(berth_cancel_t *cancel);
// Ends every run that has it, now and later, with BERTH_CANCELLED.
BERTH_API void berth_cancel_fire(berth_cancel_t *cancel);

// Everything a run can be told. Zeroed is a run of nothing.
typedef struct berth_run {
  const berth_feed_t *feeds;
  int feed_count;
  const berth_out_t *fetches;
  int fetch_count;
  berth_tensor_t **results;        // fetch_count of them.
  const berth_node_id_t *targets;  // Run, without a value.
  int target_count;
  int64_t timeout_ms;      // 0: the session's.
  berth_cancel_t *cancel;  // Optional. Borrowed.
  berth_poll_fn poll;      // Optional; the session's otherwise.
  void *poll_arg;
  int inter_op_pool;  // RunOptions.inter_op_thread_pool; only checked.
  bool trace;         // Collect step stats.
  bool output_partition_graphs;
  // Where a serialised RunMetadata goes, to be freed with berth_text_free().
  // Optional.
  void **out_metadata;
  size_t *out_metadata_size;
} berth_run_t;

// As berth_session_run(), told everything.
BERTH_API BERTH_NODISCARD berth_code_t berth_session_run_with(
    berth_session_t *session, const berth_run_t *run, berth_error_t *err);

// Finds feeds, fetches and targets by name, "x:0" or "x", failing as a run by
// names does in TensorFlow: BERTH_NOT_FOUND `FeedInputs: unable to find feed
// output x:0`, `FetchOutputs node y:0: not found`, `PruneForTargets: Some
// target nodes not found: a b `, and BERTH_INVALID_ARGUMENT for a bad index.
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_find_feed(const berth_graph_t *graph, const char *name,
                      berth_out_t *out_feed, berth_error_t *err);
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_find_fetch(const berth_graph_t *graph, const char *name,
                       berth_out_t *out_fetch, berth_error_t *err);
BERTH_API BERTH_NODISCARD berth_code_t berth_graph_find_targets(
    const berth_graph_t *graph, const char *const *names, int count,
    berth_node_id_t *out_targets, berth_error_t *err);

// Reads a serialised RunOptions into the fields of |run| it has.
BERTH_API BERTH_NODISCARD berth_code_t berth_run_parse_options(
    berth_run_t *run, const void *bytes, size_t size, berth_error_t *err);

// ---- Prepared runs ----

// A combination of feeds, fetches and targets, planned once. Counted with its
// session: destroy it before the session.
typedef struct berth_callable berth_callable_t;
BERTH_API BERTH_NODISCARD berth_code_t berth_callable_create(
    berth_session_t *session, const berth_out_t *feeds, int feed_count,
    const berth_out_t *fetches, int fetch_count, const berth_node_id_t *targets,
    int target_count, berth_callable_t **out_callable, berth_error_t *err);
BERTH_API void berth_callable_destroy(berth_callable_t *callable);
// |feeds| and |results| in the order given to create.
BERTH_API BERTH_NODISCARD berth_code_t
berth_callable_run(berth_callable_t *callable, berth_tensor_t *const *feeds,
                   berth_tensor_t **results, berth_error_t *err);

// ---- Partial runs ----

// A run that is fed and fetched from in several calls.
typedef struct berth_partial berth_partial_t;
BERTH_API BERTH_NODISCARD berth_code_t berth_partial_create(
    berth_session_t *session, const berth_out_t *feeds, int feed_count,
    const berth_out_t *fetches, int fetch_count, const berth_node_id_t *targets,
    int target_count, berth_partial_t **out_partial, berth_error_t *err);
BERTH_API BERTH_NODISCARD berth_code_t
berth_partial_run(berth_partial_t *partial, const berth_feed_t *feeds,
                  int feed_count, const berth_out_t *fetches, int fetch_count,
                  berth_tensor_t **results, berth_error_t *err);
BERTH_API void berth_partial_destroy(berth_partial_t *partial);

// Makes nodes that ask for no device run on |device| where they can, as what a
// function does when it is called inside a device scope. Counts for nodes that
// are placed afterwards. BERTH_INVALID_ARGUMENT `<name> unknown device.` when
// the session has none of that name.
BERTH_API BERTH_NODISCARD berth_code_t berth_session_prefer_device(
    berth_session_t *session, const char *device, berth_error_t *err);

// Puts |node| on |device|, whatever it asks for, if it has not been placed yet:
// the arguments of a function are where they are. Fails as the above does, and
// with BERTH_NOT_FOUND when there is no such node.
BERTH_API BERTH_NODISCARD berth_code_t
berth_session_pin(berth_session_t *session, berth_node_id_t node,
                  const char *device, berth_error_t *err);

// ---- Looking at a session ----

// Returns how many devices there are, and the full name of one of them; NULL
// when there is none of that number.
BERTH_API int berth_session_device_count(const berth_session_t *session);
BERTH_API const char *berth_session_device_name(const berth_session_t *session,
                                                int index);
// Places what was added to the graph since the last run, then fills |out|.
BERTH_API BERTH_NODISCARD berth_code_t
berth_session_placement(berth_session_t *session, berth_node_id_t node,
                        berth_node_placement_t *out, berth_error_t *err);
// Stores a sentence that says why, to be freed with berth_text_free().
BERTH_API BERTH_NODISCARD berth_code_t
berth_session_explain(berth_session_t *session, berth_node_id_t node,
                      char **out_text, berth_error_t *err);

// ---- Host callbacks ----

// A call of a BerthCallback op that is under way.
typedef struct berth_host_call berth_host_call_t;

// Does the work of BerthCallback ops with its token. Must lead to exactly one
// berth_host_call_finish(), now or later, from any thread.
typedef void (*berth_host_fn)(berth_host_call_t *call, void *arg);

// Registers |fn| under |token|, replacing an older one; NULL removes it.
BERTH_API BERTH_NODISCARD berth_code_t berth_host_register(const char *token,
                                                           berth_host_fn fn,
                                                           void *arg,
                                                           berth_error_t *err);

// Inputs are borrowed until the call is finished.
BERTH_API int berth_host_call_input_count(const berth_host_call_t *call);
BERTH_API berth_tensor_t *berth_host_call_input(const berth_host_call_t *call,
                                                int index);
// Finishes |call| with |outputs| or, when |code| is not BERTH_OK, with
// |message|. The caller's reference to each output is taken over, also on
// failure: to hand back an input, retain it. |call| is gone afterwards.
BERTH_API void berth_host_call_finish(berth_host_call_t *call,
                                      berth_code_t code, const char *message,
                                      berth_tensor_t **outputs,
                                      int output_count);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_SESSION_H_
