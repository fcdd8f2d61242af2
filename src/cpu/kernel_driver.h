// kernel_driver.h - Calls a CPU kernel from a test: select, prepare, run.
//
//   driver_t driver = {.op = "Neg"};
//   driver_type(&driver, "T", BERTH_FLOAT);
//   driver_input(&driver, driver_floats(BERTH_SHAPE(2), 1.0f, -2.0f));
//   driver_output(&driver, BERTH_FLOAT);
//   ASSERT_OK(driver_call(&driver, &err), &err);
//   EXPECT_NEAR(((float *)driver_data(&driver, 0))[0], -1.0f, 0);
//   driver_deinit(&driver);
//
// Does what the executor does for one step and nothing more: the node is made
// by hand and belongs to no graph. A call may be repeated; outputs are made
// anew. Include it in tests alone, after harness.h and the kernel tables.
#ifndef BERTH_CPU_KERNEL_DRIVER_H_
#define BERTH_CPU_KERNEL_DRIVER_H_

#include "base/alloc.h"
#include "kernel/kernel.h"

enum { DRIVER_MAX = 16 };

typedef struct driver {
  const char *op;
  const char *name;  // Of the node; NULL: the op's.
  berth_attr_t attrs[DRIVER_MAX];
  int attr_count;
  berth_tensor_t *inputs[DRIVER_MAX];  // Owned.
  int input_count;
  berth_dtype_t output_types[DRIVER_MAX];
  int output_count;
  berth_container_t *container;    // Borrowed; for stateful kernels.
  berth_completion_t *completion;  // Borrowed; for blocking kernels.

  // Filled in by driver_call().
  berth_tensor_t *outputs[DRIVER_MAX];  // Owned.
  berth_prepare_t prepare;
  berth_node_t node;
  berth_arena_t arena;
  berth_resource_t *resource;  // What bind made; kept between calls.
  const berth_kernel_t *kernel;
} driver_t;

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

static inline void *driver_data(const driver_t *driver, int output) {
  return driver->outputs[output]->data;
}

// Makes a tensor of floats 0, 1, 2, ... in |shape|.
static inline berth_tensor_t *driver_count_up(berth_dims_t shape) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_FLOAT, shape, &tensor, NULL) != BERTH_OK) {
    return NULL;
  }
  for (int64_t i = 0; i < tensor->count; ++i) {
    ((float *)tensor->data)[i] = (float)i;
  }
  return tensor;
}

// Makes a vector of |count| strings.
static inline berth_tensor_t *driver_strings(const char *const *texts,
                                             int64_t count) {
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(BERTH_STRING, BERTH_SHAPE(count), &tensor, NULL) !=
      BERTH_OK) {
    return NULL;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (berth_tensor_set_string(tensor, i, texts[i], strlen(texts[i]), NULL) !=
        BERTH_OK) {
      berth_tensor_release(tensor);
      return NULL;
    }
  }
  return tensor;
}

// Appends element |i| of |tensor|.
static inline void driver_print_element(const berth_tensor_t *tensor, int64_t i,
                                        berth_str_t *str) {
  size_t size = 0;
  const char *text = NULL;
  switch (tensor->dtype) {
    case BERTH_FLOAT:
      berth_str_printf(str, " %.9g", (double)((float *)tensor->data)[i]);
      break;
    case BERTH_DOUBLE:
      berth_str_printf(str, " %.17g", ((double *)tensor->data)[i]);
      break;
    case BERTH_INT32:
      berth_str_printf(str, " %d", (int)((int32_t *)tensor->data)[i]);
      break;
    case BERTH_INT64:
      berth_str_printf(str, " %lld", (long long)((int64_t *)tensor->data)[i]);
      break;
    case BERTH_STRING:
      text = berth_tensor_get_string(tensor, i, &size);
      berth_str_printf(str, " %.*s", (int)size, text);
      break;
    default:
      for (size_t b = berth_dtype_size(tensor->dtype); b-- > 0;) {
        size_t at = (size_t)i * berth_dtype_size(tensor->dtype) + b;
        berth_str_printf(str, "%s%02x",
                         b + 1 == berth_dtype_size(tensor->dtype) ? " " : "",
                         ((unsigned char *)tensor->data)[at]);
      }
      break;
  }
}

// Returns output |index| as text, "[2,3] 0 1 2 3 4 5": the shape, then the
// elements (types without a case above in hexadecimal). Valid until the next
// call.
static inline const char *driver_show(const driver_t *driver, int index) {
  static char shown[4096];
  berth_str_t str = {0};
  const berth_tensor_t *tensor = driver->outputs[index];
  if (tensor == NULL) return "(none)";
  berth_dims_print(berth_tensor_dims(tensor), &str);
  for (int64_t i = 0; i < tensor->count; ++i) {
    driver_print_element(tensor, i, &str);
  }
  snprintf(shown, sizeof(shown), "%s", berth_str_get(&str));
  berth_str_clear(&str);
  return shown;
}

static inline void driver_drop_outputs(driver_t *driver) {
  for (int i = 0; i < driver->output_count; ++i) {
    berth_tensor_release(driver->outputs[i]);
    driver->outputs[i] = NULL;
  }
}

// Makes the node and finds its kernel among those of "CPU".
static inline berth_code_t driver_select(driver_t *driver, berth_error_t *err) {
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
  driver->kernel = berth_kernel_find("CPU", &driver->node, &why);
  berth_code_t code = BERTH_OK;
  if (driver->kernel == NULL) {
    code = berth_error_set(err, BERTH_NOT_FOUND, "no kernel for %s: %s",
                           driver->op, berth_str_get(&why));
  }
  berth_str_clear(&why);
  return code;
}

// Calls prepare with the inputs as they are; only value inputs are shown.
static inline berth_code_t driver_prepare(driver_t *driver,
                                          berth_kernel_input_t *inputs,
                                          berth_shape_t *shapes,
                                          berth_error_t *err) {
  for (int i = 0; i < driver->input_count; ++i) {
    const berth_tensor_t *tensor = driver->inputs[i];
    bool shown =
        berth_kernel_reads_value(driver->kernel, i, driver->input_count);
    inputs[i] = (berth_kernel_input_t){
        berth_dtype_base(tensor->dtype), tensor->rank, tensor->dims,
        tensor->count, shown ? tensor->data : NULL};
  }
  for (int i = 0; i < driver->output_count; ++i) shapes[i].rank = -1;
  driver->prepare = (berth_prepare_t){.node = &driver->node,
                                      .input_count = driver->input_count,
                                      .output_count = driver->output_count,
                                      .inputs = inputs,
                                      .arena = &driver->arena,
                                      .outputs = shapes,
                                      .alias = -1};
  return driver->kernel->prepare(&driver->prepare, err);
}

// Makes the outputs that the kernel does not make itself.
static inline berth_code_t driver_make_outputs(driver_t *driver,
                                               berth_error_t *err) {
  const berth_prepare_t *prepare = &driver->prepare;
  if ((driver->kernel->flags & BERTH_KERNEL_MAKES_TENSORS) != 0) {
    return BERTH_OK;
  }
  for (int i = 0; i < driver->output_count; ++i) {
    berth_dims_t dims = berth_shape_dims(&prepare->outputs[i]);
    if (i == 0 && prepare->alias >= 0) {
      BERTH_TRY(berth_tensor_reshape(driver->inputs[prepare->alias], dims,
                                     &driver->outputs[0], err));
      continue;
    }
    bool is_ref = berth_dtype_is_ref(driver->output_types[i]);
    BERTH_TRY(berth_tensor_create(
        is_ref ? BERTH_RESOURCE : driver->output_types[i],
        is_ref ? BERTH_SCALAR : dims, &driver->outputs[i], err));
  }
  return BERTH_OK;
}

static inline berth_code_t driver_run(driver_t *driver, berth_error_t *err) {
  void *args[2 * DRIVER_MAX + 1];
  int count = 0;
  for (int i = 0; i < driver->input_count; ++i) {
    args[count++] = driver->inputs[i]->data;
  }
  for (int i = 0; i < driver->output_count; ++i) {
    args[count++] =
        driver->outputs[i] != NULL ? driver->outputs[i]->data : NULL;
  }
  size_t size = driver->prepare.scratch_size + 64;
  char *scratch = berth_alloc(size);
  if (scratch == NULL) return berth_error_no_memory(err, "scratch space");
  args[count] = scratch + (-(uintptr_t)scratch & 63);
  berth_call_t call = {.err = err,
                       .node = &driver->node,
                       .container = driver->container,
                       .resource = driver->resource,
                       .completion = driver->completion,
                       .inputs = driver->inputs,
                       .outputs = driver->outputs};
  berth_code_t code =
      driver->prepare.run != NULL
          ? driver->prepare.run(driver->prepare.plan, args, &call)
          : BERTH_OK;
  berth_free(scratch);
  return code;
}

// Selects, binds, prepares and runs. The outputs stay until the next call.
static inline berth_code_t driver_call(driver_t *driver, berth_error_t *err) {
  berth_kernel_input_t inputs[DRIVER_MAX];
  berth_shape_t *shapes = berth_calloc(DRIVER_MAX, sizeof(*shapes));
  if (shapes == NULL) return berth_error_no_memory(err, "shapes");
  driver_drop_outputs(driver);
  berth_code_t code = driver_select(driver, err);
  if (code != BERTH_OK) goto done;
  if (driver->kernel->bind != NULL && driver->resource == NULL) {
    code = driver->kernel->bind(&driver->node, driver->container,
                                &driver->resource, err);
    if (code != BERTH_OK) goto done;
  }
  code = driver_prepare(driver, inputs, shapes, err);
  if (code != BERTH_OK) goto done;
  code = driver_make_outputs(driver, err);
  if (code != BERTH_OK) goto done;
  code = driver_run(driver, err);
done:
  // What prepare pointed to is gone now.
  driver->prepare.inputs = NULL;
  driver->prepare.outputs = NULL;
  berth_free(shapes);
  return code;
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

#endif  // BERTH_CPU_KERNEL_DRIVER_H_
