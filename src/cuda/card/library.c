// library.c - Opening the vendor's libraries, or the software GPU instead.
#include "cuda/card/library.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/dynlib.h"
#include "base/env.h"

#define SOFTGPU_FILE "libberth-softgpu.so"

enum { PATH_SIZE = 4096 };

// True when the machine's own cards are not to be seen, and no others either.
static bool are_hidden(void) {
  const char *spec = berth_env_get("BERTH_SIMULATE_GPUS");
  return spec != NULL && strcmp(spec, "none") == 0;
}

bool berth_cuda_is_simulated(void) {
  static atomic_int answer = -1;
  int known = atomic_load(&answer);
  if (known >= 0) return known == 1;
  const char *spec = berth_env_get("BERTH_SIMULATE_GPUS");
  int now = spec != NULL && spec[0] != '\0' && !are_hidden() ? 1 : 0;
  // Whoever comes first decides.
  return atomic_compare_exchange_strong(&answer, &known, now) ? now == 1
                                                              : known == 1;
}

berth_code_t berth_library_open_own(const char *file, berth_dynlib_t **out_lib,
                                    berth_error_t *err) {
  char folder[PATH_SIZE - 64], beside[PATH_SIZE], in_lib[PATH_SIZE];
  const char *const names[] = {beside, in_lib, file, NULL};
  bool is_known = berth_dynlib_own_folder(folder, sizeof(folder));
  if (is_known) {
    snprintf(beside, sizeof(beside), "%s/%s", folder, file);
    snprintf(in_lib, sizeof(in_lib), "%s/../lib/%s", folder, file);
  }
  return berth_dynlib_open(is_known ? names : names + 2, out_lib, err);
}

static berth_code_t fill(berth_dynlib_t *lib, const berth_symbol_t *symbols,
                         int count, void *table, berth_error_t *err) {
  for (int i = 0; i < count; ++i) {
    void *address = berth_dynlib_find(lib, symbols[i].name);
    if (address == NULL && symbols[i].is_required) {
      return berth_error_set(err, BERTH_UNIMPLEMENTED,
                             "%s has no %s: the driver is too old",
                             berth_dynlib_name(lib), symbols[i].name);
    }
    memcpy((char *)table + symbols[i].offset, &address, sizeof(address));
  }
  return BERTH_OK;
}

berth_code_t berth_library_load(const char *const *names,
                                const berth_symbol_t *symbols, int count,
                                void *table, berth_error_t *err) {
  berth_dynlib_t *lib = NULL;
  if (are_hidden()) {
    return berth_error_set(err, BERTH_UNAVAILABLE,
                           "BERTH_SIMULATE_GPUS=none hides all GPUs");
  }
  bool is_simulated = berth_cuda_is_simulated();
  berth_code_t code = is_simulated
                          ? berth_library_open_own(SOFTGPU_FILE, &lib, err)
                          : berth_dynlib_open(names, &lib, err);
  if (code == BERTH_OK) code = fill(lib, symbols, count, table, err);
  if (code != BERTH_OK) {
    berth_dynlib_close(lib);
  } else {
    berth_dynlib_keep(lib);
  }
  return code;
}
