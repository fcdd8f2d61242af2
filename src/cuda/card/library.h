// library.h - Opening the vendor's libraries, or the software GPU instead.
//
// A library is a list of file names and a list of symbols
// (api/*_symbols.inc), which fill a table of functions. When
// BERTH_SIMULATE_GPUS says so every table comes from libberth-softgpu.so;
// nothing else differs.
//
// Threads: thread-safe.
#ifndef BERTH_CUDA_CARD_LIBRARY_H_
#define BERTH_CUDA_CARD_LIBRARY_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/dynlib.h"
#include "base/error.h"

// A member of a table of functions.
typedef struct berth_symbol {
  const char *name;
  size_t offset;  // In the table.
  bool is_required;
} berth_symbol_t;

// True when BERTH_SIMULATE_GPUS names cards. The first answer stands for the
// life of the process, so that all tables are of one kind.
bool berth_cuda_is_simulated(void);

// Opens |file|, a library that comes with Berth: beside the file that this code
// is in, in the lib folder beside its folder, as in a build tree, or wherever
// the loader looks. Fails with BERTH_UNAVAILABLE, naming it.
BERTH_NODISCARD berth_code_t berth_library_open_own(const char *file,
                                                    berth_dynlib_t **out_lib,
                                                    berth_error_t *err);

// Opens the first of |names| that can be opened (NULL-terminated; the software
// GPU's library instead when simulating) and fills |table|. The library stays
// open as long as the process lives.
//
// Fails with BERTH_UNAVAILABLE when there is none, and with BERTH_UNIMPLEMENTED
// when it is too old to have a required symbol, which is then named.
BERTH_NODISCARD berth_code_t berth_library_load(const char *const *names,
                                                const berth_symbol_t *symbols,
                                                int count, void *table,
                                                berth_error_t *err);

#endif  // BERTH_CUDA_CARD_LIBRARY_H_
