// golden_text.c - Reads the lines of golden files.
#include "golden_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LIST = 32 };

// ---- Files ----

static char *read_whole(const char *path, size_t *out_size) {
  FILE *stream = fopen(path, "rb");
  if (stream == NULL) return NULL;
  char *text = NULL;
  if (fseek(stream, 0, SEEK_END) == 0) {
    long size = ftell(stream);
    rewind(stream);
    text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (text != NULL) {
      *out_size = fread(text, 1, (size_t)size, stream);
      text[*out_size] = '\0';
    }
  }
  fclose(stream);
  return text;
}

static int count_lines(const char *text) {
  int count = 0;
  for (; *text != '\0'; ++text) count += *text == '\n';
  return count;
}

bool golden_open(golden_file_t *file, const char *path) {
  size_t size = 0;
  *file = (golden_file_t){.path = path, .title = "", .how = ""};
  file->text = read_whole(path, &size);
  if (file->text == NULL) return golden_complain(file, "cannot be read");
  file->lines = calloc((size_t)count_lines(file->text) + 1, sizeof(char *));
  if (file->lines == NULL) return golden_complain(file, "no memory");
  char *line = file->text;
  for (char *end = strchr(line, '\n'); end != NULL; end = strchr(line, '\n')) {
    *end = '\0';
    file->lines[file->line_count++] = line;
    line = end + 1;
  }
  return true;
}

void golden_close(golden_file_t *file) {
  free(file->lines);
  free(file->text);
}

bool golden_complain(golden_file_t *file, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s:%d: %s%s: ", file->path, file->at + 1, file->title,
          file->how);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  ++file->failures;
  return false;
}

// ---- Words ----

char *golden_word(char **rest) {
  char *word = *rest;
  if (word == NULL || *word == '\0') return NULL;
  char *end = strchr(word, ' ');
  if (end != NULL) *end = '\0';
  *rest = end != NULL ? end + 1 : word + strlen(word);
  return word;
}

void golden_unescape(char *text) {
  char *out = text;
  for (; *text != '\0'; ++text) {
    if (*text == '\\' && text[1] != '\0') {
      ++text;
      *out++ = *text == 'n' ? '\n' : *text == 't' ? '\t' : *text;
    } else {
      *out++ = *text;
    }
  }
  *out = '\0';
}

bool golden_shape(golden_file_t *file, const char *word, berth_shape_t *shape) {
  shape->rank = -1;
  if (word != NULL && word[0] == '?') return true;
  if (word == NULL || word[0] != '[') return golden_complain(file, "no shape");
  shape->rank = 0;
  for (const char *at = word + 1; *at != ']' && *at != '\0';) {
    char *end = NULL;
    if (*at == '?') {
      shape->dims[shape->rank++] = -1;
      end = (char *)at + 1;
    } else {
      shape->dims[shape->rank++] = strtoll(at, &end, 10);
    }
    if (end == at) return golden_complain(file, "bad shape %s", word);
    at = *end == ',' ? end + 1 : end;
  }
  return true;
}

// ---- Elements ----

static int hex_digit(char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; }

static void read_hex(const char *text, size_t size, unsigned char *out) {
  for (size_t i = 0; i < size; ++i) {
    out[i] = (unsigned char)(hex_digit(text[2 * i]) * 16 +
                             hex_digit(text[2 * i + 1]));
  }
}

// Strings are bytes in hexadecimal, each closed by a full stop.
static bool read_strings(golden_file_t *file, const char *text,
                         berth_tensor_t *tensor) {
  for (int64_t i = 0; i < berth_tensor_count(tensor); ++i) {
    const char *end = strchr(text, '.');
    if (end == NULL) return golden_complain(file, "too few strings");
    size_t size = (size_t)(end - text) / 2;
    static unsigned char bytes[1 << 14];  // Files are texts, too.
    if (size > sizeof(bytes)) return golden_complain(file, "long string");
    read_hex(text, size, bytes);
    if (berth_tensor_set_string(tensor, i, (const char *)bytes, size, NULL) !=
        BERTH_OK) {
      return golden_complain(file, "no memory");
    }
    text = end + 1;
  }
  return true;
}

static bool is_hexadecimal(berth_dtype_t dtype) {
  return dtype == BERTH_HALF || dtype == BERTH_BFLOAT16 ||
         (dtype >= BERTH_FLOAT8_E5M2 && dtype <= BERTH_FLOAT8_E5M2FNUZ) ||
         dtype == BERTH_FLOAT4_E2M1FN;
}

// Reads one number of |size| bytes; two's complement makes signs no matter.
static void read_integer(const char *text, char **end, size_t size, void *out) {
  uint64_t value = text[0] == '-' ? (uint64_t)strtoll(text, end, 10)
                                  : strtoull(text, end, 10);
  memcpy(out, &value, size);
}

static void read_number(const char *text, char **end, berth_dtype_t dtype,
                        void *out) {
  if (dtype == BERTH_FLOAT || dtype == BERTH_COMPLEX64) {
    float value = strtof(text, end);
    memcpy(out, &value, sizeof(value));
  } else if (dtype == BERTH_DOUBLE || dtype == BERTH_COMPLEX128) {
    double value = strtod(text, end);
    memcpy(out, &value, sizeof(value));
  } else {
    read_integer(text, end, berth_dtype_size(dtype), out);
  }
}

static bool read_numbers(golden_file_t *file, const char *text,
                         berth_tensor_t *tensor) {
  berth_dtype_t dtype = berth_tensor_dtype(tensor);
  bool is_pair = dtype == BERTH_COMPLEX64 || dtype == BERTH_COMPLEX128;
  size_t size = berth_dtype_size(dtype) / (is_pair ? 2 : 1);
  size_t count = berth_tensor_size(tensor) / size;
  unsigned char *out = berth_tensor_data(tensor);
  for (size_t i = 0; i < count; ++i) {
    char *end = NULL;
    read_number(text, &end, dtype, out + i * size);
    if (end == text) return golden_complain(file, "too few numbers");
    text = *end == ',' ? end + 1 : end;
  }
  return *text == '\0' || golden_complain(file, "too many numbers");
}

static bool read_elements(golden_file_t *file, const char *text,
                          berth_tensor_t *tensor) {
  berth_dtype_t dtype = berth_tensor_dtype(tensor);
  if (berth_tensor_count(tensor) == 0) return true;
  if (dtype == BERTH_STRING) return read_strings(file, text, tensor);
  if (!is_hexadecimal(dtype)) return read_numbers(file, text, tensor);
  if (strlen(text) != 2 * berth_tensor_size(tensor)) {
    return golden_complain(file, "wrong number of digits");
  }
  read_hex(text, berth_tensor_size(tensor), berth_tensor_data(tensor));
  return true;
}

bool golden_tensor(golden_file_t *file, char *text, berth_tensor_t **out) {
  static berth_shape_t shape;
  berth_error_t err = BERTH_ERROR_INIT;
  const char *type = golden_word(&text);
  const char *dims = golden_word(&text);
  const char *data = golden_word(&text);
  if (data == NULL) return golden_complain(file, "no tensor");
  if (!golden_shape(file, dims, &shape)) return false;
  berth_tensor_t *tensor = NULL;
  if (berth_tensor_create(berth_dtype_find(type),
                          (berth_dims_t){shape.rank, shape.dims}, &tensor,
                          &err) != BERTH_OK) {
    golden_complain(file, "%s", berth_error_message(&err));
    berth_error_clear(&err);
    return false;
  }
  if (!read_elements(file, data, tensor)) {
    berth_tensor_release(tensor);
    return false;
  }
  *out = tensor;
  return true;
}

// ---- Attributes ----

bool golden_attr_type(golden_file_t *file, char *word, berth_op_t *op) {
  char *equals = strchr(word, '=');
  if (equals == NULL) return golden_complain(file, "no type in %s", word);
  *equals = '\0';
  berth_op_attr_type(op, word, berth_dtype_find(equals + 1));
  *equals = '=';
  return true;
}

static int read_ints(const char *text, int64_t *values) {
  int count = 0;
  while (count < MAX_LIST && *text != '\0' && strcmp(text, "-") != 0) {
    char *end = NULL;
    values[count++] = strtoll(text, &end, 10);
    text = *end == ',' ? end + 1 : end;
  }
  return count;
}

static int read_floats(const char *text, float *values) {
  int count = 0;
  while (count < MAX_LIST && *text != '\0' && strcmp(text, "-") != 0) {
    char *end = NULL;
    values[count++] = strtof(text, &end);
    text = *end == ',' ? end + 1 : end;
  }
  return count;
}

static int read_types(char *text, berth_dtype_t *values) {
  int count = 0;
  while (count < MAX_LIST && text != NULL && strcmp(text, "-") != 0) {
    char *end = strchr(text, ',');
    if (end != NULL) *end = '\0';
    values[count++] = berth_dtype_find(text);
    text = end != NULL ? end + 1 : NULL;
  }
  return count;
}

static bool set_shapes(golden_file_t *file, const char *name, char *text,
                       berth_op_t *op) {
  static berth_shape_t shapes[MAX_LIST];
  berth_dims_t dims[MAX_LIST];
  int count = 0;
  if (strcmp(text, "-") == 0) text = NULL;
  for (char *word = golden_word(&text); word != NULL && count < MAX_LIST;
       word = golden_word(&text)) {
    if (!golden_shape(file, word, &shapes[count])) return false;
    dims[count] = (berth_dims_t){shapes[count].rank, shapes[count].dims};
    ++count;
  }
  berth_op_attr_shapes(op, name, dims, count);
  return true;
}

static bool set_shape(golden_file_t *file, const char *name, const char *text,
                      berth_op_t *op) {
  static berth_shape_t shape;
  if (!golden_shape(file, text, &shape)) return false;
  berth_op_attr_shape(op, name, (berth_dims_t){shape.rank, shape.dims});
  return true;
}

// Sets a list of words with commas between them; "-" is none.
static void set_strings(const char *name, char *text, berth_op_t *op) {
  const char *words[MAX_LIST];
  size_t sizes[MAX_LIST];
  int count = 0;
  for (char *at = text; strcmp(text, "-") != 0 && at != NULL;) {
    words[count] = at;
    sizes[count++] = strcspn(at, ",");
    at = strchr(at, ',');
    if (at != NULL) ++at;
  }
  berth_op_attr_strings(op, name, words, sizes, count);
}

bool golden_attr(golden_file_t *file, char *text, berth_op_t *op) {
  const char *name = golden_word(&text);
  const char *kind = golden_word(&text);
  if (kind == NULL) return golden_complain(file, "no attribute");
  int64_t ints[MAX_LIST];
  float floats[MAX_LIST];
  berth_dtype_t types[MAX_LIST];
  if (strcmp(kind, "int") == 0) {
    berth_op_attr_int(op, name, strtoll(text, NULL, 10));
  } else if (strcmp(kind, "float") == 0) {
    berth_op_attr_float(op, name, strtof(text, NULL));
  } else if (strcmp(kind, "bool") == 0) {
    berth_op_attr_bool(op, name, strcmp(text, "true") == 0);
  } else if (strcmp(kind, "string") == 0) {
    golden_unescape(text);
    berth_op_attr_string(op, name, text, strlen(text));
  } else if (strcmp(kind, "ints") == 0) {
    berth_op_attr_ints(op, name, ints, read_ints(text, ints));
  } else if (strcmp(kind, "floats") == 0) {
    berth_op_attr_floats(op, name, floats, read_floats(text, floats));
  } else if (strcmp(kind, "types") == 0) {
    berth_op_attr_types(op, name, types, read_types(text, types));
  } else if (strcmp(kind, "strings") == 0) {
    set_strings(name, text, op);
  } else if (strcmp(kind, "shape") == 0) {
    return set_shape(file, name, text, op);
  } else if (strcmp(kind, "shapes") == 0) {
    return set_shapes(file, name, text, op);
  } else {
    return golden_complain(file, "attribute of kind %s", kind);
  }
  return true;
}
