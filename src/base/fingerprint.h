// fingerprint.h - Hashes of texts that others compute, too.
//
// Buckets that TensorFlow puts texts into follow from these numbers, so they
// are the same on every machine and in every version.
//
// Pure functions.
#ifndef BERTH_BASE_FINGERPRINT_H_
#define BERTH_BASE_FINGERPRINT_H_

#include <stddef.h>
#include <stdint.h>

// Returns FarmHash's Fingerprint64 of |size| bytes.
uint64_t berth_fingerprint_farm(const char *text, size_t size);

// Returns the fingerprint of two texts from theirs, as TensorFlow has it.
uint64_t berth_fingerprint_join(uint64_t first, uint64_t second);

// Returns MurmurHash64A of |size| bytes, with TensorFlow's seed.
uint64_t berth_fingerprint_murmur(const char *text, size_t size);

// Returns SipHash-2-4 of |size| bytes under a key.
uint64_t berth_fingerprint_sip(const char *text, size_t size,
                               const uint64_t key[2]);

#endif  // BERTH_BASE_FINGERPRINT_H_
