// Loaded before the C library (LD_PRELOAD): makes the n-th call that changes files under a folder fail,
// or ends the process there.
//   FAIL_FOLDER  the folder
//   FAIL_AT      which call, from 1
//   FAIL_HOW     "once": it fails; "full": it fails and so does every later one that needs room;
//                "kill": part of it is done and the process is killed
//                "edit": somebody writes "theirs" into FAIL_EDITED before it, and it is done
//   FAIL_EDITED  the file that is edited meanwhile
//   FAIL_DONE    a file that is made once it is edited
//   FAIL_PERCENT how much of a write that is killed is done; half if it is not set
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long calls;
static int is_editing;

static int is_ours(const char *path) {
    if (is_editing) return 0;
    const char *folder = getenv("FAIL_FOLDER");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_our_file(int fd) {
    if (is_editing) return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_ours(path);
}

static void die(void) { kill(getpid(), SIGKILL); pause(); }

// A person who saves while the program runs, in one step.
static void edit(void) {
    const char *path = getenv("FAIL_EDITED");
    is_editing = 1;
    char saved[PATH_MAX];
    snprintf(saved, sizeof saved, "%s.saved", path);
    FILE *file = fopen(saved, "w");
    if (!file) return;
    fputs("theirs", file);
    fclose(file);
    rename(saved, path);
    if (getenv("FAIL_DONE")) close(creat(getenv("FAIL_DONE"), 0600));
    is_editing = 0;
}

// Whether the present call is to fail.
static int fails(int needs_room) {
    long at = atol(getenv("FAIL_AT") ? getenv("FAIL_AT") : "0");
    const char *how = getenv("FAIL_HOW") ? getenv("FAIL_HOW") : "";
    long now = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (now == at && strcmp(how, "kill") == 0) die();
    if (strcmp(how, "edit") == 0) {
        if (now == at) edit();
        return 0;
    }
    if (now == at || (now > at && strcmp(how, "full") == 0 && needs_room)) {
        errno = ENOSPC;
        return 1;
    }
    return 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int opened(const char *name, int folder, const char *path, int flags, mode_t mode) {
    int changes = (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0;
    if (changes && is_ours(path) && fails(1)) return -1;
    if (folder != AT_FDCWD)
        return ((int (*)(int, const char *, int, mode_t))dlsym(RTLD_NEXT, name))(folder, path, flags, mode);
    return ((int (*)(const char *, int, mode_t))dlsym(RTLD_NEXT, name))(path, flags, mode);
}

#define MODE                                                                                          \
    mode_t mode = 0;                                                                                  \
    if (flags & O_CREAT) {                                                                            \
        va_list rest;                                                                                 \
        va_start(rest, flags);                                                                        \
        mode = va_arg(rest, mode_t);                                                                  \
        va_end(rest);                                                                                 \
    }

int open(const char *path, int flags, ...) { MODE return opened("open", AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened("open64", AT_FDCWD, path, flags, mode); }

ssize_t write(int fd, const void *bytes, size_t size) {
    if (!is_our_file(fd)) return REAL(write)(fd, bytes, size);
    const char *how = getenv("FAIL_HOW") ? getenv("FAIL_HOW") : "";
    long at = atol(getenv("FAIL_AT") ? getenv("FAIL_AT") : "0");
    const char *part = getenv("FAIL_PERCENT");
    size_t percent = part ? (size_t)atol(part) : 50;
    // The worst moments are within.
    if (strcmp(how, "kill") == 0 && calls + 1 == at) REAL(write)(fd, bytes, size * percent / 100);
    if (fails(1)) return -1;
    return REAL(write)(fd, bytes, size);
}

int fsync(int fd) { return is_our_file(fd) && fails(1) ? -1 : REAL(fsync)(fd); }
int fchmod(int fd, mode_t mode) { return is_our_file(fd) && fails(0) ? -1 : REAL(fchmod)(fd, mode); }
int rename(const char *from, const char *to) { return is_ours(to) && fails(0) ? -1 : REAL(rename)(from, to); }
int unlink(const char *path) { return is_ours(path) && fails(0) ? -1 : REAL(unlink)(path); }
