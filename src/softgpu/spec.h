// spec.h - Reading which cards to simulate.
//
//   spec   card [';' card]…
//   card   name ['*' count] ['@' pci [',' pci]…] [setting]…
//   setting  'memory=' size | 'cc=' major '.' minor
//
// For example "Tesla K20m*2@0000:02:00.0,0000:03:00.0; My card memory=12GiB
// cc=8.6". A known name brings its memory and capability, which settings
// override; any other name needs both. Cards without a PCI id get the first
// free one from 0000:01:00.0 on.
#ifndef BERTH_SOFTGPU_SPEC_H_
#define BERTH_SOFTGPU_SPEC_H_

#include "base/error.h"
#include "softgpu/card.h"

// Reads |spec| into |*out_cards|, in the order of their PCI ids.
//
// Fails with BERTH_INVALID_ARGUMENT and says which card is wrong and how a
// right one looks; |*out_cards| is then undefined.
BERTH_NODISCARD berth_code_t berth_soft_spec_parse(
    const char *spec, berth_soft_cards_t *out_cards, berth_error_t *err);

#endif  // BERTH_SOFTGPU_SPEC_H_
