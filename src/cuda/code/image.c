// image.c - Berth's compiled kernels.
#include "cuda/code/image.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/dynlib.h"
#include "base/fork.h"
#include "base/thread.h"
#include "cuda/card/library.h"
#include "cuda/code/image_internal.h"

#define IMAGES_FILE "libberth-cuda.so"

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards what follows.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LIBRARY)
static const berth_cuda_packed_t *packed = NULL;
static const char *left_out = NULL;

// Opens the file. The lock is held.
static berth_code_t images_load(berth_error_t *err) {
  berth_dynlib_t *lib = NULL;
  BERTH_TRY(berth_library_open_own(IMAGES_FILE, &lib, err));
  packed = berth_dynlib_find(lib, "berth_cuda_packed");
  left_out = berth_dynlib_find(lib, "berth_cuda_left_out");
  if (packed != NULL && left_out != NULL) {
    berth_dynlib_keep(lib);
    return BERTH_OK;
  }
  packed = NULL;
  berth_code_t code = berth_error_set(err, BERTH_UNAVAILABLE,
                                      "%s holds no GPU kernels of Berth's",
                                      berth_dynlib_name(lib));
  berth_dynlib_close(lib);
  return code;
}

berth_code_t berth_cuda_images_open(const berth_cuda_packed_t **out_packed,
                                    const char **out_left_out,
                                    berth_error_t *err) {
  berth_mutex_lock(&lock);
  berth_code_t code = packed != NULL ? BERTH_OK : images_load(err);
  *out_packed = packed;
  *out_left_out = left_out;
  berth_mutex_unlock(&lock);
  if (code != BERTH_OK) {
    berth_error_prepend(err, "GPU kernels, which lie beside libberth: ");
  }
  return code;
}

// True when |image| runs on a card of that compute capability. Machine code
// does for later chips of the same generation, PTX for everything newer than
// what it is written for.
static bool image_suits(const berth_cuda_packed_t *image, int cc_major,
                        int cc_minor) {
  if (image->chip == 0) return true;
  return image->chip / 10 == cc_major && image->chip % 10 <= cc_minor;
}

// Returns the best image of |module|: the newest machine code that fits, then
// PTX; NULL when there is none.
static const berth_cuda_packed_t *image_find(const berth_cuda_packed_t *images,
                                             const char *module, int cc_major,
                                             int cc_minor) {
  const berth_cuda_packed_t *best = NULL;
  for (const berth_cuda_packed_t *i = images; i->module != NULL; ++i) {
    if (strcmp(i->module, module) != 0) continue;
    if (!image_suits(i, cc_major, cc_minor)) continue;
    if (best == NULL || i->chip > best->chip) best = i;
  }
  return best;
}

// The software GPU has the kernels itself and only wants to see an image.
static berth_code_t any_image(void **out_image, berth_error_t *err) {
  *out_image = berth_strdup(
      ".version 6.0\n.target sm_70\n.address_size 64\n"
      ".visible .entry berth_nothing() {\n  ret;\n}\n");
  if (*out_image == NULL) return berth_error_no_memory(err, "GPU kernels");
  return BERTH_OK;
}

berth_code_t berth_cuda_image(const char *module, int cc_major, int cc_minor,
                              void **out_image, berth_error_t *err) {
  const berth_cuda_packed_t *images = NULL;
  const char *why = NULL;
  if (cc_major > 0 && berth_cuda_is_simulated()) {
    return any_image(out_image, err);
  }
  BERTH_TRY(berth_cuda_images_open(&images, &why, err));
  const berth_cuda_packed_t *image =
      image_find(images, module, cc_major, cc_minor);
  if (image == NULL) {
    return berth_error_set(err, BERTH_NOT_FOUND,
                           "There are no GPU kernels \"%s\"%s%s", module,
                           why[0] != '\0' ? ": " : "", why);
  }
  // PTX is text, and the driver reads up to its final zero.
  unsigned char *bytes = berth_alloc(image->size + 1);
  if (bytes == NULL) return berth_error_no_memory(err, "GPU kernels");
  uLongf size = (uLongf)image->size;
  int result =
      uncompress(bytes, &size, image->bytes, (uLong)image->packed_size);
  if (result != Z_OK || size != image->size) {
    berth_free(bytes);
    return berth_error_set(err, BERTH_DATA_LOSS,
                           "GPU kernels \"%s\" cannot be unpacked (zlib: %d)",
                           module, result);
  }
  bytes[size] = '\0';
  *out_image = bytes;
  return BERTH_OK;
}
