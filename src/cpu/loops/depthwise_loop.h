// depthwise_loop.h - The loops of one type.
//
// A template: include it in depthwise_isa.c once per type, with T, V, V_(x),
// LANES and NAME(x) as gemm_micro.h has them, and
//   END(run, sums, places, at, c)   ends sums of |places| places, which go |at|
//                                   elements behind the begin of y, channel |c|
//   END_ONE(run, sum, at, c)        ends one
//   HAS_MANY                        1: many places of large windows go together

// Places that share the factors of a tap.
#ifndef GROUP
#define GROUP 4
// Of windows of more taps than registers keep; rows of 14 have so many where
// windows of five lie inside.
#define MANY 10
#define SHARED 3  // Taps whose factors are added to at once.
#endif

// |places| places, MANY at most, of the channels from |c| on.
static BERTH_INLINE void NAME(dot_vector)(const berth_depthwise_t *run,
                                          int64_t p, const int places,
                                          int64_t c) {
  V sums[MANY];
  BERTH_UNROLL
  for (int i = 0; i < places; ++i) sums[i] = V_(splat)(0);
  for (int t = 0; t < run->taps; ++t) {
    const T *x = (const T *)(const void *)run->x[t] + p * run->step + c;
    V w = V_(load)((const T *)(const void *)run->w[t] + c);
    BERTH_UNROLL
    for (int i = 0; i < places; ++i) {
      sums[i] = V_(fma)(V_(load)(x + i * run->step), w, sums[i]);
    }
  }
  int64_t at = p * run->apart + c;
  if (run->ending != NULL) END(run, sums, places, at, c);
  T *y = (T *)(void *)run->y + at;
  BERTH_UNROLL
  for (int i = 0; i < places; ++i) V_(store)(y + i * run->apart, sums[i]);
}

// |places| places (a constant) of all channels, as many as a vector has or more:
// some are computed twice where they do not fill the last one.
static BERTH_INLINE void NAME(dot_places)(const berth_depthwise_t *run,
                                          int64_t p, const int places) {
  for (int64_t c = 0; c < run->channels; c += LANES) {
    int64_t last = run->channels - LANES;
    NAME(dot_vector)(run, p, places, c < last ? c : last);
  }
}

#if HAS_MANY
static BERTH_NOINLINE void NAME(dot_many)(const berth_depthwise_t *run,
                                          int64_t p) {
  NAME(dot_places)(run, p, MANY);
}
#endif

static BERTH_NOINLINE void NAME(dot_group)(const berth_depthwise_t *run,
                                           int64_t p) {
  NAME(dot_places)(run, p, GROUP);
}

static BERTH_NOINLINE void NAME(dot_one)(const berth_depthwise_t *run,
                                         int64_t p) {
  NAME(dot_places)(run, p, 1);
}

// All places of fewer channels than a vector has.
static BERTH_NOINLINE void NAME(dot_few)(const berth_depthwise_t *run) {
  for (int64_t p = 0; p < run->places; ++p) {
    for (int64_t c = 0; c < run->channels; ++c) {
      T sum = 0;
      for (int t = 0; t < run->taps; ++t) {
        const T *x = (const T *)(const void *)run->x[t];
        const T *w = (const T *)(const void *)run->w[t];
        sum += x[p * run->step + c] * w[c];
      }
      int64_t at = p * run->apart + c;
      if (run->ending != NULL) END_ONE(run, sum, at, c);
      ((T *)(void *)run->y)[at] = sum;
    }
  }
}

static void NAME(dot)(const berth_depthwise_t *run) {
  int64_t p = 0;
  if (run->channels < LANES) {
    NAME(dot_few)(run);
    return;
  }
#if HAS_MANY
  enum { FEW_TAPS = 4 };
  for (; run->taps > FEW_TAPS && p + MANY <= run->places; p += MANY) {
    NAME(dot_many)(run, p);
  }
#endif
  for (; run->places < GROUP && p < run->places; ++p) NAME(dot_one)(run, p);
  for (; p < run->places; p += GROUP) {
    // The last ones go with some that are computed again, which costs less than
    // one by one.
    if (run->places - p < GROUP) p = run->places - GROUP;
    NAME(dot_group)(run, p);
  }
}

// Adds to the factors of |taps| taps (a constant) from |first| on, SHARED at
// most: what meets them all is read once.
static BERTH_INLINE void NAME(add_taps)(const berth_depthwise_t *run, int first,
                                        const int taps) {
  const T *x[SHARED], *y = (const T *)(const void *)run->y;
  T *w[SHARED];
  int64_t step = run->step, apart = run->apart, c = 0;
  for (int t = 0; t < taps; ++t) {
    x[t] = (const T *)(const void *)run->x[first + t];
    w[t] = (T *)(void *)run->w[first + t];
  }
  for (; c + LANES <= run->channels; c += LANES) {
    // Two sums, so that one product need not wait for the last.
    V even[SHARED], odd[SHARED];
    BERTH_UNROLL
    for (int t = 0; t < taps; ++t) {
      even[t] = V_(load)(w[t] + c);
      odd[t] = V_(splat)(0);
    }
    int64_t p = 0;
    for (; p + 2 <= run->places; p += 2) {
      V here = V_(load)(y + p * apart + c);
      V next = V_(load)(y + (p + 1) * apart + c);
      BERTH_UNROLL
      for (int t = 0; t < taps; ++t) {
        const T *at = x[t] + p * step + c;
        even[t] = V_(fma)(V_(load)(at), here, even[t]);
        odd[t] = V_(fma)(V_(load)(at + step), next, odd[t]);
      }
    }
    BERTH_UNROLL
    for (int t = 0; t < taps; ++t) {
      if (p < run->places) {
        even[t] = V_(fma)(V_(load)(x[t] + p * step + c),
                          V_(load)(y + p * apart + c), even[t]);
      }
      V_(store)(w[t] + c, even[t] + odd[t]);
    }
  }
  for (; c < run->channels; ++c) {
    for (int t = 0; t < taps; ++t) {
      T sum = w[t][c];
      for (int64_t p = 0; p < run->places; ++p) {
        sum += x[t][p * step + c] * y[p * apart + c];
      }
      w[t][c] = sum;
    }
  }
}

static void NAME(add)(const berth_depthwise_t *run) {
  int t = 0;
#if HAS_MANY
  for (; t + SHARED <= run->taps; t += SHARED) {
    NAME(add_taps)(run, t, SHARED);
  }
#endif
  for (; t < run->taps; ++t) NAME(add_taps)(run, t, 1);
}
