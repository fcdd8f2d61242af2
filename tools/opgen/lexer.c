// lexer.c - Words of ops.def.
#include "lexer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { FILE_ROOM = 4 << 20, TEXT_ROOM = 4 << 20 };

static char file_text[FILE_ROOM];
static char texts[TEXT_ROOM];  // Every token's text, one after the other.
static size_t texts_used;

bool lexer_open(lexer_t *lexer, const char *path) {
  *lexer =
      (lexer_t){.path = path, .next = file_text, .line = 1, .token_line = 1};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fprintf(stderr, "opgen: cannot open %s\n", path);
    return false;
  }
  size_t size = fread(file_text, 1, FILE_ROOM - 1, file);
  bool is_whole = feof(file) != 0;
  fclose(file);
  if (!is_whole) fprintf(stderr, "opgen: %s is too long\n", path);
  file_text[size] = '\0';
  return is_whole;
}

void lexer_fail(lexer_t *lexer, const char *message, const char *detail) {
  if (!lexer->is_failed) {
    fprintf(stderr, "%s:%d: %s '%s'\n", lexer->path, lexer->token_line, message,
            detail);
  }
  lexer->is_failed = true;
  lexer->token = TOKEN_END;
  lexer->text = "";
}

// Keeps one more character of the current token.
static void keep(lexer_t *lexer, char c) {
  if (texts_used + 1 >= TEXT_ROOM) {
    lexer_fail(lexer, "too much text", "");
    return;
  }
  texts[texts_used++] = c;
}

static void read_quoted(lexer_t *lexer) {
  ++lexer->next;
  while (*lexer->next != '"' && *lexer->next != '\0') {
    char c = *lexer->next++;
    if (c == '\\') {
      c = *lexer->next++;
      if (c == 'n') c = '\n';
      if (c == 't') c = '\t';
    }
    keep(lexer, c);
  }
  if (*lexer->next == '"') ++lexer->next;
}

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

// True for -1 and -inf, not for the "-" that takes away from a set.
static bool is_negative(const char *text) {
  return text[0] == '-' &&
         (isdigit((unsigned char)text[1]) || strncmp(text + 1, "inf", 3) == 0);
}

// True inside a word: letters, digits, and the ">" of Namespace>Op.
static bool goes_on(const char *text) {
  return is_word(text[0]) ||
         (text[0] == '>' && isalpha((unsigned char)text[1]));
}

static void read_word(lexer_t *lexer) {
  do {
    keep(lexer, *lexer->next++);
    // The sign of an exponent belongs to a number: 1e-05.
    char before = lexer->next[-1];
    if (*lexer->next == '-' && before == 'e' &&
        isdigit((unsigned char)lexer->next[-2])) {
      keep(lexer, *lexer->next++);
    }
  } while (goes_on(lexer->next));
}

static void read_sign(lexer_t *lexer) {
  char c = *lexer->next++;
  if (c == '>' && *lexer->next == '=') {
    ++lexer->next;
    c = 'G';
  }
  if (strchr("{([", c) != NULL) ++lexer->depth;
  if (strchr("})]", c) != NULL) --lexer->depth;
  keep(lexer, c);
}

// Skips blanks and comments; true when a statement ended on the way.
static bool skip_blanks(lexer_t *lexer) {
  bool is_ended = false;
  for (;; ++lexer->next) {
    char c = *lexer->next;
    if (c == '#') {
      while (*lexer->next != '\n' && *lexer->next != '\0') ++lexer->next;
      c = *lexer->next;
    }
    if (c == '\n') {
      ++lexer->line;
      if (lexer->depth == 0 && !lexer->is_after_comma) is_ended = true;
    } else if (c != ' ') {
      return is_ended;
    }
  }
}

void lexer_next(lexer_t *lexer) {
  if (lexer->is_failed) return;
  bool is_ended = skip_blanks(lexer);
  lexer->text = &texts[texts_used];
  char c = *lexer->next;
  if (is_ended && lexer->token != TOKEN_LINE) {
    lexer->token = TOKEN_LINE;
  } else if (c == '\0') {
    lexer->token = TOKEN_END;
  } else if (c == '"') {
    read_quoted(lexer);
    lexer->token = TOKEN_TEXT;
  } else if (is_word(c) || is_negative(lexer->next)) {
    read_word(lexer);
    lexer->token = TOKEN_WORD;
  } else {
    read_sign(lexer);
    lexer->token = TOKEN_SIGN;
  }
  lexer->is_after_comma = lexer->token == TOKEN_SIGN && (c == ',' || c == ';');
  if (lexer->token > TOKEN_LINE) lexer->token_line = lexer->line;
  keep(lexer, '\0');
}

bool lexer_at(const lexer_t *lexer, const char *text) {
  return (lexer->token == TOKEN_SIGN || lexer->token == TOKEN_WORD) &&
         strcmp(lexer->text, text) == 0;
}

bool lexer_accept(lexer_t *lexer, const char *text) {
  if (!lexer_at(lexer, text)) return false;
  lexer_next(lexer);
  return true;
}

void lexer_expect(lexer_t *lexer, const char *text) {
  if (!lexer_accept(lexer, text)) lexer_fail(lexer, "expected", text);
}

const char *lexer_word(lexer_t *lexer) {
  const char *text = lexer->text;
  if (lexer->token != TOKEN_WORD) {
    lexer_fail(lexer, "expected a name instead of", text);
    return "";
  }
  lexer_next(lexer);
  return text;
}

const char *lexer_value(lexer_t *lexer) {
  const char *text = lexer->text;
  if (lexer->token == TOKEN_TEXT) {
    lexer_next(lexer);
    return text;
  }
  return lexer_word(lexer);
}
