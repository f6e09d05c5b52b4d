/* The stand-in for libcuda, libcudart and the libraries above them inside a foreign program.

   Every function of them is the same few instructions (exports.h): they note its number and the registers that may hold arguments.
   `standin_call` sends these to archdef over a socket and returns what archdef answers; archdef reads and writes the program's memory itself,
   so that nothing here knows what a function means, but for those that each launch calls and that need nothing of archdef (`answered_here`).
   A program that has NVIDIA's runtime linked into it is led to the same functions, by the symbols that its linker has left, or by its code (runtimes.c).
   One connection a thread, made by its first call and closed when the thread ends. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "exports.h"
#include "compilers.h"
#include "runtimes.h"

#define SOCKET_VARIABLE "ARCHDEF_EXEC_SOCKET"
#define SCRATCH_BYTES (1u << 20)
#define UNAVAILABLE 46      /* cudaErrorDevicesUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE */
#define NOT_PERMITTED 800   /* cudaErrorNotPermitted, CUDA_ERROR_NOT_PERMITTED */
#define AWAKE_NS 100000     /* how long a thread looks for an answer before it sleeps: half as long again as most launches take */
#define STACK_WORDS 18      /* cublasGemmStridedBatchedEx has 23 arguments, of which six are in registers */
#define STACK_IN_USE (64u << 10)    /* what this library and its caller may have on the stack, and more */

enum { ANSWER_RETURN, ANSWER_CALL, ANSWER_MAP, ANSWER_UNMAP, ANSWER_REPLACE, ANSWER_ADDRESS };

struct request {            /* what a call had: archdef/exec/wire.py reads the same */
    uint32_t function, unused;
    uint64_t integers[6];
    double floats[4];
    uint64_t stack[STACK_WORDS];
};

struct hello { uint32_t functions, process; uint64_t scratch, scratch_bytes, write_text, start_server, link_lto; uint32_t serves, image, cuda, unused; };

struct answer {
    uint32_t kind, last_error;      /* of this thread, as cudaGetLastError gives it */
    uint64_t value;         /* what is returned; the function to call; the address to map at; the number of the function whose address is asked */
    uint64_t arguments[4];
};

struct connection { int end; pid_t process; };
static __thread struct connection connections[2] = {{-1, 0}, {-1, 0}};      /* the second: of functions that archdef calls in this thread */
static __thread int called_back;        /* whether such a function runs */
static __thread uint32_t last_error;
static uint32_t cuda;           /* major version of the runtime that the program was linked with, as far as that shows; 0: it does not */
static pthread_key_t thread_ends;
static pthread_once_t thread_ends_once = PTHREAD_ONCE_INIT;

#define MISSING_CONFIGURATION 52
#define MOST_CONFIGURATIONS 64      /* arguments of a launch may launch something themselves */
static __thread struct configuration { uint64_t grid_xy, grid_z, block_xy, block_z, shared_bytes, stream; } configurations[MOST_CONFIGURATIONS];
static __thread unsigned configured;

static void *scratch;
static pthread_mutex_t scratch_lock = PTHREAD_MUTEX_INITIALIZER;

static void say(const char *what)
{
    fprintf(stderr, "archdef: %s: %s\n", what, strerror(errno));
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Wait for a message: awake at first, since to be woken takes longer than most answers. */
static ssize_t received(int connection, struct msghdr *message)
{
    const int64_t until = now_ns() + AWAKE_NS;
    ssize_t got = recvmsg(connection, message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    while (got < 0 && (errno == EAGAIN || errno == EINTR) && now_ns() < until) {
        sched_yield();
        got = recvmsg(connection, message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    }
    while (got < 0 && (errno == EAGAIN || errno == EINTR))
        got = recvmsg(connection, message, MSG_CMSG_CLOEXEC);
    return got;
}

static int exchange(int connection, const void *sent, size_t sent_bytes, struct answer *answer, int *descriptor)
{
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {answer, sizeof *answer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t got;
    do
        got = send(connection, sent, sent_bytes, MSG_NOSIGNAL);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sent_bytes || received(connection, &message) != sizeof *answer)
        return -1;
    *descriptor = -1;
    for (struct cmsghdr *part_of = CMSG_FIRSTHDR(&message); part_of; part_of = CMSG_NXTHDR(&message, part_of))
        if (part_of->cmsg_level == SOL_SOCKET && part_of->cmsg_type == SCM_RIGHTS)
            memcpy(descriptor, CMSG_DATA(part_of), sizeof(int));
    return 0;
}

static uint64_t write_text(uint64_t text, uint64_t bytes, uint64_t is_error, uint64_t unused)
{
    (void)unused;
    return fwrite((const void *)text, 1, bytes, is_error ? stderr : stdout);
}

static uint64_t start_server(uint64_t, uint64_t, uint64_t, uint64_t);

static void disconnect_thread(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; ++i)
        if (connections[i].end >= 0) {
            close(connections[i].end);
            connections[i].end = -1;
        }
}

static void make_thread_ends(void)
{
    if (pthread_key_create(&thread_ends, disconnect_thread))
        say("connections of threads that end stay open");
}

/* Tells this program from one that the process ran before it: the kernel gives each 16 random bytes. */
static uint32_t image(void)
{
    uint32_t word = 0;
    const void *random = (const void *)getauxval(AT_RANDOM);
    if (random)
        memcpy(&word, random, sizeof word);
    return word;
}

static int greet(struct connection *to, uint32_t serves)
{
    const char *path = getenv(SOCKET_VARIABLE);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct answer answer;
    int descriptor;
    if (!path || strlen(path) >= sizeof address.sun_path) {
        fprintf(stderr, "archdef: this program wants to be run by `archdef exec`\n");
        return -1;
    }
    strcpy(address.sun_path, path);
    to->end = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    to->process = getpid();
    if (to->end < 0 || connect(to->end, (struct sockaddr *)&address, sizeof address) < 0) {
        say("the simulator is not to be reached");
        return -1;
    }
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);     /* the simulator reads and writes this process's memory */
    pthread_mutex_lock(&scratch_lock);
    if (!scratch) {
        scratch = mmap(NULL, SCRATCH_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (scratch == MAP_FAILED)
            scratch = NULL;
    }
    pthread_mutex_unlock(&scratch_lock);
    struct hello hello = {FUNCTIONS, (uint32_t)to->process, (uint64_t)scratch, SCRATCH_BYTES, (uint64_t)write_text, (uint64_t)start_server,
                          (uint64_t)standin_link_lto, serves, image(), cuda, 0};
    return scratch && exchange(to->end, &hello, sizeof hello, &answer, &descriptor) == 0 && answer.value == 0 ? 0 : -1;
}

/* Connect, unless it is done already; a child of fork begins anew. */
static int connect_thread(struct connection *to, uint32_t serves)
{
    if (to->end >= 0 && to->process == getpid())
        return 0;
    if (to->end >= 0)
        close(to->end);
    pthread_once(&thread_ends_once, make_thread_ends);
    pthread_setspecific(thread_ends, to);
    if (greet(to, serves) == 0)
        return 0;
    if (to->end >= 0)
        close(to->end);
    to->end = -1;
    return -1;
}

static uint64_t call_function(const struct answer *answer)
{
    ++called_back;
    uint64_t result = ((uint64_t (*)(uint64_t, uint64_t, uint64_t, uint64_t))answer->value)(
        answer->arguments[0], answer->arguments[1], answer->arguments[2], answer->arguments[3]);
    --called_back;
    return result;
}

static uint64_t map_shared(const struct answer *answer, int descriptor)
{
    void *at = mmap((void *)answer->value, answer->arguments[0], PROT_READ | PROT_WRITE,
                    MAP_SHARED | (answer->value ? MAP_FIXED_NOREPLACE : 0), descriptor, (off_t)answer->arguments[1]);
    return at == MAP_FAILED ? 0 : (uint64_t)at;
}

/* Put other pages behind memory of the program, which keeps its contents: pages of a file, or pages of its own again. The stack of this thread
   cannot be moved from under it. */
static uint64_t replace_pages(uint64_t address, uint64_t bytes, int descriptor)
{
    const uint64_t here = (uint64_t)__builtin_frame_address(0);
    if (here - STACK_IN_USE < address + bytes && here + STACK_IN_USE > address)
        return 0;
    void *fresh = mmap(NULL, bytes, PROT_READ | PROT_WRITE, descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, descriptor, 0);
    if (fresh == MAP_FAILED)
        return 0;
    memcpy(fresh, (const void *)address, bytes);
    if (mremap(fresh, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)address) == MAP_FAILED) {
        munmap(fresh, bytes);
        return 0;
    }
    return 1;
}

static void put_shape(void *to, uint64_t xy, uint64_t z)
{
    uint32_t three[] = {(uint32_t)xy, (uint32_t)(xy >> 32), (uint32_t)z};
    memcpy(to, three, sizeof three);
}

/* What a function may ask that archdef itself has called: archdef waits for that function, and may hold what another answer needs. */
static int is_permitted(uint32_t function)
{
    return !called_back || function == NUMBER_cudaGetErrorString || function == NUMBER_cudaGetErrorName || function == NUMBER_cuGetErrorString
        || function == NUMBER_cuGetErrorName || function == NUMBER_cudaGetDeviceCount || function == NUMBER_cudaDriverGetVersion    /* as on an H200 */
        || function == NUMBER_cudaEventQuery || function == NUMBER_cuEventQuery;       /* as on an H100 */
}

/* What stands between <<< and >>> is kept until the stub asks for it, and the last error is known: answer without asking archdef. */
static int answered_here(uint32_t function, const uint64_t *given, uint64_t *result)
{
    switch (function) {
    case NUMBER___cudaPushCallConfiguration:
        *result = configured == MOST_CONFIGURATIONS ? MISSING_CONFIGURATION : 0;
        if (configured < MOST_CONFIGURATIONS)
            memcpy(configurations + configured++, given, sizeof *configurations);
        return 1;
    case NUMBER___cudaPopCallConfiguration:
        if (!configured)
            return 0;
        --configured;
        put_shape((void *)given[0], configurations[configured].grid_xy, configurations[configured].grid_z);
        put_shape((void *)given[1], configurations[configured].block_xy, configurations[configured].block_z);
        *(uint64_t *)given[2] = configurations[configured].shared_bytes;
        *(uint64_t *)given[3] = configurations[configured].stream;
        *result = 0;
        return 1;
    case NUMBER_cudaGetLastError:
    case NUMBER_cudaPeekAtLastError:
        *result = 0;
        return connections[0].end >= 0 && connections[0].process == getpid() && last_error == 0;
    default:
        return 0;
    }
}

/* What a function returns when nobody answers: its status, or a text. */
static uint64_t unavailable(uint32_t function)
{
    const int gives_text = function == NUMBER_cudaGetErrorString || function == NUMBER_cudaGetErrorName;
    return gives_text ? (uint64_t)"cudaErrorDevicesUnavailable" : UNAVAILABLE;
}

/* Ask archdef; whatever it wants done in this process meanwhile is done here. */
uint64_t standin_call(uint32_t function, const uint64_t *integers, const double *floats, const uint64_t *stack)
{
    struct request request = {.function = function};
    struct answer answer;
    int descriptor, kept = errno;
    uint64_t result;
    if (answered_here(function, integers, &result))
        return result;
    if (!is_permitted(function))
        return NOT_PERMITTED;
    struct connection *to = connections + (called_back > 0);
    if (connect_thread(to, 0) < 0)
        return unavailable(function);
    memcpy(request.integers, integers, sizeof request.integers);
    memcpy(request.floats, floats, sizeof request.floats);
    memcpy(request.stack, stack, sizeof request.stack);
    const void *sent = &request;
    size_t bytes = sizeof request;
    for (;;) {
        if (exchange(to->end, sent, bytes, &answer, &descriptor) < 0) {
            static int said;        /* once: a program that does not look at errors may call without end */
            if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
                fprintf(stderr, "archdef: the simulator has gone; `%s` and all calls after it fail\n", standin_names[function]);
            return unavailable(function);
        }
        if (answer.kind == ANSWER_RETURN)
            break;
        if (answer.kind == ANSWER_CALL)
            result = call_function(&answer);
        else if (answer.kind == ANSWER_MAP)
            result = map_shared(&answer, descriptor);
        else if (answer.kind == ANSWER_REPLACE)
            result = replace_pages(answer.value, answer.arguments[0], descriptor);
        else if (answer.kind == ANSWER_ADDRESS)
            result = answer.value < FUNCTIONS ? (uint64_t)standin_functions[answer.value] : 0;
        else
            result = (uint64_t)munmap((void *)answer.value, answer.arguments[0]);
        if (descriptor >= 0)
            close(descriptor);
        sent = &result;
        bytes = sizeof result;
    }
    errno = kept;
    if (!called_back)
        last_error = answer.last_error;
    return answer.value;
}

/* A thread that calls functions of the program when archdef asks for it, and nothing else: callbacks of streams, while all others wait. */
static void *serve(void *unused)
{
    struct answer answer;
    uint64_t result = 0;
    int descriptor;
    (void)unused;
    if (connect_thread(connections, 1) == 0)
        while (exchange(connections[0].end, &result, sizeof result, &answer, &descriptor) == 0 && answer.kind == ANSWER_CALL)
            result = call_function(&answer);
    return NULL;
}

static uint64_t start_server(uint64_t unused, uint64_t unused_2, uint64_t unused_3, uint64_t unused_4)
{
    pthread_t thread;
    (void)unused, (void)unused_2, (void)unused_3, (void)unused_4;
    if (pthread_create(&thread, NULL, serve, NULL))
        return 1;
    return pthread_detach(thread);
}

/* ------------------------------------------------- a runtime that was linked into the program, or is loaded by its own path */

static int by_name(const void *name, const void *entry) { return strcmp(name, *(const char *const *)entry); }

void *standin_function(const char *name)
{
    const char *const *found = bsearch(name, standin_names, FUNCTIONS, sizeof *standin_names, by_name);
    return found ? standin_functions[found - standin_names] : NULL;
}

struct slot { uint8_t code[6]; uint8_t unused[2]; void *target; };      /* jmp *2(%rip) */

/* The functions of NVRTC in an object. */
struct nvrtc { void *ptx, *ptx_bytes, *cubin, *cubin_bytes; };

struct redirection { struct slot *slots; size_t used, most; struct nvrtc nvrtc; int driver; };

static int divert(uint8_t *function, void *target, struct redirection *to)
{
    if (to->used == to->most)
        return -1;
    struct slot *slot = to->slots + to->used++;
    memcpy(slot->code, "\xff\x25\x02\x00\x00\x00", 6);
    slot->target = target;
    int64_t distance = (uint8_t *)slot - (function + 5);
    if (distance != (int32_t)distance)
        return -1;
    long page = sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)function & ~(uintptr_t)(page - 1);
    size_t bytes = (uintptr_t)function + 5 - first;
    if (mprotect((void *)first, bytes, PROT_READ | PROT_WRITE | PROT_EXEC))
        return -1;
    function[0] = 0xe9;
    int32_t near_distance = (int32_t)distance;
    memcpy(function + 1, &near_distance, 4);
    return mprotect((void *)first, bytes, PROT_READ | PROT_EXEC);
}

static void *near(uintptr_t base, size_t bytes)
{
    for (uintptr_t step = 1; step < 64; ++step) {       /* within reach of a relative jump, below or above the program */
        for (int side = 0; side < 2; ++side) {
            uintptr_t at = side ? base + step * (16ul << 20) : base - step * (16ul << 20);
            if (!side && base < step * (16ul << 20) + 65536)
                continue;
            void *got = mmap((void *)at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (got != MAP_FAILED)
                return got;
        }
    }
    return NULL;
}

static int is_here(const uint8_t *function, const struct redirection *to)
{
    int32_t distance;
    if (function[0] != 0xe9)
        return 0;
    memcpy(&distance, function + 1, 4);
    uintptr_t target = (uintptr_t)(function + 5 + distance);
    return target >= (uintptr_t)to->slots && target < (uintptr_t)(to->slots + to->used);
}

static void note_nvrtc(const char *name, void *function, struct nvrtc *of)
{
    const struct { const char *name; void **kept; } wanted[] = {
        {"nvrtcGetPTX", &of->ptx}, {"nvrtcGetPTXSize", &of->ptx_bytes}, {"nvrtcGetCUBIN", &of->cubin}, {"nvrtcGetCUBINSize", &of->cubin_bytes}};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; ++k)
        if (!strcmp(name, wanted[k].name))
            *wanted[k].kept = function;
}

static int room_for_slots(uintptr_t base, struct redirection *to)
{
    return to->slots || (to->slots = near(base, FUNCTIONS * sizeof *to->slots));
}

/* The PTX of NVRTC in the first object that has one, for those who look its functions up by name. */
static int (*known_ptx)(void *, char *), (*known_ptx_bytes)(void *, size_t *);

static int cubin_of_known(void *program, char *code) { return known_ptx(program, code); }

static int cubin_bytes_of_known(void *program, size_t *bytes) { return known_ptx_bytes(program, bytes); }

static void lead_nvrtc(uintptr_t base, struct redirection *to)
{
    const struct nvrtc *of = &to->nvrtc;
    if (!of->ptx || !of->ptx_bytes || !of->cubin || !of->cubin_bytes || (known_ptx && of->ptx != (void *)known_ptx) || !room_for_slots(base, to))
        return;
    known_ptx = (int (*)(void *, char *))of->ptx;
    known_ptx_bytes = (int (*)(void *, size_t *))of->ptx_bytes;
    if (!is_here(of->cubin, to) && (divert(of->cubin, cubin_of_known, to) || divert(of->cubin_bytes, cubin_bytes_of_known, to)))
        say("nvrtcGetCUBIN");
}

/* What tells versions of a runtime apart that is linked into an object: functions that were renamed in CUDA 12, and that were taken out in 13. And what a
   runtime without symbols calls of the C library. */
struct marks { int runtime, of_12, before_13; unsigned imports; };

static void note_mark(const char *name, struct marks *marks)
{
    marks->runtime |= !strcmp(name, "cudaGetDeviceProperties");
    marks->of_12 |= !strcmp(name, "cudaGetDeviceProperties_v2");
    marks->before_13 |= !strcmp(name, "cudaThreadExit");
}

static void note_version(uint32_t found)
{
    if (!cuda)
        cuda = found;
}

/* The version of a shared runtime that an object was linked with. */
static void note_needed(const struct link_map *object)
{
    static const char runtime[] = "libcudart.so.";
    const char *names = NULL;
    for (const ElfW(Dyn) *entry = object->l_ld; entry && entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_STRTAB)      /* not every loader adds where the object lies */
            names = (const char *)(entry->d_un.d_ptr < object->l_addr ? object->l_addr + entry->d_un.d_ptr : entry->d_un.d_ptr);
    for (const ElfW(Dyn) *entry = object->l_ld; names && entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_NEEDED && !strncmp(names + entry->d_un.d_val, runtime, sizeof runtime - 1))
            note_version(strtoul(names + entry->d_un.d_val + sizeof runtime - 1, NULL, 10));
}

/* Whether a name is that of one of the driver's functions. No program has the driver linked into it: what it calls so is its own, such as one that looks
   up the driver's functions and keeps them in variables. */
static int is_drivers(const char *name) { return name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z'; }

static int is_driver(const char *path)
{
    static const char library[] = "libcuda.so";
    const char *slash = strrchr(path, '/');
    return !strncmp(slash ? slash + 1 : path, library, sizeof library - 1);
}

/* Lead the functions here that one table of symbols names. */
static void lead_named(const Elf64_Sym *symbols, size_t count, const char *names, size_t names_bytes, uintptr_t base, struct redirection *to,
                       struct marks *marks)
{
    for (size_t k = 0; k < count; ++k) {
        if (symbols[k].st_name >= names_bytes)
            continue;
        const char *name = names + symbols[k].st_name;
        if (symbols[k].st_shndx == SHN_UNDEF)
            marks->imports |= standin_runtime_import(name);
        if (ELF64_ST_TYPE(symbols[k].st_info) != STT_FUNC || symbols[k].st_shndx == SHN_UNDEF || symbols[k].st_size < 5)
            continue;
        void *found = standin_function(name);
        uint8_t *function = (uint8_t *)(base + symbols[k].st_value);
        if (!strncmp(name, "nvrtc", 5))
            note_nvrtc(name, function, &to->nvrtc);
        standin_note_nvjitlink(name, function);
        note_mark(name, marks);
        if (!found || (void *)function == found || (is_drivers(name) && !to->driver))
            continue;
        if (!room_for_slots(base, to))
            return say("no memory near the program's code");
        if (!is_here(function, to) && divert(function, found, to))
            say(name);
    }
}

/* Lead the functions here of a runtime whose symbols were stripped. */
static void lead_stripped(const uint8_t *file, size_t size, uintptr_t base, struct redirection *to)
{
    struct found_runtime found;
    if (!standin_find_runtime(file, size, &found))
        return;
    note_version(found.runtime->cuda);
    if (!room_for_slots(base, to))
        return say("no memory near the program's code");
    for (uint32_t k = 0; k < found.runtime->functions; ++k) {
        const struct runtime_function *each = found.functions + k;
        if (divert((uint8_t *)base + found.text + 16 * each->place, standin_functions[each->number], to))
            say(standin_names[each->number]);
    }
}

static void lead_here(const uint8_t *file, size_t size, uintptr_t base, int driver)
{
    const Elf64_Ehdr *head = (const void *)file;
    if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_ident[EI_CLASS] != ELFCLASS64
        || head->e_shoff > size || head->e_shnum > (size - head->e_shoff) / sizeof(Elf64_Shdr))
        return;
    const Elf64_Shdr *sections = (const void *)(file + head->e_shoff);
    struct redirection to = {NULL, 0, FUNCTIONS, {NULL, NULL, NULL, NULL}, driver};
    struct marks marks = {0, 0, 0, 0};
    for (int i = 0; i < head->e_shnum; ++i) {
        const Elf64_Shdr *table = sections + i;
        if ((table->sh_type != SHT_SYMTAB && table->sh_type != SHT_DYNSYM) || table->sh_link >= head->e_shnum || table->sh_offset > size
            || table->sh_size > size - table->sh_offset)
            continue;
        const Elf64_Shdr *names = sections + table->sh_link;
        if (names->sh_offset > size || names->sh_size > size - names->sh_offset || !names->sh_size
            || file[names->sh_offset + names->sh_size - 1])
            continue;
        lead_named((const void *)(file + table->sh_offset), table->sh_size / sizeof(Elf64_Sym), (const char *)file + names->sh_offset, names->sh_size,
                   base, &to, &marks);
    }
    if (marks.runtime)
        note_version(marks.of_12 ? 12 : marks.before_13 ? 11 : 13);
    else if (marks.imports == ALL_RUNTIME_IMPORTS || !head->e_shnum)        /* without sections there is nothing to tell by */
        lead_stripped(file, size, base, &to);
    lead_nvrtc(base, &to);
    if (to.slots)
        mprotect(to.slots, FUNCTIONS * sizeof *to.slots, PROT_READ | PROT_EXEC);
}

static void lead_object(const struct link_map *object)
{
    struct stat is;
    int descriptor = open(object->l_name[0] ? object->l_name : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return;             /* the kernel's own object has no file */
    void *file = fstat(descriptor, &is) < 0 || !is.st_size ? MAP_FAILED : mmap(NULL, is.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (file == MAP_FAILED)
        return;
    lead_here(file, is.st_size, object->l_addr, is_driver(object->l_name));
    munmap(file, is.st_size);
}

/* ------------------------------------------------------------------------------------------------- NVTX of headers alone */

/* What NVTX 3 gives a library that NVTX_INJECTION64_PATH names (nvtxTypes.h): for each module, pointers to where it keeps its functions. */
struct nvtx_callbacks { size_t bytes; int (*functions)(int module, void ****table, unsigned *count); };
enum { NVTX_CALLBACKS = 1 };

static const struct { int module; const char *names[17]; } nvtx_modules[] = {
    {1, {NULL, "nvtxMarkEx", "nvtxMarkA", "nvtxMarkW", "nvtxRangeStartEx", "nvtxRangeStartA", "nvtxRangeStartW", "nvtxRangeEnd", "nvtxRangePushEx",
         "nvtxRangePushA", "nvtxRangePushW", "nvtxRangePop", "nvtxNameCategoryA", "nvtxNameCategoryW", "nvtxNameOsThreadA", "nvtxNameOsThreadW"}},
    {4, {NULL, "nvtxNameCudaDeviceA", "nvtxNameCudaDeviceW", "nvtxNameCudaStreamA", "nvtxNameCudaStreamW", "nvtxNameCudaEventA", "nvtxNameCudaEventW"}},
    {5, {NULL, "nvtxDomainMarkEx", "nvtxDomainRangeStartEx", "nvtxDomainRangeEnd", "nvtxDomainRangePushEx", "nvtxDomainRangePop",
         "nvtxDomainResourceCreate", "nvtxDomainResourceDestroy", "nvtxDomainNameCategoryA", "nvtxDomainNameCategoryW", "nvtxDomainRegisterStringA",
         "nvtxDomainRegisterStringW", "nvtxDomainCreateA", "nvtxDomainCreateW", "nvtxDomainDestroy", "nvtxInitialize"}}};

int InitializeInjectionNvtx2(const void *(*given)(uint32_t))
{
    const struct nvtx_callbacks *callbacks = given ? given(NVTX_CALLBACKS) : NULL;
    if (!callbacks || callbacks->bytes < sizeof *callbacks)
        return 0;
    for (size_t m = 0; m < sizeof nvtx_modules / sizeof *nvtx_modules; ++m) {
        void ***table = NULL;
        unsigned count = 0;
        if (!callbacks->functions(nvtx_modules[m].module, &table, &count) || !table)
            continue;
        for (unsigned k = 1; k < count && k < 17 && nvtx_modules[m].names[k]; ++k)
            if (table[k])
                *table[k] = standin_function(nvtx_modules[m].names[k]);
    }
    return 1;
}

struct object { const struct link_map *map; const void *dynamic; };

/* Look at what was loaded since the last time: before its constructors run, and while the loader lets no other thread in. */
__attribute__((visibility("hidden"))) void standin_objects_changed(void)
{
    static struct object *known;
    static size_t known_count;
    size_t count = 0, old = known_count;
    if (_r_debug.r_state != RT_CONSISTENT)
        return;
    int kept = errno;
    for (const struct link_map *object = _r_debug.r_map; object; object = object->l_next)
        ++count;
    struct object *now = calloc(count, sizeof *now), *before = known;
    if (!now)
        return;
    size_t k = 0;
    for (const struct link_map *object = _r_debug.r_map; object && k < count; object = object->l_next) {
        size_t i = 0;
        while (i < old && (before[i].map != object || before[i].dynamic != object->l_ld))
            ++i;
        if (i == old) {
            note_needed(object);
            lead_object(object);
        }
        now[k++] = (struct object){object, object->l_ld};
    }
    known = now;
    known_count = k;
    free(before);
    errno = kept;
}

/* Where the loader tells debuggers of a change it does nothing; led here, that spares all registers, as its caller may know it to do. */
void standin_loader_entry(void) __attribute__((visibility("hidden")));
__asm__(
    ".text\n.hidden standin_loader_entry\n.p2align 4\nstandin_loader_entry:\n    endbr64\n"
    "    push %rbp\n    mov %rsp, %rbp\n    push %rax\n    push %rcx\n    push %rdx\n    push %rsi\n    push %rdi\n    push %r8\n    push %r9\n"
    "    push %r10\n    push %r11\n    sub $512, %rsp\n    and $-16, %rsp\n    fxsave64 (%rsp)\n    call standin_objects_changed\n"
    "    fxrstor64 (%rsp)\n    lea -72(%rbp), %rsp\n    pop %r11\n    pop %r10\n    pop %r9\n    pop %r8\n    pop %rdi\n    pop %rsi\n    pop %rdx\n"
    "    pop %rcx\n    pop %rax\n    pop %rbp\n    ret\n");

static int does_nothing(const uint8_t *function)
{
    static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xc3};
    if (!memcmp(function, landing, sizeof landing))
        return 1;           /* endbr64; ret */
    return function[0] == 0xc3 && (uintptr_t)function % 16 == 0 && memchr("\x66\x0f\x90\xcc", function[1], 4);      /* ret, and what fills up the line */
}

/* The first of all constructors (the linker's `initfirst`), since those of libraries register device code: so early that getenv finds nothing yet. */
__attribute__((constructor)) static void lead_program_here(int count, char **arguments, char **environment)
{
    (void)count, (void)arguments;
#ifndef __GLIBC__       /* others give constructors nothing, and have it ready */
    environment = environ;
#endif
    while (*environment && strncmp(*environment, SOCKET_VARIABLE "=", sizeof SOCKET_VARIABLE))
        ++environment;
    if (!*environment)
        return;
    standin_objects_changed();
    struct redirection to = {NULL, 0, 1};
    uint8_t *tells = (uint8_t *)_r_debug.r_brk;
    if (!tells || !does_nothing(tells))
        return;             /* libraries that come later keep a runtime that is linked into them */
    if (!(to.slots = near((uintptr_t)tells & ~(uintptr_t)4095, sizeof *to.slots)) || divert(tells, (void *)standin_loader_entry, &to))
        return say("the loader");
    mprotect(to.slots, sizeof *to.slots, PROT_READ | PROT_EXEC);
}
