// kernel_driver.h - Calls a kernel from a test: select, prepare, run.
//
//   driver_t driver = {.op = "Neg"};
//   driver_type(&driver, "T", BERTH_FLOAT);
//   driver_input(&driver, driver_floats(BERTH_SHAPE(2), 1.0f, -2.0f));
//   driver_output(&driver, BERTH_FLOAT);
//   ASSERT_OK(driver_call(&driver, &err), &err);
//   EXPECT_STR(driver_show(&driver, 0), "[2] -1 2");
//   driver_deinit(&driver);
//
// Does what the executor does for one step and nothing more: the node is made
// by hand and belongs to no graph. A call may be repeated; outputs are made
// anew. cpu/kernel_driver.h and cuda/kernel_driver.h have driver_call() and
// driver_show() for their devices; tests include one of those.
#ifndef BERTH_KERNEL_KERNEL_DRIVER_H_
#define BERTH_KERNEL_KERNEL_DRIVER_H_

#include "base/alloc.h"
#include "device/device.h"
#include "graph/registration.h"
#include "kernel/bind.h"
#include "kernel/kernel.h"
#include "state/commit.h"

enum { DRIVER_MAX = 40 };

typedef struct driver {
  const char *op;
  const char *name;  // Of the node; NULL: the op's.
  berth_attr_t attrs[DRIVER_MAX];
  int attr_count;
  berth_tensor_t *inputs[DRIVER_MAX];  // On the host. Owned.
  int input_count;
  berth_dtype_t output_types[DRIVER_MAX];
  int output_count;
  berth_container_t *container;    // Borrowed; for stateful kernels.
  berth_completion_t *completion;  // Borrowed; for blocking kernels.
  const atomic_int *cancelled;     // Borrowed; NULL: never.
  bool is_of_largest;  // Results are as near as a part of the largest of them.

  // Filled in by a call.
  berth_tensor_t *outputs[DRIVER_MAX];  // On the host. Owned.
  berth_prepare_t prepare;
  berth_node_t node;
  berth_arena_t arena;
  berth_resource_t *resource;    // What bind made; kept between calls.
  const berth_kernel_t *kernel;  // Of the last call.
} driver_t;

// ---- Describing a call ----

static inline berth_attr_value_t *driver_attr(driver_t *driver,
                                              const char *name,
                                              berth_attr_kind_t kind) {
  berth_attr_t *attr = &driver->attrs[driver->attr_count++];
  attr->name = name;
  attr->value.kind = kind;
  return &attr->value;
}

static inline void driver_type(driver_t *driver, const char *name,
                               berth_dtype_t type) {
  driver_attr(driver, name, BERTH_ATTR_TYPE)->type = type;
}
static inline void driver_int(driver_t *driver, const char *name,
                              int64_t value) {
  driver_attr(driver, name, BERTH_ATTR_INT)->i = value;
}
static inline void driver_float(driver_t *driver, const char *name,
                                float value) {
  driver_attr(driver, name, BERTH_ATTR_FLOAT)->f = value;
}
static inline void driver_bool(driver_t *driver, const char *name, bool value) {
  driver_attr(driver, name, BERTH_ATTR_BOOL)->b = value;
}
static inline void driver_text(driver_t *driver, const char *name,
                               const char *text) {
  driver_attr(driver, name, BERTH_ATTR_STRING)->s =
      (berth_attr_text_t){text, strlen(text)};
}
static inline void driver_shape(driver_t *driver, const char *name,
                                berth_dims_t shape) {
  driver_attr(driver, name, BERTH_ATTR_SHAPE)->shape = shape;
}

// Takes over the reference to |tensor|.
static inline void driver_input(driver_t *driver, berth_tensor_t *tensor) {
  driver->inputs[driver->input_count++] = tensor;
}
static inline void driver_output(driver_t *driver, berth_dtype_t type) {
  driver->output_types[driver->output_count++] = type;
}

// ---- Tensors ----

// Makes a tensor with a copy of |data|; plain types.
static inline berth_tensor_t *driver_tensor(berth_dtype_t dtype,
                                            berth_dims_t shape,
                                            const void *data) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_copy_from(dtype, shape, data, &tensor, NULL) != BERTH_OK) {
    return NULL;
  }
  return tensor;
}

#define driver_floats(shape, ...) \
  driver_tensor(BERTH_FLOAT, shape, (const float[]){__VA_ARGS__})
#define driver_doubles(shape, ...) \
  driver_tensor(BERTH_DOUBLE, shape, (const double[]){__VA_ARGS__})
#define driver_ints(shape, ...) \
  driver_tensor(BERTH_INT32, shape, (const int32_t[]){__VA_ARGS__})
#define driver_longs(shape, ...) \
  driver_tensor(BERTH_INT64, shape, (const int64_t[]){__VA_ARGS__})

// Appends one element of |tensor|.
typedef void (*driver_print_fn)(const berth_tensor_t *tensor, int64_t i,
                                berth_str_t *str);

// Returns output |index| as text, "[2,3] 0 1 2 3 4 5": the shape, then the
// elements as |print| writes them. Valid until the next call.
static inline const char *driver_show_with(const driver_t *driver, int index,
                                           driver_print_fn print) {
  static char shown[4096];
  const berth_tensor_t *tensor = driver->outputs[index];
  if (tensor == NULL) return "(none)";
  berth_str_t str = {0};
  berth_dims_print(berth_tensor_dims(tensor), &str);
  for (int64_t i = 0; i < tensor->count; ++i) print(tensor, i, &str);
  snprintf(shown, sizeof(shown), "%s", berth_str_get(&str));
  berth_str_clear(&str);
  return shown;
}

// ---- Calling ----

// Makes the node and finds its kernel for |backend|.
static inline berth_code_t driver_select(driver_t *driver,
                                         const berth_backend_t *backend,
                                         berth_error_t *err) {
  driver->node = (berth_node_t){
      .input_count = driver->input_count,
      .output_count = driver->output_count,
      .attr_count = driver->attr_count,
      .op = berth_schema_find(driver->op),
      .name = driver->name != NULL ? driver->name : driver->op,
      .device = "",
      .attrs = driver->attrs,
      .output_types = driver->output_types,
  };
  if (driver->node.op == NULL) {
    return berth_error_set(err, BERTH_NOT_FOUND, "no op %s", driver->op);
  }
  berth_str_t why = {0};
  driver->kernel = berth_kernel_find(backend, &driver->node, &why);
  berth_code_t code = BERTH_OK;
  if (driver->kernel == NULL) {
    code = berth_error_set(err, BERTH_NOT_FOUND, "no %s kernel for %s: %s",
                           backend->type, driver->op, berth_str_get(&why));
  } else if (driver->node.op->owns != BERTH_OWNS_NOTHING &&
             driver->resource == NULL) {
    code = berth_bind(&driver->node, driver->container, &driver->resource, err);
  }
  berth_str_clear(&why);
  return code;
}

// True when input (or output) |index| stays on the host although the kernel
// runs on a card.
static inline bool driver_is_on_host(const driver_t *driver, bool is_input,
                                     int index) {
  const berth_node_t *node = &driver->node;
  berth_dtype_t dtype =
      is_input ? driver->inputs[index]->dtype : driver->output_types[index];
  // Handles, and variables behind references.
  if (berth_dtype_is_ref(dtype) || !berth_dtype_is_plain(dtype)) return true;
  const berth_registration_t *registration =
      berth_registration_find(node, BERTH_FOR_GPU);
  if (registration == NULL) return false;
  int args = is_input ? node->op->input_count : node->op->output_count;
  for (int arg = 0; arg < args && arg < 32; ++arg) {
    int first = 0, count = 0;
    (is_input ? berth_node_input_range : berth_node_output_range)(
        node, arg, &first, &count);
    if (index >= first + count) continue;
    uint32_t mask =
        is_input ? registration->host_inputs : registration->host_outputs;
    return (mask >> arg & 1) != 0;
  }
  return false;
}

// Calls prepare with |inputs|; values are shown where they are on the host.
static inline berth_code_t driver_prepare(driver_t *driver,
                                          berth_device_t *device,
                                          berth_tensor_t *const *inputs,
                                          berth_shape_t *shapes,
                                          berth_error_t *err) {
  berth_case_input_t seen[DRIVER_MAX];
  for (int i = 0; i < driver->input_count; ++i) {
    const berth_tensor_t *tensor = inputs[i];
    bool is_shown =
        berth_op_reads_value(driver->node.op, i, driver->input_count) &&
        tensor->device == NULL;
    seen[i] = berth_input_of(tensor, is_shown ? tensor->data : NULL);
  }
  for (int i = 0; i < driver->output_count; ++i) shapes[i].rank = -1;
  driver->prepare =
      (berth_prepare_t){.op = {.node = &driver->node,
                               .input_count = driver->input_count,
                               .output_count = driver->output_count,
                               .inputs = seen,
                               .arena = &driver->arena,
                               .outputs = shapes,
                               .alias = -1},
                        .device = device};
  berth_code_t code = driver->kernel->prepare(&driver->prepare, err);
  driver->prepare.op.inputs = NULL;
  return code;
}

// Makes the outputs that the kernel does not make itself.
static inline berth_code_t driver_make_outputs(driver_t *driver,
                                               berth_device_t *device,
                                               berth_tensor_t *const *inputs,
                                               berth_tensor_t **outputs,
                                               berth_error_t *err) {
  const berth_prepare_t *prepare = &driver->prepare;
  uint32_t traits = driver->node.op->traits | driver->kernel->traits;
  if ((traits & BERTH_OP_MAKES) != 0) return BERTH_OK;
  for (int i = 0; i < driver->output_count; ++i) {
    berth_dims_t dims = berth_shape_dims(&prepare->op.outputs[i]);
    if (i == 0 && prepare->op.alias >= 0) {
      BERTH_TRY(berth_tensor_reshape(inputs[prepare->op.alias], dims,
                                     &outputs[0], err));
      continue;
    }
    bool is_host = device == NULL || driver_is_on_host(driver, false, i);
    berth_dtype_t dtype = driver->output_types[i];
    if (berth_dtype_is_ref(dtype)) {
      dtype = BERTH_RESOURCE;
      dims = BERTH_SCALAR;
    }
    BERTH_TRY(berth_tensor_make(is_host ? NULL : device->allocator, dtype,
                                dims.rank, dims.dims, berth_dims_count(dims),
                                &outputs[i], err));
  }
  return BERTH_OK;
}

static inline berth_stream_t *driver_stream(berth_device_t *device) {
  return device->backend->lane(device, BERTH_LANE_COMPUTE);
}

static inline berth_code_t driver_run(driver_t *driver, berth_device_t *device,
                                      berth_tensor_t **inputs,
                                      berth_tensor_t **outputs,
                                      berth_error_t *err) {
  if (driver->prepare.run == NULL) return BERTH_OK;
  void *args[2 * DRIVER_MAX + 1];
  int count = 0;
  for (int i = 0; i < driver->input_count; ++i) args[count++] = inputs[i]->data;
  for (int i = 0; i < driver->output_count; ++i) {
    args[count++] = outputs[i] != NULL ? outputs[i]->data : NULL;
  }
  berth_tensor_t *scratch = NULL;
  BERTH_TRY(berth_tensor_make(
      device != NULL ? device->allocator : NULL, BERTH_UINT8, 1,
      (int64_t[]){(int64_t)driver->prepare.scratch_size + 64},
      (int64_t)driver->prepare.scratch_size + 64, &scratch, err));
  args[count] = (char *)scratch->data + (-(uintptr_t)scratch->data & 63);
  berth_commit_t commit = {0};
  berth_call_t call = {.err = err,
                       .node = &driver->node,
                       .container = driver->container,
                       .resource = driver->resource,
                       .allocator = device != NULL ? device->allocator : NULL,
                       .completion = driver->completion,
                       .cancelled = driver->cancelled,
                       .stream = device != NULL ? driver_stream(device) : NULL,
                       .inputs = inputs,
                       .outputs = outputs,
                       .commit = &commit};
  berth_code_t code = driver->prepare.run(driver->prepare.plan, args, &call);
  if (code == BERTH_OK) code = berth_commit_do(&commit, err);
  berth_commit_deinit(&commit);
  if (code == BERTH_OK && device != NULL) {
    code = device->backend->streams->sync(call.stream, err);
  }
  berth_tensor_release(scratch);
  return code;
}

// Prepares and runs the selected kernel on |device| (NULL: the CPU). What is
// made stays in |outputs|, even when the call fails.
static inline berth_code_t driver_perform(driver_t *driver,
                                          berth_device_t *device,
                                          berth_tensor_t **inputs,
                                          berth_tensor_t **outputs,
                                          berth_error_t *err) {
  berth_shape_t *shapes = berth_calloc(DRIVER_MAX, sizeof(*shapes));
  if (shapes == NULL) return berth_error_no_memory(err, "shapes");
  berth_code_t code = driver_prepare(driver, device, inputs, shapes, err);
  if (code != BERTH_OK) goto done;
  code = driver_make_outputs(driver, device, inputs, outputs, err);
  if (code != BERTH_OK) goto done;
  code = driver_run(driver, device, inputs, outputs, err);
done:
  driver->prepare.op.outputs = NULL;  // Gone now.
  berth_free(shapes);
  return code;
}

// Calls the CPU's kernel. What it gives stays in |outputs|, even when it fails.
static inline berth_code_t driver_call_cpu(driver_t *driver,
                                           berth_tensor_t **outputs,
                                           berth_error_t *err) {
  BERTH_TRY(driver_select(driver, berth_kernel_host(), err));
  return driver_perform(driver, NULL, driver->inputs, outputs, err);
}

// ---- Ending ----

static inline void driver_drop_outputs(driver_t *driver) {
  for (int i = 0; i < driver->output_count; ++i) {
    berth_tensor_release(driver->outputs[i]);
    driver->outputs[i] = NULL;
  }
}

static inline void driver_deinit(driver_t *driver) {
  driver_drop_outputs(driver);
  for (int i = 0; i < driver->input_count; ++i) {
    berth_tensor_release(driver->inputs[i]);
  }
  berth_resource_release(driver->resource);
  berth_arena_clear(&driver->arena);
  *driver = (driver_t){0};
}

#endif  // BERTH_KERNEL_KERNEL_DRIVER_H_
