// meeting.c - Steps that begin together: the last one to come does the work.
#include "kernel/meeting.h"

#include <string.h>

#include "base/alloc.h"
#include "base/fork.h"
#include "device/device.h"

struct berth_meeting {
  berth_topic_t topic;  // Its key is the meeting's own.
  berth_guest_t *guests;
  int count;
  berth_meeting_t *next;
};

_Static_assert(sizeof(berth_guest_t) <=
                   sizeof(((berth_completion_t *)NULL)->storage),
               "a guest must fit its completion");

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards all meetings.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LEAF)
static berth_meeting_t *meetings = NULL;  // Those that are not complete.

// ---- Guests ----

static berth_guest_t *guest_of(berth_completion_t *completion) {
  return (berth_guest_t *)(void *)completion->storage;
}

// Makes what is queued on the step's stream from now on come after the
// collective.
static berth_code_t guest_follow(berth_guest_t *guest, berth_error_t *err) {
  if (guest->is_over_awaited || guest->over == NULL) return BERTH_OK;
  guest->is_over_awaited = true;
  const berth_stream_ops_t *ops = guest->stream->device->backend->streams;
  return ops->wait(guest->stream, guest->over, err);
}

static berth_code_t guest_taken(berth_completion_t *completion,
                                berth_error_t *err) {
  return guest_follow(guest_of(completion), err);
}

// Memory that the collective may still use goes back to its pool here: whoever
// gets it next comes later on the same stream.
static void guest_deinit(berth_guest_t *guest) {
  (void)guest_follow(guest, NULL);
  if (guest->stream != NULL) {
    const berth_stream_ops_t *ops = guest->stream->device->backend->streams;
    ops->event_destroy(guest->ready);
    ops->event_destroy(guest->over);
  }
  berth_tensor_release(guest->input);
  berth_tensor_release(guest->output);
  memset(guest, 0, sizeof(*guest));
}

static void guest_cleanup(berth_completion_t *completion) {
  guest_deinit(guest_of(completion));
}

// Ends the step of |guest|.
static void guest_done(berth_guest_t *guest, berth_code_t code,
                       const char *text) {
  berth_tensor_t *output = guest->output;
  if (code == BERTH_OK) guest->output = NULL;
  guest->completion->done(guest->completion, code, text, &output);
}

static void guest_cancel(berth_completion_t *completion);

berth_code_t berth_guest_init(berth_call_t *call, berth_tensor_t *input,
                              berth_guest_t **out_guest) {
  if (call->completion == NULL) {
    return berth_error_set(call->err, BERTH_INTERNAL,
                           "%s was run without a completion", call->node->name);
  }
  berth_guest_t *guest = guest_of(call->completion);
  *guest = (berth_guest_t){
      .completion = call->completion,
      .input = input != NULL ? berth_tensor_retain(input) : NULL,
      .stream = call->stream};
  call->completion->cancel = guest_cancel;
  call->completion->taken = guest_taken;
  call->completion->cleanup = guest_cleanup;
  *out_guest = guest;
  return BERTH_OK;
}

// ---- Meetings; the lock is held ----

static bool is_about(const berth_meeting_t *meeting,
                     const berth_topic_t *topic) {
  return meeting->topic.run == topic->run &&
         strcmp(meeting->topic.key, topic->key) == 0;
}

static void meeting_free(berth_meeting_t *meeting) {
  berth_free((char *)meeting->topic.key);
  berth_free(meeting);
}

// Finds the meeting about |topic|, or makes it; NULL when memory is short.
static berth_meeting_t *meeting_get(const berth_topic_t *topic) {
  for (berth_meeting_t *m = meetings; m != NULL; m = m->next) {
    if (is_about(m, topic)) return m;
  }
  berth_meeting_t *made = berth_calloc(1, sizeof(*made));
  char *key = berth_strdup(topic->key);
  if (made == NULL || key == NULL) {
    berth_free(made);
    berth_free(key);
    return NULL;
  }
  made->topic = *topic;
  made->topic.key = key;
  made->next = meetings;
  meetings = made;
  return made;
}

// Takes |meeting| off the list: its guests are in none any more.
static void meeting_close(berth_meeting_t *meeting) {
  berth_meeting_t **link = &meetings;
  while (*link != meeting) link = &(*link)->next;
  *link = meeting->next;
  for (berth_guest_t *g = meeting->guests; g != NULL; g = g->next) {
    g->meeting = NULL;
  }
}

static berth_code_t check_topic(const berth_meeting_t *meeting,
                                const berth_topic_t *topic,
                                berth_error_t *err) {
  const berth_topic_t *has = &meeting->topic;
  if (has->size == topic->size && has->dtype == topic->dtype &&
      strcmp(has->what, topic->what) == 0 &&
      strcmp(has->how, topic->how) == 0) {
    return BERTH_OK;
  }
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "%s of %d values of type %s (%s) cannot be joined by %s of %d values of "
      "type %s (%s): both are called %s",
      has->what, has->size, berth_dtype_name(has->dtype), has->how, topic->what,
      topic->size, berth_dtype_name(topic->dtype), topic->how, topic->key);
}

// ---- Ending ----

// Ends all steps of |meeting|, which is closed, and frees it.
static void meeting_end(berth_meeting_t *meeting, berth_code_t code,
                        const char *text) {
  berth_guest_t *guest = meeting->guests;
  while (guest != NULL) {
    berth_guest_t *next = guest->next;  // |guest| is gone when it is done.
    guest_done(guest, code, text);
    guest = next;
  }
  meeting_free(meeting);
}

static void guest_cancel(berth_completion_t *completion) {
  berth_guest_t *guest = guest_of(completion);
  berth_mutex_lock(&lock);
  berth_meeting_t *meeting = guest->meeting;
  if (meeting != NULL) meeting_close(meeting);
  berth_mutex_unlock(&lock);
  // I1: without a meeting it is done, or about to be.
  if (meeting == NULL) return;
  meeting_end(meeting, BERTH_CANCELLED, "the collective was cancelled");
}

// The name of the device, for the order among guests.
static const char *place_of(const berth_guest_t *guest) {
  return guest->stream != NULL ? berth_device_full_name(guest->stream->device)
                               : "";
}

// Lists the guests by the names of their devices; those of the host as they
// have come.
static void guests_sort(const berth_meeting_t *meeting, berth_guest_t **list) {
  int count = 0;
  for (berth_guest_t *g = meeting->guests; g != NULL; g = g->next) {
    int at = count++;
    for (; at > 0 && strcmp(place_of(list[at - 1]), place_of(g)) > 0; --at) {
      list[at] = list[at - 1];
    }
    list[at] = g;
  }
}

static void meeting_hold(berth_meeting_t *meeting, berth_hold_fn hold) {
  berth_guest_t *list[BERTH_MEETING_MOST];
  berth_error_t err = BERTH_ERROR_INIT;
  guests_sort(meeting, list);
  berth_code_t code = hold(&meeting->topic, list, meeting->count, &err);
  meeting_end(meeting, code, berth_error_message(&err));
  berth_error_clear(&err);
}

// Puts |guest| behind the others; the lock is held.
static void guest_add(berth_meeting_t *meeting, berth_guest_t *guest) {
  berth_guest_t **link = &meeting->guests;
  while (*link != NULL) link = &(*link)->next;
  *link = guest;
  guest->meeting = meeting;
  ++meeting->count;
}

berth_code_t berth_meeting_join(const berth_topic_t *topic,
                                berth_guest_t *guest, berth_hold_fn hold,
                                berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  bool is_complete = false;
  if (topic->size < 1 || topic->size > BERTH_MEETING_MOST) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s among %d devices: 1 to %d are possible",
                           topic->what, topic->size, BERTH_MEETING_MOST);
  }
  berth_mutex_lock(&lock);
  berth_meeting_t *meeting = meeting_get(topic);
  code = meeting == NULL ? berth_error_no_memory(err, "a collective")
                         : check_topic(meeting, topic, err);
  if (code == BERTH_OK) {
    guest_add(meeting, guest);
    is_complete = meeting->count == topic->size;
    if (is_complete) meeting_close(meeting);
  }
  berth_mutex_unlock(&lock);
  if (code != BERTH_OK) return code;
  if (is_complete) meeting_hold(meeting, hold);
  return BERTH_PENDING;
}
