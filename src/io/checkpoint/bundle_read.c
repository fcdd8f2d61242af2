// bundle_read.c - Elements of tensors from the data files of a checkpoint.
//
// Numbers are read straight into the tensor, in pieces, by several threads; the
// checksum of each piece is taken while it is in the cache.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/crc.h"
#include "base/parallel.h"
#include "io/checkpoint/checkpoint.h"
#include "io/varint.h"
#include "tensor/string.h"

enum { PIECE = 1 << 20 };

static berth_code_t fail_short(berth_error_t *err) {
  return berth_error_set(err, BERTH_OUT_OF_RANGE,
                         "Read less bytes than requested");
}

// ---- Data files ----

static berth_code_t open_shard(berth_checkpoint_t *checkpoint, int32_t shard,
                               int *out_fd, berth_error_t *err) {
  char path[PATH_MAX];
  int number = ENAMETOOLONG;
  if (shard < 0 || shard >= checkpoint->shard_count) {
    return berth_error_set(err, BERTH_DATA_LOSS,
                           "%s has %d data files, and a tensor in file %d",
                           checkpoint->prefix, checkpoint->shard_count, shard);
  }
  int size = snprintf(path, sizeof(path), "%s.data-%05d-of-%05d",
                      checkpoint->prefix, shard, checkpoint->shard_count);
  bool fits = size > 0 && (size_t)size < sizeof(path);
  berth_mutex_lock(&checkpoint->lock);
  int fd = checkpoint->shards[shard];
  if (fd < 0 && fits) {
    fd = open(path, O_RDONLY | O_CLOEXEC);
    number = errno;
    checkpoint->shards[shard] = fd;
  }
  berth_mutex_unlock(&checkpoint->lock);
  if (fd < 0) return berth_checkpoint_fail(err, path, number);
  *out_fd = fd;
  return BERTH_OK;
}

// Reads |size| bytes at |offset|: 0, an errno, or -1 when the file ends first.
static int read_at(int fd, char *bytes, size_t size, int64_t offset) {
  while (size > 0) {
    ssize_t got = pread(fd, bytes, size, (off_t)offset);
    if (got < 0 && errno != EINTR) return errno;
    if (got == 0) return -1;
    if (got < 0) continue;
    bytes += got;
    size -= (size_t)got;
    offset += got;
  }
  return 0;
}

static berth_code_t check_crc(const berth_checkpoint_t *checkpoint,
                              const berth_stored_part_t *part, uint32_t crc,
                              berth_error_t *err) {
  uint32_t stored = berth_crc_unmask(part->crc);
  if (crc == stored) return BERTH_OK;
  return berth_error_set(
      err, BERTH_DATA_LOSS,
      "TensorBundle at %s shard %d (%lld bytes): Checksum does not match: "
      "stored %u vs. calculated on the restored bytes %u",
      checkpoint->prefix, part->shard, (long long)part->size, stored, crc);
}

berth_code_t berth_bundle_check(berth_checkpoint_t *checkpoint,
                                const berth_stored_t *stored,
                                const berth_stored_part_t *part, int64_t count,
                                berth_error_t *err) {
  int fd = -1;
  struct stat status;
  bool is_plain = berth_dtype_is_plain(stored->dtype);
  int64_t item = is_plain ? (int64_t)berth_dtype_size(stored->dtype) : 1;
  if (part->is_missing) {
    return berth_error_set(err, BERTH_DATA_LOSS,
                           "the index of %s lists a slice of %s and lacks it",
                           checkpoint->prefix, stored->name);
  }
  if (!is_plain && stored->dtype != BERTH_STRING) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "%s is of type %s, which Berth does not restore",
                           stored->name, berth_dtype_name(stored->dtype));
  }
  // Of a string at least its length is stored.
  if (is_plain ? part->size != count * item : part->size < count) {
    return berth_error_set(err, BERTH_DATA_LOSS,
                           "Invalid size in bundle entry: key %s; stored size "
                           "%lld; expected size %lld",
                           stored->name, (long long)part->size,
                           (long long)(count * item));
  }
  BERTH_TRY(open_shard(checkpoint, part->shard, &fd, err));
  if (fstat(fd, &status) != 0 || part->offset < 0 ||
      part->size > status.st_size ||
      part->offset > status.st_size - part->size) {
    return fail_short(err);
  }
  return BERTH_OK;
}

// ---- Numbers ----

typedef struct reading {
  int fd;
  char *bytes;
  int64_t size, offset;
  uint32_t *crcs;  // Of each piece.
  atomic_int failed;
} reading_t;

static size_t piece_size(const reading_t *reading, int64_t index) {
  int64_t left = reading->size - index * PIECE;
  return left < PIECE ? (size_t)left : PIECE;
}

static void read_pieces(void *arg, int64_t begin, int64_t end) {
  reading_t *reading = arg;
  for (int64_t i = begin; i < end; ++i) {
    char *at = reading->bytes + i * PIECE;
    size_t size = piece_size(reading, i);
    int number = read_at(reading->fd, at, size, reading->offset + i * PIECE);
    if (number != 0) atomic_store(&reading->failed, number);
    reading->crcs[i] = berth_crc(0, at, number == 0 ? size : 0);
  }
}

static berth_code_t read_numbers(berth_checkpoint_t *checkpoint,
                                 const berth_stored_part_t *part, int fd,
                                 berth_tensor_t *tensor, berth_error_t *err) {
  int64_t count = (part->size + PIECE - 1) / PIECE;
  reading_t reading = {.fd = fd,
                       .bytes = tensor->data,
                       .size = part->size,
                       .offset = part->offset};
  uint32_t crc = 0;
  reading.crcs = berth_calloc((size_t)count + 1, sizeof(uint32_t));
  if (reading.crcs == NULL) return berth_error_no_memory(err, "a tensor");
  bool is_done = berth_parallel_for(count, 4, read_pieces, &reading);
  for (int64_t i = 0; i < count; ++i) {
    crc = berth_crc_join(crc, reading.crcs[i], piece_size(&reading, i));
  }
  berth_free(reading.crcs);
  int number = atomic_load(&reading.failed);
  if (!is_done) {
    return berth_error_set(err, BERTH_CANCELLED, "Run call was cancelled");
  }
  if (number < 0) return fail_short(err);
  if (number > 0) return berth_checkpoint_fail(err, checkpoint->prefix, number);
  return check_crc(checkpoint, part, crc, err);
}

// ---- Strings ----

// Reads the lengths of strings and the checksum behind them; |*out_crc| goes on
// from there.
static berth_code_t read_lengths(berth_varints_t *cursor, uint64_t *lengths,
                                 int64_t count, uint32_t *out_crc,
                                 berth_error_t *err) {
  uint32_t crc = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!berth_varint_read(cursor, &lengths[i])) return fail_short(err);
    bool is_wide = lengths[i] > UINT32_MAX;
    uint32_t narrow = (uint32_t)lengths[i];
    crc = is_wide ? berth_crc(crc, &lengths[i], sizeof(lengths[i]))
                  : berth_crc(crc, &narrow, sizeof(narrow));
  }
  if (cursor->end - cursor->at < 4) return fail_short(err);
  uint32_t stored = berth_crc_unmask(berth_fixed32_get(cursor->at));
  if (crc != stored) {
    return berth_error_set(err, BERTH_DATA_LOSS,
                           "The length checksum does not match: expected %u "
                           "but actual is %u",
                           stored, crc);
  }
  *out_crc = berth_crc(crc, cursor->at, 4);
  cursor->at += 4;
  return BERTH_OK;
}

static berth_code_t put_strings(berth_varints_t *cursor,
                                const uint64_t *lengths, berth_tensor_t *tensor,
                                berth_error_t *err) {
  berth_string_t *strings = tensor->data;
  for (int64_t i = 0; i < tensor->count; ++i) {
    if (lengths[i] > (uint64_t)(cursor->end - cursor->at)) {
      return fail_short(err);
    }
    if (!berth_string_set(&strings[i], (const char *)cursor->at,
                          (size_t)lengths[i])) {
      return berth_error_no_memory(err, "a string");
    }
    cursor->at += lengths[i];
  }
  return BERTH_OK;
}

static berth_code_t decode_strings(berth_checkpoint_t *checkpoint,
                                   const berth_stored_part_t *part,
                                   const char *bytes, uint64_t *lengths,
                                   berth_tensor_t *tensor, berth_error_t *err) {
  const unsigned char *begin = (const unsigned char *)bytes;
  berth_varints_t cursor = {begin, begin + part->size};
  uint32_t crc = 0;
  BERTH_TRY(read_lengths(&cursor, lengths, tensor->count, &crc, err));
  crc = berth_crc(crc, cursor.at, (size_t)(cursor.end - cursor.at));
  BERTH_TRY(put_strings(&cursor, lengths, tensor, err));
  return check_crc(checkpoint, part, crc, err);
}

static berth_code_t read_strings(berth_checkpoint_t *checkpoint,
                                 const berth_stored_part_t *part, int fd,
                                 berth_tensor_t *tensor, berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  char *bytes = berth_alloc((size_t)part->size + 1);
  uint64_t *lengths = berth_calloc((size_t)tensor->count + 1, sizeof(*lengths));
  int number = 0;
  if (bytes == NULL || lengths == NULL) {
    code = berth_error_no_memory(err, "strings");
  } else {
    number = read_at(fd, bytes, (size_t)part->size, part->offset);
  }
  if (number < 0) code = fail_short(err);
  if (number > 0) code = berth_checkpoint_fail(err, checkpoint->prefix, number);
  if (code == BERTH_OK) {
    code = decode_strings(checkpoint, part, bytes, lengths, tensor, err);
  }
  berth_free(lengths);
  berth_free(bytes);
  return code;
}

berth_code_t berth_bundle_read(berth_checkpoint_t *checkpoint,
                               const berth_stored_t *stored,
                               const berth_stored_part_t *part,
                               berth_tensor_t *tensor, berth_error_t *err) {
  int fd = -1;
  BERTH_TRY(berth_bundle_check(checkpoint, stored, part, tensor->count, err));
  BERTH_TRY(open_shard(checkpoint, part->shard, &fd, err));
  return tensor->dtype == BERTH_STRING
             ? read_strings(checkpoint, part, fd, tensor, err)
             : read_numbers(checkpoint, part, fd, tensor, err);
}
