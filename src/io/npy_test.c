// npy_test.c - Reading and writing .npy files.
//
// tests/fuzz/corpus/npy has files that numpy wrote.
#include "io/npy.h"

#include <dirent.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/fault.h"
#include "harness.h"
#include "io/npy_header.h"
#include "tensor/tensor.h"

#define CORPUS BERTH_SOURCE_DIR "/tests/fuzz/corpus/npy/"

static berth_tensor_t *load(const char *name) {
  char path[512];
  snprintf(path, sizeof(path), CORPUS "%s", name);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_load_npy(path, &tensor, &err) != BERTH_OK) {
    HARNESS_FAIL("%s", berth_error_message(&err));
  }
  berth_error_clear(&err);
  return tensor;
}

// Expects the tensor in |name| to have |dtype| and to print as |text|.
static void expect_file(const char *name, berth_dtype_t dtype,
                        const char *text) {
  berth_tensor_t *tensor = load(name);
  ASSERT_TRUE(tensor != NULL);
  EXPECT_STR(berth_dtype_name(tensor->dtype), berth_dtype_name(dtype));
  char *got = NULL;
  EXPECT_EQ(berth_tensor_format(tensor, &got, NULL), BERTH_OK);
  EXPECT_STR(got, text);
  berth_text_free(got);
  berth_tensor_release(tensor);
}

TEST(npy, reads_what_numpy_wrote) {
  expect_file("float", BERTH_FLOAT, "[[0. 1. 2.]\n [3. 4. 5.]]");
  expect_file("fortran_double", BERTH_DOUBLE,
              "[[[ 0.  1.  2.  3.]\n  [ 4.  5.  6.  7.]\n  [ 8.  9. 10. "
              "11.]]\n\n [[12. 13. 14. 15.]\n  [16. 17. 18. 19.]\n  [20. 21. "
              "22. 23.]]]");
  expect_file("big_int32", BERTH_INT32, "[[     1     -2]\n [300000      4]]");
  expect_file("version2_half", BERTH_HALF, "[ 1.   0.5 -2. ]");
  expect_file("version3_complex", BERTH_COMPLEX64, "[ 1.+2.j  -0.-3.5j]");
  expect_file("complex128", BERTH_COMPLEX128, "[1.+1.j]");
  expect_file("scalar_int64", BERTH_INT64, "-7");
  expect_file("empty_uint8", BERTH_UINT8, "[]");
  expect_file("bool", BERTH_BOOL, "[ True False  True]");
  expect_file("python2_quotes", BERTH_INT16, "[1 2]");
}

TEST(npy, reads_text) {
  expect_file("bytes", BERTH_STRING, "[[b'a' b'bcd']\n [b'' b'x\\x00y']]");
  expect_file("text", BERTH_STRING,
              "[[b'a' b'\\xc3\\xa9\\xe2\\x82\\xac']\n"
              " [b'\\xf0\\x9f\\x98\\x80' b'']]");
  expect_file("big_text", BERTH_STRING, "[b'\\xe2\\x82\\xac']");
}

static void expect_refused(const char *name, berth_code_t code,
                           const char *message) {
  char path[512], wanted[1024];
  snprintf(path, sizeof(path), CORPUS "%s", name);
  snprintf(wanted, sizeof(wanted), "Cannot read '%s': %s", path, message);
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  EXPECT_FAILS(berth_tensor_load_npy(path, &tensor, &err), code, &err, wanted);
  EXPECT_TRUE(tensor == NULL);
}

TEST(npy, refuses_what_no_tensor_holds) {
  expect_refused("void", BERTH_UNIMPLEMENTED,
                 "no tensor has the type '|V2'; raw bytes do not say what they "
                 "are (bfloat16 is saved so): convert to float before saving");
  expect_refused("record", BERTH_UNIMPLEMENTED,
                 "structured arrays are no tensors");
  expect_refused("", BERTH_INVALID_ARGUMENT, "it is a directory");
  expect_refused("missing", BERTH_NOT_FOUND,
                 "it cannot be opened: No such file or directory");
}

// Decodes version 1.0 with |dict| as header and |data_size| zero bytes after.
static berth_code_t decode(const char *dict, size_t data_size,
                           berth_error_t *err) {
  berth_str_t str = {0};
  berth_tensor_t *tensor = NULL;
  size_t size = strlen(dict);
  berth_str_put(&str, "\x93NUMPY\x01\x00", 8);
  berth_str_putc(&str, (char)(size & 0xff));
  berth_str_putc(&str, (char)(size >> 8));
  berth_str_puts(&str, dict);
  for (size_t i = 0; i < data_size; ++i) berth_str_putc(&str, '\0');
  berth_code_t code = berth_npy_decode(str.text, str.size, &tensor, err);
  berth_str_clear(&str);
  if (code == BERTH_OK) berth_tensor_release(tensor);
  return code;
}

#define DICT(descr, order, shape) \
  "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"

static const struct {
  const char *dict;
  berth_code_t code;
  const char *message;
} hostile[] = {
    {"", BERTH_INVALID_ARGUMENT,
     "malformed header: expected { at byte 0 of it"},
    {"{}", BERTH_INVALID_ARGUMENT,
     "malformed header: expected descr, fortran_order and shape at byte 2 of "
     "it"},
    {DICT("'<f4'", "False", "(3)"), BERTH_INVALID_ARGUMENT,
     "malformed header: expected a comma in the tuple at byte 53 of it"},
    {DICT("'<f4'", "False", "(-1,)"), BERTH_INVALID_ARGUMENT,
     "malformed header: expected a dimension at byte 51 of it"},
    {DICT("'<f4'", "Maybe", "(1,)"), BERTH_INVALID_ARGUMENT,
     "malformed header: expected True or False at byte 34 of it"},
    {DICT("'<f4'", "False", "(1,)") "x", BERTH_INVALID_ARGUMENT,
     "malformed header: expected the end at byte 58 of it"},
    {DICT("__import__('os')", "False", "(1,)"), BERTH_INVALID_ARGUMENT,
     "malformed header: expected a quoted text at byte 10 of it"},
    {"{'descr': '<f4", BERTH_INVALID_ARGUMENT,
     "malformed header: expected a closing quote at byte 10 of it"},
    {"{'descr': '<f4' 'shape'", BERTH_INVALID_ARGUMENT,
     "malformed header: expected a comma or } at byte 16 of it"},
    {"{'descr': '<f4', 'descr': '<f4'}", BERTH_INVALID_ARGUMENT,
     "malformed header: expected descr, fortran_order and shape, once each, at "
     "byte 31 of it"},
    {DICT("'<f4'", "False", "(99999999999999999999,)"), BERTH_INVALID_ARGUMENT,
     "malformed header: expected a smaller dimension at byte 69 of it"},
    {DICT("'<f4'", "False", "(4294967296, 4294967296)"), BERTH_INVALID_ARGUMENT,
     "Shape [4294967296,4294967296] would have more than 2**63 - 1 elements"},
    {DICT("'<f8'", "False", "(4611686018427387904,)"), BERTH_DATA_LOSS,
     "the file is cut off: shape [4611686018427387904] needs "
     "4611686018427387904 elements of 8 bytes and 8 bytes are there"},
    {DICT("'<f4'", "False", "(3,)"), BERTH_DATA_LOSS,
     "the file is cut off: shape [3] needs 3 elements of 4 bytes and 8 bytes "
     "are there"},
    {DICT("'|S0'", "False", "(9223372036854775807,)"), BERTH_INVALID_ARGUMENT,
     "malformed header: 9223372036854775807 elements of no bytes"},
    {DICT("'<f16'", "False", "(0,)"), BERTH_UNIMPLEMENTED,
     "no tensor has the type '<f16'"},
    {DICT("'|O'", "False", "(0,)"), BERTH_UNIMPLEMENTED,
     "no tensor has the type '|O'; it holds pickled Python objects"},
    {DICT("'<f99999999999'", "False", "(0,)"), BERTH_UNIMPLEMENTED,
     "no tensor has the type '<f99999999999'"},
    {DICT("''", "False", "(0,)"), BERTH_UNIMPLEMENTED,
     "no tensor has the type ''"},
};

TEST(npy, hostile_headers) {
  for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); ++i) {
    berth_error_t err = BERTH_ERROR_INIT;
    EXPECT_FAILS(decode(hostile[i].dict, 8, &err), hostile[i].code, &err,
                 hostile[i].message);
  }
  berth_error_t err = BERTH_ERROR_INIT;
  ASSERT_OK(decode(DICT("'<f4'", "False", "(2,)"), 8, &err), &err);
  ASSERT_OK(decode(DICT("'=f4'", "True", "(2, 0, 3)"), 0, &err), &err);
}

TEST(npy, bad_preludes) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  EXPECT_FAILS(berth_npy_decode(NULL, 0, &tensor, &err), BERTH_INVALID_ARGUMENT,
               &err, "not a .npy file: it has only 0 bytes");
  EXPECT_FAILS(berth_npy_decode("PK\3\4zip file", 12, &tensor, &err),
               BERTH_INVALID_ARGUMENT, &err,
               "not a .npy file: it does not begin with \\x93NUMPY");
  EXPECT_FAILS(
      berth_npy_decode("\x93NUMPY\x04\x00\x01\x00\x00\x00", 12, &tensor, &err),
      BERTH_UNIMPLEMENTED, &err,
      "version 4.0 of the format; only 1.0, 2.0 and 3.0 are known");
  EXPECT_FAILS(
      berth_npy_decode("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12, &tensor, &err),
      BERTH_INVALID_ARGUMENT, &err,
      "a header of 4294967295 bytes; at most 65535 are read");
  EXPECT_FAILS(berth_npy_decode("\x93NUMPY\x01\x00\x40\x00", 10, &tensor, &err),
               BERTH_DATA_LOSS, &err,
               "the file is cut off: 64 more bytes were expected and 0 are "
               "there");
}

TEST(npy, every_cut_is_noticed) {
  char bytes[512];
  FILE *file = fopen(CORPUS "fortran_double", "rb");
  ASSERT_TRUE(file != NULL);
  size_t size = fread(bytes, 1, sizeof(bytes), file);
  fclose(file);
  EXPECT_EQ(size, 128 + 24 * 8);
  for (size_t cut = 0; cut < size; ++cut) {
    berth_tensor_t *tensor = NULL;
    // A copy of the very size, so that tools see reads beyond it.
    char *copy = berth_alloc(cut);
    memcpy(copy, bytes, cut);
    EXPECT_EQ(berth_npy_decode(copy, cut, &tensor, NULL),
              cut < 8 ? BERTH_INVALID_ARGUMENT : BERTH_DATA_LOSS);
    berth_free(copy);
  }
}

// Reads a whole file into |bytes| and returns its size.
static size_t slurp(const char *path, char *bytes, size_t room) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 0;
  size_t size = fread(bytes, 1, room, file);
  fclose(file);
  return size;
}

// A directory of this test's own.
static const char *scratch(const char *name, char path[512]) {
  static char directory[] = "/tmp/berth-npy-XXXXXX";
  static bool is_made = false;
  if (!is_made) is_made = mkdtemp(directory) != NULL;
  snprintf(path, 512, "%s/%s", directory, name);
  return path;
}

static void remove_scratch(void) {
  char path[512];
  scratch("", path);
  DIR *directory = opendir(path);
  struct dirent *entry = NULL;
  char file[1024];
  while (directory != NULL && (entry = readdir(directory)) != NULL) {
    snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
    if (entry->d_name[0] != '.') unlink(file);
  }
  if (directory != NULL) closedir(directory);
  rmdir(path);
}

static int count_scratch(void) {
  char path[512];
  int count = 0;
  DIR *directory = opendir(scratch("", path));
  if (directory == NULL) return -1;
  struct dirent *entry = NULL;
  while ((entry = readdir(directory)) != NULL) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

TEST(npy, writes_the_bytes_that_numpy_writes) {
  static const char *const names[] = {"float", "scalar_int64", "empty_uint8",
                                      "bool",  "complex128",   "bytes"};
  for (int i = 0; i < 6; ++i) {
    char path[512], original[512], mine[1024], theirs[1024];
    berth_error_t err = BERTH_ERROR_INIT;
    berth_tensor_t *tensor = load(names[i]);
    ASSERT_TRUE(tensor != NULL);
    scratch(names[i], path);
    snprintf(original, sizeof(original), CORPUS "%s", names[i]);
    ASSERT_OK(berth_tensor_save_npy(tensor, path, &err), &err);
    size_t size = slurp(path, mine, sizeof(mine));
    EXPECT_EQ(size, slurp(original, theirs, sizeof(theirs)));
    EXPECT_TRUE(memcmp(mine, theirs, size) == 0);
    berth_tensor_release(tensor);
  }
  EXPECT_EQ(count_scratch(), 6);
  remove_scratch();
}

TEST(npy, replaces_a_file_and_follows_links) {
  char path[512], link_path[512];
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *first = load("float"), *second = load("bool"), *got = NULL;
  scratch("data.npy", path);
  scratch("link.npy", link_path);
  ASSERT_OK(berth_tensor_save_npy(first, path, &err), &err);
  ASSERT_TRUE(symlink(path, link_path) == 0);
  ASSERT_OK(berth_tensor_save_npy(second, link_path, &err), &err);
  ASSERT_OK(berth_tensor_load_npy(path, &got, &err), &err);
  EXPECT_EQ(got->dtype, BERTH_BOOL);
  EXPECT_EQ(count_scratch(), 2);
  berth_tensor_release(first);
  berth_tensor_release(second);
  berth_tensor_release(got);
  remove_scratch();
}

TEST(npy, failed_writes_leave_nothing) {
  char path[512], wanted[1024];
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = load("float");
  scratch("no/such/place.npy", path);
  snprintf(wanted, sizeof(wanted),
           "Cannot write '%s': it cannot be created: No such file or "
           "directory; make its folder first",
           path);
  EXPECT_FAILS(berth_tensor_save_npy(tensor, path, &err), BERTH_NOT_FOUND, &err,
               wanted);
  EXPECT_FAILS(berth_tensor_save_npy(tensor, "/dev/full", &err),
               BERTH_RESOURCE_EXHAUSTED, &err,
               "Cannot write '/dev/full': writing failed: No space left on "
               "device; make room on that disk, or name a file on another");
  EXPECT_FAILS(berth_tensor_save_npy(tensor, "/", &err), BERTH_INVALID_ARGUMENT,
               &err,
               "Cannot write '/': it cannot be opened: Is a directory; name a "
               "file in it");
  EXPECT_EQ(count_scratch(), 0);
  berth_tensor_release(tensor);
  remove_scratch();
}

TEST(npy, refuses_what_numpy_has_not) {
  char path[512], wanted[1024];
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  scratch("x.npy", path);
  ASSERT_OK(berth_tensor_create(BERTH_BFLOAT16, BERTH_SHAPE(2), &tensor, &err),
            &err);
  snprintf(wanted, sizeof(wanted),
           "Cannot write '%s': .npy files have no type bfloat16; cast to one "
           "that numpy has before saving",
           path);
  EXPECT_FAILS(berth_tensor_save_npy(tensor, path, &err), BERTH_UNIMPLEMENTED,
               &err, wanted);
  berth_tensor_release(tensor);
  ASSERT_OK(berth_tensor_create(BERTH_STRING, BERTH_SCALAR, &tensor, &err),
            &err);
  ASSERT_OK(berth_tensor_set_string(tensor, 0, "a\0", 2, &err), &err);
  snprintf(wanted, sizeof(wanted),
           "Cannot write '%s': string 0 ends in a zero byte, which .npy files "
           "cannot hold",
           path);
  EXPECT_FAILS(berth_tensor_save_npy(tensor, path, &err),
               BERTH_INVALID_ARGUMENT, &err, wanted);
  berth_tensor_release(tensor);
  EXPECT_EQ(count_scratch(), 0);
  remove_scratch();
}

TEST(npy, survives_every_failed_allocation) {
  static const char *const names[] = {"fortran_double", "text", "bytes"};
  for (int i = 0; i < 3; ++i) {
    char path[512];
    snprintf(path, sizeof(path), CORPUS "%s", names[i]);
    int failures = 0;
    for (int64_t nth = 1; nth < 100; ++nth) {
      berth_tensor_t *tensor = NULL;
      berth_fault_arm("alloc", nth);
      berth_code_t code = berth_tensor_load_npy(path, &tensor, NULL);
      berth_fault_disarm();
      if (code == BERTH_OK) {
        berth_tensor_release(tensor);
        break;
      }
      EXPECT_EQ(code, BERTH_RESOURCE_EXHAUSTED);
      EXPECT_TRUE(tensor == NULL);
      ++failures;
    }
    EXPECT_TRUE(failures >= 3 && failures < 20);
  }
}
