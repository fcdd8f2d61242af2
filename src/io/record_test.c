// record_test.c - Files of records: written and read, cut off, changed, with
// every allocation failing once.
#include "io/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fault.h"
#include "berth/record.h"
#include "harness.h"

typedef struct file {
  char path[32];
} file_t;

static void make_file(const void *bytes, size_t size, file_t *file) {
  *file = (file_t){"record-XXXXXX"};
  int descriptor = mkstemp(file->path);
  ASSERT_TRUE(descriptor >= 0);
  ASSERT_TRUE(write(descriptor, bytes, size) == (ssize_t)size);
  close(descriptor);
}

// Writes three records: 5 bytes, none, and |large|.
static void write_three(const char *packing, size_t large, file_t *file) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_record_options_t options = BERTH_RECORD_OPTIONS_INIT;
  berth_record_writer_t *writer = NULL;
  make_file("", 0, file);
  char *bytes = malloc(large + 1);
  for (size_t i = 0; i < large; ++i) bytes[i] = (char)(i * i >> 3);
  options.packing = packing;
  ASSERT_OK(berth_record_writer_open(file->path, &options, &writer, &err),
            &err);
  ASSERT_OK(berth_record_write(writer, "first", 5, &err), &err);
  ASSERT_OK(berth_record_write(writer, NULL, 0, &err), &err);
  ASSERT_OK(berth_record_write(writer, bytes, large, &err), &err);
  ASSERT_OK(berth_record_writer_close(writer, &err), &err);
  free(bytes);
}

// Reads all records and returns the code at the end.
static berth_code_t read_all(const char *path, const char *packing,
                             int *out_count, size_t *out_bytes,
                             berth_error_t *err) {
  berth_record_reader_t *reader = NULL;
  const void *record = "";
  size_t size = 0;
  *out_count = 0;
  *out_bytes = 0;
  berth_code_t code = berth_record_reader_open(path, packing, &reader, err);
  while (code == BERTH_OK && record != NULL) {
    code = berth_record_read(reader, &record, &size, err);
    if (code == BERTH_OK && record != NULL) {
      ++*out_count;
      *out_bytes += size;
    }
  }
  berth_record_reader_close(reader);
  return code;
}

TEST(record, comes_back_in_every_packing) {
  static const char *const packings[] = {"", "ZLIB", "GZIP"};
  for (int i = 0; i < 3; ++i) {
    for (size_t large = 0; large < 2000000; large = 3 * large + 100) {
      berth_error_t err = BERTH_ERROR_INIT;
      int count = 0;
      size_t bytes = 0;
      file_t file;
      write_three(packings[i], large, &file);
      ASSERT_OK(read_all(file.path, packings[i], &count, &bytes, &err), &err);
      EXPECT_EQ(count, 3);
      EXPECT_EQ(bytes, large + 5);
      unlink(file.path);
    }
  }
}

// A file that is cut off anywhere gives whole records, then its end or
// BERTH_DATA_LOSS; one with a byte changed never gives a wrong record.
TEST(record, is_lost_and_never_wrong) {
  file_t file;
  write_three("", 25, &file);
  unsigned char bytes[200];
  FILE *from = fopen(file.path, "rb");
  size_t size = fread(bytes, 1, sizeof(bytes), from);
  fclose(from);
  unlink(file.path);
  EXPECT_EQ(size, 78);
  for (size_t cut = 0; cut < 2 * size; ++cut) {
    berth_error_t err = BERTH_ERROR_INIT;
    int count = 0;
    size_t got = 0;
    if (cut >= size) bytes[cut - size] ^= 0x40;
    file_t part;
    make_file(bytes, cut < size ? cut : size, &part);
    berth_code_t code = read_all(part.path, "", &count, &got, &err);
    if (cut >= size) {
      EXPECT_EQ(code, BERTH_DATA_LOSS);
      EXPECT_EQ(count, cut - size < 21 ? 0 : cut - size < 37 ? 1 : 2);
      bytes[cut - size] ^= 0x40;
    } else {
      bool is_in_head =
          cut < 12 || (cut >= 21 && cut < 33) || (cut >= 37 && cut < 49);
      EXPECT_EQ(code, is_in_head ? BERTH_OK : BERTH_DATA_LOSS);
    }
    berth_error_clear(&err);
    unlink(part.path);
  }
}

// A length that no file has costs no more than the file holds.
TEST(record, of_a_length_that_is_a_lie) {
  unsigned char head[BERTH_RECORD_HEAD], tail[BERTH_RECORD_TAIL];
  berth_error_t err = BERTH_ERROR_INIT;
  int count = 0;
  size_t bytes = 0;
  berth_record_frame("", 0, head, tail);
  memset(head, 0xff, 7);
  head[7] = 0x7f;
  uint32_t crc = berth_crc32c(0, head, 8);
  crc = (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
  for (int i = 0; i < 4; ++i) head[8 + i] = (unsigned char)(crc >> 8 * i);
  file_t file;
  make_file(head, sizeof(head), &file);
  EXPECT_FAILS(read_all(file.path, "", &count, &bytes, &err), BERTH_DATA_LOSS,
               &err,
               "truncated record at 0' failed with Read less bytes than "
               "requested");
  unlink(file.path);
}

TEST(record, survives_every_allocation_that_fails) {
  file_t file;
  write_three("ZLIB", 300000, &file);
  for (int nth = 1;; ++nth) {
    berth_error_t err = BERTH_ERROR_INIT;
    int count = 0;
    size_t bytes = 0;
    berth_fault_arm("alloc", nth);
    berth_code_t code = read_all(file.path, "ZLIB", &count, &bytes, &err);
    berth_fault_disarm();
    berth_error_clear(&err);
    if (code == BERTH_OK) break;
    EXPECT_EQ(code, BERTH_RESOURCE_EXHAUSTED);
    ASSERT_TRUE(nth < 100);
  }
  unlink(file.path);
}
