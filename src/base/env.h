// env.h - Reading the environment, the only place that calls getenv.
//
// Values are read anew each time: a program may set os.environ after import.
// Threads: as getenv: safe while nobody changes the environment.
#ifndef BERTH_BASE_ENV_H_
#define BERTH_BASE_ENV_H_

#include <stdbool.h>
#include <stdint.h>

// Returns the value of |name|, or NULL. Borrowed; copy it to keep it.
const char *berth_env_get(const char *name);

// Returns the whole number in |name|, or |fallback| when unset or no number.
int64_t berth_env_int(const char *name, int64_t fallback);

// Returns true for "1", "true", "yes", "on" in any case, false for their
// opposites, |fallback| otherwise.
bool berth_env_bool(const char *name, bool fallback);

#endif  // BERTH_BASE_ENV_H_
