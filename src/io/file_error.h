// file_error.h - What the operating system says about files.
#ifndef BERTH_IO_FILE_ERROR_H_
#define BERTH_IO_FILE_ERROR_H_

#include "base/error.h"

// Describes the failure |number| (an errno) as "|what|: No such file or
// directory" and returns its code: BERTH_NOT_FOUND, BERTH_PERMISSION_DENIED,
// BERTH_RESOURCE_EXHAUSTED (a full disk, no more descriptors),
// BERTH_INVALID_ARGUMENT (a name that cannot be one), BERTH_UNKNOWN.
berth_code_t berth_file_error(berth_error_t *err, int number, const char *what);

// Returns what somebody who writes a file can do about the failure |number|, as
// the end of a sentence; NULL when there is nothing to say.
const char *berth_file_advice(int number);

#endif  // BERTH_IO_FILE_ERROR_H_
