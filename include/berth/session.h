// session.h - Running graphs.
//
// A session runs parts of one graph: those that the fetches and targets need.
// It owns the variables, queues and random sequences of that graph, and where
// each node is placed. The graph may grow while sessions run it.
//
//   berth_session_t *session = NULL;
//   berth_tensor_t *result = NULL;
//   code = berth_session_create(graph, NULL, &session, &err);
//   if (code == BERTH_OK) {
//     code = berth_session_run(session, NULL, 0, &c, 1, &result, &err);
//   }
//   if (code == BERTH_OK) code = berth_tensor_print(result, stdout, &err);
//   berth_tensor_release(result);
//   berth_session_destroy(session);
//
// The first run of a combination of feeds, fetches and targets plans it, and
// computes what depends on no feed and no variable; later ones only run it. Fed
// tensors are borrowed for the call.
//
// Threads: everything here is thread-safe, but for partial runs. Runs of one
// session may overlap; a run that has to be planned waits for others that are.
#ifndef BERTH_SESSION_H_
#define BERTH_SESSION_H_

#include "berth/config.h"

#ifdef __cplusplus
extern "C" {
#endif

// A graph with devices, placements, plans and state. One owner; thread-safe.
typedef struct berth_session berth_session_t;

// A value for one output of the graph. Any output may be fed: what would make
// it does not run.
typedef struct berth_feed {
  berth_out_t out;
  berth_tensor_t *tensor;  // Borrowed. On a device: brought to the host first.
} berth_feed_t;

// Creates a session on |graph| (retained) with the devices that |config| asks
// for (copied; NULL: what berth_process_configure() has set, or the defaults).
// Devices are opened where they are not yet, but nothing is held on a card
// before a run uses it. Nothing is placed yet either: what cannot be placed
// fails in the first run.
//
//   BERTH_INVALID_ARGUMENT  settings of GPUs that contradict each other, cards
//                           that are not there, too many CPU devices
//   BERTH_ALREADY_EXISTS    a GPU is open on another card in this process
//   BERTH_NOT_FOUND         no CPU device was asked for
//   BERTH_UNKNOWN           fewer cards than |virtual_devices| are about
//   BERTH_INTERNAL          an allocator or unified memory that there is not
//
// and with the graph's own error when it has one, and what a driver fails with.
BERTH_API BERTH_NODISCARD berth_code_t
berth_session_create(berth_graph_t *graph, const berth_config_t *config,
                     berth_session_t **out_session, berth_error_t *err);

// Cancels what is running, waits for it and refuses further runs with
// BERTH_CANCELLED `Session has been closed.` Placements can still be asked for.
// Must not be called by what a run of the session calls: it would wait for
// itself. Closing twice, and closing NULL, is fine.
BERTH_API void berth_session_close(berth_session_t *session);

// The same without waiting: also for those who are called by a run of the
// session, as poll functions and host callbacks are, and for handlers of
// signals (docs/design/threading.md says how these are installed).
BERTH_API void berth_session_cancel(berth_session_t *session);

// Closes and frees, with the session's variables and queues. No call may be
// under way in another thread, and callables and partial runs of the session
// are destroyed before. Tensors that it gave live on. NULL is fine.
BERTH_API void berth_session_destroy(berth_session_t *session);

// Runs what |fetches| need and stores one tensor for each in |results|, which
// the caller releases. They are in host memory, and may be shared with the
// session (a constant, the value of a variable): they are for reading.
//
// Blocks until all is done. Runs on the calling thread, with others for large
// ops. The session's poll function and timeout may end it.
//
// On failure there is nothing to release, and what |results| holds means
// nothing. State that ops have changed before stays changed. Fails with
//
//   BERTH_INVALID_ARGUMENT    nothing is asked for; a feed, fetch or target is
//                             not in the graph, fed twice or fed and fetched; a
//                             feed has no tensor or another type; the graph
//                             cannot be placed, or has a cycle that is no loop
//   BERTH_OUT_OF_RANGE        a node has no output of that number
//   BERTH_UNIMPLEMENTED       Berth has no kernel for nodes that it needs; the
//                             first twenty are named
//   BERTH_CANCELLED           the session is closed, or the poll function or
//                             its handle ended the run
//   BERTH_DEADLINE_EXCEEDED   it took longer than the timeout
//   BERTH_RESOURCE_EXHAUSTED  a device or the host is out of memory; the text
//                             lists what there is
//   BERTH_INTERNAL            a card has failed (berth_device_reset());
//                             BERTH_UNAVAILABLE where that is for good
//
// with what the graph failed with when it was built further, and with whatever
// an op fails with: a value that a Placeholder was not fed, an element out of
// range, a queue that is closed. These texts name the node.
BERTH_API BERTH_NODISCARD berth_code_t
berth_session_run(berth_session_t *session, const berth_feed_t *feeds,
                  int feed_count, const berth_out_t *fetches, int fetch_count,
                  berth_tensor_t **results, berth_error_t *err);

// ---- With options ----

// Ends runs from another thread. Counted; thread-safe. One handle serves any
// number of runs, of any sessions, until it is fired.
typedef struct berth_cancel berth_cancel_t;

// Creates a handle with one reference; NULL when memory is short.
BERTH_API berth_cancel_t *berth_cancel_create(void);

// Adds and takes away a reference. NULL is fine for both.
BERTH_API berth_cancel_t *berth_cancel_retain(berth_cancel_t *cancel);
BERTH_API void berth_cancel_release(berth_cancel_t *cancel);

// Ends every run that has it, now and later, with BERTH_CANCELLED. Waits for
// none of them; also for handlers of signals. There is no way back.
BERTH_API void berth_cancel_fire(berth_cancel_t *cancel);

// Everything a run can be told. Zeroed is a run of nothing. All is borrowed for
// the call.
typedef struct berth_run {
  const berth_feed_t *feeds;
  int feed_count;
  const berth_out_t *fetches;
  int fetch_count;
  berth_tensor_t **results;        // fetch_count of them, filled in.
  const berth_node_id_t *targets;  // Run, without a value.
  int target_count;
  int64_t timeout_ms;      // 0: the session's.
  berth_cancel_t *cancel;  // Optional. Borrowed.
  berth_poll_fn poll;      // Optional; the session's otherwise.
  void *poll_arg;
  // RunOptions.inter_op_thread_pool: only checked. -1 is the caller's thread.
  int inter_op_pool;
  // Collect step stats. Steps that are otherwise computed once and for all run
  // again, for the clock.
  bool trace;
  bool output_partition_graphs;  // What every device ran, as GraphDefs.
  // Where a serialised RunMetadata goes, to be freed with berth_text_free():
  // the stats and graphs that were asked for. Optional, both or neither;
  // untouched on failure.
  void **out_metadata;
  size_t *out_metadata_size;
} berth_run_t;

// As berth_session_run(), told everything. BERTH_INVALID_ARGUMENT too for a
// pool that the session was not configured with. Where only the metadata cannot
// be made the run counts as failed, though it has run.
BERTH_API BERTH_NODISCARD berth_code_t berth_session_run_with(
    berth_session_t *session, const berth_run_t *run, berth_error_t *err);

// Finds feeds, fetches and targets by name, "x:0" or "x", failing as a run by
// names does in TensorFlow: BERTH_NOT_FOUND `FeedInputs: unable to find feed
// output x:0`, `FetchOutputs node y:0: not found`, `PruneForTargets: Some
// target nodes not found: a b `, and BERTH_INVALID_ARGUMENT for a bad index or
// the fetch of a node without outputs. Of targets all are found, or none is
// stored.
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_find_feed(const berth_graph_t *graph, const char *name,
                      berth_out_t *out_feed, berth_error_t *err);
BERTH_API BERTH_NODISCARD berth_code_t
berth_graph_find_fetch(const berth_graph_t *graph, const char *name,
                       berth_out_t *out_fetch, berth_error_t *err);
BERTH_API BERTH_NODISCARD berth_code_t berth_graph_find_targets(
    const berth_graph_t *graph, const char *const *names, int count,
    berth_node_id_t *out_targets, berth_error_t *err);

// Reads a serialised RunOptions into the fields of |run| it has (timeout, pool,
// trace, partition graphs), and leaves the others. BERTH_DATA_LOSS when the
// bytes are cut off, BERTH_INVALID_ARGUMENT when they are none.
BERTH_API BERTH_NODISCARD berth_code_t berth_run_parse_options(
    berth_run_t *run, const void *bytes, size_t size, berth_error_t *err);

// ---- Prepared runs ----

// A combination of feeds, fetches and targets, planned once, and kept however
// many others the session plans. One owner, who destroys it before the session;
// thread-safe: its runs may overlap.
typedef struct berth_callable berth_callable_t;

// Plans and stores one; the lists are copied. Fails as a first run does.
BERTH_API BERTH_NODISCARD berth_code_t berth_callable_create(
    berth_session_t *session, const berth_out_t *feeds, int feed_count,
    const berth_out_t *fetches, int fetch_count, const berth_node_id_t *targets,
    int target_count, berth_callable_t **out_callable, berth_error_t *err);

// Frees |callable|, which no thread runs. NULL is fine.
BERTH_API void berth_callable_destroy(berth_callable_t *callable);

// Runs it, with |feeds| and |results| in the order given to create. Otherwise
// as berth_session_run(), also in what it fails with.
BERTH_API BERTH_NODISCARD berth_code_t
berth_callable_run(berth_callable_t *callable, berth_tensor_t *const *feeds,
                   berth_tensor_t **results, berth_error_t *err);

// ---- Partial runs ----

// A run that is fed and fetched from in several calls. One owner, who destroys
// it before the session; belongs to one thread at a time.
typedef struct berth_partial berth_partial_t;

// Begins a run of these feeds, fetches and targets, of which nothing is fed
// yet. The lists are copied. Fails as a first run does, and with
// BERTH_UNIMPLEMENTED where the run would need conditionals or loops.
BERTH_API BERTH_NODISCARD berth_code_t berth_partial_create(
    berth_session_t *session, const berth_out_t *feeds, int feed_count,
    const berth_out_t *fetches, int fetch_count, const berth_node_id_t *targets,
    int target_count, berth_partial_t **out_partial, berth_error_t *err);

// Feeds some values (copied), runs what that makes possible and stores the
// |fetches| in |results|, which the caller releases.
//
// BERTH_INVALID_ARGUMENT for a feed or fetch that create was not told of, a
// feed of another type or fed before, a fetch that needs what is not fed yet,
// and once everything was fetched. Nothing has run then, and the call may come
// again, corrected. After any other failure, which are those of
// berth_session_run(), the run is over: BERTH_CANCELLED from then on. On
// failure there is nothing to release, and what |results| holds means nothing.
BERTH_API BERTH_NODISCARD berth_code_t
berth_partial_run(berth_partial_t *partial, const berth_feed_t *feeds,
                  int feed_count, const berth_out_t *fetches, int fetch_count,
                  berth_tensor_t **results, berth_error_t *err);

// Ends the run, waiting for what it has begun, and frees it. NULL is fine.
BERTH_API void berth_partial_destroy(berth_partial_t *partial);

// ---- Wishes about devices ----

// Makes nodes that ask for no device run on |device| where they can, as what a
// function does when it is called inside a device scope. Counts for nodes that
// are placed afterwards, and until another is preferred. BERTH_INVALID_ARGUMENT
// `<name> unknown device.` when the session has none of that name.
BERTH_API BERTH_NODISCARD berth_code_t berth_session_prefer_device(
    berth_session_t *session, const char *device, berth_error_t *err);

// Puts |node| on |device|, whatever it asks for, if it has not been placed yet:
// the arguments of a function are where they are. Fails as the above does, and
// with BERTH_NOT_FOUND when there is no such node.
BERTH_API BERTH_NODISCARD berth_code_t
berth_session_pin(berth_session_t *session, berth_node_id_t node,
                  const char *device, berth_error_t *err);

// ---- Looking at a session ----

// Return how many devices there are, and the full name of one of them, CPUs
// first; NULL when there is none of that number. They never change. Borrowed;
// lives as long as the session.
BERTH_API int berth_session_device_count(const berth_session_t *session);
BERTH_API const char *berth_session_device_name(const berth_session_t *session,
                                                int index);

// Places what was added to the graph since the last run, then fills |out|; its
// text is the session's. With |place_pruned_graph| it only looks: nodes that
// the last plan did not need are not placed, and before the first there are
// none. BERTH_NOT_FOUND when there is no such node, and fails as a run does
// where the graph cannot be placed. Waits for a run that is being planned.
BERTH_API BERTH_NODISCARD berth_code_t
berth_session_placement(berth_session_t *session, berth_node_id_t node,
                        berth_node_placement_t *out, berth_error_t *err);

// Stores a sentence that says why, to be freed with berth_text_free(); then one
// that says so where runs have done the node in one step with others, or had
// another node that computes the same do it. Fails and waits in the same way.
BERTH_API BERTH_NODISCARD berth_code_t
berth_session_explain(berth_session_t *session, berth_node_id_t node,
                      char **out_text, berth_error_t *err);

// ---- Host callbacks ----

// A BerthCallback op has its work done by the program:
//
//   static void twice(berth_host_call_t *call, void *arg) {
//     berth_tensor_t *out = make_twice(berth_host_call_input(call, 0));
//     berth_host_call_finish(call, BERTH_OK, NULL, &out, 1);
//   }
//   code = berth_host_register("twice", twice, NULL, &err);

// A call of a BerthCallback op that is under way. The function's until it is
// finished; belongs to one thread at a time.
typedef struct berth_host_call berth_host_call_t;

// Does the work of BerthCallback ops with its token. Must lead to exactly one
// berth_host_call_finish(), now or later, from any thread. Called by the thread
// that runs, from several at once where runs overlap: what takes long is better
// handed to another, so that the rest of the run goes on. It may run and build,
// but must not close the session that calls it.
typedef void (*berth_host_fn)(berth_host_call_t *call, void *arg);

// Registers |fn| under |token| (copied), for all sessions of the process,
// replacing an older one; NULL removes it. Calls that have begun keep the old
// one: |arg|, which is handed on, must outlive them. A run that meets a token
// without function fails with BERTH_NOT_FOUND.
BERTH_API BERTH_NODISCARD berth_code_t berth_host_register(const char *token,
                                                           berth_host_fn fn,
                                                           void *arg,
                                                           berth_error_t *err);

// Return how many inputs there are, and one of them; NULL when there is none of
// that number. Inputs are borrowed until the call is finished, and read-only.
BERTH_API int berth_host_call_input_count(const berth_host_call_t *call);
BERTH_API berth_tensor_t *berth_host_call_input(const berth_host_call_t *call,
                                                int index);

// Finishes |call| with |outputs| or, when |code| is not BERTH_OK, with
// |message| (copied; NULL: some words). The caller's reference to each output
// is taken over, also on failure: to hand back an input, retain it. |call| is
// gone afterwards.
//
// Outputs whose number or types are not what the op promises fail the run with
// BERTH_INVALID_ARGUMENT. Where the run was ended meanwhile they are dropped.
BERTH_API void berth_host_call_finish(berth_host_call_t *call,
                                      berth_code_t code, const char *message,
                                      berth_tensor_t **outputs,
                                      int output_count);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_SESSION_H_
