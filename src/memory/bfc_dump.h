// bfc_dump.h - TensorFlow's own out-of-memory report, line for line.
//
// What people search the web for when a GPU is full: bins, chunks, regions,
// totals and a picture of a hundred characters. One screen that says the same
// is memory/report.h; this is for those who ask for TensorFlow's.
//
// Handles of chunks are numbers of TensorFlow's bookkeeping; here chunks are
// numbered by the age of their region and then by address, which comes to the
// same until memory has been released.
#ifndef BERTH_MEMORY_BFC_DUMP_H_
#define BERTH_MEMORY_BFC_DUMP_H_

#include "berth/log.h"
#include "memory/pool.h"

// Receives one log record: |text| may contain newlines, and |line| is the one
// TensorFlow 2.21 shows it with, in bfc_allocator.cc. Borrowed for the call.
typedef void (*berth_dump_fn)(berth_log_level_t level, int line,
                              const char *text, void *arg);

// Describes |pool| to |fn| as TensorFlow's allocator |name| ("GPU_0_bfc") does
// when |asked| bytes for |op| (NULL: unknown) do not fit. Pools of regions
// only; a page-mapped one has no such layout and says nothing. Without host
// memory for a snapshot only the first record is given.
void berth_bfc_dump(berth_pool_t *pool, const char *name, uint64_t asked,
                    const char *op, berth_dump_fn fn, void *arg);

// Appends what TensorFlow warns with when a request that may fail does.
void berth_bfc_print_optional(const char *name, uint64_t asked,
                              int64_t freed_count, berth_str_t *str);

#endif  // BERTH_MEMORY_BFC_DUMP_H_
