/* Programs that ask again and again, that die, that leave others behind, whose threads come and go, and whose callbacks ask in turn. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cuda_few.h"


void counts(void) {}
void never_ends(void) {}
static const dim3 ONE = {1, 1, 1}, BLOCK = {64, 1, 1};
enum { STREAMS = 3, NOT_READY = 600 };

REGISTERS(KERNEL(counts), KERNEL(never_ends))

static int polls(void)
{
    cudaStream_t stream[STREAMS];
    cudaEvent_t end[STREAMS];
    int *data, waited = 0, asked = 0;
    CHECK(cudaMalloc((void **)&data, 4096));
    void *given[] = {&data};
    for (int i = 0; i < STREAMS; ++i) {
        CHECK(cudaStreamCreate(&stream[i]));
        CHECK(cudaEventCreate(&end[i]));
        for (int k = 0; k <= i; ++k)
            CHECK(cudaLaunchKernel(counts, ONE, BLOCK, given, 0, stream[i]));
        CHECK(cudaEventRecord(end[i], stream[i]));
    }
    for (int i = STREAMS - 1; i >= 0; --i) {
        while (cudaEventQuery(end[i]) == NOT_READY)
            ++waited;
        while (cudaStreamQuery(stream[i]) == NOT_READY)
            ++asked;
    }
    return waited > 0 ? 0 : 5;
}

static int killed(void)
{
    int *data;
    CHECK(cudaMalloc((void **)&data, 4096));
    void *given[] = {&data};
    CHECK(cudaLaunchKernel(never_ends, ONE, BLOCK, given, 0, 0));
    signal(SIGALRM, SIG_DFL);
    alarm(1);
    return cudaDeviceSynchronize();
}

static int endless(void)
{
    int *data;
    CHECK(cudaMalloc((void **)&data, 4096));
    void *given[] = {&data};
    CHECK(cudaLaunchKernel(never_ends, ONE, BLOCK, given, 0, 0));
    SAY(cudaDeviceSynchronize());
    return 7;
}

static int leaves(void)
{
    int *data;
    CHECK(cudaMalloc((void **)&data, 4096));
    void *given[] = {&data};
    for (int i = 0; i < 2; ++i)
        CHECK(cudaLaunchKernel(counts, ONE, BLOCK, given, 0, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaLaunchKernel(never_ends, ONE, BLOCK, given, 0, 0));
    CHECK(cudaLaunchKernel(counts, ONE, BLOCK, given, 0, 0));
    CHECK(cudaLaunchKernel(counts, ONE, BLOCK, given, 0, 0));
    return 0;
}

static void *waits(void *unused)
{
    cudaDeviceSynchronize();
    return unused;
}

static int leaves_while_another_waits(void)
{
    pthread_t thread;
    int status = leaves();
    if (status || pthread_create(&thread, NULL, waits, NULL))
        return status ? status : 5;
    sleep(1);
    return 0;
}

static int leaves_a_child(void)
{
    if (!fork()) {
        void *there;
        int status = cudaMalloc(&there, 64);
        sleep(2);
        _exit(status);
    }
    return 0;
}

static int counted(void)
{
    int *data, last = 0;
    CHECK(cudaMalloc((void **)&data, 4096));
    void *given[] = {&data};
    CHECK(cudaLaunchKernel(counts, ONE, BLOCK, given, 0, 0));
    CHECK(cudaMemcpy(&last, data, sizeof last, 2));
    return last == 199 ? 0 : 5;
}

static int status_of(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

/* The device code was registered before `main`, by the first of these processes. Of the last one the parent ends before it asks for anything. */
static int children_launch(void)
{
    int done[2];
    char last = 9;
    pid_t child = fork();
    if (!child) {
        pid_t grandchild = fork();
        _exit(grandchild ? counted() || status_of(grandchild) : counted());
    }
    if (status_of(child) || pipe(done))
        return 6;
    child = fork();
    if (!child) {
        if (fork())
            _exit(0);
        usleep(300000);
        last = counted();
        _exit(write(done[1], &last, 1) != 1);
    }
    return status_of(child) || read(done[0], &last, 1) != 1 || last ? 7 : counted();
}

/* A child allocates and ends; its parent lives until standard input ends. */
static int outlives_a_child(void)
{
    void *there;
    CHECK(cudaMalloc(&there, 1 << 20));
    pid_t child = fork();
    if (!child)
        _exit(cudaMalloc(&there, 1 << 20) || cudaMallocHost(&there, 1 << 20));
    if (status_of(child))
        return 5;
    while (read(0, &child, 1) > 0);
    return 0;
}

static int configurations(void)
{
    extern unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
    extern int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, cudaStream_t *);
    dim3 grid, block;
    size_t bytes;
    cudaStream_t stream;
    for (unsigned i = 1; i <= 64; ++i)
        if (__cudaPushCallConfiguration((dim3){i, 2, 3}, (dim3){4, 5, i}, i, (cudaStream_t)(uintptr_t)(7 * i)))
            return 5;
    if (!__cudaPushCallConfiguration(ONE, ONE, 0, 0))
        return 6;
    for (unsigned i = 64; i >= 1; --i)
        if (__cudaPopCallConfiguration(&grid, &block, &bytes, &stream) || grid.x != i || grid.y != 2 || grid.z != 3 || block.x != 4 || block.y != 5
            || block.z != i || bytes != i || stream != (cudaStream_t)(uintptr_t)(7 * i))
            return 7;
    return __cudaPopCallConfiguration(&grid, &block, &bytes, &stream) == 52 && cudaPeekAtLastError() == 52 && cudaGetLastError() == 52
        && cudaGetLastError() == 0 ? 0 : 8;
}

static void *asks(void *unused)
{
    int device;
    return (void *)(intptr_t)cudaGetDevice(&device);
}

static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        ++count;
    closedir(folder);
    return count;
}

static int threads(void)
{
    int before = 0;
    for (int i = 0; i < 40; ++i) {
        pthread_t thread;
        void *status;
        if (pthread_create(&thread, NULL, asks, NULL) || pthread_join(thread, &status) || status)
            return 5;
        if (i == 0)
            before = open_files();
    }
    return open_files() == before ? 0 : 6;
}

static pthread_barrier_t all_asked;
static int answered, unanswered;

static void *asks_beside_others(void *unused)
{
    __sync_fetch_and_add(asks(unused) ? &unanswered : &answered, 1);
    pthread_barrier_wait(&all_asked);
    return unused;
}

static int many_threads(void)
{
    enum { MANY = 120 };
    pthread_t thread[MANY];
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    pthread_barrier_init(&all_asked, NULL, MANY);
    for (int i = 0; i < MANY; ++i)
        if (pthread_create(&thread[i], NULL, asks_beside_others, NULL))
            return 5;
    for (int i = 0; i < MANY; ++i)
        pthread_join(thread[i], NULL);
    return answered && unanswered && !asks(NULL) ? 0 : 6;
}

static int allocated = -1, launched = -1, streams_asked = -1, events_asked[2] = {-1, -1};
static cudaEvent_t marks[2];
static char said[64];
static int same = 1;
int cuEventQuery(cudaEvent_t);

static void asks_back(cudaStream_t stream, int status, void *data)
{
    void *there;
    allocated = cudaMalloc(&there, 64);
    launched = cudaLaunchKernel(counts, ONE, BLOCK, data, 0, 0);
    streams_asked = cudaStreamQuery(0);
    for (int i = 0; i < 2; ++i) {
        events_asked[i] = cudaEventQuery(marks[i]);     /* which an H100 answers here, and the driver's too */
        same &= cuEventQuery(marks[i]) == events_asked[i];
    }
    strcpy(said, cudaGetErrorName(allocated));
}

static int callback_asks(void)
{
    int *data, device;
    CHECK(cudaMalloc((void **)&data, 4096));
    void *given[] = {&data};
    CHECK(cudaLaunchKernel(counts, ONE, BLOCK, given, 0, 0));
    for (int i = 0; i < 2; ++i)
        CHECK(cudaEventCreate(&marks[i]));
    CHECK(cudaEventRecord(marks[0], 0));
    CHECK(cudaStreamAddCallback(0, asks_back, given, 0));
    CHECK(cudaEventRecord(marks[1], 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGetDevice(&device));
    return allocated == 800 && launched == 800 && streams_asked == 800 && events_asked[0] == 0 && events_asked[1] == 600 && same && !strcmp(said, "cudaErrorNotPermitted") ? 0 : 5;
}

static void never_called(cudaStream_t stream, int status, void *data) { _exit(7); }

/* The device gets to the kernel while the program asks for nothing. */
static int fails_before_a_callback(void)
{
    int *nowhere = (int *)16;
    void *given[] = {&nowhere};
    CHECK(cudaLaunchKernel(counts, ONE, BLOCK, given, 0, 0));
    CHECK(cudaStreamAddCallback(0, never_called, NULL, 0));
    usleep(400000);
    return cudaDeviceSynchronize() == 700 ? 0 : 5;
}

static int runs_itself(void)
{
    void *there;
    size_t left, all;
    if (!getenv("AGAIN")) {
        CHECK(cudaMalloc(&there, 1 << 20));
        puts(cudaGetErrorName(2));
        fflush(stdout);
        setenv("AGAIN", "1", 1);
        execl("/proc/self/exe", "guests", "runs_itself", NULL);
        return 5;
    }
    CHECK(cudaMemGetInfo(&left, &all));
    puts(cudaGetErrorName(2));
    return left == all ? 0 : 6;
}

int main(int count, char **arguments)
{
    static const struct { const char *name; int (*run)(void); } parts[] = {
        {"polls", polls}, {"killed", killed}, {"endless", endless}, {"leaves", leaves}, {"leaves_while_another_waits", leaves_while_another_waits},
        {"leaves_a_child", leaves_a_child}, {"children_launch", children_launch}, {"outlives_a_child", outlives_a_child}, {"configurations", configurations},
        {"threads", threads}, {"many_threads", many_threads}, {"callback_asks", callback_asks}, {"runs_itself", runs_itself},
        {"fails_before_a_callback", fails_before_a_callback}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (count > 1 && !strcmp(parts[i].name, arguments[1]))
            return parts[i].run();
    return 4;
}
