// literal.c - Tensors written on the command line.
//
// Read in two steps: the brackets give the shape and a list of scalars, each
// still a piece of the text; then every piece is turned into an element of the
// type that is wanted. Nothing recurses, so depth is no danger.
#include "literal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "term.h"

// A scalar: a piece of the text, without its quotes.
typedef struct piece {
  const char *start;
  size_t size;
  bool is_quoted;
} piece_t;

typedef struct reader {
  const char *text, *next;
  berth_error_t *err;
  int depth;                       // Lists that are open.
  int rank;                        // -1: no scalar or empty list seen yet.
  int64_t counts[BERTH_MAX_RANK];  // Elements so far of each open list.
  int64_t dims[BERTH_MAX_RANK];    // -1: no list of that depth is closed yet.
  piece_t *pieces;
  size_t piece_count;
} reader_t;

static berth_code_t fail_here(reader_t *reader, const char *problem) {
  return cli_refuse(reader->err, "%s, at character %td of '%.200s'", problem,
                    reader->next - reader->text + 1, reader->text);
}

static void skip_spaces(reader_t *reader) {
  while (isspace((unsigned char)*reader->next)) ++reader->next;
}

// ---- Brackets ----

// Notes that elements lie |depth| lists deep.
static berth_code_t set_rank(reader_t *reader, int depth) {
  if (reader->rank >= 0 && reader->rank != depth) {
    return fail_here(reader, "lists and values are mixed");
  }
  reader->rank = depth;
  return BERTH_OK;
}

static berth_code_t open_list(reader_t *reader) {
  if (reader->depth == BERTH_MAX_RANK) {
    return fail_here(reader, "lists are nested too deeply");
  }
  if (reader->rank >= 0 && reader->depth >= reader->rank) {
    return fail_here(reader, "lists and values are mixed");
  }
  reader->counts[reader->depth++] = 0;
  ++reader->next;
  return BERTH_OK;
}

static berth_code_t close_list(reader_t *reader) {
  int level = reader->depth - 1;
  int64_t count = reader->counts[level];
  if (count == 0 && set_rank(reader, reader->depth) != BERTH_OK) {
    return BERTH_INVALID_ARGUMENT;
  }
  if (reader->dims[level] >= 0 && reader->dims[level] != count) {
    return fail_here(reader, "lists are not equally long");
  }
  reader->dims[level] = count;
  --reader->depth;
  ++reader->next;
  return BERTH_OK;
}

// ---- Scalars ----

static berth_code_t take_quoted(reader_t *reader, piece_t *piece) {
  char quote = *reader->next++;
  piece->start = reader->next;
  piece->is_quoted = true;
  for (; *reader->next != quote; ++reader->next) {
    if (*reader->next == '\\' && reader->next[1] != '\0') ++reader->next;
    if (*reader->next == '\0') return fail_here(reader, "a quote is missing");
  }
  piece->size = (size_t)(reader->next++ - piece->start);
  return BERTH_OK;
}

static berth_code_t take_scalar(reader_t *reader) {
  piece_t piece = {0};
  berth_code_t code = set_rank(reader, reader->depth);
  if (code != BERTH_OK) return code;
  if (*reader->next == '"' || *reader->next == '\'') {
    code = take_quoted(reader, &piece);
    if (code != BERTH_OK) return code;
  } else {
    piece.start = reader->next;
    piece.size = strcspn(reader->next, ",[] \t\n");
    reader->next += piece.size;
    if (piece.size == 0) return fail_here(reader, "a value is missing");
  }
  piece_t *pieces =
      cli_grow(reader->pieces, reader->piece_count, sizeof(*pieces));
  if (pieces == NULL) return fail_here(reader, "not enough memory");
  reader->pieces = pieces;
  pieces[reader->piece_count++] = piece;
  return BERTH_OK;
}

// After a value: closes lists until another value or the end comes.
static berth_code_t end_value(reader_t *reader) {
  for (;;) {
    skip_spaces(reader);
    if (reader->depth == 0) {
      if (*reader->next == '\0') return BERTH_OK;
      return fail_here(reader, "the value has ended");
    }
    ++reader->counts[reader->depth - 1];
    if (*reader->next == ',') {
      ++reader->next;
      skip_spaces(reader);
      // As in Python, a comma may stand before the end.
      if (*reader->next != ']') return BERTH_OK;
    }
    if (*reader->next != ']') {
      return fail_here(reader, "',' or ']' is missing");
    }
    berth_code_t code = close_list(reader);
    if (code != BERTH_OK) return code;
  }
}

// Reads brackets and pieces.
static berth_code_t read_pieces(reader_t *reader) {
  do {
    skip_spaces(reader);
    berth_code_t code;
    if (*reader->next == '[') {
      code = open_list(reader);
      if (code != BERTH_OK) return code;
      skip_spaces(reader);
      if (*reader->next != ']') continue;
      code = close_list(reader);
    } else {
      code = take_scalar(reader);
    }
    if (code == BERTH_OK) code = end_value(reader);
    if (code != BERTH_OK) return code;
  } while (reader->depth > 0);
  return BERTH_OK;
}

// ---- Elements ----

// Whole numbers by type: bytes, and whether they have a sign.
typedef struct integer {
  berth_dtype_t dtype;
  int size;
  bool is_signed;
} integer_t;

static const integer_t *find_integer(berth_dtype_t dtype) {
  static const integer_t integers[] = {
      {BERTH_INT8, 1, true},    {BERTH_INT16, 2, true},
      {BERTH_INT32, 4, true},   {BERTH_INT64, 8, true},
      {BERTH_UINT8, 1, false},  {BERTH_UINT16, 2, false},
      {BERTH_UINT32, 4, false}, {BERTH_UINT64, 8, false},
  };
  for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); ++i) {
    if (integers[i].dtype == dtype) return &integers[i];
  }
  return NULL;
}

// Parses all of |text|; false when it is no such number or does not fit.
static bool parse_integer(const char *text, const integer_t *type,
                          uint64_t *out_bits) {
  char *end = NULL;
  const char *digits = text + (text[0] == '-' || text[0] == '+');
  int base = digits[0] == '0' && (digits[1] | 32) == 'x' ? 16 : 10;
  int spare = 64 - 8 * type->size;
  errno = 0;
  if (type->is_signed) {
    int64_t value = strtoll(text, &end, base);
    *out_bits = (uint64_t)value;
    if (value > INT64_MAX >> spare || value < INT64_MIN >> spare) return false;
  } else {
    if (text[0] == '-') return false;
    *out_bits = strtoull(text, &end, base);
    if (*out_bits > UINT64_MAX >> spare) return false;
  }
  return end != text && *end == '\0' && errno == 0;
}

static bool parse_bool(const char *text, uint8_t *out_value) {
  bool is_true = strcmp(text, "true") == 0 || strcmp(text, "True") == 0 ||
                 strcmp(text, "1") == 0;
  bool is_false = strcmp(text, "false") == 0 || strcmp(text, "False") == 0 ||
                  strcmp(text, "0") == 0;
  *out_value = is_true;
  return is_true || is_false;
}

// Stores |text| as element |index| at |data|; false when it is none.
static bool parse_element(const char *text, berth_dtype_t dtype, void *data,
                          size_t index) {
  const integer_t *integer = find_integer(dtype);
  char *end = NULL;
  if (integer != NULL) {
    uint64_t bits = 0;
    if (!parse_integer(text, integer, &bits)) return false;
    // The low bytes come first on every machine Berth runs on.
    memcpy((char *)data + index * (size_t)integer->size, &bits,
           (size_t)integer->size);
    return true;
  }
  if (dtype == BERTH_BOOL) return parse_bool(text, (uint8_t *)data + index);
  if (dtype == BERTH_DOUBLE) {
    ((double *)data)[index] = strtod(text, &end);
  } else {
    ((float *)data)[index] = strtof(text, &end);
  }
  return end != text && *end == '\0';
}

static berth_code_t fill_number(berth_tensor_t *tensor, size_t index,
                                const piece_t *piece, berth_error_t *err) {
  berth_dtype_t dtype = berth_tensor_dtype(tensor);
  char text[128];
  int size = (int)(piece->size < 100 ? piece->size : 100);
  snprintf(text, sizeof(text), "%.*s", size, piece->start);
  if (!piece->is_quoted && piece->size <= 100 &&
      parse_element(text, dtype, berth_tensor_data(tensor), index)) {
    return BERTH_OK;
  }
  return cli_refuse(err, "'%s' is no value of type %s", text,
                    berth_dtype_name(dtype));
}

// ---- Texts ----

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = (char)(c | 32);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Appends the character that the escape after |text|'s backslash means, and
// returns how many characters the escape has.
static size_t put_escape(const char *text, size_t size, cli_text_t *out) {
  static const char codes[] = "n\nt\tr\r0\0";
  if (size >= 3 && text[0] == 'x' && hex_digit(text[1]) >= 0 &&
      hex_digit(text[2]) >= 0) {
    char byte = (char)(hex_digit(text[1]) * 16 + hex_digit(text[2]));
    cli_text_put(out, &byte, 1);
    return 3;
  }
  for (size_t i = 0; i + 1 < sizeof(codes) - 1; i += 2) {
    if (codes[i] == text[0]) {
      cli_text_put(out, &codes[i + 1], 1);
      return 1;
    }
  }
  cli_text_put(out, text, 1);
  return 1;
}

static berth_code_t fill_text(berth_tensor_t *tensor, size_t index,
                              const piece_t *piece, berth_error_t *err) {
  cli_text_t text = {0};
  for (size_t i = 0; i < piece->size;) {
    char c = piece->start[i++];
    if (c == '\\' && piece->is_quoted && i < piece->size) {
      i += put_escape(piece->start + i, piece->size - i, &text);
    } else {
      cli_text_put(&text, &c, 1);
    }
  }
  berth_code_t code = berth_tensor_set_string(
      tensor, (int64_t)index, cli_text_get(&text), text.size, err);
  cli_text_clear(&text);
  return code;
}

// ---- Tensors ----

// What the elements are written as: their own type, or float for the types
// that C has no numbers of, which a Cast then makes.
static berth_dtype_t written_type(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_HALF:
    case BERTH_BFLOAT16:
    case BERTH_COMPLEX64:
    case BERTH_COMPLEX128:
      return BERTH_FLOAT;
    case BERTH_FLOAT:
    case BERTH_DOUBLE:
    case BERTH_BOOL:
    case BERTH_STRING:
      return dtype;
    default:
      return find_integer(dtype) != NULL ? dtype : BERTH_INVALID;
  }
}

// Replaces |*tensor| by one of |dtype|.
static berth_code_t cast(berth_dtype_t dtype, berth_tensor_t **tensor,
                         berth_error_t *err) {
  berth_context_t *context = NULL;
  berth_tensor_t *result = NULL;
  int count = 1;
  berth_op_t *op = berth_op_begin(NULL, "Cast", NULL);
  berth_op_attr_type(op, "DstT", dtype);
  berth_code_t code = berth_context_create(NULL, &context, err);
  if (code == BERTH_OK) {
    code =
        berth_eager_call_op(context, op, NULL, tensor, 1, &result, &count, err);
  }
  if (code == BERTH_OK) {
    berth_tensor_release(*tensor);
    *tensor = result;
  }
  berth_op_abandon(op);
  berth_context_destroy(context);
  return code;
}

static berth_code_t fill(const reader_t *reader, berth_tensor_t *tensor) {
  bool is_text = berth_tensor_dtype(tensor) == BERTH_STRING;
  for (size_t i = 0; i < reader->piece_count; ++i) {
    const piece_t *piece = &reader->pieces[i];
    berth_code_t code = is_text ? fill_text(tensor, i, piece, reader->err)
                                : fill_number(tensor, i, piece, reader->err);
    if (code != BERTH_OK) return code;
  }
  return BERTH_OK;
}

// Makes the tensor of what was read.
static berth_code_t make_tensor(const reader_t *reader, berth_dtype_t dtype,
                                berth_tensor_t **out_tensor) {
  berth_dtype_t written = written_type(dtype);
  if (written == BERTH_INVALID) {
    return cli_refuse(reader->err, "values of type %s cannot be written here",
                      berth_dtype_name(dtype));
  }
  berth_tensor_t *tensor = NULL;
  berth_dims_t shape = {reader->rank, reader->dims};
  berth_code_t code = berth_tensor_create(written, shape, &tensor, reader->err);
  if (code == BERTH_OK) code = fill(reader, tensor);
  if (code == BERTH_OK && written != dtype) {
    code = cast(dtype, &tensor, reader->err);
  }
  if (code == BERTH_OK) {
    *out_tensor = tensor;
  } else {
    berth_tensor_release(tensor);
  }
  return code;
}

berth_code_t cli_literal_parse(const char *text, berth_dtype_t dtype,
                               berth_tensor_t **out_tensor,
                               berth_error_t *err) {
  reader_t reader = {.text = text, .next = text, .err = err, .rank = -1};
  for (int i = 0; i < BERTH_MAX_RANK; ++i) reader.dims[i] = -1;
  piece_t whole = {text, strlen(text), false};
  bool is_bare = dtype == BERTH_STRING &&
                 (text[0] == '\0' || strchr("['\"", text[0]) == NULL);
  berth_code_t code = BERTH_OK;
  if (is_bare) {
    reader.rank = 0;
    reader.pieces = cli_grow(NULL, 0, sizeof(whole));
    if (reader.pieces == NULL) return fail_here(&reader, "not enough memory");
    reader.pieces[reader.piece_count++] = whole;
  } else {
    code = read_pieces(&reader);
  }
  if (code == BERTH_OK) code = make_tensor(&reader, dtype, out_tensor);
  cli_free(reader.pieces);
  return code;
}
