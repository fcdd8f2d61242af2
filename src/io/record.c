// record.c - Records in a file.
#include "io/record.h"

#include "base/crc.h"

static uint32_t load32(const char *from) {
  const unsigned char *at = (const unsigned char *)from;
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
         (uint32_t)at[3] << 24;
}

static void store32(unsigned char *to, uint32_t value) {
  for (int i = 0; i < 4; ++i) to[i] = (unsigned char)(value >> 8 * i);
}

// True when the masked checksum of |size| bytes follows them.
static bool is_sound(const char *bytes, size_t size) {
  return berth_crc_mask(berth_crc(0, bytes, size)) == load32(bytes + size);
}

// Reads the length that the next record claims; |*out_is_there| is false at the
// end.
static berth_code_t read_head(berth_input_t *input, uint64_t *out_length,
                              bool *out_is_there, berth_error_t *err) {
  const char *head = NULL;
  size_t got = 0;
  BERTH_TRY(berth_input_peek(input, BERTH_RECORD_HEAD, &head, &got, err));
  *out_is_there = got == BERTH_RECORD_HEAD;
  if (!*out_is_there) return BERTH_OK;
  if (!is_sound(head, 8)) {
    return berth_error_set(err, BERTH_DATA_LOSS,
                           "corrupted record at %llu (Is this even a TFRecord "
                           "file?)",
                           (unsigned long long)berth_input_place(input));
  }
  *out_length = load32(head) | (uint64_t)load32(head + 4) << 32;
  return BERTH_OK;
}

berth_code_t berth_record_next(berth_input_t *input, const char **out_record,
                               size_t *out_size, berth_error_t *err) {
  enum { AROUND = BERTH_RECORD_HEAD + BERTH_RECORD_TAIL };
  const char *bytes = NULL;
  size_t got = 0;
  uint64_t length = 0;
  bool is_there = false;
  *out_record = NULL;
  BERTH_TRY(read_head(input, &length, &is_there, err));
  if (!is_there) return BERTH_OK;
  unsigned long long place = berth_input_place(input);
  // A length that no memory holds is one that no file has.
  size_t whole = length < SIZE_MAX / 2 ? (size_t)length + AROUND : SIZE_MAX;
  BERTH_TRY(berth_input_peek(input, whole, &bytes, &got, err));
  if (got < whole) {
    return berth_error_set(
        err, BERTH_DATA_LOSS, "truncated record at %llu' failed with %s", place,
        berth_input_is_packed(input) ? "EOF reached"
                                     : "Read less bytes than requested");
  }
  if (!is_sound(bytes + BERTH_RECORD_HEAD, (size_t)length)) {
    return berth_error_set(err, BERTH_DATA_LOSS, "corrupted record at %llu",
                           place + BERTH_RECORD_HEAD);
  }
  berth_input_pass(input, whole);
  *out_record = bytes + BERTH_RECORD_HEAD;
  *out_size = (size_t)length;
  return BERTH_OK;
}

void berth_record_frame(const void *record, size_t size,
                        unsigned char head[BERTH_RECORD_HEAD],
                        unsigned char tail[BERTH_RECORD_TAIL]) {
  store32(head, (uint32_t)size);
  store32(head + 4, (uint32_t)((uint64_t)size >> 32));
  store32(head + 8, berth_crc_mask(berth_crc(0, head, 8)));
  store32(tail, berth_crc_mask(berth_crc(0, record, size)));
}
