// jpeg_internal.h - What the parts of the JPEG reader, and the writer, share.
//
//   jpeg_read.c      markers, tables, scans; the whole
//   jpeg_scan.c      one scan: Huffman codes become coefficients
//   jpeg_turn.c      a block of coefficients becomes samples
//   jpeg_pixels.c    samples become pixels: interpolation, colours
//
// The writer has its own file, jpeg_write.c.
//
// The arithmetic is that of libjpeg-turbo, whose transforms work in numbers of
// 16 bits that wrap around.
#ifndef BERTH_IO_IMAGE_JPEG_INTERNAL_H_
#define BERTH_IO_IMAGE_JPEG_INTERNAL_H_

#include <string.h>

#include "base/compiler.h"
#include "io/image/image.h"

enum {
  JPEG_PARTS = 4,
  JPEG_BLOCK = 64,
  JPEG_QUICK = 9,  // Bits of a code that is looked up at once.
  JPEG_CODES = 1 << JPEG_QUICK,
};

// A Huffman table, ready to look codes up.
typedef struct jpeg_codes {
  bool is_there;
  uint8_t counts[17];    // Codes of each length.
  uint8_t symbols[256];  // In the order of codes.
  int32_t last[18];      // The largest code of each length; -1: none.
  int32_t offset[18];    // From a code to its symbol.
  // By the first bits: length << 8 | symbol; 0: longer.
  uint16_t quick[JPEG_CODES];
} jpeg_codes_t;

// One component.
typedef struct jpeg_part {
  int id, h, v, table;  // As the frame has them.
  int dc, ac;           // Tables of the scan at hand.
  bool has_scale;       // |scale| was taken from its table.
  // What a coefficient is multiplied by, in natural order.
  int16_t scale[JPEG_BLOCK];
  int side;                 // Samples of a block after the transform.
  int64_t across, down;     // Blocks that carry the image.
  int64_t wide, tall;       // Blocks that are kept: whole units.
  int16_t *coefs;           // |wide| times |tall| blocks, or one row of units.
  uint8_t *samples;         // |wide| times |tall| blocks of side by side.
  int32_t level;            // Of the last block.
  int8_t bits[JPEG_BLOCK];  // Progressive: what is still missing; -1: all.
} jpeg_part_t;

// Bits of a scan.
typedef struct jpeg_bits {
  uint64_t held;
  int count;
  int made_up;    // Of these, zeros that the file does not have.
  bool is_short;  // Some of them were used.
} jpeg_bits_t;

typedef struct jpeg {
  const uint8_t *at, *end;
  const berth_jpeg_options_t *options;
  bool failed;  // The file is wrong.
  int marker;   // Met and not yet dealt with; 0: none.
  // The frame.
  bool has_frame, is_progressive, has_jfif, has_adobe;
  int adobe, count, max_h, max_v;
  int64_t height, width;
  int64_t units_across, units_down;
  jpeg_part_t parts[JPEG_PARTS];
  uint16_t tables[4][JPEG_BLOCK];
  bool has_table[4];
  jpeg_codes_t dc[4], ac[4];
  int interval;  // Units between restarts; 0: none.
  // The scan.
  int scan_count;
  jpeg_part_t *scan[JPEG_PARTS];
  int from, to, high, low;
  bool is_single;  // The only scan: rows are transformed as they come.
  jpeg_bits_t bits;
  int64_t until;  // Units before the next restart.
  int next;       // The restart that is expected.
  uint32_t run;   // Blocks without more coefficients.
  // The output.
  int side;  // Of the smallest blocks.
  int64_t out_height, out_width;
} jpeg_t;

// The place of a coefficient in its block, by its place in the file. Longer
// than a block: what runs over falls on the last one.
extern const uint8_t berth_jpeg_order[JPEG_BLOCK + 16];

// A row of a block.
typedef int16_t jpeg_row_t __attribute__((vector_size(16)));

// Turns a block over: rows become columns. Taking turns between rows whose
// numbers differ by four, three times, does that.
static BERTH_INLINE void berth_jpeg_flip(int16_t *block) {
  jpeg_row_t rows[8], other[8];
  memcpy(rows, block, sizeof(rows));
  for (int pass = 0; pass < 3; ++pass) {
    for (int i = 0; i < 4; ++i) {
      jpeg_row_t a = rows[i], b = rows[i + 4];
      other[2 * i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
      other[2 * i + 1] =
          __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    }
    memcpy(rows, other, sizeof(rows));
  }
  memcpy(block, rows, sizeof(rows));
}

// Returns the next byte; marks |jpeg| as failed where there is none.
int berth_jpeg_byte(jpeg_t *jpeg);

// Looks for the next marker, leaves it in |jpeg->marker|.
void berth_jpeg_seek(jpeg_t *jpeg);

// Fills |part->scale| from a quantisation table.
void berth_jpeg_scale(const jpeg_t *jpeg, jpeg_part_t *part,
                      const uint16_t *table);

// Reads the codes of the scan that the header has announced.
void berth_jpeg_scan(jpeg_t *jpeg);

// Transforms the rows of blocks of unit |row| of |part|, which lie in its
// |coefs| from row |begin| of blocks on.
void berth_jpeg_turn(const jpeg_t *jpeg, jpeg_part_t *part, int64_t row,
                     int64_t begin);

// Writes the pixels, |channels| each.
BERTH_NODISCARD berth_code_t berth_jpeg_pixels(const jpeg_t *jpeg, int channels,
                                               uint8_t *out,
                                               berth_error_t *err);

#endif  // BERTH_IO_IMAGE_JPEG_INTERNAL_H_
