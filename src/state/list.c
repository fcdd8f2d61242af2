// list.c - Lists of tensors, as values.
#include "state/list.h"

#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"

enum { BITS = 4, WIDTH = 1 << BITS };

// Children are nodes, and tensors where the height is 0.
typedef struct tree_node {
  atomic_int refs;
  void *children[WIDTH];
} tree_node_t;

struct berth_list {
  berth_resource_t resource;  // First.
  berth_dtype_t dtype;
  int64_t most;
  int64_t count;
  int height;  // Of |root|: it has room for WIDTH to the power of one more.
  tree_node_t *root;
  berth_list_t *next;  // Of those that are to be freed.
  berth_dims_t shape;  // Of elements; its dimensions follow.
  int64_t dims[];
};

// ---- Trees ----

static int64_t room_of(int height) {
  return (int64_t)1 << (BITS * (height + 1));
}

static int place_at(int64_t index, int height) {
  return (int)(index >> (BITS * height)) & (WIDTH - 1);
}

static void child_retain(void *child, int height) {
  if (child == NULL) return;
  if (height == 0) {
    berth_tensor_retain(child);
  } else {
    atomic_fetch_add_explicit(&((tree_node_t *)child)->refs, 1,
                              memory_order_relaxed);
  }
}

static void node_release(tree_node_t *node, int height);

static void child_release(void *child, int height) {
  if (height == 0) {
    berth_tensor_release(child);
  } else {
    node_release(child, height - 1);
  }
}

static void node_release(tree_node_t *node, int height) {
  if (node == NULL ||
      atomic_fetch_sub_explicit(&node->refs, 1, memory_order_acq_rel) != 1) {
    return;
  }
  for (int i = 0; i < WIDTH; ++i) child_release(node->children[i], height);
  berth_free(node);
}

// Makes the node at |*link| one that only this list holds. False when memory is
// short. I1
static bool node_own(tree_node_t **link, int height) {
  tree_node_t *old = *link;
  if (old != NULL &&
      atomic_load_explicit(&old->refs, memory_order_acquire) == 1) {
    return true;
  }
  tree_node_t *made = berth_calloc(1, sizeof(*made));
  if (made == NULL) return false;
  atomic_init(&made->refs, 1);
  if (old != NULL) {
    memcpy(made->children, old->children, sizeof(made->children));
    for (int i = 0; i < WIDTH; ++i) child_retain(made->children[i], height);
  }
  node_release(old, height);
  *link = made;
  return true;
}

// Lets go of all elements of a tree from |count| on, which is above 0. False
// when memory is short.
static bool tree_cut(tree_node_t **link, int height, int64_t count) {
  if (*link == NULL || count >= room_of(height)) return true;
  if (!node_own(link, height)) return false;
  tree_node_t *node = *link;
  int last = place_at(count - 1, height);
  for (int i = last + 1; i < WIDTH; ++i) {
    child_release(node->children[i], height);
    node->children[i] = NULL;
  }
  if (height == 0) return true;
  int64_t before = (int64_t)last << (BITS * height);
  tree_node_t *child = node->children[last];
  bool is_cut = tree_cut(&child, height - 1, count - before);
  node->children[last] = child;
  return is_cut;
}

// Makes |tensor|, retained, element |index| of a tree. False when memory is
// short.
static bool tree_set(tree_node_t **link, int height, int64_t index,
                     berth_tensor_t *tensor) {
  if (!node_own(link, height)) return false;
  void **place = &(*link)->children[place_at(index, height)];
  if (height > 0) {
    tree_node_t *child = *place;
    bool is_set = tree_set(&child, height - 1, index, tensor);
    *place = child;
    return is_set;
  }
  berth_tensor_t *old = *place;
  *place = berth_tensor_retain(tensor);
  berth_tensor_release(old);
  return true;
}

// ---- Life ----

// A list may hold lists that hold lists: those that are to be freed stand in a
// row, and the first of the thread frees them all.
static BERTH_THREAD_LOCAL berth_list_t *doomed;
static BERTH_THREAD_LOCAL bool is_freeing;

static void list_destroy(berth_resource_t *resource) {
  berth_list_t *list = (berth_list_t *)resource;
  list->next = doomed;
  doomed = list;
  if (is_freeing) return;
  is_freeing = true;
  while (doomed != NULL) {
    list = doomed;
    doomed = list->next;
    node_release(list->root, list->height);
    berth_free(list);
  }
  is_freeing = false;
}

berth_code_t berth_list_create(berth_dtype_t dtype, berth_dims_t shape,
                               int64_t most, int64_t count,
                               berth_list_t **out_list, berth_error_t *err) {
  size_t rank = shape.rank > 0 ? (size_t)shape.rank : 0;
  berth_list_t *list =
      berth_calloc(1, sizeof(*list) + rank * sizeof(list->dims[0]));
  if (list == NULL) return berth_error_no_memory(err, "a list");
  atomic_init(&list->resource.refs, 1);
  list->resource.kind = BERTH_RESOURCE_LIST;
  list->resource.destroy = list_destroy;
  list->dtype = dtype;
  list->most = most;
  list->count = count;
  list->shape = (berth_dims_t){shape.rank, list->dims};
  if (rank > 0) memcpy(list->dims, shape.dims, rank * sizeof(list->dims[0]));
  while (room_of(list->height) < count) ++list->height;
  *out_list = list;
  return BERTH_OK;
}

berth_code_t berth_list_copy(const berth_list_t *list, berth_list_t **out_list,
                             berth_error_t *err) {
  BERTH_TRY(berth_list_create(list->dtype, list->shape, list->most, list->count,
                              out_list, err));
  (*out_list)->height = list->height;
  (*out_list)->root = list->root;
  child_retain(list->root, 1);
  return BERTH_OK;
}

void berth_list_release(berth_list_t *list) {
  if (list != NULL) berth_resource_release(&list->resource);
}

// ---- Use ----

berth_dtype_t berth_list_dtype(const berth_list_t *list) { return list->dtype; }

berth_dims_t berth_list_shape(const berth_list_t *list) { return list->shape; }

int64_t berth_list_most(const berth_list_t *list) { return list->most; }

int64_t berth_list_count(const berth_list_t *list) { return list->count; }

berth_tensor_t *berth_list_get(const berth_list_t *list, int64_t index) {
  void *at = list->root;
  for (int height = list->height; height >= 0 && at != NULL; --height) {
    at = ((tree_node_t *)at)->children[place_at(index, height)];
  }
  return at;
}

berth_code_t berth_list_set(berth_list_t *list, int64_t index,
                            berth_tensor_t *tensor, berth_error_t *err) {
  return tree_set(&list->root, list->height, index, tensor)
             ? BERTH_OK
             : berth_error_no_memory(err, "a list");
}

berth_code_t berth_list_resize(berth_list_t *list, int64_t count,
                               berth_error_t *err) {
  while (room_of(list->height) < count) {
    tree_node_t *root = NULL;
    if (list->root != NULL) {
      if (!node_own(&root, 0)) return berth_error_no_memory(err, "a list");
      root->children[0] = list->root;
      list->root = root;
    }
    ++list->height;
  }
  if (count == 0) {
    node_release(list->root, list->height);
    list->root = NULL;
  } else if (count < list->count &&
             !tree_cut(&list->root, list->height, count)) {
    return berth_error_no_memory(err, "a list");
  }
  list->count = count;
  return BERTH_OK;
}
