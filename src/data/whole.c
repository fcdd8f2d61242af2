// whole.c - Kernels that look at whole datasets, and handles that stand for
// nothing.
#include "base/alloc.h"
#include "data/kernels.h"
#include "graph/graph.h"

static berth_code_t run_count(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_dataset_t *dataset = NULL;
  BERTH_TRY(berth_dataset_of(call->inputs[0], &dataset, call->err));
  BERTH_TRY(berth_tensor_make(NULL, BERTH_INT64, 0, NULL, 1, &call->outputs[0],
                              call->err));
  *(int64_t *)call->outputs[0]->data = berth_dataset_count(dataset);
  return BERTH_OK;
}

// A handle that leads nowhere: what TensorFlow keeps beside a dataset, Berth
// has in it.
static berth_code_t run_dummy(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  (void)args;
  return berth_tensor_make(NULL, BERTH_RESOURCE, 0, NULL, 1, &call->outputs[0],
                           call->err);
}

// Hands a dataset on.
static berth_code_t run_same(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_dataset_t *dataset = NULL;
  BERTH_TRY(berth_dataset_of(call->inputs[0], &dataset, call->err));
  call->outputs[0] = berth_tensor_retain(call->inputs[0]);
  return BERTH_OK;
}

// ---- One element ----

static berth_code_t take_one(berth_call_t *call, berth_cursor_t *cursor) {
  int width = cursor->dataset->width;
  bool is_end = false;
  if (width != call->node->output_count) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Number of components does not match: expected %d "
                           "types but got %d.",
                           call->node->output_count, width);
  }
  BERTH_TRY(berth_cursor_next(cursor, call->outputs, &is_end, call->err));
  if (is_end) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Dataset was empty.");
  }
  berth_tensor_t *few[BERTH_ELEMENT_FEW];
  berth_tensor_t **room = berth_element_room(width, few);
  berth_code_t code = room == NULL
                          ? berth_error_no_memory(call->err, "an element")
                          : berth_cursor_next(cursor, room, &is_end, call->err);
  if (code == BERTH_OK && !is_end) {
    berth_element_drop(room, width);
    code = berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Dataset had more than one element.");
  }
  if (room != few) berth_free(room);
  if (code != BERTH_OK) berth_element_drop(call->outputs, width);
  return code;
}

static berth_code_t run_single(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_dataset_t *dataset = NULL;
  berth_reading_t reading;
  berth_cursor_t *cursor = NULL;
  BERTH_TRY(berth_dataset_of(call->inputs[0], &dataset, call->err));
  berth_reading_init(&reading);
  berth_code_t code = berth_cursor_open(dataset, &reading, &cursor, call->err);
  if (code == BERTH_OK) code = take_one(call, cursor);
  atomic_store(&reading.ended, 1);
  berth_cursor_close(cursor);
  berth_reading_deinit(&reading);
  return code;
}

// ---- Reduce ----

// Goes through |cursor|; |room| has the state, and behind it an element.
static berth_code_t fold(berth_call_t *call, const berth_closure_t *closure,
                         berth_cursor_t *cursor, berth_routine_t *routine,
                         berth_tensor_t **room, int states) {
  int width = cursor->dataset->width;
  for (;;) {
    bool is_end = false;
    BERTH_TRY(berth_cursor_next(cursor, room + states, &is_end, call->err));
    if (is_end) return BERTH_OK;
    berth_tensor_t **results = room + states + width;
    berth_code_t code = berth_closure_call(closure, routine, room,
                                           states + width, results, call->err);
    berth_element_drop(room + states, width);
    if (code != BERTH_OK) return code;
    for (int i = 0; i < states; ++i) {
      berth_tensor_release(room[i]);
      room[i] = results[i];
      results[i] = NULL;
    }
    if (berth_reading_has_ended(cursor->reading)) {
      return berth_reading_fail_ended(call->err);
    }
  }
}

static berth_code_t run_reduce(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  berth_dataset_t *dataset = NULL;
  berth_closure_t closure = {0};
  berth_reading_t reading;
  berth_cursor_t *cursor = NULL;
  berth_routine_t *routine = NULL;
  int first = 0, states = 0, other = 0, others = 0;
  BERTH_TRY(berth_dataset_of(call->inputs[0], &dataset, call->err));
  berth_data_range(call, "initial_state", &first, &states);
  berth_data_range(call, "other_arguments", &other, &others);
  size_t count = (size_t)(2 * states + dataset->width);
  berth_tensor_t **room = berth_calloc(count + 1, sizeof(*room));
  if (room == NULL) return berth_error_no_memory(call->err, "a state");
  berth_reading_init(&reading);
  berth_code_t code =
      berth_closure_init(&closure, call, "f", other, others, call->err);
  if (code == BERTH_OK) {
    code = berth_closure_routine(&closure, &reading, &routine, call->err);
  }
  if (code == BERTH_OK) {
    code = berth_cursor_open(dataset, &reading, &cursor, call->err);
  }
  for (int i = 0; i < states; ++i) {
    room[i] = berth_tensor_retain(call->inputs[first + i]);
  }
  if (code == BERTH_OK) {
    code = fold(call, &closure, cursor, routine, room, states);
  }
  for (int i = 0; code == BERTH_OK && i < states; ++i) {
    call->outputs[i] = room[i];
    room[i] = NULL;
  }
  atomic_store(&reading.ended, 1);
  berth_cursor_close(cursor);
  berth_reading_deinit(&reading);
  berth_closure_deinit(&closure);
  berth_element_drop(room, (int)count);
  berth_free(room);
  return code;
}

BERTH_DATA_KERNEL(count)
BERTH_DATA_KERNEL(dummy)
BERTH_DATA_KERNEL(same)
BERTH_DATA_KERNEL(single)
BERTH_DATA_KERNEL(reduce)

const berth_kernel_t berth_data_whole_kernels[] = {
    BERTH_DATA_OP("DatasetCardinality", count),
    BERTH_DATA_OP("DatasetToSingleElement", single),
    BERTH_DATA_OP("ReduceDataset", reduce),
    BERTH_DATA_OP("DummySeedGenerator", dummy),
    BERTH_DATA_OP("DummyMemoryCache", dummy),
    BERTH_DATA_OP("DummyIterationCounter", dummy),
    BERTH_DATA_OP("ModelDataset", same),
    BERTH_DATA_OP("OptimizeDataset", same),
    BERTH_DATA_OP("OptimizeDatasetV2", same),
    BERTH_DATA_OP("FinalizeDataset", same),
    BERTH_DATA_OP("MaxIntraOpParallelismDataset", same),
    BERTH_DATA_OP("PrivateThreadPoolDataset", same),
    BERTH_DATA_OP("NonSerializableDataset", same),
    BERTH_DATA_OP("LatencyStatsDataset", same),
    BERTH_DATA_OP("BytesProducedStatsDataset", same),
    BERTH_DATA_OP("ChooseFastestDataset", same),
    {.op = NULL},
};
