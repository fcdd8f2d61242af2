// png_internal.h - What the parts of the PNG reader share.
#ifndef BERTH_IO_IMAGE_PNG_INTERNAL_H_
#define BERTH_IO_IMAGE_PNG_INTERNAL_H_

#include "io/image/image.h"

enum { PNG_GRAY = 0, PNG_RGB = 2, PNG_PALETTE = 3 };
enum { PNG_COLOR = 2, PNG_ALPHA = 4 };  // Bits of a kind.

// What stands before the pixels, and what is wanted.
typedef struct png {
  int64_t width, height;
  int depth, kind;  // Bits of a sample; what samples are.
  bool is_interlaced;
  uint8_t palette[256][3];
  int palette_size;
  uint8_t alphas[256];  // Of the palette.
  int key_size;         // Entries of |alphas|, or samples of |key|; 0: none.
  int key[3];           // The colour that is transparent.
  int64_t gamma;        // Times 100,000; 0: not said.
  bool has_gamma_of_srgb, has_profile;
  // What comes out.
  int channels, bits;
  uint8_t *to_light, *from_light;  // Tables for mixing colours; NULL: plain.
} png_t;

// Returns how many samples a pixel has in the file.
int berth_png_samples(const png_t *png);

// Writes |count| pixels of a row: pixel |i| goes to |out| + |i| * |step| bytes.
void berth_png_convert(const png_t *png, const uint8_t *row, int64_t count,
                       uint8_t *out, int64_t step);

#endif  // BERTH_IO_IMAGE_PNG_INTERNAL_H_
