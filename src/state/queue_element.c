// queue_element.c - The elements of queues: the ring, and batches of them.
#include <string.h>

#include "base/alloc.h"
#include "state/queue_internal.h"

// ---- The ring ----

static berth_tensor_t **ring_slot(const berth_queue_t *queue, int64_t index) {
  int64_t slot = queue->head + index;
  if (slot >= queue->ring_capacity) slot -= queue->ring_capacity;
  return queue->ring + slot * queue->component_count;
}

bool berth_ring_reserve(berth_queue_t *queue, int64_t elements) {
  if (elements <= queue->ring_capacity) return true;
  int64_t capacity = queue->ring_capacity > 0 ? 2 * queue->ring_capacity : 8;
  if (capacity < elements) capacity = elements;
  size_t bytes = sizeof(berth_tensor_t *) * (size_t)queue->component_count;
  berth_tensor_t **ring = berth_calloc((size_t)capacity, bytes);
  if (ring == NULL) return false;
  for (int64_t i = 0; i < queue->size; ++i) {
    memcpy(ring + i * queue->component_count, ring_slot(queue, i), bytes);
  }
  berth_free(queue->ring);
  queue->ring = ring;
  queue->ring_capacity = capacity;
  queue->head = 0;
  return true;
}

static void copy_pointers(const berth_queue_t *queue, berth_tensor_t **to,
                          berth_tensor_t *const *from) {
  for (int i = 0; i < queue->component_count; ++i) to[i] = from[i];
}

// Returns the priority of an element.
static int64_t priority_of(berth_tensor_t *const *element) {
  return *(const int64_t *)element[0]->data;
}

void berth_ring_push(berth_queue_t *queue, berth_tensor_t *const *element) {
  int64_t place = queue->size++;
  if (queue->is_ordered) {
    int64_t own = priority_of(element);
    for (; place > 0; --place) {
      berth_tensor_t **before = ring_slot(queue, place - 1);
      if (priority_of(before) <= own) break;
      copy_pointers(queue, ring_slot(queue, place), before);
    }
  }
  copy_pointers(queue, ring_slot(queue, place), element);
}

static void push_front(berth_queue_t *queue, berth_tensor_t *const *element) {
  queue->head = (queue->head > 0 ? queue->head : queue->ring_capacity) - 1;
  ++queue->size;
  copy_pointers(queue, ring_slot(queue, 0), element);
}

void berth_ring_return(berth_queue_t *queue, berth_tensor_t *const *element) {
  if (queue->is_shuffled) {
    berth_ring_push(queue, element);
  } else {
    push_front(queue, element);
  }
}

static uint32_t next_word(berth_queue_t *queue) {
  if (queue->word_count == 0) {
    berth_philox_next(&queue->philox, queue->words);
    queue->word_count = 4;
  }
  return queue->words[4 - queue->word_count--];
}

// The last element takes the place of the one that goes.
static void take_any(berth_queue_t *queue, berth_tensor_t **element) {
  int64_t index = next_word(queue) % queue->size;
  berth_tensor_t **slot = ring_slot(queue, index);
  copy_pointers(queue, element, slot);
  copy_pointers(queue, slot, ring_slot(queue, --queue->size));
}

void berth_ring_take(berth_queue_t *queue, berth_tensor_t **element) {
  if (queue->is_shuffled) {
    take_any(queue, element);
    return;
  }
  copy_pointers(queue, element, ring_slot(queue, 0));
  if (++queue->head == queue->ring_capacity) queue->head = 0;
  --queue->size;
}

void berth_ring_show(const berth_queue_t *queue, int64_t index,
                     berth_tensor_t **element) {
  copy_pointers(queue, element, ring_slot(queue, index));
  for (int i = 0; i < queue->component_count; ++i) {
    (void)berth_tensor_retain(element[i]);
  }
}

int64_t berth_ring_ready(const berth_queue_t *queue) {
  return queue->is_closed ? queue->size : queue->size - queue->spared;
}

// ---- What a waiter holds ----

bool berth_items_reserve(berth_queue_waiter_t *waiter, int64_t elements) {
  enum { FEW = sizeof(waiter->few_items) / sizeof(waiter->few_items[0]) };
  int64_t stride = waiter->queue->component_count;
  if (elements <= waiter->item_capacity) return true;
  if (waiter->items == NULL && elements * stride <= FEW) {
    waiter->items = waiter->few_items;
    waiter->item_capacity = FEW / stride;
    return true;
  }
  int64_t capacity = 2 * waiter->item_capacity;
  if (capacity < elements) capacity = elements;
  bool is_few = waiter->items == waiter->few_items;
  berth_tensor_t **items =
      berth_realloc(is_few ? NULL : waiter->items, (size_t)capacity,
                    sizeof(berth_tensor_t *) * (size_t)stride);
  if (items == NULL) return false;
  if (is_few) memcpy(items, waiter->few_items, sizeof(waiter->few_items));
  waiter->items = items;
  waiter->item_capacity = capacity;
  return true;
}

void berth_items_clear(berth_queue_waiter_t *waiter) {
  int64_t count = waiter->item_count * waiter->queue->component_count;
  for (int64_t i = 0; i < count; ++i) berth_tensor_release(waiter->items[i]);
  if (waiter->items != waiter->few_items) berth_free(waiter->items);
  waiter->items = NULL;
  waiter->item_count = waiter->item_capacity = 0;
}

// ---- Batches ----

berth_code_t berth_batch_split(const berth_queue_t *queue,
                               berth_tensor_t *const *tensors, int64_t index,
                               berth_tensor_t **element, berth_error_t *err) {
  int made = 0;
  berth_code_t code = BERTH_OK;
  for (; made < queue->component_count; ++made) {
    const berth_tensor_t *batch = tensors[made];
    int64_t count = batch->count / batch->dims[0];
    code = berth_tensor_make(NULL, batch->dtype, batch->rank - 1,
                             batch->dims + 1, count, &element[made], err);
    if (code != BERTH_OK) break;
    size_t bytes = (size_t)count * berth_dtype_size(batch->dtype);
    const char *from = (const char *)batch->data + (size_t)index * bytes;
    if (!berth_elements_copy(batch->dtype, element[made]->data, from, count)) {
      berth_tensor_release(element[made]);
      code = berth_error_no_memory(err, "an element of a queue");
      break;
    }
  }
  if (code == BERTH_OK) return BERTH_OK;
  while (made-- > 0) berth_tensor_release(element[made]);
  return code;
}

// Returns the shape that every item of |component| fits in: its own, or of a
// padded queue the largest sizes there are.
static berth_shape_t item_shape(const berth_queue_t *queue,
                                const berth_queue_waiter_t *waiter,
                                int component) {
  berth_shape_t shape = queue->shapes[component];
  for (int d = 0; queue->is_padded && d < shape.rank; ++d) {
    if (shape.dims[d] >= 0) continue;
    shape.dims[d] = 0;
    for (int64_t i = 0; i < waiter->item_count; ++i) {
      const berth_tensor_t *item =
          waiter->items[i * queue->component_count + component];
      if (item->dims[d] > shape.dims[d]) shape.dims[d] = item->dims[d];
    }
  }
  return shape;
}

// Copies |item| into the corner of |shape| at |to|, row by row; false when
// memory is short.
static bool item_copy(const berth_tensor_t *item, const berth_shape_t *shape,
                      char *to) {
  size_t size = berth_dtype_size(item->dtype);
  int last = item->rank - 1;
  int64_t index[BERTH_MAX_RANK] = {0};
  int64_t row = last < 0 ? 1 : item->dims[last];
  for (int64_t done = 0; done < item->count; done += row) {
    int64_t offset = 0;
    for (int d = 0; d <= last; ++d) {
      offset = offset * shape->dims[d] + (d < last ? index[d] : 0);
    }
    if (!berth_elements_copy(item->dtype, to + (size_t)offset * size,
                             (const char *)item->data + (size_t)done * size,
                             row)) {
      return false;
    }
    for (int d = last - 1; d >= 0 && ++index[d] == item->dims[d]; --d) {
      index[d] = 0;
    }
  }
  return true;
}

// Makes the batch of |component| out of the items of |waiter|.
static berth_code_t join_component(const berth_queue_t *queue,
                                   const berth_queue_waiter_t *waiter,
                                   int component, berth_tensor_t **out_batch,
                                   berth_error_t *err) {
  berth_shape_t shape = item_shape(queue, waiter, component);
  berth_dtype_t dtype = queue->types[component];
  berth_shape_t batch_shape = {.rank = shape.rank + 1,
                               .dims = {waiter->item_count}};
  if (shape.rank == BERTH_MAX_RANK) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "Too many dimensions");
  }
  memcpy(batch_shape.dims + 1, shape.dims,
         (size_t)shape.rank * sizeof(int64_t));
  berth_tensor_t *batch = NULL;
  BERTH_TRY(
      berth_tensor_create(dtype, berth_shape_dims(&batch_shape), &batch, err));
  int64_t count = berth_dims_count(berth_shape_dims(&shape));
  size_t bytes = (size_t)count * berth_dtype_size(dtype);
  if (queue->is_padded && dtype != BERTH_STRING && batch->count > 0) {
    memset(batch->data, 0, bytes * (size_t)waiter->item_count);
  }
  for (int64_t i = 0; i < waiter->item_count; ++i) {
    const berth_tensor_t *item =
        waiter->items[i * queue->component_count + component];
    char *to = (char *)batch->data + (size_t)i * bytes;
    bool is_whole = item->count == count;
    if (!(is_whole ? berth_elements_copy(dtype, to, item->data, count)
                   : item_copy(item, &shape, to))) {
      berth_tensor_release(batch);
      return berth_error_no_memory(err, "a batch of a queue");
    }
  }
  *out_batch = batch;
  return BERTH_OK;
}

berth_code_t berth_batch_join(const berth_queue_t *queue,
                              berth_queue_waiter_t *waiter,
                              berth_error_t *err) {
  int stride = queue->component_count;
  if (!berth_items_reserve(waiter, 1)) {
    return berth_error_no_memory(err, "a batch of a queue");
  }
  for (int j = 0; j < stride; ++j) {
    berth_tensor_t *batch = NULL;
    BERTH_TRY(join_component(queue, waiter, j, &batch, err));
    for (int64_t i = 0; i < waiter->item_count; ++i) {
      berth_tensor_release(waiter->items[i * stride + j]);
      waiter->items[i * stride + j] = NULL;
    }
    waiter->items[j] = batch;
  }
  // What is left beyond the first element is NULL.
  waiter->item_count = 1;
  return BERTH_OK;
}
