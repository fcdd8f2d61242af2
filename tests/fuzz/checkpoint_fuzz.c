// checkpoint_fuzz.c - Feeds arbitrary bytes to the readers of checkpoints.
//
// The first byte says what the others are. Bit 0: the bytes of the list of tensors,
// after two that say how many; or else entries, of which a list is made, so that
// its checksums are right. Bit 1: the old format. What is left is the file with the
// elements. All tensors that the list speaks of are read.
//
//   entry    size of the key, size of the value in two bytes, key, value
//   ff       the last one
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "berth/checkpoint.h"
#include "io/checkpoint/checkpoint.h"
#include "io/sorted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_TENSORS = 64, LAST = 0xff, IS_RAW = 1, IS_OLD = 2 };

typedef struct bytes {
  const uint8_t *at;
  size_t size;
} bytes_t;

// Takes |size| bytes from the front, or as many as there are.
static bytes_t take(bytes_t *from, size_t size) {
  bytes_t taken = {from->at, size < from->size ? size : from->size};
  from->at += taken.size;
  from->size -= taken.size;
  return taken;
}

static size_t take_number(bytes_t *from, int count) {
  bytes_t digits = take(from, (size_t)count);
  size_t number = 0;
  for (size_t i = 0; i < digits.size; ++i) number = number << 8 | digits.at[i];
  return number;
}

// Makes a list of entries; those whose keys do not rise are left out.
static void list_make(bytes_t *from, berth_sorted_writer_t *writer) {
  bytes_t last = {NULL, 0};
  bool is_first = true;
  while (from->size > 0) {
    size_t key_size = take_number(from, 1);
    if (key_size == LAST) return;
    size_t value_size = take_number(from, 2);
    bytes_t key = take(from, key_size), value = take(from, value_size);
    if (!is_first &&
        berth_key_compare(key.at, key.size, last.at, last.size) <= 0) {
      continue;
    }
    berth_sorted_add(writer, key.at, key.size, value.at, value.size);
    is_first = false;
    last = key;
  }
}

static void write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(bytes, 1, size, file) != size) abort();
  fclose(file);
}

// Writes the list of tensors to |path|.
static void list_write(const char *path, bytes_t *from, bool is_raw) {
  berth_sorted_writer_t writer = {0};
  berth_error_t err = BERTH_ERROR_INIT;
  if (is_raw) {
    bytes_t list = take(from, take_number(from, 2));
    write_file(path, list.at, list.size);
    return;
  }
  list_make(from, &writer);
  if (berth_sorted_finish(&writer, &err) == BERTH_OK) {
    write_file(path, berth_str_get(&writer.out), writer.out.size);
  }
  berth_sorted_writer_clear(&writer);
  berth_error_clear(&err);
}

static void read_all(berth_checkpoint_t *checkpoint) {
  int64_t count = berth_checkpoint_count(checkpoint);
  for (int64_t i = 0; i < count && i < MOST_TENSORS; ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_tensor_t *tensor = NULL;
    if (berth_checkpoint_find(checkpoint,
                              berth_checkpoint_name(checkpoint, i)) < 0) {
      __builtin_trap();
    }
    if (berth_checkpoint_read(checkpoint, i, &tensor, &err) == BERTH_OK) {
      berth_tensor_release(tensor);
    }
    berth_error_clear(&err);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char folder[] = "/tmp/checkpoint_fuzz.XXXXXX", list[64], elements[64],
       prefix[64];
  bytes_t from = {data, size};
  size_t mode = take_number(&from, 1);
  bool is_old = (mode & IS_OLD) != 0;
  if (mkdtemp(folder) == NULL) abort();
  snprintf(prefix, sizeof(prefix), "%s/x", folder);
  snprintf(list, sizeof(list), "%s/x%s", folder, is_old ? "" : ".index");
  snprintf(elements, sizeof(elements), "%s/x.data-00000-of-00001", folder);
  list_write(list, &from, (mode & IS_RAW) != 0);
  if (!is_old) write_file(elements, from.at, from.size);
  berth_checkpoint_t *checkpoint = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = is_old
                          ? berth_checkpoint_open_old(prefix, &checkpoint, &err)
                          : berth_checkpoint_open(prefix, &checkpoint, &err);
  if (code == BERTH_OK) read_all(checkpoint);
  berth_checkpoint_close(checkpoint);
  berth_error_clear(&err);
  (void)remove(list);
  (void)remove(elements);
  (void)rmdir(folder);
  return 0;
}
