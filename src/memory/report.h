// report.h - Says in words what a pool holds when it cannot give more.
//
// One screen at most, no dump: what was asked and by whom, the limit, what is
// in use, the largest free span, fragmentation, the five biggest holders, who
// else is on the card and what to do. The facts are collected under the pool's
// lock and printed after it. TensorFlow's own, longer report is
// memory/bfc_dump.h.
//
// Plain data and pure functions.
#ifndef BERTH_MEMORY_REPORT_H_
#define BERTH_MEMORY_REPORT_H_

#include <stdint.h>

#include "base/str.h"
#include "memory/stats.h"

enum { BERTH_REPORT_HOLDERS = 5 };

// What one op holds for one line of a script.
typedef struct berth_holder {
  uint64_t bytes;
  int64_t count;      // Allocations.
  const char *label;  // "": unknown. Constant, as |line|.
  const char *line;   // "train.py:12"; "": unknown.
  bool is_node;       // It is a node of a graph, which knows the line.
} berth_holder_t;

// Another process on the same card.
typedef struct berth_neighbour {
  int64_t pid;
  const char *name;  // NULL: unknown. Borrowed.
  uint64_t bytes;    // What it holds of the card.
} berth_neighbour_t;

typedef struct berth_memory_report {
  const char *where;  // Whose memory: "host", "GPU:0". Borrowed.
  const char *op;     // Who asked; NULL: unknown. Borrowed.
  uint64_t asked_bytes;
  berth_memory_stats_t stats;
  berth_pool_figures_t figures;
  // Who holds most, the largest first.
  berth_holder_t holders[BERTH_REPORT_HOLDERS];
  int holder_count;
  // Who else is on the card; for the caller to fill in. Borrowed.
  const berth_neighbour_t *neighbours;
  int neighbour_count;
} berth_memory_report_t;

// True when the free bytes would do for the request but lie scattered.
bool berth_report_is_fragmented(const berth_memory_report_t *report);

// Returns the advice that fits the figures best. Constant.
const char *berth_report_advice(const berth_memory_report_t *report);

// Appends one sentence: "host is out of memory: asked 512.00MiB; …".
void berth_report_print_line(const berth_memory_report_t *report,
                             berth_str_t *str);

// Appends the whole report, each line with a final newline.
void berth_report_print(const berth_memory_report_t *report, berth_str_t *str);

#endif  // BERTH_MEMORY_REPORT_H_
