// imagegen.c - Packs compiled GPU kernels into a C file.
//
//   berth_imagegen OUT.c LEFT_OUT [unary.ptx unary.90.cubin ...]
//
// The stem of a file is its module; a number behind it is the chip that its
// machine code is for. Each file is compressed. LEFT_OUT, if not empty, says
// what the build could not make. src/cuda/code/image_internal.h declares what
// comes out.
//
// PTX that calls functions it does not have would fail only on a user's card,
// so it fails here.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct bytes {
  unsigned char *data;  // Ends with a zero that does not count.
  size_t size;
} bytes_t;

static int fail(const char *path, const char *problem) {
  fprintf(stderr, "imagegen: %s: %s\n", path, problem);
  return 1;
}

static int read_open_file(FILE *file, bytes_t *out) {
  if (fseek(file, 0, SEEK_END) != 0) return errno;
  long size = ftell(file);
  if (size < 0 || fseek(file, 0, SEEK_SET) != 0) return errno;
  unsigned char *data = calloc((size_t)size + 1, 1);
  if (data == NULL) return ENOMEM;
  if (fread(data, 1, (size_t)size, file) != (size_t)size) {
    free(data);
    return EIO;
  }
  *out = (bytes_t){data, (size_t)size};
  return 0;
}

static int read_file(const char *path, bytes_t *out) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return fail(path, strerror(errno));
  int problem = read_open_file(file, out);
  fclose(file);
  return problem != 0 ? fail(path, strerror(problem)) : 0;
}

// True, and says so, when |text| is PTX with a function declared elsewhere.
static int has_unresolved(const char *path, const char *text) {
  const char *found = strstr(text, ".extern .func");
  if (found == NULL) return 0;
  fprintf(stderr, "imagegen: %s: unresolved external: %.*s\n", path,
          (int)strcspn(found, "\n;"), found);
  return 1;
}

static void print_bytes(FILE *out, int index, const bytes_t *packed) {
  fprintf(out, "static const unsigned char image_%d[] = {", index);
  for (size_t i = 0; i < packed->size; ++i) {
    fprintf(out, "%s%u,", i % 24 == 0 ? "\n" : "", packed->data[i]);
  }
  fputs("};\n", out);
}

static int pack(const char *path, const bytes_t *image, bytes_t *out) {
  uLongf size = compressBound((uLong)image->size);
  unsigned char *data = malloc(size);
  if (data == NULL) return fail(path, strerror(ENOMEM));
  if (compress2(data, &size, image->data, (uLong)image->size, 9) != Z_OK) {
    free(data);
    return fail(path, "cannot be compressed");
  }
  *out = (bytes_t){data, size};
  return 0;
}

// Writes the bytes of |path| and stores their number before they were packed.
static int write_image(FILE *out, int index, const char *path,
                       size_t *out_size) {
  bytes_t image = {NULL, 0}, packed = {NULL, 0};
  int failed = read_file(path, &image) ||
               has_unresolved(path, (const char *)image.data) ||
               pack(path, &image, &packed);
  if (!failed) print_bytes(out, index, &packed);
  *out_size = image.size;
  free(image.data);
  free(packed.data);
  return failed;
}

// Writes the line of the table for |path|: "unary.90.cubin".
static void write_entry(FILE *out, int index, const char *path, size_t size) {
  const char *slash = strrchr(path, '/');
  const char *name = slash != NULL ? slash + 1 : path;
  int stem = (int)strcspn(name, ".");
  long chip = name[stem] != '\0' ? strtol(name + stem + 1, NULL, 10) : 0;
  fprintf(out, "    {\"%.*s\", %ld, %zu, sizeof(image_%d), image_%d},\n", stem,
          name, chip, size, index, index);
}

static int write_all(FILE *out, const char *left_out, int count, char **paths,
                     size_t *sizes) {
  fputs("// Written by imagegen.\n#include \"cuda/code/image_internal.h\"\n",
        out);
  for (int i = 0; i < count; ++i) {
    if (write_image(out, i, paths[i], &sizes[i]) != 0) return 1;
  }
  fputs("const berth_cuda_packed_t berth_cuda_packed[] = {\n", out);
  for (int i = 0; i < count; ++i) write_entry(out, i, paths[i], sizes[i]);
  fputs("    {0, 0, 0, 0, 0}};\n", out);
  fprintf(out, "const char berth_cuda_left_out[] = \"%s\";\n", left_out);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 3) return fail("usage", "berth_imagegen OUT.c LEFT_OUT [FILE...]");
  size_t *sizes = calloc((size_t)argc, sizeof(*sizes));
  FILE *out = fopen(argv[1], "w");
  int failed = sizes == NULL || out == NULL;
  if (failed) fail(argv[1], strerror(errno));
  if (!failed) failed = write_all(out, argv[2], argc - 3, argv + 3, sizes);
  if (out != NULL && fclose(out) != 0) failed = fail(argv[1], strerror(errno));
  // A half-written file must not look made.
  if (failed) remove(argv[1]);
  free(sizes);
  return failed;
}
