"""Device memory: one lazily committed arena, and the table of allocations that every guest access is checked against."""
import bisect
import gc
import threading

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from archdef.engine.heap cimport heap_close, heap_open

from archdef.errors import DeviceMemoryError

cdef extern from "<sys/mman.h>" nogil:
    void *mmap(void *address, size_t length, int protection, int flags, int fd, long offset)
    int munmap(void *address, size_t length)
    int madvise(void *address, size_t length, int advice)
    int mprotect(void *address, size_t length, int protection)
    int PROT_NONE, PROT_READ, PROT_WRITE, MAP_PRIVATE, MAP_SHARED, MAP_FIXED, MAP_ANONYMOUS, MAP_NORESERVE, MADV_DONTNEED
    void *MAP_FAILED

cdef extern from "<unistd.h>" nogil:
    int close(int descriptor)
    int dup(int descriptor)

cdef extern from "archdef/engine/pages.h" nogil:
    int shared_pages(const char *name, size_t bytes)
    int shared_pages_grow(int descriptor, size_t bytes)
    int shared_pages_drop(int descriptor, size_t first, size_t bytes)
    void pages_large(void *place, size_t bytes)

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX

cpdef enum:
    GRANULE = 65536   # allocations start at multiples of it, and at least as much lies unmapped between two

cdef uint64_t MOST_FILE_BYTES = <uint64_t>1 << 62
cdef uint64_t HOST_WINDOW_BYTES = <uint64_t>1 << 36     # addresses behind the device's memory, where kernels see memory of the host


cdef inline uint64_t host_window(uint64_t capacity) noexcept nogil:
    """The first of them, as bytes from the arena's first: whatever is allocated ends at least a granule before it."""
    return (capacity + 2 * <uint64_t>GRANULE - 1) // <uint64_t>GRANULE * <uint64_t>GRANULE


cdef void *_addresses(uint64_t nbytes) noexcept:
    """So many addresses of this process at which nothing lies, or MAP_FAILED."""
    return mmap(NULL, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)


cdef const Span *find_span(const Span *table, int64_t count, uint64_t address) noexcept nogil:
    """The allocation that holds `address`, or NULL."""
    cdef int64_t low = 0, high = count, middle
    while low < high:           # those before `low` start at the address or below it
        middle = low + (high - low) // 2
        if table[middle].start <= address:
            low = middle + 1
        else:
            high = middle
    if low and address - table[low - 1].start < table[low - 1].bytes:
        return table + low - 1
    return NULL


@cython.no_gc_clear
cdef class Window:
    """Bytes of device memory as a buffer that the host reads and writes in place; the memory stays mapped as long as anyone sees it."""
    cdef DeviceMemory memory
    cdef char *place
    cdef Py_ssize_t nbytes
    cdef object __weakref__

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.place, self.nbytes, 0, flags)

    def __releasebuffer__(self, Py_buffer *buffer):
        pass


cdef class AddressSpace:
    """Addresses that devices divide among themselves, so that each stands for a byte of one device, or of the host.

    Parameters
    ----------
    devices : int
        How many there may be.
    capacity_bytes : int
        Of the device that has the most.
    """

    def __cinit__(self, int64_t devices, uint64_t capacity_bytes):
        cdef uint64_t room = host_window(capacity_bytes)
        self.place = NULL
        if devices < 1 or capacity_bytes >= <uint64_t>1 << 46:
            raise DeviceMemoryError(f"no address space for {devices} devices of {capacity_bytes} bytes")
        # three times as much for addresses that are reserved, as programs reserve more than a device has memory for each of some pools; of several devices,
        # a power of two, so that the lower bits of addresses, by which they are spread over partitions, are those of a single one
        self.stride = 4 * room if devices == 1 else <uint64_t>1 << int(4 * room - 1).bit_length()
        self.devices, self.given, self.lock = devices, 0, threading.Lock()
        self.host_window = <uint64_t>devices * self.stride
        if <uint64_t>devices > (<uint64_t>1 << 47) // self.stride:      # what a process of Linux has
            raise DeviceMemoryError(f"no address space for {devices} devices of {capacity_bytes} bytes")
        cdef void *place = _addresses(self.host_window + HOST_WINDOW_BYTES)
        if place == MAP_FAILED:
            gc.collect()        # devices that nobody has any more keep theirs as long as they reach each other
            place = _addresses(self.host_window + HOST_WINDOW_BYTES)
        if place == MAP_FAILED:
            raise DeviceMemoryError(f"the host cannot reserve {self.host_window} bytes of address space for device memory")
        self.place = <char *>place

    def __dealloc__(self):
        if self.place != NULL:
            munmap(self.place, self.host_window + HOST_WINDOW_BYTES)


cdef class DeviceMemory:
    """The global memory of one device.

    Parameters
    ----------
    capacity_bytes : int
        What `allocate` may hand out in all. The host commits pages only as they are touched.
    space : AddressSpace or None
        What its addresses are part of; None: they are its own, and the same as those of other devices.

    Notes
    -----
    Fresh memory reads zero, so that runs repeat exactly. At least 64 KiB between two allocations belong to neither, so that
    an access past the end of an array is found.
    """

    def __cinit__(self, uint64_t capacity_bytes, AddressSpace space=None):
        self.arena = NULL
        self.table = NULL
        self._spans, self._reserved, self._windows, self._read_only = [], [], [], set()
        self._shared, self._backed = {}, {}
        self._file, self._file_bytes = -1, 0
        self._reached, self._reached_by = [], []
        self.count = 0
        self.running = 0
        self.capacity = capacity_bytes
        self.space = AddressSpace(1, capacity_bytes) if space is None else space
        self._lock = self.space.lock
        with self._lock:
            if self.space.given == self.space.devices or host_window(capacity_bytes) > self.space.stride:
                raise DeviceMemoryError(f"the address space has no {capacity_bytes} bytes for one more device")
            self.first = <uint64_t>GLOBAL_BASE + <uint64_t>self.space.given * self.space.stride
            self.space.given += 1
        cdef char *place = self.space.place + (self.first - <uint64_t>GLOBAL_BASE)
        if mprotect(place, capacity_bytes or 1, PROT_READ | PROT_WRITE) != 0:
            raise DeviceMemoryError(f"the host cannot reserve {capacity_bytes} bytes of address space for device memory")
        self.arena = self.space.place
        pages_large(place, capacity_bytes)

    def __dealloc__(self):
        heap_close(&self.heap)
        free(self.table)
        for descriptor in (self._shared or {}).values():
            close(descriptor)
        if self._file >= 0:
            close(self._file)

    def reach(self, DeviceMemory other not None):
        """Let kernels of this device, from the next launch on, access what another one of its address space has. Raises DeviceMemoryError."""
        if other is self or other.space is not self.space:
            raise DeviceMemoryError("kernels reach the memory of another device only at addresses of its own")
        with self._lock:
            if other not in self._reached:
                self._reached.append(other)
                other._reached_by.append(self)
                self._make_table()

    def leave(self, DeviceMemory other not None):
        """Take that back."""
        with self._lock:
            if other in self._reached:
                self._reached.remove(other)
                other._reached_by.remove(self)
                self._make_table()

    cdef int _publish(self) except -1:
        """Copy the list of spans to the tables that the engine reads: this device's, and those of devices whose kernels access its memory."""
        cdef DeviceMemory other
        self._make_table()
        for other in self._reached_by:
            other._make_table()
        return 0

    cdef int _make_table(self) except -1:
        """Copy its own spans to the table, and those of the devices that it reaches; their heaps, and memory of the host, are not theirs to show."""
        cdef DeviceMemory other
        cdef int64_t i = 0
        cdef list seen = self._spans + self._windows
        cdef uint64_t start, end
        cdef bint linked = False, read_only
        for other in self._reached:
            seen += other._shown()
        seen.sort()
        cdef Span *table = <Span *>malloc(max(1, len(seen)) * sizeof(Span))
        if table == NULL:
            raise MemoryError("table of allocations")
        for start, end in seen:
            linked |= start - self.first >= self.space.stride       # or below: what is unsigned wraps
            read_only = (start, end) in self._read_only
            if i and table[i - 1].start + table[i - 1].bytes == start and table[i - 1].read_only == read_only:
                # what was mapped side by side is accessed as one
                table[i - 1].bytes += end - start
                continue
            table[i].start = start
            table[i].bytes = end - start
            table[i].read_only = read_only
            i += 1
        free(self.table)
        self.linked = linked
        self.table = table
        self.count = i
        return 0

    def _shown(self):
        """The spans that kernels of other devices may access."""
        return [(start, end) for start, end in self._spans if start != self.heap_address and start < self.first + self.capacity]

    def allocate(self, uint64_t nbytes):
        """Reserve `nbytes` and return their device address, a multiple of 64 KiB.

        Raises
        ------
        DeviceMemoryError
            No gap of that size is left.
        """
        cdef uint64_t size = max(<uint64_t>1, nbytes), start = self.first, low, high
        cdef Py_ssize_t at, count
        with self._lock:
            at = count = len(self._spans)
            for at in range(count if size <= self.capacity else 0):     # else sums could wrap
                low, high = self._spans[at]
                if start + size + GRANULE <= low:
                    break
                start = (high + 2 * <uint64_t>GRANULE - 1) // <uint64_t>GRANULE * <uint64_t>GRANULE
            else:
                at = count
            if size > self.capacity or start + size > self.first + self.capacity or self._backed and size > self.free_bytes:
                raise DeviceMemoryError(f"out of device memory: {nbytes} bytes asked, {self.free_bytes} of "
                                        f"{self.capacity} not in use", "capacity")
            self._spans.insert(at, (start, start + size))
            self._publish()
            return start

    # ---------------------------------------------------------------------------- memory that is mapped at reserved addresses
    def reserve(self, uint64_t nbytes, uint64_t alignment):
        """Give the first of `nbytes` addresses of this device that mean nothing yet, until `unreserve`; a multiple of 64 KiB and of `alignment`.

        Raises DeviceMemoryError if there are not as many.
        """
        cdef uint64_t first = self.first + host_window(self.capacity), end = self.first + self.space.stride
        step = max(alignment, <uint64_t>GRANULE)
        with self._lock:
            start = (first + step - 1) // step * step
            for low, high in self._reserved:
                if start + nbytes + GRANULE <= low:
                    break
                start = (high + GRANULE + step - 1) // step * step
            if start + nbytes + GRANULE > end:
                raise DeviceMemoryError(f"no {nbytes} of the {end - first} addresses are left that can be reserved", "capacity")
            self._reserved.append((start, start + nbytes))
            self._reserved.sort()
            return start

    def unreserve(self, uint64_t address):
        """Give them back; nothing is mapped there."""
        with self._lock:
            self._reserved = [(low, high) for low, high in self._reserved if low != address]

    def back(self, uint64_t nbytes):
        """Take memory of the device that has no address: gives the number by which `map_pages` names it, until `unback`.

        All of it lies in one file, however often some is taken: a process can have few files open. Raises DeviceMemoryError if there is not as much.
        """
        cdef uint64_t first
        with self._lock:
            if nbytes > self.free_bytes:
                raise DeviceMemoryError(f"out of device memory: {nbytes} bytes asked, {self.free_bytes} of {self.capacity} not in use", "capacity")
            first = self._file_bytes if self._backed else 0
            size = (nbytes + GRANULE - 1) // GRANULE * GRANULE
            if self._file < 0:
                self._file = shared_pages("archdef-device", size)
            if self._file < 0 or size > MOST_FILE_BYTES - first or shared_pages_grow(self._file, first + size) < 0:
                raise DeviceMemoryError(f"the host cannot share {nbytes} bytes of device memory", "capacity")
            self._file_bytes = first + size
            self._backed[first] = nbytes
            return first

    def unback(self, uint64_t number):
        """Give it back; it is mapped nowhere."""
        with self._lock:
            if shared_pages_drop(self._file, number, self._backed.pop(number)) < 0:
                raise DeviceMemoryError("the host cannot take device memory back")

    def map_pages(self, uint64_t number, uint64_t nbytes, uint64_t address):
        """Let the first bytes of such memory lie at reserved addresses, where nothing does. Kernels can access them once they may (`let_access`)."""
        self._map(address, nbytes, MAP_SHARED, self._file, number)

    def unmap_pages(self, uint64_t address, uint64_t nbytes):
        """Let nothing lie there. No kernel runs that may access it."""
        cdef int fresh = MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE
        if mmap(self.arena + (address - <uint64_t>GLOBAL_BASE), nbytes, PROT_NONE, fresh, -1, 0) == MAP_FAILED:
            raise DeviceMemoryError(f"the host cannot take {nbytes} bytes of device memory away")

    def let_access(self, uint64_t address, uint64_t nbytes, bint may, bint writes=True):
        """Say whether kernels of this device, and copies, may access what is mapped at an address, of this device or of another one; and whether kernels may
        store to it."""
        span = (int(address), int(address + nbytes))
        with self._lock:
            if may != (span in self._windows) or may and writes == (span in self._read_only):
                self._windows = sorted([*(each for each in self._windows if each != span), *([span] if may else [])])
                self._read_only = {each for each in self._read_only if each != span} | ({span} if may and not writes else set())
                self._make_table()

    # ------------------------------------------------------------------------------------------------ memory that others see, too
    def share(self, uint64_t address):
        """Let another process see an allocation: gives a file descriptor that it can map, which stays open until `free`.

        What the allocation held is lost; it reads zero: no kernel knows it yet. Raises DeviceMemoryError if no allocation starts at `address`.
        """
        cdef uint64_t nbytes
        with self._lock:
            if address in self._shared:
                return self._shared[address]
            nbytes = next((<uint64_t>(end - start) for start, end in self._spans if start == address), 0)
            if nbytes == 0:
                raise DeviceMemoryError(f"address {address:#x} is not the start of an allocation")
            descriptor = shared_pages("archdef-device", nbytes)
            if descriptor < 0:
                raise DeviceMemoryError(f"the host cannot share {nbytes} bytes of device memory", "capacity")
            try:
                self._map(address, nbytes, MAP_SHARED, descriptor)
            except DeviceMemoryError:
                close(descriptor)
                raise
            self._shared[address] = descriptor
            return descriptor

    def host_gap(self, uint64_t nbytes, uint64_t start=0):
        """Give the first address, from `start` on, at which `nbytes` bytes of the host could be shown to kernels.

        Raises DeviceMemoryError if there is none.
        """
        first = <uint64_t>GLOBAL_BASE + self.space.host_window
        end = first + HOST_WINDOW_BYTES
        with self._lock:
            at = (max(first, start) + GRANULE - 1) // GRANULE * GRANULE
            for low, high in self._spans:
                if low < at + nbytes + GRANULE and high + GRANULE > at:
                    at = (high + 2 * GRANULE - 1) // GRANULE * GRANULE
        if nbytes > end - first or at + nbytes > end:
            raise DeviceMemoryError(f"no {nbytes} of the {HOST_WINDOW_BYTES} bytes are left in which kernels see memory of the host", "capacity")
        return at

    def map_host(self, int descriptor, uint64_t nbytes, uint64_t address):
        """Show the first bytes of a file to kernels, at an address that `host_gap` gave, until `free`. They count as no memory of the device.

        Raises DeviceMemoryError if something lies there, or the host cannot map them.
        """
        if nbytes == 0 or self.host_gap(nbytes, address) != address:
            raise DeviceMemoryError(f"{nbytes} bytes of the host cannot be shown at {address:#x}")
        kept = dup(descriptor)
        if kept < 0:
            raise DeviceMemoryError("the host cannot open one more file", "capacity")
        try:
            self._map(address, nbytes, MAP_SHARED, kept)
        except DeviceMemoryError:
            close(kept)
            raise
        with self._lock:
            self._shared[address] = kept
            self._spans.append((address, address + nbytes))
            self._spans.sort()
            self._publish()

    cdef int _map(self, uint64_t address, uint64_t nbytes, int sharing, int descriptor, uint64_t first=0) except -1:
        """Put fresh pages behind an allocation, or those of a file from a byte on."""
        if mmap(self.arena + (address - <uint64_t>GLOBAL_BASE), nbytes, PROT_READ | PROT_WRITE, sharing | MAP_FIXED | MAP_NORESERVE, descriptor,
                <long>first) == MAP_FAILED:
            raise DeviceMemoryError(f"the host cannot map {nbytes} bytes of device memory", "capacity")
        return 0

    def free(self, uint64_t address):
        """Give back what `allocate` returned `address` for."""
        if self.running:
            raise DeviceMemoryError("cannot free while a kernel runs on this device")
        self._free(address)

    def _free(self, uint64_t address):
        """The same, also while kernels run that do not know the address."""
        cdef uint64_t first, size, rest
        with self._lock:
            i = bisect.bisect_left(self._spans, (address,))
            start, end = self._spans[i] if i < len(self._spans) else (0, 0)
            if start != address or not end:
                raise DeviceMemoryError(f"address {address:#x} is not the start of an allocation")
            del self._spans[i]
            self._publish()
            first = address - <uint64_t>GLOBAL_BASE
            size = end - start
            if address in self._shared:
                close(self._shared.pop(address))
                self._map(address, size, MAP_PRIVATE | MAP_ANONYMOUS, -1)
                return
            rest = size % GRANULE
            memset(self.arena + first + size - rest, 0, rest)
            if size > rest:     # whole pages go back to the host, and read zero again
                madvise(self.arena + first, size - rest, MADV_DONTNEED)

    def open_heap(self, uint64_t nbytes):
        """Make the heap that kernels allocate from, unless there is one: `nbytes` of device memory, for good.

        Raises DeviceMemoryError if they are not to be had.
        """
        if self.heap_address == 0:
            address = self.allocate(nbytes)
            if heap_open(&self.heap, address, nbytes) < 0:
                raise MemoryError("tables of the device heap")
            self.heap_address = address

    @property
    def heap_bytes(self):
        """Bytes that kernels have allocated and not freed."""
        return self.heap.used_bytes

    def text(self, uint64_t address, int most=4096):
        """Read a string that ends with a zero byte, or None if none lies there."""
        cdef const Span *span = find_span(self.table, self.count, address)
        if span == NULL:
            return None
        place = self.arena + (address - GLOBAL_BASE)
        found = (<bytes>place[:min(<uint64_t>most, span_room(span, address))])
        return found.partition(b"\0")[0].decode("utf-8", "replace")

    @property
    def used_bytes(self):
        """Bytes handed out, without memory of the host."""
        return sum(self._backed.values()) + sum(end - start for start, end in self._spans if start < self.first + self.capacity)

    @property
    def free_bytes(self):
        """Bytes not handed out; a single allocation may find less in one piece."""
        return max(0, self.capacity - self.used_bytes)

    @property
    def allocations(self):
        """Sorted list of (first address, address past the end)."""
        return list(self._spans)

    @property
    def accessible(self):
        """The same of allocations and of what is mapped at reserved addresses and kernels of this device may access."""
        return sorted(self._spans + self._windows)

    def holds(self, uint64_t address, uint64_t nbytes):
        """Say whether kernels of this device may access all of `nbytes` bytes."""
        with self._lock:
            span = find_span(self.table, self.count, address)
            return span != NULL and nbytes <= span_room(span, address)

    cdef uint64_t own_bytes(self) noexcept:
        """For how many bytes, from its first on, addresses stand for memory of this device and nobody else's."""
        return self.space.stride

    cdef uint64_t host_first(self) noexcept:
        """The first address at which kernels may see memory of the host."""
        return <uint64_t>GLOBAL_BASE + self.space.host_window

    cdef char *_at(self, uint64_t address, uint64_t nbytes) except NULL:
        cdef const Span *span = find_span(self.table, self.count, address)
        cdef uint64_t room = 0 if span == NULL else span_room(span, address)
        while span != NULL and room < nbytes and span + 1 < self.table + self.count and span[1].start == span.start + span.bytes:
            span += 1       # mapped beside it, and accessed by kernels in another way
            room += span.bytes
        if span == NULL or nbytes > room:
            raise DeviceMemoryError(f"{nbytes} bytes at address {address:#x} are not inside one allocation")
        return self.arena + (address - GLOBAL_BASE)

    def window(self, uint64_t address, uint64_t nbytes):
        """Show `nbytes` bytes, at least one, to the host in place.

        Returns
        -------
        Window
            A buffer. It does not keep the allocation: who gives that back while the window is seen sees what comes there next.
        """
        cdef Window window = Window()
        if nbytes > <uint64_t>PY_SSIZE_T_MAX:
            raise DeviceMemoryError(f"{nbytes} bytes are more than a buffer can show")
        window.place = self._at(address, nbytes)
        window.nbytes = <Py_ssize_t>nbytes
        window.memory = self
        return window

    def write(self, uint64_t address, const unsigned char[::1] data not None):
        """Copy host bytes to the device."""
        if data.shape[0]:
            memcpy(self._at(address, data.shape[0]), &data[0], data.shape[0])

    def read(self, uint64_t address, unsigned char[::1] data not None):
        """Copy device bytes into a host buffer."""
        if data.shape[0]:
            memcpy(&data[0], self._at(address, data.shape[0]), data.shape[0])

    def fill(self, uint64_t address, uint64_t nbytes, unsigned char byte):
        """Set `nbytes` bytes to `byte`."""
        if nbytes:
            memset(self._at(address, nbytes), byte, nbytes)
