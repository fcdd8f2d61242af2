// print_test.c - Tensors as numpy writes them: replays tests/data/golden/print.txt.
#include "base/alloc.h"
#include "base/fault.h"
#include "harness.h"
#include "tensor/tensor.h"

#define GOLDEN BERTH_SOURCE_DIR "/tests/data/golden/print.txt"

// One case of the file, read line by line.
typedef struct golden {
  FILE *file;
  char *line;  // The next line; owned by getline().
  size_t capacity;
  bool at_end;
  char dtype[32], style[16], dims[64];
  char *data;    // Borrowed from |header|.
  char *header;  // Owned.
  berth_str_t text;
} golden_t;

static void golden_advance(golden_t *golden) {
  ssize_t size = getline(&golden->line, &golden->capacity, golden->file);
  golden->at_end = size <= 0;
  if (size > 0 && golden->line[size - 1] == '\n') golden->line[size - 1] = '\0';
}

// Reads the next case; false at the end.
static bool golden_next(golden_t *golden) {
  berth_str_clear(&golden->text);
  free(golden->header);
  golden->header = NULL;
  if (golden->at_end) return false;
  golden->header = berth_strdup(golden->line);
  int at = 0;
  if (sscanf(golden->header, "%31s %15s %63s %n", golden->dtype, golden->style,
             golden->dims, &at) != 3) {
    return false;
  }
  golden->data = golden->header + at;
  golden_advance(golden);
  for (bool first = true; !golden->at_end && golden->line[0] == '|';
       first = false) {
    if (!first) berth_str_putc(&golden->text, '\n');
    berth_str_puts(&golden->text, golden->line + 1);
    golden_advance(golden);
  }
  return true;
}

static berth_shape_t read_dims(const char *text) {
  berth_shape_t shape = {.rank = 0};
  if (text[0] == '-') return shape;
  for (char *at = (char *)(uintptr_t)text; *at != '\0';) {
    shape.dims[shape.rank++] = strtoll(at, &at, 10);
    if (*at == ',') ++at;
  }
  return shape;
}

static void fill_range(berth_tensor_t *tensor) {
  for (int64_t i = 0; i < tensor->count; ++i) {
    switch ((int)tensor->dtype) {
      case BERTH_FLOAT:
        ((float *)tensor->data)[i] = (float)i;
        break;
      case BERTH_DOUBLE:
        ((double *)tensor->data)[i] = (double)i;
        break;
      case BERTH_INT32:
        ((int32_t *)tensor->data)[i] = (int32_t)i;
        break;
      default:
        ((int64_t *)tensor->data)[i] = i;
        break;
    }
  }
}

// Reads hexadecimal bytes up to a comma or the end and moves |*text| there.
static size_t read_hex(const char **text, unsigned char *bytes, size_t room) {
  size_t size = 0;
  unsigned value = 0;
  if (**text == '-') ++*text;
  while (size < room && sscanf(*text, "%2x", &value) == 1) {
    bytes[size++] = (unsigned char)value;
    *text += 2;
  }
  return size;
}

static void fill(berth_tensor_t *tensor, const char *data) {
  if (strcmp(data, "range") == 0) {
    fill_range(tensor);
  } else if (tensor->dtype != BERTH_STRING) {
    size_t size = read_hex(&data, tensor->data, tensor->size);
    EXPECT_EQ(size, tensor->size);
  } else {
    for (int64_t i = 0; i < tensor->count; ++i) {
      unsigned char bytes[128];
      size_t size = read_hex(&data, bytes, sizeof(bytes));
      EXPECT_EQ(berth_tensor_set_string(tensor, i, (char *)bytes, size, NULL),
                BERTH_OK);
      if (*data == ',') ++data;
    }
  }
}

static void check_case(const golden_t *golden) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_shape_t shape = read_dims(golden->dims);
  berth_tensor_t *tensor = NULL;
  char *text = NULL;
  ASSERT_OK(berth_tensor_create(berth_dtype_find(golden->dtype),
                                berth_shape_dims(&shape), &tensor, &err),
            &err);
  fill(tensor, golden->data);
  bool is_classic = strcmp(golden->style, "classic") == 0;
  ASSERT_OK(is_classic ? berth_tensor_format_classic(tensor, &text, &err)
                       : berth_tensor_format(tensor, &text, &err),
            &err);
  if (strcmp(text, berth_str_get(&golden->text)) != 0) {
    fprintf(stderr, "%s\n", golden->header);
  }
  EXPECT_STR(text, berth_str_get(&golden->text));
  berth_text_free(text);
  berth_tensor_release(tensor);
}

TEST(print, agrees_with_numpy) {
  const char *path = getenv("BERTH_PRINT_CASES");
  golden_t golden = {.file = fopen(path != NULL ? path : GOLDEN, "r")};
  ASSERT_TRUE(golden.file != NULL);
  int count = 0;
  golden_advance(&golden);
  while (golden_next(&golden)) {
    check_case(&golden);
    ++count;
  }
  fclose(golden.file);
  free(golden.line);
  EXPECT_TRUE(count >= 150);
}

TEST(print, writes_a_line) {
  berth_error_t err = BERTH_ERROR_INIT;
  static const float values[] = {22, 28, 49, 64};
  berth_tensor_t *tensor = NULL;
  ASSERT_OK(berth_tensor_copy_from(BERTH_FLOAT, BERTH_SHAPE(2, 2), values,
                                   &tensor, &err),
            &err);
  char text[64] = "";
  FILE *file = fmemopen(text, sizeof(text), "w");
  ASSERT_TRUE(file != NULL);
  ASSERT_OK(berth_tensor_print(tensor, file, &err), &err);
  fclose(file);
  EXPECT_STR(text, "[[22. 28.]\n [49. 64.]]\n");
  berth_tensor_release(tensor);
}

TEST(print, says_when_it_cannot_write) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  ASSERT_OK(berth_tensor_create(BERTH_INT8, BERTH_SHAPE(0), &tensor, &err),
            &err);
  FILE *file = fopen("/dev/null", "r");
  ASSERT_TRUE(file != NULL);
  EXPECT_FAILS(berth_tensor_print(tensor, file, &err), BERTH_UNKNOWN, &err,
               "A tensor cannot be printed: Bad file descriptor");
  fclose(file);
  berth_tensor_release(tensor);
}

TEST(print, survives_every_failed_allocation) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_tensor_t *tensor = NULL;
  ASSERT_OK(
      berth_tensor_create(BERTH_COMPLEX64, BERTH_SHAPE(9, 9), &tensor, &err),
      &err);
  memset(tensor->data, 0, tensor->size);
  int failures = 0;
  for (int64_t nth = 1; nth < 100; ++nth) {
    char *text = NULL;
    berth_fault_arm("alloc", nth);
    berth_code_t code = berth_tensor_format(tensor, &text, NULL);
    berth_fault_disarm();
    if (code == BERTH_OK) {
      berth_text_free(text);
      break;
    }
    EXPECT_EQ(code, BERTH_RESOURCE_EXHAUSTED);
    EXPECT_TRUE(text == NULL);
    ++failures;
  }
  EXPECT_TRUE(failures >= 3 && failures < 99);
  berth_tensor_release(tensor);
}
