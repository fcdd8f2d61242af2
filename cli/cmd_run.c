// cmd_run.c - `berth run`: runs a graph; the Python package runs scripts.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cards.h"
#include "command.h"
#include "feed.h"
#include "graph_file.h"
#include "python.h"
#include "run_request.h"
#include "term.h"
#include "trace.h"

static const char HELP[] =
    "Runs a TensorFlow program in Python, or a graph.\n"
    "\n"
    "Usage:\n"
    "  berth run [OPTIONS] SCRIPT.py [ARGUMENTS]\n"
    "  berth run [OPTIONS] -m MODULE [ARGUMENTS]\n"
    "  berth run [OPTIONS] -c CODE [ARGUMENTS]\n"
    "  berth run [OPTIONS] GRAPH --fetch NAME\n"
    "\n"
    "  Scripts run with the Python package; `import tensorflow` means Berth "
    "in\n"
    "  them. GRAPH is a GraphDef: binary (.pb), text (.pbtxt, .txt), or - for\n"
    "  standard input. NAME is a node's output, node:0 or short node.\n"
    "\n"
    "Placement:\n"
    "  --log-placement[=STYLE]  show where every operation goes; the style is\n"
    "                           default, tf2 or classic\n"
    "  --soft-placement         use another device where the one asked for is\n"
    "                           missing or cannot do it\n"
    "  --device-count CPU=N     have N CPU devices; GPU=N uses N cards\n"
    "  --simulate SPEC          make cards in software: 'Tesla K40c', "
    "'H100*2'\n"
    "  --gpu CARDS              use these cards: auto (the freest), auto:2, "
    "0,2 "
    "as\n"
    "                           nvidia-smi counts, a PCI id, a UUID or a name\n"
    "  -v, --verbose            say which cards those are, and why\n"
    "  --threads N              threads for one operation (default: all CPUs)\n"
    "  --explain                say at the end why each operation is where it "
    "is,\n"
    "                           and which of them were done in one step\n"
    "  --trace FILE.json        write every node's time, for Perfetto or\n"
    "                           chrome://tracing\n"
    "\n"
    "Scripts:\n"
    "  --tf1, --tf2          the script is of TF1 (graphs and sessions) or of "
    "TF2;\n"
    "                        otherwise its source tells\n"
    "  --visible CARDS       use only these cards: 0,2\n"
    "  --growth              hold only as much GPU memory as is used\n"
    "  --memory-limit MB     hold at most that much of each card\n"
    "  --memory-fraction F   hold at most that part of each card: 0.4\n"
    "  --budget SIZE         hold at most that of each card in all, context\n"
    "                        included: 4GiB, 50%, or 0=4GiB,1=2GiB\n"
    "  --floor SIZE          have that for certain, from the first use on\n"
    "  --margin SIZE         leave that much of each card free\n"
    "  --wait SECONDS        wait so long for memory of a full card\n"
    "  --give-back SECONDS   give back what was not used for so long\n"
    "  --log-level N         drop from the log: 1 information, 2 and "
    "warnings,\n"
    "                        3 and errors\n"
    "  --tf-version VERSION  treat memory as that version of TensorFlow: 1.4\n"
    "\n"
    "Graphs:\n"
    "  --feed NAME=@FILE.npy  a value from a file of numpy\n"
    "  --feed NAME=VALUE      one written out; its type is that of NAME:\n"
    "                         3.5  true  'text'  [1, 2]  [[1, 2], [3, 4]]\n"
    "  --fetch NAME           compute and print this; may be repeated\n"
    "  --out FILE.npy         write it there instead: the first --out is for\n"
    "                         the first --fetch, and so on\n"
    "  --target NODE          run this without a value; may be repeated\n"
    "  --timeout SECONDS      give up after that\n"
    "  --repeat N             run N times and print how long it took\n"
    "\n"
    "Examples:\n"
    "  berth run --simulate 'Tesla K40c' --log-placement train.py --steps 10\n"
    "  berth run model.pb --feed x:0=@x.npy --fetch y:0 --out y.npy\n"
    "  berth run add.pbtxt --feed 'x=[[1,2],[3,4]]' --feed y=1 --fetch z\n";

// What is run: everything resolved in the graph.
typedef struct job {
  berth_graph_t *graph;
  berth_session_t *session;
  berth_feed_t *feeds;
  berth_out_t *fetches;
  berth_node_id_t *targets;
  berth_tensor_t **results;
  double *seconds;  // Of each run.
} job_t;

// ---- Finding it in the graph ----

// Names a few nodes that nothing in the graph uses: likely results.
static void print_ends(const berth_graph_t *graph, cli_text_t *text) {
  int found = 0;
  for (int node = 0; node < berth_graph_node_count(graph); ++node) {
    bool is_used = berth_node_control_consumers(graph, node, NULL, 0) > 0;
    int count = berth_node_output_count(graph, node);
    for (int i = 0; i < count && !is_used; ++i) {
      is_used = berth_out_consumers(graph, (berth_out_t){node, i}, NULL, 0) > 0;
    }
    if (is_used || count == 0) continue;
    if (++found > 5) {
      cli_text_puts(text, ", ...");
      return;
    }
    cli_text_printf(text, "%s%s", found > 1 ? ", " : "",
                    berth_node_name(graph, node));
  }
}

static int fail_without_fetch(const berth_graph_t *graph) {
  cli_text_t ends = {0};
  print_ends(graph, &ends);
  int status = cli_misuse(
      "run", "nothing to run: give --fetch or --target. Nothing uses: %s",
      ends.size > 0 ? cli_text_get(&ends) : "(no node)");
  cli_text_clear(&ends);
  return status;
}

static int find_target(const berth_graph_t *graph, const char *name,
                       berth_node_id_t *out_node) {
  *out_node = berth_graph_find(graph, name);
  if (*out_node != BERTH_NO_NODE) return CLI_OK;
  return cli_fail("there is no node '%s' in the graph", name);
}

static int allocate(job_t *job, const cli_run_request_t *request) {
  size_t fetch_count = (size_t)request->fetches.count;
  job->feeds = cli_calloc((size_t)request->feeds.count, sizeof(*job->feeds));
  job->fetches = cli_calloc(fetch_count, sizeof(*job->fetches));
  job->results = cli_calloc(fetch_count, sizeof(*job->results));
  job->targets =
      cli_calloc((size_t)request->targets.count, sizeof(*job->targets));
  job->seconds = cli_calloc((size_t)request->repeat, sizeof(*job->seconds));
  bool is_made = job->feeds != NULL && job->fetches != NULL &&
                 job->results != NULL && job->targets != NULL &&
                 job->seconds != NULL;
  return is_made ? CLI_OK : cli_fail("not enough memory for the run");
}

static int resolve(job_t *job, const cli_run_request_t *request) {
  int status = CLI_OK;
  for (int i = 0; i < request->feeds.count && status == CLI_OK; ++i) {
    status =
        cli_feed_parse(job->graph, request->feeds.items[i], &job->feeds[i]);
  }
  for (int i = 0; i < request->fetches.count && status == CLI_OK; ++i) {
    status =
        cli_find_out(job->graph, request->fetches.items[i], &job->fetches[i]);
  }
  for (int i = 0; i < request->targets.count && status == CLI_OK; ++i) {
    status =
        find_target(job->graph, request->targets.items[i], &job->targets[i]);
  }
  return status;
}

// ---- Running ----

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void release_results(job_t *job, const cli_run_request_t *request) {
  for (int i = 0; i < request->fetches.count && job->results != NULL; ++i) {
    berth_tensor_release(job->results[i]);
    job->results[i] = NULL;
  }
}

// Shows how far the repetitions are, a few times a second.
static void show_progress(int index, int count) {
  static double shown = 0;
  char text[64];
  if (count == 1 || now() - shown < 0.2) return;
  shown = now();
  snprintf(text, sizeof(text), "run %d of %d", index + 1, count);
  cli_progress(text);
}

// Runs once; the trace is that of the last repetition.
static int run_once(job_t *job, const cli_run_request_t *request, int index) {
  void *metadata = NULL;
  size_t metadata_size = 0;
  bool is_traced = request->trace_path != NULL && index + 1 == request->repeat;
  berth_run_t run = {
      .feeds = job->feeds,
      .feed_count = request->feeds.count,
      .fetches = job->fetches,
      .fetch_count = request->fetches.count,
      .results = job->results,
      .targets = job->targets,
      .target_count = request->targets.count,
      .timeout_ms = request->timeout_ms,
      .trace = is_traced,
      .out_metadata = is_traced ? &metadata : NULL,
      .out_metadata_size = is_traced ? &metadata_size : NULL,
  };
  berth_error_t err = BERTH_ERROR_INIT;
  release_results(job, request);
  double start = now();
  berth_code_t code = berth_session_run_with(job->session, &run, &err);
  job->seconds[index] = now() - start;
  if (code != BERTH_OK) return cli_fail_with(NULL, &err);
  int status = CLI_OK;
  if (is_traced) {
    status = cli_trace_write(metadata, metadata_size, request->trace_path);
  }
  berth_text_free(metadata);
  return status;
}

static int run_all(job_t *job, const cli_run_request_t *request) {
  for (int i = 0; i < request->repeat; ++i) {
    show_progress(i, request->repeat);
    int status = run_once(job, request, i);
    if (status != CLI_OK) return status;
  }
  cli_progress(NULL);
  return CLI_OK;
}

// ---- Telling ----

static int save_result(const berth_tensor_t *result, const char *path) {
  berth_error_t err = BERTH_ERROR_INIT;
  // The file may be standard output: what was printed comes first.
  fflush(stdout);
  berth_code_t code = berth_tensor_save_npy(result, path, &err);
  return code == BERTH_OK ? CLI_OK : cli_fail_with(NULL, &err);
}

// Prints as numpy does, as old as the log is.
static int print_result(const cli_run_request_t *request, const char *name,
                        const berth_tensor_t *result) {
  berth_error_t err = BERTH_ERROR_INIT;
  char *text = NULL;
  bool is_classic = request->log_placement != NULL &&
                    strcmp(request->log_placement, "classic") == 0;
  berth_code_t code = is_classic
                          ? berth_tensor_format_classic(result, &text, &err)
                          : berth_tensor_format(result, &text, &err);
  if (code != BERTH_OK) return cli_fail_with(name, &err);
  if (request->fetches.count - request->outs.count > 1) {
    printf("%s%s%s\n", cli_bold(stdout), name, cli_plain(stdout));
  }
  puts(text);
  berth_text_free(text);
  return CLI_OK;
}

static int print_results(const job_t *job, const cli_run_request_t *request) {
  int count = request->fetches.count;
  for (int i = 0; i < count; ++i) {
    int status =
        i < request->outs.count
            ? save_result(job->results[i], request->outs.items[i])
            : print_result(request, request->fetches.items[i], job->results[i]);
    if (status != CLI_OK) return status;
  }
  return CLI_OK;
}

static int compare_seconds(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

static void print_duration(const char *what, double seconds) {
  static const char *const units[] = {"s", "ms", "us", "ns"};
  int unit = 0;
  while (seconds < 1 && unit < 3) {
    seconds *= 1000;
    ++unit;
  }
  fprintf(stderr, ", %s %.3g %s", what, seconds, units[unit]);
}

// Says of every node why it is where it is, and how it was done.
static int print_explanations(const job_t *job) {
  berth_error_t err = BERTH_ERROR_INIT;
  fflush(stdout);
  for (int node = 0; node < berth_graph_node_count(job->graph); ++node) {
    char *text = NULL;
    if (berth_session_explain(job->session, node, &text, &err) != BERTH_OK) {
      return cli_fail_with(NULL, &err);
    }
    fprintf(stderr, "%s\n", text);
    berth_text_free(text);
  }
  return CLI_OK;
}

// The first run plans and is told apart.
static void print_timing(job_t *job, int count) {
  double first = job->seconds[0];
  double *rest = count > 1 ? job->seconds + 1 : job->seconds;
  size_t rest_count = (size_t)(count > 1 ? count - 1 : 1);
  qsort(rest, rest_count, sizeof(*rest), compare_seconds);
  fflush(stdout);
  fprintf(stderr, "%d runs", count);
  print_duration("first", first);
  print_duration("median", rest[rest_count / 2]);
  print_duration("best", rest[0]);
  print_duration("worst", rest[rest_count - 1]);
  fputc('\n', stderr);
}

static void clear_job(job_t *job, const cli_run_request_t *request) {
  release_results(job, request);
  for (int i = 0; i < request->feeds.count && job->feeds != NULL; ++i) {
    berth_tensor_release(job->feeds[i].tensor);
  }
  berth_session_destroy(job->session);
  berth_graph_release(job->graph);
  cli_free(job->feeds);
  cli_free(job->fetches);
  cli_free(job->results);
  cli_free(job->targets);
  cli_free(job->seconds);
}

// Everything after the command line is understood.
static int execute(const cli_run_request_t *request,
                   const berth_config_t *config) {
  job_t job = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  int status = CLI_FAILED;
  job.graph = cli_graph_open(request->graphs.items[0]);
  if (job.graph == NULL) goto done;
  if (request->fetches.count + request->targets.count == 0) {
    status = fail_without_fetch(job.graph);
    goto done;
  }
  status = allocate(&job, request);
  if (status == CLI_OK) status = resolve(&job, request);
  if (status != CLI_OK) goto done;
  if (berth_session_create(job.graph, config, &job.session, &err) != BERTH_OK) {
    status = cli_fail_with(NULL, &err);
    goto done;
  }
  status = run_all(&job, request);
  if (status == CLI_OK) status = print_results(&job, request);
  if (status == CLI_OK && request->repeat > 1) {
    print_timing(&job, request->repeat);
  }
  if (status == CLI_OK && request->is_explained) {
    status = print_explanations(&job);
  }

done:
  clear_job(&job, request);
  return status;
}

static int run(int argc, char **argv) {
  if (cli_python_find(argc, argv) > 0) return cli_python_run(argc, argv);
  cli_run_request_t request = {.repeat = 1};
  berth_config_t config;
  int status = cli_run_request_parse(argc, argv, &request);
  if (status == CLI_OK) status = cli_run_request_config(&request, &config);
  if (status == CLI_OK) {
    status = cli_choose_cards(request.gpu, request.is_verbose);
  }
  if (status == CLI_OK) status = cli_simulate("run", request.simulate);
  if (status == CLI_OK) status = execute(&request, &config);
  cli_run_request_clear(&request);
  return status;
}

const cli_command_t cli_cmd_run = {"run", "run a script in Python, or a graph",
                                   HELP, run};
