// command.h - The commands of `berth`.
#ifndef BERTH_CLI_COMMAND_H_
#define BERTH_CLI_COMMAND_H_

// A command: `berth NAME ...`.
typedef struct cli_command {
  const char *name;
  const char *summary;  // One line, for the list of commands.
  const char *help;     // What --help prints.
  // Does it; argv[0] is the command's name. Returns the exit status.
  int (*run)(int argc, char **argv);
} cli_command_t;

extern const cli_command_t cli_cmd_devices;
extern const cli_command_t cli_cmd_run;
extern const cli_command_t cli_cmd_explain;
extern const cli_command_t cli_cmd_plan;
extern const cli_command_t cli_cmd_report;
extern const cli_command_t cli_cmd_top;
extern const cli_command_t cli_cmd_memory;
extern const cli_command_t cli_cmd_ops;

#endif  // BERTH_CLI_COMMAND_H_
