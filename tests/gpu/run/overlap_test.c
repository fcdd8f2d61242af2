// overlap_test.c - GPUs work at the same time, as the trace of a run shows.
//
// Two towers are one product after the other on a GPU each. If streams ran in
// the order in which work is queued, the first tower would have ended when the
// second begins.
#include "gpu_run_testing.h"
#include "wire/message.h"
#include "wire/run.pb-c.h"

// Tries, because a busy machine may run one stream after the other by itself.
enum { TOWERS = 2, PRODUCTS = 8, SIZE = 512, TRIES = 20 };

typedef Berth__Wire__RunMetadata metadata_t;
typedef Berth__Wire__NodeExecStats node_stats_t;

typedef struct span {
  int64_t begin, end;  // In nanoseconds.
} span_t;

// Widens the span of the tower that |node| belongs to.
static void span_add(span_t spans[TOWERS], const node_stats_t *node) {
  int tower = 0, product = 0;
  if (sscanf(node->node_name, "tower_%d_%d", &tower, &product) != 2) return;
  if (strstr(node->timeline_label, "MatMul(") == NULL) return;
  span_t *span = &spans[tower];
  int64_t begin = node->all_start_nanos;
  int64_t end = begin + node->all_end_rel_nanos;
  if (span->begin == 0 || begin < span->begin) span->begin = begin;
  if (end > span->end) span->end = end;
}

// Counts the steps that are called |op|.
static int steps_count(const metadata_t *metadata, const char *op) {
  const Berth__Wire__StepStats *stats = metadata->step_stats;
  int count = 0;
  for (size_t d = 0; d < stats->n_dev_stats; ++d) {
    const Berth__Wire__DeviceStepStats *device = stats->dev_stats[d];
    for (size_t i = 0; i < device->n_node_stats; ++i) {
      count += strstr(device->node_stats[i]->timeline_label, op) != NULL;
    }
  }
  return count;
}

static void spans_read(const metadata_t *metadata, span_t spans[TOWERS]) {
  const Berth__Wire__StepStats *stats = metadata->step_stats;
  for (size_t d = 0; d < stats->n_dev_stats; ++d) {
    const Berth__Wire__DeviceStepStats *device = stats->dev_stats[d];
    for (size_t i = 0; i < device->n_node_stats; ++i) {
      span_add(spans, device->node_stats[i]);
    }
  }
}

// Runs |last| with a trace and reads it.
static void run_traced(rig_t *rig, berth_out_t x, const berth_out_t *last,
                       span_t spans[TOWERS]) {
  berth_tensor_t *fed = matrix(SIZE, SIZE, 0), *results[TOWERS] = {NULL};
  berth_feed_t feed = {x, fed};
  berth_arena_t arena = {0};
  metadata_t *metadata = NULL;
  void *bytes = NULL;
  size_t size = 0;
  berth_run_t run = {.feeds = &feed,
                     .feed_count = 1,
                     .fetches = last,
                     .fetch_count = TOWERS,
                     .results = results,
                     .trace = true,
                     .out_metadata = &bytes,
                     .out_metadata_size = &size};
  ASSERT_OK(berth_session_run_with(rig->session, &run, &rig->err), &rig->err);
  ASSERT_OK(berth_message_unpack(
                &berth__wire__run_metadata__descriptor, bytes, size, &arena,
                (ProtobufCMessage **)(void *)&metadata, &rig->err),
            &rig->err);
  spans_read(metadata, spans);
  // What is fed goes to both, and what is fetched comes back.
  EXPECT_EQ(steps_count(metadata, " = MEMCPYHtoD()"), TOWERS);
  EXPECT_EQ(steps_count(metadata, " = MEMCPYDtoH()"), TOWERS);
  berth_arena_clear(&arena);
  berth_text_free(bytes);
  for (int i = 0; i < TOWERS; ++i) berth_tensor_release(results[i]);
  berth_tensor_release(fed);
}

static berth_out_t build_tower(berth_graph_t *graph, int tower, berth_out_t x) {
  char device[24], name[32];
  snprintf(device, sizeof(device), "/gpu:%d", tower);
  berth_device_push(graph, device);
  berth_out_t value = x;
  for (int i = 0; i < PRODUCTS; ++i) {
    snprintf(name, sizeof(name), "tower_%d_%d", tower, i);
    value = berth_matmul(graph, name, value, x);
  }
  berth_device_pop(graph);
  return value;
}

TEST(gpu, towers_overlap) {
  simulate_many("Tesla K20m*2", TOWERS);
  rig_t rig;
  rig_init(&rig);
  berth_out_t x = hole(rig.graph, "x"), last[TOWERS];
  for (int i = 0; i < TOWERS; ++i) last[i] = build_tower(rig.graph, i, x);
  ASSERT_OK(rig_open(&rig, NULL), &rig.err);
  bool has_overlap = false;
  for (int i = 0; i < TRIES && !has_overlap; ++i) {
    span_t spans[TOWERS] = {{0, 0}};
    run_traced(&rig, x, last, spans);
    for (int k = 0; k < TOWERS; ++k) {
      ASSERT_TRUE(spans[k].begin > 0 && spans[k].end > spans[k].begin);
    }
    has_overlap =
        spans[0].begin < spans[1].end && spans[1].begin < spans[0].end;
  }
  EXPECT_TRUE(has_overlap);
  rig_clear(&rig);
}
