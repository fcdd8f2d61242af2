// npy_save.c - Writing .npy files.
//
// file.h says how a file is replaced; here is what it contains.
#include "io/file.h"
#include "io/npy.h"
#include "io/npy_header.h"
#include "tensor/tensor.h"

// Returns the bytes that each string takes in the file: as many as the longest
// has. Fails for strings that end in a NUL, which reading would take off.
static berth_code_t string_bytes(const berth_tensor_t *tensor,
                                 size_t *out_bytes, berth_error_t *err) {
  size_t longest = 1;
  for (int64_t i = 0; i < tensor->count; ++i) {
    size_t size = 0;
    const char *text = berth_tensor_get_string(tensor, i, &size);
    if (size > 0 && text[size - 1] == '\0') {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "string %lld ends in a zero byte, which .npy "
                             "files cannot hold",
                             (long long)i);
    }
    if (size > longest) longest = size;
  }
  *out_bytes = longest;
  return BERTH_OK;
}

// A tensor as a file has it.
typedef struct npy_contents {
  const berth_tensor_t *tensor;
  const berth_str_t *header;
  size_t item_bytes;  // Of each string; 0 for other types.
} npy_contents_t;

static berth_code_t put_strings(berth_file_t *file,
                                const berth_tensor_t *tensor, size_t item_bytes,
                                berth_error_t *err) {
  static const char zeros[256];
  for (int64_t i = 0; i < tensor->count; ++i) {
    size_t size = 0;
    const char *text = berth_tensor_get_string(tensor, i, &size);
    BERTH_TRY(berth_file_put(file, text, size, err));
    for (size_t left = item_bytes - size; left > 0;) {
      size_t piece = left < sizeof(zeros) ? left : sizeof(zeros);
      BERTH_TRY(berth_file_put(file, zeros, piece, err));
      left -= piece;
    }
  }
  return BERTH_OK;
}

static berth_code_t put_tensor(berth_file_t *file, const void *contents,
                               berth_error_t *err) {
  const npy_contents_t *npy = contents;
  const berth_tensor_t *tensor = npy->tensor;
  BERTH_TRY(berth_file_put(file, npy->header->text, npy->header->size, err));
  if (tensor->dtype == BERTH_STRING) {
    return put_strings(file, tensor, npy->item_bytes, err);
  }
  return berth_file_put(file, tensor->data, tensor->size, err);
}

static berth_code_t save(const berth_tensor_t *tensor, const char *path,
                         berth_error_t *err) {
  if (tensor->device != NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "the tensor is in the memory of %s; copy it to the "
                           "host first",
                           berth_tensor_device(tensor));
  }
  size_t item_bytes = 0;
  if (tensor->dtype == BERTH_STRING) {
    BERTH_TRY(string_bytes(tensor, &item_bytes, err));
  }
  berth_str_t header = {0};
  berth_code_t code = berth_npy_header_print(
      tensor->dtype, berth_tensor_dims(tensor), item_bytes, &header, err);
  if (code == BERTH_OK) {
    const npy_contents_t npy = {tensor, &header, item_bytes};
    uint64_t size = tensor->dtype == BERTH_STRING
                        ? (uint64_t)tensor->count * item_bytes
                        : tensor->size;
    code = berth_file_save(path, header.size + size, put_tensor, &npy, true,
                           err);
  }
  berth_str_clear(&header);
  return code;
}

berth_code_t berth_tensor_save_npy(const berth_tensor_t *tensor,
                                   const char *path, berth_error_t *err) {
  BERTH_GIVEN(tensor, err);
  BERTH_GIVEN(path, err);
  berth_tensor_t *host = NULL;
  berth_code_t code = berth_tensor_to_host(tensor, &host, err);
  if (code == BERTH_OK) code = save(host, path, err);
  berth_tensor_release(host);
  if (code == BERTH_OK) return code;
  berth_error_prepend(err, "Cannot write '%s': ", path);
  return code;
}
