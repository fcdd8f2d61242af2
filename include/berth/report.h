// report.h - What memory looks like: of a GPU for one request, in words or as
// JSON; of all devices, with what was allocated and freed before, as JSON.
//
//   char *text = NULL;
//   code = berth_device_report_memory("GPU:0", asked, BERTH_REPORT_TEXT, &text,
//                                     &err);
//   if (code == BERTH_OK) fputs(text, stderr);
//   berth_text_free(text);
//
// One screen: what was asked for, limit and budget, what is in use and who
// holds most of it, the neighbours on the card, and what to do. Meant for when
// an allocation has failed, and as cheap as walking all allocations.
//
// Threads: thread-safe.
#ifndef BERTH_REPORT_H_
#define BERTH_REPORT_H_

#include <stdint.h>

#include "berth/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum berth_report_form {
  BERTH_REPORT_TEXT = 0,  // Lines for people.
  BERTH_REPORT_JSON = 1,  // One object: device, asked, limit, budget, pool,
                          // outside, in_use, peak, idle, largest_free,
                          // fragmentation, holders, neighbours, advice.
} berth_report_form_t;

// Stores what the memory of the GPU called |name| looks like for a request of
// |asked| bytes (0: none), to be freed with berth_text_free().
// BERTH_INVALID_ARGUMENT for a CPU, and for a GPU that nothing has used.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_report_memory(
    const char *name, uint64_t asked, berth_report_form_t form, char **out_text,
    berth_error_t *err);

// ---- History ----

// Keeps the last |events| allocations, frees and runs from now on (about 40
// bytes each); 0: none, as it is unless the environment has
// BERTH_MEMORY_HISTORY=N. What was kept before is forgotten.
//
//   BERTH_INVALID_ARGUMENT    a number below 0 or over 2^26
//   BERTH_RESOURCE_EXHAUSTED  no memory for it: all is as before
BERTH_API BERTH_NODISCARD berth_code_t
berth_memory_keep_history(int64_t events, berth_error_t *err);

// Returns how many events are kept; 0: none.
BERTH_API int64_t berth_memory_history_size(void);

// Says which line of a script the calling thread works for, "train.py:12";
// NULL: none. Reports and histories tell it. Copied.
BERTH_API void berth_memory_set_line(const char *line);

// Stores what all devices hold, by whom, and the history, taken at one moment,
// as JSON to be freed with berth_text_free(); `berth report` makes a page of it:
//
//   {"pid": …, "program": …, "time_us": since 1970,
//    "devices": [{"name": …, "memory": "GPU:0", "limit": …, "in_use": …,
//                 "peak": …, "pool": …, "idle": …, "largest_free": …,
//                 "allocations": …, "budget": …, "outside": …}],
//    "labels": ["", "conv1/Conv2D", …],
//    "holders": [{"memory": label, "op": label, "line": label, "bytes": …,
//                 "count": …}],
//    "plans": [as in berth/memory_plan.h],
//    "history": {"size": events that are kept, "noted": events so far,
//                "start_us": …, "events": [[nanoseconds, kind, memory, op,
//                line, bytes, address]]}}
//
// Line 1 is that of the node of a graph which is called as the op is. Kinds are
// 0 for an allocation, 1 for a free, 2 and 3 for the beginning and
// the end of a run that uses an arena: its op is the number of a plan, from 1.
BERTH_API BERTH_NODISCARD berth_code_t
berth_memory_snapshot(char **out_text, berth_error_t *err);

// Returns label |index| of the process, NULL behind the last. It stays.
BERTH_API const char *berth_memory_label(int index);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_REPORT_H_
