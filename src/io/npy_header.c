// npy_header.c - The header of a .npy file.
#include "io/npy_header.h"

#include <stdio.h>
#include <string.h>

#include "tensor/dtype.h"
#include "tensor/shape.h"

// Types that both sides have.
static const struct {
  berth_dtype_t dtype;
  char kind;
  uint8_t size;
} kinds[] = {
    {BERTH_BOOL, 'b', 1},      {BERTH_INT8, 'i', 1},
    {BERTH_INT16, 'i', 2},     {BERTH_INT32, 'i', 4},
    {BERTH_INT64, 'i', 8},     {BERTH_UINT8, 'u', 1},
    {BERTH_UINT16, 'u', 2},    {BERTH_UINT32, 'u', 4},
    {BERTH_UINT64, 'u', 8},    {BERTH_HALF, 'f', 2},
    {BERTH_FLOAT, 'f', 4},     {BERTH_DOUBLE, 'f', 8},
    {BERTH_COMPLEX64, 'c', 8}, {BERTH_COMPLEX128, 'c', 16},
};
enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

berth_code_t berth_npy_prelude(const uint8_t *bytes, int *out_size_bytes,
                               berth_error_t *err) {
  if (memcmp(bytes, magic, sizeof(magic)) != 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "not a .npy file: it does not begin with \\x93NUMPY");
  }
  if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "version %d.%d of the format; only 1.0, 2.0 and 3.0 "
                           "are known",
                           bytes[6], bytes[7]);
  }
  *out_size_bytes = bytes[6] == 1 ? 2 : 4;
  return BERTH_OK;
}

// ---- Reading ----

typedef struct cursor {
  const char *text, *at, *end;
  berth_error_t *err;
} cursor_t;

// A quoted text; borrowed.
typedef struct quoted {
  const char *text;
  size_t size;
} quoted_t;

static berth_code_t malformed(const cursor_t *cursor, const char *wanted) {
  return berth_error_set(cursor->err, BERTH_INVALID_ARGUMENT,
                         "malformed header: expected %s at byte %zu of it",
                         wanted, (size_t)(cursor->at - cursor->text));
}

static void skip_space(cursor_t *cursor) {
  while (cursor->at < cursor->end &&
         (*cursor->at == ' ' || *cursor->at == '\n' || *cursor->at == '\t')) {
    ++cursor->at;
  }
}

// Skips space and the character |c|; false when something else stands there.
static bool accept(cursor_t *cursor, char c) {
  skip_space(cursor);
  if (cursor->at == cursor->end || *cursor->at != c) return false;
  ++cursor->at;
  return true;
}

static bool accept_word(cursor_t *cursor, const char *word) {
  size_t size = strlen(word);
  skip_space(cursor);
  if ((size_t)(cursor->end - cursor->at) < size) return false;
  if (memcmp(cursor->at, word, size) != 0) return false;
  cursor->at += size;
  return true;
}

static bool is_text(quoted_t quoted, const char *text) {
  return quoted.size == strlen(text) &&
         memcmp(quoted.text, text, quoted.size) == 0;
}

static berth_code_t parse_quoted(cursor_t *cursor, quoted_t *out) {
  skip_space(cursor);
  if (cursor->at == cursor->end ||
      (*cursor->at != '\'' && *cursor->at != '"')) {
    return malformed(cursor, "a quoted text");
  }
  const char *begin = cursor->at + 1;
  const char *end = memchr(begin, *cursor->at, (size_t)(cursor->end - begin));
  if (end == NULL) return malformed(cursor, "a closing quote");
  *out = (quoted_t){begin, (size_t)(end - begin)};
  cursor->at = end + 1;
  return BERTH_OK;
}

// Reads a whole number that is not negative, with the L of Python 2.
static berth_code_t parse_number(cursor_t *cursor, int64_t *out) {
  skip_space(cursor);
  int64_t value = 0;
  const char *begin = cursor->at;
  for (; cursor->at < cursor->end; ++cursor->at) {
    char c = *cursor->at;
    if (c < '0' || c > '9') break;
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, c - '0', &value)) {
      return malformed(cursor, "a smaller dimension");
    }
  }
  if (cursor->at == begin) return malformed(cursor, "a dimension");
  if (cursor->at < cursor->end && *cursor->at == 'L') ++cursor->at;
  *out = value;
  return BERTH_OK;
}

static berth_code_t parse_shape(cursor_t *cursor, berth_shape_t *shape) {
  if (!accept(cursor, '(')) return malformed(cursor, "the tuple of a shape");
  shape->rank = 0;
  while (!accept(cursor, ')')) {
    if (shape->rank == BERTH_MAX_RANK) {
      return malformed(cursor, "no more than 254 dimensions");
    }
    BERTH_TRY(parse_number(cursor, &shape->dims[shape->rank]));
    ++shape->rank;
    if (accept(cursor, ',')) continue;
    if (!accept(cursor, ')')) return malformed(cursor, "a comma");
    // (3) is a number in Python, not a tuple.
    if (shape->rank == 1) return malformed(cursor, "a comma in the tuple");
    break;
  }
  return BERTH_OK;
}

static berth_code_t unknown_type(const cursor_t *cursor, quoted_t descr) {
  int size = descr.size < 64 ? (int)descr.size : 64;
  bool is_pickle = memchr(descr.text, 'O', descr.size) != NULL;
  bool is_raw = memchr(descr.text, 'V', descr.size) != NULL;
  const char *hint = "";
  if (is_pickle) hint = "; it holds pickled Python objects";
  if (is_raw) {
    hint =
        "; raw bytes do not say what they are (bfloat16 is saved so): "
        "convert to float before saving";
  }
  return berth_error_set(cursor->err, BERTH_UNIMPLEMENTED,
                         "no tensor has the type '%.*s'%s", size, descr.text,
                         hint);
}

// Reads the number that ends |descr|, from its byte |at| on; false when it is
// none or absurd.
static bool parse_size(quoted_t descr, size_t at, uint64_t *out_size) {
  uint64_t size = 0;
  if (at >= descr.size || descr.size - at > 10) return false;
  for (; at < descr.size; ++at) {
    char c = descr.text[at];
    if (c < '0' || c > '9') return false;
    size = size * 10 + (uint64_t)(c - '0');
  }
  *out_size = size;
  return true;
}

// Reads a type such as <f4, |S12 or >U3.
static berth_code_t parse_descr(cursor_t *cursor, berth_npy_header_t *header) {
  if (accept(cursor, '[')) {
    return berth_error_set(cursor->err, BERTH_UNIMPLEMENTED,
                           "structured arrays are no tensors");
  }
  quoted_t descr;
  BERTH_TRY(parse_quoted(cursor, &descr));
  size_t at = 0;
  if (descr.size > 0 && strchr("<>|=", descr.text[0]) != NULL) at = 1;
  header->is_big_endian = at == 1 && descr.text[0] == '>';
  if (at + 1 > descr.size) return unknown_type(cursor, descr);
  char kind = descr.text[at];
  uint64_t size = 0;
  if (!parse_size(descr, at + 1, &size)) return unknown_type(cursor, descr);
  if (kind == 'S' || kind == 'U') {
    header->dtype = BERTH_STRING;
    header->is_unicode = kind == 'U';
    header->item_bytes = kind == 'U' ? size * 4 : size;
    return BERTH_OK;
  }
  for (int i = 0; i < KIND_COUNT; ++i) {
    if (kinds[i].kind != kind || kinds[i].size != size) continue;
    header->dtype = kinds[i].dtype;
    header->item_bytes = size;
    return BERTH_OK;
  }
  return unknown_type(cursor, descr);
}

enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

// Reads one "key: value" and adds what it was to |*seen|.
static berth_code_t parse_entry(cursor_t *cursor, berth_npy_header_t *header,
                                int *seen) {
  quoted_t key;
  BERTH_TRY(parse_quoted(cursor, &key));
  if (!accept(cursor, ':')) return malformed(cursor, "a colon");
  int which = 0;
  if (is_text(key, "descr")) {
    which = HAS_DESCR;
    BERTH_TRY(parse_descr(cursor, header));
  } else if (is_text(key, "fortran_order")) {
    which = HAS_ORDER;
    header->is_fortran = accept_word(cursor, "True");
    if (!header->is_fortran && !accept_word(cursor, "False")) {
      return malformed(cursor, "True or False");
    }
  } else if (is_text(key, "shape")) {
    which = HAS_SHAPE;
    BERTH_TRY(parse_shape(cursor, &header->shape));
  }
  if (which == 0 || (*seen & which) != 0) {
    return malformed(cursor, "descr, fortran_order and shape, once each,");
  }
  *seen |= which;
  return BERTH_OK;
}

berth_code_t berth_npy_header_parse(const char *text, size_t size,
                                    berth_npy_header_t *header,
                                    berth_error_t *err) {
  cursor_t cursor = {text, text, text + size, err};
  int seen = 0;
  header->is_unicode = false;
  if (!accept(&cursor, '{')) return malformed(&cursor, "{");
  while (!accept(&cursor, '}')) {
    BERTH_TRY(parse_entry(&cursor, header, &seen));
    if (accept(&cursor, ',')) continue;
    if (!accept(&cursor, '}')) return malformed(&cursor, "a comma or }");
    break;
  }
  skip_space(&cursor);
  if (cursor.at != cursor.end) return malformed(&cursor, "the end");
  if (seen == HAS_ALL) return BERTH_OK;
  return malformed(&cursor, "descr, fortran_order and shape");
}

// ---- Writing ----

static berth_code_t print_descr(berth_dtype_t dtype, size_t item_bytes,
                                berth_str_t *str, berth_error_t *err) {
  if (dtype == BERTH_STRING) {
    berth_str_printf(str, "'|S%zu'", item_bytes);
    return BERTH_OK;
  }
  for (int i = 0; i < KIND_COUNT; ++i) {
    if (kinds[i].dtype != dtype) continue;
    berth_str_printf(str, "'%c%c%d'", kinds[i].size == 1 ? '|' : '<',
                     kinds[i].kind, kinds[i].size);
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_UNIMPLEMENTED,
                         ".npy files have no type %s; cast to one that numpy "
                         "has before saving",
                         berth_dtype_name(dtype));
}

// Appends the shape as a Python tuple.
static void print_tuple(berth_dims_t shape, berth_str_t *str) {
  berth_str_putc(str, '(');
  for (int32_t i = 0; i < shape.rank; ++i) {
    berth_str_printf(str, i > 0 ? ", %lld" : "%lld", (long long)shape.dims[i]);
  }
  berth_str_puts(str, shape.rank == 1 ? ",)" : ")");
}

// Appends spaces so that the first dimension could grow to 21 digits in place,
// then to a multiple of 64 bytes with the prelude, and a newline.
static void print_padding(berth_dims_t shape, berth_str_t *str) {
  char digits[24];
  size_t room = 0;
  if (shape.rank > 0) {
    room = 21 - (size_t)snprintf(digits, sizeof(digits), "%lld",
                                 (long long)shape.dims[0]);
  }
  for (size_t i = 0; i < room; ++i) berth_str_putc(str, ' ');
  size_t before = BERTH_NPY_PRELUDE + 2 + str->size + 1;
  for (size_t i = before % 64; i < 64; ++i) berth_str_putc(str, ' ');
  berth_str_putc(str, '\n');
}

berth_code_t berth_npy_header_print(berth_dtype_t dtype, berth_dims_t shape,
                                    size_t item_bytes, berth_str_t *str,
                                    berth_error_t *err) {
  berth_str_t dict = {0};
  berth_str_puts(&dict, "{'descr': ");
  berth_code_t code = print_descr(dtype, item_bytes, &dict, err);
  if (code != BERTH_OK) goto done;
  berth_str_puts(&dict, ", 'fortran_order': False, 'shape': ");
  print_tuple(shape, &dict);
  berth_str_puts(&dict, ", }");
  print_padding(shape, &dict);
  berth_str_put(str, magic, sizeof(magic));
  berth_str_put(str, "\x01\x00", 2);
  berth_str_putc(str, (char)(dict.size & 0xff));
  berth_str_putc(str, (char)(dict.size >> 8));
  berth_str_put(str, berth_str_get(&dict), dict.size);
  if (!berth_str_ok(&dict) || !berth_str_ok(str)) {
    code = berth_error_no_memory(err, "the header of a .npy file");
  }
done:
  berth_str_clear(&dict);
  return code;
}
