// Preloaded into a redis-server: the machine's clock plus the seconds that stand in the file CLOCK_AHEAD.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static int file = -1;

__attribute__((constructor)) static void open_file(void) { file = open(getenv("CLOCK_AHEAD"), O_RDONLY); }

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  char text[24] = {0};
  int result = (int)syscall(SYS_gettimeofday, now, zone);
  if (pread(file, text, sizeof text - 1, 0) > 0) now->tv_sec += atol(text);
  return result;
}
