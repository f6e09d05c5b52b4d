"""Everything beyond the multiprocessors: ports, partitions with their slice of L2, DRAM; driven by events in time order.

Three kinds of unit have events: a port sends its head request, a partition lets a DRAM command go, a slice calls a port that waits for it.
All else that is first
come first served is a time at which it is next free. Ties go by unit number, so results do not depend on when the
multiprocessors hand over their requests.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

from archdef.engine.cache cimport Cache, Line, cache_close, cache_find, cache_open, cache_set, cache_take, cache_victim
from archdef.engine.dram cimport (DIR_READ, DIR_WRITE, NEVER, Dram, Entry, dram_close, dram_decide, dram_enqueue, dram_open,
                                  dram_release)
from archdef.engine.events cimport EV_FILL, EV_STORE_DONE, Events, events_add, events_push
from archdef.engine.gather cimport gather_answered, gather_close, gather_join, gather_open
from archdef.engine.machine cimport MachineTable
from archdef.engine.parameters cimport CACHE_SCOPE_CLUSTER, INTERCONNECT_INJECTION_SCOPE_CLUSTER, CacheParameters
from archdef.engine.policy cimport Hook, ask_partition
from archdef.engine.schedule cimport count_bits, lowest_bit
from archdef.engine.shared_texture cimport (shared_texture_close, shared_texture_fetch, shared_texture_filled, shared_texture_has,
                                            shared_texture_open)


cdef enum:
    COPIED = 1 << 30         # in `Line.valid`: the other side has had a copy
    PARITY_BYTES = 5         # of an address, over which a parity may go
    FAR = 1 << 16            # in `Network.slice_of`: the line is at home on the other side
    WAY_CYCLES = 8           # of a way in that are one place …
    WAY_PLACES = 1024        # … of so many that are looked after at a time


# --------------------------------------------------------------------------------------------------- who has the next event
cdef inline void _reschedule(Network *n, int32_t unit, int64_t when) noexcept nogil:
    """Set the time of a unit's next event and play its matches again, up to the final. A tie goes to the lower number."""
    cdef Match *tree = n.tree
    cdef Match other
    cdef int64_t i = n.leaves + unit, loses
    tree[i].when = when
    tree[i].unit = unit
    while i > 1:        # without a branch on who wins, which is anybody's guess; compilers would make one of a condition
        other = tree[i ^ 1]
        loses = -<int64_t>(other.when < when + (i & 1))        # all bits or none
        when ^= (when ^ other.when) & loses
        unit ^= (unit ^ other.unit) & <int32_t>loses
        i >>= 1
        tree[i].when = when
        tree[i].unit = unit


cdef inline void _hasten(Network *n, int32_t unit, int64_t when) noexcept nogil:
    """The same where the event comes sooner than before: it can only win."""
    cdef Match *tree = n.tree
    cdef int32_t i = n.leaves + unit
    while i and (when < tree[i].when or when == tree[i].when and unit <= tree[i].unit):
        tree[i].when = when
        tree[i].unit = unit
        i >>= 1


cdef int64_t network_next(const Network *n) noexcept nogil:
    """Time of the next event; NEVER if all is quiet."""
    return n.tree[1].when


# ------------------------------------------------------------------------------------------------------------ set-up
cdef int _number_clusters(Network *n) except -1:
    """Say which cluster each multiprocessor is in, and how far it is; beyond the sizes that are declared, clusters have the usual size."""
    cdef const MachineTable *m = n.m
    cdef int64_t i, left = 0, k = -1, place = 0
    cdef uint64_t mixed
    if m.interconnect.place_cycles_count or m.interconnect.spread_fs:
        n.place_fs = <int64_t *>calloc(<size_t>m.chip.multiprocessors, sizeof(int64_t))
        n.spread_fs = <int64_t *>calloc(<size_t>(m.chip.multiprocessors * m.dram.partitions), sizeof(int64_t))
        if n.place_fs == NULL or n.spread_fs == NULL:
            raise MemoryError("distances of the network")
    for i in range(m.chip.multiprocessors):
        if left == 0:
            k += 1
            place = 0
            left = m.chip.cluster_sizes[k] if k < 32 and m.chip.cluster_sizes[k] else m.chip.multiprocessors_per_cluster
        n.cluster[i] = <int32_t>k
        if m.interconnect.place_cycles_count:
            n.place_fs[i] = m.interconnect.place_cycles[place % m.interconnect.place_cycles_count] * m.shader_period_fs
        place += 1
        left -= 1
    if m.interconnect.spread_fs:
        for i in range((k + 1) * m.dram.partitions):
            mixed = <uint64_t>(i + 1) * <uint64_t>0x9e3779b97f4a7c15
            n.spread_fs[i] = <int64_t>((mixed ^ mixed >> 31) * <uint64_t>0xbf58476d1ce4e5b9 >> 54) * m.interconnect.spread_fs >> 10
    return 0


cdef Way *_open_ways(int64_t count) except NULL:
    """As many ways in, which nobody takes."""
    cdef Way *ways = <Way *>calloc(<size_t>count, sizeof(Way))
    cdef Place *places = <Place *>calloc(<size_t>(count * WAY_PLACES), sizeof(Place))
    cdef int64_t i
    if ways == NULL or places == NULL:
        free(ways)
        free(places)
        raise MemoryError("ways of the network")
    for i in range(count):
        ways[i].places = places + i * WAY_PLACES
    return ways


cdef void _close_ways(Way *ways) noexcept nogil:
    if ways != NULL:
        free(ways[0].places)
    free(ways)


cdef int network_open(Network *n, const MachineTable *m, Events *inboxes) except -1:
    """Build an idle network for the machine; responses go to `inboxes`, one per multiprocessor."""
    cdef int64_t i, room = 256, reads
    n.m = m
    n.inboxes = inboxes
    n.slots = reads = max(m.load_store.reads_in_flight_per_multiprocessor, 1) + (m.load_store.textures_in_flight_per_multiprocessor if m.caches.texture_l1.scope == CACHE_SCOPE_CLUSTER else 0)
    while room < reads + m.load_store.stores_in_flight_per_multiprocessor + 8:
        room *= 2
    n.port_count = <int32_t>(m.chip.multiprocessors * (2 if m.interconnect.store_ports else 1))
    n.units = <int32_t>(n.port_count + m.dram.partitions * (2 if m.interconnect.slice_map.parities else 1))
    n.l2_latency_fs = m.caches.l2.latency_cycles * m.core_period_fs
    n.ports = <Port *>calloc(<size_t>n.port_count, sizeof(Port))
    n.cluster = <int32_t *>calloc(<size_t>m.chip.multiprocessors, sizeof(int32_t))
    n.partitions = <Partition *>calloc(<size_t>m.dram.partitions, sizeof(Partition))
    n.cluster_free_fs = <int64_t *>calloc(<size_t>n.port_count, sizeof(int64_t))
    n.cluster_out_fs = <int64_t *>calloc(<size_t>m.chip.multiprocessors, sizeof(int64_t))
    n.remaining = <int64_t *>calloc(<size_t>(m.chip.multiprocessors * reads), sizeof(int64_t))
    n.waiter_next = <int32_t *>calloc(<size_t>(m.chip.multiprocessors * reads * 4), sizeof(int32_t))
    n.leaves = 2
    while n.leaves < n.units:
        n.leaves *= 2
    n.tree = <Match *>malloc(<size_t>(2 * n.leaves) * sizeof(Match))
    if (n.ports == NULL or n.partitions == NULL or n.cluster_free_fs == NULL or n.cluster_out_fs == NULL or n.remaining == NULL
            or n.waiter_next == NULL or n.tree == NULL or n.cluster == NULL):
        raise MemoryError("network of the machine")
    _number_clusters(n)
    if m.interconnect.cluster_response_bytes_per_cycle:
        n.ways = _open_ways(n.cluster[m.chip.multiprocessors - 1] + 1)
    if m.interconnect.side_bytes_per_cycle and m.interconnect.sides > 1:
        n.crossings = _open_ways(m.interconnect.sides * m.interconnect.side_links)
    _open_slices(n)
    gather_open(n)
    shared_texture_open(n)
    for i in range(2 * n.leaves - 1, 0, -1):
        n.tree[i].when = NEVER
        n.tree[i].unit = <int32_t>(i - n.leaves) if i >= n.leaves else n.tree[2 * i].unit
    for i in range(n.port_count):
        n.ports[i].room = <int32_t>room
        n.ports[i].next_waiter = -1
        n.ports[i].ring = <Request *>malloc(<size_t>room * sizeof(Request))
        if n.ports[i].ring == NULL:
            raise MemoryError("ports of the network")
    for i in range(m.dram.partitions):
        n.partitions[i].first_waiter = n.partitions[i].last_waiter = n.partitions[i].first_at_door = n.partitions[i].last_at_door = -1
        dram_open(&n.partitions[i].dram, m, i)
        cache_open(&n.partitions[i].l2, &m.caches.l2)
        cache_open(&n.partitions[i].texture_l2, &m.caches.texture_l2)
    return 0


cdef void network_close(Network *n) noexcept nogil:
    """Free what `network_open` took, complete or not."""
    cdef int64_t i
    if n.m == NULL:
        return
    if n.ports != NULL:
        for i in range(n.port_count):
            free(n.ports[i].ring)
    if n.partitions != NULL:
        for i in range(n.m.dram.partitions):
            dram_close(&n.partitions[i].dram)
            cache_close(&n.partitions[i].l2)
            cache_close(&n.partitions[i].texture_l2)
    free(n.ports)
    free(n.partitions)
    free(n.cluster_free_fs)
    free(n.cluster_out_fs)
    _close_ways(n.ways)
    _close_ways(n.crossings)
    free(n.parities)
    free(n.slice_of)
    shared_texture_close(n)
    free(n.remaining)
    free(n.waiter_next)
    free(n.tree)
    free(n.cluster)
    free(n.place_fs)
    free(n.spread_fs)
    gather_close(n)
    n.m = NULL


cdef int _open_slices(Network *n) except -1:
    """Write down, for every value of each byte of an address, the parities that it gives; none where partitions are slices."""
    cdef const MachineTable *m = n.m
    cdef int64_t i, k
    if m.interconnect.slice_map.parities == 0 or m.dram.partitions & ((1 << m.interconnect.slice_map.parts) - 1):
        return 0
    n.parities = <uint32_t *>calloc(PARITY_BYTES * 256, sizeof(uint32_t))
    n.slice_of = <int32_t *>calloc(<size_t>(m.chip.multiprocessors * n.slots), sizeof(int32_t))
    if n.parities == NULL or n.slice_of == NULL:
        raise MemoryError("map of the slices")
    for i in range(PARITY_BYTES * 256):
        for k in range(m.interconnect.slice_map.parities):
            n.parities[i] |= <uint32_t>(count_bits(<uint64_t>m.interconnect.slice_map.masks[k] >> 8 * (i >> 8) & <uint64_t>(i & 255)) & 1) << k
    return 0


cdef inline int32_t _slice(const Network *n, uint64_t address) noexcept nogil:
    """The slice of a byte: see `archdef.spec.ParityHash`."""
    cdef const MachineTable *m = n.m
    cdef int64_t low = m.interconnect.slice_map.parities - m.interconnect.slice_map.parts
    cdef uint64_t count = <uint64_t>m.dram.partitions >> m.interconnect.slice_map.parts
    cdef uint32_t found = 0
    cdef int i
    for i in range(1, PARITY_BYTES):
        found ^= n.parities[256 * i + <int>(address >> 8 * i & 255)]
    if m.dram.interleave_bytes < 256:
        found ^= n.parities[<int>(address & 255)]
    return <int32_t>((found >> low) * count + (address >> m.interconnect.slice_map.high_bit << low | found & ((<uint64_t>1 << low) - 1)) % count)


cdef inline int64_t _side(const Network *n, int64_t which) noexcept nogil:
    """The side of the chip on which a partition lies."""
    return which * n.m.interconnect.sides // n.m.dram.partitions


cdef inline int64_t _side_of_sm(const Network *n, int64_t sm) noexcept nogil:
    return sm * n.m.interconnect.sides // n.m.chip.multiprocessors


cdef inline bint _apart(const Network *n, int64_t sm, int64_t which) noexcept nogil:
    """Whether a multiprocessor and a partition lie on different sides of the chip."""
    return _side_of_sm(n, sm) != _side(n, which)


cdef inline bint _far(const Network *n, int64_t sm, int64_t which, int32_t through) noexcept nogil:
    """Whether a line is at home on another side than who asks for it."""
    return _apart(n, sm, which) if n.slice_of == NULL else through & FAR != 0


cdef inline int32_t _opposite(const Network *n, int32_t slice) noexcept nogil:
    """The slice at the same place of the other side; the slice itself where there are not two sides."""
    cdef int32_t half = <int32_t>(n.m.dram.partitions >> 1)
    if n.m.interconnect.sides != 2:
        return slice
    return slice - half if slice >= half else slice + half


cdef inline int32_t _way(const Network *n, int32_t sm, const Request *r) noexcept nogil:
    """Which slice serves a request: reads the near side's, stores and atomic operations the line's home."""
    cdef int32_t home = _slice(n, r.address)
    if n.m.interconnect.sides < 2 or not _apart(n, sm, home):
        return home
    return (_opposite(n, home) if r.kind == RQ_READ or r.kind == RQ_TEXTURE else home) | FAR


cdef inline Partition *_ports_of(Network *n, int32_t through) noexcept nogil:
    """The partition at whose place a slice stands: its ports and atomic unit are the slice's."""
    return n.partitions + (through & (FAR - 1))


cdef inline Partition *_ports(Network *n, Partition *p, int64_t record) noexcept nogil:
    """Whose ports and atomic unit serve what is under way."""
    return p if n.slice_of == NULL else _ports_of(n, n.slice_of[record])


cdef int64_t partition_of(const MachineTable *m, uint64_t address, uint64_t *local) noexcept nogil:
    """The partition that owns a byte, and the byte's address inside it."""
    cdef int shift = lowest_bit(<uint64_t>m.dram.interleave_bytes)        # a power of two: a division takes as long as the rest
    cdef uint64_t unit = address >> shift
    cdef uint64_t count = <uint64_t>m.dram.partitions, turn = unit // count, round_ = turn
    cdef int i
    local[0] = round_ << shift | address & <uint64_t>(m.dram.interleave_bytes - 1)
    if m.dram.partition_hook:
        return ask_partition(<Hook *><size_t>m.dram.partition_hook, address, m.dram.interleave_bytes, m.dram.partitions)
    if m.dram.partition_xor:
        for i in range(8):
            if m.dram.partition_shifts[i] == 0:
                break
            turn ^= round_ >> m.dram.partition_shifts[i]
        unit += turn
    return <int64_t>(unit % count)


cdef inline int64_t _port_fs(const MachineTable *m, int64_t bytes, int64_t per_cycle) noexcept nogil:
    """Time for which a packet occupies a port: whole cycles of the core clock."""
    return <int64_t>(<uint32_t>(bytes + per_cycle - 1) // <uint32_t>per_cycle) * m.core_period_fs


cdef inline bint _single(const Request *r) noexcept nogil:
    """Whether an atomic operation is on one word."""
    return 0 < r.covered <= 8


cdef inline int64_t _atomic_data(const MachineTable *m, const Request *r) noexcept nogil:
    """Bytes of the packets of an atomic request, beyond its multiprocessor: a single word fits beside its mask."""
    if _single(r):
        return (1 + r.apart) * m.interconnect.mask_bytes
    return (1 + r.apart) * m.interconnect.mask_bytes + (r.bytes + r.apart * m.caches.l2.sector_bytes) * r.operands


cdef inline int64_t _answer_bytes(const MachineTable *m, const Request *r) noexcept nogil:
    """Bytes of the old values that an atomic request brings back: of operations on one word, each by itself."""
    if not r.returns:
        return 0
    return (1 + r.apart) * m.interconnect.mask_bytes if _single(r) and m.interconnect.mask_bytes else r.bytes + r.apart * m.caches.l2.sector_bytes


cdef inline int64_t _door_fs(const MachineTable *m, const Request *r, int64_t packet) noexcept nogil:
    """Time for which a request holds the way into a slice."""
    if r.kind == RQ_ATOMIC:
        return max((1 + r.apart) * m.interconnect.atomic_packet_fs, _atomic_data(m, r) * m.core_period_fs // m.interconnect.partition_request_bytes_per_cycle)
    return packet * m.core_period_fs // m.interconnect.partition_request_bytes_per_cycle


cdef void network_send(Network *n, int32_t sm, const Request *request) noexcept nogil:
    """Append a request to a multiprocessor's port. Credits keep the ring from overflowing."""
    cdef Port *port
    if n.m.interconnect.store_ports and (request.kind == RQ_WRITE or request.kind == RQ_ATOMIC):
        sm += <int32_t>n.m.chip.multiprocessors
    port = n.ports + sm
    if port.count == 0:
        port.head = 0       # where the host's cache still has it
    port.ring[(port.head + port.count) & (port.room - 1)] = request[0]
    port.count += 1
    if port.count == 1:
        _hasten(n, sm, max(request.time_fs, port.free_fs))


# --------------------------------------------------------------------------------------------------------- responses
cdef int64_t _come_in(const Network *n, Way *way, int64_t arrival_fs, int64_t takes_fs) noexcept nogil:
    """When something has come by a way that it takes for so long, and whose end it would reach at `arrival_fs` if nobody else came.

    What comes is known in another order: each takes the first time that nobody has, so that a late one holds up none before it.
    """
    cdef int64_t length = WAY_CYCLES * n.m.core_period_fs
    cdef int64_t number = max(arrival_fs - takes_fs, 0) // length, first
    cdef Place *place
    if way.full_from <= number < way.full_to:
        number = way.full_to
    first = number
    while True:
        place = way.places + (number & (WAY_PLACES - 1))
        if place.number < number:
            place.number = number
            place.taken_fs = 0
        if place.number == number and place.taken_fs < length:
            if takes_fs <= length - place.taken_fs:
                place.taken_fs += takes_fs
                break
            takes_fs -= length - place.taken_fs
            place.taken_fs = length
        number += 1
    if number > first >= way.full_to:       # all that lies between is taken: nobody need look there again
        if first > way.full_to:
            way.full_from = first
        way.full_to = number
    return max(arrival_fs, number * length + place.taken_fs)


cdef int64_t _cross(const Network *n, int64_t side, int64_t slice, int64_t bytes, int64_t time_fs) noexcept nogil:
    """When data of a slice, or a partition, that would be on another side at a time are there."""
    cdef int64_t links = n.m.interconnect.side_links
    if n.crossings == NULL:
        return time_fs
    return _come_in(n, n.crossings + side * links + slice % links, time_fs, bytes * links * n.m.core_period_fs // n.m.interconnect.side_bytes_per_cycle)


cdef int64_t _respond(Network *n, Partition *p, int32_t sm, int32_t slot, int64_t bytes, int64_t time_fs, int64_t late_fs) noexcept nogil:
    """Send read data back through the partition's port and the cluster's; `late_fs` is a delay that keeps nobody else waiting. Gives when they arrive."""
    cdef const MachineTable *m = n.m
    cdef int64_t packet = m.interconnect.header_bytes + bytes, arrival
    p = _ports(n, p, sm * n.slots + slot)
    if p.out_free_fs < time_fs:
        p.out_free_fs = time_fs
    p.out_free_fs += _port_fs(m, packet, m.interconnect.partition_response_bytes_per_cycle)
    arrival = p.out_free_fs + m.interconnect.response_latency_fs + late_fs
    if m.interconnect.cluster_response_bytes_per_cycle:
        arrival = _come_in(n, n.ways + n.cluster[sm], arrival, packet * m.core_period_fs // m.interconnect.cluster_response_bytes_per_cycle)
    if n.place_fs != NULL:
        arrival += n.place_fs[sm] + n.spread_fs[n.cluster[sm] * m.dram.partitions + (p - n.partitions)]
    if n.textures != NULL:
        shared_texture_filled(n, sm, slot, arrival)
    events_push(n.inboxes + sm, network_cycle(n, arrival), EV_FILL, slot)
    return arrival


cdef inline void _landed(Network *n, int32_t sm, int32_t launch, int32_t bytes, int64_t time_fs) noexcept nogil:
    """A store of a launch has reached its place: the credit goes home."""
    if time_fs > n.landed_fs:
        n.landed_fs = time_fs
    n.landed[launch] = max(n.landed[launch], network_cycle(n, time_fs))
    events_add(n.inboxes + sm, network_cycle(n, time_fs + n.m.interconnect.response_latency_fs), EV_STORE_DONE, launch, bytes)


cdef inline int32_t _atomic_work(const MachineTable *m, Partition *p, const Request *r, int32_t sectors) noexcept nogil:
    """What a request asks of the atomic unit, in sixteenths: of its operations on one address after the other, or of its sectors.

    A single operation waits for none on its address, unless that was the last one here and such operations take longer than others. Sectors
    all of whose words are operated on, or for whose words two values come, take a time of their own.
    """
    cdef bint alone = r.serial == 1 and (r.weight <= 8 or r.address != p.atomic_word)
    cdef int32_t of_sector = 16
    if not _single(r) and (r.operands > 1 or r.covered == 0 or r.covered >= r.bytes):
        of_sector = r.operands * <int32_t>m.load_store.atomic_sector_16ths
    p.atomic_word = r.address
    return max(0 if alone else <int32_t>r.serial * r.weight << 1, (sectors + r.apart) * of_sector)


cdef inline int64_t _hold(Partition *p, int64_t time_fs, int64_t takes_fs) noexcept nogil:
    """When a partition has read, changed and written something that it could begin at a time."""
    p.atomic_free_fs = max(p.atomic_free_fs, time_fs) + takes_fs
    return p.atomic_free_fs


cdef int64_t _operate(Network *n, Partition *p, int32_t work, int64_t time_fs) noexcept nogil:
    """Let the partition's atomic unit work; operations on one address follow each other."""
    time_fs = _hold(p, time_fs, work * n.m.load_store.atomic_fs // 16)
    if time_fs > n.landed_fs:
        n.landed_fs = time_fs
    return time_fs


# --------------------------------------------------------------------------------------------------- arrival at L2, DRAM
cdef void _poke(Network *n, int32_t which, int64_t arrival_fs) noexcept nogil:
    """A partition has a new transaction: let it decide no later than it can serve it."""
    cdef int32_t unit = n.port_count + which
    cdef int64_t when = max(arrival_fs, n.partitions[which].dram.command_fs)
    if when < n.tree[n.leaves + unit].when:
        _hasten(n, unit, when)


cdef void _complete(Network *n, int32_t which, Line *line, int64_t time_fs) noexcept nogil:
    """Read the sectors of a line that were written in part: what DRAM takes is whole."""
    cdef uint32_t sectors = line.dirty & ~line.valid
    line.partly = 0
    if sectors:
        line.valid |= sectors
        dram_enqueue(&n.partitions[which].dram, time_fs, (line.tag - 1) * <uint64_t>n.m.caches.l2.line_bytes,
                     <int32_t>(count_bits(sectors) * n.m.caches.l2.sector_bytes), DIR_READ)
        _poke(n, which, time_fs)


cdef void _write_back(Network *n, int32_t which, Line *line, int64_t time_fs) noexcept nogil:
    """Queue a victim's dirty sectors; those written in part are read first."""
    cdef Partition *p = n.partitions + which
    if line.tag and line.dirty:
        if line.partly:
            _complete(n, which, line, time_fs)
        dram_enqueue(&p.dram, time_fs, (line.tag - 1) * <uint64_t>n.m.caches.l2.line_bytes,
                     <int32_t>(count_bits(line.dirty) * n.m.caches.l2.sector_bytes), DIR_WRITE)
        _poke(n, which, time_fs)


cdef int64_t _oldest_of(const Cache *cache, int64_t first, bint partly, int64_t *count) noexcept nogil:
    """Of the lines of a set that are written, or written in part, that which was used longest ago, -1: there is none; and how many there are."""
    cdef int64_t i, oldest = -1
    count[0] = 0
    for i in range(first, first + cache.table.ways):
        if cache.lines[i].partly if partly else cache.lines[i].dirty:
            count[0] += 1
            if oldest < 0 or cache.used[i] < cache.used[oldest]:
                oldest = i
    return oldest


cdef void _relieve(Network *n, int32_t which, uint64_t number, int64_t time_fs) noexcept nogil:
    """An access to a set: of the lines there that are written in part, if they are too many, complete that which was used longest ago, unless
    it is the one accessed."""
    cdef Cache *cache = &n.partitions[which].l2
    cdef uint64_t place
    cdef int64_t oldest, count
    if cache.crowds == 0:
        return
    place = cache_set(cache, number)
    if not cache.crowded[place]:
        return
    oldest = _oldest_of(cache, <int64_t>place * cache.table.ways, True, &count)
    if count > cache.table.partial_ways and cache.lines[oldest].tag != number + 1:
        _write_back(n, which, cache.lines + oldest, time_fs)
        cache.lines[oldest].dirty = 0
        count -= 1
    if count <= cache.table.partial_ways:
        cache.crowded[place] = 0
        cache.crowds -= 1


cdef inline void _written(Network *n, int32_t which, Cache *cache, Line *line, uint32_t sectors, int64_t time_fs) noexcept nogil:
    """Note sectors that are to be written back; a set keeps only so many lines that are."""
    cdef bint first = line.dirty == 0
    cdef int64_t oldest, count
    line.dirty |= sectors
    if first and cache.table.dirty_ways:
        oldest = _oldest_of(cache, <int64_t>cache_set(cache, line.tag - 1) * cache.table.ways, False, &count)
        if count > cache.table.dirty_ways:
            _write_back(n, which, cache.lines + oldest, time_fs)
            cache.lines[oldest].dirty = 0


cdef void _write_part(Cache *cache, Line *line, uint32_t wanted, int64_t covered) noexcept nogil:
    """Note what a store that leaves bytes of its sectors alone has written."""
    cdef int64_t words = max(covered // 4 // count_bits(wanted), 1), sum, whole = cache.table.sector_bytes // 4, count
    cdef uint64_t place = cache_set(cache, line.tag - 1)
    cdef uint32_t sector
    for sector in range(4):
        if wanted & ~line.valid & (<uint32_t>1 << sector):
            sum = (line.partly >> 4 * sector & 15) + words
            line.partly &= ~(<uint32_t>15 << 4 * sector)
            if sum >= whole:
                line.valid |= <uint32_t>1 << sector
            else:
                line.partly |= <uint32_t>sum << 4 * sector
    line.dirty |= wanted
    if not cache.crowded[place]:
        _oldest_of(cache, <int64_t>place * cache.table.ways, True, &count)
        if count > cache.table.partial_ways:        # until the next access to the set
            cache.crowded[place] = 1
            cache.crowds += 1


cdef inline void _count_request(const MachineTable *m, Partition *p, const Request *r) noexcept nogil:
    p.dram.counters.requests += 1
    if r.kind == RQ_WRITE:
        p.dram.counters.bytes_given += r.bytes
    else:
        p.dram.counters.bytes_asked += r.bytes + (m.interconnect.mask_bytes * r.apart if r.kind == RQ_ATOMIC else 0)


cdef inline void _count(Partition *p, const Cache *cache, bint hit) noexcept nogil:
    if cache == &p.texture_l2:
        p.dram.counters.texture_l2_hits += hit
        p.dram.counters.texture_l2_misses += not hit
    else:
        p.dram.counters.l2_hits += hit
        p.dram.counters.l2_misses += not hit


cdef inline int32_t _other_side(const Network *n, int32_t which) noexcept nogil:
    """The partition by which the next side asks for lines of one."""
    return <int32_t>((which + n.m.dram.partitions // n.m.interconnect.sides) % n.m.dram.partitions)


cdef void _take_copy(Network *n, int32_t which, uint64_t number, int64_t time_fs) noexcept nogil:
    """Give a line of the other side a place in the cache of the one that asked for it; its data are not told apart from the original's."""
    cdef int32_t other = _other_side(n, which)
    cdef Cache *cache = &n.partitions[other].l2
    cdef uint64_t sets = <uint64_t>cache.table.sets
    cdef Line *line
    number += ((<uint64_t>1 << 44) // sets) * sets      # a line number of its own, in the same set
    line = cache_victim(cache, number)
    if line != NULL:
        _write_back(n, other, line, time_fs)
        cache_take(cache, line, number)


cdef inline uint32_t _widened(uint32_t sectors, int64_t group) noexcept nogil:
    """The groups of sectors of which one is missing."""
    if group >= 4:
        return 15
    return (3 if sectors & 3 else 0) | (12 if sectors & 12 else 0)


cdef void _cached(Network *n, int32_t which, int32_t through, Cache *cache, int32_t sm, const Request *r, uint64_t local,
                  int64_t time_fs) noexcept nogil:
    """Serve a request at one of the partition's caches, which came `through` a slice; `time_fs` is when the lookup is done."""
    cdef const MachineTable *m = n.m
    cdef const CacheParameters *table = &cache.table
    cdef Partition *p = n.partitions + which
    cdef int64_t late_fs
    cdef uint64_t number = local // <uint64_t>table.line_bytes
    cdef int32_t first = <int32_t>(local % <uint64_t>table.line_bytes // <uint64_t>table.sector_bytes)
    cdef int32_t last = <int32_t>((local % <uint64_t>table.line_bytes + r.bytes - 1) // <uint64_t>table.sector_bytes)
    cdef int32_t sector, index, record, waits = 0
    cdef uint32_t wanted, missing
    cdef Line *line
    if r.sectors != 1:
        wanted = r.sectors          # the request names sectors of a line of the same size
    else:
        wanted = ((<uint32_t>2 << (last - first)) - 1) << first & 15
    if n.gathers != NULL and cache == &p.l2 and (r.kind == RQ_READ or r.kind == RQ_TEXTURE):
        if gather_join(n, which, number, wanted, sm, r, time_fs):
            p.dram.counters.requests_gathered += 1
            p.dram.counters.bytes_gathered += r.bytes
            return
    _count_request(m, p, r)
    if table.partial_ways:
        _relieve(n, which, number, time_fs)
        if m.interconnect.sides > 1 and _far(n, sm, which, through):
            _relieve(n, _other_side(n, which), number, time_fs)
    line = cache_find(cache, number)
    if line == NULL:
        line = cache_victim(cache, number)
        if line != NULL:
            _write_back(n, which, line, time_fs)
            cache_take(cache, line, number)
            if m.interconnect.sides > 1 and cache == &p.l2 and _far(n, sm, which, through):
                _take_copy(n, which, number, time_fs)
                line.valid |= COPIED
    if r.kind == RQ_WRITE:
        if line == NULL:            # every way waits for a fill: the store goes around
            index = dram_enqueue(&p.dram, time_fs, local, <int32_t>r.bytes, DIR_WRITE)
            p.dram.entries[index].sm = sm
            p.dram.entries[index].slot = r.slot
            _poke(n, which, time_fs)
            return
        if table.partial_ways and r.covered and r.covered < r.bytes and wanted & ~line.valid:
            _write_part(cache, line, wanted, r.covered)
        else:
            line.valid |= wanted
            _written(n, which, cache, line, wanted, time_fs)
        _count(p, cache, True)
        _landed(n, sm, r.slot, <int32_t>r.bytes, time_fs)
        return
    record = <int32_t>(sm * n.slots + r.slot)
    missing = wanted
    if line != NULL:
        missing = wanted & ~line.valid
        for sector in range(4):
            if line.valid & wanted & (<uint32_t>1 << sector) and line.fill[sector] >= 0:
                index = line.fill[sector]
                n.waiter_next[record * 4 + sector] = p.dram.entries[index].waiters
                p.dram.entries[index].waiters = record * 4 + sector
                waits += 1
    if missing and table.fetch_sectors > 1:
        missing = _widened(missing, table.fetch_sectors) & (~line.valid if line != NULL else 15)
    if missing:
        _count(p, cache, False)
        index = dram_enqueue(&p.dram, time_fs, number * <uint64_t>table.line_bytes
                             + <uint64_t>lowest_bit(missing) * <uint64_t>table.sector_bytes,
                             <int32_t>(count_bits(missing) * table.sector_bytes), DIR_READ)
        p.dram.entries[index].bytes = <int32_t>(count_bits(missing) * table.sector_bytes)
        sector = lowest_bit(missing & wanted)
        n.waiter_next[record * 4 + sector] = -1
        p.dram.entries[index].waiters = record * 4 + sector
        waits += 1
        if line != NULL:
            p.dram.entries[index].line = line
            p.dram.entries[index].sectors = missing
            line.valid |= missing
            for sector in range(4):
                if missing >> sector & 1:
                    line.fill[sector] = index
                    line.partly &= ~(<uint32_t>15 << 4 * sector)
        _poke(n, which, time_fs)
    else:
        _count(p, cache, True)
    if r.kind == RQ_ATOMIC and line != NULL:
        _written(n, which, cache, line, wanted, time_fs)
    if waits == 0:
        if r.kind == RQ_ATOMIC:
            time_fs = _operate(n, _ports_of(n, through), _atomic_work(m, _ports_of(n, through), r, count_bits(wanted)), time_fs)
        late_fs = 0
        if m.interconnect.sides > 1 and cache == &p.l2 and (r.kind == RQ_ATOMIC or line.valid & COPIED == 0) and _far(n, sm, which, through):
            late_fs = m.interconnect.far_latency_fs
            if r.kind == RQ_ATOMIC:     # that is carried out where the line is at home, copy or not
                if r.returns:
                    late_fs = _cross(n, _side_of_sm(n, sm), through & (FAR - 1), _answer_bytes(m, r), time_fs + late_fs) - time_fs
            else:
                late_fs = _cross(n, _side_of_sm(n, sm), through & (FAR - 1), r.bytes, time_fs + late_fs) - time_fs
                _take_copy(n, which, number, time_fs)
                line.valid |= COPIED
        late_fs = _respond(n, p, sm, r.slot, _answer_bytes(m, r) if r.kind == RQ_ATOMIC else <int64_t>r.bytes, time_fs, late_fs)
        if n.gathers != NULL:
            gather_answered(n, record, late_fs)
        return
    n.remaining[record] = waits | <int64_t>r.bytes << 36
    if r.kind == RQ_ATOMIC:
        n.remaining[record] |= <int64_t>_atomic_work(m, _ports_of(n, through), r, count_bits(wanted)) << 4


cdef inline void _working(Network *n, int32_t change, int64_t now_fs) noexcept nogil:
    """A partition got its first request (+1) or served its last (-1); events come in order of time."""
    if n.working:
        n.any_working_fs += now_fs - n.changed_fs
        n.working_fs += n.working * (now_fs - n.changed_fs)
    n.changed_fs = now_fs
    n.working += change


cdef void _arrive(Network *n, int32_t which, int32_t through, int32_t sm, const Request *r, uint64_t local, int64_t time_fs) noexcept nogil:
    """A request has come through the partition's port."""
    cdef Partition *p = n.partitions + which
    cdef int32_t index
    cdef Cache *cache = &p.texture_l2 if r.kind == RQ_TEXTURE and n.m.caches.texture_l2.sets else &p.l2
    if cache.table.sets:
        _cached(n, which, through, cache, sm, r, local, time_fs + cache.table.latency_cycles * n.m.core_period_fs)
        return
    _count_request(n.m, p, r)
    index = dram_enqueue(&p.dram, time_fs, local, <int32_t>r.bytes, DIR_WRITE if r.kind == RQ_WRITE else DIR_READ)
    p.dram.entries[index].sm = sm
    p.dram.entries[index].slot = r.slot
    if r.kind == RQ_ATOMIC:
        p.dram.entries[index].serial = _atomic_work(n.m, _ports_of(n, through), r, 1)
        p.dram.entries[index].bursts *= 2    # read and written back
        p.dram.counters.writes += 1
        p.dram.counters.bytes_written += r.bytes
    _poke(n, which, time_fs)


# ------------------------------------------------------------------------------------------------------------- events
cdef inline void _wake_one(Network *n, Partition *p, int64_t now_fs) noexcept nogil:
    """If the partition's queue has room, let the first port that waits for it try again."""
    cdef int32_t sm = p.first_waiter
    if sm >= 0 and p.dram.queued < n.m.dram.queue_entries:
        p.first_waiter = n.ports[sm].next_waiter
        if p.first_waiter < 0:
            p.last_waiter = -1
        _hasten(n, sm, max(now_fs, n.ports[sm].free_fs))


cdef inline int64_t _atomic_packet(const MachineTable *m, const Request *r) noexcept nogil:
    """Bytes of an atomic request. Where packets have masks, a single word fits beside one, and operations on one word travel apart."""
    if m.interconnect.mask_bytes == 0:
        return m.interconnect.header_bytes + <int64_t>r.bytes * r.operands
    if _single(r) or m.interconnect.sector_mask_bytes == 0:
        return (1 + r.apart) * m.interconnect.header_bytes + _atomic_data(m, r)
    return (1 + r.apart) * m.interconnect.header_bytes + (r.bytes + r.apart * m.caches.l2.sector_bytes) * r.operands + (
        r.bytes // m.caches.l2.sector_bytes + r.apart) * m.interconnect.sector_mask_bytes


cdef inline void _next_request(Network *n, Port *port, int32_t unit, int64_t now_fs) noexcept nogil:
    """The head request of a port has left; one that a cache of the cluster answered has not held the port, and the next may be long due."""
    port.head = (port.head + 1) & (port.room - 1)
    port.count -= 1
    if port.count:
        _reschedule(n, unit, max(now_fs, max(port.ring[port.head].time_fs, port.free_fs)))
    else:
        _reschedule(n, unit, NEVER)


cdef inline void _join(Network *n, int32_t unit, int32_t *first, int32_t *last) noexcept nogil:
    """Let a port wait behind all others of a queue."""
    n.ports[unit].next_waiter = -1
    if first[0] < 0:
        first[0] = unit
    else:
        n.ports[last[0]].next_waiter = unit
    last[0] = unit
    _reschedule(n, unit, NEVER)


cdef bint _waits_at_door(Network *n, int32_t unit, Partition *door, int64_t now_fs) noexcept nogil:
    """Let a port wait for a slice that has enough to do, and behind those who wait already. False: it need not."""
    cdef Port *port = n.ports + unit
    cdef int64_t when = door.in_free_fs - n.m.interconnect.slice_queue_fs
    if port.called or when <= now_fs and door.first_at_door < 0:
        port.called = 0
        return False
    if door.first_at_door < 0:
        _reschedule(n, <int32_t>(n.port_count + n.m.dram.partitions + (door - n.partitions)), when)
    _join(n, unit, &door.first_at_door, &door.last_at_door)
    return True


cdef void _door_event(Network *n, int32_t slice, int64_t now_fs) noexcept nogil:
    """Call the port that has waited longest for a slice, if that can take what it has by now."""
    cdef Partition *door = n.partitions + slice
    cdef int32_t unit = door.first_at_door
    cdef int64_t when = max(door.in_free_fs - n.m.interconnect.slice_queue_fs, now_fs + 1)
    if door.in_free_fs - n.m.interconnect.slice_queue_fs <= now_fs:
        door.first_at_door = n.ports[unit].next_waiter
        n.ports[unit].called = 1
        _hasten(n, unit, max(now_fs, n.ports[unit].free_fs))
    _reschedule(n, <int32_t>(n.port_count + n.m.dram.partitions + slice), when if door.first_at_door >= 0 else NEVER)


cdef void _port_event(Network *n, int32_t unit, int64_t now_fs) noexcept nogil:
    """Send the head request, or join the queue for a partition that is full."""
    cdef const MachineTable *m = n.m
    cdef Port *port = n.ports + unit
    cdef int32_t sm = unit if unit < m.chip.multiprocessors else <int32_t>(unit - m.chip.multiprocessors)
    cdef Request *r = port.ring + port.head
    cdef uint64_t local
    cdef int32_t which = <int32_t>partition_of(m, r.address, &local)
    cdef Partition *p = n.partitions + which
    cdef Partition *ports = p
    cdef int32_t through = which
    cdef int64_t packet, arrival, leaves_fs = now_fs, taken = 0
    cdef int64_t *cluster = n.cluster_free_fs + n.cluster[sm] + (unit - sm)
    if r.counters != NULL and shared_texture_has(n, sm, r, now_fs):
        _wake_one(n, p, now_fs)         # this port may have been woken for a place that it does not take
        _next_request(n, port, unit, now_fs)
        return
    if p.dram.queued >= m.dram.queue_entries:
        _join(n, unit, &p.first_waiter, &p.last_waiter)
        return
    if m.interconnect.injection_scope == INTERCONNECT_INJECTION_SCOPE_CLUSTER and cluster[0] > now_fs:
        _reschedule(n, unit, cluster[0])
        return
    if n.slice_of != NULL:
        through = _way(n, sm, r)
        ports = _ports_of(n, through)
        if r.kind == RQ_WRITE or r.kind == RQ_ATOMIC:
            if through & FAR:
                ports = _ports_of(n, _opposite(n, through & (FAR - 1)))
            if _waits_at_door(n, unit, ports, now_fs):
                _wake_one(n, p, now_fs)     # as above
                return
    packet = m.interconnect.header_bytes + (0 if r.kind == RQ_READ or r.kind == RQ_TEXTURE else r.bytes)
    if m.interconnect.mask_bytes and r.kind == RQ_WRITE and r.covered and r.covered < r.bytes:
        packet += m.interconnect.mask_bytes
        taken = m.interconnect.partial_write_fs
    elif r.kind == RQ_ATOMIC:
        packet = _atomic_packet(m, r)
    if m.interconnect.cluster_request_bytes_per_cycle and (packet or not m.interconnect.store_ports):
        leaves_fs = max(now_fs, n.cluster_out_fs[n.cluster[sm]])      # whoever came before goes before
        n.cluster_out_fs[n.cluster[sm]] = leaves_fs + (_atomic_data(m, r) if r.kind == RQ_ATOMIC else packet
                                                       ) * m.core_period_fs // m.interconnect.cluster_request_bytes_per_cycle
    port.free_fs = leaves_fs + _port_fs(m, packet, m.interconnect.injection_bytes_per_cycle)
    if m.interconnect.injection_scope == INTERCONNECT_INJECTION_SCOPE_CLUSTER:
        cluster[0] = port.free_fs
    if n.slice_of != NULL and r.kind != RQ_WRITE:
        n.slice_of[sm * n.slots + r.slot] = through
    arrival = max(leaves_fs + m.interconnect.request_latency_fs, ports.in_free_fs)
    if n.slice_of == NULL:
        ports.in_free_fs = arrival + max(taken, _port_fs(m, packet, m.interconnect.partition_request_bytes_per_cycle))
    else:
        if taken or r.kind == RQ_ATOMIC:    # what is to be done elsewhere waits with them
            arrival = max(arrival, _ports_of(n, through).atomic_free_fs - m.interconnect.slice_queue_fs)
        ports.in_free_fs = arrival + _door_fs(m, r, packet)
    packet = p.dram.queued
    if r.counters != NULL:
        shared_texture_fetch(n, sm, r)
    arrival = ports.in_free_fs
    if m.interconnect.sides > 1 and (r.kind == RQ_WRITE or r.kind == RQ_ATOMIC) and _far(n, sm, which, through):
        arrival = _cross(n, _side(n, through & (FAR - 1)), through & (FAR - 1), _atomic_data(m, r) if r.kind == RQ_ATOMIC else <int64_t>r.bytes, arrival)
    if taken and n.slice_of != NULL:
        arrival = _hold(_ports_of(n, through), arrival, taken)
    _arrive(n, which, through, sm, r, local, arrival)
    if packet == 0 and p.dram.queued:
        _working(n, 1, now_fs)
    if p.dram.queued == packet:
        _wake_one(n, p, now_fs)     # the cache answered: the place that this port was woken for is still free
    _next_request(n, port, unit, now_fs)


cdef void _served(Network *n, int32_t which, int32_t index, int64_t done_fs) noexcept nogil:
    """A DRAM transaction is over: answer those who wait for it."""
    cdef const MachineTable *m = n.m
    cdef Partition *p = n.partitions + which
    cdef Entry *e = p.dram.entries + index
    cdef int32_t waiter = e.waiters, next_waiter, record, sector, work
    cdef int64_t late_fs, arrival_fs, bytes, side = -1, there_fs = 0
    cdef bint far
    if e.line != NULL:
        for sector in range(4):
            if e.sectors >> sector & 1:
                e.line.fill[sector] = -1
    if e.direction == DIR_WRITE:
        if e.sm >= 0:
            _landed(n, e.sm, e.slot, e.bytes, done_fs)
        elif done_fs > n.landed_fs:
            n.landed_fs = done_fs
        return
    if e.sm >= 0:
        if e.serial:
            _respond(n, p, e.sm, e.slot, e.bytes, _operate(n, _ports(n, p, e.sm * n.slots + e.slot), e.serial, done_fs + m.dram.extra_latency_fs), 0)
        else:
            _respond(n, p, e.sm, e.slot, e.bytes, done_fs, m.dram.extra_latency_fs)
        return
    while waiter >= 0:
        next_waiter = n.waiter_next[waiter]
        record = waiter >> 2
        n.remaining[record] -= 1
        if n.remaining[record] & 15 == 0:
            bytes = n.remaining[record] >> 36
            far = m.interconnect.sides > 1 and _far(n, record // n.slots, which, n.slice_of[record] if n.slice_of != NULL else which)
            work = <int32_t>(n.remaining[record] >> 4 & 0x7fffffff)
            if work:
                _respond(n, p, <int32_t>(record // n.slots), <int32_t>(record % n.slots), bytes,
                         _operate(n, _ports(n, p, record), work, done_fs + m.dram.extra_latency_fs), m.interconnect.far_latency_fs if far else 0)
            else:
                late_fs = m.dram.extra_latency_fs
                if far:
                    if side != _side_of_sm(n, record // n.slots):       # once for all who wait there
                        side = _side_of_sm(n, record // n.slots)
                        there_fs = _cross(n, side, n.slice_of[record] & (FAR - 1) if n.slice_of != NULL else which, bytes,
                                          done_fs + late_fs + m.interconnect.far_latency_fs)
                    late_fs = there_fs - done_fs
                arrival_fs = _respond(n, p, <int32_t>(record // n.slots), <int32_t>(record % n.slots), bytes, done_fs, late_fs)
                if n.gathers != NULL:
                    gather_answered(n, record, arrival_fs)
        waiter = next_waiter


cdef void _partition_event(Network *n, int32_t which, int64_t now_fs) noexcept nogil:
    """Let one DRAM command go; a freed place in the queue wakes one port."""
    cdef Partition *p = n.partitions + which
    cdef int64_t done_fs = 0, again_fs = NEVER
    cdef int32_t index = dram_decide(&p.dram, now_fs, &done_fs, &again_fs)
    _reschedule(n, n.port_count + which, again_fs)
    if index < 0:
        return
    _served(n, which, index, done_fs)
    dram_release(&p.dram, index)
    if p.dram.queued == 0:
        _working(n, -1, now_fs)
    _wake_one(n, p, now_fs)


cdef void network_run(Network *n, int64_t until_fs) noexcept nogil:
    """Handle every event before `until_fs`."""
    cdef int32_t unit
    while n.tree[1].when < until_fs:
        unit = n.tree[1].unit
        if unit < n.port_count:
            _port_event(n, unit, n.tree[1].when)
        elif unit < n.port_count + n.m.dram.partitions:
            _partition_event(n, <int32_t>(unit - n.port_count), n.tree[1].when)
        else:
            _door_event(n, <int32_t>(unit - n.port_count - n.m.dram.partitions), n.tree[1].when)
