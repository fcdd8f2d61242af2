// opgen.c - Turns ops.def, known.def and shapes.def into C.
//
//   opgen ops.def known.def shapes.def op_table.c ops.h ops.c
//       grad_table.c
//
// Runs while Berth is built, before anything else is compiled, so it depends on
// two headers and on nothing that is linked.
#include <string.h>

#include "model.h"

static bool write_file(const char *path, void (*write)(FILE *file)) {
  FILE *file = fopen(path, "w");
  if (file == NULL) {
    fprintf(stderr, "opgen: cannot write %s\n", path);
    return false;
  }
  write(file);
  bool is_bad = ferror(file) != 0;
  bool is_closed = fclose(file) == 0;
  if (is_bad || !is_closed) {
    fprintf(stderr, "opgen: cannot write all of %s\n", path);
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  if (argc != 8) {
    fprintf(stderr,
            "usage: opgen ops.def known.def shapes.def op_table.c ops.h "
            "ops.c grad_table.c\n");
    return 2;
  }
  bool is_done = opgen_parse(argv[1], argv[2]) && opgen_parse_rules(argv[3]) &&
                 write_file(argv[4], opgen_write_table) &&
                 write_file(argv[5], opgen_write_builders_header) &&
                 write_file(argv[6], opgen_write_builders_source) &&
                 write_file(argv[7], opgen_write_gradients);
  return is_done ? 0 : 1;
}
