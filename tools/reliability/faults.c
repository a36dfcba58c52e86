// A preload that makes the n-th write, fsync or rename below a folder fail, as a full or a broken disk would.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NONE, WRITE, FSYNC, RENAME };
static char folder[4096];
static int kind = NONE, error_number = 0;
static long countdown = 0, fired = 0;

// From now on the n-th call of a kind fails; `fired` tells whether it came to that.
void arrange_fault(const char* below, int of_kind, long n, int error) {
    strncpy(folder, below, sizeof folder - 1);
    kind = of_kind, countdown = n, error_number = error, fired = 0;
}
long fault_fired(void) { return fired; }

static int fails(int of_kind, const char* path) {
    if (kind != of_kind || strncmp(path, folder, strlen(folder)) || --countdown) return 0;
    fired = 1, kind = NONE, errno = error_number;
    return 1;
}
static int fails_at(int of_kind, int file) {
    if (kind != of_kind) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fails(of_kind, path);
}

ssize_t write(int file, const void* content, size_t size) {
    static ssize_t (*real)(int, const void*, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    if (fails_at(WRITE, file)) {
        const int error = errno;
        if (size > 1) (void)!real(file, content, size / 2);  // a full disk takes what still fits
        errno = error;
        return -1;
    }
    return real(file, content, size);
}
int fsync(int file) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    return fails_at(FSYNC, file) ? -1 : real(file);
}
int rename(const char* from, const char* to) {
    static int (*real)(const char*, const char*);
    if (!real) real = dlsym(RTLD_NEXT, "rename");
    return fails(RENAME, to) ? -1 : real(from, to);
}
