// dynlib.h - Opening shared libraries at run time.
//
// A library is a list of file names to try, newest first, and a table of
// symbols. What was tried is part of the error.
//
// Thread-safe, but callers open a library once and keep it.
#ifndef BERTH_BASE_DYNLIB_H_
#define BERTH_BASE_DYNLIB_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct berth_dynlib berth_dynlib_t;

// Opens the first of |names| (NULL-terminated) that can be opened. Fails with
// BERTH_UNAVAILABLE and the reasons of all.
BERTH_NODISCARD berth_code_t berth_dynlib_open(const char *const *names,
                                               berth_dynlib_t **out_lib,
                                               berth_error_t *err);

// Returns the file name that was opened. Borrowed.
const char *berth_dynlib_name(const berth_dynlib_t *lib);

// Returns the address of |symbol|, or NULL.
void *berth_dynlib_find(berth_dynlib_t *lib, const char *symbol);

// Closes |lib|. NULL is fine.
void berth_dynlib_close(berth_dynlib_t *lib);

// Frees |lib|, but leaves the library open as long as the process lives.
void berth_dynlib_keep(berth_dynlib_t *lib);

// Writes the folder of the file that this very code is in, a library or a
// program, to |folder|: a whole path, whatever the current folder is. False
// when it is not known.
bool berth_dynlib_own_folder(char *folder, size_t size);

#endif  // BERTH_BASE_DYNLIB_H_
