// env.c - Reading the environment.
#include "base/env.h"

#include <stdlib.h>
#include <strings.h>

#include "base/str.h"

const char *berth_env_get(const char *name) { return getenv(name); }

int64_t berth_env_int(const char *name, int64_t fallback) {
  const char *text = berth_env_get(name);
  int64_t value = 0;
  return text != NULL && berth_parse_int64(text, &value) ? value : fallback;
}

bool berth_env_bool(const char *name, bool fallback) {
  static const char *const yes[] = {"1", "true", "yes", "on", "t", "y"};
  static const char *const no[] = {"0", "false", "no", "off", "f", "n"};
  const char *text = berth_env_get(name);
  if (text == NULL) return fallback;
  for (int i = 0; i < 6; ++i) {
    if (strcasecmp(text, yes[i]) == 0) return true;
    if (strcasecmp(text, no[i]) == 0) return false;
  }
  return fallback;
}
