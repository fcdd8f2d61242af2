// random_test.c - Random graphs, placed as TensorFlow 2.21 placed them.
//
// tests/data/oracle/placements.txt has the graphs and what TensorFlow logged or
// said; random_placements.py beside it made the file.
#include "harness.h"
// The harness defines main() and comes first.
#include "place/place_testing.h"

// One case as it is read.
typedef struct random_case {
  berth_graph_t *graph;
  bool soft;
  int number;
  berth_str_t expected;  // Lines below "placed".
} random_case_t;

// Splits |line| at its bars into |fields|.
static void split(char *line, const char **fields, int count) {
  for (int i = 0; i < count; ++i) {
    fields[i] = line;
    char *bar = strchr(line, '|');
    if (bar == NULL) continue;
    *bar = '\0';
    line = bar + 1;
  }
}

static void add_node(berth_graph_t *graph, char *line) {
  const char *fields[5];
  split(line, fields, 5);
  row_t row = {fields[0], fields[1], fields[2], fields[3]};
  row.groups = fields[4][0] != '\0' ? fields[4] : NULL;
  add_rows(graph, &row, 1);
}

// Appends a line, unless it says which types support an op of a set: TensorFlow
// lists those in the order of a hash table.
static void put_line(berth_str_t *str, const char *line, size_t size) {
  static const char ending[] = ": CPU ";
  size_t length = sizeof(ending) - 1;
  if (size > length && memcmp(line + size - length, ending, length) == 0) {
    return;
  }
  berth_str_put(str, line, size);
  berth_str_putc(str, '\n');
}

static void ignore_record(berth_log_level_t level, const char *file, int line,
                          const char *text, void *arg) {
  (void)level, (void)file, (void)line, (void)text, (void)arg;
}

// Appends an error with a tab before each line but the first.
static void print_error(const berth_error_t *err, berth_str_t *str) {
  berth_str_t text = {0};
  berth_str_printf(&text, "error %s", berth_error_message(err));
  const char *line = berth_str_get(&text);
  for (bool is_first = true; *line != '\0'; is_first = false) {
    size_t size = strcspn(line, "\n");
    berth_str_t whole = {0};
    if (!is_first) berth_str_putc(&whole, '\t');
    berth_str_put(&whole, line, size);
    put_line(str, berth_str_get(&whole), whole.size);
    berth_str_clear(&whole);
    line += size + (line[size] == '\n');
  }
  berth_str_clear(&text);
}

// Appends the lines of a placement, or the error, as the file has them.
static void print_outcome(const random_case_t *one, berth_str_t *str) {
  machine_t machine;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_placement_t placement;
  make_machine("CPU:0 CPU:1 CPU:2 CPU:3", &machine);
  berth_place_options_t options = options_for(&machine, one->graph);
  options.allow_soft_placement = one->soft;
  if (berth_place(one->graph, &options, &placement, &err) != BERTH_OK) {
    print_error(&err, str);
    berth_error_clear(&err);
    return;
  }
  for (int i = 0; i < placement.node_count; ++i) {
    int32_t node = placement.order[i];
    berth_str_printf(str, "%s: (%s): %s\n", berth_node_name(one->graph, node),
                     berth_node_op(one->graph, node),
                     machine.devices[placement.device[node]].name);
  }
  berth_placement_deinit(&placement);
}

// Compares what there is of |one|, and makes it ready for the next graph. Where
// TensorFlow fails it has logged some nodes, which the outcome here leaves out.
static void check_case(random_case_t *one) {
  if (one->graph != NULL) {
    berth_str_t outcome = {0};
    print_outcome(one, &outcome);
    const char *expected = berth_str_get(&one->expected);
    const char *error = strstr(expected, "error ");
    if (error != NULL) expected = error;
    if (strcmp(berth_str_get(&outcome), expected) != 0) {
      HARNESS_FAIL("case %d is\n%sexpected\n%s", one->number,
                   berth_str_get(&outcome), expected);
    }
    berth_str_clear(&outcome);
    berth_graph_release(one->graph);
  }
  berth_str_clear(&one->expected);
  one->graph = NULL;
  ++one->number;
}

static void read_line(random_case_t *one, char *line) {
  line[strcspn(line, "\n")] = '\0';
  if (berth_has_prefix(line, "graph ")) {
    check_case(one);
    one->graph = berth_graph_create();
    one->soft = strcmp(line + 6, "soft") == 0;
  } else if (berth_has_prefix(line, "node ")) {
    add_node(one->graph, line + 5);
  } else if (strcmp(line, "placed") != 0) {
    put_line(&one->expected, line, strlen(line));
  }
}

TEST(random, agrees_with_tensorflow) {
  char line[4096];
  random_case_t one = {.number = -1};
  FILE *file = fopen(BERTH_SOURCE_DIR "/tests/data/oracle/placements.txt", "r");
  ASSERT_TRUE(file != NULL);
  berth_log_set_callback(ignore_record, NULL);
  while (fgets(line, sizeof(line), file) != NULL) read_line(&one, line);
  check_case(&one);
  fclose(file);
  EXPECT_EQ(one.number, 120);
}
