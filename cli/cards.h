// cards.h - GPUs on the command line: showing them, and simulating some.
#ifndef BERTH_CLI_CARDS_H_
#define BERTH_CLI_CARDS_H_

#include "json.h"

// Makes this process work on cards made in software, as --simulate SPEC says;
// NULL changes nothing. Before anything is asked about devices. Returns the
// exit status; tells what is wrong with |spec|, for the command |command|.
int cli_simulate(const char *command, const char *spec);

// Makes this process look at all cards, whatever BERTH_GPU says, those that
// --simulate |spec| makes (NULL: none). Returns the exit status.
int cli_all_cards(const char *command, const char *spec);

// Makes this process use the cards that --gpu |wish| names; NULL changes
// nothing. |is_verbose|: it tells which these are. Returns the exit status.
int cli_choose_cards(const char *wish, bool is_verbose);

// Drops the lines of the log that announce devices: they say nothing that is
// not in a table. Warnings and errors are told as failures are.
void cli_announce_nothing(void);

// Prints the cards of this machine as a table, or one line that says why there
// is none. Returns the exit status.
int cli_cards_print(void);

// Writes them as members "cards" and "no_card" of the object that is open.
// Returns the exit status.
int cli_cards_write(cli_json_t *json);

#endif  // BERTH_CLI_CARDS_H_
