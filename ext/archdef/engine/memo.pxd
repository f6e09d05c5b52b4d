"""What is remembered of a memory instruction: the pattern of its lanes, and what an access of that pattern costs."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.timeline_record cimport BankUse

cdef enum:
    MEMO_SLOTS = 8
    MEMO_TRANSACTIONS = 32

cdef struct Memo:                # one static access: lane pattern and what it costs
    uint64_t mask
    int64_t delta[64]            # address minus the first active lane's
    int64_t low                  # least delta of active lanes
    uint64_t extent              # bytes from the lowest that is accessed to behind the highest
    uint64_t span_start          # allocation hit last
    uint64_t span_bytes
    int32_t valid
    int32_t first                # first active lane
    int32_t contiguous           # 1: lane k at base + k * bytes, all lanes; 2: so in groups of them, or, where a bit of `contiguous >> 8` is set, all of
                                 # the group at one word; 0: neither
    int32_t granule              # power of two, 256 at most, that divides all deltas of active lanes
    int32_t apart                # packets by which operations on one word, which travel apart, are more than sectors (atomics) …
    int32_t apart_key            # … for base modulo 32; -1: not known
    int32_t serial               # most lanes on one address (atomics) …
    int32_t serial_more          # … and on shared memory: of the lanes of a conflict group, less one, the sum over groups …
    int32_t serial_most          # … and the most of any
    int32_t slot_key[8]          # base modulo 256, -1: empty
    int32_t slot_count[8]
    int32_t slot_bytes[8]
    int32_t slot_covered[8]      # 1: what lanes access of the sectors is known
    int32_t slot_pieces[8]       # transactions as counted: sectors of a line each
    int64_t passes               # shared memory: bank_passes, for base modulo Launch.passes_period
    int32_t passes_key           # -1: none, or every access is recorded …
    int32_t banks_key            # … even if that is what `passes` is for …
    BankUse *bank_use            # … here; NULL: nowhere
    int32_t word_key             # the same for the words of a cached load, modulo a bank's word; -1: none
    int64_t word_passes
    int64_t relative[8][32]      # address minus the base rounded down to 256
    int64_t relative_line[8][32]
    uint32_t bytes[8][32]
    uint32_t covered[8][32]
    uint32_t words[8][32]
    uint32_t sectors[8][32]
