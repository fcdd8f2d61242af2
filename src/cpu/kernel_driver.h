// kernel_driver.h - Calls a CPU kernel from a test (kernel/kernel_driver.h).
//
// Include it in tests alone, after harness.h.
#ifndef BERTH_CPU_KERNEL_DRIVER_H_
#define BERTH_CPU_KERNEL_DRIVER_H_

#include <stdlib.h>

#include "cpu/kernels.h"
#include "kernel/kernel_driver.h"

__attribute__((constructor)) static void driver_add_kernels(void) {
  if (berth_cpu_add_kernels(NULL) != BERTH_OK) abort();
}

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

// Returns output |index| as text; types without a case above in hexadecimal.
static inline const char *driver_show(const driver_t *driver, int index) {
  return driver_show_with(driver, index, driver_print_element);
}

// Selects, binds, prepares and runs. The outputs stay until the next call.
static inline berth_code_t driver_call(driver_t *driver, berth_error_t *err) {
  driver_drop_outputs(driver);
  return driver_call_cpu(driver, driver->outputs, err);
}

#endif  // BERTH_CPU_KERNEL_DRIVER_H_
