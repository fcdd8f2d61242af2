// copies.cu - Copies within a card, several at once.
#include "cuda/ops/copies_params.h"
#include "cuda/ops/elementwise.cuh"

BERTH_KERNEL(berth_copies, berth_copies_params_t) {
  for (uint64_t c = 0; c < p.count; ++c) {
    const berth_copies_one_t one = p.at[c];
    const uint64_t places = (uint64_t)one.to | (uint64_t)one.from;
    const uint64_t packs = places % 16 == 0 ? one.size / 16 : 0;
    BERTH_EACH(i, packs) {
      uint32_t words[4];
      berth_read_words(words, one.from + i * 16, 16);
      berth_write_words(one.to + i * 16, words, 16);
    }
    BERTH_EACH(i, one.size - packs * 16) {
      one.to[packs * 16 + i] = one.from[packs * 16 + i];
    }
  }
}
