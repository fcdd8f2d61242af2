// registry.c - Which kernels there are.
//
// A map from op name to the kernels of that op, one map per backend; an op may
// have several kernels, for different types, tried in the order added.
#include "base/alloc.h"
#include "base/hash.h"
#include "base/thread.h"
#include "kernel/kernel.h"
#include "op/name.h"

enum { MAX_BACKENDS = 8 };

// A kernel and the next one for the same op, or -1.
typedef struct entry {
  const berth_kernel_t *kernel;
  int64_t next;
} entry_t;

typedef struct backend_kernels {
  const berth_backend_t *backend;
  berth_map_t ops;  // Op name -> index of its first entry.
  entry_t *entries;
  size_t count, capacity;
} backend_kernels_t;

// Filled while the process object is made, read-only afterwards.
static backend_kernels_t tables[MAX_BACKENDS];
static int table_count = 0;

static backend_kernels_t *table_find(const berth_backend_t *backend) {
  for (int i = 0; i < table_count; ++i) {
    if (tables[i].backend == backend) return &tables[i];
  }
  return NULL;
}

// Puts |kernel| at the end of the entries of its op.
static bool table_append(backend_kernels_t *table,
                         const berth_kernel_t *kernel) {
  entry_t *entries = berth_grow(table->entries, table->count, &table->capacity,
                                sizeof(entry_t));
  if (entries == NULL) return false;
  table->entries = entries;
  int64_t index = (int64_t)table->count;
  size_t size = strlen(kernel->op);
  int64_t *first = berth_map_find(&table->ops, kernel->op, size);
  if (first == NULL) {
    if (!berth_map_set(&table->ops, kernel->op, size, index)) return false;
  } else {
    int64_t last = *first;
    while (entries[last].next >= 0) last = entries[last].next;
    entries[last].next = index;
  }
  entries[table->count++] = (entry_t){kernel, -1};
  return true;
}

berth_code_t berth_kernel_add(const berth_backend_t *backend,
                              const berth_kernel_t *kernels,
                              berth_error_t *err) {
  backend_kernels_t *table = table_find(backend);
  if (table == NULL) {
    if (table_count == MAX_BACKENDS) {
      return berth_error_set(err, BERTH_INTERNAL,
                             "more than %d backends have kernels",
                             MAX_BACKENDS);
    }
    table = &tables[table_count++];
    table->backend = backend;
  }
  for (; kernels->op != NULL; ++kernels) {
    if (!table_append(table, kernels)) {
      return berth_error_no_memory(err, "the kernel registry");
    }
  }
  return BERTH_OK;
}

// True when the types of |node| are among those of |kernel|.
static bool types_fit(const berth_kernel_t *kernel, const berth_node_t *node,
                      berth_str_t *why) {
  int most = BERTH_COUNT_OF(kernel->types);
  for (int i = 0; i < most && kernel->types[i].attr != NULL; ++i) {
    const berth_kernel_types_t *wanted = &kernel->types[i];
    berth_dtype_t dtype = berth_dtype_base(
        berth_node_attr_type(node, wanted->attr, BERTH_INVALID));
    if ((wanted->types & BERTH_DTYPE_BIT(dtype)) != 0) continue;
    if (why != NULL) {
      berth_str_printf(why, "not for %s=%s", wanted->attr,
                       berth_dtype_name(dtype));
    }
    return false;
  }
  return true;
}

// Returns the first entry for |op| in |table|, which may be NULL, or -1. Where
// there is none, those of the op it is an older name of are taken.
static int64_t first_of(const backend_kernels_t *table, const char *op) {
  const char *plain = berth_op_plain_name(op);
  size_t size = berth_op_plain_size(plain);
  if (table == NULL) return -1;
  int64_t *first = berth_map_find(&table->ops, op, strlen(op));
  if (first == NULL) first = berth_map_find(&table->ops, plain, size);
  return first != NULL ? *first : -1;
}

// True when |kernel| of the host does |node| on every device.
static bool serves_all(const berth_kernel_t *kernel, const berth_node_t *node) {
  const char *attr = kernel->types[0].attr;
  if (attr == NULL) return kernel->anywhere != 0;
  berth_dtype_t dtype =
      berth_dtype_base(berth_node_attr_type(node, attr, BERTH_INVALID));
  return (kernel->anywhere & BERTH_DTYPE_BIT(dtype)) != 0;
}

const berth_backend_t *berth_kernel_host(void) {
  for (int i = 0; i < table_count; ++i) {
    if (tables[i].backend->streams == NULL) return tables[i].backend;
  }
  return NULL;
}

const berth_backend_t *berth_kernel_backend(const char *device_type) {
  for (int i = 0; i < table_count; ++i) {
    const berth_backend_t *backend = tables[i].backend;
    if (strcmp(backend->type, device_type) == 0) return backend;
  }
  return NULL;
}

// Returns the host's kernel that does |node| on every device, or NULL.
static const berth_kernel_t *find_anywhere(const berth_node_t *node) {
  const backend_kernels_t *table = table_find(berth_kernel_host());
  int64_t i = first_of(table, node->op->name);
  for (; i >= 0; i = table->entries[i].next) {
    const berth_kernel_t *kernel = table->entries[i].kernel;
    if (serves_all(kernel, node) && types_fit(kernel, node, NULL)) {
      return kernel;
    }
  }
  return NULL;
}

const berth_kernel_t *berth_kernel_find(const berth_backend_t *backend,
                                        const berth_node_t *node,
                                        berth_str_t *why) {
  const backend_kernels_t *table = table_find(backend);
  int64_t i = first_of(table, node->op->name);
  bool is_there = i >= 0;
  for (; i >= 0; i = table->entries[i].next) {
    const berth_kernel_t *kernel = table->entries[i].kernel;
    if (!types_fit(kernel, node, why)) continue;
    if (kernel->select == NULL || kernel->select(node, why)) return kernel;
  }
  const berth_kernel_t *kernel = table != NULL ? find_anywhere(node) : NULL;
  if (kernel == NULL && !is_there && why != NULL) {
    berth_str_printf(why, "no %s kernel", backend->type);
  }
  return kernel;
}

// True when the host has a kernel for |op| that serves every device.
static bool exists_anywhere(const char *op) {
  const backend_kernels_t *table = table_find(berth_kernel_host());
  for (int64_t i = first_of(table, op); i >= 0; i = table->entries[i].next) {
    if (table->entries[i].kernel->anywhere != 0) return true;
  }
  return false;
}

bool berth_kernel_exists(const char *device_type, const char *op) {
  bool is_known = false;
  for (int i = 0; i < table_count; ++i) {
    if (strcmp(tables[i].backend->type, device_type) != 0) continue;
    if (first_of(&tables[i], op) >= 0) return true;
    is_known = true;
  }
  return is_known && exists_anywhere(op);
}
