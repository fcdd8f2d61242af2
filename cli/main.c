// main.c - The program `berth`: finds the command and runs it.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "graph_file.h"
#include "nearest.h"
#include "python.h"
#include "term.h"

static const cli_command_t *const COMMANDS[] = {
    &cli_cmd_run,     &cli_cmd_explain, &cli_cmd_plan,   &cli_cmd_report,
    &cli_cmd_devices, &cli_cmd_top,     &cli_cmd_memory, &cli_cmd_ops,
};
enum { COMMAND_COUNT = sizeof(COMMANDS) / sizeof(COMMANDS[0]) };

// Prints |text|; lines that are headings stand out on a terminal.
static void print_help(const char *text) {
  while (*text != '\0') {
    size_t size = strcspn(text, "\n");
    bool is_heading = size > 0 && text[0] != ' ' && text[size - 1] == ':';
    printf("%s%.*s%s\n", is_heading ? cli_bold(stdout) : "", (int)size, text,
           is_heading ? cli_plain(stdout) : "");
    text += size + (text[size] == '\n');
  }
}

static int help(void) {
  print_help(
      "Runs TensorFlow programs and graphs, and tells where operations go.\n"
      "\n"
      "Usage:\n"
      "  berth COMMAND [OPTIONS]\n"
      "\n"
      "Commands:\n");
  for (int i = 0; i < COMMAND_COUNT; ++i) {
    printf("  %-9s %s\n", COMMANDS[i]->name, COMMANDS[i]->summary);
  }
  print_help(
      "\n"
      "Options:\n"
      "  --help     explain a command: berth run --help\n"
      "  --version  print the version\n"
      "\n"
      "Environment:\n"
      "  BERTH_PLACEMENT_LOG   style of placement logs: default, tf2, classic\n"
      "  BERTH_GPU             which cards to use: auto, auto:2, 0,2\n"
      "  BERTH_SIMULATE_GPUS   cards to make in software, as --simulate\n"
      "  CUDA_VISIBLE_DEVICES  which cards to use, as the driver reads it\n"
      "  TF_CPP_MIN_LOG_LEVEL  1 hides information, 2 warnings, 3 errors\n"
      "  NO_COLOR              no colours on a terminal\n"
      "\n"
      "Exit status:\n"
      "  0 done, 1 it failed, 2 wrong usage\n");
  return CLI_OK;
}

// True when the arguments ask for help; what follows `--` is no option, and
// what follows a script belongs to the script.
static bool wants_help(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i) {
    if (cli_is_python(argv[i])) return false;
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      return true;
    }
  }
  return false;
}

static const cli_command_t *find_command(const char *name) {
  for (int i = 0; i < COMMAND_COUNT; ++i) {
    if (strcmp(COMMANDS[i]->name, name) == 0) return COMMANDS[i];
  }
  return NULL;
}

static int fail_unknown(const char *name) {
  cli_nearest_t near = {.word = name};
  for (int i = 0; i < COMMAND_COUNT; ++i) {
    cli_nearest_try(&near, COMMANDS[i]->name);
  }
  return cli_misuse(NULL, "there is no command '%s'%s", name,
                    cli_nearest_say(&near));
}

// Everything printed must have reached its reader.
static int finish(int status) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return status;
  return cli_fail("cannot write to standard output%s%s", errno != 0 ? ": " : "",
                  errno != 0 ? strerror(errno) : "");
}

int main(int argc, char **argv) {
  if (argc < 2) {
    cli_misuse(NULL,
               "which command? One of run, explain, plan, report, "
               "devices, top, memory, ops");
    return CLI_USAGE;
  }
  const char *name = argv[1];
  if (cli_ends_with(name, ".py")) return finish(cli_python_run(argc, argv));
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
      (strcmp(name, "help") == 0 && argc == 2)) {
    return finish(help());
  }
  if (strcmp(name, "--version") == 0) {
    puts("berth " BERTH_VERSION);
    return finish(CLI_OK);
  }
  bool is_help = strcmp(name, "help") == 0;
  const cli_command_t *command = find_command(is_help ? argv[2] : name);
  if (command == NULL) return fail_unknown(is_help ? argv[2] : name);
  if (is_help || wants_help(argc - 1, argv + 1)) {
    print_help(command->help);
    return finish(CLI_OK);
  }
  return finish(command->run(argc - 1, argv + 1));
}
