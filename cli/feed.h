// feed.h - Values for a run, from files and from the command line.
#ifndef BERTH_CLI_FEED_H_
#define BERTH_CLI_FEED_H_

#include <berth/berth.h>

#include "memory.h"

// Reads `NAME=@file.npy` or `NAME=VALUE` (literal.h) for an output of |graph|
// into |feed|, whose tensor is then to be released. Returns the exit status;
// tells what is wrong.
int cli_feed_parse(const berth_graph_t *graph, const char *text,
                   berth_feed_t *feed);

// Finds the output called |name|. Returns the exit status; tells what is wrong.
int cli_find_out(const berth_graph_t *graph, const char *name,
                 berth_out_t *out);

#endif  // BERTH_CLI_FEED_H_
