// jpeg_read.c - Reads JPEG files: markers, tables, scans.
//
// Sequential and progressive files with Huffman codes. A file of one scan is
// transformed row by row; of another one all coefficients are kept first.
#include <string.h>

#include "base/alloc.h"
#include "io/image/jpeg_internal.h"

enum { SOI = 0xd8, EOI = 0xd9, SOS = 0xda, DQT = 0xdb, DHT = 0xc4, DRI = 0xdd };

const uint8_t berth_jpeg_order[JPEG_BLOCK + 16] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
    63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63};

// ---- Bytes ----

int berth_jpeg_byte(jpeg_t *j) {
  static const uint8_t made_up[2] = {0xff, EOI};
  if (j->at == j->end && j->options->is_patient) {
    j->at = made_up;
    j->end = made_up + sizeof(made_up);
  }
  if (j->at == j->end) {
    j->failed = true;
    return 0;
  }
  return *j->at++;
}

static int read_short(jpeg_t *j) {
  int high = berth_jpeg_byte(j);
  return high << 8 | berth_jpeg_byte(j);
}

void berth_jpeg_seek(jpeg_t *j) {
  int c = 0;
  while (!j->failed && c == 0) {
    while (!j->failed && berth_jpeg_byte(j) != 0xff) continue;
    do {
      c = berth_jpeg_byte(j);
    } while (!j->failed && c == 0xff);
  }
  j->marker = j->failed ? 0 : c;
}

static void skip(jpeg_t *j, int64_t count) {
  if (count > j->end - j->at) {
    j->at = j->end;
    j->failed = j->failed || !j->options->is_patient;
  } else if (count > 0) {
    j->at += count;
  }
}

// ---- Tables ----

static void read_quantisation(jpeg_t *j) {
  int64_t left = read_short(j) - 2;
  while (left > 0 && !j->failed) {
    int head = berth_jpeg_byte(j), wide = head >> 4, index = head & 15;
    if (index >= 4) {
      j->failed = true;
      return;
    }
    for (int i = 0; i < JPEG_BLOCK; ++i) {
      int value = wide != 0 ? read_short(j) : berth_jpeg_byte(j);
      j->tables[index][berth_jpeg_order[i]] = (uint16_t)value;
    }
    j->has_table[index] = true;
    left -= 1 + JPEG_BLOCK * (wide != 0 ? 2 : 1);
  }
  j->failed = j->failed || left != 0;
}

// Makes ready what looks codes up. False for lengths that no codes have.
static bool build_codes(jpeg_codes_t *codes, bool is_level) {
  int32_t code = 0;
  int index = 0;
  memset(codes->quick, 0, sizeof(codes->quick));
  for (int size = 1; size <= 16; ++size, code <<= 1) {
    codes->offset[size] = index - code;
    for (int i = 0; i < codes->counts[size]; ++i, ++index, ++code) {
      if (code >= 1 << size) return false;
      if (is_level && codes->symbols[index] > 15) return false;
      int spare = JPEG_QUICK - size;
      for (int k = 0; spare >= 0 && k < 1 << spare; ++k) {
        codes->quick[code << spare | k] =
            (uint16_t)(size << 8 | codes->symbols[index]);
      }
    }
    codes->last[size] = codes->counts[size] > 0 ? code - 1 : -1;
  }
  return true;
}

static void read_codes(jpeg_t *j) {
  int64_t left = read_short(j) - 2;
  while (left > 16 && !j->failed) {
    int head = berth_jpeg_byte(j), count = 0;
    if ((head & 15) >= 4 || head >> 4 > 1) {
      j->failed = true;
      return;
    }
    jpeg_codes_t *codes = head >> 4 != 0 ? &j->ac[head & 15] : &j->dc[head];
    memset(codes, 0, sizeof(*codes));
    for (int i = 1; i <= 16; ++i) {
      codes->counts[i] = (uint8_t)berth_jpeg_byte(j);
      count += codes->counts[i];
    }
    left -= 17;
    if (count > 256 || count > left) {
      j->failed = true;
      return;
    }
    for (int i = 0; i < count; ++i) {
      codes->symbols[i] = (uint8_t)berth_jpeg_byte(j);
    }
    left -= count;
    codes->is_there = true;
  }
  j->failed = j->failed || left != 0;
}

static void read_interval(jpeg_t *j) {
  int size = read_short(j);
  j->interval = read_short(j);
  j->failed = j->failed || size != 4;
}

// Looks for what says how colours are kept.
static void read_application(jpeg_t *j, int marker) {
  int64_t size = read_short(j) - 2;
  const uint8_t *at = j->at;
  int64_t there = j->end - at;
  if (size < 0) size = 0;
  if (marker == 0xe0 && size >= 14 && there >= 14 &&
      memcmp(at, "JFIF", 5) == 0) {
    j->has_jfif = true;
  }
  if (marker == 0xee && size >= 12 && there >= 12 &&
      memcmp(at, "Adobe", 5) == 0) {
    j->has_adobe = true;
    j->adobe = at[11];
  }
  skip(j, size);
}

// ---- The frame ----

static int64_t divide_up(int64_t value, int64_t by) {
  return (value + by - 1) / by;
}

static void measure(jpeg_t *j) {
  int ratio = j->options->ratio;
  j->side = 8 / ratio;
  j->out_height = divide_up(j->height, ratio);
  j->out_width = divide_up(j->width, ratio);
  j->units_across = divide_up(j->width, j->max_h * 8);
  j->units_down = divide_up(j->height, j->max_v * 8);
  for (int i = 0; i < j->count; ++i) {
    jpeg_part_t *part = &j->parts[i];
    part->side = j->side;
    // A component of fewer samples is made less small instead.
    while (part->side < 8 &&
           j->max_h * j->side % (part->h * part->side * 2) == 0 &&
           j->max_v * j->side % (part->v * part->side * 2) == 0) {
      part->side *= 2;
    }
    part->across = divide_up(j->width * part->h, j->max_h * 8);
    part->down = divide_up(j->height * part->v, j->max_v * 8);
    part->wide = j->units_across * part->h;
    part->tall = j->units_down * part->v;
    memset(part->bits, -1, sizeof(part->bits));
  }
}

static void read_frame(jpeg_t *j, int marker) {
  int size = read_short(j), precision = berth_jpeg_byte(j);
  j->height = read_short(j);
  j->width = read_short(j);
  j->count = berth_jpeg_byte(j);
  j->is_progressive = marker == 0xc2;
  if (j->has_frame || precision != 8 || j->height == 0 || j->width == 0 ||
      j->height > 65500 || j->width > 65500 || j->count == 0 ||
      j->count > JPEG_PARTS || size != 8 + 3 * j->count) {
    j->failed = true;
    return;
  }
  j->has_frame = true;
  j->max_h = j->max_v = 1;
  for (int i = 0; i < j->count; ++i) {
    jpeg_part_t *part = &j->parts[i];
    part->id = berth_jpeg_byte(j);
    int factors = berth_jpeg_byte(j);
    part->h = factors >> 4;
    part->v = factors & 15;
    part->table = berth_jpeg_byte(j);
    if (part->h < 1 || part->h > 4 || part->v < 1 || part->v > 4) {
      j->failed = true;
      return;
    }
    if (part->h > j->max_h) j->max_h = part->h;
    if (part->v > j->max_v) j->max_v = part->v;
  }
  measure(j);
}

// ---- The header of a scan ----

static jpeg_part_t *find_part(jpeg_t *j, int id, int before) {
  for (int i = 0; i < j->count; ++i) {
    jpeg_part_t *part = &j->parts[i];
    bool is_taken = false;
    for (int k = 0; k < before; ++k) is_taken |= j->scan[k] == part;
    if (part->id == id && !is_taken) return part;
  }
  return NULL;
}

static bool is_progression(const jpeg_t *j) {
  if (j->from == 0 ? j->to != 0 : j->from > j->to || j->to >= JPEG_BLOCK) {
    return false;
  }
  if (j->from != 0 && j->scan_count != 1) return false;
  return (j->high == 0 || j->low == j->high - 1) && j->low <= 13;
}

// Makes the tables ready that the scan uses.
static bool latch(jpeg_t *j, jpeg_part_t *part) {
  bool uses_dc = !j->is_progressive || (j->from == 0 && j->high == 0);
  bool uses_ac = !j->is_progressive || j->from != 0;
  if (part->dc >= 4 || part->ac >= 4) return false;
  if (uses_dc &&
      !(j->dc[part->dc].is_there && build_codes(&j->dc[part->dc], true))) {
    return false;
  }
  if (uses_ac &&
      !(j->ac[part->ac].is_there && build_codes(&j->ac[part->ac], false))) {
    return false;
  }
  if (!part->has_scale) {
    if (part->table >= 4 || !j->has_table[part->table]) return false;
    berth_jpeg_scale(j, part, j->tables[part->table]);
    part->has_scale = true;
  }
  for (int k = j->from; j->is_progressive && k <= j->to; ++k) {
    part->bits[k] = (int8_t)j->low;
  }
  return true;
}

static void read_scan_header(jpeg_t *j) {
  int size = read_short(j), blocks = 0;
  j->scan_count = berth_jpeg_byte(j);
  if (!j->has_frame || j->scan_count < 1 || j->scan_count > JPEG_PARTS ||
      size != 6 + 2 * j->scan_count) {
    j->failed = true;
    return;
  }
  for (int i = 0; i < j->scan_count; ++i) {
    jpeg_part_t *part = find_part(j, berth_jpeg_byte(j), i);
    int tables = berth_jpeg_byte(j);
    if (part == NULL) {
      j->failed = true;
      return;
    }
    part->dc = tables >> 4;
    part->ac = tables & 15;
    blocks += part->h * part->v;
    j->scan[i] = part;
  }
  j->from = berth_jpeg_byte(j);
  j->to = berth_jpeg_byte(j);
  int approximation = berth_jpeg_byte(j);
  j->high = approximation >> 4;
  j->low = approximation & 15;
  j->failed = j->failed || (j->scan_count > 1 && blocks > 10) ||
              (j->is_progressive && !is_progression(j));
  for (int i = 0; i < j->scan_count && !j->failed; ++i) {
    j->failed = !latch(j, j->scan[i]);
  }
}

// ---- The whole ----

// Deals with the marker at hand; true when a scan or the end has come.
static bool read_marker(jpeg_t *j) {
  int marker = j->marker;
  j->marker = 0;
  switch (marker) {
    case 0xc0:
    case 0xc1:
    case 0xc2:
      read_frame(j, marker);
      break;
    case DHT:
      read_codes(j);
      break;
    case DQT:
      read_quantisation(j);
      break;
    case DRI:
      read_interval(j);
      break;
    case SOS:
    case EOI:
      j->marker = marker;
      return true;
    default:
      if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd7)) break;
      if (marker == 0xcc || (marker >= 0xe0 && marker <= 0xef) ||
          marker == 0xfe || marker == 0xdc) {
        read_application(j, marker);
        break;
      }
      j->failed = true;
  }
  return false;
}

// Reads up to the next scan or the end.
static berth_code_t read_markers(jpeg_t *j) {
  for (;;) {
    if (j->marker == 0) berth_jpeg_seek(j);
    if (j->failed) return BERTH_INVALID_ARGUMENT;
    if (read_marker(j)) return BERTH_OK;
    if (j->failed) return BERTH_INVALID_ARGUMENT;
  }
}

// Reads up to the first scan and its header.
static berth_code_t read_header(jpeg_t *j) {
  if (j->end - j->at < 2 || j->at[0] != 0xff || j->at[1] != SOI) {
    return BERTH_INVALID_ARGUMENT;
  }
  j->at += 2;
  BERTH_TRY(read_markers(j));
  if (j->marker == EOI) return BERTH_INVALID_ARGUMENT;
  j->marker = 0;
  read_scan_header(j);
  return j->failed ? BERTH_INVALID_ARGUMENT : BERTH_OK;
}

static berth_code_t make_room(jpeg_t *j, berth_error_t *err) {
  for (int i = 0; i < j->count; ++i) {
    jpeg_part_t *part = &j->parts[i];
    int64_t rows = j->is_single ? part->v : part->tall;
    size_t samples =
        (size_t)(part->wide * part->tall * part->side * part->side);
    size_t coefs = (size_t)(part->wide * rows) * JPEG_BLOCK * sizeof(int16_t);
    part->coefs = berth_calloc(1, coefs);
    part->samples = berth_calloc(1, samples);
    if (part->coefs == NULL || part->samples == NULL) {
      return berth_error_no_memory(err, "an image");
    }
  }
  return BERTH_OK;
}

// True where libjpeg-turbo would make blocks smooth whose coefficients are
// known in part.
static bool is_rough(const jpeg_t *j) {
  bool misses = false;
  for (int i = 0; i < j->count; ++i) {
    if (!j->is_progressive || j->parts[i].bits[0] < 0) return false;
    for (int k = 1; k < 10; ++k) misses |= j->parts[i].bits[k] != 0;
  }
  return misses;
}

static void turn_all(jpeg_t *j) {
  for (int i = 0; i < j->count; ++i) {
    jpeg_part_t *part = &j->parts[i];
    for (int64_t row = 0; row < j->units_down; ++row) {
      berth_jpeg_turn(j, part, row, row * part->v);
    }
  }
}

static berth_code_t read_scans(jpeg_t *j, berth_error_t *err) {
  for (;;) {
    berth_jpeg_scan(j);
    if (j->failed) return BERTH_INVALID_ARGUMENT;
    BERTH_TRY(read_markers(j));
    if (j->marker == EOI) break;
    if (j->is_single) return BERTH_INVALID_ARGUMENT;
    j->marker = 0;
    read_scan_header(j);
    if (j->failed) return BERTH_INVALID_ARGUMENT;
  }
  if (is_rough(j)) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Berth does not read progressive JPEG files whose "
                           "last scans are missing; save the file as a plain "
                           "JPEG or as a PNG");
  }
  if (!j->is_single) turn_all(j);
  return BERTH_OK;
}

// Checks the size of what comes out, and the window of it.
static berth_code_t check_window(const jpeg_t *j, berth_image_size_t *size) {
  const int32_t *window = j->options->window;
  *size = (berth_image_size_t){.frames = 1,
                               .height = j->out_height,
                               .width = j->out_width,
                               .channels = size->channels};
  if (j->out_height * j->out_width * j->count >= (int64_t)1 << 29) {
    return BERTH_INVALID_ARGUMENT;
  }
  if (!j->options->is_cropped) return BERTH_OK;
  if (window[0] < 0 || window[1] < 0 || window[2] <= 0 || window[3] <= 0 ||
      (int64_t)window[0] + window[2] > j->out_height ||
      (int64_t)window[1] + window[3] > j->out_width) {
    return BERTH_INVALID_ARGUMENT;
  }
  size->height = window[2];
  size->width = window[3];
  return BERTH_OK;
}

static berth_code_t read_all(jpeg_t *j, berth_image_sink_t *sink,
                             berth_error_t *err) {
  berth_image_size_t size = {.channels = j->options->channels};
  void *room = NULL;
  BERTH_TRY(read_header(j));
  if (size.channels == 0) size.channels = j->count < 3 ? j->count : 3;
  if (size.channels == 2 || j->count == 2) return BERTH_INVALID_ARGUMENT;
  if (size.channels == 1 && j->count == 4) return BERTH_INVALID_ARGUMENT;
  BERTH_TRY(check_window(j, &size));
  j->is_single = !j->is_progressive && j->scan_count == j->count;
  BERTH_TRY(make_room(j, err));
  BERTH_TRY(read_scans(j, err));
  BERTH_TRY(sink->room(sink, &size, &room, err));
  return berth_jpeg_pixels(j, (int)size.channels, room, err);
}

static jpeg_t *make_jpeg(berth_image_bytes_t file,
                         const berth_jpeg_options_t *options) {
  jpeg_t *j = berth_calloc(1, sizeof(*j));
  if (j == NULL) return NULL;
  j->at = file.data;
  j->end = file.data + file.size;
  j->options = options;
  return j;
}

berth_code_t berth_jpeg_read(berth_image_bytes_t file,
                             const berth_jpeg_options_t *options,
                             berth_image_sink_t *sink, berth_error_t *err) {
  jpeg_t *j = make_jpeg(file, options);
  if (j == NULL) return berth_error_no_memory(err, "an image");
  berth_code_t code = read_all(j, sink, err);
  for (int i = 0; i < JPEG_PARTS; ++i) {
    berth_free(j->parts[i].coefs);
    berth_free(j->parts[i].samples);
  }
  berth_free(j);
  return code;
}

berth_code_t berth_jpeg_size(berth_image_bytes_t file,
                             berth_image_size_t *out_size) {
  berth_jpeg_options_t options = {.ratio = 1};
  jpeg_t *j = make_jpeg(file, &options);
  if (j == NULL) return BERTH_RESOURCE_EXHAUSTED;
  berth_code_t code = read_header(j);
  *out_size = (berth_image_size_t){1, j->height, j->width, j->count};
  berth_free(j);
  return code;
}
