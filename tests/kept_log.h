// kept_log.h - Keeps what is logged, for tests that look at it.
#ifndef BERTH_TESTS_KEPT_LOG_H_
#define BERTH_TESTS_KEPT_LOG_H_

#include <stdio.h>
#include <string.h>

#include "berth/log.h"

// What was logged: "I text\n" for each line.
static char logged[8192];

static inline void keep_line(berth_log_level_t level, const char *file,
                             int line, const char *text, void *arg) {
  (void)file;
  (void)line;
  (void)arg;
  size_t used = strlen(logged);
  snprintf(logged + used, sizeof(logged) - used, "%c %s\n", "IWE"[level], text);
}

// Keeps the lines from here on.
static inline void keep_log(void) {
  logged[0] = '\0';
  berth_log_set_callback(keep_line, NULL);
}

#endif  // BERTH_TESTS_KEPT_LOG_H_
