// image.c - The compiled kernels that are built into Berth.
#include "cuda/code/image.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "cuda/card/library.h"
#include "cuda/code/image_internal.h"

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
static const berth_cuda_packed_t *image_find(const char *module, int cc_major,
                                             int cc_minor) {
  const berth_cuda_packed_t *best = NULL;
  for (const berth_cuda_packed_t *i = berth_cuda_packed; i->module != NULL;
       ++i) {
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
  const berth_cuda_packed_t *image = image_find(module, cc_major, cc_minor);
  const char *why = berth_cuda_left_out;
  if (image == NULL && why[0] != '\0' && berth_cuda_is_simulated()) {
    return any_image(out_image, err);
  }
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
