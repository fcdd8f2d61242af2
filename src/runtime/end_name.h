// end_name.h - The names TensorFlow gives to the ends of a run.
//
// A feed becomes a node `_arg_<node>_<index>_<n>` and a fetch a node
// `_retval_<node>_<index>_<n>` in what a run tells about itself.
#ifndef BERTH_RUNTIME_END_NAME_H_
#define BERTH_RUNTIME_END_NAME_H_

#include "exec/prune.h"
#include "place/place.h"

// Appends who makes |out| in |program|: the node of its feed, or the node's own
// name with ":index" behind it unless that is 0.
void berth_end_name_print(const berth_program_t *program, berth_out_t out,
                          berth_str_t *str);

// Appends the name of the node that stands for fetch |index|.
void berth_end_name_print_retval(const berth_program_t *program, int index,
                                 berth_str_t *str);

// Stores the ends of a run in |arena|, as they are logged when only the nodes
// that |prune| has found are placed: feeds that one of them takes, then
// fetches. Either kind is sorted by name and numbered so, whether logged or
// not.
BERTH_NODISCARD berth_code_t
berth_end_names_list(const berth_graph_t *graph, const berth_prune_t *prune,
                     berth_arena_t *arena, const berth_place_end_t **out_ends,
                     int *out_count, berth_error_t *err);

// Returns the index of the feed for |out|, or -1.
int berth_end_name_feed(const berth_program_t *program, berth_out_t out);

#endif  // BERTH_RUNTIME_END_NAME_H_
