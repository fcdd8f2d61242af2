// crc.c - The checksum of records, CRC-32C.
#include "core.h"

// The remainder of each byte; filled at the first use, under the GIL.
static uint32_t remainders[256];

static void fill_remainders(void) {
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int k = 0; k < 8; ++k) {
      value = value >> 1 ^ ((value & 1) != 0 ? UINT32_C(0x82f63b78) : 0);
    }
    remainders[i] = value;
  }
}

PyObject *berth_py_crc32c(PyObject *module, PyObject *data) {
  (void)module;
  Py_buffer bytes;
  uint32_t value = UINT32_MAX;
  if (PyObject_GetBuffer(data, &bytes, PyBUF_SIMPLE) < 0) return NULL;
  if (remainders[1] == 0) fill_remainders();
  const unsigned char *at = bytes.buf;
  for (Py_ssize_t i = 0; i < bytes.len; ++i) {
    value = value >> 8 ^ remainders[(value ^ at[i]) & 255];
  }
  PyBuffer_Release(&bytes);
  return PyLong_FromUnsignedLong(~value & UINT32_MAX);
}
