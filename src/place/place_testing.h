// place_testing.h - What the tests of this room share: graphs written as
// tables, machines written as lists, and listings to compare.
//
//   static const row_t rows[] = {
//       {"a", "Const", .device = "/device:GPU:2"},
//       {"m", "MatMul", "a a"},
//   };
//   machine_t four = machine("CPU:0 GPU:0 GPU:1 GPU:2");
//   EXPECT_PLACED(rows, four, "m GPU:0 default\na GPU:2 asked\n");
//
// Include after harness.h.
#ifndef BERTH_PLACE_PLACE_TESTING_H_
#define BERTH_PLACE_PLACE_TESTING_H_

#include "base/log.h"
#include "place/place_internal.h"

#define UNUSED __attribute__((unused))

// Rows of tables say only what matters to their case.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

// ---- Graphs ----

// A node: inputs are "a b:1 ^c", groups "x y" become loc:@x and loc:@y.
typedef struct row {
  const char *name;
  const char *op;
  const char *inputs;
  const char *device;
  berth_dtype_t type;  // Of ops that need to be told; BERTH_FLOAT unless given.
  const char *groups;
} row_t;

// Copies the next word of |*text| into |word|; false at the end.
static bool next_word(const char **text, char *word, size_t size) {
  while (**text == ' ') ++*text;
  size_t length = strcspn(*text, " ");
  if (length == 0 || length >= size) return false;
  memcpy(word, *text, length);
  word[length] = '\0';
  *text += length;
  return true;
}

// Adds the inputs of |row|; ops with one list of inputs take them all at once.
static void add_inputs(berth_graph_t *graph, berth_op_t *op, const row_t *row) {
  berth_out_t list[16];
  char word[64];
  int count = 0;
  bool is_list = strcmp(row->op, "AddN") == 0 ||
                 strcmp(row->op, "Merge") == 0 ||
                 strcmp(row->op, "IdentityN") == 0;
  const char *text = row->inputs != NULL ? row->inputs : "";
  while (next_word(&text, word, sizeof(word))) {
    char *colon = strchr(word, ':');
    int index = colon != NULL ? colon[1] - '0' : 0;
    if (colon != NULL) *colon = '\0';
    if (word[0] == '^') {
      berth_op_control(op, berth_graph_find(graph, word + 1));
      continue;
    }
    berth_out_t out = {berth_graph_find(graph, word), index};
    if (is_list && count < 16) {
      list[count++] = out;
    } else {
      berth_op_input(op, out);
    }
  }
  if (is_list) berth_op_input_list(op, list, count);
}

// A matrix of one zero, a vector where it serves as a shape, a number where it
// does as a rate.
static void add_const(berth_op_t *op, berth_dtype_t type, const char *name) {
  static const char zeros[32];
  bool is_shape = strstr(name, "/shape") != NULL;
  size_t length = strlen(name);
  bool is_rate = length > 1 && name[length - 1] == 'k';
  berth_dims_t shape = is_shape  ? BERTH_SHAPE(1)
                       : is_rate ? BERTH_SCALAR
                                 : BERTH_SHAPE(1, 1);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *value = NULL;
  berth_code_t code =
      type == BERTH_STRING
          ? berth_tensor_create(type, BERTH_SCALAR, &value, &err)
          : berth_tensor_copy_from(type, shape, zeros, &value, &err);
  if (code != BERTH_OK) HARNESS_FAIL("%s", berth_error_message(&err));
  berth_op_attr_type(op, "dtype", type);
  berth_op_attr_tensor(op, "value", value);
  berth_tensor_release(value);
}

// Sets the attributes that cannot be inferred from inputs.
static void add_attrs(berth_op_t *op, const row_t *row) {
  static const char *const typed[][2] = {
      {"Placeholder", "dtype"},
      {"VariableV2", "dtype"},
      {"VarHandleOp", "dtype"},
      {"ReadVariableOp", "dtype"},
      {"RandomUniform", "dtype"},
      {"TensorListReserve", "element_dtype"},
      {"TensorListLength", NULL},
      {"NcclAllReduce", NULL},
      {"TensorListStack", "element_dtype"},
      {"EmptyTensorList", "element_dtype"},
  };
  berth_dtype_t type = row->type != BERTH_INVALID ? row->type : BERTH_FLOAT;
  if (strcmp(row->op, "Const") == 0) {
    add_const(op, type, row->name);
  }
  for (int i = 0; i < BERTH_COUNT_OF(typed); ++i) {
    if (strcmp(row->op, typed[i][0]) == 0 && typed[i][1] != NULL) {
      berth_op_attr_type(op, typed[i][1], type);
    }
  }
  if (strcmp(row->op, "VariableV2") == 0 ||
      strcmp(row->op, "VarHandleOp") == 0) {
    berth_op_attr_shape(op, "shape", BERTH_SHAPE(1, 1));
  }
  if (strcmp(row->op, "NcclAllReduce") == 0) {
    berth_op_attr_string(op, "reduction", "sum", 3);
    berth_op_attr_int(op, "num_devices", 1);
    berth_op_attr_string(op, "shared_name", "c", 1);
  }
}

static void add_groups(berth_op_t *op, const char *groups) {
  char words[4][64], texts[4][72];
  const char *list[4];
  size_t sizes[4];
  int count = 0;
  while (count < 4 && next_word(&groups, words[count], sizeof(words[count]))) {
    snprintf(texts[count], sizeof(texts[count]), "loc:@%s", words[count]);
    list[count] = texts[count];
    sizes[count] = strlen(texts[count]);
    ++count;
  }
  berth_op_attr_strings(op, "_class", list, sizes, count);
}

static UNUSED void add_rows(berth_graph_t *graph, const row_t *rows,
                            int count) {
  for (int i = 0; i < count; ++i) {
    berth_op_t *op = berth_op_begin_exact(graph, rows[i].op, rows[i].name);
    add_inputs(graph, op, &rows[i]);
    add_attrs(op, &rows[i]);
    if (rows[i].device != NULL) berth_op_device(op, rows[i].device);
    if (rows[i].groups != NULL) add_groups(op, rows[i].groups);
    berth_op_finish(op);
  }
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_graph_error(graph, &err) != BERTH_OK) {
    HARNESS_FAIL("the graph is wrong: %s", berth_error_message(&err));
  }
  berth_error_clear(&err);
}

static UNUSED berth_graph_t *build(const row_t *rows, int count) {
  berth_graph_t *graph = berth_graph_create();
  add_rows(graph, rows, count);
  return graph;
}
#define BUILD(rows) build(rows, BERTH_COUNT_OF(rows))

// ---- Machines ----

enum { MAX_DEVICES = 12 };

typedef struct machine {
  berth_place_device_t devices[MAX_DEVICES];
  char names[MAX_DEVICES][80];
  int count;
} machine_t;

// Fills |out| with the devices in |list|: "CPU:0 GPU:0 /job:w/task:1/cpu:0".
static UNUSED void make_machine(const char *list, machine_t *out) {
  static const char base[] = "/job:localhost/replica:0/task:0/device:CPU:0";
  char word[64];
  berth_error_t err = BERTH_ERROR_INIT;
  *out = (machine_t){.count = 0};
  while (out->count < MAX_DEVICES && next_word(&list, word, sizeof(word))) {
    berth_str_t full = {0};
    if (berth_device_name_canonicalise(word, base, &full, &err) != BERTH_OK) {
      HARNESS_FAIL("%s", berth_error_message(&err));
    }
    snprintf(out->names[out->count], sizeof(out->names[0]), "%s",
             berth_str_get(&full));
    berth_str_clear(&full);
    berth_place_device_t *device = &out->devices[out->count];
    *device = (berth_place_device_t){.name = out->names[out->count],
                                     .description = ""};
    if (!berth_device_name_parse(device->name, &device->parsed)) {
      HARNESS_FAIL("%s", device->name);
    }
    device->is_local = strncmp(device->name, base, 31) == 0;
    ++out->count;
  }
}

static UNUSED berth_place_options_t options_for(const machine_t *machine,
                                                const berth_graph_t *graph) {
  return (berth_place_options_t){.devices = machine->devices,
                                 .device_count = machine->count,
                                 .default_device = -1,
                                 .node_count = berth_graph_node_count(graph)};
}

// ---- Outcomes ----

static const char *short_name(const berth_place_device_t *device) {
  static const char local[] = "/job:localhost/replica:0/task:0/device:";
  size_t size = sizeof(local) - 1;
  return strncmp(device->name, local, size) == 0 ? device->name + size
                                                 : device->name;
}

// Appends `node GPU:0 reason other` for each node in the order of placement.
static UNUSED void print_placement(const berth_graph_t *graph,
                                   const berth_place_options_t *options,
                                   const berth_placement_t *placement,
                                   berth_str_t *str) {
  for (int i = 0; i < placement->node_count; ++i) {
    int32_t node = placement->order[i];
    if (node < 0) break;
    berth_str_printf(
        str, "%s %s %s", berth_node_name(graph, node),
        short_name(&options->devices[placement->device[node]]),
        berth_reason_name((berth_reason_t)placement->reason[node]));
    if (placement->because[node] >= 0) {
      berth_str_printf(str, " %s",
                       berth_node_name(graph, placement->because[node]));
    }
    berth_str_putc(str, '\n');
  }
}

// Appends the listing of |graph| placed with |options|, or the error.
static UNUSED void place_and_print(const berth_graph_t *graph,
                                   const berth_place_options_t *options,
                                   berth_str_t *str) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_placement_t placement;
  berth_code_t code = berth_place(graph, options, &placement, &err);
  if (code == BERTH_OK) {
    print_placement(graph, options, &placement, str);
    berth_placement_deinit(&placement);
  } else {
    berth_str_printf(str, "%s: %s", berth_code_name(code),
                     berth_error_message(&err));
  }
  berth_error_clear(&err);
}

// Places |rows| on the devices of |list| and compares with |expected|.
static UNUSED void check_rows(const row_t *rows, int count, const char *list,
                              bool soft, const char *expected) {
  machine_t machine;
  berth_str_t text = {0};
  berth_graph_t *graph = build(rows, count);
  make_machine(list, &machine);
  berth_place_options_t options = options_for(&machine, graph);
  options.allow_soft_placement = soft;
  place_and_print(graph, &options, &text);
  EXPECT_STR(berth_str_get(&text), expected);
  berth_str_clear(&text);
  berth_graph_release(graph);
}
#define EXPECT_PLACED(rows, list, expected) \
  check_rows(rows, BERTH_COUNT_OF(rows), list, false, expected)
#define EXPECT_PLACED_SOFTLY(rows, list, expected) \
  check_rows(rows, BERTH_COUNT_OF(rows), list, true, expected)

#endif  // BERTH_PLACE_PLACE_TESTING_H_
