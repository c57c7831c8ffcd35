#pragma once
/* What SwiftGlibc does not give: epoll, eventfd, clocks, errno. Linux only; Network/Poller is the one user of epoll. */
#include <errno.h>
#include <stdint.h>
#include <time.h>

static inline int64_t csys_monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000ll + t.tv_nsec;
}
