// edge PROXYPORT CONTROLPORT CONNS RATE: how sharp the edges of the proxy's faults are on CONNS live connections.
//
// Sends 100-byte messages at RATE a second in all, round robin, through a proxy named "bench" to an echo server. Adds a
// held blackhole in the middle, takes it off a second later, then resets all. Prints
//   start_ms    from the first message that was held to the last that still passed, by their sending (0: a clean edge)
//   release_ms  from the answer to the removal until the last held message was back
//   reset_ms    from the request of the reset until the last connection was reset
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 100, MOST = 400000 };
static int64_t sent[MOST], back[MOST];
static int ep, connections, *descriptors, *received;
static long total;
static unsigned char message[SIZE], buffer[65536];

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int dial(int port) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a)) {
    perror("connect");
    exit(1);
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

/* The connection is made beforehand, so that what is timed is the request alone. */
static void request(int fd, const char *method, const char *path, const char *body) {
  char text[1024], answer[4096];
  int n = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: bench\r\nContent-Length: %zu\r\n\r\n%s", method, path,
                   strlen(body), body);
  if (send(fd, text, n, 0) != n) exit(1);
  ssize_t r = recv(fd, answer, sizeof answer - 1, 0);
  if (r < 12 || answer[9] != '2') {
    fprintf(stderr, "%s %s: %.*s\n", method, path, (int)r, answer);
    exit(1);
  }
}

/* Messages of one connection come back in the order they went, so the k-th back is the k-th sent on it. */
static int take(int timeout) {
  struct epoll_event events[1024];
  int n = epoll_wait(ep, events, 1024, timeout), gone = 0;
  int64_t at = now();
  for (int i = 0; i < n; i++) {
    int c = events[i].data.u32;
    ssize_t r;
    while ((r = recv(descriptors[c], buffer, sizeof buffer, MSG_DONTWAIT)) > 0) {
      int before = received[c] / SIZE, after = (received[c] += r) / SIZE;
      for (int k = before; k < after; k++) back[(long)k * connections + c] = at;
    }
    if (r == 0 || errno != EAGAIN) {
      epoll_ctl(ep, EPOLL_CTL_DEL, descriptors[c], NULL);
      gone++;
    }
  }
  return gone;
}

static void load(double seconds, double rate) {
  int64_t start = now(), end = start + (int64_t)(seconds * 1e9);
  long first = total;
  for (int64_t t; (t = now()) < end;) {
    while (total < MOST && start + (int64_t)((total - first) * 1e9 / rate) <= t) {
      sent[total] = now();
      if (send(descriptors[total % connections], message, SIZE, MSG_DONTWAIT) != SIZE) {
        perror("send");
        exit(1);
      }
      total++;
    }
    take(0);
  }
}

int main(int argc, char **argv) {
  if (argc < 5) return 2;
  connections = atoi(argv[3]);
  double rate = atof(argv[4]);
  descriptors = calloc(connections, sizeof *descriptors);
  received = calloc(connections, sizeof *received);
  ep = epoll_create1(0);
  for (int i = 0; i < connections; i++) {
    descriptors[i] = dial(atoi(argv[1]));
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
    epoll_ctl(ep, EPOLL_CTL_ADD, descriptors[i], &event);
  }
  int control = dial(atoi(argv[2]));
  load(1, rate);
  long before = total;
  request(control, "POST", "/v1/proxies/bench/faults", "{fault:'blackhole',name:'edge',direction:'up'}");
  load(1, rate);
  long held = 0;
  int64_t last = 0, first = INT64_MAX;
  for (long i = 0; i < total; i++) {
    if (back[i] && sent[i] > last) last = sent[i];
    if (!back[i] && sent[i] < first) first = sent[i];
    held += !back[i];
  }
  double start_ms = last > first ? (last - first) / 1e6 : 0;
  request(control, "DELETE", "/v1/proxies/bench/faults/edge", "");
  int64_t removed = now(), until = removed + 3000000000ll;
  long waiting = held;
  while (waiting && now() < until) {
    take(1);
    waiting = 0;
    for (long i = 0; i < total; i++) waiting += !back[i];
  }
  int64_t newest = 0;
  for (long i = 0; i < total; i++)
    if (back[i] > newest) newest = back[i];
  int64_t began = now();
  request(control, "POST", "/v1/proxies/bench/faults", "{fault:'reset',name:'cut'}");
  int gone = 0;
  int64_t end = began;
  while (gone < connections && now() < began + 3000000000ll) {
    int more = take(1);
    gone += more;
    if (more) end = now();
  }
  printf("{\"connections\":%d,\"sent\":%ld,\"before\":%ld,\"held\":%ld,\"lost\":%ld,\"start_ms\":%.2f,\"release_ms\":%.2f,"
         "\"reset\":%d,\"reset_ms\":%.2f}\n",
         connections, total, before, held, waiting, start_ms, (newest - removed) / 1e6, gone, (end - began) / 1e6);
  return 0;
}
