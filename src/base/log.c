// log.c - Lines for people.
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/fork.h"
#include "base/str.h"
#include "base/thread.h"

// The callback; the lock guards both fields and is not held while calling.
static berth_mutex_t callback_lock = BERTH_MUTEX_INIT;
BERTH_FORK_HOLDS(callback_lock, BERTH_FORK_LEAF)
static berth_log_fn callback = NULL;
static void *callback_arg = NULL;

void berth_log_set_callback(berth_log_fn fn, void *arg) {
  berth_mutex_lock(&callback_lock);
  callback = fn;
  callback_arg = arg;
  berth_mutex_unlock(&callback_lock);
}

// Writes the line at once, so that lines of several threads do not mix.
static void write_line(berth_log_level_t level, const char *file, int line,
                       const char *text) {
  int64_t now = berth_wall_us();
  berth_str_t str = {0};
  berth_str_printf(&str, "%c0000 00:00:%lld.%06lld %7lld %s:%d] %s\n",
                   "IWE"[level], (long long)(now / 1000000),
                   (long long)(now % 1000000), (long long)berth_thread_id(),
                   file, line, text);
  if (berth_str_ok(&str)) fwrite(str.text, 1, str.size, stderr);
  berth_str_clear(&str);
}

void berth_log(berth_log_level_t level, const char *file, int line,
               const char *format, ...) {
  if ((int64_t)level < berth_env_int("TF_CPP_MIN_LOG_LEVEL", 0)) return;
  berth_str_t text = {0};
  va_list args;
  va_start(args, format);
  berth_str_vprintf(&text, format, args);
  va_end(args);

  berth_mutex_lock(&callback_lock);
  berth_log_fn fn = callback;
  void *arg = callback_arg;
  berth_mutex_unlock(&callback_lock);
  if (fn != NULL) {
    fn(level, file, line, berth_str_get(&text), arg);
  } else {
    write_line(level, file, line, berth_str_get(&text));
  }
  berth_str_clear(&text);
}

bool berth_trace_on(const char *topic) {
  const char *topics = berth_env_get("BERTH_LOG");
  if (topics == NULL) return false;
  size_t size = strlen(topic);
  for (const char *p = topics; *p != '\0';) {
    size_t word = strcspn(p, ",");
    if ((word == size && strncmp(p, topic, size) == 0) ||
        (word == 3 && strncmp(p, "all", 3) == 0)) {
      return true;
    }
    p += word + (p[word] == ',');
  }
  return false;
}

void berth_trace(const char *topic, const char *format, ...) {
  if (!berth_trace_on(topic)) return;
  berth_str_t str = {0};
  berth_str_printf(&str, "berth: %s: ", topic);
  va_list args;
  va_start(args, format);
  berth_str_vprintf(&str, format, args);
  va_end(args);
  berth_str_putc(&str, '\n');
  if (berth_str_ok(&str)) fwrite(str.text, 1, str.size, stderr);
  berth_str_clear(&str);
}
