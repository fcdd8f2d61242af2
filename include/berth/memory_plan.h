// memory_plan.h - Knowing how much memory a run will take, before it runs.
//
// A memory plan is made for feeds of certain shapes. It says for every device
// how much a run will take of its memory, step by step, and which values make
// the most of it. Nothing is fed and nothing is run; constants are computed, as
// before a first run.
//
//   const berth_shape_feed_t feed = {x, BERTH_SHAPE(128, 24, 24, 3)};
//   const berth_memory_request_t request = {.feeds = &feed, .feed_count = 1,
//                                         .fetches = &loss, .fetch_count = 1};
//   berth_memory_plan_t *plan = NULL;
//   code = berth_session_plan_memory(session, &request, &plan, &err);
//   for (int i = 0; i < berth_memory_plan_count(plan); ++i) {
//     berth_planned_memory_t memory;
//     code = berth_memory_plan_query(plan, i, &memory, &err);
//     printf("%s %lld\n", memory.name, (long long)memory.peak_bytes);
//   }
//   berth_memory_plan_destroy(plan);
//
// Bytes count as those of berth_memory_stats_t do: the first run of a session
// raises |bytes_in_use| of a device by |peak_bytes| at most, and by exactly
// that where |is_exact|. Later runs find most of it there.
//
// Threads: plans are immutable; making one is as thread-safe as a run.
#ifndef BERTH_MEMORY_PLAN_H_
#define BERTH_MEMORY_PLAN_H_

#include "berth/session.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a value of the graph will be fed with. A dimension of -1 is the size of
// a batch.
typedef struct berth_plan_feed {
  berth_out_t out;
  berth_dims_t shape;  // Borrowed.
} berth_shape_feed_t;

// The run that a plan is for. Zeroed is a run of nothing.
typedef struct berth_plan_request {
  const berth_shape_feed_t *feeds;
  int feed_count;
  const berth_out_t *fetches;
  int fetch_count;
  const berth_node_id_t *targets;
  int target_count;
  int64_t batch;  // What dimensions of -1 are; 0: there are none.
  // By feed: what will be fed where that is known, a handle of a variable;
  // otherwise NULL. NULL: nothing is known. Borrowed.
  berth_tensor_t *const *values;
} berth_memory_request_t;

// A plan. One owner; immutable.
typedef struct berth_memory_plan berth_memory_plan_t;

// What a run takes of one memory. The text is the plan's.
typedef struct berth_planned_memory {
  const char *name;     // Of the device; "pinned" for host memory that cards
                        // reach.
  int64_t peak_bytes;   // Most that the run takes.
  int64_t arena_bytes;  // Of that, for values that share bytes in turn.
  int64_t live_bytes;   // Most that values hold at one time.
  int64_t held_bytes;   // By variables and constants, whether it runs or not.
  int peak_step;        // When that is most; -1: it takes nothing.
  // True when a run takes just that; false when it may take less, because a
  // conditional goes one way only, or more: the plan has unknown steps.
  bool is_exact;
} berth_planned_memory_t;

// A value that holds memory when that is most. Texts and shape are the plan's.
typedef struct berth_planned_value {
  const char *name;  // Of the node that makes it,
  const char *op;    // what it is,
  int output;        // and which of its outputs this is.
  bool is_scratch;   // Working space of the node, and no output.
  berth_dtype_t dtype;
  berth_dims_t shape;
  int64_t bytes;
  int first_step, end_step;  // From, and until which step, not included.
} berth_planned_value_t;

// A step of the run, or one that may take more than the plan knows.
typedef struct berth_planned_step {
  const char *name, *op;
  int64_t live_bytes;  // Of the memory that was asked about.
  const char *why;     // It is not known; "" for a step of the run.
} berth_planned_step_t;

// Makes the plan of a run. Fails as berth_session_run() does before anything
// runs, and with BERTH_INVALID_ARGUMENT for shapes that do not fit or have
// unknown parts.
BERTH_API BERTH_NODISCARD berth_code_t berth_session_plan_memory(
    berth_session_t *session, const berth_memory_request_t *request,
    berth_memory_plan_t **out_plan, berth_error_t *err);

// Frees |plan|. NULL is fine.
BERTH_API void berth_memory_plan_destroy(berth_memory_plan_t *plan);

// Returns how many memories there are: those of which the run takes or uses
// something.
BERTH_API int berth_memory_plan_count(const berth_memory_plan_t *plan);

// Fills |out_memory| for memory |index|. BERTH_OUT_OF_RANGE when there is none
// of that number.
BERTH_API BERTH_NODISCARD berth_code_t
berth_memory_plan_query(const berth_memory_plan_t *plan, int index,
                        berth_planned_memory_t *out_memory, berth_error_t *err);

// Fills |out_value| for one of the values that hold memory |index| when that is
// most: |place| 0 is the largest. BERTH_OUT_OF_RANGE behind the last.
BERTH_API BERTH_NODISCARD berth_code_t berth_memory_plan_query_value(
    const berth_memory_plan_t *plan, int index, int place,
    berth_planned_value_t *out_value, berth_error_t *err);

// Returns how many steps the run has, as far as they are foreseen: a loop is
// gone round twice.
BERTH_API int berth_memory_plan_step_count(const berth_memory_plan_t *plan);

// Fills |out_step| for step |step|, with what values hold of memory |index|.
// BERTH_OUT_OF_RANGE when there is none of these numbers.
BERTH_API BERTH_NODISCARD berth_code_t berth_memory_plan_query_step(
    const berth_memory_plan_t *plan, int index, int step,
    berth_planned_step_t *out_step, berth_error_t *err);

// Returns how many steps may take memory that the plan does not know, since
// their shapes depend on values; and fills |out_step| for one of them.
// BERTH_OUT_OF_RANGE when there is none of that number.
BERTH_API int berth_memory_plan_unknown_count(const berth_memory_plan_t *plan);
BERTH_API BERTH_NODISCARD berth_code_t berth_memory_plan_query_unknown(
    const berth_memory_plan_t *plan, int unknown,
    berth_planned_step_t *out_step, berth_error_t *err);

// Stores the whole plan as JSON, to be freed with berth_text_free():
//
//   {"exact": true,
//    "memories": [{"name": …, "peak_bytes": …, "arena_bytes": …,
//                  "live_bytes": …, "held_bytes": …, "peak_step": …,
//                  "live": [bytes by step]}],
//    "steps": [{"name": …, "op": …, "memory": index}],
//    "values": [{"name": "conv1:0", "op": …, "memory": …, "kind": "arena",
//                "dtype": …, "shape": […], "bytes": …, "from": step,
//                "to": step that it is gone at}],
//    "unknown": [{"name": …, "op": …, "why": …}]}
BERTH_API BERTH_NODISCARD berth_code_t berth_memory_plan_print(
    const berth_memory_plan_t *plan, char **out_text, berth_error_t *err);

// Stores the largest batch for which what the run takes and what is held
// together stay within |limit| bytes on the device called |device| (NULL: on
// every GPU that it uses, or the CPU where it uses none); 0 when not even one
// does, INT64_MAX when any does. The request's own |batch| does not count.
//
// Fails as berth_session_plan_memory() does for a batch of one, and with
// BERTH_INVALID_ARGUMENT when no feed has a dimension of -1.
BERTH_API BERTH_NODISCARD berth_code_t berth_session_plan_batch(
    berth_session_t *session, const berth_memory_request_t *request,
    const char *device, uint64_t limit, int64_t *out_batch, berth_error_t *err);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_MEMORY_PLAN_H_
