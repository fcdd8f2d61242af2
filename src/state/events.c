// events.c - Files of events, as TensorBoard reads them.
#include "state/events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "berth/record.h"
#include "io/folder.h"
#include "io/input.h"
#include "io/message.h"

// Fields of tensorflow.Event, and of SourceMetadata.
enum { TIME = 1, STEP = 2, VERSION = 3, SOURCE = 10, WRITER = 1 };

struct berth_events {
  berth_resource_t resource;  // First.
  char *name;
  berth_mutex_t lock;           // Guards what follows.
  berth_record_writer_t *file;  // Owned; NULL: there is none.
  int64_t most, millis;
  int64_t gathered;  // Events since the last hand-over.
  int64_t handed;    // When that was, in nanoseconds.
};

static void events_destroy(berth_resource_t *resource) {
  berth_events_t *events = (berth_events_t *)resource;
  // What fails now fails with nobody to hear of it.
  if (berth_record_writer_close(events->file, NULL) != BERTH_OK) {
    berth_log(BERTH_LOG_WARNING, "events.c", __LINE__,
              "Events of %s could not be written to their file", events->name);
  }
  berth_mutex_deinit(&events->lock);
  berth_free(events->name);
  berth_free(events);
}

berth_code_t berth_events_create(const char *name,
                                 berth_resource_t **out_resource,
                                 berth_error_t *err) {
  berth_events_t *events = berth_calloc(1, sizeof(*events));
  if (events == NULL) return berth_error_no_memory(err, "a file of events");
  events->name = berth_strdup(name);
  if (events->name == NULL) {
    berth_free(events);
    return berth_error_no_memory(err, "a file of events");
  }
  atomic_init(&events->resource.refs, 1);
  events->resource.kind = BERTH_RESOURCE_EVENTS;
  events->resource.destroy = events_destroy;
  berth_mutex_init(&events->lock);
  *out_resource = &events->resource;
  return BERTH_OK;
}

// ---- Opening ----

static void put_version(berth_str_t *event) {
  static const char version[] = "brain.Event:2";
  static const char writer[] = "berth";
  berth_str_t source = {0};
  berth_field_double(event, TIME, (double)(berth_wall_us() / 1000000));
  berth_field_text(event, VERSION, version, sizeof(version) - 1);
  berth_field_text(&source, WRITER, writer, sizeof(writer) - 1);
  berth_field_message(event, SOURCE, &source);
}

// Appends the path of file number |number| of this process.
static void put_path(const berth_events_options_t *options, int number,
                     berth_str_t *path) {
  char host[256] = "";
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  path->size = 0;
  berth_str_puts(path, options->folder);
  if (path->size == 0 || path->text[path->size - 1] != '/') {
    berth_str_putc(path, '/');
  }
  berth_str_printf(path, "events.out.tfevents.%010lld.%s.%lld.%d%s%s",
                   (long long)(berth_wall_us() / 1000000), host,
                   (long long)getpid(), number,
                   options->suffix[0] == '.' ? "" : ".", options->suffix);
}

// Makes an empty file that was not there, and stores its path.
static berth_code_t make_file(const berth_events_options_t *options,
                              berth_str_t *path, berth_error_t *err) {
  for (int number = 0;; ++number) {
    put_path(options, number, path);
    if (!berth_str_ok(path)) return berth_error_no_memory(err, "a path");
    int failed = berth_folders_make(path->text);
    if (failed != 0) return berth_input_error(err, path->text, failed);
    int file = open(path->text, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file >= 0) {
      (void)close(file);
      return BERTH_OK;
    }
    if (errno != EEXIST) return berth_input_error(err, path->text, errno);
  }
}

static berth_code_t open_file(berth_events_t *events,
                              const berth_events_options_t *options,
                              berth_str_t *path, berth_error_t *err) {
  BERTH_TRY(make_file(options, path, err));
  BERTH_TRY(berth_record_writer_open(path->text, NULL, &events->file, err));
  berth_str_t event = {0};
  put_version(&event);
  berth_code_t code =
      berth_record_write(events->file, berth_str_get(&event), event.size, err);
  if (code == BERTH_OK) code = berth_record_writer_flush(events->file, err);
  berth_str_clear(&event);
  return code;
}

berth_code_t berth_events_open(berth_events_t *events,
                               const berth_events_options_t *options,
                               berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&events->lock);
  if (events->file == NULL) {
    berth_str_t path = {0};
    events->most = options->most;
    events->millis = options->millis;
    events->gathered = 0;
    events->handed = berth_now_ns();
    code = open_file(events, options, &path, err);
    berth_str_clear(&path);
  }
  berth_mutex_unlock(&events->lock);
  return code;
}

// ---- Use ----

static berth_code_t fail_closed(const berth_events_t *events,
                                berth_error_t *err) {
  return berth_error_set(err, BERTH_NOT_FOUND,
                         "Resource localhost/%s/N10tensorflow22SummaryWriter"
                         "InterfaceE does not exist.",
                         events->name);
}

// Hands over what was gathered. The lock is held.
static berth_code_t hand_over(berth_events_t *events, berth_error_t *err) {
  events->gathered = 0;
  events->handed = berth_now_ns();
  return berth_record_writer_flush(events->file, err);
}

static berth_code_t add(berth_events_t *events, const void *event, size_t size,
                        berth_error_t *err) {
  if (events->file == NULL) return fail_closed(events, err);
  BERTH_TRY(berth_record_write(events->file, event, size, err));
  ++events->gathered;
  bool is_due = events->gathered > events->most ||
                berth_now_ns() - events->handed > events->millis * 1000000;
  return is_due ? hand_over(events, err) : BERTH_OK;
}

berth_code_t berth_events_import(berth_events_t *events, const void *event,
                                 size_t size, berth_error_t *err) {
  berth_mutex_lock(&events->lock);
  berth_code_t code = add(events, event, size, err);
  berth_mutex_unlock(&events->lock);
  return code;
}

berth_code_t berth_events_write(berth_events_t *events, int64_t step, int field,
                                const void *bytes, size_t size,
                                berth_error_t *err) {
  berth_str_t event = {0};
  berth_field_double(&event, TIME, (double)berth_wall_us() / 1e6);
  berth_field_number(&event, STEP, step);
  berth_field_bytes(&event, field, bytes, size);
  berth_code_t code =
      berth_str_ok(&event)
          ? berth_events_import(events, berth_str_get(&event), event.size, err)
          : berth_error_no_memory(err, "an event");
  berth_str_clear(&event);
  return code;
}

berth_code_t berth_events_flush(berth_events_t *events, berth_error_t *err) {
  berth_mutex_lock(&events->lock);
  berth_code_t code =
      events->file != NULL ? hand_over(events, err) : fail_closed(events, err);
  berth_mutex_unlock(&events->lock);
  return code;
}

berth_code_t berth_events_close(berth_events_t *events, berth_error_t *err) {
  berth_mutex_lock(&events->lock);
  berth_record_writer_t *file = events->file;
  events->file = NULL;
  berth_code_t code = file != NULL ? berth_record_writer_close(file, err)
                                   : fail_closed(events, err);
  berth_mutex_unlock(&events->lock);
  return code;
}
