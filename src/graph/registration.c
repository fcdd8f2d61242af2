// registration.c - Which of TensorFlow's registrations covers a node.
#include "graph/registration.h"

#include <stdio.h>
#include <string.h>

enum { INT_TEXT = 24 };  // The longest number and its end.

// A value that no constraint allows, for an attribute without one.
static const berth_dtype_set_t MISSING = (berth_dtype_set_t)1 << 63;

static const berth_attr_value_t *own_attr(const berth_node_t *node,
                                          const char *name) {
  for (int i = 0; i < node->attr_count; ++i) {
    const char *own = node->attrs[i].name;
    if (own == name || strcmp(own, name) == 0) return &node->attrs[i].value;
  }
  return NULL;
}

berth_dtype_set_t berth_node_attr_types(const berth_node_t *node, int index) {
  const berth_attr_schema_t *schema = &node->op->attrs[index];
  const berth_attr_value_t *value = own_attr(node, schema->name);
  if (value == NULL) value = schema->default_value;
  if (value == NULL) return MISSING;
  if (value->kind == BERTH_ATTR_TYPE) {
    return BERTH_DTYPE_BIT(berth_dtype_base(value->type));
  }
  if (value->kind == BERTH_ATTR_LIST) return 0;
  if ((int)value->kind != (int)BERTH_ATTR_LIST + (int)BERTH_ATTR_TYPE) {
    return MISSING;
  }
  berth_dtype_set_t set = 0;
  for (int i = 0; i < value->count; ++i) {
    set |= BERTH_DTYPE_BIT(berth_dtype_base(value->type_list[i]));
  }
  return set;
}

const char *berth_node_kernel_label(const berth_node_t *node) {
  const berth_attr_value_t *value = own_attr(node, "_kernel");
  return value != NULL && value->kind == BERTH_ATTR_STRING ? value->s.text : "";
}

// Returns attribute |index| of |node| as constraints write it, in |room| when
// it is not a text.
static const char *attr_text(const berth_node_t *node, int index,
                             char room[INT_TEXT]) {
  const berth_attr_schema_t *schema = &node->op->attrs[index];
  if (schema->kind == BERTH_ATTR_BOOL) {
    return berth_node_attr_bool(node, schema->name, false) ? "true" : "false";
  }
  if (schema->kind == BERTH_ATTR_INT) {
    int64_t value = berth_node_attr_int(node, schema->name, 0);
    snprintf(room, INT_TEXT, "%lld", (long long)value);
    return room;
  }
  return berth_node_attr_string(node, schema->name, "");
}

// True when the attribute of |constraint| is one of its texts.
static bool text_fits(const berth_node_t *node,
                      const berth_constraint_t *constraint) {
  char room[INT_TEXT];
  const char *text = attr_text(node, constraint->attr, room);
  for (const char *const *one = constraint->texts; *one != NULL; ++one) {
    if (strcmp(*one, text) == 0) return true;
  }
  return false;
}

bool berth_registration_fits(const berth_node_t *node,
                             const berth_registration_t *registration) {
  if (strcmp(registration->label, berth_node_kernel_label(node)) != 0) {
    return false;
  }
  for (int i = 0; i < registration->constraint_count; ++i) {
    const berth_constraint_t *constraint = &registration->constraints[i];
    if (constraint->texts != NULL) {
      if (!text_fits(node, constraint)) return false;
    } else if (berth_node_attr_types(node, constraint->attr) &
               ~constraint->types) {
      return false;
    }
  }
  return true;
}

// Returns the registration for exactly |device| that covers |node|, or NULL.
static const berth_registration_t *find_exact(const berth_node_t *node,
                                              berth_registered_for_t device) {
  for (int i = 0; i < node->op->registration_count; ++i) {
    const berth_registration_t *registration = &node->op->registrations[i];
    if (registration->device == device &&
        berth_registration_fits(node, registration)) {
      return registration;
    }
  }
  return NULL;
}

const berth_registration_t *berth_registration_find(
    const berth_node_t *node, berth_registered_for_t device) {
  const berth_registration_t *own = find_exact(node, device);
  return own != NULL ? own : find_exact(node, BERTH_FOR_DEFAULT);
}
