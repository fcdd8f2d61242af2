// log.c - The placement log, in three styles.
//
//   default  each line once, on stdout: the mapping, then a line per node as it
//            is placed
//   tf2      as TensorFlow 2.21: node lines on stdout and as records on stderr,
//            the mapping on stderr alone
//   classic  as the listings of 2015 to 2017: on stdout, old device names, no
//            ops, in the order of choose.c
//
// stdout is written through C's buffers. TensorFlow leaves them to be flushed
// at exit, and so does tf2; the other styles flush when a graph is placed.
#include "base/log.h"

#include <stdio.h>
#include <string.h>

#include "place/message_internal.h"

// Where TensorFlow 2.21 logs each of these.
enum {
  LINE_MAPPING = 382,          // direct_session.cc
  LINE_NODE = 162,             // placer.cc
  LINE_IGNORED_REQUEST = 308,  // colocation_graph.cc
  LINE_IGNORED_GROUP = 1092,
  LINE_MOVED = 1216,
};

static void print_mapping_line(const berth_place_device_t *device,
                               berth_log_style_t style, berth_str_t *str) {
  const char *description = device->description;
  if (style != BERTH_STYLE_CLASSIC) {
    berth_str_printf(str, "%s -> %s\n", device->name, description);
    return;
  }
  // Old descriptions end with the bus id.
  const char *end = strstr(description, ", compute capability: ");
  berth_device_name_print_legacy(&device->parsed, str);
  berth_str_puts(str, " -> ");
  berth_str_put(
      str, description,
      end != NULL ? (size_t)(end - description) : strlen(description));
  berth_str_putc(str, '\n');
}

static void print_mapping(const berth_place_options_t *options,
                          berth_str_t *str) {
  for (int i = 0; i < options->device_count; ++i) {
    const berth_place_device_t *device = &options->devices[i];
    if (device->description == NULL || device->description[0] == '\0') continue;
    if (str->size == 0) berth_str_puts(str, "Device mapping:\n");
    print_mapping_line(device, options->style, str);
  }
  if (str->size == 0) berth_str_puts(str, "Device mapping: no known devices.");
}

void berth_place_log_devices(const berth_place_options_t *options) {
  berth_str_t text = {0};
  print_mapping(options, &text);
  if (options->style == BERTH_STYLE_TF2) {
    berth_log(BERTH_LOG_INFO, "direct_session.cc", LINE_MAPPING, "%s",
              berth_str_get(&text));
  } else {
    bool is_ended = text.size > 0 && text.text[text.size - 1] == '\n';
    fputs(berth_str_get(&text), stdout);
    if (!is_ended) fputc('\n', stdout);
    fflush(stdout);
  }
  berth_str_clear(&text);
}

static void log_line(const berth_place_options_t *options, const char *name,
                     const char *op, const char *device) {
  printf("%s: (%s): %s\n", name, op, device);
  if (options->style == BERTH_STYLE_TF2) {
    berth_log(BERTH_LOG_INFO, "placer.cc", LINE_NODE, "%s: (%s): %s", name, op,
              device);
  }
}

void berth_place_log_node(const berth_placer_t *placer, int32_t id) {
  const berth_place_options_t *options = placer->options;
  if (!options->log) return;
  const berth_node_t *node = berth_graph_get(placer->graph, id);
  const berth_place_device_t *device =
      &options->devices[placer->placement.device[id]];
  if (options->style == BERTH_STYLE_CLASSIC) {
    berth_str_t name = {0};
    berth_device_name_print_legacy(&device->parsed, &name);
    printf("%s: %s\n", node->name, berth_str_get(&name));
    berth_str_clear(&name);
    return;
  }
  log_line(options, node->name, node->op->name, device->name);
}

void berth_place_log_ends(const berth_placer_t *placer) {
  const berth_place_options_t *options = placer->options;
  if (!options->log || options->style == BERTH_STYLE_CLASSIC) return;
  for (int i = 0; i < options->end_count; ++i) {
    log_line(options, options->ends[i].name, options->ends[i].op,
             options->devices[0].name);
  }
}

void berth_place_log_flush(const berth_placer_t *placer) {
  const berth_place_options_t *options = placer->options;
  if (options->log && options->style != BERTH_STYLE_TF2) fflush(stdout);
}

void berth_place_log_ignored_request(const berth_placer_t *placer,
                                     int32_t source, int32_t node,
                                     int32_t source_request, int32_t request) {
  const berth_place_options_t *options = placer->options;
  if (!options->log || options->style == BERTH_STYLE_CLASSIC) return;
  berth_str_t asked = {0}, stands = {0};
  berth_place_print_name(placer, request, &asked);
  berth_place_print_name(placer, source_request, &stands);
  berth_log(BERTH_LOG_INFO, "colocation_graph.cc", LINE_IGNORED_REQUEST,
            "Ignoring device specification %s for node '%s' because the input "
            "edge from '%s' is a reference connection and already has a device "
            "field set to %s",
            berth_str_get(&asked), berth_graph_get(placer->graph, node)->name,
            berth_graph_get(placer->graph, source)->name,
            berth_str_get(&stands));
  berth_str_clear(&asked);
  berth_str_clear(&stands);
}

void berth_place_log_ignored_group(const berth_placer_t *placer, int32_t node,
                                   const char *group, size_t group_size,
                                   const berth_error_t *why) {
  const berth_place_options_t *options = placer->options;
  if (!options->log || options->style == BERTH_STYLE_CLASSIC) return;
  berth_log(BERTH_LOG_INFO, "colocation_graph.cc", LINE_IGNORED_GROUP,
            "Ignoring request to colocate node '%s' with nodes in colocation "
            "group '%.*s' because soft placement is on and an attempt at doing "
            "so resulted in the following error: %s: %s",
            berth_graph_get(placer->graph, node)->name, (int)group_size, group,
            berth_code_name(why->code), berth_error_message(why));
}

void berth_place_log_moved(berth_placer_t *placer, int32_t root,
                           const berth_candidates_t *candidates) {
  if (placer->options->style == BERTH_STYLE_CLASSIC) return;
  berth_str_t text = {0};
  berth_str_puts(&text,
                 "Failed to place the graph without changing the devices of "
                 "some resources. Some of the operations (that had to be "
                 "colocated with resource generating operations) are not "
                 "supported on the resources' devices. Current candidate "
                 "devices are [");
  for (int i = 0; i < candidates->count; ++i) {
    berth_str_printf(&text, "\n  %s",
                     placer->options->devices[candidates->devices[i]].name);
  }
  berth_str_puts(&text, "].\nSee below for details of this colocation group:");
  berth_place_print_debug(placer, root, &text);
  berth_log(BERTH_LOG_WARNING, "colocation_graph.cc", LINE_MOVED, "%s",
            berth_str_get(&text));
  berth_str_clear(&text);
}
