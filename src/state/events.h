// events.h - Files of events, as TensorBoard reads them.
//
// An event has a time, a step and what happened; a file is a row of them, as
// records. It is made when it is opened, in a folder that is made, too. Events
// are gathered until there are many, or the last ones were handed to the system
// long ago.
//
// Thread-safe.
#ifndef BERTH_STATE_EVENTS_H_
#define BERTH_STATE_EVENTS_H_

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "state/resource.h"

typedef struct berth_events berth_events_t;

// Where events go, and when.
typedef struct berth_events_options {
  const char *folder;
  const char *suffix;  // Of the file's name.
  int64_t most;        // Events that are gathered.
  int64_t millis;      // Time between two hand-overs.
} berth_events_options_t;

// What an event holds: numbers of fields of tensorflow.Event.
enum { BERTH_EVENT_GRAPH = 4, BERTH_EVENT_SUMMARY = 5 };

// Makes one without a file; the caller owns one reference. |name| is what
// messages call it.
BERTH_NODISCARD berth_code_t berth_events_create(
    const char *name, berth_resource_t **out_resource, berth_error_t *err);

// Begins the file; one that is there already goes on. Fails with what the
// system says.
BERTH_NODISCARD berth_code_t
berth_events_open(berth_events_t *events, const berth_events_options_t *options,
                  berth_error_t *err);

// Adds an event of |size| bytes in |field|. Fails with BERTH_NOT_FOUND when
// there is no file, and with what the system says.
BERTH_NODISCARD berth_code_t berth_events_write(berth_events_t *events,
                                                int64_t step, int field,
                                                const void *bytes, size_t size,
                                                berth_error_t *err);

// Adds an event as it is. Fails as berth_events_write() does.
BERTH_NODISCARD berth_code_t berth_events_import(berth_events_t *events,
                                                 const void *event, size_t size,
                                                 berth_error_t *err);

// Hands events over to the system, or ends the file. Fail as
// berth_events_write() does.
BERTH_NODISCARD berth_code_t berth_events_flush(berth_events_t *events,
                                                berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_events_close(berth_events_t *events,
                                                berth_error_t *err);

#endif  // BERTH_STATE_EVENTS_H_
