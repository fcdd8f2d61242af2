// error.h - Making errors, and passing them on.
//
// The public half (codes, berth_error_t) is berth/error.h. A fallible function
// returns berth_code_t, takes |err| last, and describes a failure with
// berth_error_set(). |err| may be NULL everywhere.
#ifndef BERTH_BASE_ERROR_H_
#define BERTH_BASE_ERROR_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "berth/error.h"

// Describes a failure in |err| (replacing what was there) and returns |code|,
// so that `return berth_error_set(...)` reads as one thing.
berth_code_t berth_error_set(berth_error_t *err, berth_code_t code,
                             const char *format, ...) BERTH_PRINTF(3, 4);
berth_code_t berth_error_setv(berth_error_t *err, berth_code_t code,
                              const char *format, va_list args)
    BERTH_PRINTF(3, 0);

// As berth_error_set() with a text that is used as it stands.
berth_code_t berth_error_set_text(berth_error_t *err, berth_code_t code,
                                  const char *text);

// Appends to the text of |err|; its code stays. Returns that code, which a
// caller whose |err| may be NULL has to know itself: BERTH_UNKNOWN then.
berth_code_t berth_error_append(berth_error_t *err, const char *format, ...)
    BERTH_PRINTF(2, 3);

// Puts text before that of |err|; its code stays. Returns that code.
berth_code_t berth_error_prepend(berth_error_t *err, const char *format, ...)
    BERTH_PRINTF(2, 3);

// Moves |from| into |to| (which may be NULL) and empties |from|. Returns the
// code that was moved.
berth_code_t berth_error_move(berth_error_t *to, berth_error_t *from);

// Says that |what| could not be allocated.
berth_code_t berth_error_no_memory(berth_error_t *err, const char *what);

// Says that a caller passed NULL, or a negative count, for |what|.
berth_code_t berth_error_missing(berth_error_t *err, const char *what);

// Leaves a public function with BERTH_INVALID_ARGUMENT when |pointer|, which
// has to be given, is NULL.
#define BERTH_GIVEN(pointer, err)                                       \
  do {                                                                  \
    if ((pointer) == NULL) return berth_error_missing((err), #pointer); \
  } while (0)

// The same for |count| elements, which may be none.
#define BERTH_GIVEN_LIST(list, count, err)            \
  do {                                                \
    if (berth_is_no_list((list), (int64_t)(count))) { \
      return berth_error_missing((err), #list);       \
    }                                                 \
  } while (0)

// True when |count| elements cannot lie at |list|.
static inline bool berth_is_no_list(const void *list, int64_t count) {
  return count < 0 || (count > 0 && list == NULL);
}

// Returns early with the code of |expr| when it fails. Only while nothing is
// owned; afterwards use one label and one exit.
#define BERTH_TRY(expr)                                          \
  do {                                                           \
    berth_code_t try_code_ = (expr);                             \
    if (BERTH_UNLIKELY(try_code_ != BERTH_OK)) return try_code_; \
  } while (0)

#endif  // BERTH_BASE_ERROR_H_
