// session_testing.h - What the tests of sessions share: a rig and its parts.
//
// A rig is a graph and a session on it. Tensors are made by one-line helpers;
// those that are only needed for a call are released by the helper that calls.
#ifndef BERTH_TESTS_SESSION_SESSION_TESTING_H_
#define BERTH_TESTS_SESSION_SESSION_TESTING_H_

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "berth/berth.h"
#include "harness.h"

typedef struct rig {
  berth_graph_t *graph;
  berth_session_t *session;
  berth_error_t err;
} rig_t;

static inline void rig_init(rig_t *rig) {
  *rig = (rig_t){.graph = berth_graph_create()};
}

// Opens the session; NULL for the default configuration.
static inline berth_code_t rig_open(rig_t *rig, const berth_config_t *config) {
  return berth_session_create(rig->graph, config, &rig->session, &rig->err);
}

static inline void rig_clear(rig_t *rig) {
  berth_session_destroy(rig->session);
  berth_graph_release(rig->graph);
  berth_error_clear(&rig->err);
}

// ---- Tensors ----

static inline berth_tensor_t *tensor_of(berth_dtype_t dtype, berth_dims_t shape,
                                        const void *values) {
  berth_tensor_t *tensor = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_tensor_copy_from(dtype, shape, values, &tensor, &err) != BERTH_OK) {
    HARNESS_FAIL("no tensor: %s", berth_error_message(&err));
  }
  berth_error_clear(&err);
  return tensor;
}

static inline berth_tensor_t *scalar(float value) {
  return tensor_of(BERTH_FLOAT, BERTH_SCALAR, &value);
}

static inline berth_tensor_t *int_scalar(int32_t value) {
  return tensor_of(BERTH_INT32, BERTH_SCALAR, &value);
}

// A vector of floats 0, 1, 2 …
static inline berth_tensor_t *ramp(int64_t count) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_FLOAT, BERTH_SHAPE(count), &tensor, NULL) !=
      BERTH_OK) {
    HARNESS_FAIL("no tensor");
    return NULL;
  }
  float *values = berth_tensor_data(tensor);
  for (int64_t i = 0; i < count; ++i) values[i] = (float)i;
  return tensor;
}

// Element |index| of a tensor of floats or int32, wherever it is.
static inline double element(const berth_tensor_t *tensor, int64_t index) {
  if (tensor == NULL || index >= berth_tensor_count(tensor)) return (double)NAN;
  berth_tensor_t *host = NULL;
  if (berth_tensor_to_host(tensor, &host, NULL) != BERTH_OK) return (double)NAN;
  const void *data = berth_tensor_data(host);
  double value = berth_tensor_dtype(host) == BERTH_INT32
                     ? (double)((const int32_t *)data)[index]
                     : (double)((const float *)data)[index];
  berth_tensor_release(host);
  return value;
}

// True when two tensors of numbers are equal bit by bit, wherever they are.
static inline bool is_equal(const berth_tensor_t *a, const berth_tensor_t *b) {
  berth_tensor_t *x = NULL, *y = NULL;
  bool equal = a != NULL && b != NULL &&
               berth_tensor_to_host(a, &x, NULL) == BERTH_OK &&
               berth_tensor_to_host(b, &y, NULL) == BERTH_OK &&
               berth_tensor_size(x) == berth_tensor_size(y) &&
               berth_tensor_shape(x).rank == berth_tensor_shape(y).rank &&
               memcmp(berth_tensor_data(x), berth_tensor_data(y),
                      berth_tensor_size(x)) == 0;
  for (int32_t i = 0; equal && i < berth_tensor_shape(x).rank; ++i) {
    equal = berth_tensor_shape(x).dims[i] == berth_tensor_shape(y).dims[i];
  }
  berth_tensor_release(x);
  berth_tensor_release(y);
  return equal;
}

// ---- Nodes ----

static inline berth_out_t const_scalar(berth_graph_t *graph, const char *name,
                                       float value) {
  return berth_const_f32(graph, name, &value, BERTH_SCALAR);
}

static inline berth_out_t const_ints(berth_graph_t *graph, const char *name,
                                     const int32_t *values, int64_t count) {
  return berth_const_i32(graph, name, values, BERTH_SHAPE(count));
}

static inline berth_out_t hole(berth_graph_t *graph, const char *name) {
  return berth_placeholder(graph, name, BERTH_FLOAT);
}

// A BerthCallback of |count| inputs and one float output.
static inline berth_out_t callback(berth_graph_t *graph, const char *name,
                                   const char *token, const berth_out_t *inputs,
                                   int count) {
  const berth_dtype_t out[] = {BERTH_FLOAT};
  berth_dtype_t in[8];
  for (int i = 0; i < count; ++i) in[i] = BERTH_FLOAT;
  berth_op_t *op = berth_op_begin(graph, "BerthCallback", name);
  berth_op_input_list(op, inputs, count);
  berth_op_attr_string(op, "token", token, strlen(token));
  berth_op_attr_types(op, "Tin", in, count);
  berth_op_attr_types(op, "Tout", out, 1);
  return berth_output(berth_op_finish(op), 0);
}

// A queue of floats.
static inline berth_out_t float_queue(berth_graph_t *graph, const char *name,
                                      int capacity) {
  berth_fifo_queue_v2_attrs_t attrs = BERTH_FIFO_QUEUE_V2_ATTRS;
  attrs.capacity = capacity;
  return berth_fifo_queue_v2_with(graph, name, &(berth_dtype_t){BERTH_FLOAT}, 1,
                                  &attrs);
}

static inline berth_out_t dequeue(berth_graph_t *graph, const char *name,
                                  berth_out_t queue) {
  return berth_output(berth_queue_dequeue_v2(graph, name, queue,
                                             &(berth_dtype_t){BERTH_FLOAT}, 1),
                      0);
}

// ---- Running ----

// Fetches one value with at most one feed and releases both tensors. NAN when
// it fails, and the error is in the rig.
static inline double fetch_fed(rig_t *rig, berth_out_t fetch, berth_out_t fed,
                               berth_tensor_t *value) {
  berth_tensor_t *result = NULL;
  berth_feed_t feed = {fed, value};
  berth_code_t code = berth_session_run(rig->session, &feed, value != NULL,
                                        &fetch, 1, &result, &rig->err);
  double first = code == BERTH_OK ? element(result, 0) : (double)NAN;
  berth_tensor_release(result);
  berth_tensor_release(value);
  return first;
}

static inline double fetch(rig_t *rig, berth_out_t out) {
  return fetch_fed(rig, out, out, NULL);
}

// Runs |target| without a value.
static inline berth_code_t run_target(rig_t *rig, berth_node_id_t target) {
  berth_run_t run = {.targets = &target, .target_count = 1};
  return berth_session_run_with(rig->session, &run, &rig->err);
}

// ---- Other threads ----

// A run on a thread of its own.
typedef struct job {
  berth_session_t *session;
  berth_run_t run;
  berth_out_t fetch;
  berth_node_id_t target;
  berth_tensor_t *result;
  berth_code_t code;
  berth_error_t err;
  pthread_t thread;
  atomic_bool is_done;
} job_t;

static inline void *job_main(void *arg) {
  job_t *job = arg;
  job->code = berth_session_run_with(job->session, &job->run, &job->err);
  atomic_store(&job->is_done, true);
  return NULL;
}

// Starts a run of |fetch|, or of |target| when that is a node.
static inline void job_start(job_t *job, berth_session_t *session,
                             berth_out_t out, berth_node_id_t target) {
  job->session = session;
  job->fetch = out;
  job->target = target;
  if (target == BERTH_NO_NODE) {
    job->run.fetches = &job->fetch;
    job->run.fetch_count = 1;
    job->run.results = &job->result;
  } else {
    job->run.targets = &job->target;
    job->run.target_count = 1;
  }
  if (pthread_create(&job->thread, NULL, job_main, job) != 0) {
    HARNESS_FAIL("no thread");
  }
}

static inline void job_join(job_t *job) { pthread_join(job->thread, NULL); }

static inline void job_clear(job_t *job) {
  berth_tensor_release(job->result);
  berth_error_clear(&job->err);
}

// Counts how often |text| is in the |size| bytes of |data|.
static inline int occurrences(const void *data, size_t size, const char *text) {
  size_t length = strlen(text);
  const char *bytes = data;
  int count = 0;
  for (size_t i = 0; i + length <= size; ++i) {
    count += memcmp(bytes + i, text, length) == 0;
  }
  return count;
}

static inline void sleep_ms(int ms) {
  struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
  nanosleep(&time, NULL);
}

static inline int64_t now_ms(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

#endif  // BERTH_TESTS_SESSION_SESSION_TESTING_H_
