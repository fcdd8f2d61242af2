// log.h - Where log lines go.
//
// Berth speaks of what TensorFlow speaks of, with TensorFlow's texts and names
// of files: cards that are found, memory that runs short, placements that were
// asked for. Lines go to stderr until a program takes them:
//
//   static void keep(berth_log_level_t level, const char *file, int line,
//                    const char *text, void *arg) {
//     if (level >= BERTH_LOG_WARNING) fprintf(arg, "%s\n", text);
//   }
//   berth_log_set_callback(keep, my_file);
//
// TF_CPP_MIN_LOG_LEVEL in the environment leaves out lines below that level,
// before anybody sees them. Placements that are logged in the default and the
// classic style (placement.h) are output, not log lines: they go to stdout and
// to no callback; nor do the lines of BERTH_LOG, which are for developers.
//
// Threads: everything here is thread-safe.
#ifndef BERTH_LOG_H_
#define BERTH_LOG_H_

#include "berth/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// How much a line matters. The numbers are those of TF_CPP_MIN_LOG_LEVEL.
typedef enum berth_log_level {
  BERTH_LOG_INFO = 0,     // What happens as it should.
  BERTH_LOG_WARNING = 1,  // Works, though perhaps not as it was meant.
  BERTH_LOG_ERROR = 2     // Something failed; a code says so too.
} berth_log_level_t;

// Receives one line: |text| without a final newline (some have newlines
// inside), as coming from |file| (a name without folder) and |line|. Borrowed
// for the call; |arg| is what was registered with the function.
//
// May be called from any thread, from several at once, and with the lock of a
// session held: it must not call back into Berth.
typedef void (*berth_log_fn)(berth_log_level_t level, const char *file,
                             int line, const char *text, void *arg);

// Sends log lines to |fn| instead of stderr, for the whole process; NULL goes
// back to stderr. |arg| is kept as it is and handed on, never freed. Lines
// already under way may still reach the old function after this has returned:
// what |arg| points to must live on, or be known to be of no use.
BERTH_API void berth_log_set_callback(berth_log_fn fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_LOG_H_
