// error.h - How Berth says that something failed.
//
// A function that can fail returns a berth_code_t and describes the failure in
// a berth_error_t that the caller owns, usually on its stack. The codes have
// the numbers of TensorFlow's TF_Code. Passing NULL for the error is fine when
// the text is of no interest.
//
//   berth_error_t err = BERTH_ERROR_INIT;
//   if (berth_session_create(graph, NULL, &session, &err) != BERTH_OK) {
//     fprintf(stderr, "%s\n", berth_error_message(&err));
//   }
//   berth_error_clear(&err);
//
// On failure the other outputs are untouched and there is nothing to free.
//
// Threads: an error belongs to one thread at a time.
#ifndef BERTH_ERROR_H_
#define BERTH_ERROR_H_

#include <stddef.h>

#if defined(__GNUC__)
#define BERTH_API __attribute__((visibility("default")))
#define BERTH_NODISCARD __attribute__((warn_unused_result))
#else
#define BERTH_API
#define BERTH_NODISCARD
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum berth_code {
  BERTH_OK = 0,
  BERTH_CANCELLED = 1,
  BERTH_UNKNOWN = 2,
  BERTH_INVALID_ARGUMENT = 3,
  BERTH_DEADLINE_EXCEEDED = 4,
  BERTH_NOT_FOUND = 5,
  BERTH_ALREADY_EXISTS = 6,
  BERTH_PERMISSION_DENIED = 7,
  BERTH_RESOURCE_EXHAUSTED = 8,
  BERTH_FAILED_PRECONDITION = 9,
  BERTH_ABORTED = 10,
  BERTH_OUT_OF_RANGE = 11,
  BERTH_UNIMPLEMENTED = 12,
  BERTH_INTERNAL = 13,
  BERTH_UNAVAILABLE = 14,
  BERTH_DATA_LOSS = 15,
  BERTH_UNAUTHENTICATED = 16
} berth_code_t;

#define BERTH_ERROR_TEXT_SIZE 512

// A failure and its text. Texts of up to 511 bytes lie inside; a longer one is
// owned through |long_text|, and if there was no memory for it the beginning
// stands in |text|.
typedef struct berth_error {
  berth_code_t code;
  char text[BERTH_ERROR_TEXT_SIZE];
  char *long_text;
} berth_error_t;

#ifdef __cplusplus
#define BERTH_ERROR_INIT \
  {}
#else
#define BERTH_ERROR_INIT \
  { 0 }
#endif

// Returns the text of |err|, "" when there is none. Borrowed; valid until |err|
// changes.
BERTH_API const char *berth_error_message(const berth_error_t *err);

// Frees what |err| owns and makes it empty. NULL is fine.
BERTH_API void berth_error_clear(berth_error_t *err);

// Returns the name of |code| as logs print it: "INVALID_ARGUMENT".
BERTH_API const char *berth_code_name(berth_code_t code);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_ERROR_H_
