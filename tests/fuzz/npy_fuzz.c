// npy_fuzz.c - Feeds arbitrary bytes to the reader of .npy files.
//
// What is read must also print and, where numpy has the type, have a header.
#include <stdint.h>

#include "base/str.h"
#include "berth/tensor.h"
#include "io/npy.h"
#include "io/npy_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  if (berth_npy_decode(data, size, &tensor, &err) == BERTH_OK) {
    char *text = NULL;
    berth_str_t header = {0};
    if (berth_tensor_format(tensor, &text, &err) == BERTH_OK) {
      berth_text_free(text);
    }
    if (berth_npy_header_print(berth_tensor_dtype(tensor),
                               berth_tensor_shape(tensor), 1, &header,
                               &err) != BERTH_OK) {
      __builtin_trap();
    }
    berth_str_clear(&header);
    berth_tensor_release(tensor);
  }
  berth_error_clear(&err);
  return 0;
}
