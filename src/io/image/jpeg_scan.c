// jpeg_scan.c - One scan of a JPEG: codes become coefficients.
//
// Bits that a file does not have are zeros until the unit at hand is done; the
// units after it, up to the next restart, keep what they have.
#include <endian.h>
#include <string.h>

#include "base/compiler.h"
#include "io/image/jpeg_internal.h"

// ---- Bits ----

// Takes bytes of which none is special, as many as there is room for; false
// when one may be, or where a file is about to end.
static BERTH_INLINE bool fill_plainly(jpeg_t *j) {
  enum { AHEAD = 8 };
  jpeg_bits_t *b = &j->bits;
  uint64_t bytes;
  if (j->end - j->at < AHEAD || j->marker != 0) return false;
  memcpy(&bytes, j->at, AHEAD);
  // A byte of 0xff is one that is 0 in the complement.
  uint64_t other = ~bytes;
  if (((other - 0x0101010101010101u) & bytes & 0x8080808080808080u) != 0) {
    return false;
  }
  int count = (63 - b->count) >> 3;
  b->held = b->held << (8 * count) | be64toh(bytes) >> (64 - 8 * count);
  b->count += 8 * count;
  j->at += count;
  return true;
}

static void fill_bits(jpeg_t *j) {
  jpeg_bits_t *b = &j->bits;
  if (b->count < 48 && fill_plainly(j)) return;
  while (b->count <= 48 && j->marker == 0 && !j->failed) {
    int c = berth_jpeg_byte(j);
    if (c == 0xff) {
      do {
        c = berth_jpeg_byte(j);
      } while (c == 0xff && !j->failed);
      if (c != 0) {
        j->marker = c;
        return;
      }
      c = 0xff;
    }
    b->held = b->held << 8 | (unsigned)c;
    b->count += 8;
  }
}

// Has at least |count| bits ready, 32 at most; zeros where there are no more.
static void need_bits(jpeg_t *j, int count) {
  if (j->bits.count >= count) return;
  fill_bits(j);
  if (j->bits.count >= count) return;
  j->bits.held <<= 32;
  j->bits.count += 32;
  j->bits.made_up += 32;
}

static void drop_bits(jpeg_t *j, int count) {
  j->bits.count -= count;
  if (j->bits.count >= j->bits.made_up) return;
  j->bits.made_up = j->bits.count;
  j->bits.is_short = true;
}

static int take_bits(jpeg_t *j, int count) {
  if (count == 0) return 0;
  need_bits(j, count);
  drop_bits(j, count);
  return (int)(j->bits.held >> j->bits.count & ((1u << count) - 1));
}

// Returns the symbol of the next code; 0 for one that no symbol has.
static int take_symbol(jpeg_t *j, const jpeg_codes_t *codes) {
  need_bits(j, 17);
  unsigned quick = codes->quick[j->bits.held >> (j->bits.count - JPEG_QUICK) &
                                (JPEG_CODES - 1)];
  if (quick != 0) {
    drop_bits(j, (int)(quick >> 8));
    return (int)(quick & 0xff);
  }
  int size = JPEG_QUICK + 1;
  int32_t code = take_bits(j, size);
  while (size <= 16 && code > codes->last[size]) {
    code = code << 1 | take_bits(j, 1);
    ++size;
  }
  return size > 16 ? 0 : codes->symbols[(code + codes->offset[size]) & 0xff];
}

// Returns the number that the |size| bits |value| stand for; size is not 0.
static BERTH_INLINE int number_of(int value, int size) {
  int is_low = (value >> (size - 1)) - 1;  // All bits, or none.
  return value + (is_low & (1 - (1 << size)));
}

// Returns the number that |size| bits stand for.
static int take_number(jpeg_t *j, int size) {
  return size == 0 ? 0 : number_of(take_bits(j, size), size);
}

// ---- Blocks ----

static void add_level(jpeg_t *j, jpeg_part_t *part) {
  int step = take_number(j, take_symbol(j, &j->dc[part->dc]));
  part->level = (int32_t)((uint32_t)part->level + (uint32_t)step);
}

// Has a symbol and its number ready, whose bits are counted in |*count|.
static BERTH_INLINE void fill_for_number(jpeg_t *j, int *count) {
  enum { MOST = 32 };  // Of a code, 16, and of a number.
  if (BERTH_LIKELY(*count >= MOST)) return;
  drop_bits(j, j->bits.count - *count);
  need_bits(j, MOST);
  *count = j->bits.count;
}

// Returns the symbol of a code that is not among the short ones.
static BERTH_NOINLINE int take_long_symbol(jpeg_t *j, const jpeg_codes_t *codes,
                                           int *count) {
  drop_bits(j, j->bits.count - *count);
  int symbol = take_symbol(j, codes);
  need_bits(j, 16);
  *count = j->bits.count;
  return symbol;
}

// Bits are counted here, and in |j| when a block is done or bits are missing.
static void read_whole(jpeg_t *j, jpeg_part_t *part, int16_t *block) {
  const jpeg_codes_t *codes = &j->ac[part->ac];
  add_level(j, part);
  block[0] = (int16_t)part->level;
  int count = j->bits.count;
  for (int k = 1; k < JPEG_BLOCK; ++k) {
    fill_for_number(j, &count);
    unsigned quick =
        codes->quick[j->bits.held >> (count - JPEG_QUICK) & (JPEG_CODES - 1)];
    int symbol = (int)(quick & 0xff);
    count -= (int)(quick >> 8);
    if (BERTH_UNLIKELY(quick == 0)) {
      symbol = take_long_symbol(j, codes, &count);
    }
    int size = symbol & 15;
    k += symbol >> 4;
    if (size != 0) {
      count -= size;
      int value = (int)(j->bits.held >> count & ((1u << size) - 1));
      block[berth_jpeg_order[k]] = (int16_t)number_of(value, size);
    } else if (symbol >> 4 != 15) {
      break;
    }
  }
  drop_bits(j, j->bits.count - count);
}

static void read_level(jpeg_t *j, jpeg_part_t *part, int16_t *block) {
  if (j->high != 0) {
    if (take_bits(j, 1) != 0) block[0] = (int16_t)(block[0] | 1 << j->low);
    return;
  }
  add_level(j, part);
  block[0] = (int16_t)((uint32_t)part->level << j->low);
}

// Reads how many blocks have nothing more, this one among them.
static void read_run(jpeg_t *j, int size) {
  j->run = 1u << size;
  if (size > 0) j->run += (unsigned)take_bits(j, size);
}

static void read_first(jpeg_t *j, jpeg_part_t *part, int16_t *block) {
  const jpeg_codes_t *codes = &j->ac[part->ac];
  if (j->run > 0) {
    --j->run;
    return;
  }
  for (int k = j->from; k <= j->to; ++k) {
    int symbol = take_symbol(j, codes), size = symbol & 15;
    if (size == 0 && symbol >> 4 != 15) {
      read_run(j, symbol >> 4);
      --j->run;
      return;
    }
    k += symbol >> 4;
    if (size == 0) continue;
    block[berth_jpeg_order[k]] =
        (int16_t)((uint32_t)take_number(j, size) << j->low);
  }
}

// Adds a bit to a coefficient that is there already.
static void refine(jpeg_t *j, int16_t *coef) {
  int one = 1 << j->low;
  if (take_bits(j, 1) == 0 || (*coef & one) != 0) return;
  *coef = (int16_t)(*coef >= 0 ? *coef + one : *coef - one);
}

// Refines coefficients from |k| on and skips |zeros| that are not there.
// Returns where it stopped.
static int refine_over(jpeg_t *j, int16_t *block, int k, int zeros) {
  for (; k <= j->to; ++k) {
    int16_t *coef = &block[berth_jpeg_order[k]];
    if (*coef != 0) {
      refine(j, coef);
    } else if (--zeros < 0) {
      break;
    }
  }
  return k;
}

static void read_more(jpeg_t *j, jpeg_part_t *part, int16_t *block) {
  const jpeg_codes_t *codes = &j->ac[part->ac];
  int k = j->from;
  for (; j->run == 0 && k <= j->to; ++k) {
    int symbol = take_symbol(j, codes), value = 0;
    if ((symbol & 15) != 0) {
      value = take_bits(j, 1) != 0 ? 1 << j->low : -(1 << j->low);
    } else if (symbol >> 4 != 15) {
      read_run(j, symbol >> 4);
      break;
    }
    k = refine_over(j, block, k, symbol >> 4);
    if (value != 0) block[berth_jpeg_order[k]] = (int16_t)value;
  }
  if (j->run == 0) return;
  (void)refine_over(j, block, k, JPEG_BLOCK);
  --j->run;
}

static void read_block(jpeg_t *j, jpeg_part_t *part, int16_t *block) {
  if (!j->is_progressive) {
    read_whole(j, part, block);
  } else if (j->from == 0) {
    read_level(j, part, block);
  } else if (j->high == 0) {
    read_first(j, part, block);
  } else {
    read_more(j, part, block);
  }
}

// ---- Restarts ----

// Decides what a marker means that was not expected: 1 go on behind it, 2 look
// for another one, 3 leave it for later.
static int judge(int marker, int expected) {
  if (marker < 0xc0) return 2;
  if (marker < 0xd0 || marker > 0xd7) return 3;
  int ahead = (marker - 0xd0 - expected) & 7;
  if (ahead == 1 || ahead == 2) return 3;
  return ahead == 6 || ahead == 7 ? 2 : 1;
}

static void resync(jpeg_t *j) {
  while (!j->failed) {
    int what = judge(j->marker, j->next);
    if (what == 3) return;
    j->marker = 0;
    if (what == 1) return;
    berth_jpeg_seek(j);
  }
}

static void restart(jpeg_t *j) {
  j->bits.count = j->bits.made_up = 0;
  if (j->marker == 0) berth_jpeg_seek(j);
  if (j->marker == 0xd0 + j->next) {
    j->marker = 0;
  } else {
    resync(j);
  }
  j->next = (j->next + 1) & 7;
  j->until = j->interval;
  j->run = 0;
  for (int i = 0; i < j->scan_count; ++i) j->scan[i]->level = 0;
  if (j->marker == 0) j->bits.is_short = false;
}

// ---- Units ----

// Returns a block of |part|; NULL where the image has none.
static int16_t *find_block(const jpeg_t *j, jpeg_part_t *part, int64_t x,
                           int64_t y) {
  if (j->is_single) y %= part->v;
  return part->coefs + (y * part->wide + x) * JPEG_BLOCK;
}

static void read_unit(jpeg_t *j, int64_t x, int64_t y) {
  if (j->interval > 0 && j->until == 0) restart(j);
  --j->until;
  if (j->bits.is_short) return;
  if (j->scan_count == 1) {
    read_block(j, j->scan[0], find_block(j, j->scan[0], x, y));
    return;
  }
  for (int i = 0; i < j->scan_count; ++i) {
    jpeg_part_t *part = j->scan[i];
    for (int k = 0; k < part->h * part->v; ++k) {
      read_block(j, part,
                 find_block(j, part, x * part->h + k % part->h,
                            y * part->v + k / part->h));
    }
  }
}

// Transforms a row of units and makes its blocks empty again.
static void finish_row(jpeg_t *j, int64_t row) {
  for (int i = 0; i < j->scan_count; ++i) {
    jpeg_part_t *part = j->scan[i];
    int64_t count = part->wide * part->v * JPEG_BLOCK;
    berth_jpeg_turn(j, part, row, 0);
    memset(part->coefs, 0, (size_t)count * sizeof(*part->coefs));
  }
}

void berth_jpeg_scan(jpeg_t *j) {
  bool is_one = j->scan_count == 1;
  int64_t across = is_one ? j->scan[0]->across : j->units_across;
  int64_t down = is_one ? j->scan[0]->down : j->units_down;
  // A lone component has rows of one block, which make up rows of units.
  int64_t rows = j->is_single && is_one ? j->scan[0]->v : 1;
  j->bits = (jpeg_bits_t){0};
  j->until = j->interval;
  j->next = 0;
  j->run = 0;
  for (int i = 0; i < j->scan_count; ++i) j->scan[i]->level = 0;
  for (int64_t y = 0; y < down && !j->failed; ++y) {
    for (int64_t x = 0; x < across && !j->failed; ++x) read_unit(j, x, y);
    bool is_last = (y + 1) % rows == 0 || y + 1 == down;
    if (j->is_single && is_last && !j->failed) finish_row(j, y / rows);
  }
}
