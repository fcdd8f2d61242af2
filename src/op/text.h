// text.h - Ops that make texts of tensors, and those that say them.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words and with
// BERTH_RESOURCE_EXHAUSTED. Texts in descriptions are the node's attributes.
#ifndef BERTH_OP_TEXT_H_
#define BERTH_OP_TEXT_H_

#include "op/broadcast.h"
#include "op/case.h"

// ---- text.c ----

// What AsString does with each element.
typedef struct berth_text_format {
  bool is_plain;       // Strings are handed on as they are.
  int64_t characters;  // That were asked for, at least; 0 or less: any number.
  // How numbers are written: 'f', 'e', 'g', 'd' or 'u', 0 where printf alone
  // can; with how many digits behind the point; at least how wide, and a flag
  // of printf for that, or 0.
  char notation;
  int precision, width;
  char fill;
  char directive[64];  // For printf: of a double, a long long, an unsigned long
                       // long or a text. Complex numbers use it twice.
} berth_text_format_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_as_string(berth_case_t *op,
                                                berth_text_format_t *out_format,
                                                berth_error_t *err);

// What StringJoin does: text i of the result is text i of each input, or the
// only one of a scalar, with the separator between them.
typedef struct berth_text_join {
  int64_t count;  // Of results.
  const char *separator;
} berth_text_join_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_string_join(berth_case_t *op,
                                                  berth_text_join_t *out_join,
                                                  berth_error_t *err);

// ---- text_map.c ----

// What is done with each text of input 0; output 0 has its shape. Attributes
// that an op does not have are empty.
typedef struct berth_text_map {
  int64_t count;
  bool is_utf8;         // Characters are code points, not bytes.
  bool is_padded;       // EncodeBase64.
  bool is_global;       // All matches are replaced, not the first alone.
  int64_t buckets;      // Of hashes.
  uint64_t key[2];      // Of StringToHashBucketStrong.
  const char *pattern;  // A regular expression,
  size_t pattern_size;
  const char *rewrite;  // and what stands for its matches.
  size_t rewrite_size;
} berth_text_map_t;

// Checks |op|, sets its output and describes the work. A pattern that is an
// input, not an attribute, must have one element, which the kernel reads.
BERTH_NODISCARD berth_code_t berth_op_text_map(berth_case_t *op,
                                               berth_text_map_t *out_map,
                                               berth_error_t *err);

// What Substr does: each text is cut at a place, in a length; inputs are
// repeated as |broadcast| says, the texts first, the places second.
typedef struct berth_text_part {
  int64_t count;
  bool is_utf8;
  berth_broadcast_t broadcast;  // For results with elements.
} berth_text_part_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_substr(berth_case_t *op,
                                             berth_text_part_t *out_part,
                                             berth_error_t *err);

// ---- text_split.c ----

// How StringSplit and its successor cut texts apart.
typedef struct berth_text_split {
  bool skips_empty;  // StringSplit: empty pieces are left out.
  int64_t most;      // StringSplitV2: cuts, at most; negative: any number.
} berth_text_split_t;

// Checks |op|, whose outputs are made by the run, and describes the work.
BERTH_NODISCARD berth_code_t berth_op_string_split(
    berth_case_t *op, berth_text_split_t *out_split, berth_error_t *err);

// What ReduceJoin does: result i begins at |starts| and joins |count| texts;
// text k of it is at starts[i] + offsets[k]. In the arena.
typedef struct berth_text_reduce {
  int64_t results, count;
  const int64_t *starts, *offsets;
  const char *separator;
} berth_text_reduce_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_reduce_join(
    berth_case_t *op, berth_text_reduce_t *out_reduce, berth_error_t *err);

// How texts of characters are read and written.
typedef struct berth_text_code {
  enum {
    BERTH_CODE_UTF8,
    BERTH_CODE_UTF16,
    BERTH_CODE_UTF32,
  } to;                     // Big-endian.
  bool is_strict, ignores;  // What is wrong fails, or is left out.
  bool replaces_controls;   // Control characters count as wrong.
  int32_t replacement;      // Stands for what is wrong.
} berth_text_code_t;

// Checks UnicodeTranscode, UnicodeDecode, UnicodeDecodeWithOffsets or
// UnicodeEncode and describes it; the run makes the outputs of all but the
// first. Fails with BERTH_UNIMPLEMENTED for encodings that Berth does not read.
BERTH_NODISCARD berth_code_t berth_op_unicode(berth_case_t *op,
                                              berth_text_code_t *out_code,
                                              berth_error_t *err);

// ---- text_bytes.c ----

// Declares berth_op_<name>(), which checks its op and sets the outputs that are
// known before it runs.
#define BERTH_OP_BYTES(name)                                     \
  BERTH_NODISCARD berth_code_t berth_op_##name(berth_case_t *op, \
                                               berth_error_t *err)

BERTH_OP_BYTES(read_file);
BERTH_OP_BYTES(write_file);
BERTH_OP_BYTES(matching_files);
BERTH_OP_BYTES(decode_raw);
// Stores the length that DecodePaddedRaw is given, a multiple of |size|: `...must
// be greater than zero.`
BERTH_NODISCARD berth_code_t berth_op_padded_length(const int32_t *value,
                                                    size_t size,
                                                    int64_t *out_length,
                                                    berth_error_t *err);
BERTH_OP_BYTES(serialize_tensor);
BERTH_OP_BYTES(parse_tensor);

// ---- report.c ----

// What is said of tensors: inputs from |first| on, at most |limit| elements of
// each.
typedef struct berth_report {
  int64_t limit;
  int32_t first, count;
  const berth_case_input_t *inputs;  // |count|, without values.
  const char *text;  // What a Print begins with; the template of a format,
  const char *mark;  // in which every |mark| stands for an input.
  int64_t most;      // A Print speaks so often at most; negative: always.
} berth_report_t;

// Declares berth_op_<name>(), which checks its op, sets the output and says
// what is told of which inputs.
#define BERTH_OP_REPORT(name)                   \
  BERTH_NODISCARD berth_code_t berth_op_##name( \
      berth_case_t *op, berth_report_t *out_report, berth_error_t *err)

BERTH_OP_REPORT(assert);
BERTH_OP_REPORT(print);
BERTH_OP_REPORT(string_format);

// What PrintV2 says: one text, input 0, and |end| behind it, to |stream|.
typedef struct berth_speech {
  const char *end;
  const char *stream;  // "stdout", "log(info)", "file://path" …
} berth_speech_t;

// Checks |op| and describes the work.
BERTH_NODISCARD berth_code_t berth_op_print_v2(berth_case_t *op,
                                               berth_speech_t *out_speech,
                                               berth_error_t *err);

// ---- text_pieces.c ----

// What StringNGrams does: in every row of texts, each run of one of |widths|
// becomes one text.
typedef struct berth_ngrams {
  const int64_t *widths;
  int32_t width_count;
  int64_t pad;  // Texts beside a row; negative: as many as help.
  bool keeps_short;
  int64_t rows;
} berth_ngrams_t;

// Checks |op| and describes the work; outputs are open.
BERTH_NODISCARD berth_code_t berth_op_ngrams(berth_case_t *op,
                                             berth_ngrams_t *out,
                                             berth_error_t *err);

// What UnsortedSegmentJoin does: |count| places say for |inner| texts each which
// of |segments| they belong to.
typedef struct berth_segment_join {
  int64_t count, inner, segments;
} berth_segment_join_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_segment_join(berth_case_t *op,
                                                   berth_segment_join_t *out,
                                                   berth_error_t *err);

// Fingerprint: checks |op| and sets its output, eight bytes for each row.
BERTH_NODISCARD berth_code_t berth_op_fingerprint(berth_case_t *op,
                                                  berth_error_t *err);

// What EditDistance does: pairs of sequences, |groups| of them, each a row of a
// sparse tensor; |steps| between rows along every dimension but the last.
typedef struct berth_edit_distance {
  berth_dtype_t dtype;
  bool normalizes;
  int32_t rank;       // Of both.
  int64_t counts[2];  // Elements of each side.
  int64_t groups;
  const int64_t *steps;
} berth_edit_distance_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_edit_distance(berth_case_t *op,
                                                    berth_edit_distance_t *out,
                                                    berth_error_t *err);

// Checks ImmutableConst and sets its output.
BERTH_NODISCARD berth_code_t berth_op_file_constant(berth_case_t *op,
                                                    berth_error_t *err);

#endif  // BERTH_OP_TEXT_H_
