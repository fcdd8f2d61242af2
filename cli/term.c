// term.c - Talking to people.
#include "term.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_colour(FILE *file) {
  const char *no_colour = getenv("NO_COLOR");
  const char *term = getenv("TERM");
  if (no_colour != NULL && no_colour[0] != '\0') return false;
  if (term == NULL || strcmp(term, "dumb") == 0) return false;
  return isatty(fileno(file)) != 0;
}

static const char *when_coloured(FILE *file, const char *code) {
  return has_colour(file) ? code : "";
}

const char *cli_bold(FILE *file) { return when_coloured(file, "\033[1m"); }
const char *cli_dim(FILE *file) { return when_coloured(file, "\033[2m"); }
const char *cli_green(FILE *file) { return when_coloured(file, "\033[32m"); }
const char *cli_red(FILE *file) { return when_coloured(file, "\033[31m"); }
const char *cli_plain(FILE *file) { return when_coloured(file, "\033[0m"); }

void cli_progress(const char *text) {
  if (!isatty(STDERR_FILENO)) return;
  // Back to the start of the line, text, clear the rest.
  fprintf(stderr, "\r%s\033[K", text != NULL ? text : "");
  fflush(stderr);
}

// What was printed before comes first, also when both go to one file.
static void begin_failure(void) {
  cli_progress(NULL);
  fflush(stdout);
  fprintf(stderr, "%sberth:%s ", cli_red(stderr), cli_plain(stderr));
}

int cli_fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  begin_failure();
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return CLI_FAILED;
}

int cli_misuse(const char *command, const char *format, ...) {
  va_list args;
  va_start(args, format);
  begin_failure();
  vfprintf(stderr, format, args);
  va_end(args);
  fprintf(stderr, "\nTry 'berth%s%s --help'.\n", command != NULL ? " " : "",
          command != NULL ? command : "");
  return CLI_USAGE;
}

int cli_fail_with(const char *what, berth_error_t *err) {
  const char *text = berth_error_message(err);
  if (what != NULL) {
    cli_fail("%s: %s", what, text);
  } else {
    cli_fail("%s", text);
  }
  berth_error_clear(err);
  return CLI_FAILED;
}

berth_code_t cli_refuse(berth_error_t *err, const char *format, ...) {
  va_list args;
  va_start(args, format);
  berth_error_clear(err);
  err->code = BERTH_INVALID_ARGUMENT;
  vsnprintf(err->text, sizeof(err->text), format, args);
  va_end(args);
  return err->code;
}
