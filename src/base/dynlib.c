// dynlib.c - Opening shared libraries at run time.
#include "base/dynlib.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fault.h"
#include "base/str.h"

struct berth_dynlib {
  void *handle;
  const char *name;  // One of the names given; they are literals.
};

berth_code_t berth_dynlib_open(const char *const *names,
                               berth_dynlib_t **out_lib, berth_error_t *err) {
  berth_str_t tried = {0};
  void *handle = NULL;
  const char *const *name = names;
  for (; *name != NULL; ++name) {
    if (!berth_fault("dynlib")) handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL) break;
    const char *reason = dlerror();
    berth_str_printf(&tried, "%s%s", tried.size > 0 ? "; " : "",
                     reason != NULL ? reason : *name);
  }
  berth_code_t code = BERTH_OK;
  berth_dynlib_t *lib = handle != NULL ? berth_alloc(sizeof(*lib)) : NULL;
  if (handle == NULL) {
    code = berth_error_set(err, BERTH_UNAVAILABLE, "%s", berth_str_get(&tried));
  } else if (lib == NULL) {
    dlclose(handle);
    code = berth_error_no_memory(err, "a library");
  } else {
    lib->handle = handle;
    lib->name = *name;
    *out_lib = lib;
  }
  berth_str_clear(&tried);
  return code;
}

const char *berth_dynlib_name(const berth_dynlib_t *lib) { return lib->name; }

void *berth_dynlib_find(berth_dynlib_t *lib, const char *symbol) {
  if (berth_fault("symbol")) return NULL;
  return dlsym(lib->handle, symbol);
}

void berth_dynlib_close(berth_dynlib_t *lib) {
  if (lib == NULL) return;
  dlclose(lib->handle);
  berth_free(lib);
}

void berth_dynlib_keep(berth_dynlib_t *lib) { berth_free(lib); }

// A program knows its own file only by the name it was started with, which may
// be relative to where that was.
static const char *program_file(char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  if (length <= 0) return NULL;
  path[length] = '\0';
  return path;
}

bool berth_dynlib_own_folder(char *folder, size_t size) {
  static const char here = 0;
  char path[4096];
  Dl_info info;
  const char *file = dladdr(&here, &info) != 0 ? info.dli_fname : NULL;
  if (file == NULL || file[0] != '/') file = program_file(path, sizeof(path));
  if (file == NULL || file[0] != '/' || berth_fault("own_folder")) return false;
  int length = (int)(strrchr(file, '/') - file);
  return snprintf(folder, size, "%.*s", length, file) < (int)size;
}
