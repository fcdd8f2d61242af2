// cmd_plan.c - `berth plan`: how much memory a run will take.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cards.h"
#include "command.h"
#include "feed.h"
#include "graph_file.h"
#include "table.h"
#include "term.h"

static const char HELP[] =
    "Tells how much memory a run will take of each device, step by step, and\n"
    "which values make the most of it. Runs nothing.\n"
    "\n"
    "Usage:\n"
    "  berth plan GRAPH [OPTIONS]\n"
    "\n"
    "  GRAPH is a GraphDef: binary (.pb), text (.pbtxt, .txt), or - for\n"
    "  standard input.\n"
    "\n"
    "Options:\n"
    "  --feed-shape NAME=SHAPE  what is fed: x=128,24,24,3; a ? is the batch;\n"
    "                           placeholders of known shape need none\n"
    "  --fetch NAME             what is computed; otherwise what nothing uses\n"
    "  --target NODE            run this too\n"
    "  --batch N                what ? stands for\n"
    "  --limit SIZE             tell the largest batch that takes at most\n"
    "                           4GiB, 512MiB, ...\n"
    "  --device NAME            of this device; otherwise of every GPU that "
    "is\n"
    "                           used, or the CPU\n"
    "  --steps                  print what is held at every step\n"
    "  --simulate SPEC          make cards in software\n"
    "  --soft-placement         use another device where the one asked for is\n"
    "                           missing or cannot do it\n"
    "  --json                   as JSON\n"
    "\n"
    "Examples:\n"
    "  berth plan model.pb --feed-shape x=128,24,24,3\n"
    "  berth plan model.pb --feed-shape x=?,24,24,3 --limit 4GiB\n";

enum { SHOWN = 10 };

typedef struct request {
  cli_list_t graphs, shapes, fetches, targets;
  int batch;
  const char *limit, *device, *simulate;
  bool has_steps, is_soft, is_json;
  uint64_t limit_bytes;
} request_t;

// The run that is planned. Shapes lie one behind the other in |dims|.
typedef struct plan {
  berth_graph_t *graph;
  berth_session_t *session;
  berth_shape_feed_t *feeds;
  berth_shape_t *shapes;
  berth_out_t *fetches;
  berth_node_id_t *targets;
  berth_memory_request_t run;
} plan_t;

// ---- What is fed ----

// Reads `128,?,3` into |shape|.
static bool shape_parse(const char *text, berth_shape_t *shape) {
  shape->rank = 0;
  if (*text == '\0') return true;
  for (;;) {
    if (shape->rank == BERTH_MAX_RANK) return false;
    char *end = NULL;
    if (*text == '?') {
      shape->dims[shape->rank++] = -1;
      end = (char *)(uintptr_t)(text + 1);
    } else {
      long long size = *text == '-' ? -1 : strtoll(text, &end, 10);
      if (end == text || end == NULL || size < 0) return false;
      shape->dims[shape->rank++] = size;
    }
    if (*end == '\0') return true;
    if (*end != ',') return false;
    text = end + 1;
  }
}

static int feed_add(plan_t *plan, berth_out_t out) {
  int i = plan->run.feed_count++;
  plan->feeds[i] =
      (berth_shape_feed_t){out, {plan->shapes[i].rank, plan->shapes[i].dims}};
  return CLI_OK;
}

// Reads `x=128,24,24,3`.
static int feed_parse(plan_t *plan, const char *text) {
  const char *shape = strchr(text, '=');
  if (shape == NULL ||
      !shape_parse(shape + 1, &plan->shapes[plan->run.feed_count])) {
    return cli_misuse("plan", "--feed-shape needs NAME=2,3,?, not '%s'", text);
  }
  cli_text_t name = {0};
  berth_out_t out = {0};
  cli_text_put(&name, text, (size_t)(shape - text));
  int status = cli_find_out(plan->graph, cli_text_get(&name), &out);
  cli_text_clear(&name);
  return status == CLI_OK ? feed_add(plan, out) : status;
}

static bool is_fed(const plan_t *plan, berth_out_t out) {
  for (int i = 0; i < plan->run.feed_count; ++i) {
    berth_out_t fed = plan->feeds[i].out;
    if (fed.node == out.node && fed.index == out.index) return true;
  }
  return false;
}

// Feeds placeholders whose shapes are known, the batch apart.
static void feed_known(plan_t *plan) {
  int count = berth_graph_node_count(plan->graph);
  for (berth_node_id_t node = 0; node < count; ++node) {
    berth_out_t out = {node, 0};
    if (strcmp(berth_node_op(plan->graph, node), "Placeholder") != 0 ||
        is_fed(plan, out)) {
      continue;
    }
    berth_shape_t *shape = &plan->shapes[plan->run.feed_count];
    berth_out_shape(plan->graph, out, shape);
    bool is_known = shape->rank >= 0;
    for (int32_t d = 1; d < shape->rank; ++d) {
      is_known = is_known && shape->dims[d] >= 0;
    }
    if (is_known) feed_add(plan, out);
  }
}

// A batch has a size, or is to be found.
static int batch_check(const plan_t *plan, const request_t *request) {
  for (int i = 0; i < plan->run.feed_count; ++i) {
    const berth_shape_t *shape = &plan->shapes[i];
    for (int32_t d = 0; d < shape->rank; ++d) {
      if (shape->dims[d] >= 0 || request->batch > 0 || request->limit != NULL) {
        continue;
      }
      return cli_fail(
          "%s is fed with batches: say how large with --batch N, or ask for "
          "the largest with --limit SIZE",
          berth_node_name(plan->graph, plan->feeds[i].out.node));
    }
  }
  return CLI_OK;
}

// ---- What is fetched ----

static bool is_used(const berth_graph_t *graph, berth_node_id_t node) {
  int outputs = berth_node_output_count(graph, node);
  for (int i = 0; i < outputs; ++i) {
    berth_out_t out = {node, i};
    if (berth_out_consumers(graph, out, NULL, 0) > 0) return true;
  }
  return berth_node_control_consumers(graph, node, NULL, 0) > 0;
}

// Fetches what nothing uses, and runs what has no outputs.
static void fetch_ends(plan_t *plan) {
  int count = berth_graph_node_count(plan->graph);
  for (berth_node_id_t node = 0; node < count; ++node) {
    berth_out_t out = {node, 0};
    if (is_used(plan->graph, node) || is_fed(plan, out)) continue;
    if (berth_node_output_count(plan->graph, node) > 0) {
      plan->fetches[plan->run.fetch_count++] = out;
    } else {
      plan->targets[plan->run.target_count++] = node;
    }
  }
}

static int ends_read(plan_t *plan, const request_t *request) {
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < request->fetches.count; ++i) {
    int status = cli_find_out(plan->graph, request->fetches.items[i],
                              &plan->fetches[plan->run.fetch_count++]);
    if (status != CLI_OK) return status;
  }
  plan->run.target_count = request->targets.count;
  if (request->targets.count > 0 &&
      berth_graph_find_targets(plan->graph, request->targets.items,
                               request->targets.count, plan->targets,
                               &err) != BERTH_OK) {
    return cli_fail_with(NULL, &err);
  }
  if (request->fetches.count == 0 && request->targets.count == 0) {
    fetch_ends(plan);
  }
  return CLI_OK;
}

// ---- Making ----

static void plan_clear(plan_t *plan) {
  berth_session_destroy(plan->session);
  berth_graph_release(plan->graph);
  cli_free(plan->feeds);
  cli_free(plan->shapes);
  cli_free(plan->fetches);
  cli_free(plan->targets);
}

static int plan_open(plan_t *plan, const request_t *request) {
  plan->graph = cli_graph_open(request->graphs.items[0]);
  if (plan->graph == NULL) return CLI_FAILED;
  size_t nodes = (size_t)berth_graph_node_count(plan->graph) + 1;
  size_t feeds = nodes + (size_t)request->shapes.count;
  plan->feeds = cli_calloc(feeds, sizeof(*plan->feeds));
  plan->shapes = cli_calloc(feeds, sizeof(*plan->shapes));
  plan->fetches = cli_calloc(nodes + (size_t)request->fetches.count,
                             sizeof(*plan->fetches));
  plan->targets = cli_calloc(nodes + (size_t)request->targets.count,
                             sizeof(*plan->targets));
  if (plan->feeds == NULL || plan->shapes == NULL || plan->fetches == NULL ||
      plan->targets == NULL) {
    return cli_fail("not enough memory for the graph");
  }
  for (int i = 0; i < request->shapes.count; ++i) {
    int status = feed_parse(plan, request->shapes.items[i]);
    if (status != CLI_OK) return status;
  }
  feed_known(plan);
  int status = batch_check(plan, request);
  if (status == CLI_OK) status = ends_read(plan, request);
  if (status != CLI_OK) return status;
  plan->run.feeds = plan->feeds;
  plan->run.fetches = plan->fetches;
  plan->run.targets = plan->targets;
  plan->run.batch = request->batch;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_config_t config = BERTH_CONFIG_INIT;
  config.allow_soft_placement = request->is_soft;
  if (berth_session_create(plan->graph, &config, &plan->session, &err) !=
      BERTH_OK) {
    return cli_fail_with(NULL, &err);
  }
  return CLI_OK;
}

// ---- Telling ----

static const char *short_name(const char *device) {
  const char *part = strstr(device, "/device:");
  return part != NULL ? part + strlen("/device:") : device;
}

static void shape_print(berth_dims_t shape, cli_text_t *text) {
  cli_text_puts(text, "[");
  for (int32_t i = 0; i < shape.rank; ++i) {
    cli_text_printf(text, "%s%lld", i > 0 ? "," : "", (long long)shape.dims[i]);
  }
  cli_text_puts(text, "]");
}

static void print_memories(const berth_memory_plan_t *plan) {
  cli_table_t table = {.column_count = 5,
                       .is_right = {[1] = true, [2] = true, [3] = true}};
  cli_table_row(&table, "DEVICE", "PEAK", "OF VALUES", "HELD", "AT");
  for (int i = 0; i < berth_memory_plan_count(plan); ++i) {
    berth_planned_memory_t memory;
    berth_planned_step_t step = {.name = ""};
    char peak[32], live[32], held[32];
    if (berth_memory_plan_query(plan, i, &memory, NULL) != BERTH_OK) continue;
    if (memory.peak_step >= 0 &&
        berth_memory_plan_query_step(plan, i, memory.peak_step, &step, NULL) !=
            BERTH_OK) {
      continue;
    }
    cli_print_bytes(memory.peak_bytes, peak, sizeof(peak));
    cli_print_bytes(memory.live_bytes, live, sizeof(live));
    cli_print_bytes(memory.held_bytes, held, sizeof(held));
    cli_table_row(&table, short_name(memory.name), peak, live, held, step.name);
  }
  cli_table_print(&table, stdout);
  cli_table_clear(&table);
}

// Prints the largest values at the peak of memory |index|.
static void print_values(const berth_memory_plan_t *plan, int index) {
  berth_planned_memory_t memory;
  berth_planned_value_t value;
  if (berth_memory_plan_query(plan, index, &memory, NULL) != BERTH_OK ||
      berth_memory_plan_query_value(plan, index, 0, &value, NULL) != BERTH_OK) {
    return;
  }
  printf("\n%sAt the peak on %s:%s\n", cli_bold(stdout),
         short_name(memory.name), cli_plain(stdout));
  cli_table_t table = {.column_count = 4, .is_right = {[0] = true}};
  cli_table_row(&table, "BYTES", "VALUE", "OP", "SHAPE");
  for (int i = 0; i < SHOWN; ++i) {
    if (berth_memory_plan_query_value(plan, index, i, &value, NULL) !=
        BERTH_OK) {
      break;
    }
    char bytes[32];
    cli_text_t name = {0}, shape = {0};
    cli_print_bytes(value.bytes, bytes, sizeof(bytes));
    cli_text_printf(&name, value.is_scratch ? "%s" : "%s:%d", value.name,
                    value.output);
    cli_text_puts(&shape, berth_dtype_name(value.dtype));
    shape_print(value.shape, &shape);
    cli_table_row(&table, bytes, cli_text_get(&name), value.op,
                  value.is_scratch ? "working space" : cli_text_get(&shape));
    cli_text_clear(&name);
    cli_text_clear(&shape);
  }
  cli_table_print(&table, stdout);
  cli_table_clear(&table);
}

static void print_steps(const berth_memory_plan_t *plan, int index) {
  berth_planned_memory_t memory;
  if (berth_memory_plan_query(plan, index, &memory, NULL) != BERTH_OK ||
      memory.peak_step < 0) {
    return;
  }
  printf("\n%sSteps on %s:%s\n", cli_bold(stdout), short_name(memory.name),
         cli_plain(stdout));
  cli_table_t table = {.column_count = 4, .is_right = {true, true}};
  cli_table_row(&table, "STEP", "VALUES HOLD", "NAME", "OP");
  for (int s = 0; s < berth_memory_plan_step_count(plan); ++s) {
    berth_planned_step_t step;
    char number[16], bytes[32];
    if (berth_memory_plan_query_step(plan, index, s, &step, NULL) != BERTH_OK) {
      break;
    }
    snprintf(number, sizeof(number), "%d", s);
    cli_print_bytes(step.live_bytes, bytes, sizeof(bytes));
    cli_table_row(&table, number, bytes, step.name, step.op);
  }
  cli_table_print(&table, stdout);
  cli_table_clear(&table);
}

static void print_unknowns(const berth_memory_plan_t *plan) {
  int count = berth_memory_plan_unknown_count(plan);
  if (count == 0) return;
  printf("\n%sNot known in advance:%s\n", cli_bold(stdout), cli_plain(stdout));
  for (int i = 0; i < count && i < SHOWN; ++i) {
    berth_planned_step_t step;
    if (berth_memory_plan_query_unknown(plan, i, &step, NULL) != BERTH_OK) {
      break;
    }
    printf("  %s (%s): %s\n", step.name, step.op, step.why);
  }
  if (count > SHOWN) printf("  and %d more\n", count - SHOWN);
}

static void print_plan(const berth_memory_plan_t *plan,
                       const request_t *request) {
  print_memories(plan);
  for (int i = 0; i < berth_memory_plan_count(plan); ++i) {
    print_values(plan, i);
    if (request->has_steps) print_steps(plan, i);
  }
  print_unknowns(plan);
}

// Prints |plan| as JSON, and the largest batch if it was asked for.
static int print_json(const berth_memory_plan_t *plan, const request_t *request,
                      int64_t batch) {
  berth_error_t err = BERTH_ERROR_INIT;
  char *text = NULL;
  if (berth_memory_plan_print(plan, &text, &err) != BERTH_OK) {
    return cli_fail_with(NULL, &err);
  }
  size_t size = strlen(text);
  if (request->limit == NULL) {
    fputs(text, stdout);
  } else {
    // The last bracket, and the end of its line, come behind one more member.
    printf("%.*s,\n\"limit_bytes\":%llu,\"largest_batch\":", (int)(size - 2),
           text, (unsigned long long)request->limit_bytes);
    if (batch == INT64_MAX) {
      fputs("null}\n", stdout);
    } else {
      printf("%lld}\n", (long long)batch);
    }
  }
  berth_text_free(text);
  return CLI_OK;
}

static void print_batch(const request_t *request, int64_t batch) {
  if (batch == INT64_MAX) {
    printf("\nAny batch fits %s.\n", request->limit);
  } else if (batch == 0) {
    printf("\nNot even a batch of 1 fits %s.\n", request->limit);
  } else {
    printf("\nThe largest batch that fits %s is %lld.\n", request->limit,
           (long long)batch);
  }
}

// A placeholder that nobody feeds has no shape to plan with.
static int check_fed(const berth_memory_plan_t *plan) {
  for (int i = 0; i < berth_memory_plan_unknown_count(plan); ++i) {
    berth_planned_step_t step;
    if (berth_memory_plan_query_unknown(plan, i, &step, NULL) != BERTH_OK) {
      break;
    }
    if (strcmp(step.op, "Placeholder") != 0) continue;
    return cli_fail("which shape does %s have? Say it with --feed-shape %s=...",
                    step.name, step.name);
  }
  return CLI_OK;
}

static int plan_tell(plan_t *plan, const request_t *request) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_memory_plan_t *memory = NULL;
  int64_t batch = 0;
  if (request->limit != NULL &&
      berth_session_plan_batch(plan->session, &plan->run, request->device,
                               request->limit_bytes, &batch,
                               &err) != BERTH_OK) {
    return cli_fail_with(NULL, &err);
  }
  // Without another wish the plan is that of the largest batch.
  bool is_open = request->limit != NULL && plan->run.batch == 0;
  if (is_open) plan->run.batch = batch > 0 && batch < INT64_MAX ? batch : 1;
  if (berth_session_plan_memory(plan->session, &plan->run, &memory, &err) !=
      BERTH_OK) {
    return cli_fail_with(NULL, &err);
  }
  int status = check_fed(memory);
  if (status == CLI_OK && request->is_json) {
    status = print_json(memory, request, batch);
  } else if (status == CLI_OK) {
    print_plan(memory, request);
    if (request->limit != NULL) print_batch(request, batch);
  }
  berth_memory_plan_destroy(memory);
  return status;
}

static int request_parse(int argc, char **argv, request_t *request) {
  const cli_option_t options[] = {
      {"--feed-shape", CLI_LIST, &request->shapes},
      {"--fetch", CLI_LIST, &request->fetches},
      {"--target", CLI_LIST, &request->targets},
      {"--batch", CLI_COUNT, &request->batch},
      {"--limit", CLI_VALUE, &request->limit},
      {"--device", CLI_VALUE, &request->device},
      {"--steps", CLI_FLAG, &request->has_steps},
      {"--simulate", CLI_VALUE, &request->simulate},
      {"--soft-placement", CLI_FLAG, &request->is_soft},
      {"--json", CLI_FLAG, &request->is_json},
      {NULL, CLI_FLAG, NULL}};
  int status = cli_args_parse("plan", argc, argv, options, &request->graphs);
  if (status != CLI_OK) return status;
  if (request->graphs.count != 1) {
    return cli_misuse("plan", "needs one graph, not %d", request->graphs.count);
  }
  if (request->limit != NULL &&
      !cli_parse_bytes(request->limit, &request->limit_bytes)) {
    return cli_misuse("plan", "--limit needs a size such as 4GiB, not '%s'",
                      request->limit);
  }
  return cli_simulate("plan", request->simulate);
}

static int run(int argc, char **argv) {
  request_t request = {0};
  plan_t plan = {0};
  int status = request_parse(argc, argv, &request);
  if (status == CLI_OK) cli_announce_nothing();
  if (status == CLI_OK) status = plan_open(&plan, &request);
  if (status == CLI_OK) status = plan_tell(&plan, &request);
  plan_clear(&plan);
  cli_list_clear(&request.graphs);
  cli_list_clear(&request.shapes);
  cli_list_clear(&request.fetches);
  cli_list_clear(&request.targets);
  return status;
}

const cli_command_t cli_cmd_plan = {
    "plan", "tell how much memory a run will take", HELP, run};
