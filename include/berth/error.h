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
// On failure the other outputs are untouched and there is nothing to free,
// unless a function says otherwise. The text says what was tried and, where
// that helps, what to do; texts that TensorFlow has are TensorFlow's.
//
// Two codes may come from almost every function, whose comment then does not
// name them: BERTH_INVALID_ARGUMENT when a pointer that has to be given is
// NULL, or a count negative, and BERTH_RESOURCE_EXHAUSTED when there is no
// memory.
//
// Threads: an error belongs to one thread at a time.
#ifndef BERTH_ERROR_H_
#define BERTH_ERROR_H_

#include <stddef.h>

// BERTH_API marks what the library exports; BERTH_NODISCARD a function whose
// result has to be looked at.
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

// What kind of failure it is. The numbers and the names without BERTH_ are
// those of TF_Code.
typedef enum berth_code {
  BERTH_OK = 0,
  BERTH_CANCELLED = 1,            // Ended by the program, or a closed session.
  BERTH_UNKNOWN = 2,              // The system failed in a way of its own.
  BERTH_INVALID_ARGUMENT = 3,     // Can never succeed as it was asked.
  BERTH_DEADLINE_EXCEEDED = 4,    // The time that was allowed is over.
  BERTH_NOT_FOUND = 5,            // A name, file or kernel that is not there.
  BERTH_ALREADY_EXISTS = 6,       // Would have to change what is settled.
  BERTH_PERMISSION_DENIED = 7,    // The system does not allow it.
  BERTH_RESOURCE_EXHAUSTED = 8,   // Out of memory, room on a disk, a limit.
  BERTH_FAILED_PRECONDITION = 9,  // Could succeed later: not in this state.
  BERTH_ABORTED = 10,
  BERTH_OUT_OF_RANGE = 11,   // An index, or the end of a queue or data set.
  BERTH_UNIMPLEMENTED = 12,  // TensorFlow can, Berth cannot.
  BERTH_INTERNAL = 13,       // A card that has failed, or a bug of Berth.
  BERTH_UNAVAILABLE = 14,    // A driver or library that is not to be had.
  BERTH_DATA_LOSS = 15,      // Bytes that are cut off or damaged.
  BERTH_UNAUTHENTICATED = 16
} berth_code_t;

#define BERTH_ERROR_TEXT_SIZE 512

// A failure and its text. Texts of up to 511 bytes lie inside; a longer one is
// owned through |long_text|, and if there was no memory for it the beginning
// stands in |text|. Read it with berth_error_message(), which knows.
//
// Begin with BERTH_ERROR_INIT, end with berth_error_clear(). One error serves
// any number of calls: a failure replaces what is there, and after a success it
// means nothing, so the code a function returns counts, not |code|.
typedef struct berth_error {
  berth_code_t code;                 // BERTH_OK: empty.
  char text[BERTH_ERROR_TEXT_SIZE];  // NUL-terminated.
  char *long_text;                   // Owned; NULL: |text| is all.
} berth_error_t;

// An empty error. Zeroed is one too.
#ifdef __cplusplus
#define BERTH_ERROR_INIT \
  {}
#else
#define BERTH_ERROR_INIT \
  { 0 }
#endif

// Returns the text of |err|, "" when there is none or |err| is NULL. Borrowed;
// valid until |err| changes.
BERTH_API const char *berth_error_message(const berth_error_t *err);

// Frees what |err| owns and makes it empty, ready for the next call. NULL is
// fine, and so is one that is empty.
BERTH_API void berth_error_clear(berth_error_t *err);

// Returns the name of |code| as logs print it: "INVALID_ARGUMENT"; "UNKNOWN"
// for a number that is no code. Constant.
BERTH_API const char *berth_code_name(berth_code_t code);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_ERROR_H_
