// name_spec.c - Reading device names as Python's tf.DeviceSpec does.
//
// The text is cut at slashes and each piece at colons; empty pieces are
// skipped, so leading, double and final slashes mean nothing. A piece is read
// by the number of its fields and the word in front:
//
//   job:X  replica:N  task:N     exactly two fields
//   GPU    GPU:N   GPU:*         a known type in any case, one or two fields
//   device:TYPE:N  device:T:*    exactly three fields
//
// Numbers are whatever Python's int() accepts. Replica and task are converted
// after all pieces have been seen, because that is when Python finds out that
// they are no numbers.
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "device/name.h"

enum { MAX_FIELDS = 4 };  // More than three fields fit no rule.

typedef struct piece {
  berth_word_t fields[MAX_FIELDS];
  int count;  // At most MAX_FIELDS.
} piece_t;

// What has been read, with replica and task still as text.
typedef struct reader {
  const char *text;
  berth_device_name_t name;
  berth_word_t replica, task;
} reader_t;

static bool word_is(berth_word_t word, const char *text) {
  return (size_t)word.size == strlen(text) &&
         memcmp(word.text, text, (size_t)word.size) == 0;
}

// Cuts the piece that ends at |end| into fields.
static void piece_split(const char *at, const char *end, piece_t *out_piece) {
  out_piece->count = 0;
  while (out_piece->count < MAX_FIELDS) {
    const char *colon = memchr(at, ':', (size_t)(end - at));
    const char *stop = colon != NULL ? colon : end;
    out_piece->fields[out_piece->count++] =
        (berth_word_t){at, (int32_t)(stop - at)};
    if (colon == NULL) return;
    at = colon + 1;
  }
}

// Returns the upper-case literal of a type that may stand alone, or NULL.
static const char *find_type(berth_word_t word) {
  static const char *const types[] = {"CPU", "GPU", "TPU", "CUSTOM", "EPU"};
  for (int i = 0; i < BERTH_COUNT_OF(types); ++i) {
    if ((size_t)word.size == strlen(types[i]) &&
        strncasecmp(word.text, types[i], (size_t)word.size) == 0) {
      return types[i];
    }
  }
  return NULL;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Reads the digits of an int literal, single underscores between them allowed.
// False for anything else; |*out_value| stops growing beyond 32 bits.
static bool read_digits(const char *at, const char *end, int64_t *out_value) {
  bool after_digit = false;
  *out_value = 0;
  for (; at < end; ++at) {
    if (*at == '_' && after_digit) {
      after_digit = false;
      continue;
    }
    if (*at < '0' || *at > '9') return false;
    if (*out_value <= INT32_MAX) *out_value = *out_value * 10 + (*at - '0');
    after_digit = true;
  }
  return after_digit;
}

// Appends |word| as Python's repr() of a str shows it.
static void print_repr(berth_word_t word, berth_str_t *str) {
  bool has_single = memchr(word.text, '\'', (size_t)word.size) != NULL;
  bool has_double = memchr(word.text, '"', (size_t)word.size) != NULL;
  char quote = has_single && !has_double ? '"' : '\'';
  berth_str_putc(str, quote);
  for (int32_t i = 0; i < word.size; ++i) {
    char c = word.text[i];
    if (c == quote || c == '\\') {
      berth_str_printf(str, "\\%c", c);
    } else if (c == '\t' || c == '\n' || c == '\r') {
      berth_str_printf(str, "\\%c", c == '\t' ? 't' : c == '\n' ? 'n' : 'r');
    } else if ((c >= 0 && c < ' ') || c == 0x7f) {
      berth_str_printf(str, "\\x%02x", (unsigned)c);
    } else {
      berth_str_putc(str, c);
    }
  }
  berth_str_putc(str, quote);
}

static berth_code_t not_a_number(berth_word_t word, berth_error_t *err) {
  berth_str_t repr = {0};
  print_repr(word, &repr);
  berth_error_set(err, BERTH_INVALID_ARGUMENT,
                  "invalid literal for int() with base 10: %s",
                  berth_str_get(&repr));
  berth_str_clear(&repr);
  return BERTH_INVALID_ARGUMENT;
}

// Reads what int() reads: spaces around, a sign, underscores. Python's numbers
// have no end; ours have 32 bits, and saying so beats cutting them.
static berth_code_t read_int(berth_word_t word, int32_t *out_number,
                             berth_error_t *err) {
  const char *at = word.text, *end = word.text + word.size;
  while (at < end && is_space(*at)) ++at;
  while (at < end && is_space(end[-1])) --end;
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) ++at;
  int64_t value = 0;
  if (!read_digits(at, end, &value)) return not_a_number(word, err);
  if (value > INT32_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%.*s is too large for a number in a device name",
                           (int)word.size, word.text);
  }
  *out_number = (int32_t)(negative ? -value : value);
  return BERTH_OK;
}

static berth_code_t read_type(reader_t *reader, berth_word_t type,
                              const berth_word_t *index, berth_error_t *err) {
  berth_device_name_t *name = &reader->name;
  if (name->has_type) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Multiple device types are not allowed while "
                           "parsing the device spec: %s.",
                           reader->text);
  }
  name->has_type = true;
  name->type = type;
  if (index == NULL || word_is(*index, "*")) return BERTH_OK;
  BERTH_TRY(read_int(*index, &name->id, err));
  name->has_id = true;
  return BERTH_OK;
}

// Reads `job:X`, `replica:N` or `task:N`; false when |piece| is none of them.
static bool read_address(reader_t *reader, const piece_t *piece) {
  if (piece->count != 2) return false;
  if (word_is(piece->fields[0], "job")) {
    reader->name.has_job = true;
    reader->name.job = piece->fields[1];
  } else if (word_is(piece->fields[0], "replica")) {
    reader->name.has_replica = true;
    reader->replica = piece->fields[1];
  } else if (word_is(piece->fields[0], "task")) {
    reader->name.has_task = true;
    reader->task = piece->fields[1];
  } else {
    return false;
  }
  return true;
}

static berth_code_t read_piece(reader_t *reader, const piece_t *piece,
                               berth_error_t *err) {
  berth_word_t first = piece->fields[0];
  if (read_address(reader, piece)) return BERTH_OK;
  const char *type = piece->count <= 2 ? find_type(first) : NULL;
  if (type != NULL) {
    return read_type(reader, (berth_word_t){type, first.size},
                     piece->count == 2 ? &piece->fields[1] : NULL, err);
  }
  if (piece->count == 3 && word_is(first, "device")) {
    // After "device:" only all-lower cpu and gpu are changed: "Gpu" stays.
    berth_word_t word = piece->fields[1];
    if (word_is(word, "cpu") || word_is(word, "gpu")) {
      word.text = find_type(word);
    }
    return read_type(reader, word, &piece->fields[2], err);
  }
  if (first.size == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Unknown attribute '%.*s' is encountered while "
                         "parsing the device spec: '%s'.",
                         (int)first.size, first.text, reader->text);
}

berth_code_t berth_device_name_parse_spec(const char *text,
                                          berth_device_name_t *out_name,
                                          berth_error_t *err) {
  reader_t reader = {.text = text};
  if (strlen(text) > INT32_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "a device name of more than 2 GiB");
  }
  for (const char *at = text; at != NULL;) {
    const char *slash = strchr(at, '/');
    piece_t piece;
    piece_split(at, slash != NULL ? slash : at + strlen(at), &piece);
    BERTH_TRY(read_piece(&reader, &piece, err));
    at = slash != NULL ? slash + 1 : NULL;
  }
  if (reader.name.has_replica) {
    BERTH_TRY(read_int(reader.replica, &reader.name.replica, err));
  }
  if (reader.name.has_task) {
    BERTH_TRY(read_int(reader.task, &reader.name.task, err));
  }
  *out_name = reader.name;
  return BERTH_OK;
}
