// validate.c - What a node's name and attributes must be.
//
// The texts are TensorFlow's, to the letter: programs and people search them.
#include <string.h>

#include "graph/draft.h"
#include "graph/schema.h"

// ---- Names ----

static bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9');
}

static bool is_name_sign(char c) {
  return c == '_' || c == '.' || c == '/' || c == '\\' || c == '>' || c == '-';
}

berth_code_t berth_validate_name(const char *name, berth_error_t *err) {
  // The graphs that a run shows for its devices have names of their own.
  bool is_end =
      berth_has_prefix(name, "_arg_") || berth_has_prefix(name, "_retval_");
  bool is_valid = is_alphanumeric(name[0]) || name[0] == '.' || is_end;
  for (const char *at = name; is_valid && *at != '\0'; ++at) {
    is_valid = is_alphanumeric(*at) || is_name_sign(*at);
  }
  if (is_valid) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Node '%s': Node name contains invalid characters",
                         name);
}

// ---- Errors ----

// Appends which node and op the text of |err|, an invalid argument, is about.
static berth_code_t add_context(const berth_draft_t *draft,
                                berth_error_t *err) {
  berth_str_t str = {0};
  berth_schema_print(draft->node.op, &str);
  berth_code_t code = berth_error_append(err, "\n\t; NodeDef: {{node %s}}; %s",
                                         draft->node.name, berth_str_get(&str));
  berth_str_clear(&str);
  return err != NULL ? code : BERTH_INVALID_ARGUMENT;
}

static berth_code_t kind_error(const berth_draft_t *draft,
                               const berth_attr_schema_t *attr,
                               berth_error_t *err) {
  berth_error_append(err, "\n\t for attr '%s'", attr->name);
  return add_context(draft, err);
}

// ---- Kinds ----

// Returns what is wrong with |type| as the value of an attribute.
static berth_code_t check_type(berth_dtype_t type, berth_error_t *err) {
  if (type == BERTH_INVALID) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "AttrValue has invalid DataType");
  }
  if (!berth_dtype_is_valid((int)type)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "AttrValue has invalid DataType enum: %d",
                           (int)type);
  }
  if (berth_dtype_is_ref(type)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "AttrValue must not have reference type value of %s",
                           berth_dtype_name(type));
  }
  return BERTH_OK;
}

static berth_code_t check_kind(const berth_attr_schema_t *attr,
                               const berth_attr_value_t *value,
                               berth_error_t *err) {
  bool is_list = attr->kind >= BERTH_ATTR_LIST;
  bool is_empty_list = value->kind >= BERTH_ATTR_LIST && value->count == 0;
  if (is_list && is_empty_list) return BERTH_OK;
  if (value->kind == BERTH_ATTR_NONE) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "AttrValue missing value with expected type '%s'",
                           berth_attr_kind_name(attr->kind));
  }
  if (value->kind != attr->kind) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "AttrValue had value with type '%s' when '%s' expected",
        berth_attr_kind_name(value->kind), berth_attr_kind_name(attr->kind));
  }
  if (value->kind == BERTH_ATTR_TYPE) return check_type(value->type, err);
  if ((int)value->kind == BERTH_ATTR_LIST + BERTH_ATTR_TYPE) {
    for (int32_t i = 0; i < value->count; ++i) {
      BERTH_TRY(check_type(value->type_list[i], err));
    }
  }
  return BERTH_OK;
}

// ---- Limits ----

static berth_code_t check_minimum(const berth_attr_schema_t *attr,
                                  const berth_attr_value_t *value,
                                  berth_error_t *err) {
  bool is_list = attr->kind >= BERTH_ATTR_LIST;
  int64_t size = is_list ? value->count : value->i;
  if (!attr->has_minimum || size >= attr->minimum) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s for attr '%s' of %lld must be at least minimum "
                         "%lld",
                         is_list ? "Length" : "Value", attr->name,
                         (long long)size, (long long)attr->minimum);
}

// Says that |text| is not among the allowed values, and lists those.
static berth_code_t not_allowed(const berth_attr_schema_t *attr,
                                const char *text, berth_error_t *err) {
  berth_error_set(err, BERTH_INVALID_ARGUMENT,
                  "Value for attr '%s' of %s is not in the list of allowed "
                  "values: ",
                  attr->name, text);
  berth_str_t str = {0};
  for (int i = 0; i < attr->allowed_count; ++i) {
    berth_str_printf(&str, "%s%s", i > 0 ? ", " : "",
                     berth_dtype_name((berth_dtype_t)attr->allowed_order[i]));
  }
  for (int i = 0; attr->allowed_strings && attr->allowed_strings[i]; ++i) {
    berth_str_printf(&str, "%s\"%s\"", i > 0 ? ", " : "",
                     attr->allowed_strings[i]);
  }
  berth_error_append(err, "%s", berth_str_get(&str));
  berth_str_clear(&str);
  return BERTH_INVALID_ARGUMENT;
}

static berth_code_t check_allowed_type(const berth_attr_schema_t *attr,
                                       berth_dtype_t type, berth_error_t *err) {
  if ((attr->allowed_types & BERTH_DTYPE_BIT(type)) != 0) return BERTH_OK;
  return not_allowed(attr, berth_dtype_name(type), err);
}

static berth_code_t check_allowed_text(const berth_attr_schema_t *attr,
                                       const berth_attr_text_t *text,
                                       berth_error_t *err) {
  for (int i = 0; attr->allowed_strings[i] != NULL; ++i) {
    const char *allowed = attr->allowed_strings[i];
    if (strlen(allowed) == text->size &&
        memcmp(allowed, text->text, text->size) == 0) {
      return BERTH_OK;
    }
  }
  berth_attr_value_t value = {.kind = BERTH_ATTR_STRING, .s = *text};
  berth_str_t str = {0};
  berth_attr_print(&value, &str);
  berth_code_t code = not_allowed(attr, berth_str_get(&str), err);
  berth_str_clear(&str);
  return code;
}

static berth_code_t check_allowed(const berth_attr_schema_t *attr,
                                  const berth_attr_value_t *value,
                                  berth_error_t *err) {
  if (attr->allowed_types != 0) {
    if (attr->kind == BERTH_ATTR_TYPE) {
      return check_allowed_type(attr, value->type, err);
    }
    for (int32_t i = 0; i < value->count; ++i) {
      BERTH_TRY(check_allowed_type(attr, value->type_list[i], err));
    }
  }
  if (attr->allowed_strings != NULL) {
    if (attr->kind == BERTH_ATTR_STRING) {
      return check_allowed_text(attr, &value->s, err);
    }
    for (int32_t i = 0; i < value->count; ++i) {
      BERTH_TRY(check_allowed_text(attr, &value->s_list[i], err));
    }
  }
  return BERTH_OK;
}

// ---- Missing ones ----

static bool is_missing(const berth_draft_t *draft, int index) {
  return draft->placed[index] < 0 &&
         draft->node.op->attrs[index].default_value == NULL;
}

// Lists the missing attributes by name.
static berth_code_t missing_error(const berth_draft_t *draft,
                                  berth_error_t *err) {
  const berth_op_schema_t *schema = draft->node.op;
  berth_str_t names = {0}, op = {0};
  int count = 0;
  for (const char *last = "";;) {
    const char *next = NULL;
    for (int i = 0; i < schema->attr_count; ++i) {
      const char *name = schema->attrs[i].name;
      if (is_missing(draft, i) && strcmp(name, last) > 0 &&
          (next == NULL || strcmp(name, next) < 0)) {
        next = name;
      }
    }
    if (next == NULL) break;
    berth_str_printf(&names, "%s'%s'", count++ > 0 ? ", " : "", next);
    last = next;
  }
  berth_schema_print(schema, &op);
  berth_error_set(err, BERTH_INVALID_ARGUMENT,
                  "NodeDef missing attr%s %s from %s; NodeDef: {{node %s}}",
                  count > 1 ? "s" : "", berth_str_get(&names),
                  berth_str_get(&op), draft->node.name);
  berth_str_clear(&names);
  berth_str_clear(&op);
  return BERTH_INVALID_ARGUMENT;
}

berth_code_t berth_validate_attrs(const berth_draft_t *draft,
                                  berth_error_t *err) {
  const berth_op_schema_t *schema = draft->node.op;
  bool is_any_missing = false;
  for (int i = 0; i < schema->attr_count; ++i) {
    const berth_attr_schema_t *attr = &schema->attrs[i];
    if (draft->placed[i] < 0) {
      is_any_missing |= attr->default_value == NULL;
      continue;
    }
    const berth_attr_value_t *value = &draft->attrs[draft->placed[i]].value;
    if (check_kind(attr, value, err) != BERTH_OK) {
      return kind_error(draft, attr, err);
    }
    if (check_minimum(attr, value, err) != BERTH_OK ||
        check_allowed(attr, value, err) != BERTH_OK) {
      return add_context(draft, err);
    }
  }
  return is_any_missing ? missing_error(draft, err) : BERTH_OK;
}
