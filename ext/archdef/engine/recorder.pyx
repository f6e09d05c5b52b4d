"""What records the timeline of a launch: its memory, and its contents as numpy sees them."""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from archdef.engine.clock cimport NEVER
from archdef.engine.dram cimport dram_room
from archdef.engine.bank_access cimport record_banks
from archdef.engine.grid cimport Grid
from archdef.engine.launch cimport Launch
from archdef.engine.machine cimport MachineTable
from archdef.engine.network cimport Network
from archdef.engine.request_trace cimport RequestRecord
from archdef.engine.sampler cimport sampler_close, sampler_open, sampler_settle
from archdef.engine.timeline cimport NO_TURN, TURN_BITS
from archdef.engine.timeline_record cimport (DETAIL_BLOCKS, DETAIL_REQUESTS, DETAIL_UNITS, DETAIL_WARPS, Activity, BankUse, BlockRecord, MultiprocessorSums,
                                             MultiprocessorTimeline, PartitionSums, RecordedOp, WarpPlace, WarpRecord)

from archdef.engine.records import _dtype

import numpy as np

from archdef.errors import LaunchError

cdef BlockRecord _block
memset(&_block, 0, sizeof(BlockRecord))
cdef WarpRecord _warp
memset(&_warp, 0, sizeof(WarpRecord))
cdef WarpPlace _place
memset(&_place, 0, sizeof(WarpPlace))
cdef RecordedOp _op
memset(&_op, 0, sizeof(RecordedOp))
cdef MultiprocessorSums _sums
memset(&_sums, 0, sizeof(MultiprocessorSums))
cdef PartitionSums _memory
memset(&_memory, 0, sizeof(PartitionSums))
cdef Activity _activity
memset(&_activity, 0, sizeof(Activity))
cdef RequestRecord _request
memset(&_request, 0, sizeof(RequestRecord))
BLOCK_DTYPE = _dtype(_block)
_PACKED_WARP = _dtype(_warp)
_PLACE = _dtype(_place)
_OP = _dtype(_op)
WARP_DTYPE = np.dtype([(name, np.int64) for name in (*_PLACE.names, "statement", "unit", "cause", "begin", "since", "throttled", "unit_busy", "issue", "end")])
SUMS_DTYPE = _dtype(_sums)
MEMORY_DTYPE = _dtype(_memory)
ACTIVITY_DTYPE = _dtype(_activity)
REQUEST_DTYPE = _dtype(_request)
REQUEST_TIMES = ("begun", "sent", "refused", "left", "arrived", "queued", "served", "answered")
assert (BLOCK_DTYPE.itemsize, _PACKED_WARP.itemsize, SUMS_DTYPE.itemsize) == (sizeof(BlockRecord), sizeof(WarpRecord), sizeof(MultiprocessorSums))
assert (MEMORY_DTYPE.itemsize, ACTIVITY_DTYPE.itemsize, REQUEST_DTYPE.itemsize) == (sizeof(PartitionSums), sizeof(Activity), sizeof(RequestRecord))


cdef void *_zeroed(int64_t count, size_t bytes_) except NULL:
    """Memory that the host commits as it is touched."""
    cdef void *place = calloc(<size_t>max(count, 1), bytes_)
    if place == NULL:
        raise MemoryError("timeline of a launch")
    return place


cdef _copied(const void *table, int64_t count, dtype, shape=None):
    """Copy an array of structs."""
    cdef int64_t used = count * <int64_t>dtype.itemsize
    made = np.frombuffer((<const char *>table)[:used] if used else b"", dtype).copy()
    return made if shape is None else made.reshape(shape)


cdef class TimelineRecorder:
    """The timeline that a launch was asked for; one for each launch.

    Parameters
    ----------
    detail : int
        `TimelineDetail`.
    first, last : int
        Cycles of the launch; [first, last) is recorded.
    width : int
        Cycles of a bucket to begin with, at least those of an epoch; the width doubles as often as it takes.
    buckets : int
        Most buckets, an even number.
    block_room, warp_room : int
        Records of blocks, and of issues and of requests, that are kept; those beyond are counted as lost.
    chosen : sequence of int, optional
        Multiprocessors whose warps' issues are recorded; by default all.
    """

    def __cinit__(self, int64_t detail, int64_t first, int64_t last, int64_t width, int64_t buckets, int64_t block_room, int64_t warp_room,
                  chosen=None):
        if buckets < 2 or buckets % 2 or width < 0 or not 0 <= first < last:
            raise ValueError(f"a timeline of {buckets} buckets of {width} cycles, from {first} to {last}")
        self.record.detail = detail
        self.record.first = first
        self.record.last = last
        self.record.width = width
        self.record.buckets = buckets
        self.record.block_room = block_room if detail >= DETAIL_BLOCKS else 0
        self.record.warp_room = warp_room if detail >= DETAIL_WARPS else 0
        self.traces = detail >= DETAIL_REQUESTS
        self.requests.room = warp_room if self.traces else 0
        self.chosen = chosen

    def __dealloc__(self):
        sampler_close(&self.sampler)
        free(self.record.blocks)
        free(self.record.warps)
        free(self.record.places)
        free(self.record.ops)
        free(self.record.sums)
        free(self.record.memory)
        free(self.record.activity)
        free(self.record.each)
        free(self.record.banks.first_op)
        free(self.record.banks.uses)
        free(self.record.banks.pending)
        free(self.record.banks.served)
        free(self.record.bank_words)
        free(self.requests.records)
        free(self.requests.under_way)
        free(self.requests.transactions)

    cdef int begin(self, Grid grid, const Network *network, int64_t epoch_cycles) except -1:
        """The launch is about to enter a session. Raises LaunchError if the recorder serves another."""
        cdef const MachineTable *m = network.m
        if self.begun:
            raise LaunchError("a recorder of timelines serves one launch")
        self.begun = True
        self.origin = grid.launch.ready
        self.record.first += self.origin
        self.record.last += self.origin
        self.record.width = max(self.record.width, epoch_cycles)
        self.record.multiprocessors = m.chip.multiprocessors
        self.record.partitions = m.dram.partitions
        self.record.blocks = <BlockRecord *>_zeroed(self.record.block_room, sizeof(BlockRecord))
        self._open_warps()
        self.record.sums = <MultiprocessorSums *>_zeroed(self.record.buckets * m.chip.multiprocessors, sizeof(MultiprocessorSums))
        self.record.memory = <PartitionSums *>_zeroed(self.record.buckets * m.dram.partitions, sizeof(PartitionSums))
        if self.record.detail >= DETAIL_UNITS:
            self._open_activity(grid, m)
        self.period_fs = m.clocks.shader_period_fs
        if self.traces:
            self._open_requests(network)
        return sampler_open(&self.sampler, &self.record, &grid.launch, network)

    cdef int _open_warps(self) except -1:
        """Make room for issues of warps."""
        self.record.warps = self.record.next_warp = <WarpRecord *>_zeroed(self.record.warp_room, sizeof(WarpRecord))
        self.record.warps_end = self.record.warps + self.record.warp_room
        self.record.places = <WarpPlace *>_zeroed(self.record.warp_room, sizeof(WarpPlace))
        return 0

    cdef int _open_activity(self, Grid grid, const MachineTable *m) except -1:
        """Make room for what warps do."""
        cdef int64_t i, sms = m.chip.multiprocessors
        cdef MultiprocessorTimeline *each
        self.record.activity = <Activity *>_zeroed(self.record.buckets * sms, sizeof(Activity))
        self.record.each = each = <MultiprocessorTimeline *>_zeroed(sms, sizeof(MultiprocessorTimeline))
        for i in range(sms):
            each[i].timeline = &self.record
            each[i].number = i
            each[i].records = self.record.detail >= DETAIL_WARPS and self.chosen is None
        for number in self.chosen or ():
            if not 0 <= number < sms:
                raise LaunchError(f"cannot record multiprocessor {number}: there are {sms}")
            each[<int64_t>number].records = self.record.detail >= DETAIL_WARPS
        self._open_ops(grid, m)
        self._open_banks(m)
        for i in range(sms):
            grid.origin.residencies[i].recorded = each + i
        return 0

    cdef int _open_ops(self, Grid grid, const MachineTable *m) except -1:
        """Make room for what is recorded of each op, and note what records do not say again."""
        cdef int64_t i, count, ops = 0, kernels = max(grid.origin.kernel_count, 1)
        cdef Launch *launch
        self.record.banks.first_op = <int64_t *>_zeroed(kernels, sizeof(int64_t))
        for i in range(kernels):
            self.record.banks.first_op[i] = ops
            launch = &grid.origin.kernels[i].model if grid.origin.kernel_count else &grid.launch
            ops += launch.op_count
        self.record.banks.uses = <BankUse *>_zeroed(ops, sizeof(BankUse))
        self.record.banks.pending = <int64_t *>_zeroed(ops, sizeof(int64_t))
        self.record.ops = <RecordedOp *>_zeroed(ops, sizeof(RecordedOp))
        for i in range(kernels):
            launch = &grid.origin.kernels[i].model if grid.origin.kernel_count else &grid.launch
            launch.over_banks = record_banks
            for count in range(launch.op_count):
                self.record.ops[self.record.banks.first_op[i] + count].statement = launch.ops[count].statement
                self.record.ops[self.record.banks.first_op[i] + count].unit = launch.ops[count].unit
                self.record.ops[self.record.banks.first_op[i] + count].cycles = launch.ops[count].issues * m.schedulers.issue_interval_cycles
        grid.launch.over_banks = record_banks
        self.kernel_count = kernels
        self.op_count = ops
        return 0

    cdef int _open_banks(self, const MachineTable *m) except -1:
        """Make room for what banks of shared memory serve."""
        self.record.banks.banks = <int32_t>m.shared.banks
        self.record.banks.served = <int64_t *>_zeroed(self.record.banks.banks, sizeof(int64_t))
        self.record.bank_words = <int64_t *>_zeroed(self.record.buckets * self.record.banks.banks, sizeof(int64_t))
        return 0

    cdef int _open_requests(self, const Network *network) except -1:
        """Make room for requests. Raises LaunchError if those of another launch are being recorded."""
        if network.crossbar.trace != NULL:
            raise LaunchError("requests to memory are recorded for one launch at a time: another timeline of the detail 'requests' is not complete")
        self.requests.slots = network.routing.slots
        self.requests.first_fs = self.record.first * self.period_fs
        self.requests.last_fs = self.record.last * self.period_fs if self.record.last < NEVER // self.period_fs else NEVER
        self.requests.records = <RequestRecord *>_zeroed(self.requests.room, sizeof(RequestRecord))
        self.requests.under_way = <int32_t *>_zeroed(self.record.multiprocessors * self.requests.slots, sizeof(int32_t))
        self.requests.transaction_room = dram_room(network.m)
        self.requests.transactions = <int32_t *>_zeroed(self.record.partitions * self.requests.transaction_room, sizeof(int32_t))
        return 0

    @property
    def width(self):
        """Cycles of a bucket."""
        return self.record.width

    @property
    def lost(self):
        """Records of blocks, of issues, and of requests, that found no room."""
        return self.record.blocks_lost, self.record.warps_lost, self.requests.lost

    def _cycles(self, records, *names):
        """Let cycles count from the launch."""
        for name in names:
            records[name] -= self.origin
        return records

    def blocks(self):
        """Give the blocks as an array of `BLOCK_DTYPE`, in no order; cycles count from the launch."""
        return self._cycles(_copied(self.record.blocks, self.record.block_count, BLOCK_DTYPE), "begin", "end")

    def warps(self):
        """Give issues and waits as an array of `WARP_DTYPE`, in order of time for each warp; cycles count from the launch."""
        packed = _copied(self.record.warps, self.record.next_warp - self.record.warps, _PACKED_WARP)
        made = np.empty(len(packed), WARP_DTYPE)
        if not len(packed):
            return made
        places = _copied(self.record.places, self.record.place_count, _PLACE)[packed["place"] - 1]
        ops = _copied(self.record.ops, self.op_count, _OP)[self._first_ops()[places["kernel"]] + packed["op"]]
        issued = packed["turns"] != NO_TURN
        for name in _PLACE.names:
            made[name] = places[name]
        for name in ("begin", "cause", "issue"):
            made[name] = packed[name]
        made["statement"] = ops["statement"]
        made["unit"] = np.where(issued, ops["unit"], -1)
        made["since"] = packed["begin"] + packed["before"]
        made["throttled"] = np.where(issued, packed["turns"] & ((<int64_t>1 << TURN_BITS) - 1), 0)
        made["unit_busy"] = np.where(issued, packed["turns"] >> TURN_BITS, 0)
        made["end"] = packed["issue"] + np.where(issued, ops["cycles"], 0)
        return self._cycles(made, "begin", "since", "issue", "end")

    cdef _first_ops(self):
        """Give the number of the first op of each kernel."""
        return np.array([self.record.banks.first_op[i] for i in range(self.kernel_count)])

    def memory_requests(self):
        """Give requests as an array of `REQUEST_DTYPE`, in the order in which they were sent; cycles count from the launch, -1: none."""
        records = _copied(self.requests.records, self.requests.count, REQUEST_DTYPE)
        for name in REQUEST_TIMES:
            times = records[name]
            records[name] = np.where(times < 0, -1, -(-times // self.period_fs) - self.origin) if self.requests.count else times
        return records

    def sums(self):
        """Give the sums over buckets of time.

        Returns
        -------
        tuple of ndarray
            Of multiprocessors `[bucket, multiprocessor]` of `SUMS_DTYPE`, of partitions `[bucket, partition]` of `MEMORY_DTYPE`, of what warps did
            `[bucket, multiprocessor]` of `ACTIVITY_DTYPE`, and words that banks of shared memory served `[bucket, bank]`; the last two are None where
            they were not asked for.
        """
        cdef int64_t used = 0
        sampler_settle(&self.sampler)
        if self.sampler.since >= 0:
            used = (max(self.sampler.time - 1, self.sampler.since) - self.record.first) // self.record.width + 1
        sms, partitions = self.record.multiprocessors, self.record.partitions
        activity = banks = None
        if self.record.activity != NULL:
            activity = _copied(self.record.activity, used * sms, ACTIVITY_DTYPE, (used, sms))
            banks = _copied(self.record.bank_words, used * self.record.banks.banks, np.dtype(np.int64), (used, self.record.banks.banks))
        return (_copied(self.record.sums, used * sms, SUMS_DTYPE, (used, sms)),
                _copied(self.record.memory, used * partitions, MEMORY_DTYPE, (used, partitions)), activity, banks)
