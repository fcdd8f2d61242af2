// partition.h - The graphs of each device, as a run shows them.
//
// TensorFlow splits a graph into one per device and joins them by pairs of
// _Send and _Recv nodes; programs read those graphs in RunMetadata. Berth runs
// one list of steps over all devices and needs no such pairs; here the same
// graphs are drawn, with TensorFlow's names, order and numbers, from what the
// program runs.
#ifndef BERTH_RUNTIME_PARTITION_H_
#define BERTH_RUNTIME_PARTITION_H_

#include "runtime/session_internal.h"
#include "wire/run.pb-c.h"

// Adds the partition graphs of |program| to |metadata|, in |arena|.
BERTH_NODISCARD berth_code_t
berth_partitions_make(const berth_session_t *session,
                      const berth_program_t *program, berth_arena_t *arena,
                      Berth__Wire__RunMetadata *metadata, berth_error_t *err);

#endif  // BERTH_RUNTIME_PARTITION_H_
