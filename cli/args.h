// args.h - Options of a command.
//
//   const cli_option_t options[] = {
//       {"--fetch", CLI_LIST, &fetches},
//       {"--json", CLI_FLAG, &is_json},
//       {NULL, 0, NULL}};
//   int status = cli_args_parse("run", argc, argv, options, &others);
//
// A value follows as `--name=value` or `--name value`. What does not begin with
// a dash, and everything after `--`, is no option.
#ifndef BERTH_CLI_ARGS_H_
#define BERTH_CLI_ARGS_H_

#include <stdint.h>

#include "memory.h"

typedef enum cli_kind {
  CLI_FLAG,     // bool: there or not.
  CLI_VALUE,    // const char *: the last one given.
  CLI_LIST,     // cli_list_t: every one given.
  CLI_MAYBE,    // const char *: value only with `=`, "" without.
  CLI_COUNT,    // int: a whole number from 1 on.
  CLI_SECONDS,  // int64_t: a decimal number of seconds, in milliseconds.
} cli_kind_t;

typedef struct cli_option {
  const char *name;  // NULL ends a table.
  cli_kind_t kind;
  void *target;  // Of the type that the kind says.
} cli_option_t;

// Reads |argv| from 1 on. Values are borrowed from it. Returns CLI_OK, or
// CLI_USAGE after telling what is wrong.
int cli_args_parse(const char *command, int argc, char **argv,
                   const cli_option_t *options, cli_list_t *others);

// Reads a whole number from |minimum| to INT_MAX; false for anything else.
bool cli_parse_int(const char *text, int minimum, int *out_value);

// Reads a size such as 4GiB, 512M or 1000000; false for anything else.
bool cli_parse_bytes(const char *text, uint64_t *out_bytes);

#endif  // BERTH_CLI_ARGS_H_
