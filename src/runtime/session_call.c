// session_call.c - Runs of a session, and calls of a context's.
//
// A session's feeds and fetches are the host's. In the session of an eager
// context both stay where they are: a program is for feeds in certain memories,
// as it is for certain feeds, and a call looks where its feeds are.
#include "base/alloc.h"
#include "device/registry.h"
#include "exec/copy.h"
#include "runtime/session_internal.h"

// Stores the space of |tensor|, number |index| of the feeds.
static berth_code_t space_of(const berth_session_t *session,
                             const berth_tensor_t *tensor, int index,
                             int16_t *out_space, berth_error_t *err) {
  *out_space = BERTH_HOST_SPACE;
  // berth_run() says what is wrong with a feed that is missing.
  if (tensor == NULL || tensor->device == NULL) return BERTH_OK;
  for (int i = 0; i < session->devices.count; ++i) {
    if (session->devices.exec[i].device != tensor->device) continue;
    *out_space = (int16_t)(i + 1);
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Feed %d is on a device that the session has not",
                         index);
}

// Fills |spaces| for |feeds|, and says whether any is not the host's.
static berth_code_t spaces_fill(const berth_session_t *session,
                                berth_tensor_t *const *feeds, int count,
                                int16_t *spaces, bool *out_any,
                                berth_error_t *err) {
  bool any = false;
  for (int i = 0; i < count; ++i) {
    BERTH_TRY(space_of(session, feeds[i], i, &spaces[i], err));
    any |= spaces[i] != BERTH_HOST_SPACE;
  }
  *out_any = any;
  return BERTH_OK;
}

// Finds the program for a call with |feeds|.
static berth_code_t program_for(berth_session_t *session,
                                const berth_signature_t *signature,
                                berth_tensor_t *const *feeds,
                                const berth_run_control_t *control,
                                berth_program_t **out_program,
                                berth_error_t *err) {
  enum { ON_STACK = 64 };
  int16_t few[ON_STACK];
  int16_t *spaces = few;
  int count = signature->feed_count;
  if (count > ON_STACK) {
    spaces = berth_alloc((size_t)count * sizeof(*spaces));
    if (spaces == NULL) return berth_error_no_memory(err, "feeds");
  }
  bool any = false;
  berth_code_t code = spaces_fill(session, feeds, count, spaces, &any, err);
  if (code == BERTH_OK) {
    berth_signature_t call = *signature;
    call.is_call = true;
    call.feed_spaces = any ? spaces : NULL;
    code = berth_session_program(session, &call, control, out_program, err);
  }
  if (spaces != few) berth_free(spaces);
  return code;
}

berth_code_t berth_session_call(berth_session_t *session,
                                const berth_signature_t *signature,
                                berth_tensor_t *const *feeds,
                                berth_tensor_t **results,
                                const berth_run_control_t *control,
                                berth_program_t **out_program,
                                berth_error_t *err) {
  berth_program_t *program = NULL;
  BERTH_TRY(
      session->context == NULL
          ? berth_session_program(session, signature, control, &program, err)
          : program_for(session, signature, feeds, control, &program, err));
  *out_program = program;
  return berth_run(program, feeds, results, control, err);
}

// ---- Wishes about devices ----

// Stores the index of the device called |name|.
static berth_code_t find_device(const berth_session_t *session,
                                const char *name, int *out_index,
                                berth_error_t *err) {
  berth_device_t *found = NULL;
  BERTH_TRY(berth_registry_get(&session->devices.registry, name, &found, err));
  const char *full = berth_device_full_name(found);
  for (int i = 0; i < session->devices.count; ++i) {
    if (strcmp(session->devices.exec[i].name, full) == 0) *out_index = i;
  }
  return BERTH_OK;
}

berth_code_t berth_session_prefer_device(berth_session_t *session,
                                         const char *device,
                                         berth_error_t *err) {
  int index = -1;
  BERTH_TRY(find_device(session, device, &index, err));
  berth_mutex_lock(&session->lock);
  session->preferred_device = index;
  berth_mutex_unlock(&session->lock);
  return BERTH_OK;
}

// Makes room for the pins of |count| nodes. The lock is held.
static bool pins_reserve(berth_session_t *session, int count) {
  if (count <= session->pin_count) return true;
  int16_t *pins =
      berth_realloc(session->pins, (size_t)count, sizeof(*session->pins));
  if (pins == NULL) return false;
  size_t added = (size_t)(count - session->pin_count) * sizeof(*pins);
  memset(pins + session->pin_count, 0xff, added);  // -1
  session->pins = pins;
  session->pin_count = count;
  return true;
}

berth_code_t berth_session_pin(berth_session_t *session, berth_node_id_t node,
                               const char *device, berth_error_t *err) {
  int index = -1, count = berth_graph_node_count(session->graph);
  BERTH_TRY(find_device(session, device, &index, err));
  if (node < 0 || node >= count) {
    return berth_error_set(err, BERTH_NOT_FOUND, "there is no node %d", node);
  }
  berth_mutex_lock(&session->lock);
  bool has_room = pins_reserve(session, count);
  if (has_room) session->pins[node] = (int16_t)index;
  berth_mutex_unlock(&session->lock);
  return has_room ? BERTH_OK : berth_error_no_memory(err, "a placement");
}
