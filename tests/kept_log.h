// kept_log.h - Keeps what is logged, for tests that look at it.
#ifndef BERTH_TESTS_KEPT_LOG_H_
#define BERTH_TESTS_KEPT_LOG_H_

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "berth/log.h"

// What was logged: "I text\n" for each line. Threads write in turns; who looks at
// it has no others.
static char logged[8192];
static pthread_mutex_t logged_lock = PTHREAD_MUTEX_INITIALIZER;

static inline void keep_line(berth_log_level_t level, const char *file,
                             int line, const char *text, void *arg) {
  (void)file;
  (void)line;
  (void)arg;
  pthread_mutex_lock(&logged_lock);
  size_t used = strlen(logged);
  snprintf(logged + used, sizeof(logged) - used, "%c %s\n", "IWE"[level], text);
  pthread_mutex_unlock(&logged_lock);
}

// Keeps the lines from here on.
static inline void keep_log(void) {
  logged[0] = '\0';
  berth_log_set_callback(keep_line, NULL);
}

#endif  // BERTH_TESTS_KEPT_LOG_H_
