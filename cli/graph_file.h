// graph_file.h - Graphs in files.
#ifndef BERTH_CLI_GRAPH_FILE_H_
#define BERTH_CLI_GRAPH_FILE_H_

#include <berth/berth.h>

// Reads the GraphDef at |path| ("-": standard input) into a new graph: text
// where the name ends in .pbtxt or .txt, binary elsewhere. Returns NULL after
// telling what is wrong.
berth_graph_t *cli_graph_open(const char *path);

// True when |text| ends in |ending|.
bool cli_ends_with(const char *text, const char *ending);

#endif  // BERTH_CLI_GRAPH_FILE_H_
