// print.c - Tensors as numpy's str() writes them.
//
// Between two elements the walk says which axis moved on, and that is all the
// writer needs for brackets and blank lines:
//
//   [[[1 2]        axis 2 moved: a space
//     [3 4]]       axis 1 moved: "]" newline, "[" under its like
//
//    [[5 6]        axis 0 moved: "]]" two newlines, "[["
//     [7 8]]]
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tensor/cell.h"

enum { LINE_WIDTH = 75 };

typedef struct writer {
  berth_cell_t cell;
  berth_str_t *str;
  berth_str_t word;   // The element being written.
  size_t line_start;  // Where in |str| the current line begins.
  int32_t rank;
  bool is_classic;
} writer_t;

static void put_many(berth_str_t *str, char c, int32_t count) {
  for (int32_t i = 0; i < count; ++i) berth_str_putc(str, c);
}

static void new_lines(writer_t *writer, int32_t count) {
  put_many(writer->str, '\n', count);
  writer->line_start = writer->str->size;
}

// Appends |size| bytes of |text| to the row, on a line of its own when they
// reach into the columns that closing brackets need.
static void put_word(writer_t *writer, const char *text, size_t size) {
  berth_str_t *str = writer->str;
  int32_t width = writer->is_classic ? LINE_WIDTH : LINE_WIDTH - writer->rank;
  size_t column = str->size - writer->line_start;
  bool is_first = column <= (size_t)writer->rank;
  if ((int64_t)(column + size) > width && (writer->is_classic || !is_first)) {
    while (str->size > writer->line_start && str->text[str->size - 1] == ' ') {
      --str->size;
    }
    new_lines(writer, 1);
    put_many(str, ' ', writer->rank);
  }
  berth_str_put(str, text, size);
}

static void put_element(writer_t *writer, int64_t offset) {
  writer->word.size = 0;
  berth_cell_put(&writer->cell, offset, &writer->word);
  put_word(writer, berth_str_get(&writer->word), writer->word.size);
}

// Writes what stands between two elements when |axis| moves on.
static void put_between(writer_t *writer, int32_t axis, bool gap) {
  berth_str_t *str = writer->str;
  int32_t closed = writer->rank - 1 - axis;
  if (closed == 0) {
    berth_str_putc(str, ' ');
    if (!gap) return;
    put_word(writer, "...", 3);
    berth_str_puts(str, writer->is_classic ? ", " : " ");
    return;
  }
  put_many(str, ']', closed);
  new_lines(writer, closed);
  put_many(str, ' ', axis + 1);
  if (gap) {
    berth_str_puts(str, writer->is_classic ? "..., " : "...");
    new_lines(writer, writer->is_classic ? 1 : closed);
    put_many(str, ' ', axis + 1);
  }
  put_many(str, '[', closed);
}

static void put_array(writer_t *writer, const berth_tensor_t *tensor) {
  berth_cell_walk_t walk;
  bool gap = false;
  berth_cell_walk_begin(&walk, tensor);
  put_many(writer->str, '[', tensor->rank);
  for (;;) {
    put_element(writer, walk.offset);
    // Without memory the text is lost already.
    if (!berth_str_ok(writer->str) || !berth_str_ok(&writer->word)) return;
    int32_t axis = berth_cell_walk_next(&walk, &gap);
    if (axis < 0) break;
    put_between(writer, axis, gap);
  }
  put_many(writer->str, ']', tensor->rank);
}

static berth_code_t format_as(const berth_tensor_t *tensor,
                              berth_print_style_t style, berth_str_t *str,
                              berth_error_t *err) {
  if (tensor->device != NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "A tensor in the memory of %s cannot be printed; "
                           "copy it to the host first",
                           berth_tensor_device(tensor));
  }
  writer_t writer = {.str = str,
                     .rank = tensor->rank,
                     .is_classic = style == BERTH_PRINT_CLASSIC};
  if (tensor->count == 0) {
    berth_str_puts(str, "[]");
  } else if (tensor->rank == 0) {
    berth_scalar_put(tensor, style, str);
  } else {
    berth_cell_fit(&writer.cell, tensor, style);
    put_array(&writer, tensor);
  }
  bool is_ok = berth_str_ok(str) && berth_str_ok(&writer.word);
  berth_str_clear(&writer.word);
  return is_ok ? BERTH_OK : berth_error_no_memory(err, "the text of a tensor");
}

static berth_code_t format_text(const berth_tensor_t *tensor,
                                berth_print_style_t style, char **out_text,
                                berth_error_t *err) {
  berth_str_t str = {0};
  berth_tensor_t *host = NULL;
  BERTH_TRY(berth_tensor_to_host(tensor, &host, err));
  berth_code_t code = format_as(host, style, &str, err);
  berth_tensor_release(host);
  if (code != BERTH_OK) {
    berth_str_clear(&str);
    return code;
  }
  *out_text = berth_str_take(&str);
  return BERTH_OK;
}

berth_code_t berth_tensor_format(const berth_tensor_t *tensor, char **out_text,
                                 berth_error_t *err) {
  BERTH_GIVEN(tensor, err);
  BERTH_GIVEN(out_text, err);
  return format_text(tensor, BERTH_PRINT_NUMPY, out_text, err);
}

berth_code_t berth_tensor_format_classic(const berth_tensor_t *tensor,
                                         char **out_text, berth_error_t *err) {
  BERTH_GIVEN(tensor, err);
  BERTH_GIVEN(out_text, err);
  return format_text(tensor, BERTH_PRINT_CLASSIC, out_text, err);
}

berth_code_t berth_tensor_print(const berth_tensor_t *tensor, FILE *file,
                                berth_error_t *err) {
  BERTH_GIVEN(tensor, err);
  BERTH_GIVEN(file, err);
  char *text = NULL;
  BERTH_TRY(berth_tensor_format(tensor, &text, err));
  bool is_written = fprintf(file, "%s\n", text) >= 0;
  berth_free(text);
  if (is_written) return BERTH_OK;
  return berth_error_set(err, BERTH_UNKNOWN, "A tensor cannot be printed: %s",
                         strerror(errno));
}
