// text_lex.c - Tokens of protobuf's text format.
#include "wire/text_lex.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// A number longer than this has no meaning as one.
enum { MAX_NUMBER = 128 };

// The C locale's notion, whatever the process has set.
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Steps over blanks and comments.
static void skip_space(berth_lexer_t *lexer) {
  while (lexer->next < lexer->end) {
    char c = *lexer->next;
    if (c == '#') {
      const char *line_end =
          memchr(lexer->next, '\n', (size_t)(lexer->end - lexer->next));
      lexer->next = line_end != NULL ? line_end : lexer->end;
    } else if (c == '\n') {
      lexer->line_begin = ++lexer->next;
      ++lexer->line;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
      ++lexer->next;
    } else {
      return;
    }
  }
}

static const char *word_end(const char *at, const char *end) {
  while (at < end && (is_letter(*at) || is_digit(*at))) ++at;
  return at;
}

// A number goes on as long as digits, letters and points do; a sign belongs to
// it only after an exponent's letter.
static const char *number_end(const char *at, const char *end) {
  bool is_hex = end - at > 1 && at[0] == '0' && (at[1] | 0x20) == 'x';
  for (const char *begin = at; at < end; ++at) {
    if (is_letter(*at) || is_digit(*at) || *at == '.') continue;
    bool is_sign = *at == '-' || *at == '+';
    if (is_sign && at > begin && (at[-1] | 0x20) == 'e' && !is_hex) continue;
    break;
  }
  return at;
}

// Returns what follows the closing quote, or NULL.
static const char *string_end(const char *at, const char *end) {
  char quote = *at++;
  for (; at < end && *at != '\n'; ++at) {
    if (*at == quote) return at + 1;
    if (*at == '\\' && at + 1 < end) ++at;
  }
  return NULL;
}

berth_code_t berth_lexer_advance(berth_lexer_t *lexer, berth_error_t *err) {
  skip_space(lexer);
  const char *at = lexer->next, *end = lexer->end;
  lexer->text = at;
  lexer->size = 0;
  lexer->token_line = lexer->line;
  lexer->token_column = (int)(at - lexer->line_begin) + 1;
  lexer->kind = BERTH_TOKEN_END;
  if (at == end) return BERTH_OK;
  const char *next = at + 1;
  lexer->kind = BERTH_TOKEN_SYMBOL;
  if (is_letter(*at)) {
    lexer->kind = BERTH_TOKEN_WORD;
    next = word_end(at, end);
  } else if (is_digit(*at) || (*at == '.' && next < end && is_digit(*next))) {
    lexer->kind = BERTH_TOKEN_NUMBER;
    next = number_end(at, end);
  } else if (*at == '"' || *at == '\'') {
    lexer->kind = BERTH_TOKEN_STRING;
    next = string_end(at, end);
    if (next == NULL) {
      return berth_lexer_fail(lexer, err, "String missing ending quote");
    }
  }
  lexer->size = (size_t)(next - at);
  lexer->next = next;
  return BERTH_OK;
}

berth_code_t berth_lexer_init(berth_lexer_t *lexer, const char *text,
                              size_t size, berth_error_t *err) {
  if (size == 0) text = "";
  *lexer = (berth_lexer_t){
      .next = text, .end = text + size, .line_begin = text, .line = 1};
  return berth_lexer_advance(lexer, err);
}

bool berth_lexer_is(const berth_lexer_t *lexer, char c) {
  return lexer->kind == BERTH_TOKEN_SYMBOL && *lexer->text == c;
}

berth_code_t berth_lexer_fail(const berth_lexer_t *lexer, berth_error_t *err,
                              const char *format, ...) {
  va_list args;
  va_start(args, format);
  (void)berth_error_setv(err, BERTH_INVALID_ARGUMENT, format, args);
  va_end(args);
  (void)berth_error_prepend(err, "%d:%d : ", lexer->token_line,
                            lexer->token_column);
  return BERTH_INVALID_ARGUMENT;
}

// ---- Strings ----

static void put_utf8(berth_str_t *str, uint32_t code) {
  if (code < 0x80) {
    berth_str_putc(str, (char)code);
  } else if (code < 0x800) {
    berth_str_putc(str, (char)(0xc0 | code >> 6));
    berth_str_putc(str, (char)(0x80 | (code & 0x3f)));
  } else {
    if (code < 0x10000) {
      berth_str_putc(str, (char)(0xe0 | code >> 12));
    } else {
      berth_str_putc(str, (char)(0xf0 | code >> 18));
      berth_str_putc(str, (char)(0x80 | (code >> 12 & 0x3f)));
    }
    berth_str_putc(str, (char)(0x80 | (code >> 6 & 0x3f)));
    berth_str_putc(str, (char)(0x80 | (code & 0x3f)));
  }
}

// Reads at most |max_digits| digits of |base| and returns what follows them.
static const char *digits_read(const char *at, const char *end, int base,
                               int max_digits, uint32_t *out_value) {
  uint32_t value = 0;
  for (; max_digits > 0 && at < end; --max_digits, ++at) {
    int digit = hex_digit(*at);
    if (digit < 0 || digit >= base) break;
    value = value * (uint32_t)base + (uint32_t)digit;
  }
  *out_value = value;
  return at;
}

// Appends a numeric escape whose letter stands at |at|; NULL when malformed.
static const char *numeric_escape(const char *at, const char *end,
                                  berth_str_t *str) {
  uint32_t value = 0;
  const char *next = at + 1;
  if (*at >= '0' && *at <= '7') {
    next = digits_read(at, end, 8, 3, &value);
    berth_str_putc(str, (char)(value & 0xff));
    return next;
  }
  int width = *at == 'u' ? 4 : *at == 'U' ? 8 : 2;
  next = digits_read(at + 1, end, 16, width, &value);
  bool is_byte = *at == 'x' || *at == 'X';
  if (next == at + 1 || (!is_byte && next != at + 1 + width)) return NULL;
  if (value > 0x10ffff) return NULL;
  if (is_byte) {
    berth_str_putc(str, (char)value);
  } else {
    put_utf8(str, value);
  }
  return next;
}

// Appends the escape after a backslash at |at| and returns what follows it;
// NULL when malformed. An unknown escape stands for itself, as in Python.
static const char *escape_read(const char *at, const char *end,
                               berth_str_t *str) {
  static const char letters[] = "abfnrtv\\\"'?";
  static const char values[] = "\a\b\f\n\r\t\v\\\"'?";
  const char *letter = *at != '\0' ? strchr(letters, *at) : NULL;
  if (letter != NULL) {
    berth_str_putc(str, values[letter - letters]);
    return at + 1;
  }
  if ((*at >= '0' && *at <= '7') || (*at | 0x20) == 'x' ||
      (*at | 0x20) == 'u') {
    return numeric_escape(at, end, str);
  }
  berth_str_putc(str, '\\');
  berth_str_putc(str, *at);
  return at + 1;
}

berth_code_t berth_lexer_unescape(const berth_lexer_t *lexer, berth_str_t *str,
                                  berth_error_t *err) {
  const char *at = lexer->text + 1, *end = lexer->text + lexer->size - 1;
  while (at < end) {
    const char *slash = memchr(at, '\\', (size_t)(end - at));
    const char *plain_end = slash != NULL ? slash : end;
    berth_str_put(str, at, (size_t)(plain_end - at));
    if (slash == NULL) break;
    at = escape_read(slash + 1, end, str);
    if (at == NULL) return berth_lexer_fail(lexer, err, "Bad escape in string");
  }
  return BERTH_OK;
}

// ---- Numbers ----

// How much of the token a message shows.
static int shown_size(const berth_lexer_t *lexer) {
  return lexer->size < MAX_NUMBER ? (int)lexer->size : MAX_NUMBER;
}

// Copies the token for the C library, which wants a NUL.
static bool token_copy(const berth_lexer_t *lexer, char text[MAX_NUMBER]) {
  if (lexer->size >= MAX_NUMBER) return false;
  memcpy(text, lexer->text, lexer->size);
  text[lexer->size] = '\0';
  return true;
}

berth_code_t berth_lexer_int(const berth_lexer_t *lexer, bool is_negative,
                             int64_t min, uint64_t max, uint64_t *out_bits,
                             berth_error_t *err) {
  char text[MAX_NUMBER];
  char *end = text;
  bool is_number = lexer->kind == BERTH_TOKEN_NUMBER && token_copy(lexer, text);
  errno = 0;
  uint64_t value = is_number ? strtoull(text, &end, 0) : 0;
  if (!is_number || *end != '\0') {
    return berth_lexer_fail(lexer, err, "Couldn't parse integer: %.*s",
                            shown_size(lexer), lexer->text);
  }
  uint64_t limit = is_negative ? (uint64_t)0 - (uint64_t)min : max;
  if (errno == ERANGE || value > limit) {
    return berth_lexer_fail(lexer, err, "Value out of range: %s%s",
                            is_negative ? "-" : "", text);
  }
  *out_bits = is_negative ? (uint64_t)0 - value : value;
  return BERTH_OK;
}

// Reads a number; decimal only, and an "f" may end it.
static bool float_parse(char *text, double *out_value) {
  size_t size = strlen(text);
  if ((text[1] | 0x20) == 'x' || size == 0) return false;
  if ((text[size - 1] | 0x20) == 'f') text[--size] = '\0';
  char *end = NULL;
  *out_value = strtod(text, &end);
  return end == text + size && size > 0;
}

berth_code_t berth_lexer_float(const berth_lexer_t *lexer, bool is_negative,
                               double *out_value, berth_error_t *err) {
  char text[MAX_NUMBER] = {0};
  double value = 0;
  bool is_read = token_copy(lexer, text);
  if (is_read && lexer->kind == BERTH_TOKEN_WORD) {
    bool is_inf =
        strcasecmp(text, "inf") == 0 || strcasecmp(text, "inff") == 0 ||
        strcasecmp(text, "infinity") == 0 || strcasecmp(text, "infinityf") == 0;
    is_read =
        is_inf || strcasecmp(text, "nan") == 0 || strcasecmp(text, "nanf") == 0;
    value = is_inf ? (double)INFINITY : (double)NAN;
  } else if (is_read) {
    is_read = lexer->kind == BERTH_TOKEN_NUMBER && float_parse(text, &value);
  }
  if (!is_read) {
    return berth_lexer_fail(lexer, err, "Couldn't parse float: %.*s",
                            shown_size(lexer), lexer->text);
  }
  *out_value = is_negative ? -value : value;
  return BERTH_OK;
}
