// kernel_driver.h - Calls a kernel from a test, on a GPU and on the CPU.
//
//   driver_t driver = {.op = "Neg"};
//   driver_type(&driver, "T", BERTH_FLOAT);
//   driver_input(&driver, driver_floats(BERTH_SHAPE(2), 1.0f, -2.0f));
//   driver_output(&driver, BERTH_FLOAT);
//   ASSERT_OK(driver_call(&driver, &err), &err);
//   EXPECT_STR(driver_show(&driver, 0), "[2] -1 2");
//   driver_expect_cpu(&driver, 1e-6);
//   driver_deinit(&driver);
//
// Does what the executor does for one step and nothing more: the node is made
// by hand and belongs to no graph; inputs go to the card, or stay on the host
// where TensorFlow's registration says so; outputs come back. A call may be
// repeated. driver_expect_cpu() runs the CPU's kernel on the same inputs and
// compares.
//
// The card is simulated, unless BERTH_TEST_GPU asks for a real one. Include
// this in tests alone, after harness.h.
#ifndef BERTH_CUDA_KERNEL_DRIVER_H_
#define BERTH_CUDA_KERNEL_DRIVER_H_

#include "base/alloc.h"
#include "cuda/device.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "graph/registration.h"
#include "tensor/half.h"

// The CPU's kernels check and compute what those of a GPU are compared with.
// Their room is none that this one knows.
berth_code_t berth_cpu_add_kernels(berth_error_t *err);

enum { DRIVER_MAX = 40 };

// What a test may use of the card.
#define DRIVER_MEMORY (UINT64_C(4) << 30)

typedef struct driver {
  const char *op;
  berth_attr_t attrs[DRIVER_MAX];
  int attr_count;
  berth_tensor_t *inputs[DRIVER_MAX];  // On the host. Owned.
  int input_count;
  berth_dtype_t output_types[DRIVER_MAX];
  int output_count;
  berth_container_t *container;  // Borrowed; for stateful kernels.

  // Filled in by a call.
  berth_tensor_t *outputs[DRIVER_MAX];  // On the host. Owned.
  berth_node_t node;
  berth_arena_t arena;
  berth_prepare_t prepare;
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

// Returns part |part| (0 or, of complex numbers, 1) of element |i|.
static inline double driver_get(const berth_tensor_t *tensor, int64_t i,
                                int part) {
  const void *data = tensor->data;
  switch (tensor->dtype) {
    case BERTH_FLOAT:
      return (double)((const float *)data)[i];
    case BERTH_DOUBLE:
      return ((const double *)data)[i];
    case BERTH_HALF:
      return (double)berth_half_to_float(((const uint16_t *)data)[i]);
    case BERTH_BFLOAT16:
      return (double)berth_bfloat16_to_float(((const uint16_t *)data)[i]);
    case BERTH_INT8:
      return ((const int8_t *)data)[i];
    case BERTH_INT16:
      return ((const int16_t *)data)[i];
    case BERTH_INT32:
      return ((const int32_t *)data)[i];
    case BERTH_INT64:
      return (double)((const int64_t *)data)[i];
    case BERTH_UINT8:
    case BERTH_BOOL:
      return ((const uint8_t *)data)[i];
    case BERTH_UINT16:
      return ((const uint16_t *)data)[i];
    case BERTH_UINT32:
      return ((const uint32_t *)data)[i];
    case BERTH_UINT64:
      return (double)((const uint64_t *)data)[i];
    case BERTH_COMPLEX64:
      return (double)((const float *)data)[2 * i + part];
    case BERTH_COMPLEX128:
      return ((const double *)data)[2 * i + part];
    default:
      return NAN;
  }
}

// Stores |x| as element |i|; the imaginary part of a complex number is x / 2.
static inline void driver_set(berth_tensor_t *tensor, int64_t i, double x) {
  void *data = tensor->data;
  switch (tensor->dtype) {
    case BERTH_FLOAT:
      ((float *)data)[i] = (float)x;
      break;
    case BERTH_DOUBLE:
      ((double *)data)[i] = x;
      break;
    case BERTH_HALF:
      ((uint16_t *)data)[i] = berth_float_to_half((float)x);
      break;
    case BERTH_BFLOAT16:
      ((uint16_t *)data)[i] = berth_float_to_bfloat16((float)x);
      break;
    case BERTH_COMPLEX64:
      ((float *)data)[2 * i] = (float)x;
      ((float *)data)[2 * i + 1] = (float)(x / 2);
      break;
    case BERTH_COMPLEX128:
      ((double *)data)[2 * i] = x;
      ((double *)data)[2 * i + 1] = x / 2;
      break;
    case BERTH_BOOL:
      ((uint8_t *)data)[i] = x > 0;
      break;
    default: {  // Whole numbers, cut off to their size.
      int64_t whole = (int64_t)floor(x);
      size_t size = berth_dtype_size(tensor->dtype);
      memcpy((char *)data + (size_t)i * size, &whole, size);
      break;
    }
  }
}

// Makes a tensor of numbers between |low| and |high| that look random and are
// the same in every run.
static inline berth_tensor_t *driver_random(berth_dtype_t dtype,
                                            berth_dims_t shape, double low,
                                            double high) {
  static uint64_t state = 1;
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(dtype, shape, &tensor, NULL) != BERTH_OK) return NULL;
  for (int64_t i = 0; i < tensor->count; ++i) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407U;
    double share = (double)(state >> 11) * 0x1p-53;
    driver_set(tensor, i, low + (high - low) * share);
  }
  return tensor;
}

// Returns output |index| as text, "[2,3] 0 1 2 3 4 5": the shape, then the
// elements. Valid until the next call.
static inline const char *driver_show(const driver_t *driver, int index) {
  static char shown[4096];
  const berth_tensor_t *tensor = driver->outputs[index];
  if (tensor == NULL) return "(none)";
  berth_str_t str = {0};
  berth_dims_print(berth_tensor_dims(tensor), &str);
  bool is_complex =
      tensor->dtype == BERTH_COMPLEX64 || tensor->dtype == BERTH_COMPLEX128;
  for (int64_t i = 0; i < tensor->count; ++i) {
    berth_str_printf(&str, " %.9g", driver_get(tensor, i, 0));
    if (is_complex) berth_str_printf(&str, "%+.9gj", driver_get(tensor, i, 1));
  }
  snprintf(shown, sizeof(shown), "%s", berth_str_get(&str));
  berth_str_clear(&str);
  return shown;
}

// ---- The card ----

__attribute__((constructor)) static void driver_add_kernels(void) {
  if (berth_cpu_add_kernels(NULL) != BERTH_OK ||
      berth_cuda_add_kernels(NULL) != BERTH_OK) {
    abort();
  }
}

// Opens and starts the card at first use. It stays open: each test is a process
// of its own.
static inline berth_code_t driver_device(berth_device_t **out_device,
                                         berth_error_t *err) {
  static berth_device_t *device = NULL;
  if (device == NULL) {
    if (getenv("BERTH_TEST_GPU") == NULL) {
      char ledger[64];
      snprintf(ledger, sizeof(ledger), "/tmp/berth-driver-%d", (int)getpid());
      setenv("BERTH_SIMULATE_LEDGER", ledger, 1);
      setenv("BERTH_SIMULATE_GPUS", "H100", 1);
    }
    berth_cuda_wish_t wish = {.policy = berth_policy_mapped(DRIVER_MEMORY),
                              .description = "a test"};
    BERTH_TRY(berth_cuda_device_open(&wish, "/job:localhost/replica:0/task:0",
                                     &device, err));
    berth_code_t code = berth_device_start(device, err);
    const char *ledger = getenv("BERTH_SIMULATE_LEDGER");
    if (ledger != NULL) unlink(ledger);  // Whoever has it open keeps it.
    if (code != BERTH_OK) return code;
  }
  *out_device = device;
  return BERTH_OK;
}

static inline berth_stream_t *driver_stream(berth_device_t *device) {
  return device->backend->lane(device, BERTH_LANE_COMPUTE);
}

// Copies |from| into a new tensor on |to| (NULL: the host).
static inline berth_code_t driver_move(berth_device_t *to,
                                       const berth_tensor_t *from,
                                       berth_tensor_t **out,
                                       berth_error_t *err) {
  berth_device_t *device = to != NULL ? to : from->device;
  BERTH_TRY(berth_tensor_make(to != NULL ? to->allocator : NULL, from->dtype,
                              from->rank, from->dims, from->count, out, err));
  if (from->size == 0) return BERTH_OK;
  const berth_stream_ops_t *streams = device->backend->streams;
  berth_stream_t *stream = driver_stream(device);
  BERTH_TRY(streams->copy(stream, to, (*out)->data, from->device, from->data,
                          from->size, err));
  return streams->sync(stream, err);
}

// ---- Calling ----

// Makes the node and finds its kernel for |device_type|.
static inline berth_code_t driver_select(driver_t *driver,
                                         const char *device_type,
                                         berth_error_t *err) {
  driver->node = (berth_node_t){
      .input_count = driver->input_count,
      .output_count = driver->output_count,
      .attr_count = driver->attr_count,
      .op = berth_schema_find(driver->op),
      .name = driver->op,
      .device = "",
      .attrs = driver->attrs,
      .output_types = driver->output_types,
  };
  if (driver->node.op == NULL) {
    return berth_error_set(err, BERTH_NOT_FOUND, "no op %s", driver->op);
  }
  berth_str_t why = {0};
  driver->kernel = berth_kernel_find(device_type, &driver->node, &why);
  berth_code_t code = BERTH_OK;
  if (driver->kernel == NULL) {
    code = berth_error_set(err, BERTH_NOT_FOUND, "no %s kernel for %s: %s",
                           device_type, driver->op, berth_str_get(&why));
  } else if (driver->kernel->bind != NULL && driver->resource == NULL) {
    code = driver->kernel->bind(&driver->node, driver->container,
                                &driver->resource, err);
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
  berth_kernel_input_t seen[DRIVER_MAX];
  for (int i = 0; i < driver->input_count; ++i) {
    const berth_tensor_t *tensor = inputs[i];
    bool is_shown =
        berth_kernel_reads_value(driver->kernel, i, driver->input_count) &&
        tensor->device == NULL;
    seen[i] = (berth_kernel_input_t){berth_dtype_base(tensor->dtype),
                                     tensor->rank, tensor->dims, tensor->count,
                                     is_shown ? tensor->data : NULL};
  }
  for (int i = 0; i < driver->output_count; ++i) shapes[i].rank = -1;
  driver->prepare = (berth_prepare_t){.node = &driver->node,
                                      .input_count = driver->input_count,
                                      .output_count = driver->output_count,
                                      .inputs = seen,
                                      .arena = &driver->arena,
                                      .device = device,
                                      .outputs = shapes,
                                      .alias = -1};
  berth_code_t code = driver->kernel->prepare(&driver->prepare, err);
  driver->prepare.inputs = NULL;
  return code;
}

// Makes the outputs that the kernel does not make itself.
static inline berth_code_t driver_make_outputs(driver_t *driver,
                                               berth_device_t *device,
                                               berth_tensor_t *const *inputs,
                                               berth_tensor_t **outputs,
                                               berth_error_t *err) {
  const berth_prepare_t *prepare = &driver->prepare;
  if ((driver->kernel->flags & BERTH_KERNEL_MAKES_TENSORS) != 0) {
    return BERTH_OK;
  }
  for (int i = 0; i < driver->output_count; ++i) {
    berth_dims_t dims = berth_shape_dims(&prepare->outputs[i]);
    if (i == 0 && prepare->alias >= 0) {
      BERTH_TRY(
          berth_tensor_reshape(inputs[prepare->alias], dims, &outputs[0], err));
      continue;
    }
    bool is_host = device == NULL || driver_is_on_host(driver, false, i);
    berth_dtype_t dtype = driver->output_types[i];
    if (berth_dtype_is_ref(dtype)) dtype = BERTH_RESOURCE;
    BERTH_TRY(berth_tensor_make(is_host ? NULL : device->allocator, dtype,
                                dims.rank, dims.dims, berth_dims_count(dims),
                                &outputs[i], err));
  }
  return BERTH_OK;
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
  berth_call_t call = {.err = err,
                       .node = &driver->node,
                       .container = driver->container,
                       .resource = driver->resource,
                       .allocator = device != NULL ? device->allocator : NULL,
                       .stream = device != NULL ? driver_stream(device) : NULL,
                       .inputs = inputs,
                       .outputs = outputs};
  berth_code_t code = driver->prepare.run(driver->prepare.plan, args, &call);
  if (code == BERTH_OK && device != NULL) {
    code = device->backend->streams->sync(call.stream, err);
  }
  berth_tensor_release(scratch);
  return code;
}

// Brings the inputs to where the kernel wants them.
static inline berth_code_t driver_place_inputs(driver_t *driver,
                                               berth_device_t *device,
                                               berth_tensor_t **inputs,
                                               berth_error_t *err) {
  for (int i = 0; i < driver->input_count; ++i) {
    if (device == NULL || driver_is_on_host(driver, true, i)) {
      inputs[i] = berth_tensor_retain(driver->inputs[i]);
    } else {
      BERTH_TRY(driver_move(device, driver->inputs[i], &inputs[i], err));
    }
  }
  return BERTH_OK;
}

// Selects, prepares and runs on |device| (NULL: the CPU), and stores the
// outputs, as host tensors, in |results|.
static inline berth_code_t driver_call_on(driver_t *driver,
                                          berth_device_t *device,
                                          berth_tensor_t **results,
                                          berth_error_t *err) {
  berth_tensor_t *inputs[DRIVER_MAX] = {NULL}, *outputs[DRIVER_MAX] = {NULL};
  berth_shape_t *shapes = berth_calloc(DRIVER_MAX, sizeof(*shapes));
  if (shapes == NULL) return berth_error_no_memory(err, "shapes");
  berth_code_t code =
      driver_select(driver, device != NULL ? "GPU" : "CPU", err);
  if (code == BERTH_OK) code = driver_place_inputs(driver, device, inputs, err);
  if (code == BERTH_OK) {
    code = driver_prepare(driver, device, inputs, shapes, err);
  }
  if (code == BERTH_OK) {
    code = driver_make_outputs(driver, device, inputs, outputs, err);
  }
  if (code == BERTH_OK) {
    code = driver_run(driver, device, inputs, outputs, err);
  }
  for (int i = 0; code == BERTH_OK && i < driver->output_count; ++i) {
    if (outputs[i] == NULL || outputs[i]->device == NULL) {
      results[i] = outputs[i];
      outputs[i] = NULL;
    } else {
      code = driver_move(NULL, outputs[i], &results[i], err);
    }
  }
  for (int i = 0; i < DRIVER_MAX; ++i) {
    berth_tensor_release(inputs[i]);
    berth_tensor_release(outputs[i]);
  }
  driver->prepare.outputs = NULL;  // Gone now.
  berth_free(shapes);
  return code;
}

static inline void driver_drop_outputs(driver_t *driver) {
  for (int i = 0; i < driver->output_count; ++i) {
    berth_tensor_release(driver->outputs[i]);
    driver->outputs[i] = NULL;
  }
}

// Calls the kernel on the card. The outputs stay until the next call.
static inline berth_code_t driver_call(driver_t *driver, berth_error_t *err) {
  berth_device_t *device = NULL;
  driver_drop_outputs(driver);
  BERTH_TRY(driver_device(&device, err));
  return driver_call_on(driver, device, driver->outputs, err);
}

// ---- Comparing ----

// Compares element |i|: within |tolerance| of each other's size, or of one
// where that is less than the tolerance of a whole complex number. 0: exactly.
static inline bool driver_is_near(const berth_tensor_t *a,
                                  const berth_tensor_t *b, int64_t i,
                                  double tolerance) {
  bool is_complex = a->dtype == BERTH_COMPLEX64 || a->dtype == BERTH_COMPLEX128;
  double size = 0;
  for (int part = 0; part <= is_complex; ++part) {
    double x = fabs(driver_get(b, i, part));
    size = x > size && !isinf(x) ? x : size;
  }
  for (int part = 0; part <= is_complex; ++part) {
    double x = driver_get(a, i, part), y = driver_get(b, i, part);
    if (x == y || (x != x && y != y)) continue;
    if (!(fabs(x - y) <= tolerance * size)) return false;
  }
  return true;
}

// Runs the CPU's kernel on the same inputs and expects what the card has given
// to be the same within |tolerance|, relative.
static inline void driver_expect_cpu(driver_t *driver, double tolerance) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *expected[DRIVER_MAX] = {NULL};
  ASSERT_OK(driver_call_on(driver, NULL, expected, &err), &err);
  for (int k = 0; k < driver->output_count; ++k) {
    const berth_tensor_t *a = driver->outputs[k], *b = expected[k];
    ASSERT_TRUE(a != NULL && b != NULL && a->dtype == b->dtype);
    ASSERT_TRUE(berth_dims_equal(berth_tensor_dims(a), berth_tensor_dims(b)));
    int wrong = 0;
    for (int64_t i = 0; i < a->count; ++i) {
      if (driver_is_near(a, b, i, tolerance)) continue;
      if (wrong++ == 0) {
        HARNESS_FAIL("%s of %s: output %d, element %lld is %.17g, not %.17g",
                     driver->op, berth_dtype_name(a->dtype), k, (long long)i,
                     driver_get(a, i, 0), driver_get(b, i, 0));
      }
    }
    EXPECT_EQ(wrong, 0);
    berth_tensor_release(expected[k]);
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

// Runs on the card, compares with the CPU and ends |driver|.
static inline void driver_check(driver_t *driver, double tolerance) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(driver_call(driver, &err), &err);
  driver_expect_cpu(driver, tolerance);
  driver_deinit(driver);
}

#endif  // BERTH_CUDA_KERNEL_DRIVER_H_
