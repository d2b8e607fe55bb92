/* What a sampled program may notice of being sampled, counted: ./threads LIBCUPTI ROUNDS. Bare and recorded it prints the
   same. LIBCUPTI is the tests' own; it is used where CUDA_INJECTION64_PATH is set. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 4, kPipeBytes = 1 << 20 };
static void (*launch)(void);
static atomic_int interrupted, short_writes, bad_children, strange_signals;
static int rounds, pipe_ends[2];
static volatile double sink;

static void compute(int times) {
  for (int i = 0; i < times; ++i) sink += i;
}
static void check(long result) { interrupted += result < 0 && errno == EINTR; }

/* What waits, begun at once after work: a signal for the work may come when the thread waits already. */
static void wait_somehow(int how, int events, sem_t* semaphore) {
  const struct timespec time = {0, 200000};
  struct timespec until;
  struct epoll_event event;
  switch (how % 5) {
    case 0: check(poll(0, 0, 1)); break;
    case 1: check(nanosleep(&time, 0)); break;
    case 2: check(epoll_wait(events, &event, 1, 1)); break;
    case 3: check(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, 0)); break;
    default:
      clock_gettime(CLOCK_REALTIME, &until);
      check(sem_timedwait(semaphore, &until));
  }
}

/* A child may use the linker and memory, as those of data loaders do. */
static void make_child(void) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    alarm(20); /* it hangs */
    void* library = dlopen("libm.so.6", RTLD_NOW | RTLD_NOLOAD);
    free(malloc(100000));
    void* other = dlopen("libresolv.so.2", RTLD_NOW);
    _exit(library || other ? 7 : 8);
  }
  check(waitpid(child, &status, 0));
  bad_children += !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}

static void* work(void* argument) {
  const int number = (int)(long)argument, events = epoll_create1(0);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  launch();
  for (int i = 0; i < rounds; ++i) {
    compute(20000 + 1000 * (i % 30));
    wait_somehow(number + i, events, &semaphore);
    if (number == 0 && i % 10 == 3) make_child();
  }
  close(events);
  return 0;
}

static void* write_much(void* unused) {
  char* bytes = calloc(1, kPipeBytes);
  launch();
  for (int i = 0; i < rounds / 10; ++i) {
    compute(20000);
    short_writes += write(pipe_ends[1], bytes, kPipeBytes) != kPipeBytes;
  }
  close(pipe_ends[1]);
  free(bytes);
  return unused;
}

static void* read_much(void* unused) {
  static char part[1 << 16];
  while (read(pipe_ends[0], part, sizeof part) > 0) {
  }
  return unused;
}

/* It takes the program's signals, none of which comes. */
static void* take_signals(void* unused) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, 0);
  launch();
  for (int i = 0; i < rounds / 10; ++i) {
    const struct timespec time = {0, 1000000};
    compute(1000000);
    strange_signals += sigtimedwait(&all, 0, &time) > 0;
  }
  return unused;
}

static void nothing(void) {}

/* What the next file will be numbered; more than once, since another thread may be opening one just now. */
static int next_descriptor(void) {
  int lowest = 1 << 20;
  for (int i = 0; i < 100; ++i) {
    const int descriptor = open("/dev/null", O_RDONLY);
    if (descriptor < lowest) lowest = descriptor;
    close(descriptor);
    if (i % 10 == 9) usleep(100);
  }
  return lowest;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  rounds = atoi(argv[2]);
  for (int descriptor = 3; descriptor < 256; ++descriptor) close(descriptor); /* as services begin */
  launch = nothing;
  const char* injected = getenv("CUDA_INJECTION64_PATH");
  if (injected) {
    launch = (void (*)(void))dlsym(dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL), "fake_thread_launch");
    ((int (*)(void))dlsym(dlopen(injected, RTLD_NOW), "InitializeInjection"))();
    ((void (*)(void))dlsym(RTLD_DEFAULT, "fake_runtime_launch"))();
    usleep(500000); /* until its kernel is written: threads that run are looked at from then on */
  }
  pthread_t threads[kThreads + 3];
  printf("next descriptor %d\n", next_descriptor());
  if (pipe(pipe_ends) != 0) return 4;
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  pthread_create(&threads[kThreads], 0, write_much, 0);
  pthread_create(&threads[kThreads + 1], 0, read_much, 0);
  pthread_create(&threads[kThreads + 2], 0, take_signals, 0);
  for (int i = 0; i < kThreads + 3; ++i) pthread_join(threads[i], 0);
  close(pipe_ends[0]);
  printf("interrupted %d, short writes %d, bad children %d, strange signals %d, next descriptor %d\n", interrupted,
         short_writes, bad_children, strange_signals, next_descriptor());
  return 5;
}
