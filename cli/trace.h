// trace.h - A run's times as a file for trace viewers.
#ifndef BERTH_CLI_TRACE_H_
#define BERTH_CLI_TRACE_H_

#include <stddef.h>

// Writes what the serialised RunMetadata says about every node's time to |path|
// in Chrome's trace format, which chrome://tracing and Perfetto open: a process
// per device, a row per thread. Returns the exit status; tells what is wrong.
int cli_trace_write(const void *metadata, size_t size, const char *path);

#endif  // BERTH_CLI_TRACE_H_
