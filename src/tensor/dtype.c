// dtype.c - Names and sizes of data types.
#include "tensor/dtype.h"

#include <string.h>

#include "tensor/handle.h"
#include "tensor/string.h"

typedef struct dtype_info {
  const char *name;
  const char *ref_name;
  const char *enum_name;
  const char *enum_ref_name;
  uint8_t size;
} dtype_info_t;

#define INFO(TYPE, name, size) \
  [BERTH_##TYPE] = {name, name "_ref", "DT_" #TYPE, "DT_" #TYPE "_REF", size}

static const dtype_info_t infos[BERTH_DTYPE_COUNT] = {
    INFO(FLOAT, "float", 4),
    INFO(DOUBLE, "double", 8),
    INFO(INT32, "int32", 4),
    INFO(UINT8, "uint8", 1),
    INFO(INT16, "int16", 2),
    INFO(INT8, "int8", 1),
    INFO(STRING, "string", sizeof(berth_string_t)),
    INFO(COMPLEX64, "complex64", 8),
    INFO(INT64, "int64", 8),
    INFO(BOOL, "bool", 1),
    INFO(QINT8, "qint8", 1),
    INFO(QUINT8, "quint8", 1),
    INFO(QINT32, "qint32", 4),
    INFO(BFLOAT16, "bfloat16", 2),
    INFO(QINT16, "qint16", 2),
    INFO(QUINT16, "quint16", 2),
    INFO(UINT16, "uint16", 2),
    INFO(COMPLEX128, "complex128", 16),
    INFO(HALF, "half", 2),
    INFO(RESOURCE, "resource", sizeof(berth_handle_t)),
    INFO(VARIANT, "variant", sizeof(berth_handle_t)),
    INFO(UINT32, "uint32", 4),
    INFO(UINT64, "uint64", 8),
    INFO(FLOAT8_E5M2, "float8_e5m2", 1),
    INFO(FLOAT8_E4M3FN, "float8_e4m3fn", 1),
    INFO(FLOAT8_E4M3FNUZ, "float8_e4m3fnuz", 1),
    INFO(FLOAT8_E4M3B11FNUZ, "float8_e4m3b11fnuz", 1),
    INFO(FLOAT8_E5M2FNUZ, "float8_e5m2fnuz", 1),
    INFO(INT4, "int4", 1),
    INFO(UINT4, "uint4", 1),
    INFO(INT2, "int2", 1),
    INFO(UINT2, "uint2", 1),
    INFO(FLOAT4_E2M1FN, "float4_e2m1fn", 1),
};

// Python's names where they differ from those of the runtime.
static const struct {
  const char *name;
  berth_dtype_t dtype;
} aliases[] = {
    {"float32", BERTH_FLOAT},
    {"float64", BERTH_DOUBLE},
    {"float16", BERTH_HALF},
};

static const dtype_info_t *find_info(int dtype) {
  int base = dtype > BERTH_REF ? dtype - BERTH_REF : dtype;
  return base > 0 && base < BERTH_DTYPE_COUNT ? &infos[base] : NULL;
}

const char *berth_dtype_name(berth_dtype_t dtype) {
  const dtype_info_t *info = find_info((int)dtype);
  if (info == NULL) return "INVALID";
  return berth_dtype_is_ref(dtype) ? info->ref_name : info->name;
}

const char *berth_dtype_enum_name(berth_dtype_t dtype) {
  const dtype_info_t *info = find_info((int)dtype);
  if (info == NULL) return "DT_INVALID";
  return berth_dtype_is_ref(dtype) ? info->enum_ref_name : info->enum_name;
}

size_t berth_dtype_size(berth_dtype_t dtype) {
  const dtype_info_t *info = find_info((int)dtype);
  return info != NULL ? info->size : 0;
}

bool berth_dtype_is_valid(int dtype) { return find_info(dtype) != NULL; }

// True when |name| is |base|, or |base| and "_ref", which |*is_ref| then says.
static bool matches_alias(const char *name, const char *base, bool *is_ref) {
  size_t size = strlen(base);
  if (strncmp(name, base, size) != 0) return false;
  *is_ref = strcmp(name + size, "_ref") == 0;
  return *is_ref || name[size] == '\0';
}

berth_dtype_t berth_dtype_find(const char *name) {
  if (name == NULL) return BERTH_INVALID;
  for (int i = 1; i < BERTH_DTYPE_COUNT; ++i) {
    const dtype_info_t *info = &infos[i];
    if (strcmp(name, info->name) == 0 || strcmp(name, info->enum_name) == 0) {
      return (berth_dtype_t)i;
    }
    if (strcmp(name, info->ref_name) == 0 ||
        strcmp(name, info->enum_ref_name) == 0) {
      return (berth_dtype_t)(i + BERTH_REF);
    }
  }
  for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); ++i) {
    bool is_ref = false;
    if (!matches_alias(name, aliases[i].name, &is_ref)) continue;
    return is_ref ? berth_dtype_ref(aliases[i].dtype) : aliases[i].dtype;
  }
  return BERTH_INVALID;
}
