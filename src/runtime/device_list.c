// device_list.c - Listing the devices of the process and asking for their
// memory.
#include "berth/device.h"
#include "device/reclaim.h"
#include "runtime/cards.h"
#include "runtime/process.h"

// What these functions borrow from a device outlives the list it was found in:
// the process object keeps every device it has opened.

berth_code_t berth_device_count(int *out_count, berth_error_t *err) {
  BERTH_GIVEN(out_count, err);
  berth_registry_t all = {0};
  berth_code_t code = berth_process_list(&all, err);
  if (code == BERTH_OK) *out_count = (int)all.count;
  berth_registry_deinit(&all);
  return code;
}

static berth_device_info_t describe(const berth_device_t *device) {
  return (berth_device_info_t){
      .name = berth_device_full_name(device),
      .type = berth_device_type(device),
      .description = device->description,
      .memory_limit = berth_gpu_table_limit(berth_process_gpus(), device),
      .incarnation = device->incarnation};
}

berth_code_t berth_device_query(int index, berth_device_info_t *out_info,
                                berth_error_t *err) {
  BERTH_GIVEN(out_info, err);
  berth_registry_t all = {0};
  berth_code_t code = berth_process_list(&all, err);
  if (code != BERTH_OK) goto done;
  int count = (int)all.count;
  if (index < 0 || index >= count) {
    code = berth_error_set(err, BERTH_OUT_OF_RANGE,
                           "device %d of %d was asked for", index, count);
    goto done;
  }
  *out_info = describe(all.devices[index]);

done:
  berth_registry_deinit(&all);
  return code;
}

static berth_code_t find_device(const char *name, berth_device_t **out_device,
                                berth_error_t *err) {
  berth_registry_t all = {0};
  berth_code_t code = berth_process_list(&all, err);
  if (code == BERTH_OK) code = berth_registry_get(&all, name, out_device, err);
  berth_registry_deinit(&all);
  return code;
}

berth_code_t berth_device_memory_stats(const char *name,
                                       berth_memory_stats_t *out_stats,
                                       berth_error_t *err) {
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(out_stats, err);
  berth_device_t *device = NULL;
  BERTH_TRY(find_device(name, &device, err));
  berth_device_query_memory(device, out_stats);
  return BERTH_OK;
}

berth_code_t berth_device_reset_memory_stats(const char *name,
                                             berth_error_t *err) {
  BERTH_GIVEN(name, err);
  berth_device_t *device = NULL;
  BERTH_TRY(find_device(name, &device, err));
  berth_device_reset_memory(device);
  return BERTH_OK;
}

berth_code_t berth_device_trim_memory(const char *name, uint64_t keep,
                                      uint64_t *out_bytes, berth_error_t *err) {
  BERTH_GIVEN(name, err);
  berth_device_t *device = NULL;
  BERTH_TRY(find_device(name, &device, err));
  // What is kept for the next run of a program is used by nobody, too.
  if (keep == 0 && device->gate != NULL) (void)berth_reclaim(device);
  uint64_t bytes = berth_device_trim(device, keep);
  if (out_bytes != NULL) *out_bytes = bytes;
  return BERTH_OK;
}

berth_code_t berth_device_set_memory_limit(const char *name, uint64_t bytes,
                                           berth_error_t *err) {
  BERTH_GIVEN(name, err);
  berth_device_t *device = NULL;
  BERTH_TRY(find_device(name, &device, err));
  return berth_gpu_table_set_limit(berth_process_gpus(), device, bytes, err);
}

berth_code_t berth_device_set_memory_growth(const char *name, bool growth,
                                            berth_error_t *err) {
  BERTH_GIVEN(name, err);
  berth_device_t *device = NULL;
  BERTH_TRY(find_device(name, &device, err));
  return berth_gpu_table_set_growth(berth_process_gpus(), device, growth, err);
}

berth_code_t berth_device_card(const char *name, int *out_card,
                               berth_error_t *err) {
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(out_card, err);
  berth_device_t *device = NULL;
  BERTH_TRY(find_device(name, &device, err));
  int card = berth_cards_of(device);
  if (card < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s does not live on a card", name);
  }
  *out_card = card;
  return BERTH_OK;
}

berth_code_t berth_device_release_memory(const char *name, berth_error_t *err) {
  BERTH_GIVEN(name, err);
  int card = 0;
  BERTH_TRY(berth_device_card(name, &card, err));
  return berth_cards_reset(card, true, err);
}

berth_code_t berth_device_reset(const char *name, berth_error_t *err) {
  BERTH_GIVEN(name, err);
  int card = 0;
  BERTH_TRY(berth_device_card(name, &card, err));
  return berth_cards_reset(card, false, err);
}
