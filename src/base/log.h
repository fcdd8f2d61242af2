// log.h - Lines for people: TensorFlow's log format, and Berth's own topics.
//
// berth_log() writes `I0000 00:00:<seconds>.<micros> <thread> file:line] text`
// to stderr in one write, or hands it to the callback that the program set
// (berth/log.h). TF_CPP_MIN_LOG_LEVEL drops levels below it. The line numbers
// shown are those of TensorFlow 2.21, whose text people search for.
//
// berth_trace() explains decisions; a topic is printed when BERTH_LOG names it
// ("place,kernel" or "all").
//
// Thread-safe. Never called with a lock held.
#ifndef BERTH_BASE_LOG_H_
#define BERTH_BASE_LOG_H_

#include <stdbool.h>

#include "base/compiler.h"
#include "berth/log.h"

// Logs a line at |level| as coming from |file|:|line|.
void berth_log(berth_log_level_t level, const char *file, int line,
               const char *format, ...) BERTH_PRINTF(4, 5);

// True when BERTH_LOG names |topic|. Cheap after the first call.
bool berth_trace_on(const char *topic);

// Prints `berth: <topic>: text` to stderr when the topic is on.
void berth_trace(const char *topic, const char *format, ...) BERTH_PRINTF(2, 3);

#endif  // BERTH_BASE_LOG_H_
