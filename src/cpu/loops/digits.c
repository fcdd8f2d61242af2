// digits.c - Numbers as decimal digits and back, the quick way.
#include "cpu/loops/digits.h"

#include <math.h>
#include <string.h>

#include "base/compiler.h"

__extension__ typedef unsigned __int128 wide_t;

enum {
  MANTISSA = 53,
  MOST_TENS = 22,       // Powers of ten that are doubles, and 74 bits at most.
  MOST_DIGITS = 17,     // That are written behind each other.
  MOST_EXPONENT = 100,  // Of two, of the leading bit.
  EXACT_DIGITS = 19,    // That a number of 64 bits holds.
};

static wide_t power_of_ten(int n) {
  static const uint64_t powers[] = {UINT64_C(1),
                                    UINT64_C(10),
                                    UINT64_C(100),
                                    UINT64_C(1000),
                                    UINT64_C(10000),
                                    UINT64_C(100000),
                                    UINT64_C(1000000),
                                    UINT64_C(10000000),
                                    UINT64_C(100000000),
                                    UINT64_C(1000000000),
                                    UINT64_C(10000000000),
                                    UINT64_C(100000000000),
                                    UINT64_C(1000000000000),
                                    UINT64_C(10000000000000),
                                    UINT64_C(100000000000000),
                                    UINT64_C(1000000000000000),
                                    UINT64_C(10000000000000000),
                                    UINT64_C(100000000000000000),
                                    UINT64_C(1000000000000000000),
                                    UINT64_C(10000000000000000000)};
  enum { LAST = sizeof(powers) / sizeof(powers[0]) - 1 };
  return n <= LAST ? (wide_t)powers[n]
                   : (wide_t)powers[LAST] * (wide_t)powers[n - LAST];
}

// ---- Writing ----

// A number as |mantissa| times two to the |exponent|.
typedef struct parts {
  uint64_t mantissa;  // Below 2^53.
  int exponent;
} parts_t;

static parts_t parts_of(double value) {
  int exponent = 0;
  double fraction = frexp(value, &exponent);
  return (parts_t){(uint64_t)ldexp(fraction, MANTISSA), exponent - MANTISSA};
}

// Returns |above| / |below|, rounded to the nearest, halves to even.
static wide_t divide(wide_t above, wide_t below) {
  wide_t whole = above / below, rest = above % below;
  wide_t other = below - rest;
  return whole + (rest > other || (rest == other && (whole & 1) != 0) ? 1 : 0);
}

// The same for a divisor of two to the |shift|.
static wide_t shift_down(wide_t above, int shift) {
  if (shift == 0) return above;
  if (shift > 127) return 0;  // |above| is below 2^127: less than a half.
  wide_t whole = above >> shift, half = (wide_t)1 << (shift - 1);
  wide_t rest = above & ((half << 1) - 1);
  return whole + (rest > half || (rest == half && (whole & 1) != 0) ? 1 : 0);
}

// Stores |parts| times ten to the |tens|, rounded; false where that is too much.
static bool scale(parts_t parts, int tens, wide_t *out) {
  if (tens > MOST_TENS || tens < -(EXACT_DIGITS - 1)) return false;
  if (tens >= 0) {
    wide_t whole = (wide_t)parts.mantissa * power_of_ten(tens);
    if (parts.exponent <= 0) {
      *out = shift_down(whole, -parts.exponent);
      return true;
    }
    if (parts.exponent > 64 || whole >> (127 - parts.exponent) != 0) {
      return false;
    }
    *out = whole << parts.exponent;
    return true;
  }
  wide_t ten = power_of_ten(-tens), mantissa = parts.mantissa;
  if (parts.exponent > 127 - MANTISSA || parts.exponent < -60) return false;
  *out = parts.exponent >= 0 ? divide(mantissa << parts.exponent, ten)
                             : divide(mantissa, ten << -parts.exponent);
  return true;
}

// Writes |digits| digits of |value|, with zeros in front.
static void put_digits(uint64_t value, int digits, char *out) {
  for (int i = digits - 1; i >= 0; --i) {
    out[i] = (char)('0' + value % 10);
    value /= 10;
  }
}

static int count_digits(uint64_t value) {
  int count = 1;
  for (; value >= 10; value /= 10) ++count;
  return count;
}

static size_t write_fixed(parts_t parts, int precision, char *out) {
  wide_t scaled = 0, ten = power_of_ten(precision);
  if (!scale(parts, precision, &scaled)) return 0;
  // Dividing two words is slow, and most are one.
  bool is_short = scaled >> 64 == 0;
  wide_t high = is_short ? (uint64_t)scaled / (uint64_t)ten : scaled / ten;
  if (high >> 63 != 0) return 0;
  uint64_t whole = (uint64_t)high;
  int digits = count_digits(whole);
  put_digits(whole, digits, out);
  if (precision == 0) return (size_t)digits;
  out[digits] = '.';
  put_digits((uint64_t)(scaled - high * ten), precision, out + digits + 1);
  return (size_t)(digits + 1 + precision);
}

// Stores |count| digits of |parts|, not 0, and the power of ten of the first.
static bool find_digits(parts_t parts, int count, uint64_t *out_digits,
                        int *out_tens) {
  int leading = parts.exponent + MANTISSA - 1;
  if (leading > MOST_EXPONENT || leading < -MOST_EXPONENT) return false;
  // Log10(2), so that the first guess is the power or one less.
  int tens = (leading * 315653) >> 20;
  wide_t digits = 0;
  if (!scale(parts, count - 1 - tens, &digits)) return false;
  if (digits >= power_of_ten(count)) {
    ++tens;
    if (!scale(parts, count - 1 - tens, &digits)) return false;
  }
  *out_digits = (uint64_t)digits;
  *out_tens = tens;
  return true;
}

static size_t put_exponent(int tens, char *out) {
  int size = tens < 0 ? -tens : tens;
  out[0] = 'e';
  out[1] = tens < 0 ? '-' : '+';
  put_digits((uint64_t)size, 2, out + 2);  // At most 31.
  return 4;
}

static size_t write_scientific(uint64_t digits, int count, int tens,
                               char *out) {
  put_digits(digits, count, out + 1);
  out[0] = out[1];
  out[1] = '.';
  size_t size = count > 1 ? (size_t)count + 1 : 1;
  return size + put_exponent(tens, out + size);
}

// The shorter one, without zeros at the end.
static size_t write_general(uint64_t digits, int count, int tens, char *out) {
  int shown = count;
  for (; shown > 1 && digits % 10 == 0; digits /= 10) --shown;
  if (tens < -4 || tens >= count) {
    return write_scientific(digits, shown, tens, out);
  }
  if (tens < 0) {
    memset(out, '0', (size_t)(1 - tens));
    out[1] = '.';
    put_digits(digits, shown, out + 1 - tens);
    return (size_t)(1 - tens + shown);
  }
  if (shown <= tens + 1) {
    put_digits(digits, shown, out);
    memset(out + shown, '0', (size_t)(tens + 1 - shown));
    return (size_t)(tens + 1);
  }
  put_digits(digits, shown, out + 1);
  memmove(out, out + 1, (size_t)(tens + 1));
  out[tens + 1] = '.';
  return (size_t)(shown + 1);
}

static size_t write_positive(double value, char notation, int precision,
                             char *out) {
  parts_t parts = parts_of(value);
  if (notation == 'f') return write_fixed(parts, precision, out);
  int count = notation == 'e' ? precision + 1 : precision > 0 ? precision : 1;
  uint64_t digits = 0;
  int tens = 0;
  if (value != 0 && !find_digits(parts, count, &digits, &tens)) return 0;
  return notation == 'e' ? write_scientific(digits, count, tens, out)
                         : write_general(digits, count, tens, out);
}

size_t berth_digits_write(double value, char notation, int precision,
                          char *out) {
  if (!isfinite(value) || precision < 0 || precision >= MOST_DIGITS) return 0;
  bool is_negative = signbit(value) != 0;
  if (is_negative) *out = '-';
  size_t size =
      write_positive(fabs(value), notation, precision, out + is_negative);
  return size > 0 ? size + is_negative : 0;
}

size_t berth_digits_write_int(int64_t value, char *out) {
  bool is_negative = value < 0;
  uint64_t size = is_negative ? 0 - (uint64_t)value : (uint64_t)value;
  int digits = count_digits(size);
  if (is_negative) *out = '-';
  put_digits(size, digits, out + is_negative);
  return (size_t)digits + is_negative;
}

// ---- Reading ----

// Reads digits from |*at| on behind |*value|; returns how many there were.
static int read_digits(const char **at, const char *end, uint64_t *value) {
  const char *first = *at;
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
    *value = *value * 10 + (uint64_t)(**at - '0');
  }
  return end - first > BERTH_DIGITS_ROOM ? BERTH_DIGITS_ROOM
                                         : (int)(*at - first);
}

// Reads an exponent, if there is one; false where it is none.
static bool read_exponent(const char **at, const char *end, int *tens) {
  if (*at == end) return true;
  if (**at != 'e' && **at != 'E') return false;
  ++*at;
  bool is_negative = *at < end && **at == '-';
  if (*at < end && (**at == '-' || **at == '+')) ++*at;
  uint64_t value = 0;
  int digits = read_digits(at, end, &value);
  if (digits < 1 || digits > 3) return false;
  *tens += is_negative ? -(int)value : (int)value;
  return *at == end;
}

bool berth_digits_read(const char *text, size_t size, double *out) {
  static const double powers[] = {
      1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char *at = text, *end = text + size;
  bool is_negative = at < end && *at == '-';
  if (is_negative) ++at;
  uint64_t value = 0;
  int digits = read_digits(&at, end, &value), tens = 0;
  if (at < end && *at == '.') {
    ++at;
    int more = read_digits(&at, end, &value);
    digits += more;
    tens = -more;
  }
  if (digits < 1 || digits > EXACT_DIGITS || !read_exponent(&at, end, &tens)) {
    return false;
  }
  // Both are doubles, and one operation rounds once.
  if (value >> MANTISSA != 0 || tens > MOST_TENS || tens < -MOST_TENS) {
    return false;
  }
  double read =
      tens < 0 ? (double)value / powers[-tens] : (double)value * powers[tens];
  *out = is_negative ? -read : read;
  return true;
}

bool berth_digits_read_float(const char *text, size_t size, float *out) {
  double wide = 0;
  uint64_t bits = 0;
  if (!berth_digits_read(text, size, &wide)) return false;
  // Between two floats the digits may be on either side.
  memcpy(&bits, &wide, sizeof(bits));
  if ((bits & 0x1fffffff) == 0x10000000) return false;
  *out = (float)wide;
  return true;
}

bool berth_digits_read_int(const char *text, size_t size, int64_t *out) {
  const char *at = text, *end = text + size;
  bool is_negative = at < end && *at == '-';
  if (is_negative) ++at;
  uint64_t value = 0;
  int digits = read_digits(&at, end, &value);
  if (digits < 1 || digits >= EXACT_DIGITS || at != end) return false;
  *out = is_negative ? -(int64_t)value : (int64_t)value;
  return true;
}
