#pragma once
/* What SwiftGlibc does not give, or gives only through varargs and unions: epoll, eventfd, clocks, socket calls.
   Every call answers a result >= 0, or -errno. Do not define _GNU_SOURCE here: it changes fd_set for SwiftGlibc. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

static inline int64_t csys_monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* CPU time of the whole process and of the calling thread. */
int64_t csys_process_cpu_ns(void);
int64_t csys_thread_cpu_ns(void);

/* Readiness. Network/Poller/EpollPoller.swift is the one user. */
enum { CSYS_IN = 1, CSYS_OUT = 2, CSYS_PEER_CLOSED = 4, CSYS_HUNG_UP = 8, CSYS_ERROR = 16 };
struct csys_event {
  uint64_t data;
  uint32_t events;
};
int csys_poll_create(void);
/* Edge-triggered for everything above. */
int csys_poll_add(int poll, int fd, uint64_t data);
/* Level-triggered for reading alone; for the wake-up descriptors. */
int csys_poll_add_level(int poll, int fd, uint64_t data);
int csys_poll_remove(int poll, int fd);
/* Waits at most `timeout` nanoseconds (negative: for ever). precise 0: rounds up to milliseconds. */
int csys_poll_wait(int poll, struct csys_event *events, int count, int64_t timeout, int precise);
int csys_wakeup_create(void);
void csys_wakeup_signal(int fd);
void csys_wakeup_drain(int fd);
int csys_timer_create(void);
/* Fires once after `nanoseconds` (> 0); 0 stops it. */
int csys_timer_set(int fd, int64_t nanoseconds);
/* Timer slack of 1 ns for the calling thread, and a name that a debugger shows. */
void csys_precise_timers(void);
void csys_thread_name(const char *name);

/* Sockets: TCP, non-blocking, close-on-exec. family is 4 or 6; bytes are in network order. */
struct csys_address {
  uint8_t bytes[16];
  uint32_t scope;
  uint16_t port;
  uint8_t family;
};
int csys_socket(int family);
int csys_reuse_address(int fd);
int csys_no_delay(int fd);
/* late_port: the port is chosen when connecting, so that one port serves several destinations. */
int csys_bind(int fd, const struct csys_address *address, int late_port);
int csys_listen(int fd, int backlog);
int csys_connect(int fd, const struct csys_address *address);
int csys_accept(int fd, struct csys_address *peer);
int csys_local_address(int fd, struct csys_address *address);
int csys_peer_address(int fd, struct csys_address *address);
/* Reads and clears SO_ERROR: a positive errno, or 0. */
int csys_take_error(int fd);
ptrdiff_t csys_read(int fd, void *bytes, size_t count);
ptrdiff_t csys_send(int fd, const void *bytes, size_t count);
/* A pipe (fds[0] to read, fds[1] to write) of `size` bytes if the system grants that, for csys_splice. Ignores SIGPIPE
   from here on unless the program has decided about it, since a splice to a connection that is gone would raise it. */
int csys_pipe_create(int fds[2], int size);
/* Moves bytes between a socket and a pipe without copying them here. */
ptrdiff_t csys_splice(int from, int to, size_t count);
int csys_shutdown_write(int fd);
/* The close that follows sends an RST. */
int csys_reset_on_close(int fd);
int csys_close(int fd);
/* Soft limit of descriptors, raised to the hard one. */
int64_t csys_raise_descriptor_limit(void);

/* Blocking look-up; answers how many were written, or the negated EAI_ code (text from csys_resolve_text). */
int csys_resolve(const char *host, struct csys_address *addresses, int count);
const char *csys_resolve_text(int code);
