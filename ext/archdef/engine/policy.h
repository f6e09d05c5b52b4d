/* Policies by plugins: what a compiled policy is asked, and what it answers.

   A policy is one function, int64_t f(const View *view), for each kind a view of its own. All numbers are 64 bits wide, so that
   every language lays the structs out alike. The answer must follow from the view and the policy's own `state` alone: the same question
   asked again must get the same answer, whatever the number of host threads. What a view points to lives for the call; only `state` and
   fields said to be written may be written. An answer outside what the kind allows ends the launch with an error that names the policy.

   The version changes when a field changes its meaning or place; fields are only ever added at the end of a view. */
#ifndef ARCHDEF_POLICY_H
#define ARCHDEF_POLICY_H
#include <stdint.h>

#define ARCHDEF_POLICY_ABI 1
#define ARCHDEF_POLICY_PARAMETERS 16  /* most numbers of one policy */
#define ARCHDEF_POLICY_STATE 16       /* words of `state` */
#define ARCHDEF_POLICY_WAYS 1024      /* most ways of a set that a replacement policy is asked about */
#define ARCHDEF_POLICY_WAY_WORDS (ARCHDEF_POLICY_WAYS / 64)
#define ARCHDEF_POLICY_FETCHES 16     /* most lines that a prefetcher can name at a time */

#define ARCHDEF_POLICY_HEAD \
    int64_t abi;                /* ARCHDEF_POLICY_ABI of the engine */ \
    const int64_t *parameters;  /* the policy's numbers, as its value gives them */ \
    int64_t parameter_count; \
    int64_t *state;             /* words of its own, zero at first: of this scheduler, multiprocessor, cache instance, or machine */ \
    void *owner;                /* the engine's: leave alone */

typedef struct { ARCHDEF_POLICY_HEAD } ArchdefPolicyHead;

/* Which warp a scheduler issues next. Answer: one of `candidates`, as a slot, 0 to 63. */
typedef struct {
    ARCHDEF_POLICY_HEAD
    int64_t multiprocessor;
    int64_t scheduler;          /* of the multiprocessor */
    int64_t cycle;              /* of the multiprocessor */
    uint64_t candidates;        /* bit i: the warp in slot i can issue now; never 0 */
    uint64_t memory;            /* bit i: its next instruction accesses memory (slots that are not candidates too) */
    int64_t last;               /* slot issued last, -1: none yet */
    const int64_t *issued_at;   /* [64] cycle of the warp's last issue */
    const int64_t *launched;    /* [64] order in which the warps came: smaller is older */
    const int64_t *issued;      /* [64] issues of the warp so far */
    const int64_t *blocks;      /* [64] the warp's block: its number in the grid */
} ArchdefSchedulerView;

/* Which memory partition holds a byte. Answer: 0 to partitions - 1. */
typedef struct {
    ARCHDEF_POLICY_HEAD
    uint64_t address;           /* of global memory */
    int64_t interleave_bytes;
    int64_t partitions;
} ArchdefPartitionView;

/* Which banks hold the words of one warp's access to shared memory. Answer: 0, with `banks_of` written. */
typedef struct {
    ARCHDEF_POLICY_HEAD
    int64_t banks;              /* of the machine */
    int64_t count;              /* words, each given once or more often */
    const uint64_t *words;      /* [count] address / bank width */
    int64_t *banks_of;          /* [count] written: 0 to banks - 1 */
} ArchdefBankView;

/* Which transactions serve one access of a warp to global memory. Answer: their number, with the arrays written. */
typedef struct {
    ARCHDEF_POLICY_HEAD
    int64_t lanes;              /* of the warp */
    uint64_t mask;              /* lanes that take part; never 0 */
    const uint64_t *addresses;  /* [lanes], multiples of `bytes`; those of lanes that do not take part mean nothing */
    int64_t bytes;              /* per lane: 1, 2, 4, 8 or 16 */
    int64_t room;               /* entries of the arrays below */
    uint64_t *starts;           /* [room] written: first byte, a multiple of the size */
    int64_t *sizes;             /* [room] written: bytes, a power of two up to the policy's largest */
} ArchdefCoalescingView;

/* Which way of a full set a new line replaces. Asked with event ARCHDEF_CACHE_VICTIM. Answer: a way that is not busy. It may be asked again before the line
   comes. A policy that listens (`told` of its value) hears of the other events besides, where `lines`, `used`, `busy` and `busy_ways` are NULL or 0.
   Answer then: 0. */
typedef struct {
    ARCHDEF_POLICY_HEAD
    uint64_t line;              /* number of the new line: address / line size */
    int64_t set;
    int64_t ways;
    const uint64_t *lines;      /* [ways] numbers of the lines that are there */
    const int64_t *used;        /* [ways] when each was used last: a count of accesses of the cache instance */
    uint64_t busy;              /* bit i: way i, of the first 64, waits for data and must stay */
    const uint64_t *busy_ways;  /* [(ways + 63) / 64] the same of all ways: bit i % 64 of word i / 64 */
    int64_t event;              /* ARCHDEF_CACHE_VICTIM, or what happened: HIT, the line was looked up and found, though sectors of it may lack; MISS, it was
                                   not found; FILL, it has taken a way */
    int64_t way;                /* where the line stands, after HIT and FILL; else -1 */
    int64_t sets;
    int64_t accesses;           /* of the cache instance so far, those that `used` counts */
    int64_t instruction;        /* the load's place in its program, -1: not known, as in every cache but those of a multiprocessor's load/store unit */
    int64_t warp;               /* its slot, -1: not known */
    int64_t line_words;         /* words of its own for each line */
    int64_t *words;             /* [ways][line_words] of the set, zero at first: may be written */
} ArchdefReplacementView;

#define ARCHDEF_CACHE_VICTIM 0
#define ARCHDEF_CACHE_HIT 1
#define ARCHDEF_CACHE_MISS 2
#define ARCHDEF_CACHE_FILL 3
#define ARCHDEF_CACHE_STORE 4

/* Which multiprocessor the next block of a grid goes to. Asked when a block of a launch is next and fits somewhere, again when a block has ended, and at
   the cycle that `again` named. Answer: one with room, or ARCHDEF_DISPATCH_NOT_NOW; where nothing else can go on, that ends the launch with an error. */
typedef struct {
    ARCHDEF_POLICY_HEAD
    int64_t block;              /* number in the grid */
    int64_t multiprocessors;
    const int64_t *room;        /* [multiprocessors] 1: the block fits; at least one does */
    const int64_t *blocks;      /* [multiprocessors] blocks of this launch that have a place there */
    const int64_t *load;        /* [multiprocessors] share of its warps that is taken, in 2^-40 */
    int64_t cycle;              /* of the multiprocessors */
    const int64_t *ended;       /* [multiprocessors] blocks that have ended there, of all launches of the session */
    const int64_t *instructions;  /* [multiprocessors] warp instructions issued there by the time at which the latest of these ended */
    int64_t *again;             /* [1] written, where the answer is not now: the cycle at which to ask again at the latest, later than `cycle` by at most
                                   2^30; 0, as it is found: none */
} ArchdefDispatchView;

#define ARCHDEF_DISPATCH_NOT_NOW (-1)

/* Which side of a branch goes first where the lanes of a warp part. Answer: 1 the lanes that jump, 0 those that go on. */
typedef struct {
    ARCHDEF_POLICY_HEAD
    int64_t branch;             /* instruction, by its place in the program */
    int64_t target;             /* where the lanes of `taken` go */
    int64_t meets;              /* where both sides meet, -1: at the end of the function */
    uint64_t taken;
    uint64_t rest;              /* the lanes that go on behind the branch */
    int64_t depth;              /* entries on the warp's stack */
} ArchdefBranchView;

/* Which warps of a multiprocessor may issue loads from memory. Asked when a load has looked into L1, when a warp comes or goes, and, while it holds
   a load back that could go, at the cycle that the last answer named; its `state` has the policy's `state_words` words, one set a multiprocessor.
   Answer: the cycle, later than `cycle` by at most 2^30, at which to ask again, 0: none; `allowed` holds what the last answer left there, and is
   changed. */
typedef struct {
    ARCHDEF_POLICY_HEAD
    int64_t multiprocessor;
    int64_t cycle;              /* of the multiprocessor */
    int64_t event;              /* what happened: an ARCHDEF_THROTTLE_ number */
    int64_t warp;               /* slot of the warp concerned, -1: none */
    uint64_t line;              /* number of the line looked up: address / line size */
    int64_t place;              /* where it stands now: set * ways + way */
    uint64_t evicted;           /* number of the line that stood there before and gave way, all bits set: none */
    int64_t instructions;       /* warp instructions that the multiprocessor has issued so far */
    int64_t lines;              /* that L1 holds: sets * ways */
    int64_t warps;              /* slots that have had a warp so far: more may come */
    const int64_t *resident;    /* [warps] 1: a warp is there */
    const int64_t *launched;    /* [warps] order in which the warps came: smaller is older */
    int64_t *allowed;           /* [warps] written: 1: the warp may issue loads, 0: it may not */
} ArchdefThrottleView;

#define ARCHDEF_THROTTLE_TIME 0    /* the cycle that was asked for */
#define ARCHDEF_THROTTLE_HIT 1     /* all that a load wanted of a line was there, or on its way */
#define ARCHDEF_THROTTLE_MISS 2    /* some was not: it is fetched now */
#define ARCHDEF_THROTTLE_START 3   /* a warp has come into the slot, which is allowed */
#define ARCHDEF_THROTTLE_END 4     /* its warp has ended */

/* What a multiprocessor's L1 does with loads. One view serves three kinds, each with `state` and `words` of its own for each multiprocessor:

   - An admission policy is asked at each MISS of a line that L1 does not hold. Answer: 1, the line gets a place; 0, the load passes L1 by.
     It is asked again where a load that it admitted had to wait for a place.
   - A prefetcher is asked at each HIT and MISS of a load that does not pass L1 by. Answer: how many lines are to be fetched, with `fetch` written.
   - A victim cache, or whatever else stands beside L1, is asked at each MISS. Answer: the cycles after which it gives the wanted sectors, at most 2^20;
     0: it does not have them, and they are fetched.

   One that listens (`told` of its value) hears of the other events, too. Answer then: 0. */
typedef struct {
    ARCHDEF_POLICY_HEAD
    int64_t multiprocessor;
    int64_t cycle;              /* of the multiprocessor, at which the load looks into L1 */
    int64_t event;              /* ARCHDEF_CACHE_HIT: all that a load wanted of a line is there, or on its way; MISS: some is not; FILL: the line has taken a
                                   place; STORE: a store or an atomic operation makes what L1 holds of it invalid. A prefetcher hears of fills of lines that
                                   it named, and of no stores */
    uint64_t address;           /* first byte that is wanted */
    uint64_t line;              /* number of its line: address / line size */
    uint64_t sectors;           /* HIT: that are wanted; MISS: that lack; FILL: that will come */
    int64_t set;
    int64_t place;              /* where the line stands, or will: set * ways + way; -1: nowhere, or not known yet */
    uint64_t evicted;           /* FILL, and MISS for a prefetcher: number of the line that stood there before, all bits set: none */
    uint64_t evicted_sectors;   /* FILL: those of its sectors that were there */
    int64_t warp;               /* slot of the load's warp; this and the next five are -1 where no load is to blame, as for what is prefetched */
    int64_t launched;           /* the warp's age: different for each warp of a multiprocessor, smaller is older */
    int64_t block;              /* the warp's block: its number in the grid */
    int64_t index;              /* of the warp in the block */
    int64_t instruction;        /* the load's place in its program */
    int64_t first;              /* 1: of the load's transactions, this is the first, and was not sent before */
    int64_t pending;            /* HIT: 1: the load waits for some of it, which is on its way */
    int64_t busy;               /* MISS: ways of the set that wait for data; where all do, a line that is to get a place makes its load wait */
    int64_t sets;
    int64_t ways;
    int64_t line_bytes;
    const uint64_t *tags;       /* [ways] of the set: numbers of the lines that are there, plus 1; 0: none */
    const int64_t *used;        /* [ways] when each was used last: a count of accesses of L1 */
    int64_t line_words;         /* words of its own for each line of L1 */
    int64_t *words;             /* [sets * ways][line_words], zero at first and when L1 is divided anew: may be written */
    int64_t room;               /* entries of the next */
    uint64_t *fetch;            /* [room] written by a prefetcher: numbers of lines. One that L1 holds, that no allocation holds, or for which no read can be
                                   sent now is not fetched */
} ArchdefL1View;

/* Which request of a DRAM partition's queue gets a command next. Asked whenever the column bus is free and a request is in the window; its `state` has the
   policy's `state_words` words, one set a partition. Times are femtoseconds.
   Answer: its place in the arrays. If its time has not come, the partition waits for it, or for a new request. If its row is open, its data go. If not, what
   else is open in its bank is closed, its row is opened, and the policy is asked again at once. It may open rows ARCHDEF_DRAM_ROWS times in a row without
   letting data go, and no more. */
typedef struct {
    ARCHDEF_POLICY_HEAD
    int64_t partition;
    int64_t now_fs;
    int64_t writes_next;        /* 1: by the description's write drain it is the writes' turn, 0: the reads'. The policy need not keep to it */
    int64_t count;              /* requests in the window, in the order in which they came */
    const int64_t *arrival_fs;  /* [count] when each came */
    const int64_t *ready_fs;    /* [count] from when on its data can go, or its row be opened */
    const int64_t *bank;        /* [count] */
    const int64_t *row;         /* [count] */
    const int64_t *row_hit;     /* [count] 1: its row is open */
    const int64_t *write;       /* [count] 1: it writes */
    const int64_t *bytes;       /* [count] */
    const int64_t *multiprocessor;  /* [count] who asked first for what it fetches, or writes; -1: nobody, as of what a cache writes back */
} ArchdefDramView;

#define ARCHDEF_DRAM_ROWS 1024

/* Which L2 partition holds a page. Asked once, when a request for it is the first of all; it stays there as long as the device lives.
   Answer: 0 to l2_partitions - 1. */
typedef struct {
    ARCHDEF_POLICY_HEAD
    uint64_t page;              /* address / page_bytes */
    int64_t page_bytes;
    int64_t multiprocessor;     /* that asks */
    int64_t l2_partition;       /* in which that lies */
    int64_t l2_partitions;
    const int64_t *pages;       /* [l2_partitions] pages that each holds */
} ArchdefPlacementView;

/* Over how many hops, and which links, an answer goes from a partition, or slice, of memory to a multiprocessor. Asked once for each pair when a machine is
   made. Answer: hops, 0 to `room`. */
typedef struct {
    ARCHDEF_POLICY_HEAD
    int64_t multiprocessor;
    int64_t partition;
    int64_t multiprocessors;
    int64_t partitions;
    int64_t room;               /* ARCHDEF_TOPOLOGY_HOPS */
    int64_t *links;             /* [room] written, or left as found, all -1: the link of each hop in turn, 0 to ARCHDEF_TOPOLOGY_LINKS - 1; -1: one that
                                   nobody else waits for */
} ArchdefTopologyView;

#define ARCHDEF_TOPOLOGY_HOPS 64
#define ARCHDEF_TOPOLOGY_LINKS 4096

#endif
