// lexer.h - Words of ops.def.
#ifndef BERTH_TOOLS_OPGEN_LEXER_H_
#define BERTH_TOOLS_OPGEN_LEXER_H_

#include <stdbool.h>

typedef enum token {
  TOKEN_END,   // Of the file, or after an error.
  TOKEN_LINE,  // The end of a statement.
  TOKEN_WORD,  // A name or a number; in |text|.
  TOKEN_TEXT,  // A quoted text; in |text|, escapes resolved.
  TOKEN_SIGN   // , ; : { } ( ) [ ] = * - or G for ">="; in |text|.
} token_t;

typedef struct lexer {
  const char *path;
  const char *next;
  int line;
  int token_line;       // Where the last word, text or sign stood.
  int depth;            // Of open brackets: lines do not end inside.
  bool is_after_comma;  // Nor after a comma or semicolon.
  bool is_failed;
  token_t token;  // The current one.
  const char *text;
} lexer_t;

// Begins to read |path|. False, with a message, when it cannot be read.
bool lexer_open(lexer_t *lexer, const char *path);

// Moves on to the next token.
void lexer_next(lexer_t *lexer);

// True when the current token is that sign or word.
bool lexer_at(const lexer_t *lexer, const char *text);

// Moves past that sign or word if it is the current token.
bool lexer_accept(lexer_t *lexer, const char *text);

// Moves past it, or fails.
void lexer_expect(lexer_t *lexer, const char *text);

// Returns the current word and moves past it; "" and fails for anything else.
const char *lexer_word(lexer_t *lexer);

// The same for a word or a quoted text.
const char *lexer_value(lexer_t *lexer);

// Prints `path:line: message` for the first error; the rest of the file then
// reads as ended, so that every loop over it stops.
void lexer_fail(lexer_t *lexer, const char *message, const char *detail);

#endif  // BERTH_TOOLS_OPGEN_LEXER_H_
