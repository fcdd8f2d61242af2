// vendor.c - The vendor's libraries that Berth can do without.
#include "cuda/card/vendor.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/env.h"
#include "base/fork.h"

enum { MAX_NAMES = 16, PATH_SIZE = 4096 };

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards states and tables.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LIBRARY)

// Adds to |found| what matches |wanted| in Python's packages: those that Berth
// itself is among, and those of the environment that is active.
static void find_in_packages(const char *wanted, glob_t *found) {
  static const char *const variables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
  char folder[PATH_SIZE - 128], pattern[PATH_SIZE];
  int flags = 0;
  if (berth_dynlib_own_folder(folder, sizeof(folder))) {
    snprintf(pattern, sizeof(pattern), "%s/../%s", folder, wanted);
    // Nothing found, or no memory for it, leaves |found| as it was.
    (void)glob(pattern, 0, NULL, found);
    flags = GLOB_APPEND;
  }
  for (int i = 0; i < BERTH_COUNT_OF(variables); ++i) {
    const char *prefix = berth_env_get(variables[i]);
    // Only a whole path: no library comes from the current folder.
    if (prefix == NULL || prefix[0] != '/' || strlen(prefix) >= sizeof(folder))
      continue;
    snprintf(pattern, sizeof(pattern), "%s/lib/python3*/site-packages/%s",
             prefix, wanted);
    (void)glob(pattern, flags, NULL, found);
    flags = GLOB_APPEND;
  }
}

// Opens what the loader finds, newest first, or else what Python has.
static berth_code_t load(const berth_vendor_t *vendor, berth_error_t *err) {
  const char *names[MAX_NAMES] = {NULL};
  glob_t found = {0};
  size_t count = 0;
  for (; vendor->names[count] != NULL; ++count) {
    names[count] = vendor->names[count];
  }
  if (!berth_cuda_is_simulated()) find_in_packages(vendor->in_packages, &found);
  for (size_t i = 0; i < found.gl_pathc && count < MAX_NAMES - 1; ++i) {
    names[count++] = found.gl_pathv[i];
  }
  berth_code_t code = berth_library_load(names, vendor->symbols, vendor->count,
                                         vendor->table, err);
  globfree(&found);
  if (code == BERTH_OK && vendor->check != NULL) code = vendor->check(err);
  return code;
}

// True when |list| has |word| between its commas.
static bool has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; at != NULL; at = strchr(at, ',')) {
    if (*at == ',') ++at;
    if (strncmp(at, word, length) == 0 &&
        (at[length] == ',' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

static berth_code_t load_if_wanted(const berth_vendor_t *vendor,
                                   berth_error_t *err) {
  const char *wanted = berth_env_get("BERTH_GPU_LIBRARIES");
  if (wanted != NULL && wanted[0] != '\0' && !has_word(wanted, vendor->word)) {
    return berth_error_set(err, BERTH_UNAVAILABLE,
                           "BERTH_GPU_LIBRARIES=%s turns %s off", wanted,
                           vendor->title);
  }
  return load(vendor, err);
}

// Lock held.
static berth_code_t open_once(berth_vendor_t *vendor, berth_error_t *err) {
  if (vendor->state == BERTH_VENDOR_READY) return BERTH_OK;
  if (vendor->state == BERTH_VENDOR_CLOSED) {
    berth_error_t reason = BERTH_ERROR_INIT;
    berth_code_t code = load_if_wanted(vendor, &reason);
    if (code == BERTH_RESOURCE_EXHAUSTED) return berth_error_move(err, &reason);
    vendor->state = code == BERTH_OK ? BERTH_VENDOR_READY : BERTH_VENDOR_FAILED;
    if (code == BERTH_OK) return BERTH_OK;
    berth_error_move(&vendor->problem, &reason);
  }
  return berth_error_set_text(err, BERTH_UNAVAILABLE,
                              berth_error_message(&vendor->problem));
}

berth_code_t berth_vendor_open(berth_vendor_t *vendor, berth_error_t *err) {
  berth_mutex_lock(&lock);
  berth_code_t code = open_once(vendor, err);
  berth_mutex_unlock(&lock);
  return code;
}
