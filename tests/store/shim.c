/* Write steps below one folder, as the C library sees them: counted, made to fail on demand, and noted in a journal.
 *
 * Loaded with LD_PRELOAD into a process of its own (`tests/store/shim.py`), it stands between every library in it, SQLite
 * and Python alike, and the system. `shim_arm` chooses the folder and which step fails how; `shim_journal` names a file
 * that takes a record per step, from which a power cut can be played back; `shim_mark` notes what was acknowledged.
 * `shim_slow` makes each sync slower, as a slower disk does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { NONE, FAIL_EIO, FAIL_ENOSPC, SHORT, END, TORN };
enum { FILES = 4096 };

static char folder[4096];
static size_t folder_length;
static long steps, fails_at;
static enum kind how;
static int lasting, tripped, journal = -1;
static int64_t room = -1; /* bytes that may still be taken, -1: any number */
static useconds_t slowness; /* microseconds that a sync takes beside its own */
static char names[FILES][512];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int below(const char *path) {
  return folder_length && path && !strncmp(path, folder, folder_length) &&
         (path[folder_length] == '/' || path[folder_length] == 0);
}
static int ours(int fd) { return fd >= 0 && fd < FILES && names[fd][0]; }

static void put(const void *data, size_t n) {
  while (n) {
    long done = syscall(SYS_write, journal, data, n);
    if (done <= 0) return;
    data = (const char *)data + done;
    n -= (size_t)done;
  }
}
/* A record: type, inode, offset, lengths of a name and of data, then both. */
static void note(char type, uint64_t inode, int64_t offset, const char *name, const void *data, uint64_t size) {
  if (journal < 0) return;
  uint64_t head[5] = {(uint64_t)type, inode, (uint64_t)offset, strlen(name), data ? size : 0};
  put(head, sizeof head);
  put(name, head[3]);
  if (data) put(data, size);
}
static uint64_t inode_of(int fd) {
  struct stat s;
  return fstat(fd, &s) ? 0 : s.st_ino;
}
static int64_t size_of(int fd) {
  struct stat s;
  return fstat(fd, &s) ? 0 : s.st_size;
}

/* What becomes of the step that comes now: NONE lets it happen. */
static enum kind step(void) {
  steps++;
  if (how == NONE || !(steps == fails_at || (lasting && tripped))) return NONE;
  if (how == END) _exit(99);
  tripped = 1;
  return how;
}
static int refuse(enum kind kind) {
  errno = kind == FAIL_EIO ? EIO : ENOSPC;
  return -1;
}

long shim_steps(void) { return steps; }
int shim_tripped(void) { return tripped; }
void shim_arm(const char *path, long at, int kind, int last) {
  snprintf(folder, sizeof folder, "%s", path);
  folder_length = strlen(folder);
  steps = 0, fails_at = at, how = (enum kind)kind, lasting = last, tripped = 0;
}
void shim_room(int64_t bytes) { room = bytes; }
void shim_slow(long microseconds) { slowness = (useconds_t)microseconds; }
void shim_journal(const char *path) { journal = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600); }
void shim_mark(long number) { note('k', (uint64_t)number, 0, "", NULL, 0); }

static int opened(const char *path, int flags, mode_t mode, int (*real)(const char *, int, ...)) {
  if (!below(path)) return real(path, flags, mode);
  int fresh = (flags & O_CREAT) && syscall(SYS_faccessat, AT_FDCWD, path, F_OK, 0);
  if (fresh) {
    enum kind kind = step();
    if (kind == TORN) _exit(99);
    if (kind != NONE) return refuse(kind);
  }
  int fd = real(path, flags, mode);
  if (fd >= 0 && fd < FILES) {
    snprintf(names[fd], sizeof names[fd], "%s", path);
    note(fresh ? 'c' : 'o', inode_of(fd), 0, path, NULL, 0);
    if (flags & O_TRUNC) note('t', inode_of(fd), 0, path, NULL, 0);
  }
  return fd;
}
#define OPEN(name)                                        \
  int name(const char *path, int flags, ...) {            \
    va_list rest;                                         \
    va_start(rest, flags);                                \
    mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                         \
    return opened(path, flags, mode, REAL(name));         \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  if (ours(fd)) names[fd][0] = 0;
  return REAL(close)(fd);
}

static ssize_t wrote(int fd, const void *data, size_t n, off_t at, int seeks) {
  ssize_t (*plain)(int, const void *, size_t) = REAL(write);
  ssize_t (*placed)(int, const void *, size_t, off_t) = REAL(pwrite64);
  if (!ours(fd)) return seeks ? placed(fd, data, n, at) : plain(fd, data, n);
  enum kind kind = step();
  size_t part = n;
  if (kind == SHORT || kind == TORN) part = n / 2;
  if (kind == FAIL_EIO || kind == FAIL_ENOSPC || (kind == SHORT && !part)) return refuse(kind);
  off_t place = seeks ? at : lseek(fd, 0, SEEK_CUR);
  int64_t grows = place + (int64_t)part - size_of(fd);
  if (room >= 0 && grows > room) return refuse(FAIL_ENOSPC);
  ssize_t done = seeks ? placed(fd, data, part, at) : plain(fd, data, part);
  if (room >= 0 && grows > 0) room -= grows;
  if (done > 0) note('w', inode_of(fd), place, "", data, (uint64_t)done);
  if (kind == TORN) _exit(99);
  if (kind == SHORT) how = FAIL_ENOSPC, fails_at = steps + 1; /* the rest finds no room */
  return done;
}
ssize_t write(int fd, const void *data, size_t n) { return wrote(fd, data, n, 0, 0); }
ssize_t pwrite(int fd, const void *data, size_t n, off_t at) { return wrote(fd, data, n, at, 1); }
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at) { return wrote(fd, data, n, at, 1); }

static int synced(int fd, int (*real)(int)) {
  if (!ours(fd)) return real(fd);
  enum kind kind = step();
  if (kind == TORN) _exit(99);
  if (kind != NONE) return refuse(FAIL_EIO);
  int done = real(fd);
  if (slowness) usleep(slowness);
  struct stat s;
  if (!done && !fstat(fd, &s)) note(S_ISDIR(s.st_mode) ? 'd' : 's', s.st_ino, 0, names[fd], NULL, 0);
  return done;
}
int fsync(int fd) { return synced(fd, REAL(fsync)); }
int fdatasync(int fd) { return synced(fd, REAL(fdatasync)); }

static int cut(int fd, off_t size, int (*real)(int, off_t)) {
  if (!ours(fd)) return real(fd, size);
  enum kind kind = step();
  if (kind == TORN) _exit(99);
  if (kind != NONE) return refuse(kind);
  int64_t freed = size_of(fd) - size;
  int done = real(fd, size);
  if (!done && room >= 0 && freed > 0) room += freed;
  if (!done) note('t', inode_of(fd), size, names[fd], NULL, 0);
  return done;
}
int ftruncate(int fd, off_t size) { return cut(fd, size, REAL(ftruncate)); }
int ftruncate64(int fd, off64_t size) { return cut(fd, size, REAL(ftruncate64)); }

int posix_fallocate(int fd, off_t at, off_t size) {
  if (!ours(fd)) return REAL(posix_fallocate)(fd, at, size);
  enum kind kind = step();
  if (kind == TORN) _exit(99);
  if (kind != NONE) return kind == FAIL_EIO ? EIO : ENOSPC;
  int64_t grows = at + size - size_of(fd);
  if (room >= 0 && grows > room) return ENOSPC;
  int done = REAL(posix_fallocate)(fd, at, size);
  if (!done && room >= 0 && grows > 0) room -= grows;
  if (!done) note('t', inode_of(fd), at + size, names[fd], NULL, 0);
  return done;
}
int posix_fallocate64(int fd, off64_t at, off64_t size) { return posix_fallocate(fd, at, size); }

int unlink(const char *path) {
  if (!below(path)) return REAL(unlink)(path);
  enum kind kind = step();
  if (kind == TORN) _exit(99);
  if (kind != NONE) return refuse(FAIL_EIO);
  struct stat s;
  int64_t freed = stat(path, &s) ? 0 : s.st_size;
  int done = REAL(unlink)(path);
  if (!done && room >= 0) room += freed;
  if (!done) note('u', 0, 0, path, NULL, 0);
  return done;
}

int rename(const char *from, const char *to) {
  if (!below(from) && !below(to)) return REAL(rename)(from, to);
  enum kind kind = step();
  if (kind == TORN) _exit(99);
  if (kind != NONE) return refuse(kind);
  int done = REAL(rename)(from, to);
  if (!done) note('r', 0, 0, from, to, strlen(to));
  return done;
}

int mkdir(const char *path, mode_t mode) {
  if (!below(path)) return REAL(mkdir)(path, mode);
  enum kind kind = step();
  if (kind == TORN) _exit(99);
  if (kind != NONE) return refuse(kind);
  int done = REAL(mkdir)(path, mode);
  if (!done) note('m', 0, 0, path, NULL, 0);
  return done;
}
