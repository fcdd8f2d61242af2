// label.h - Names that memory is held under: ops, and lines of scripts.
//
// A label is a number that stands for a text. Memory has the labels of who
// asked for it, and so does the history of what was allocated: numbers are
// small, and never dangle. Texts stay for the life of the process; beyond
// BERTH_LABELS different ones there are no new labels.
//
// Who asks is a matter of the thread: whatever calls a kernel says which op it
// is, and bindings may say which line of a script that is.
//
//   const char *before = berth_label_enter("conv1/Conv2D");
//   …                                       // Memory is asked for.
//   berth_label_enter(before);
//
// Threads: thread-safe; looking up a text that is known takes no lock.
#ifndef BERTH_MEMORY_LABEL_H_
#define BERTH_MEMORY_LABEL_H_

#include <stdint.h>

#include "base/compiler.h"

enum { BERTH_LABELS = 1 << 16 };

// 0: none.
typedef uint32_t berth_label_t;

// In place of a line: that which made the node of a graph called as the op is.
// Whoever knows the graph knows it.
enum { BERTH_LABEL_NODE = 1 };

// Returns the label of |text|, of which longer ones than 1 KiB keep the end; 0
// for NULL, for "", and when there is no room for another.
berth_label_t berth_label_of(const char *text);

// Returns the text of |label|, "" for 0 and BERTH_LABEL_NODE. Constant.
const char *berth_label_text(berth_label_t label);

// Returns how many labels there are, 0 included.
uint32_t berth_label_count(void);

// What the thread works on, and the line of a script that wants it.
extern BERTH_THREAD_LOCAL const char *berth_label_now;
extern BERTH_THREAD_LOCAL berth_label_t berth_label_line;

// Says that the thread works on |name| (NULL: nothing in particular), which is
// borrowed until the next call; returns what it was before.
static inline const char *berth_label_enter(const char *name) {
  const char *before = berth_label_now;
  berth_label_now = name;
  return before;
}

#endif  // BERTH_MEMORY_LABEL_H_
