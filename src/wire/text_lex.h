// text_lex.h - Tokens of protobuf's text format.
//
// A lexer holds one token ahead. Its text is borrowed.
//
// Threads: caller serialises.
#ifndef BERTH_WIRE_TEXT_LEX_H_
#define BERTH_WIRE_TEXT_LEX_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

typedef enum berth_token_kind {
  BERTH_TOKEN_END,
  BERTH_TOKEN_WORD,    // true, DT_FLOAT, inf
  BERTH_TOKEN_NUMBER,  // 12, 0x1f, 1.5e3, .5f
  BERTH_TOKEN_STRING,  // With its quotes.
  BERTH_TOKEN_SYMBOL,  // One character.
} berth_token_kind_t;

typedef struct berth_lexer {
  const char *next, *end;  // What is left after the token.
  const char *line_begin;
  int line;  // From 1 on.
  // The token.
  berth_token_kind_t kind;
  const char *text;
  size_t size;
  int token_line, token_column;
} berth_lexer_t;

// Starts at the first token of |text|.
BERTH_NODISCARD berth_code_t berth_lexer_init(berth_lexer_t *lexer,
                                              const char *text, size_t size,
                                              berth_error_t *err);

// Goes to the next token. Fails with BERTH_INVALID_ARGUMENT for a text without
// its closing quote.
BERTH_NODISCARD berth_code_t berth_lexer_advance(berth_lexer_t *lexer,
                                                 berth_error_t *err);

// True when the token is the symbol |c|.
bool berth_lexer_is(const berth_lexer_t *lexer, char c);

// Describes a failure at the token: "line:column : text".
berth_code_t berth_lexer_fail(const berth_lexer_t *lexer, berth_error_t *err,
                              const char *format, ...) BERTH_PRINTF(3, 4);

// Appends what the string token stands for, escapes resolved.
BERTH_NODISCARD berth_code_t berth_lexer_unescape(const berth_lexer_t *lexer,
                                                  berth_str_t *str,
                                                  berth_error_t *err);

// Reads the number token as an integer with an optional sign, within
// [|min|, |max|]: decimal, octal (010) or hexadecimal (0x10).
BERTH_NODISCARD berth_code_t berth_lexer_int(const berth_lexer_t *lexer,
                                             bool is_negative, int64_t min,
                                             uint64_t max, uint64_t *out_bits,
                                             berth_error_t *err);

// Reads the token as a float: 1, 1.5e3, 1f, inf, infinity, nan.
BERTH_NODISCARD berth_code_t berth_lexer_float(const berth_lexer_t *lexer,
                                               bool is_negative,
                                               double *out_value,
                                               berth_error_t *err);

#endif  // BERTH_WIRE_TEXT_LEX_H_
