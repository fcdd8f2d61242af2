// fingerprint.c - FarmHash, MurmurHash and SipHash.
#include "base/fingerprint.h"

#include <string.h>

static const uint64_t K0 = 0xc3a5c85c97cb3127, K1 = 0xb492b66fbe98f273,
                      K2 = 0x9ae16a3b2f90404f;

static uint64_t load64(const char *at) {
  uint64_t value = 0;
  memcpy(&value, at, sizeof(value));
  return value;
}

static uint64_t load32(const char *at) {
  uint32_t value = 0;
  memcpy(&value, at, sizeof(value));
  return value;
}

static uint64_t rotate(uint64_t value, int bits) {
  return value >> bits | value << (64 - bits);
}

static uint64_t mix(uint64_t value) { return value ^ value >> 47; }

// ---- FarmHash ----

static uint64_t join(uint64_t u, uint64_t v, uint64_t by) {
  uint64_t a = mix((u ^ v) * by);
  return mix((v ^ a) * by) * by;
}

static uint64_t farm_upto16(const char *s, size_t n) {
  uint64_t by = K2 + n * 2;
  if (n >= 8) {
    uint64_t a = load64(s) + K2, b = load64(s + n - 8);
    return join(rotate(b, 37) * by + a, (rotate(a, 25) + b) * by, by);
  }
  if (n >= 4) return join(n + (load32(s) << 3), load32(s + n - 4), by);
  if (n == 0) return K2;
  uint64_t y = (unsigned char)s[0] + ((uint64_t)(unsigned char)s[n >> 1] << 8);
  uint64_t z = n + ((uint64_t)(unsigned char)s[n - 1] << 2);
  return mix(y * K2 ^ z * K0) * K2;
}

static uint64_t farm_upto32(const char *s, size_t n) {
  uint64_t by = K2 + n * 2;
  uint64_t a = load64(s) * K1, b = load64(s + 8);
  uint64_t c = load64(s + n - 8) * by, d = load64(s + n - 16) * K2;
  return join(rotate(a + b, 43) + rotate(c, 30) + d, a + rotate(b + K2, 18) + c,
              by);
}

static uint64_t farm_upto64(const char *s, size_t n) {
  uint64_t by = K2 + n * 2;
  uint64_t a = load64(s) * K2, b = load64(s + 8);
  uint64_t c = load64(s + n - 8) * by, d = load64(s + n - 16) * K2;
  uint64_t y = rotate(a + b, 43) + rotate(c, 30) + d;
  uint64_t z = join(y, a + rotate(b + K2, 18) + c, by);
  uint64_t e = load64(s + 16) * by, f = load64(s + 24);
  uint64_t g = (y + load64(s + n - 32)) * by;
  uint64_t h = (z + load64(s + n - 24)) * by;
  return join(rotate(e + f, 43) + rotate(g, 30) + h, e + rotate(f + a, 18) + g,
              by);
}

typedef struct pair {
  uint64_t first, second;
} pair_t;

static pair_t weak(const char *s, uint64_t a, uint64_t b) {
  uint64_t last = load64(s + 24);
  a += load64(s);
  b = rotate(b + a + last, 21);
  uint64_t c = a;
  a += load64(s + 8);
  a += load64(s + 16);
  return (pair_t){a + last, b + rotate(a, 44) + c};
}

// What 64 bytes are mixed into.
typedef struct farm {
  uint64_t x, y, z;
  pair_t v, w;
} farm_t;

static void farm_block(farm_t *f, const char *s, uint64_t by, uint64_t nine) {
  f->x = rotate(f->x + f->y + f->v.first + load64(s + 8), 37) * by;
  f->y = rotate(f->y + f->v.second + load64(s + 48), 42) * by;
  f->x ^= f->w.second * nine;
  f->y += f->v.first * nine + load64(s + 40);
  f->z = rotate(f->z + f->w.first, 33) * by;
  f->v = weak(s, f->v.second * by, f->x + f->w.first);
  f->w = weak(s + 32, f->z + f->w.second, f->y + load64(s + 16));
  uint64_t x = f->x;
  f->x = f->z;
  f->z = x;
}

static uint64_t farm_long(const char *s, size_t n) {
  const uint64_t seed = 81;
  farm_t f = {.x = seed * K2 + load64(s), .y = seed * K1 + 113};
  const char *end = s + (n - 1) / 64 * 64;
  const char *last = end + ((n - 1) & 63) - 63;
  f.z = mix(f.y * K2 + 113) * K2;
  for (; s != end; s += 64) farm_block(&f, s, K1, 1);
  uint64_t by = K1 + ((f.z & 0xff) << 1);
  f.w.first += (n - 1) & 63;
  f.v.first += f.w.first;
  f.w.first += f.v.first;
  farm_block(&f, last, by, 9);
  return join(join(f.v.first, f.w.first, by) + mix(f.y) * K0 + f.z,
              join(f.v.second, f.w.second, by) + f.x, by);
}

uint64_t berth_fingerprint_farm(const char *text, size_t size) {
  if (size <= 16) return farm_upto16(text, size);
  if (size <= 32) return farm_upto32(text, size);
  if (size <= 64) return farm_upto64(text, size);
  return farm_long(text, size);
}

// ---- MurmurHash ----

uint64_t berth_fingerprint_murmur(const char *text, size_t size) {
  const uint64_t by = 0xc6a4a7935bd1e995, seed = 0xDECAFCAFFE;
  uint64_t hash = seed ^ size * by;
  for (; size >= 8; size -= 8, text += 8) {
    hash = (hash ^ mix(load64(text) * by) * by) * by;
  }
  if (size > 0) {
    for (size_t i = size; i-- > 0;) {
      hash ^= (uint64_t)(unsigned char)text[i] << (8 * i);
    }
    hash *= by;
  }
  return mix(mix(hash) * by);
}

// ---- SipHash ----

static void sip_rounds(uint64_t v[4], int rounds) {
  for (int i = 0; i < rounds; ++i) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 64 - 13) ^ v[0];
    v[3] = rotate(v[3], 64 - 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 64 - 17) ^ v[2];
    v[3] = rotate(v[3], 64 - 21) ^ v[0];
    v[2] = rotate(v[2], 32);
  }
}

uint64_t berth_fingerprint_sip(const char *text, size_t size,
                               const uint64_t key[2]) {
  uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
                   key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
  uint64_t last = (uint64_t)size << 56;
  for (; size >= 8; size -= 8, text += 8) {
    uint64_t word = load64(text);
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
  }
  for (size_t i = 0; i < size; ++i) {
    last |= (uint64_t)(unsigned char)text[i] << (8 * i);
  }
  v[3] ^= last;
  sip_rounds(v, 2);
  v[0] ^= last;
  v[2] ^= 0xff;
  sip_rounds(v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint64_t mix_down(uint64_t value) { return value ^ (value >> 47); }

uint64_t berth_fingerprint_join(uint64_t first, uint64_t second) {
  const uint64_t by = UINT64_C(0xc6a4a7935bd1e995);
  uint64_t hash = (first ^ by) ^ mix_down(second * by) * by;
  return mix_down(mix_down(hash * by) * by);
}
