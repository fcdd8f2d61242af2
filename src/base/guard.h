// guard.h - Calling libraries in C++ from C.
//
// Such a library may throw: std::bad_alloc when memory is short. An exception
// that finds nobody to catch it ends the process. A guard is a frame of the
// stack that catches whatever comes; see docs/decisions/0016-guard-in-c.md.
//
// What lies between the guard and the library is unwound without a word: files
// with such functions are compiled with -fexceptions, and own nothing there.
//
// Thread-safe.
#ifndef BERTH_BASE_GUARD_H_
#define BERTH_BASE_GUARD_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/dynlib.h"

// The functions of the C++ runtime that belongs to a library.
typedef struct berth_guard {
  void (*set_register)(void *context, int index, uintptr_t value);
  void (*set_address)(void *context, uintptr_t value);
  void (*drop)(void *exception);       // What is left of it; no C++ is needed.
  void *(*begin_catch)(void *object);  // Both or neither.
  void (*end_catch)(void);
} berth_guard_t;

// Makes a guard for the functions of |lib|. False where there can be none: the
// processor is unknown here, or the library hides its runtime.
bool berth_guard_init(berth_guard_t *guard, berth_dynlib_t *lib);

// Calls |fn|; false when an exception has ended it. Costs some nanoseconds.
bool berth_guard_call(const berth_guard_t *guard, void (*fn)(void *arg),
                      void *arg);

#endif  // BERTH_BASE_GUARD_H_
