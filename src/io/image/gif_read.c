// gif_read.c - Reads GIF files.
//
// Frames are unpacked first, since the largest of them says how large all are;
// then each is drawn over the one before it. A file that breaks off gives the
// frames that were whole.
#include <string.h>

#include "base/alloc.h"
#include "io/image/image.h"

enum { CODES = 4096 };

typedef struct colors {
  const uint8_t *data;  // Three bytes each; NULL: there are none.
  int count;
} colors_t;

typedef struct frame {
  int left, top, width, height;
  int transparent;  // -1: none.
  colors_t colors;
  uint8_t *pixels;
} frame_t;

typedef struct reader {
  const uint8_t *at, *end;
  colors_t colors;
  int transparent;  // Of the next frame.
  frame_t *frames;
  size_t count, room;
  const char *wrong;  // What is wrong with the file.
  bool is_short;      // Of memory.
} reader_t;

static const char ends_early[] = "Failed to read from given file";
static const char no_screen[] = "No screen descriptor detected";
static const char no_frame[] = "No Image Descriptor detected";
static const char defective[] = "Image is defective, decoding aborted";

// Returns |size| bytes, or NULL where there are fewer.
static const uint8_t *take(reader_t *r, int64_t size) {
  const uint8_t *at = r->at;
  if (r->end - at < size) {
    r->wrong = ends_early;
    return NULL;
  }
  r->at += size;
  return at;
}

static bool read_colors(reader_t *r, int flags, colors_t *out) {
  if ((flags & 0x80) == 0) return true;
  out->count = 2 << (flags & 7);
  out->data = take(r, 3 * (int64_t)out->count);
  return out->data != NULL;
}

// ---- Pixels ----

// The codes of one frame.
typedef struct unpacker {
  reader_t *r;
  const uint8_t *block, *block_end;
  uint32_t bits;
  int bit_count;
  int size, first_size, next, last;  // Of a code; the next one; the last one.
  uint16_t before[CODES];
  uint8_t color[CODES], stack[CODES];
} unpacker_t;

// Returns the next byte of the blocks; -1 at their end.
static int next_byte(unpacker_t *u) {
  if (u->block == u->block_end) {
    const uint8_t *head = take(u->r, 1);
    if (head == NULL) return -1;
    if (*head == 0) {
      u->r->wrong = defective;
      return -1;
    }
    u->block = take(u->r, *head);
    if (u->block == NULL) return -1;
    u->block_end = u->block + *head;
  }
  return *u->block++;
}

static int next_code(unpacker_t *u) {
  while (u->bit_count < u->size) {
    int byte = next_byte(u);
    if (byte < 0) return -1;
    u->bits |= (uint32_t)byte << u->bit_count;
    u->bit_count += 8;
  }
  int code = (int)(u->bits & ((1u << u->size) - 1));
  u->bits >>= u->size;
  u->bit_count -= u->size;
  return code;
}

static void reset(unpacker_t *u) {
  u->size = u->first_size + 1;
  u->next = (1 << u->first_size) + 2;
  u->last = -1;
}

static uint8_t first_color(const unpacker_t *u, int code) {
  for (int i = 0; i < CODES && code >= 1 << u->first_size; ++i) {
    code = u->before[code];
  }
  return (uint8_t)code;
}

static void add_code(unpacker_t *u, int code) {
  if (u->last >= 0 && u->next < CODES) {
    u->before[u->next] = (uint16_t)u->last;
    u->color[u->next] = first_color(u, code == u->next ? u->last : code);
    ++u->next;
    if (u->next == 1 << u->size && u->size < 12) ++u->size;
  }
  u->last = code;
}

// Writes the colours of |code|, at most |room|; returns how many.
static int64_t put_code(unpacker_t *u, int code, uint8_t *out, int64_t room) {
  int64_t count = 0, made = 0;
  while (code >= 1 << u->first_size && count < CODES - 1) {
    u->stack[count++] = u->color[code];
    code = u->before[code];
  }
  u->stack[count++] = (uint8_t)code;
  while (count > 0 && made < room) out[made++] = u->stack[--count];
  return made;
}

static bool unpack(unpacker_t *u, uint8_t *out, int64_t count) {
  int clear = 1 << u->first_size;
  reset(u);
  for (int64_t made = 0; made < count;) {
    int code = next_code(u);
    if (code < 0) return false;
    if (code == clear) {
      reset(u);
      continue;
    }
    if (code == clear + 1) {
      u->r->wrong = "Image EOF detected before image complete";
      return false;
    }
    if (code > u->next || (code == u->next && u->last < 0) ||
        (code > clear && u->last < 0)) {
      u->r->wrong = defective;
      return false;
    }
    add_code(u, code);
    made += put_code(u, code, out + made, count - made);
  }
  return true;
}

// Skips blocks up to the empty one.
static bool skip_blocks(reader_t *r) {
  for (;;) {
    const uint8_t *head = take(r, 1);
    if (head == NULL) return false;
    if (*head == 0) return true;
    if (take(r, *head) == NULL) return false;
  }
}

// Brings rows of four passes into order.
static bool weave(reader_t *r, frame_t *frame) {
  static const int8_t begins[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
  size_t width = (size_t)frame->width;
  uint8_t *rows = berth_alloc(width * (size_t)frame->height);
  const uint8_t *from = frame->pixels;
  if (rows == NULL) {
    r->is_short = true;
    return false;
  }
  for (int pass = 0; pass < 4; ++pass) {
    for (int y = begins[pass]; y < frame->height; y += steps[pass]) {
      memcpy(rows + (size_t)y * width, from, width);
      from += width;
    }
  }
  berth_free(frame->pixels);
  frame->pixels = rows;
  return true;
}

static bool unpack_frame(reader_t *r, frame_t *frame, int first_size) {
  int64_t count = (int64_t)frame->width * frame->height;
  // A code has three bits at least and stands for 4096 pixels at most.
  if (count / (CODES * 3) > r->end - r->at) {
    r->wrong = ends_early;
    return false;
  }
  unpacker_t *u = berth_calloc(1, sizeof(*u));
  frame->pixels = berth_alloc((size_t)count);
  r->is_short = u == NULL || frame->pixels == NULL;
  bool is_right = false;
  if (!r->is_short) {
    u->r = r;
    u->first_size = first_size;
    is_right = unpack(u, frame->pixels, count);
  }
  berth_free(u);
  return is_right;
}

// ---- Blocks ----

static bool add_frame(reader_t *r, const frame_t *frame) {
  frame_t *frames = berth_grow(r->frames, r->count, &r->room, sizeof(*frames));
  if (frames == NULL) {
    r->is_short = true;
    return false;
  }
  r->frames = frames;
  r->frames[r->count++] = *frame;
  return true;
}

static bool read_frame(reader_t *r) {
  const uint8_t *head = take(r, 9);
  frame_t frame = {.transparent = r->transparent, .colors = r->colors};
  if (head == NULL || !read_colors(r, head[8], &frame.colors)) return false;
  frame.left = head[0] | head[1] << 8;
  frame.top = head[2] | head[3] << 8;
  frame.width = head[4] | head[5] << 8;
  frame.height = head[6] | head[7] << 8;
  r->transparent = -1;
  const uint8_t *first_size = take(r, 1);
  if (first_size == NULL) return false;
  if (*first_size > 8 || frame.width == 0 || frame.height == 0) {
    r->wrong = *first_size > 8 ? ends_early : "Unknown error";
    return false;
  }
  if (unpack_frame(r, &frame, *first_size) &&
      ((head[8] & 0x40) == 0 || weave(r, &frame)) && add_frame(r, &frame)) {
    return skip_blocks(r);
  }
  berth_free(frame.pixels);
  return false;
}

static bool read_extension(reader_t *r) {
  const uint8_t *label = take(r, 1);
  if (label == NULL) return false;
  if (*label == 0xf9 && r->end - r->at >= 6 && r->at[0] == 4) {
    r->transparent = (r->at[1] & 1) != 0 ? r->at[4] : -1;
  }
  return skip_blocks(r);
}

// Reads up to the end. False where the file is wrong.
static bool read_blocks(reader_t *r) {
  for (;;) {
    const uint8_t *kind = take(r, 1);
    if (kind == NULL) return false;
    if (*kind == ';') {
      if (r->count == 0) r->wrong = no_frame;
      return r->count > 0;
    }
    if (*kind == ',' ? !read_frame(r) : *kind == '!' && !read_extension(r)) {
      return false;
    }
    if (*kind != ',' && *kind != '!') {
      r->wrong = "Wrong record type detected";
      return false;
    }
  }
}

static bool read_head(reader_t *r) {
  const uint8_t *head = take(r, 13);
  return head != NULL && memcmp(head, "GIF", 3) == 0 &&
         read_colors(r, head[10], &r->colors);
}

// ---- Drawing ----

static void measure(const reader_t *r, berth_image_size_t *size) {
  for (size_t i = 0; i < r->count; ++i) {
    const frame_t *frame = &r->frames[i];
    if (frame->width > size->width) size->width = frame->width;
    if (frame->height > size->height) size->height = frame->height;
  }
}

// Draws a frame over |out|. False for a colour that is not there.
static bool draw(const frame_t *frame, const berth_image_size_t *size,
                 uint8_t *out, berth_str_t *why) {
  for (int y = 0; y < frame->height && frame->top + y < size->height; ++y) {
    const uint8_t *from = frame->pixels + (size_t)y * (size_t)frame->width;
    uint8_t *row = out + ((frame->top + y) * size->width + frame->left) * 3;
    for (int x = 0; x < frame->width && frame->left + x < size->width; ++x) {
      if (from[x] == frame->transparent) continue;
      if (from[x] >= frame->colors.count) {
        berth_str_printf(why,
                         "found color index %d outside of color map range %d",
                         from[x], frame->colors.count);
        return false;
      }
      memcpy(row + 3 * x, frame->colors.data + 3 * from[x], 3);
    }
  }
  return true;
}

static berth_code_t draw_all(const reader_t *r, const berth_image_size_t *size,
                             uint8_t *out, berth_str_t *why) {
  size_t bytes = (size_t)(size->height * size->width * 3);
  for (int64_t i = 0; i < size->frames; ++i) {
    uint8_t *at = out + (size_t)i * bytes;
    if (i == 0) {
      memset(at, 0, bytes);
    } else {
      memcpy(at, at - bytes, bytes);
    }
    if (r->frames[i].colors.data == NULL) {
      berth_str_printf(why, "missing color map for frame %lld", (long long)i);
      return BERTH_INVALID_ARGUMENT;
    }
    if (!draw(&r->frames[i], size, at, why)) return BERTH_INVALID_ARGUMENT;
  }
  return BERTH_OK;
}

static berth_code_t read_all(reader_t *r, bool is_animated,
                             berth_image_sink_t *sink, berth_str_t *why,
                             berth_error_t *err) {
  void *room = NULL;
  bool has_name = r->end - r->at >= 6;
  if (!read_head(r)) {
    berth_str_printf(why, "failed to open gif file: %s",
                     has_name ? no_screen : ends_early);
    return BERTH_INVALID_ARGUMENT;
  }
  (void)read_blocks(r);  // What was whole before a mistake counts.
  if (r->is_short) return berth_error_no_memory(err, "an image");
  if (r->count == 0) {
    berth_str_printf(why, "failed to slurp gif file: %s", r->wrong);
    return BERTH_INVALID_ARGUMENT;
  }
  berth_image_size_t size = {.frames = is_animated ? (int64_t)r->count : 1,
                             .channels = 3};
  measure(r, &size);
  BERTH_TRY(sink->room(sink, &size, &room, err));
  return draw_all(r, &size, room, why);
}

berth_code_t berth_gif_read(berth_image_bytes_t file, bool is_animated,
                            berth_image_sink_t *sink, berth_str_t *why,
                            berth_error_t *err) {
  reader_t r = {.at = file.data,
                .end = file.data + file.size,
                .transparent = -1,
                .wrong = defective};
  berth_code_t code = read_all(&r, is_animated, sink, why, err);
  for (size_t i = 0; i < r.count; ++i) berth_free(r.frames[i].pixels);
  berth_free(r.frames);
  return code;
}
