// card.c - Figures of cards that people have.
//
// Memory is what the driver reports, a little less than what is on the box.
#include "softgpu/card.h"

#include <stdbool.h>
#include <stdio.h>
#include <strings.h>

#include "base/compiler.h"

static const berth_soft_model_t models[] = {
    {"Tesla K20m", "K20m", 4799, 3, 5, 13, 706},
    {"Tesla K40c", "K40c", 11439, 3, 5, 15, 745},
    {"Tesla K80", "K80", 11441, 3, 7, 13, 824},
    {"GeForce GTX TITAN X", "TITAN X", 12207, 5, 2, 24, 1076},
    {"GeForce GTX 1080 Ti", "GTX 1080 Ti", 11178, 6, 1, 28, 1582},
    {"Tesla P100-PCIE-16GB", "P100", 16280, 6, 0, 56, 1329},
    {"Tesla V100-SXM2-16GB", "V100", 16160, 7, 0, 80, 1530},
    {"Tesla T4", "T4", 15109, 7, 5, 40, 1590},
    {"NVIDIA A100-SXM4-40GB", "A100", 40536, 8, 0, 108, 1410},
    {"NVIDIA A100-SXM4-80GB", "A100 80GB", 81251, 8, 0, 108, 1410},
    {"NVIDIA A10G", "A10G", 22731, 8, 6, 80, 1710},
    {"NVIDIA GeForce RTX 3090", "RTX 3090", 24259, 8, 6, 82, 1695},
    {"NVIDIA GeForce RTX 4090", "RTX 4090", 24209, 8, 9, 128, 2520},
    {"NVIDIA L4", "L4", 22700, 8, 9, 58, 2040},
    {"NVIDIA H100 80GB HBM3", "H100", 81090, 9, 0, 132, 1980},
    {"NVIDIA H200", "H200", 143156, 9, 0, 132, 1980},
    {"NVIDIA B200", "B200", 182642, 10, 0, 148, 1965},
};

const berth_soft_model_t *berth_soft_model_find(const char *name) {
  for (int i = 0; i < BERTH_COUNT_OF(models); ++i) {
    if (strcasecmp(name, models[i].name) == 0 ||
        strcasecmp(name, models[i].alias) == 0) {
      return &models[i];
    }
  }
  return NULL;
}

const berth_soft_model_t *berth_soft_model_at(int index) {
  return index < BERTH_COUNT_OF(models) ? &models[index] : NULL;
}

// Arithmetic units of one multiprocessor.
static int units(const berth_soft_card_t *card) {
  if (card->major == 3) return 192;
  bool is_narrow = card->minor == 0 && (card->major == 6 || card->major == 8);
  return is_narrow || card->major == 7 ? 64 : 128;
}

uint64_t berth_soft_card_speed(const berth_soft_card_t *card) {
  return (uint64_t)units(card) * (uint64_t)card->multiprocessors *
         (uint64_t)card->clock_mhz;
}

void berth_soft_card_uuid_text(const berth_soft_card_t *card, char text[41]) {
  const unsigned char *u = card->uuid;
  snprintf(text, 41,
           "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
           "%02x%02x%02x%02x%02x%02x",
           u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10],
           u[11], u[12], u[13], u[14], u[15]);
}
