// log.h - Where log lines go.
#ifndef BERTH_LOG_H_
#define BERTH_LOG_H_

#include "berth/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum berth_log_level {
  BERTH_LOG_INFO = 0,
  BERTH_LOG_WARNING = 1,
  BERTH_LOG_ERROR = 2
} berth_log_level_t;

// Receives one line: |text| without a final newline, as coming from |file|
// (a name without folder) and |line|. Borrowed for the call. May be called from
// any thread, from several at once; must not call back into Berth.
typedef void (*berth_log_fn)(berth_log_level_t level, const char *file,
                             int line, const char *text, void *arg);

// Sends log lines to |fn| instead of stderr; NULL goes back to stderr.
// Thread-safe; lines already under way may still reach the old one.
BERTH_API void berth_log_set_callback(berth_log_fn fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_LOG_H_
