#define _GNU_SOURCE 1
#include "csys.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

static int64_t clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000ll + t.tv_nsec;
}
int64_t csys_process_cpu_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }
int64_t csys_thread_cpu_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

static int result(int value) { return value < 0 ? -errno : value; }

int csys_poll_create(void) { return result(epoll_create1(EPOLL_CLOEXEC)); }

static int poll_add(int poll, int fd, uint64_t data, uint32_t events) {
  struct epoll_event event = {.events = events, .data.u64 = data};
  return result(epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event));
}
int csys_poll_add(int poll, int fd, uint64_t data) {
  return poll_add(poll, fd, data, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
}
int csys_poll_add_level(int poll, int fd, uint64_t data) { return poll_add(poll, fd, data, EPOLLIN); }
int csys_poll_remove(int poll, int fd) {
  struct epoll_event event = {0};
  return result(epoll_ctl(poll, EPOLL_CTL_DEL, fd, &event));
}

#define BATCH 256
int csys_poll_wait(int poll, struct csys_event *events, int count, int64_t timeout, int precise) {
  struct epoll_event batch[BATCH];
  int n;
  if (count > BATCH) count = BATCH;
  if (timeout <= 0) {
    n = epoll_wait(poll, batch, count, timeout < 0 ? -1 : 0);
  } else if (precise) {
    /* The kernel's own layout: two 64-bit numbers. */
    struct { int64_t seconds, nanoseconds; } wait = {timeout / 1000000000ll, timeout % 1000000000ll};
    n = (int)syscall(SYS_epoll_pwait2, poll, batch, count, &wait, NULL, (size_t)0);
  } else {
    int64_t milliseconds = (timeout + 999999) / 1000000;
    n = epoll_wait(poll, batch, count, milliseconds > 1000000000 ? 1000000000 : (int)milliseconds);
  }
  if (n < 0) return -errno;
  for (int i = 0; i < n; i++) {
    uint32_t e = batch[i].events;
    events[i].data = batch[i].data.u64;
    events[i].events = (e & EPOLLIN ? CSYS_IN : 0) | (e & EPOLLOUT ? CSYS_OUT : 0) |
                       (e & EPOLLRDHUP ? CSYS_PEER_CLOSED : 0) | (e & EPOLLHUP ? CSYS_HUNG_UP : 0) |
                       (e & EPOLLERR ? CSYS_ERROR : 0);
  }
  return n;
}

int csys_wakeup_create(void) { return result(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)); }
void csys_wakeup_signal(int fd) {
  uint64_t one = 1;
  ssize_t ignored = write(fd, &one, sizeof one);
  (void)ignored;
}
void csys_wakeup_drain(int fd) {
  uint64_t value;
  ssize_t ignored = read(fd, &value, sizeof value);
  (void)ignored;
}
int csys_timer_create(void) { return result(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)); }
int csys_timer_set(int fd, int64_t nanoseconds) {
  struct itimerspec value = {{0, 0}, {nanoseconds / 1000000000ll, nanoseconds % 1000000000ll}};
  return result(timerfd_settime(fd, 0, &value, NULL));
}
void csys_precise_timers(void) { prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul); }
void csys_thread_name(const char *name) { pthread_setname_np(pthread_self(), name); }

static socklen_t to_system(const struct csys_address *a, struct sockaddr_storage *s) {
  memset(s, 0, sizeof *s);
  if (a->family == 6) {
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)s;
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(a->port);
    v6->sin6_scope_id = a->scope;
    memcpy(&v6->sin6_addr, a->bytes, 16);
    return sizeof *v6;
  }
  struct sockaddr_in *v4 = (struct sockaddr_in *)s;
  v4->sin_family = AF_INET;
  v4->sin_port = htons(a->port);
  memcpy(&v4->sin_addr, a->bytes, 4);
  return sizeof *v4;
}
static int from_system(const struct sockaddr *s, struct csys_address *a) {
  memset(a, 0, sizeof *a);
  if (s->sa_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)s;
    a->family = 6;
    a->port = ntohs(v6->sin6_port);
    a->scope = v6->sin6_scope_id;
    memcpy(a->bytes, &v6->sin6_addr, 16);
    return 0;
  }
  if (s->sa_family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)s;
    a->family = 4;
    a->port = ntohs(v4->sin_port);
    memcpy(a->bytes, &v4->sin_addr, 4);
    return 0;
  }
  return -EAFNOSUPPORT;
}

int csys_socket(int family) {
  return result(socket(family == 6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}
static int set_flag(int fd, int level, int option) {
  int one = 1;
  return result(setsockopt(fd, level, option, &one, sizeof one));
}
int csys_reuse_address(int fd) { return set_flag(fd, SOL_SOCKET, SO_REUSEADDR); }
int csys_no_delay(int fd) { return set_flag(fd, IPPROTO_TCP, TCP_NODELAY); }
int csys_bind(int fd, const struct csys_address *address, int late_port) {
  struct sockaddr_storage s;
  socklen_t size = to_system(address, &s);
  if (late_port) set_flag(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT);
  return result(bind(fd, (struct sockaddr *)&s, size));
}
int csys_listen(int fd, int backlog) { return result(listen(fd, backlog)); }
int csys_connect(int fd, const struct csys_address *address) {
  struct sockaddr_storage s;
  socklen_t size = to_system(address, &s);
  return result(connect(fd, (struct sockaddr *)&s, size));
}
int csys_accept(int fd, struct csys_address *peer) {
  struct sockaddr_storage s;
  socklen_t size = sizeof s;
  int accepted = accept4(fd, (struct sockaddr *)&s, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (accepted < 0) return -errno;
  from_system((struct sockaddr *)&s, peer);
  return accepted;
}
int csys_local_address(int fd, struct csys_address *address) {
  struct sockaddr_storage s;
  socklen_t size = sizeof s;
  if (getsockname(fd, (struct sockaddr *)&s, &size) < 0) return -errno;
  return from_system((struct sockaddr *)&s, address);
}
int csys_peer_address(int fd, struct csys_address *address) {
  struct sockaddr_storage s;
  socklen_t size = sizeof s;
  if (getpeername(fd, (struct sockaddr *)&s, &size) < 0) return -errno;
  return from_system((struct sockaddr *)&s, address);
}
int csys_take_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0) return errno;
  return error;
}
ptrdiff_t csys_read(int fd, void *bytes, size_t count) {
  ssize_t n;
  do n = recv(fd, bytes, count, 0);
  while (n < 0 && errno == EINTR);
  return n < 0 ? -errno : n;
}
ptrdiff_t csys_send(int fd, const void *bytes, size_t count) {
  ssize_t n;
  do n = send(fd, bytes, count, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  return n < 0 ? -errno : n;
}
int csys_pipe_create(int fds[2], int size) {
  struct sigaction action;
  /* Unlike send, splice has no flag against the signal. */
  if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL) signal(SIGPIPE, SIG_IGN);
  if (pipe2(fds, O_NONBLOCK | O_CLOEXEC) < 0) return -errno;
  /* Where the user's share of pipe memory is used up the pipe keeps its own size. */
  fcntl(fds[1], F_SETPIPE_SZ, size);
  return 0;
}
ptrdiff_t csys_splice(int from, int to, size_t count) {
  ssize_t n;
  do n = splice(from, NULL, to, NULL, count, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  while (n < 0 && errno == EINTR);
  return n < 0 ? -errno : n;
}
int csys_shutdown_write(int fd) { return result(shutdown(fd, SHUT_WR)); }
int csys_reset_on_close(int fd) {
  struct linger value = {1, 0};
  return result(setsockopt(fd, SOL_SOCKET, SO_LINGER, &value, sizeof value));
}
int csys_close(int fd) { return result(close(fd)); }
int64_t csys_raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  return limit.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)limit.rlim_cur;
}

int csys_resolve(const char *host, struct csys_address *addresses, int count) {
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG}, *list = NULL;
  int code = getaddrinfo(host, NULL, &hints, &list);
  if (code == EAI_NONAME || code == EAI_ADDRFAMILY) { /* a machine with only loopback has no configured address */
    hints.ai_flags = 0;
    code = getaddrinfo(host, NULL, &hints, &list);
  }
  if (code != 0) return code < 0 ? code : -code;
  int n = 0;
  for (struct addrinfo *i = list; i && n < count; i = i->ai_next) {
    if (from_system(i->ai_addr, &addresses[n]) == 0) n++;
  }
  freeaddrinfo(list);
  return n;
}
const char *csys_resolve_text(int code) { return gai_strerror(code); }
