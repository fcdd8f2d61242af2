// kernel_driver.h - Calls a kernel from a test, on a GPU and on the CPU.
//
//   ASSERT_OK(driver_call(&driver, &err), &err);
//   EXPECT_STR(driver_show(&driver, 0), "[2] -1 2");
//   driver_expect_cpu(&driver, 1e-6);
//
// Adds to kernel/kernel_driver.h what a card needs: inputs go there, or stay on
// the host where TensorFlow's registration says so; outputs come back.
// driver_expect_cpu() runs the CPU's kernel on the same inputs and compares.
//
// The card is simulated, unless BERTH_TEST_GPU asks for a real one. Floats keep
// all their digits (TF32 is forbidden) unless a test says otherwise. Include
// this in tests alone, after harness.h.
#ifndef BERTH_CUDA_KERNEL_DRIVER_H_
#define BERTH_CUDA_KERNEL_DRIVER_H_

#include "cuda/card/card.h"
#include "cuda/card/precision.h"
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/stream/device.h"
#include "kernel/kernel_driver.h"
#include "kernel/number.h"
#include "op/types.h"
#include "simulate.h"

// The CPU's kernels check and compute what those of a GPU are compared with.
// Their room is none that this one knows.
berth_code_t berth_cpu_add_kernels(berth_error_t *err);

// What a test may use of the card.
#define DRIVER_MEMORY (UINT64_C(4) << 30)

// ---- Tensors ----

static inline bool driver_is_complex(const berth_tensor_t *tensor) {
  return tensor->dtype == BERTH_COMPLEX64 || tensor->dtype == BERTH_COMPLEX128;
}

// Returns the type of the parts of |tensor|'s elements.
static inline berth_dtype_t driver_part_type(const berth_tensor_t *tensor) {
  if (!driver_is_complex(tensor)) return tensor->dtype;
  return tensor->dtype == BERTH_COMPLEX64 ? BERTH_FLOAT : BERTH_DOUBLE;
}

// Returns part |part| (0 or, of complex numbers, 1) of element |i|.
static inline double driver_get(const berth_tensor_t *tensor, int64_t i,
                                int part) {
  int64_t at = driver_is_complex(tensor) ? 2 * i + part : i;
  return number_load(driver_part_type(tensor), tensor->data, at);
}

// Stores |x| as element |i|: whole numbers are rounded down, the imaginary part
// of a complex number is x / 2, and a truth value says whether x is positive.
static inline void driver_set(berth_tensor_t *tensor, int64_t i, double x) {
  berth_dtype_t type = driver_part_type(tensor);
  bool is_floating = berth_type_in(type, BERTH_TYPES_FLOATING);
  if (driver_is_complex(tensor)) {
    number_store(type, tensor->data, 2 * i, x);
    number_store(type, tensor->data, 2 * i + 1, x / 2);
  } else if (type == BERTH_BOOL) {
    number_store(type, tensor->data, i, x > 0);
  } else {
    number_store(type, tensor->data, i, is_floating ? x : floor(x));
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

static inline void driver_print_element(const berth_tensor_t *tensor, int64_t i,
                                        berth_str_t *str) {
  berth_str_printf(str, " %.9g", driver_get(tensor, i, 0));
  if (!driver_is_complex(tensor)) return;
  berth_str_printf(str, "%+.9gj", driver_get(tensor, i, 1));
}

// Returns output |index| as text, all types as decimal numbers.
static inline const char *driver_show(const driver_t *driver, int index) {
  return driver_show_with(driver, index, driver_print_element);
}

// ---- The card ----

__attribute__((constructor)) static void driver_add_kernels(void) {
  if (berth_cpu_add_kernels(NULL) != BERTH_OK ||
      berth_cuda_add_kernels(NULL) != BERTH_OK) {
    abort();
  }
  berth_cuda_set_tf32(false);
}

// What is simulated; a test may set it before its first call.
static const char *driver_card = "H100";

// Opens and starts the card at first use. It stays open: each test is a process
// of its own.
static inline berth_code_t driver_device(berth_device_t **out_device,
                                         berth_error_t *err) {
  static berth_device_t *device = NULL;
  if (device == NULL) {
    if (getenv("BERTH_TEST_GPU") == NULL) simulate_cards(driver_card);
    berth_device_wish_t wish = {.policy = berth_policy_mapped(DRIVER_MEMORY),
                                .description = "a test"};
    BERTH_TRY(berth_cuda_device_open(&wish, "/job:localhost/replica:0/task:0",
                                     &device, err));
    berth_code_t code = berth_device_start(device, err);
    simulate_forget();
    if (code != BERTH_OK) return code;
  }
  *out_device = device;
  return BERTH_OK;
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

// Brings the inputs to where the kernel wants them.
static inline berth_code_t driver_place_inputs(driver_t *driver,
                                               berth_device_t *device,
                                               berth_tensor_t **inputs,
                                               berth_error_t *err) {
  for (int i = 0; i < driver->input_count; ++i) {
    if (driver_is_on_host(driver, true, i)) {
      inputs[i] = berth_tensor_retain(driver->inputs[i]);
    } else {
      BERTH_TRY(driver_move(device, driver->inputs[i], &inputs[i], err));
    }
  }
  return BERTH_OK;
}

// Brings |outputs| to the host.
static inline berth_code_t driver_fetch_outputs(driver_t *driver,
                                                berth_tensor_t **outputs,
                                                berth_error_t *err) {
  for (int i = 0; i < driver->output_count; ++i) {
    if (outputs[i] == NULL || outputs[i]->device == NULL) {
      driver->outputs[i] = outputs[i];
      outputs[i] = NULL;
    } else {
      BERTH_TRY(driver_move(NULL, outputs[i], &driver->outputs[i], err));
    }
  }
  return BERTH_OK;
}

static inline void driver_release(berth_tensor_t **tensors) {
  for (int i = 0; i < DRIVER_MAX; ++i) {
    berth_tensor_release(tensors[i]);
    tensors[i] = NULL;
  }
}

// Calls the kernel |times| times on the same tensors of the card; more than once
// one that makes its outputs. Those of the last stay until the next call.
static inline berth_code_t driver_call_times(driver_t *driver, int times,
                                             berth_error_t *err) {
  berth_tensor_t *inputs[DRIVER_MAX] = {NULL}, *outputs[DRIVER_MAX] = {NULL};
  berth_device_t *device = NULL;
  driver_drop_outputs(driver);
  BERTH_TRY(driver_device(&device, err));
  BERTH_TRY(driver_select(driver, &berth_cuda_backend, err));
  berth_code_t code = driver_place_inputs(driver, device, inputs, err);
  if (code != BERTH_OK) goto done;
  code = driver_perform(driver, device, inputs, outputs, err);
  for (int i = 1; code == BERTH_OK && i < times; ++i) {
    driver_release(outputs);
    code = driver_run(driver, device, inputs, outputs, err);
  }
  if (code != BERTH_OK) goto done;
  code = driver_fetch_outputs(driver, outputs, err);
done:
  driver_release(inputs);
  driver_release(outputs);
  return code;
}

// Calls the kernel on the card once.
static inline berth_code_t driver_call(driver_t *driver, berth_error_t *err) {
  return driver_call_times(driver, 1, err);
}

// Resets the card and runs what was prepared by the last call once more.
static inline berth_code_t driver_call_after_reset(driver_t *driver,
                                                   berth_error_t *err) {
  berth_tensor_t *inputs[DRIVER_MAX] = {NULL}, *outputs[DRIVER_MAX] = {NULL};
  berth_device_t *device = NULL;
  driver_drop_outputs(driver);
  BERTH_TRY(driver_device(&device, err));
  BERTH_TRY(berth_cuda_card_reset(0, true, err));
  BERTH_TRY(berth_device_start(device, err));
  berth_code_t code = driver_place_inputs(driver, device, inputs, err);
  if (code == BERTH_OK) code = driver_run(driver, device, inputs, outputs, err);
  if (code == BERTH_OK) code = driver_fetch_outputs(driver, outputs, err);
  driver_release(inputs);
  driver_release(outputs);
  return code;
}

// ---- Comparing ----

// Compares element |i|: within |tolerance| of each other's size, or of one
// where that is less than the tolerance of a whole complex number, or of |size|
// where that is more. 0: exactly.
static inline bool driver_is_within(const berth_tensor_t *a,
                                    const berth_tensor_t *b, int64_t i,
                                    double size, double tolerance) {
  bool is_complex = driver_is_complex(a);
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

static inline bool driver_is_near(const berth_tensor_t *a,
                                  const berth_tensor_t *b, int64_t i,
                                  double tolerance) {
  return driver_is_within(a, b, i, 0, tolerance);
}

// Returns the size of the largest element of |b| that is a number.
static inline double driver_largest(const berth_tensor_t *b) {
  double size = 0;
  for (int64_t i = 0; i < b->count; ++i) {
    for (int part = 0; part <= driver_is_complex(b); ++part) {
      double x = fabs(driver_get(b, i, part));
      size = x > size && !isinf(x) ? x : size;
    }
  }
  return size;
}

// Runs the CPU's kernel on the same inputs and expects what the card has given
// to be the same within |tolerance|, relative.
static inline void driver_expect_cpu(driver_t *driver, double tolerance) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *expected[DRIVER_MAX] = {NULL};
  ASSERT_OK(driver_call_cpu(driver, expected, &err), &err);
  for (int k = 0; k < driver->output_count; ++k) {
    const berth_tensor_t *a = driver->outputs[k], *b = expected[k];
    ASSERT_TRUE(a != NULL && b != NULL && a->dtype == b->dtype);
    ASSERT_TRUE(berth_dims_equal(berth_tensor_dims(a), berth_tensor_dims(b)));
    int wrong = 0;
    double size = driver->is_of_largest ? driver_largest(b) : 0;
    for (int64_t i = 0; i < a->count; ++i) {
      if (driver_is_within(a, b, i, size, tolerance)) continue;
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

// Runs on the card, compares with the CPU and ends |driver|.
static inline void driver_check(driver_t *driver, double tolerance) {
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(driver_call(driver, &err), &err);
  driver_expect_cpu(driver, tolerance);
  driver_deinit(driver);
}

// Returns how far a result may be from the CPU's, relative, where nothing adds
// up: a few units of the last place.
static inline double driver_tolerance(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_HALF:
      return 0x1p-10;
    case BERTH_BFLOAT16:
      return 0x1p-7;
    case BERTH_FLOAT:
    case BERTH_COMPLEX64:
      return 2e-6;
    case BERTH_DOUBLE:
    case BERTH_COMPLEX128:
      return 4e-15;
    default:
      return 0;
  }
}

// Runs on the card, ends |driver| and returns output 0 as text, or the error's.
// Valid until the next call.
static inline const char *driver_result(driver_t *driver) {
  static char text[4096];
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = driver_call(driver, &err);
  snprintf(
      text, sizeof(text), "%s",
      code == BERTH_OK ? driver_show(driver, 0) : berth_error_message(&err));
  berth_error_clear(&err);
  driver_deinit(driver);
  return text;
}

#endif  // BERTH_CUDA_KERNEL_DRIVER_H_
