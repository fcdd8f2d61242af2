// gemm_micro.h - The innermost loops of a product, for one element type.
//
// A template: include it in gemm_isa.c once per type, with these defined.
//   T        the element type
//   V        its vector: V_(load), V_(store), V_(splat), V_(fma) work on it
//   LANES    of a vector
//   ROWS     of a panel of A: as many as leave the accumulators in registers
//   NAME(x)  makes a name of this type
//   END(rows, wide, last, acc, end, row)  has |end| done to accumulators, of
//                                         |last| columns in the last vector,
//   END_EDGE(rows, cols, edge, end, row)  and to a panel that is stored
//   HAS_PARTS  1: V_(load_part), V_(store_part) take no longer than whole ones
//
//            ┌── 2 vectors ──┐
//            │ B panel row p │            A panel: element (i, p) at
//     ┌──┐   ├───────────────┤            a[i * row + p * col]
//     │A │   │ ROWS x 2      │
//     │  │   │ accumulators  │            B panel: row p at b[p * COLS]
//     └──┘   └───────────────┘

enum { NAME(COLS) = 2 * LANES };

#ifndef AHEAD
#define AHEAD 24  // Rows of B that are asked for in advance.
#endif

// A panel of A: element (i, p) at from[i * row + p * col].
typedef struct NAME(a_panel) {
  const T *from;
  int64_t row, col;
} NAME(a_panel_t);

// True when the lines of A can be read as they are: side by side, and not so far
// apart that they all meet in the same set of the cache.
static bool NAME(reads_lines)(const berth_gemm_t *gemm) {
  enum { SET = 4096 };
  return gemm->a_col == 1 && gemm->a_row * (int64_t)sizeof(T) % SET != 0;
}

// The first |count| elements at |from|, or a vector of them.
static BERTH_INLINE V NAME(load_last)(const T *from, int64_t count) {
#if HAS_PARTS
  if (count < LANES) return V_(load_part)(from, count, 0);
#endif
  (void)count;
  return V_(load)(from);
}

static BERTH_INLINE void NAME(store_last)(T *to, V v, int64_t count) {
#if HAS_PARTS
  if (count < LANES) {
    V_(store_part)(to, v, count);
    return;
  }
#endif
  (void)count;
  V_(store)(to, v);
}

// Adds |rows| (a constant) rows of the product of two panels, |wide| vectors
// wide (a constant) but |last| columns in the last one, to |c|, or stores them
// when |add| is false; |end| is done before, unless it is NULL.
static BERTH_INLINE void NAME(micro_some)(const int rows, const int wide,
                                          const int64_t last, int64_t k,
                                          const T *a, int64_t row, int64_t col,
                                          const T *b, int64_t b_row, T *c,
                                          int64_t c_row, bool add,
                                          const berth_ending_t *end) {
  const int64_t left = wide > 1 ? LANES : last;
  V acc[ROWS + 1][2];
  T *to = c;
  BERTH_UNROLL
  for (int i = 0; i < rows; ++i, to += c_row) {
    // Its lines are far apart: have them come while the products are made.
    __builtin_prefetch(to, 1);
    if (wide > 1) __builtin_prefetch(to + LANES, 1);
    acc[i][0] = acc[i][1] = V_(splat)(0);
  }
  // Four rows for each address that is kept.
  const T *quad[(ROWS + 4) / 4];
  BERTH_UNROLL
  for (int i = 0; i < rows; i += 4) quad[i / 4] = a + i * row;
  for (int64_t p = 0; p < k; ++p) {
    V b0 = V_(load)(b), b1 = wide > 1 ? V_(load)(b + LANES) : b0;
    // Panels follow each other: what comes next may be far away.
    __builtin_prefetch(b + AHEAD * b_row);
    if (wide > 1) __builtin_prefetch(b + AHEAD * b_row + LANES);
    BERTH_UNROLL
    for (int i = 0; i < rows; ++i) {
      V x = V_(splat)(quad[i / 4][i % 4 * row]);
      acc[i][0] = V_(fma)(x, b0, acc[i][0]);
      if (wide > 1) acc[i][1] = V_(fma)(x, b1, acc[i][1]);
    }
    BERTH_UNROLL
    for (int i = 0; i < rows; i += 4) quad[i / 4] += col;
    b += b_row;
  }
  if (add) {
    to = c;
    __asm__("" : "+r"(to));
    BERTH_UNROLL
    for (int i = 0; i < rows; ++i, to += c_row) {
      acc[i][0] += NAME(load_last)(to, left);
      if (wide > 1) acc[i][1] += NAME(load_last)(to + LANES, last);
    }
  }
  if (end != NULL) END(rows, wide, last, acc, end, c_row);
  // Addresses are worked out again: there are no registers to keep them in.
  to = c;
  __asm__("" : "+r"(to));
  BERTH_UNROLL
  for (int i = 0; i < rows; ++i, to += c_row) {
    NAME(store_last)(to, acc[i][0], left);
    if (wide > 1) NAME(store_last)(to + LANES, acc[i][1], last);
  }
}

// The same for whole vectors.
static BERTH_INLINE void NAME(micro)(const int rows, const int wide, int64_t k,
                                     const T *a, int64_t row, int64_t col,
                                     const T *b, int64_t b_row, T *c,
                                     int64_t c_row, bool add,
                                     const berth_ending_t *end) {
  NAME(micro_some)
  (rows, wide, LANES, k, a, row, col, b, b_row, c, c_row, add, end);
}

// A full panel: packed, so that the strides are constants.
static BERTH_NOINLINE void NAME(micro_full)(int64_t k, const T *a, const T *b,
                                            T *c, int64_t c_row, bool add,
                                            const berth_ending_t *end) {
  NAME(micro)(ROWS, 2, k, a, 1, ROWS, b, NAME(COLS), c, c_row, add, end);
}

// A full panel of lines.
static BERTH_NOINLINE void NAME(micro_lines)(int64_t k, const T *a, int64_t row,
                                             const T *b, T *c, int64_t c_row,
                                             bool add,
                                             const berth_ending_t *end) {
  NAME(micro)(ROWS, 2, k, a, row, 1, b, NAME(COLS), c, c_row, add, end);
}

// The same with one row more, of floats where there are registers for it: alone
// that would take as long as four.
enum { NAME(MOST) = HAS_PARTS ? ROWS + 1 : ROWS };

static BERTH_NOINLINE void NAME(micro_more)(int64_t k, const T *a, int64_t row,
                                            const T *b, T *c, int64_t c_row,
                                            bool add,
                                            const berth_ending_t *end) {
  NAME(micro)(NAME(MOST), 2, k, a, row, 1, b, NAME(COLS), c, c_row, add, end);
}

// The last |rows| rows of A, fewer than ROWS, and of B as it lies.
static BERTH_NOINLINE void NAME(micro_direct_rest)(
    int64_t rows, int64_t k, const NAME(a_panel_t) * a, const T *b,
    int64_t b_row, T *c, int64_t c_row, bool add, const berth_ending_t *end) {
  berth_ending_t moved;
  for (int64_t i = 0; i < rows;) {
    if (end != NULL) moved = berth_ending_at(end, i * c_row, 0);
    const berth_ending_t *here = end != NULL ? &moved : NULL;
    const T *from = a->from + i * a->row;
    T *to = c + i * c_row;
    if (ROWS > 8 && rows - i >= 8) {
      NAME(micro)
      (8, 2, k, from, a->row, a->col, b, b_row, to, c_row, add, here);
      i += 8;
    } else if (rows - i >= 4) {
      NAME(micro)
      (4, 2, k, from, a->row, a->col, b, b_row, to, c_row, add, here);
      i += 4;
    } else {
      NAME(micro)
      (1, 2, k, from, a->row, a->col, b, b_row, to, c_row, add, here);
      i += 1;
    }
  }
}

// A panel of |rows| rows, ROWS or fewer, which is packed or has lines, and of B
// as it lies.
static BERTH_NOINLINE void NAME(micro_direct)(int64_t rows, int64_t k,
                                              const NAME(a_panel_t) * a,
                                              const T *b, int64_t b_row, T *c,
                                              int64_t c_row, bool add,
                                              const berth_ending_t *end) {
  if (rows < ROWS) {
    NAME(micro_direct_rest)(rows, k, a, b, b_row, c, c_row, add, end);
  } else if (a->col == 1) {
    NAME(micro)(ROWS, 2, k, a->from, a->row, 1, b, b_row, c, c_row, add, end);
  } else {
    NAME(micro)(ROWS, 2, k, a->from, 1, ROWS, b, b_row, c, c_row, add, end);
  }
}

#if HAS_PARTS
// A panel of |cols| columns, fewer than its vectors have.
static BERTH_NOINLINE void NAME(micro_part)(int64_t cols, int64_t k,
                                            const NAME(a_panel_t) * a,
                                            const T *b, T *c, int64_t c_row,
                                            bool add,
                                            const berth_ending_t *end) {
  if (cols > LANES) {
    NAME(micro_some)
    (ROWS, 2, cols - LANES, k, a->from, a->row, a->col, b, NAME(COLS), c, c_row,
     add, end);
  } else {
    NAME(micro_some)
    (ROWS, 1, cols, k, a->from, a->row, a->col, b, NAME(COLS), c, c_row, add,
     end);
  }
}
#endif

// A panel that is one vector wide.
static BERTH_NOINLINE void NAME(micro_narrow)(int64_t k,
                                              const NAME(a_panel_t) * a,
                                              const T *b, T *c, int64_t c_row,
                                              bool add,
                                              const berth_ending_t *end) {
  NAME(micro)
  (ROWS, 1, k, a->from, a->row, a->col, b, NAME(COLS), c, c_row, add, end);
}

// The last rows: |rows| of them.
static BERTH_NOINLINE void NAME(micro_rest)(int64_t rows, int64_t k,
                                            const NAME(a_panel_t) * a,
                                            const T *b, T *c, int64_t c_row,
                                            bool add,
                                            const berth_ending_t *end) {
  berth_ending_t moved;
  for (int64_t i = 0; i < rows;) {
    const T *from = a->from + i * a->row;
    T *to = c + i * c_row;
    if (end != NULL) moved = berth_ending_at(end, i * c_row, 0);
    const berth_ending_t *here = end != NULL ? &moved : NULL;
    if (ROWS > 8 && rows - i >= 8) {
      NAME(micro)
      (8, 2, k, from, a->row, a->col, b, NAME(COLS), to, c_row, add, here);
      i += 8;
    } else if (rows - i >= 4) {
      NAME(micro)
      (4, 2, k, from, a->row, a->col, b, NAME(COLS), to, c_row, add, here);
      i += 4;
    } else if (rows - i >= 2) {
      NAME(micro)
      (2, 2, k, from, a->row, a->col, b, NAME(COLS), to, c_row, add, here);
      i += 2;
    } else {
      NAME(micro)
      (1, 2, k, from, a->row, a->col, b, NAME(COLS), to, c_row, add, here);
      i += 1;
    }
  }
}

// The product of panels of |rows| rows and |cols| columns. A panel that is not
// as wide as its vectors is padded; its product goes through |edge|.
static void NAME(panels)(int64_t rows, int64_t cols, int64_t k,
                         const NAME(a_panel_t) * a, const T *b, T *c,
                         int64_t c_row, bool add, const berth_ending_t *end) {
  T edge[ROWS * NAME(COLS)];
  T *to = c;
  int64_t to_row = c_row;
  bool is_narrow = cols <= LANES && rows == ROWS;
  bool is_edge = cols < (is_narrow ? LANES : NAME(COLS));
#if HAS_PARTS
  if (is_edge && rows == ROWS) {
    NAME(micro_part)(cols, k, a, b, c, c_row, add, end);
    return;
  }
#endif
  const berth_ending_t *whole = end;
  if (is_edge) {
    end = NULL;
    to = edge;
    to_row = NAME(COLS);
    for (int64_t i = 0; add && i < rows; ++i) {
      memcpy(edge + i * to_row, c + i * c_row, (size_t)cols * sizeof(T));
      for (int64_t j = cols; j < to_row; ++j) edge[i * to_row + j] = 0;
    }
  }
  if (is_narrow) {
    NAME(micro_narrow)(k, a, b, to, to_row, add, end);
  } else if (rows < ROWS) {
    NAME(micro_rest)(rows, k, a, b, to, to_row, add, end);
  } else if (a->col == 1) {
    NAME(micro_lines)(k, a->from, a->row, b, to, to_row, add, end);
  } else {
    NAME(micro_full)(k, a->from, b, to, to_row, add, end);
  }
  if (is_edge && whole != NULL) END_EDGE(rows, cols, edge, whole, c_row);
  for (int64_t i = 0; is_edge && i < rows; ++i) {
    memcpy(c + i * c_row, edge + i * to_row, (size_t)cols * sizeof(T));
  }
}

// Adds to one row of C, |n| long, its products with the rows of B: four rows of
// B for each time that C is read and written.
static void NAME(row_axpy)(int64_t n, int64_t k, const T *a, int64_t a_col,
                           const T *b, int64_t b_row, T *c) {
  for (int64_t j = 0; j < n; ++j) c[j] = 0;
  int64_t p = 0;
  for (; p + 4 <= k; p += 4) {
    const T *b0 = b + p * b_row, *b1 = b0 + b_row, *b2 = b1 + b_row,
            *b3 = b2 + b_row;
    T x0 = a[p * a_col], x1 = a[(p + 1) * a_col], x2 = a[(p + 2) * a_col],
      x3 = a[(p + 3) * a_col];
    for (int64_t j = 0; j < n; ++j) {
      c[j] = (((c[j] + x0 * b0[j]) + x1 * b1[j]) + x2 * b2[j]) + x3 * b3[j];
    }
  }
  for (; p < k; ++p) {
    const T *row = b + p * b_row;
    T x = a[p * a_col];
    for (int64_t j = 0; j < n; ++j) c[j] += x * row[j];
  }
}

// Returns the product of two rows of |k| elements.
static T NAME(dot)(int64_t k, const T *a, const T *b) {
  V sum[4] = {V_(splat)(0), V_(splat)(0), V_(splat)(0), V_(splat)(0)};
  int64_t p = 0;
  for (; p + 4 * LANES <= k; p += 4 * LANES) {
    BERTH_UNROLL
    for (int i = 0; i < 4; ++i) {
      sum[i] = V_(fma)(V_(load)(a + p + i * LANES), V_(load)(b + p + i * LANES),
                       sum[i]);
    }
  }
  T rest = 0;
  for (; p < k; ++p) rest += a[p] * b[p];
  return V_(sum)((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

// Lines of A meet columns of B, a few of which are copied to lines at a time.
enum {
  NAME(NARROW) = BERTH_GEMM_NARROW,
  NAME(LINES) = 2048 / (int)sizeof(T) * 2,  // Elements of such a line.
  // Lines of A that are multiplied together: sums stay in registers.
  NAME(ABREAST) = ROWS > 8 ? 4 : 2,
};

// Adds the products of |rows| lines of A and |cols| lines of B (constants) to
// |c|; vectors alone.
static BERTH_INLINE void NAME(narrow_block)(const int rows, const int cols,
                                            int64_t k, const T *a,
                                            int64_t a_row, const T *lines, T *c,
                                            int64_t c_row) {
  V sum[NAME(ABREAST)][NAME(NARROW)];
  BERTH_UNROLL
  for (int i = 0; i < rows; ++i) {
    BERTH_UNROLL
    for (int j = 0; j < cols; ++j) sum[i][j] = V_(splat)(0);
  }
  for (int64_t p = 0; p < k; p += LANES) {
    V b[NAME(NARROW)];
    BERTH_UNROLL
    for (int j = 0; j < cols; ++j) b[j] = V_(load)(lines + j * NAME(LINES) + p);
    BERTH_UNROLL
    for (int i = 0; i < rows; ++i) {
      V x = V_(load)(a + i * a_row + p);
      BERTH_UNROLL
      for (int j = 0; j < cols; ++j) sum[i][j] = V_(fma)(x, b[j], sum[i][j]);
    }
  }
  BERTH_UNROLL
  for (int i = 0; i < rows; ++i) {
    BERTH_UNROLL
    for (int j = 0; j < cols; ++j) c[i * c_row + j] += V_(sum)(sum[i][j]);
  }
}

// Does all lines of A; |cols| is a constant.
static BERTH_NOINLINE void NAME(narrow_lines)(const berth_gemm_t *gemm,
                                              int64_t k, const T *a,
                                              const T *lines, T *c) {
  const int cols = NAME(NARROW), abreast = NAME(ABREAST);
  T part[NAME(ABREAST) * NAME(NARROW)];
  int64_t whole = k / LANES * LANES;
  for (int64_t i = 0; i < gemm->m; i += abreast) {
    int64_t rows = gemm->m - i < abreast ? gemm->m - i : abreast;
    const T *from = a + i * gemm->a_row;
    T *to = c + i * gemm->c_row;
    for (int q = 0; q < abreast * cols; ++q) part[q] = 0;
    if (rows == abreast) {
      NAME(narrow_block)
      (abreast, cols, whole, from, gemm->a_row, lines, part, cols);
    } else {
      for (int64_t r = 0; r < rows; ++r) {
        NAME(narrow_block)
        (1, cols, whole, from + r * gemm->a_row, 0, lines, part + r * cols, 0);
      }
    }
    for (int64_t r = 0; r < rows; ++r, from += gemm->a_row) {
      for (int64_t j = 0; j < gemm->n; ++j) {
        const T *line = lines + j * NAME(LINES);
        T sum = part[r * cols + j];
        for (int64_t p = whole; p < k; ++p) sum += from[p] * line[p];
        to[r * gemm->c_row + j] += sum;
      }
    }
  }
}

// True where lines of A meet so few columns that panels would be empty.
static bool NAME(is_narrow)(const berth_gemm_t *gemm) {
  return gemm->n > 1 && gemm->n <= NAME(NARROW) && gemm->a_col == 1 &&
         gemm->k >= 4 * LANES;
}

static void NAME(narrow)(const berth_gemm_t *gemm, const T *a, const T *b,
                         T *c) {
  T lines[NAME(NARROW) * NAME(LINES)];
  for (int64_t i = 0; i < gemm->m; ++i) {
    for (int64_t j = 0; j < gemm->n; ++j) c[i * gemm->c_row + j] = 0;
  }
  for (int64_t p = 0; p < gemm->k; p += NAME(LINES)) {
    int64_t k = gemm->k - p < NAME(LINES) ? gemm->k - p : NAME(LINES);
    for (int64_t j = 0; j < NAME(NARROW); ++j) {
      T *line = lines + j * NAME(LINES);
      const T *from = b + p * gemm->b_row + j * gemm->b_col;
      for (int64_t q = 0; q < k; ++q) {
        line[q] = j < gemm->n ? from[q * gemm->b_row] : 0;
      }
    }
    NAME(narrow_lines)(gemm, k, a + p, lines, c);
  }
}

static void NAME(rows)(const berth_gemm_t *gemm, const void *a, const void *b,
                       void *c) {
  if (NAME(is_narrow)(gemm)) {
    NAME(narrow)(gemm, a, b, c);
    return;
  }
  for (int64_t i = 0; i < gemm->m; ++i) {
    const T *from = (const T *)a + i * gemm->a_row;
    T *to = (T *)c + i * gemm->c_row;
    bool is_dot = gemm->n == 1 && gemm->b_row == 1 && gemm->a_col == 1;
    if (gemm->b_col == 1 && !is_dot) {
      NAME(row_axpy)(gemm->n, gemm->k, from, gemm->a_col, b, gemm->b_row, to);
      continue;
    }
    for (int64_t j = 0; j < gemm->n; ++j) {
      to[j] = NAME(dot)(gemm->k, from, (const T *)b + j * gemm->b_col);
    }
  }
}
