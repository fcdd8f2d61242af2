// args.c - Options of a command.
#include "args.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nearest.h"
#include "term.h"

bool cli_parse_int(const char *text, int minimum, int *out_value) {
  char *end = NULL;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0) return false;
  if (value < minimum || value > INT_MAX) return false;
  *out_value = (int)value;
  return true;
}

static bool parse_seconds(const char *text, int64_t *out_ms) {
  char *end = NULL;
  double value = strtod(text, &end);
  // A million seconds is more than anybody waits, and fits any integer.
  if (end == text || *end != '\0' || !(value > 0) || value > 1e6) return false;
  *out_ms = (int64_t)ceil(value * 1000);
  return true;
}

// Returns the option that |arg| names, and its value after "=" or NULL.
static const cli_option_t *find_option(const cli_option_t *options,
                                       const char *arg,
                                       const char **out_value) {
  size_t size = strcspn(arg, "=");
  for (; options->name != NULL; ++options) {
    if (strlen(options->name) == size &&
        strncmp(options->name, arg, size) == 0) {
      *out_value = arg[size] == '=' ? arg + size + 1 : NULL;
      return options;
    }
  }
  return NULL;
}

// Stores |value| where |option| says.
static int store(const char *command, const cli_option_t *option,
                 const char *value) {
  switch (option->kind) {
    case CLI_FLAG:
      *(bool *)option->target = true;
      return CLI_OK;
    case CLI_VALUE:
    case CLI_MAYBE:
      *(const char **)option->target = value;
      return CLI_OK;
    case CLI_LIST:
      if (cli_list_add(option->target, value)) return CLI_OK;
      return cli_fail("not enough memory for the arguments");
    case CLI_COUNT:
      if (cli_parse_int(value, 1, option->target)) return CLI_OK;
      return cli_misuse(command, "%s needs a whole number from 1 on, not '%s'",
                        option->name, value);
    case CLI_SECONDS:
      if (parse_seconds(value, option->target)) return CLI_OK;
      return cli_misuse(command, "%s needs a number of seconds, not '%s'",
                        option->name, value);
  }
  return CLI_USAGE;
}

static int fail_unknown(const char *command, const char *arg,
                        const cli_option_t *options) {
  char name[64];
  snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg, "="), arg);
  cli_nearest_t near = {.word = name};
  for (; options->name != NULL; ++options) {
    cli_nearest_try(&near, options->name);
  }
  return cli_misuse(command, "unknown option '%s'%s", arg,
                    cli_nearest_say(&near));
}

// Reads the option at |*index|, and its value, which may be the next argument.
static int read_option(const char *command, int argc, char **argv,
                       const cli_option_t *options, int *index) {
  const char *value = NULL;
  const cli_option_t *option = find_option(options, argv[*index], &value);
  if (option == NULL) return fail_unknown(command, argv[*index], options);
  if (option->kind == CLI_FLAG && value != NULL) {
    return cli_misuse(command, "%s takes no value", option->name);
  }
  if (option->kind == CLI_MAYBE && value == NULL) value = "";
  if (option->kind != CLI_FLAG && value == NULL) {
    if (*index + 1 >= argc) {
      return cli_misuse(command, "%s needs a value", option->name);
    }
    value = argv[++*index];
  }
  return store(command, option, value);
}

int cli_args_parse(const char *command, int argc, char **argv,
                   const cli_option_t *options, cli_list_t *others) {
  bool is_over = false;
  for (int i = 1; i < argc; ++i) {
    if (!is_over && strcmp(argv[i], "--") == 0) {
      is_over = true;
    } else if (is_over || argv[i][0] != '-' || argv[i][1] == '\0') {
      if (!cli_list_add(others, argv[i])) {
        return cli_fail("not enough memory for the arguments");
      }
    } else {
      int status = read_option(command, argc, argv, options, &i);
      if (status != CLI_OK) return status;
    }
  }
  return CLI_OK;
}

bool cli_parse_bytes(const char *text, uint64_t *out_bytes) {
  static const struct {
    const char *name;
    double bytes;
  } units[] = {{"", 1},          {"B", 1},         {"K", 1 << 10},
               {"KIB", 1 << 10}, {"M", 1 << 20},   {"MIB", 1 << 20},
               {"G", 1 << 30},   {"GIB", 1 << 30}, {"T", 0x1p40},
               {"TIB", 0x1p40},  {"KB", 1e3},      {"MB", 1e6},
               {"GB", 1e9},      {"TB", 1e12}};
  if (*text < '0' || *text > '9') return false;
  char *end = NULL;
  double value = strtod(text, &end);
  while (*end == ' ') ++end;
  for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); ++i) {
    if (strcasecmp(end, units[i].name) != 0) continue;
    value *= units[i].bytes;
    if (!(value < 0x1p63)) return false;
    *out_bytes = (uint64_t)value;
    return true;
  }
  return false;
}
