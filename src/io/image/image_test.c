// image_test.c - Readers of images on files that are wrong.
//
// Files are made here, then bytes of them are changed at random, thousands of
// times: whatever they say then, nothing crashes, hangs or leaks, and nothing is
// asked for beyond what the size of a file can hold. Under sanitizers that is
// worth most.
#include "io/image/image.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "harness.h"

enum { TRIES = 3000, ROOM = 1 << 22 };

// Takes pixels of a few megabytes at most.
typedef struct sink {
  berth_image_sink_t base;
  berth_image_size_t size;
  int bytes;  // Of a channel.
  uint8_t *pixels;
} sink_t;

static berth_code_t make_room(berth_image_sink_t *base,
                              const berth_image_size_t *size, void **out_room,
                              berth_error_t *err) {
  sink_t *s = (sink_t *)base;
  int64_t count = size->height * size->width * size->channels;
  EXPECT_TRUE(size->frames > 0 && size->height > 0 && size->width > 0);
  EXPECT_TRUE(size->channels >= 1 && size->channels <= 4);
  s->size = *size;
  if (count * size->frames > ROOM) {
    return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED, "large");
  }
  s->pixels = calloc((size_t)(count * size->frames), (size_t)s->bytes);
  *out_room = s->pixels;
  return BERTH_OK;
}

static uint32_t state = 12345;

static uint32_t next_random(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

// Changes, cuts or leaves |bytes|; returns how many there are then.
static size_t mutate(uint8_t *bytes, size_t size) {
  size_t count = 1 + next_random() % 4;
  for (size_t i = 0; i < count; ++i) {
    // Headers are short and matter most.
    size_t range = next_random() % 2 == 0 && size > 700 ? 700 : size;
    bytes[next_random() % range] = (uint8_t)next_random();
  }
  return next_random() % 4 == 0 ? next_random() % size : size;
}

// Makes the checksums of a PNG right, so that what is behind them is read.
static void mend_png(uint8_t *bytes, size_t size) {
  for (size_t at = 8; at + 12 <= size;) {
    size_t length = (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 |
                    (size_t)bytes[at + 2] << 8 | bytes[at + 3];
    if (length > size - at - 12) return;
    uint32_t sum = (uint32_t)crc32(0, bytes + at + 4, (uInt)length + 4);
    for (int i = 0; i < 4; ++i) {
      bytes[at + 8 + length + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
    }
    at += length + 12;
  }
}

typedef berth_code_t (*read_t)(berth_image_bytes_t file, sink_t *sink);

static berth_code_t read_png(berth_image_bytes_t file, sink_t *sink) {
  bool is_open = false;
  berth_png_options_t options = {.channels = (int)(next_random() % 5),
                                 .bits = next_random() % 2 == 0 ? 8 : 16,
                                 .is_open = &is_open};
  sink->bytes = options.bits / 8;
  return berth_png_read(file, &options, &sink->base, NULL);
}

static berth_code_t read_jpeg(berth_image_bytes_t file, sink_t *sink) {
  berth_jpeg_options_t options = {
      .channels = next_random() % 2 == 0 ? 3 : (int)(next_random() % 2),
      .ratio = 1 << next_random() % 4,
      .is_exact = next_random() % 2 == 0,
      .is_smooth = next_random() % 2 == 0,
      .is_patient = next_random() % 4 == 0,
      .is_cropped = next_random() % 4 == 0,
      .window = {1, 2, 1 + (int)(next_random() % 5), 1}};
  return berth_jpeg_read(file, &options, &sink->base, NULL);
}

static berth_code_t read_gif(berth_image_bytes_t file, sink_t *sink) {
  berth_str_t why = {0};
  berth_code_t code =
      berth_gif_read(file, next_random() % 2 == 0, &sink->base, &why, NULL);
  berth_str_clear(&why);
  return code;
}

// Reads |whole| as it is, and then changed in many ways.
static void try_many(const uint8_t *whole, size_t size, read_t read) {
  int right = 0;
  uint8_t *bytes = malloc(size);
  for (int i = 0; i < TRIES; ++i) {
    sink_t sink = {.base = {.room = make_room}, .bytes = 1};
    memcpy(bytes, whole, size);
    size_t left = i < 8 ? size : mutate(bytes, size);
    if (read == read_png && next_random() % 2 == 0) mend_png(bytes, left);
    // A copy of its own, so that a read past the end is seen.
    uint8_t *file = malloc(left + 1);
    memcpy(file, bytes, left);
    berth_code_t code = read((berth_image_bytes_t){file, left}, &sink);
    right += code == BERTH_OK;
    free(file);
    free(sink.pixels);
  }
  EXPECT_TRUE(right > 0 && right < TRIES);
  free(bytes);
}

static void fill(uint8_t *pixels, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    pixels[i] = (uint8_t)(i * i / 7 + next_random() % 32);
  }
}

TEST(image, png_survives_anything) {
  uint8_t pixels[17 * 21 * 4];
  for (int channels = 1; channels <= 4; ++channels) {
    berth_image_size_t size = {1, 17, 21, channels};
    berth_str_t file = {0};
    fill(pixels, sizeof(pixels));
    ASSERT_TRUE(berth_png_write(pixels, &size, 8, -1, &file, NULL) == BERTH_OK);
    try_many((const uint8_t *)berth_str_get(&file), file.size, read_png);
    berth_str_clear(&file);
  }
}

TEST(image, jpeg_survives_anything) {
  uint8_t pixels[33 * 21 * 3];
  for (int channels = 1; channels <= 3; channels += 2) {
    for (int is_sparing = 0; is_sparing < 2; ++is_sparing) {
      berth_image_size_t size = {1, 33, 21, channels};
      berth_jpeg_style_t style = {.quality = 60, .is_sparing = is_sparing != 0};
      berth_str_t file = {0};
      fill(pixels, sizeof(pixels));
      ASSERT_TRUE(berth_jpeg_write(pixels, &size, &style, &file, NULL) ==
                  BERTH_OK);
      try_many((const uint8_t *)berth_str_get(&file), file.size, read_jpeg);
      berth_str_clear(&file);
    }
  }
}

static uint32_t add_to_sum(uint32_t sum, const uint8_t *bytes, size_t size) {
  return (uint32_t)crc32(sum, bytes, (uInt)size);
}

// Returns the sum of what |file| gives, read in every way.
static uint32_t sum_of_ways(const berth_str_t *file, uint32_t sum) {
  for (int way = 0; way < 32; ++way) {
    sink_t sink = {.base = {.room = make_room}, .bytes = 1};
    berth_jpeg_options_t options = {.ratio = 1 << way % 4,
                                    .is_exact = (way & 4) != 0,
                                    .is_smooth = (way & 8) != 0,
                                    .channels = (way & 16) != 0 ? 3 : 0};
    berth_image_bytes_t bytes = {(const uint8_t *)berth_str_get(file),
                                 file->size};
    EXPECT_TRUE(berth_jpeg_read(bytes, &options, &sink.base, NULL) == BERTH_OK);
    size_t count =
        (size_t)(sink.size.height * sink.size.width * sink.size.channels);
    sum = add_to_sum(sum, sink.pixels, count);
    free(sink.pixels);
  }
  return sum;
}

// The sums are those of files and pixels that were compared with TensorFlow's.
TEST(image, jpeg_has_the_bytes_of_libjpeg) {
  static const int qualities[] = {1, 50, 75, 95, 100};
  uint8_t pixels[61 * 43 * 3];
  uint32_t files = 0, read = 0;
  for (size_t i = 0; i < sizeof(pixels); ++i) {
    // Smooth at the top, noise below.
    uint32_t noise = (uint32_t)i * 2654435761u >> 24;
    pixels[i] = (uint8_t)(i / 97 + (i < sizeof(pixels) / 2 ? 0 : noise));
  }
  for (int n = 0; n < 20; ++n) {
    berth_image_size_t size = {1, 61 - n, 43 - n % 3, n % 4 < 2 ? 1 : 3};
    berth_jpeg_style_t style = {.quality = qualities[n % 5],
                                .is_sparing = n % 2 != 0};
    berth_str_t file = {0};
    ASSERT_TRUE(berth_jpeg_write(pixels, &size, &style, &file, NULL) ==
                BERTH_OK);
    files = add_to_sum(files, (const uint8_t *)berth_str_get(&file), file.size);
    read = sum_of_ways(&file, read);
    berth_str_clear(&file);
  }
  EXPECT_EQ(files, 4112037231u);
  EXPECT_EQ(read, 4113489052u);
}

// A progressive file: one scan of levels, one of the rest, one of refinements.
// The codes are made up, so that any bits mean something.
TEST(image, progressive_jpeg_survives_anything) {
  static const uint8_t front[] = {0xff, 0xd8, 0xff, 0xdb, 0, 67, 0};
  static const uint8_t frame[] = {0xff, 0xc2, 0, 11, 8,    0, 30,
                                  0,    30,   1, 1,  0x11, 0};
  static const uint8_t codes[] = {
      0xff, 0xc4, 0, 23, 0, 0,    4,    0,    0,    0,    0,    0,    0,    0,
      0,    0,    0, 0,  0, 0,    0,    0,    1,    2,    3,    0xff, 0xc4, 0,
      27,   0x10, 0, 0,  8, 0,    0,    0,    0,    0,    0,    0,    0,    0,
      0,    0,    0, 0,  0, 0x01, 0x11, 0xf0, 0x21, 0x10, 0x31, 0x41};
  static const uint8_t scans[][10] = {{0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 1},
                                      {0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 1},
                                      {0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0x10},
                                      {0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0x10}};
  berth_str_t file = {0};
  berth_str_put(&file, (const char *)front, sizeof(front));
  for (int i = 0; i < 64; ++i) berth_str_putc(&file, (char)(i + 1));
  berth_str_put(&file, (const char *)frame, sizeof(frame));
  berth_str_put(&file, (const char *)codes, sizeof(codes));
  for (int i = 0; i < 4; ++i) {
    berth_str_put(&file, (const char *)scans[i], sizeof(scans[i]));
    for (int k = 0; k < 60; ++k) berth_str_putc(&file, (char)(k * 37 & 0x7f));
  }
  berth_str_put(&file, "\xff\xd9", 2);
  try_many((const uint8_t *)berth_str_get(&file), file.size, read_jpeg);
  berth_str_clear(&file);
}

TEST(image, gif_survives_anything) {
  static const uint8_t front[] = {
      'G', 'I', 'F', '8', '9', 'a', 6,  0,  5,   0,    0x81, 0, 0, 1, 2, 3, 4,
      5,   6,   7,   8,   9,   10,  11, 12, '!', 0xf9, 4,    1, 0, 0, 2, 0};
  static const uint8_t image[] = {',', 0, 0, 0, 0, 6, 0, 5, 0, 0, 2};
  berth_str_t file = {0};
  berth_str_put(&file, (const char *)front, sizeof(front));
  for (int frame = 0; frame < 2; ++frame) {
    // A code of three bits for each pixel, and one before it that clears.
    uint64_t bits = 0;
    int count = 0;
    uint8_t packed[40] = {0}, size = 0;
    berth_str_put(&file, (const char *)image, sizeof(image));
    for (int i = 0; i < 61; ++i) {
      uint64_t code = i == 60 ? 5 : i % 2 == 0 ? 4 : (uint64_t)(i / 2 % 4);
      bits |= code << count;
      for (count += 3; count >= 8 || (i == 60 && count > 0); count -= 8) {
        packed[size++] = (uint8_t)bits;
        bits >>= 8;
      }
    }
    berth_str_putc(&file, (char)size);
    berth_str_put(&file, (const char *)packed, size);
    berth_str_putc(&file, 0);
  }
  berth_str_putc(&file, ';');
  try_many((const uint8_t *)berth_str_get(&file), file.size, read_gif);
  berth_str_clear(&file);
}

// Sizes that a file of this length cannot have are refused before any room is
// made for them.
TEST(image, claims_are_compared_with_the_file) {
  berth_str_t file = {0};
  berth_image_size_t size = {1, 2, 2, 1};
  uint8_t pixels[4] = {0};
  sink_t sink = {.base = {.room = make_room}, .bytes = 1};
  bool is_open = false;
  berth_png_options_t options = {.bits = 8, .is_open = &is_open};
  ASSERT_TRUE(berth_png_write(pixels, &size, 8, -1, &file, NULL) == BERTH_OK);
  uint8_t *bytes = (uint8_t *)berth_str_take(&file);
  size_t length = 70 < file.size ? file.size : 69;
  bytes[17] = bytes[21] = 1;  // 65,538 by 65,538.
  mend_png(bytes, length);
  EXPECT_TRUE(berth_png_read((berth_image_bytes_t){bytes, length}, &options,
                             &sink.base, NULL) == BERTH_INVALID_ARGUMENT);
  EXPECT_TRUE(is_open && sink.size.width == 0);
  berth_free(bytes);
}
