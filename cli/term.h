// term.h - Talking to people: colour, progress, failures.
//
// Colour and progress appear on a terminal only, and no colour where NO_COLOR
// is set to anything or TERM is "dumb"; a pipe gets plain text.
#ifndef BERTH_CLI_TERM_H_
#define BERTH_CLI_TERM_H_

#include <berth/berth.h>
#include <stdbool.h>
#include <stdio.h>

// What the program exits with.
enum {
  CLI_OK = 0,
  CLI_FAILED = 1,  // What was asked for could not be done.
  CLI_USAGE = 2,   // It was not asked for properly.
};

// Returns what switches a style on for |file|, "" where there is no colour.
const char *cli_bold(FILE *file);
const char *cli_dim(FILE *file);
const char *cli_green(FILE *file);
const char *cli_red(FILE *file);
// Returns what switches all of them off.
const char *cli_plain(FILE *file);

// Shows one passing line on stderr, over the one before; NULL takes it away.
// Nothing happens when stderr is no terminal.
void cli_progress(const char *text);

// Prints `berth: ...` on stderr and returns CLI_FAILED.
__attribute__((format(printf, 1, 2))) int cli_fail(const char *format, ...);

// Prints `berth: ...` and where to read on, for the command called |command|
// (NULL: none), and returns CLI_USAGE.
__attribute__((format(printf, 2, 3))) int cli_misuse(const char *command,
                                                     const char *format, ...);

// Prints the text of |err|, after "|what|: " unless that is NULL, clears it and
// returns CLI_FAILED.
int cli_fail_with(const char *what, berth_error_t *err);

// Makes |err| say that, and returns BERTH_INVALID_ARGUMENT. Texts of more than
// 511 bytes are cut.
__attribute__((format(printf, 2, 3))) berth_code_t cli_refuse(
    berth_error_t *err, const char *format, ...);

#endif  // BERTH_CLI_TERM_H_
