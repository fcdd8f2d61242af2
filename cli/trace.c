// trace.c - A run's times as a file for trace viewers.
//
// RunMetadata { step_stats = 1 { dev_stats = 1 { device = 1, node_stats = 2 }}}
#include "trace.h"

#include <string.h>

#include "json.h"
#include "memory.h"
#include "term.h"
#include "wire.h"

// One node's times, in nanoseconds; texts borrowed from the message.
typedef struct node_times {
  const char *name, *label;
  size_t name_size, label_size;
  int64_t start, op_start, op_end, end;
  int64_t thread;
} node_times_t;

// Fields of NodeExecStats. Those in nanoseconds win over those in microseconds.
static node_times_t read_node(cli_wire_t wire) {
  node_times_t node = {0};
  int64_t micros[4] = {0}, nanos[4] = {0};
  while (cli_wire_next(&wire)) {
    int64_t number = (int64_t)wire.number;
    if (wire.field == 1) {
      node.name = wire.data;
      node.name_size = wire.size;
    } else if (wire.field == 8) {
      node.label = wire.data;
      node.label_size = wire.size;
    } else if (wire.field >= 2 && wire.field <= 5) {
      micros[wire.field - 2] = number;
    } else if (wire.field >= 13 && wire.field <= 16) {
      nanos[wire.field - 13] = number;
    } else if (wire.field == 10) {
      node.thread = number;
    }
  }
  int64_t *const times[] = {&node.start, &node.op_start, &node.op_end,
                            &node.end};
  for (int i = 0; i < 4; ++i) {
    *times[i] = nanos[i] != 0 ? nanos[i] : 1000 * micros[i];
  }
  return node;
}

// Finds the op in a label `name = Op(inputs)`; the name stands in without one.
static void find_op(const node_times_t *node, const char **out_op,
                    size_t *out_size) {
  *out_op = node->name != NULL ? node->name : "";
  *out_size = node->name_size;
  const char *equals = node->label != NULL
                           ? memmem(node->label, node->label_size, " = ", 3)
                           : NULL;
  if (equals == NULL) return;
  const char *op = equals + 3;
  size_t room = (size_t)(node->label + node->label_size - op);
  const char *bracket = memchr(op, '(', room);
  *out_op = op;
  *out_size = bracket != NULL ? (size_t)(bracket - op) : room;
}

static void write_node(cli_json_t *json, const node_times_t *node, int device) {
  const char *op = NULL;
  size_t op_size = 0;
  find_op(node, &op, &op_size);
  cli_json_open(json, NULL, '{');
  cli_json_bytes(json, "name", op, op_size);
  cli_json_text(json, "cat", "op");
  cli_json_text(json, "ph", "X");
  cli_json_decimal(json, "ts", (double)node->start / 1000);
  cli_json_decimal(json, "dur", (double)node->end / 1000);
  cli_json_int(json, "pid", device);
  cli_json_int(json, "tid", node->thread);
  cli_json_open(json, "args", '{');
  cli_json_bytes(json, "node", node->name != NULL ? node->name : "",
                 node->name_size);
  cli_json_bytes(json, "label", node->label != NULL ? node->label : "",
                 node->label_size);
  cli_json_decimal(json, "kernel_us",
                   (double)(node->op_end - node->op_start) / 1000);
  cli_json_close(json);
  cli_json_close(json);
}

// Names the process that stands for a device.
static void write_name(cli_json_t *json, const cli_wire_t *name, int device) {
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "name", "process_name");
  cli_json_text(json, "ph", "M");
  cli_json_int(json, "pid", device);
  cli_json_open(json, "args", '{');
  cli_json_bytes(json, "name", name->data != NULL ? name->data : "",
                 name->size);
  cli_json_close(json);
  cli_json_close(json);
}

static void write_device(cli_json_t *json, cli_wire_t stats, int device) {
  while (cli_wire_next(&stats)) {
    if (stats.field == 1) write_name(json, &stats, device);
    if (stats.field != 2) continue;
    node_times_t node = read_node(cli_wire_inside(&stats));
    write_node(json, &node, device);
  }
}

static void write_events(cli_json_t *json, cli_wire_t metadata) {
  int device = 0;
  while (cli_wire_next(&metadata)) {
    if (metadata.field != 1) continue;
    cli_wire_t stats = cli_wire_inside(&metadata);
    while (cli_wire_next(&stats)) {
      if (stats.field == 1)
        write_device(json, cli_wire_inside(&stats), device++);
    }
  }
}

static void write_trace(FILE *file, const void *metadata, size_t size) {
  cli_json_t json;
  cli_json_begin(&json, file);
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "displayTimeUnit", "ns");
  cli_json_open(&json, "traceEvents", '[');
  write_events(&json, cli_wire_open(metadata, size));
  cli_json_close(&json);
  cli_json_close(&json);
  cli_json_end(&json);
}

int cli_trace_write(const void *metadata, size_t size, const char *path) {
  char *text = NULL;
  size_t text_size = 0;
  FILE *file = cli_memory_open(&text, &text_size);
  if (file == NULL) return cli_fail("not enough memory for a trace");
  write_trace(file, metadata, size);
  bool is_whole = !ferror(file);
  is_whole = fclose(file) == 0 && is_whole;
  berth_error_t err = BERTH_ERROR_INIT;
  int status = CLI_OK;
  if (!is_whole) {
    status = cli_fail("not enough memory for a trace");
  } else if (berth_file_write(path, text, text_size, &err) != BERTH_OK) {
    status = cli_fail_with(NULL, &err);
  }
  cli_free(text);
  return status;
}
