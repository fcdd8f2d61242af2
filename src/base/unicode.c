// unicode.c - Texts of code points.
#include "base/unicode.h"

#include "base/compiler.h"

// The bytes that may follow |first| in UTF-8.
static void second_bytes(unsigned first, unsigned *low, unsigned *high) {
  *low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  *high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
}

int berth_utf8_read(const char *text, size_t size, int32_t *out_char) {
  const unsigned char *at = (const unsigned char *)text;
  int length = 0;
  if (at[0] < 0x80) length = 1;
  if (at[0] >= 0xc2 && at[0] <= 0xdf) length = 2;
  if ((at[0] & 0xf0) == 0xe0) length = 3;
  if (at[0] >= 0xf0 && at[0] <= 0xf4) length = 4;
  int32_t value = length == 1 ? at[0] : at[0] & (0xff >> (length + 1));
  unsigned low = 0, high = 0;
  second_bytes(at[0], &low, &high);
  *out_char = -1;
  for (int i = 1; i < length; ++i) {
    if ((size_t)i >= size || at[i] < low || at[i] > high) return i;
    value = value << 6 | (at[i] & 0x3f);
    low = 0x80;
    high = 0xbf;
  }
  if (length == 0) return 1;
  *out_char = value;
  return length;
}

void berth_utf8_put(berth_str_t *str, int32_t c) {
  if (c < 0x80) {
    berth_str_putc(str, (char)c);
  } else if (c < 0x800) {
    berth_str_putc(str, (char)(0xc0 | c >> 6));
  } else if (c < 0x10000) {
    berth_str_putc(str, (char)(0xe0 | c >> 12));
    berth_str_putc(str, (char)(0x80 | (c >> 6 & 0x3f)));
  } else {
    berth_str_putc(str, (char)(0xf0 | c >> 18));
    berth_str_putc(str, (char)(0x80 | (c >> 12 & 0x3f)));
    berth_str_putc(str, (char)(0x80 | (c >> 6 & 0x3f)));
  }
  if (c >= 0x80) berth_str_putc(str, (char)(0x80 | (c & 0x3f)));
}

size_t berth_utf8_count(const char *text, size_t size) {
  size_t count = 0;
  for (size_t i = 0; i < size; ++i) count += (text[i] & 0xc0) != 0x80;
  return count;
}

// ---- Cases ----

// Letters from |first| to |last|, every |step|-th: |distance| away.
typedef struct run {
  int32_t first, last, step, distance;
} run_t;

static const run_t lower_runs[] = {
#define LOWER(first, last, step, distance) {first, last, step, distance},
#include "base/case_table.inc"
#undef LOWER
};

static const run_t upper_runs[] = {
#define UPPER(first, last, step, distance) {first, last, step, distance},
#include "base/case_table.inc"
#undef UPPER
};

static int32_t change(const run_t *runs, int count, int32_t c) {
  int low = 0, high = count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (runs[middle].last < c) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const run_t *run = &runs[low];
  bool is_in =
      low < count && c >= run->first && (c - run->first) % run->step == 0;
  return is_in ? c + run->distance : c;
}

int32_t berth_char_lower(int32_t c) {
  return change(lower_runs, BERTH_COUNT_OF(lower_runs), c);
}

int32_t berth_char_upper(int32_t c) {
  return change(upper_runs, BERTH_COUNT_OF(upper_runs), c);
}

static bool has_case(int32_t c) {
  return c >= 0 && (berth_char_lower(c) != c || berth_char_upper(c) != c);
}

enum { CAPITAL_SIGMA = 0x3a3, SIGMA = 0x3c3, LAST_SIGMA = 0x3c2 };

bool berth_text_lower(const char *text, size_t size, berth_str_t *str,
                      int32_t *out_char) {
  bool was_letter = false;
  for (size_t i = 0; i < size;) {
    int32_t c = 0, next = -1;
    i += (size_t)berth_utf8_read(text + i, size - i, &c);
    if (i < size) berth_utf8_read(text + i, size - i, &next);
    bool is_last = was_letter && !has_case(next);
    was_letter = has_case(c);
    if (c == 0x130) {  // With a dot that stays: two characters.
      *out_char = c;
      return false;
    }
    if (c == CAPITAL_SIGMA) {
      berth_utf8_put(str, is_last ? LAST_SIGMA : SIGMA);
    } else {
      berth_utf8_put(str, c < 0 ? 0xfffd : berth_char_lower(c));
    }
  }
  return true;
}

// True for a small letter that has no capital of one character.
static bool is_unpaired(int32_t c) {
  static const int32_t ranges[][2] = {
      {0x149, 0x149},   {0x1f0, 0x1f0},   {0x390, 0x390},   {0x3b0, 0x3b0},
      {0x587, 0x587},   {0x1e96, 0x1e9a}, {0x1f50, 0x1f56}, {0x1f80, 0x1faf},
      {0x1fb2, 0x1fb7}, {0x1fbc, 0x1fbc}, {0x1fc2, 0x1fcc}, {0x1fd2, 0x1fd7},
      {0x1fe2, 0x1fe7}, {0x1ff2, 0x1ffc}, {0xfb00, 0xfb17}};
  for (int i = 0; i < BERTH_COUNT_OF(ranges); ++i) {
    if (c >= ranges[i][0] && c <= ranges[i][1]) {
      return berth_char_upper(c) == c;
    }
  }
  return false;
}

bool berth_text_upper(const char *text, size_t size, berth_str_t *str,
                      int32_t *out_char) {
  for (size_t i = 0; i < size;) {
    int32_t c = 0;
    i += (size_t)berth_utf8_read(text + i, size - i, &c);
    if (c == 0xdf) {
      berth_str_puts(str, "SS");
    } else if (is_unpaired(c)) {
      *out_char = c;
      return false;
    } else {
      berth_utf8_put(str, c < 0 ? 0xfffd : berth_char_upper(c));
    }
  }
  return true;
}

// ---- Scripts ----

int32_t berth_char_script(int32_t c) {
  // Where runs of one script begin: the first character times 256, the script.
  static const uint32_t runs[] = {
#include "base/script_table.inc"
  };
  int low = 0, high = BERTH_COUNT_OF(runs);
  if (c < 0 || c > 0x10ffff) return -1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if ((int32_t)(runs[middle] >> 8) <= c) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (int32_t)(runs[low] & 0xff);
}
