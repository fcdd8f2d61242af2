// end_name.c - The names TensorFlow gives to the ends of a run.
#include "runtime/end_name.h"

int berth_end_name_feed(const berth_program_t *program, berth_out_t out) {
  const berth_signature_t *signature = &program->signature;
  for (int i = 0; i < signature->feed_count; ++i) {
    if (signature->feeds[i].node == out.node &&
        signature->feeds[i].index == out.index) {
      return i;
    }
  }
  return -1;
}

void berth_end_name_print(const berth_program_t *program, berth_out_t out,
                          berth_str_t *str) {
  const char *name = berth_graph_get(program->host->graph, out.node)->name;
  int feed = berth_end_name_feed(program, out);
  if (feed >= 0) {
    berth_str_printf(str, "_arg_%s_%d_%d", name, out.index, feed);
  } else if (out.index > 0) {
    berth_str_printf(str, "%s:%d", name, out.index);
  } else {
    berth_str_puts(str, name);
  }
}

void berth_end_name_print_retval(const berth_program_t *program, int index,
                                 berth_str_t *str) {
  berth_out_t out = program->signature.fetches[index];
  berth_str_printf(str, "_retval_%s_%d_%d",
                   berth_graph_get(program->host->graph, out.node)->name,
                   out.index, index);
}
