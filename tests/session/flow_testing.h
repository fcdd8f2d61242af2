// flow_testing.h - Replays graphs with conditionals and loops that TensorFlow
// has written and run.
//
// tests/session/flow has the graphs and cases.txt, line by line:
//
//   graph NAME             a GraphDef, NAME.pb
//   init NODE              runs before every run
//   feed NAME TYPE VALUE   of a scalar
//   fetch NAME VALUE …     what TensorFlow got
//   run                    with the feeds and fetches since the last one
#ifndef BERTH_TESTS_SESSION_FLOW_TESTING_H_
#define BERTH_TESTS_SESSION_FLOW_TESTING_H_

#include <stdlib.h>

#include "session_testing.h"

#define FLOW_DIR BERTH_SOURCE_DIR "/tests/session/flow/"

enum { MOST_ENDS = 8, MOST_VALUES = 16 };

// One run, as far as it has been read.
typedef struct flow_case {
  rig_t rig;
  char graph[128];
  berth_node_id_t init;
  berth_feed_t feeds[MOST_ENDS];
  int feed_count;
  berth_out_t fetches[MOST_ENDS];
  double expected[MOST_ENDS][MOST_VALUES];
  int expected_count[MOST_ENDS];
  int fetch_count;
  int runs;
} flow_case_t;

// Adds the GraphDef in |path|, and opens a session.
static inline void flow_open(flow_case_t *c, const char *name) {
  char path[256], bytes[1 << 14];
  snprintf(path, sizeof path, FLOW_DIR "%s.pb", name);
  snprintf(c->graph, sizeof c->graph, "%s", name);
  FILE *file = fopen(path, "rb");
  ASSERT_TRUE(file != NULL);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  rig_init(&c->rig);
  c->init = BERTH_NO_NODE;
  ASSERT_OK(berth_graph_import(c->rig.graph, bytes, size, NULL, &c->rig.err),
            &c->rig.err);
  ASSERT_OK(rig_open(&c->rig, NULL), &c->rig.err);
}

static inline berth_out_t flow_find(flow_case_t *c, const char *name) {
  berth_out_t out = {BERTH_NO_NODE, 0};
  EXPECT_EQ(berth_graph_find_out(c->rig.graph, name, &out, &c->rig.err),
            BERTH_OK);
  return out;
}

static inline void flow_feed(flow_case_t *c, const char *name, const char *type,
                             double value) {
  bool truth = value != 0;
  berth_tensor_t *tensor =
      strcmp(type, "bool") == 0    ? tensor_of(BERTH_BOOL, BERTH_SCALAR, &truth)
      : strcmp(type, "int32") == 0 ? int_scalar((int32_t)value)
                                   : scalar((float)value);
  c->feeds[c->feed_count++] = (berth_feed_t){flow_find(c, name), tensor};
}

// Reads the values behind the name in |line|.
static inline void flow_fetch(flow_case_t *c, const char *name,
                              const char *line) {
  int at = c->fetch_count++;
  c->fetches[at] = flow_find(c, name);
  c->expected_count[at] = 0;
  char *rest = (char *)(uintptr_t)(strstr(line, name) + strlen(name));
  for (char *end = rest;; rest = end) {
    double value = strtod(rest, &end);
    if (end == rest) break;
    c->expected[at][c->expected_count[at]++] = value;
  }
}

static inline void flow_compare(const flow_case_t *c,
                                berth_tensor_t *const *results) {
  for (int i = 0; i < c->fetch_count; ++i) {
    EXPECT_EQ(berth_tensor_count(results[i]), c->expected_count[i]);
    for (int k = 0; k < c->expected_count[i]; ++k) {
      double got = element(results[i], k);
      if (got == c->expected[i][k]) continue;
      HARNESS_FAIL("%s: fetch %d is %g, not %g", c->graph, i, got,
                   c->expected[i][k]);
    }
  }
}

static inline void flow_run(flow_case_t *c) {
  berth_tensor_t *results[MOST_ENDS] = {NULL};
  if (c->init != BERTH_NO_NODE) {
    ASSERT_OK(run_target(&c->rig, c->init), &c->rig.err);
  }
  ASSERT_OK(berth_session_run(c->rig.session, c->feeds, c->feed_count,
                              c->fetches, c->fetch_count, results, &c->rig.err),
            &c->rig.err);
  flow_compare(c, results);
  for (int i = 0; i < c->fetch_count; ++i) berth_tensor_release(results[i]);
  for (int i = 0; i < c->feed_count; ++i) {
    berth_tensor_release(c->feeds[i].tensor);
  }
  c->feed_count = c->fetch_count = 0;
  ++c->runs;
}

static inline void flow_line(flow_case_t *c, const char *line) {
  char name[128], type[16];
  double value = 0;
  if (sscanf(line, "graph %127s", name) == 1) {
    if (c->rig.graph != NULL) rig_clear(&c->rig);
    flow_open(c, name);
  } else if (sscanf(line, "init %127s", name) == 1) {
    c->init = berth_graph_find(c->rig.graph, name);
  } else if (sscanf(line, "feed %127s %15s %lf", name, type, &value) == 3) {
    flow_feed(c, name, type, value);
  } else if (sscanf(line, "fetch %127s", name) == 1) {
    flow_fetch(c, name, line);
  } else if (strncmp(line, "run", 3) == 0) {
    flow_run(c);
  }
}

// Replays everything and returns how many runs that were.
static inline int flow_replay(void) {
  flow_case_t c = {.runs = 0};
  char line[512];
  FILE *file = fopen(FLOW_DIR "cases.txt", "r");
  if (file == NULL) return 0;
  while (fgets(line, sizeof line, file) != NULL) flow_line(&c, line);
  fclose(file);
  rig_clear(&c.rig);
  return c.runs;
}

#endif  // BERTH_TESTS_SESSION_FLOW_TESTING_H_
