// gemm_tile.h - One tile of a product: packing, and the loops over panels.
//
// A template: include it in gemm_isa.c once per stored type, with these
// defined.
//   S          the type of A and B in memory
//   T, ROWS    and the rest of gemm_micro.h: the type that is computed with
//   GET(x)     a stored element as T
//   PACK(x)    makes a name of the stored type
//   NAME(x)    makes a name of the computed type
//   COPY(o,s)  stores a vector of elements at |o|, read at |s|
//   LINE(s,k,o)  returns |k| elements at |s| as T, in |o| if they must be made
//   SPARE_LINE   elements between such lines in the buffer; 0: not needed, and
//                lines of A can be read where they are
//   WEAVE_ALL(from, step, k, out, stride)  optional: packs LANES lines at once
//   COPY_PART(o, s, count)  optional: copies fewer elements than LANES
//
// For each BERTH_GEMM_DEPTH rows of B:
//   1. B is packed into panels of two vectors' width, the last one padded,
//      unless it is read as it lies
//   2. A is packed into panels of ROWS rows, unless its lines can be read as
//      they are
//   3. every panel of B meets every panel of A; the panel of B stays in the
//      first-level cache meanwhile, A in the second

// Packs |lines| lines of |k| elements, |step| apart, each element |along| from
// the one before: element p of line i goes to out[p * stride + i].
static void PACK(pack)(const S *from, int64_t step, int64_t along,
                       int64_t lines, int64_t k, T *out, int64_t stride) {
  int64_t i = 0;
  if (step == 1) {
    for (; i + LANES <= lines; i += LANES) {
      for (int64_t p = 0; p < k; ++p) {
        COPY(out + p * stride + i, from + p * along + i);
      }
    }
    for (int64_t p = 0; p < k && i < lines; ++p) {
#if defined(COPY_PART)
      COPY_PART(out + p * stride + i, from + p * along + i, lines - i);
#else
      for (int64_t j = i; j < lines; ++j) {
        out[p * stride + j] = GET(from[p * along + j]);
      }
#endif
    }
    return;
  }
#if defined(WEAVE_ALL)
  for (; along == 1 && i + LANES <= lines; i += LANES) {
    WEAVE_ALL(from + i * step, step, k, out + i, stride);
  }
#endif
  for (; along == 1 && i + 4 <= lines; i += 4) {
    T buffer[4 * SPARE_LINE + 1];
    const T *line[4];
    for (int q = 0; q < 4; ++q) {
      line[q] = LINE(from + (i + q) * step, k, buffer + q * SPARE_LINE);
    }
    NAME(weave)(line, k, out + i, stride);
  }
  for (; i < lines; ++i) {
    const S *line = from + i * step;
    for (int64_t p = 0; p < k; ++p) out[p * stride + i] = GET(line[p * along]);
  }
}

// Packs the whole panels of B, whose rows lie side by side: CHUNK rows at a
// time, read along, because rows far apart cost more than panels far apart.
static void PACK(pack_rows)(const berth_gemm_t *gemm, const S *b, int64_t k,
                            int64_t n, T *out) {
  enum { CHUNK = 8 };
  for (int64_t p = 0; p < k; p += CHUNK) {
    int64_t end = p + CHUNK < k ? p + CHUNK : k;
    for (int64_t j = 0; j < n; j += NAME(COLS)) {
      T *to = out + j * k + p * NAME(COLS);
      const S *from = b + p * gemm->b_row + j;
      for (int64_t q = p; q < end; ++q) {
        COPY(to, from);
        COPY(to + LANES, from + LANES);
        to += NAME(COLS);
        from += gemm->b_row;
      }
    }
  }
}

// Packs |k| rows of B into panels.
static void PACK(pack_b)(const berth_gemm_t *gemm, const S *b, int64_t k,
                         T *out) {
  int64_t j = 0;
  if (gemm->b_col == 1) {
    j = gemm->n / NAME(COLS) * NAME(COLS);
    PACK(pack_rows)(gemm, b, k, j, out);
  }
  for (; j < gemm->n; j += NAME(COLS)) {
    int64_t cols = gemm->n - j < NAME(COLS) ? gemm->n - j : NAME(COLS);
    T *to = out + j * k;
    if (cols < NAME(COLS)) {
      memset(to, 0, (size_t)(k * NAME(COLS)) * sizeof(T));
    }
    PACK(pack)
    (b + j * gemm->b_col, gemm->b_col, gemm->b_row, cols, k, to, NAME(COLS));
  }
}

// Copies a column of a panel of A, whose elements lie side by side.
static BERTH_INLINE void PACK(copy_column)(T *to, const S *from) {
  if (SPARE_LINE == 0) {
    memcpy(to, from, ROWS * sizeof(T));
    return;
  }
  BERTH_UNROLL
  for (int i = 0; i < ROWS; ++i) to[i] = GET(from[i]);
}

// Packs the whole panels of A, whose columns lie side by side, up to row |m|: as
// pack_rows() does.
static void PACK(pack_columns)(const berth_gemm_t *gemm, const S *a, int64_t k,
                               int64_t m, T *out) {
  enum { CHUNK = 8 };
  for (int64_t p = 0; p < k; p += CHUNK) {
    int64_t end = p + CHUNK < k ? p + CHUNK : k;
    for (int64_t i = 0; i < m; i += ROWS) {
      const S *from = a + p * gemm->a_col + i;
      T *to = out + i * k + p * ROWS;
      for (int64_t q = p; q < end; ++q, to += ROWS, from += gemm->a_col) {
        PACK(copy_column)(to, from);
      }
    }
  }
}

// Packs |k| columns of A into panels.
static void PACK(pack_a)(const berth_gemm_t *gemm, const S *a, int64_t k,
                         T *out) {
  int64_t whole = gemm->a_row == 1 ? gemm->m / ROWS * ROWS : 0;
  PACK(pack_columns)(gemm, a, k, whole, out);
  out += whole * k;
  for (int64_t i = whole; i < gemm->m; i += ROWS) {
    int64_t rows = gemm->m - i < ROWS ? gemm->m - i : ROWS;
    PACK(pack)
    (a + i * gemm->a_row, gemm->a_row, gemm->a_col, rows, k, out, rows);
    out += k * rows;
  }
}

// Has lines [i, end) of A come, as far as there are so many.
static BERTH_INLINE void PACK(call_lines)(const berth_gemm_t *gemm, const S *a,
                                          int64_t k, int64_t i, int64_t end) {
  enum { LINE_SIZE = 64 / sizeof(S) };
  end = end < gemm->m ? end : gemm->m;
  for (; i < end; ++i) {
    const S *line = a + i * gemm->a_row;
    for (int64_t p = 0; p < k; p += LINE_SIZE) __builtin_prefetch(line + p);
  }
}

// True when the last |left| lines go together, one more than a panel has.
static bool PACK(takes_more)(const berth_gemm_t *gemm, int64_t left) {
  return NAME(MOST) > ROWS && left == NAME(MOST) &&
         gemm->n % NAME(COLS) == 0;
}

// Computes the tile from |k| columns of A and rows of B, adding to |c| or not;
// |end| is done to the sums, unless it is NULL.
static void PACK(slice)(const berth_gemm_t *gemm, const S *a, const T *b,
                        int64_t k, T *c, T *packed_a, bool add,
                        const berth_ending_t *end) {
  bool is_direct = SPARE_LINE == 0 && NAME(reads_lines)(gemm);
  if (!is_direct) PACK(pack_a)(gemm, a, k, packed_a);
  // Some of the next lines come while each panel of B is multiplied, so that
  // none has to be waited for.
  int64_t panels = (gemm->n + NAME(COLS) - 1) / NAME(COLS);
  int64_t share = (ROWS + panels - 1) / panels;
  int64_t rows = 0;
  for (int64_t i = 0; i < gemm->m; i += rows) {
    rows = gemm->m - i < ROWS ? gemm->m - i : ROWS;
    if (is_direct && PACK(takes_more)(gemm, gemm->m - i)) ++rows;
    int64_t coming = i + rows;
    for (int64_t j = 0; j < gemm->n; j += NAME(COLS)) {
      int64_t cols = gemm->n - j < NAME(COLS) ? gemm->n - j : NAME(COLS);
      T *to = c + i * gemm->c_row + j;
      NAME(a_panel_t) panel = {packed_a + i * k, 1, rows};
      if (is_direct) {
        if (coming < i + rows + ROWS) {
          PACK(call_lines)(gemm, a, k, coming, coming + share);
          coming += share;
        }
        panel = (NAME(a_panel_t)){
            (const T *)(const void *)(a + i * gemm->a_row), gemm->a_row, 1};
      }
      berth_ending_t here;
      if (end != NULL) here = berth_ending_at(end, i * gemm->c_row + j, j);
      const berth_ending_t *ends = end != NULL ? &here : NULL;
      if (is_direct && rows >= ROWS && cols == NAME(COLS)) {
        (rows > ROWS ? NAME(micro_more) : NAME(micro_lines))(
            k, panel.from, panel.row, b + j * k, to, gemm->c_row, add, ends);
        continue;
      }
      NAME(panels)
      (rows, cols, k, &panel, b + j * k, to, gemm->c_row, add, ends);
    }
  }
}

// True when packing B costs more than reading it as it lies: unless its rows all
// meet in the same set of the cache, or are few and C is what takes time.
static bool PACK(reads_b)(const berth_gemm_t *gemm) {
  enum { FEW = 4 * ROWS, LONG = 128, SET = 4096 };
  if (SPARE_LINE != 0 || gemm->b_col != 1 || gemm->is_packed ||
      gemm->n % NAME(COLS) != 0) {
    return false;
  }
  if (gemm->a_col != 1) return gemm->k >= LONG;
  return gemm->m <= FEW || gemm->b_row * (int64_t)sizeof(T) % SET != 0;
}

// As slice(), from B as it lies. What a panel of A needs of it is in the
// first-level cache when the next one comes.
static void PACK(slice_direct)(const berth_gemm_t *gemm, const S *a, const S *b,
                               int64_t k, T *c, T *packed_a, bool add,
                               const berth_ending_t *end) {
  bool has_lines =
      gemm->a_col == 1 && (gemm->m <= 4 * ROWS || NAME(reads_lines)(gemm));
  if (!has_lines) PACK(pack_a)(gemm, a, k, packed_a);
  for (int64_t j = 0; j < gemm->n; j += NAME(COLS)) {
    for (int64_t i = 0; i < gemm->m; i += ROWS) {
      int64_t rows = gemm->m - i < ROWS ? gemm->m - i : ROWS;
      NAME(a_panel_t) panel = {packed_a + i * k, 1, rows};
      if (has_lines) {
        panel = (NAME(a_panel_t)){
            (const T *)(const void *)(a + i * gemm->a_row), gemm->a_row, 1};
      }
      berth_ending_t here;
      if (end != NULL) here = berth_ending_at(end, i * gemm->c_row + j, j);
      NAME(micro_direct)
      (rows, k, &panel, (const T *)(const void *)(b + j), gemm->b_row,
       c + i * gemm->c_row + j, gemm->c_row, add, end != NULL ? &here : NULL);
    }
  }
}

// Computes the tile into |c|, which has the rows of |gemm|.
static void PACK(tile_straight)(const berth_gemm_t *gemm, const S *a,
                                const S *b, T *c, T *space) {
  bool packs_a = SPARE_LINE != 0 || !NAME(reads_lines)(gemm);
  for (int64_t p = 0; p < gemm->k; p += BERTH_GEMM_DEPTH) {
    int64_t k = gemm->k - p < BERTH_GEMM_DEPTH ? gemm->k - p : BERTH_GEMM_DEPTH;
    bool adds = p > 0 || gemm->adds;
    const berth_ending_t *end = p + k == gemm->k ? gemm->ending : NULL;
    if (PACK(reads_b)(gemm)) {
      PACK(slice_direct)
      (gemm, a + p * gemm->a_col, b + p * gemm->b_row, k, c, space, adds, end);
      continue;
    }
    T *packed_b = space + (packs_a ? (k * gemm->m + 15) / 16 * 16 : 0);
    const T *panels = packed_b;
    if (gemm->is_packed) {
      panels = (const T *)(const void *)b + p * gemm->b_row + gemm->b_col * k;
    } else {
      PACK(pack_b)(gemm, b + p * gemm->b_row, k, packed_b);
    }
    PACK(slice)
    (gemm, a + p * gemm->a_col, panels, k, c, space, adds, end);
  }
  for (int64_t i = 0; gemm->k == 0 && i < gemm->m; ++i) {
    memset(c + i * gemm->c_row, 0, (size_t)gemm->n * sizeof(T));
  }
}

// True when few rows of A meet a transposed B: then A, which is smaller, is
// what is better brought into panels, and the columns of B are read as lines.
static bool PACK(turns)(const berth_gemm_t *gemm) {
  enum { LEAST = 10, WIDER = 4 };
  // Vectors that are not full are multiplied in vain.
  int64_t wide = (gemm->m + LANES - 1) / LANES * LANES;
  berth_gemm_t turned = {.a_row = gemm->b_col, .a_col = gemm->b_row};
  return SPARE_LINE == 0 && gemm->b_row == 1 && gemm->a_col == 1 &&
         NAME(reads_lines)(&turned) && gemm->m >= LEAST &&
         6 * gemm->m >= 5 * wide && gemm->m * WIDER <= gemm->n &&
         gemm->m <= gemm->k && gemm->m <= BERTH_GEMM_DEPTH &&
         !gemm->is_packed && !gemm->adds && gemm->ending == NULL;
}

// Computes the tile the other way round. Sums are the same: their products are
// added in the same order.
static void PACK(tile_turned)(const berth_gemm_t *gemm, const S *a, const S *b,
                              T *c, T *space) {
  berth_gemm_t turned = {.m = gemm->n,
                         .n = gemm->m,
                         .k = gemm->k,
                         .a_row = gemm->b_col,
                         .a_col = gemm->b_row,
                         .b_row = gemm->a_col,
                         .b_col = gemm->a_row,
                         .c_row = gemm->m};
  PACK(tile_straight)
  (&turned, b, a, space, space + (gemm->m * gemm->n + 15) / 16 * 16);
  NAME(pack)
  (space, gemm->m, 1, gemm->n, gemm->m, c, gemm->c_row);
}

static void PACK(tile)(const berth_gemm_t *gemm, const S *a, const S *b, T *c,
                       T *space) {
  if (PACK(turns)(gemm)) {
    PACK(tile_turned)(gemm, a, b, c, space);
  } else {
    PACK(tile_straight)(gemm, a, b, c, space);
  }
}

// Packs a slice of B, as berth_gemm_pack_fn.
static void PACK(pack_slice)(const berth_gemm_t *gemm, const void *b, int64_t p,
                             void *out) {
  int64_t k = gemm->k - p < BERTH_GEMM_DEPTH ? gemm->k - p : BERTH_GEMM_DEPTH;
  T *to = (T *)out + p * berth_gemm_width(gemm->n);
  // The last panels of the width may be missing.
  int64_t whole = (gemm->n + NAME(COLS) - 1) / NAME(COLS) * NAME(COLS);
  memset(to + whole * k, 0,
         (size_t)((berth_gemm_width(gemm->n) - whole) * k) * sizeof(T));
  PACK(pack_b)(gemm, (const S *)b + p * gemm->b_row, k, to);
}
