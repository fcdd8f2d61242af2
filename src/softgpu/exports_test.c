// exports_test.c - The library has exactly the symbols of the lists.
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/dynlib.h"
#include "harness.h"

static const char *const wanted[] = {
#define X(name, result, arguments) #name,
#include "cuda/api/driver_symbols.inc"
#define X(name, result, arguments) #name,
#include "cuda/api/nvml_symbols.inc"
#define X(name, result, arguments) #name,
#include "cuda/api/cublaslt_symbols.inc"
#define X(name, result, arguments) #name,
#include "cuda/api/cudnn_symbols.inc"
#define X(name, result, arguments) #name,
#include "cuda/api/cusolver_symbols.inc"
#define X(name, result, arguments) #name,
#include "cuda/api/cufft_symbols.inc"
#define X(name, result, arguments) #name,
#include "cuda/api/nccl_symbols.inc"
#define X(name, result, arguments) #name,
#include "cuda/api/softgpu_symbols.inc"
};

enum { WANTED = sizeof(wanted) / sizeof(wanted[0]) };

TEST(exports, has_every_symbol) {
  static const char *const names[] = {BERTH_SOFTGPU_FILE, NULL};
  berth_error_t err = BERTH_ERROR_INIT;
  berth_dynlib_t *lib = NULL;
  ASSERT_OK(berth_dynlib_open(names, &lib, &err), &err);
  for (int i = 0; i < WANTED; ++i) {
    if (berth_dynlib_find(lib, wanted[i]) == NULL) {
      HARNESS_FAIL("no %s", wanted[i]);
    }
  }
  berth_dynlib_close(lib);
}

static bool is_wanted(const char *name) {
  for (int i = 0; i < WANTED; ++i) {
    if (strcmp(wanted[i], name) == 0) return true;
  }
  return false;
}

// Returns the first section of |type|, or NULL.
static const Elf64_Shdr *section(const char *file, uint32_t type) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type == type) return &sections[i];
  }
  return NULL;
}

TEST(exports, has_no_other_symbol) {
  struct stat stat;
  int file = open(BERTH_SOFTGPU_FILE, O_RDONLY);
  ASSERT_TRUE(file >= 0 && fstat(file, &stat) == 0);
  const char *bytes =
      mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  ASSERT_TRUE(bytes != MAP_FAILED);
  const Elf64_Shdr *table = section(bytes, SHT_DYNSYM);
  ASSERT_TRUE(table != NULL);
  const Elf64_Shdr *sections =
      (const Elf64_Shdr *)(bytes + ((const Elf64_Ehdr *)bytes)->e_shoff);
  const char *texts = bytes + sections[table->sh_link].sh_offset;
  const Elf64_Sym *symbols = (const Elf64_Sym *)(bytes + table->sh_offset);
  int count = 0;
  for (size_t i = 0; i < table->sh_size / sizeof(*symbols); ++i) {
    const char *name = texts + symbols[i].st_name;
    // Sanitizers add symbols of their own.
    if (symbols[i].st_shndx == SHN_UNDEF || name[0] == '_') continue;
    if (!is_wanted(name)) HARNESS_FAIL("%s is visible", name);
    ++count;
  }
  EXPECT_EQ(count, WANTED);
  munmap((void *)bytes, (size_t)stat.st_size);
  close(file);
}
