// crc.h - CRC-32C, the checksum of records and checkpoints.
//
// Threads: thread-safe.
#ifndef BERTH_BASE_CRC_H_
#define BERTH_BASE_CRC_H_

#include <stddef.h>
#include <stdint.h>

// Returns the checksum of |size| bytes that follow others whose checksum is
// |before|; 0 at the beginning.
uint32_t berth_crc(uint32_t before, const void *bytes, size_t size);

// Returns a checksum as files store it: changed, so that the checksum of bytes
// that hold checksums still tells something.
static inline uint32_t berth_crc_mask(uint32_t crc) {
  return (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}

// And back.
static inline uint32_t berth_crc_unmask(uint32_t masked) {
  uint32_t turned = masked - UINT32_C(0xa282ead8);
  return turned >> 17 | turned << 15;
}

// Returns the checksum of two texts in a row, from that of each; the second has
// |size| bytes.
uint32_t berth_crc_join(uint32_t first, uint32_t second, uint64_t size);

#endif  // BERTH_BASE_CRC_H_
