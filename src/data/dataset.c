// dataset.c - Datasets, cursors and readings in general.
#include "data/dataset.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "graph/graph.h"

// ---- Datasets ----

static void dataset_destroy(berth_resource_t *resource) {
  berth_dataset_t *dataset = (berth_dataset_t *)resource;
  if (dataset->kind->drop != NULL) dataset->kind->drop(dataset);
  for (int i = 0; i < dataset->input_count; ++i) {
    berth_dataset_release(dataset->inputs[i]);
  }
  berth_free(dataset->inputs);
  berth_free(dataset->types);
  berth_free(dataset->shapes);
  berth_free(dataset);
}

static berth_dataset_t *dataset_alloc(const berth_dataset_kind_t *kind) {
  berth_dataset_t *dataset = berth_calloc(1, kind->size);
  if (dataset == NULL) return NULL;
  atomic_init(&dataset->resource.refs, 1);
  dataset->resource.kind = BERTH_RESOURCE_DATASET;
  dataset->resource.destroy = dataset_destroy;
  dataset->kind = kind;
  return dataset;
}

// Copies what the node says about elements; where it says nothing they are the
// input's, or texts.
static berth_code_t read_elements(berth_dataset_t *dataset,
                                  const berth_node_t *node,
                                  berth_error_t *err) {
  const berth_attr_value_t *types = berth_node_attr(node, "output_types");
  const berth_attr_value_t *shapes = berth_node_attr(node, "output_shapes");
  if (types == NULL) types = berth_node_attr(node, "Toutput_types");
  int width = types != NULL ? types->count : 0;
  if (types == NULL) {
    width = dataset->input_count > 0 ? dataset->inputs[0]->width : 1;
  }
  dataset->width = width;
  dataset->types = berth_calloc((size_t)width + 1, sizeof(*dataset->types));
  dataset->shapes = berth_calloc((size_t)width + 1, sizeof(*dataset->shapes));
  if (dataset->types == NULL || dataset->shapes == NULL) {
    return berth_error_no_memory(err, "a dataset");
  }
  for (int i = 0; i < width; ++i) {
    dataset->types[i] = types != NULL ? types->type_list[i]
                        : dataset->input_count > 0
                            ? dataset->inputs[0]->types[i]
                            : BERTH_STRING;
    dataset->shapes[i].rank =
        types == NULL && dataset->input_count == 0 ? 0 : -1;
    if (shapes != NULL && i < shapes->count) {
      berth_shape_set(&dataset->shapes[i], shapes->shape_list[i]);
    }
  }
  return BERTH_OK;
}

static berth_code_t read_inputs(berth_dataset_t *dataset,
                                const berth_call_t *call, int count,
                                berth_error_t *err) {
  dataset->inputs = berth_calloc((size_t)count + 1, sizeof(*dataset->inputs));
  if (dataset->inputs == NULL) return berth_error_no_memory(err, "a dataset");
  for (int i = 0; i < count; ++i) {
    berth_dataset_t *input = NULL;
    BERTH_TRY(berth_dataset_of(call->inputs[i], &input, err));
    dataset->inputs[dataset->input_count++] = berth_dataset_retain(input);
  }
  return BERTH_OK;
}

berth_code_t berth_dataset_make(const berth_dataset_kind_t *kind,
                                const berth_call_t *call, int input_count,
                                berth_dataset_t **out_dataset,
                                berth_error_t *err) {
  berth_dataset_t *dataset = dataset_alloc(kind);
  if (dataset == NULL) return berth_error_no_memory(err, "a dataset");
  berth_code_t code = read_inputs(dataset, call, input_count, err);
  if (code == BERTH_OK) code = read_elements(dataset, call->node, err);
  if (code == BERTH_OK) {
    *out_dataset = dataset;
  } else {
    berth_dataset_release(dataset);
  }
  return code;
}

berth_code_t berth_dataset_make_bare(const berth_dataset_kind_t *kind,
                                     const berth_dtype_t *types,
                                     const berth_shape_t *shapes, int width,
                                     berth_dataset_t **out_dataset,
                                     berth_error_t *err) {
  berth_dataset_t *dataset = dataset_alloc(kind);
  if (dataset == NULL) return berth_error_no_memory(err, "a dataset");
  dataset->types = berth_calloc((size_t)width + 1, sizeof(*dataset->types));
  dataset->shapes = berth_calloc((size_t)width + 1, sizeof(*dataset->shapes));
  if (dataset->types == NULL || dataset->shapes == NULL) {
    berth_dataset_release(dataset);
    return berth_error_no_memory(err, "a dataset");
  }
  dataset->width = width;
  memcpy(dataset->types, types, (size_t)width * sizeof(*types));
  memcpy(dataset->shapes, shapes, (size_t)width * sizeof(*shapes));
  *out_dataset = dataset;
  return BERTH_OK;
}

berth_code_t berth_dataset_of(const berth_tensor_t *tensor,
                              berth_dataset_t **out_dataset,
                              berth_error_t *err) {
  if (tensor->dtype != BERTH_VARIANT || tensor->count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Dataset tensor must be a scalar of dtype "
                           "DT_VARIANT.");
  }
  berth_resource_t *resource = ((const berth_handle_t *)tensor->data)->resource;
  if (resource == NULL || resource->kind != BERTH_RESOURCE_DATASET) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Tensor must be a Dataset object.");
  }
  *out_dataset = (berth_dataset_t *)resource;
  return BERTH_OK;
}

berth_code_t berth_dataset_wrap(berth_dataset_t *dataset,
                                berth_tensor_t **out_tensor,
                                berth_error_t *err) {
  berth_code_t code =
      berth_tensor_make(NULL, BERTH_VARIANT, 0, NULL, 1, out_tensor, err);
  if (code == BERTH_OK) {
    ((berth_handle_t *)(*out_tensor)->data)->resource = &dataset->resource;
  } else {
    berth_dataset_release(dataset);
  }
  return code;
}

int64_t berth_dataset_count(const berth_dataset_t *dataset) {
  return dataset->kind->count != NULL ? dataset->kind->count(dataset)
                                      : BERTH_UNCOUNTED;
}

// ---- Cursors ----

berth_code_t berth_cursor_open(const berth_dataset_t *dataset,
                               berth_reading_t *reading,
                               berth_cursor_t **out_cursor,
                               berth_error_t *err) {
  berth_cursor_t *cursor = berth_calloc(1, dataset->kind->cursor_size);
  if (cursor == NULL) return berth_error_no_memory(err, "an iterator");
  cursor->dataset = berth_dataset_retain(dataset);
  cursor->reading = reading;
  berth_code_t code =
      dataset->kind->open != NULL ? dataset->kind->open(cursor, err) : BERTH_OK;
  if (code == BERTH_OK) {
    *out_cursor = cursor;
  } else {
    berth_cursor_close(cursor);
  }
  return code;
}

void berth_cursor_close(berth_cursor_t *cursor) {
  if (cursor == NULL) return;
  berth_dataset_t *dataset = (berth_dataset_t *)(uintptr_t)cursor->dataset;
  if (dataset->kind->close != NULL) dataset->kind->close(cursor);
  berth_cursor_close(cursor->input);
  berth_free(cursor);
  berth_dataset_release(dataset);
}

berth_code_t berth_cursor_open_input(berth_cursor_t *cursor,
                                     berth_error_t *err) {
  return berth_cursor_open(cursor->dataset->inputs[0], cursor->reading,
                           &cursor->input, err);
}

void berth_element_drop(berth_tensor_t **tensors, int count) {
  for (int i = 0; i < count; ++i) {
    berth_tensor_release(tensors[i]);
    tensors[i] = NULL;
  }
}

berth_tensor_t **berth_element_room(int count,
                                    berth_tensor_t *few[BERTH_ELEMENT_FEW]) {
  if (count > BERTH_ELEMENT_FEW) {
    return berth_calloc((size_t)count, sizeof(berth_tensor_t *));
  }
  memset(few, 0, BERTH_ELEMENT_FEW * sizeof(*few));
  return few;
}

// ---- Readings ----

void berth_reading_init(berth_reading_t *reading) {
  memset(reading, 0, sizeof(*reading));
  atomic_init(&reading->ended, 0);
  berth_mutex_init(&reading->lock);
}

void berth_reading_deinit(berth_reading_t *reading) {
  for (size_t i = 0; i < reading->routine_count; ++i) {
    berth_resource_release(&reading->routines[i].routine->resource);
  }
  berth_free(reading->routines);
  berth_free(reading->drawn);
  berth_mutex_deinit(&reading->lock);
}

bool berth_reading_has_ended(const berth_reading_t *reading) {
  return atomic_load_explicit(&reading->ended, memory_order_relaxed) != 0 ||
         berth_parallel_poll();
}

berth_code_t berth_reading_fail_ended(berth_error_t *err) {
  return berth_error_set(err, BERTH_CANCELLED, "Iterator was cancelled");
}

int berth_reading_threads(const berth_reading_t *reading, int64_t threads,
                          int64_t most) {
  int64_t count = threads;
  if (count < 0) count = berth_cpu_count() < most ? berth_cpu_count() : most;
  if (reading->most_threads > 0 && count > reading->most_threads) {
    count = reading->most_threads;
  }
  return (int)count;
}

bool berth_reading_keeps(const berth_reading_t *reading,
                         berth_element_order_t order) {
  return (order != BERTH_ORDER_DEFAULT ? order : reading->order) !=
         BERTH_ORDER_ANY;
}

// ---- Closures ----

berth_code_t berth_closure_init(berth_closure_t *closure,
                                const berth_call_t *call, const char *attr,
                                int first, int count, berth_error_t *err) {
  const berth_attr_value_t *value = berth_node_attr(call->node, attr);
  if (value == NULL || value->kind != BERTH_ATTR_FUNC) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s has no function %s",
                           call->node->name, attr);
  }
  BERTH_TRY(berth_routine_make(call->container, value->func->name,
                               &closure->routine, err));
  closure->captured = berth_calloc((size_t)count + 1, sizeof(berth_tensor_t *));
  if (closure->captured == NULL) return berth_error_no_memory(err, "a dataset");
  for (int i = 0; i < count; ++i) {
    closure->captured[closure->captured_count++] =
        berth_tensor_retain(call->inputs[first + i]);
  }
  return BERTH_OK;
}

berth_code_t berth_closure_read(berth_closure_t *closure,
                                const berth_call_t *call, const char *attr,
                                const char *others) {
  int first = 0, count = 0;
  berth_data_range(call, others, &first, &count);
  return berth_closure_init(closure, call, attr, first, count, call->err);
}

void berth_closure_deinit(berth_closure_t *closure) {
  berth_element_drop(closure->captured, closure->captured_count);
  berth_free(closure->captured);
  if (closure->routine != NULL) {
    berth_resource_release(&closure->routine->resource);
  }
}

// Finds or makes the routine of |closure|. The lock is held.
static berth_code_t own_routine(const berth_closure_t *closure,
                                berth_reading_t *reading,
                                berth_routine_t **out_routine,
                                berth_error_t *err) {
  for (size_t i = 0; i < reading->routine_count; ++i) {
    if (reading->routines[i].closure == closure) {
      *out_routine = reading->routines[i].routine;
      return BERTH_OK;
    }
  }
  berth_reading_routine_t *routines =
      berth_grow(reading->routines, reading->routine_count,
                 &reading->routine_capacity, sizeof(*routines));
  if (routines == NULL) return berth_error_no_memory(err, "a function");
  reading->routines = routines;
  berth_routine_t *made = NULL;
  BERTH_TRY(closure->routine->copy(closure->routine, &made, err));
  routines[reading->routine_count++] = (berth_reading_routine_t){closure, made};
  *out_routine = made;
  return BERTH_OK;
}

berth_code_t berth_closure_routine(const berth_closure_t *closure,
                                   berth_reading_t *reading,
                                   berth_routine_t **out_routine,
                                   berth_error_t *err) {
  if (!closure->routine->has_state) {
    *out_routine = closure->routine;
    return BERTH_OK;
  }
  berth_mutex_lock(&reading->lock);
  berth_code_t code = own_routine(closure, reading, out_routine, err);
  berth_mutex_unlock(&reading->lock);
  return code;
}

berth_code_t berth_closure_call(const berth_closure_t *closure,
                                berth_routine_t *routine,
                                berth_tensor_t *const *inputs, int input_count,
                                berth_tensor_t **outputs, berth_error_t *err) {
  if (closure->captured_count == 0) {
    return routine->call(routine, inputs, outputs, NULL, err);
  }
  enum { ON_STACK = 32 };
  berth_tensor_t *few[ON_STACK];
  int count = input_count + closure->captured_count;
  berth_tensor_t **all =
      count > ON_STACK ? berth_alloc((size_t)count * sizeof(*all)) : few;
  if (all == NULL) return berth_error_no_memory(err, "a call");
  for (int i = 0; i < input_count; ++i) all[i] = inputs[i];
  for (int i = input_count; i < count; ++i) {
    all[i] = closure->captured[i - input_count];
  }
  berth_code_t code = routine->call(routine, all, outputs, NULL, err);
  if (all != few) berth_free(all);
  return code;
}

// ---- Arguments of kernels ----

static berth_code_t check_scalar(const berth_call_t *call, int index,
                                 const char *name) {
  if (call->inputs[index]->rank == 0) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "`%s` must be a scalar", name);
}

berth_code_t berth_data_int(const berth_call_t *call, int index,
                            const char *name, int64_t *out) {
  BERTH_TRY(check_scalar(call, index, name));
  const berth_tensor_t *tensor = call->inputs[index];
  *out = tensor->dtype == BERTH_INT32 ? *(const int32_t *)tensor->data
                                      : *(const int64_t *)tensor->data;
  return BERTH_OK;
}

berth_code_t berth_data_bool(const berth_call_t *call, int index,
                             const char *name, bool *out) {
  BERTH_TRY(check_scalar(call, index, name));
  *out = *(const uint8_t *)call->inputs[index]->data != 0;
  return BERTH_OK;
}

berth_element_order_t berth_data_order(const berth_call_t *call) {
  const char *text = berth_node_attr_string(call->node, "deterministic", "");
  if (strcmp(text, "true") == 0) return BERTH_ORDER_KEPT;
  return strcmp(text, "false") == 0 ||
                 berth_node_attr_bool(call->node, "sloppy", false)
             ? BERTH_ORDER_ANY
             : BERTH_ORDER_DEFAULT;
}

void berth_data_range(const berth_call_t *call, const char *name,
                      int *out_first, int *out_count) {
  const berth_op_schema_t *op = call->node->op;
  *out_first = *out_count = 0;
  for (int i = 0; i < op->input_count; ++i) {
    if (strcmp(op->inputs[i].name, name) == 0) {
      berth_node_input_range(call->node, i, out_first, out_count);
    }
  }
}

berth_code_t berth_data_finish(berth_dataset_t *dataset, berth_code_t code,
                               berth_dataset_t **out_dataset) {
  if (code == BERTH_OK) {
    *out_dataset = dataset;
  } else {
    berth_dataset_release(dataset);
  }
  return code;
}

berth_code_t berth_data_give(berth_call_t *call, berth_dataset_make_fn make) {
  berth_dataset_t *dataset = NULL;
  BERTH_TRY(make(call, &dataset));
  return berth_dataset_wrap(dataset, &call->outputs[0], call->err);
}

berth_code_t berth_data_prepare(berth_prepare_t *prepare, berth_run_fn run) {
  prepare->run = run;
  for (int i = 0; i < prepare->op.output_count; ++i) {
    prepare->op.outputs[i].rank = -1;
  }
  return BERTH_OK;
}
