"""The policies of plugins that a machine uses: where the engine finds them, and what is said of an answer that is none."""
from libc.stdint cimport int64_t

from archdef.engine.machine cimport MachineTable
from archdef.engine.policy cimport (ARCHDEF_TOPOLOGY_HOPS, ARCHDEF_TOPOLOGY_LINKS, PK_ADMISSION, PK_BANKS, PK_COALESCING, PK_DISPATCH, PK_DRAM,
                                    PK_PARTITION, PK_PLACEMENT, PK_PREFETCHER, PK_REPLACEMENT, PK_SCHEDULER, PK_THROTTLE, PK_TOPOLOGY,
                                    PK_VICTIM_CACHE, Hook, policy_function)
from archdef.engine.prototype cimport Prototype, prototype_answer

from archdef.errors import EngineLimit, PolicyError


cdef class Hooks:
    """Policies of plugins.

    Parameters
    ----------
    listed : sequence of dict
        ``kind`` (`PolicyKind`), ``place`` in the machine, ``path`` in the description, ``policy`` (its value), ``function`` (address; 0: its
        readable definition, in Python), ``parameters``, ``state_words``, ``line_words``, ``told``; what else is there is kept alive.
    """

    def __init__(self, listed):
        cdef Hook *hook
        cdef int k
        if len(listed) > MOST_HOOKS:
            raise EngineLimit(f"policies of plugins: at most {MOST_HOOKS}, got {len(listed)}")
        self.listed = []
        for one in listed:
            hook = self.hooks + self.count
            hook.kind = one["kind"]
            prototype = None
            if one["function"]:
                hook.function = <policy_function><size_t>one["function"]
            else:
                prototype = Prototype(one["policy"], <int>hook.kind, one["state_words"])
                hook.owner = <void *>prototype
                hook.function = prototype_answer
            hook.state_words = one["state_words"]
            hook.line_words = one["line_words"]
            hook.told = one["told"]
            hook.parameter_count = len(one["parameters"])
            for k, number in enumerate(one["parameters"]):
                hook.parameters[k] = number
            self.listed.append((one, prototype))
            self.count += 1

    cdef int place(self, MachineTable *m) except -1:
        """Enter them into a machine, which must not outlive them."""
        cdef int k
        for k in range(self.count):
            _place_of(m, self.listed[k][0]["place"])[0] = <int64_t><size_t>(self.hooks + k)

    cdef int refused(self) noexcept nogil:
        """The first policy that gave an answer that is none; -1: there is none."""
        cdef int k
        for k in range(self.count):
            if self.hooks[k].failed:
                return k
        return -1

    cdef object error(self):
        """Say what it answered, and what it was asked."""
        cdef const Hook *hook = self.hooks + self.refused()
        one, prototype = self.listed[self.refused()]
        if prototype is not None and prototype.error is not None:
            error = PolicyError(one["path"], one["policy"], f"raised {prototype.error!r}", None)
            error.__cause__ = prototype.error
            return error
        return PolicyError(one["path"], one["policy"], _refusal(hook), hook.answer)


cdef int64_t *_place_of(MachineTable *m, str place) except NULL:
    """Where a machine's table holds the hook of a place."""
    for name, at in (("scheduler", <size_t>&m.schedulers.hook), ("throttle", <size_t>&m.schedulers.throttle_hook),
                     ("dispatch", <size_t>&m.chip.dispatch_hook), ("branch", <size_t>&m.warp.branch_hook),
                     ("partition", <size_t>&m.dram.partition_hook), ("dram", <size_t>&m.dram.order_hook),
                     ("topology", <size_t>&m.interconnect.distances.hook), ("banks", <size_t>&m.shared.hook), ("load", <size_t>&m.load.hook),
                     ("store", <size_t>&m.store.hook), ("load_uncached", <size_t>&m.load_uncached.hook), ("l1", <size_t>&m.caches.l1.hook),
                     ("l2", <size_t>&m.caches.l2.hook), ("constant", <size_t>&m.caches.constant.hook),
                     ("constant_l2", <size_t>&m.caches.constant_l2.hook), ("constant_l3", <size_t>&m.caches.constant_l3.hook),
                     ("constant_uniform", <size_t>&m.caches.constant_uniform.hook),
                     ("instruction", <size_t>&m.caches.instruction.hook), ("instruction_l2", <size_t>&m.caches.instruction_l2.hook),
                     ("instruction_l3", <size_t>&m.caches.instruction_l3.hook), ("texture_l1", <size_t>&m.caches.texture_l1.hook),
                     ("texture_l2", <size_t>&m.caches.texture_l2.hook), ("l1_admission", <size_t>&m.caches.l1_admission_hook),
                     ("l1_prefetch", <size_t>&m.caches.l1_prefetch_hook), ("l1_victim_cache", <size_t>&m.caches.l1_victim_cache_hook)):
        if name == place:
            return <int64_t *><size_t>at
    raise KeyError(f"no place for a policy: {place}")


cdef object _refusal(const Hook *hook):
    """What is wrong with an answer."""
    answer, first, second, third = hook.answer, hook.asked[0], hook.asked[1], hook.asked[2]
    if hook.kind == PK_SCHEDULER:
        return (f"answered warp {answer} at cycle {second} of multiprocessor {third}, which cannot issue then: "
                f"it is asked for one of the warps {first:#x}")
    if hook.kind == PK_THROTTLE:
        if third:
            return (f"holds back the loads of warp {answer} of multiprocessor {second} at cycle {first}, where nothing else can go on, and does not want to "
                    "be asked again")
        return f"answered cycle {answer} at cycle {first} of multiprocessor {second}: it must be a later one, by at most 2^30, or 0"
    if hook.kind == PK_PARTITION:
        return f"answered partition {answer} for address {first:#x}, of 0 to {second - 1}"
    if hook.kind == PK_BANKS:
        return f"answered {answer}, where 0 says that the banks are written" if third else f"gave word {first} the bank {answer}, of 0 to {second - 1}"
    if hook.kind == PK_COALESCING:
        if third == 0:
            return f"answered {answer} transactions for one access, of 1 to {first}"
        if third == 1:
            return (f"made a transaction of {answer} bytes at {first:#x}: it must be a power of two up to {second}, "
                    "and begin at a multiple of itself")
        return f"left out lane {answer}: no transaction holds its {second} bytes at {first:#x}"
    if hook.kind in (PK_ADMISSION, PK_PREFETCHER, PK_VICTIM_CACHE):
        return _refusal_of_l1(hook)
    if hook.kind == PK_REPLACEMENT:
        if third == (1 << 64) - 1:
            return f"answered {answer} where it is told of a {_CACHE_EVENTS[first]} of line {second:#x}: the answer must be 0"
        return f"answered way {answer}, of 0 to {first - 1} without the busy ones, {second:#x}" + (f" of those from {third} on" if third else "")
    if hook.kind == PK_DISPATCH:
        if third == 1:
            return f"wants to be asked about block {first} again at cycle {answer}, at cycle {second}: it must be a later one, by at most 2^30, or 0"
        if third == 2:
            return f"holds back block {first} at cycle {second}, for which {answer} multiprocessors have room, where nothing else can go on"
        return f"sent block {first} to multiprocessor {answer}, which has no room for it, or is not one of 0 to {second - 1}"
    if hook.kind == PK_DRAM:
        if third:
            return f"opened rows of partition {second} {answer} times in a row, the latest in bank {first}, and let no data go"
        return f"answered request {answer} of partition {second}, of 0 to {first - 1}"
    if hook.kind == PK_PLACEMENT:
        return f"placed page {first:#x} in L2 partition {answer}, of 0 to {second - 1}"
    if hook.kind == PK_TOPOLOGY:
        if third:
            return (f"named link {answer} on the way from partition {second} to multiprocessor {first}, of 0 to {<int>ARCHDEF_TOPOLOGY_LINKS - 1}, "
                    "or -1 for none")
        return f"answered {answer} hops from partition {second} to multiprocessor {first}, of 0 to {<int>ARCHDEF_TOPOLOGY_HOPS}"
    return f"answered {answer} for the branch at {first}, where 1 or 0 says which side goes first"


_CACHE_EVENTS = ("victim", "hit", "miss", "fill", "store")


cdef object _refusal_of_l1(const Hook *hook):
    """The same of those that are asked what L1 does with loads."""
    answer, event, line, most = hook.answer, hook.asked[0], hook.asked[1], hook.asked[2]
    if most == 0:
        return f"answered {answer} where it is told of a {_CACHE_EVENTS[event]} of line {line:#x}: the answer must be 0"
    asked = {PK_ADMISSION: "{}, where 1 gives line {} a place and {} lets the load pass by", PK_PREFETCHER: "{} lines to fetch after line {}, of 0 to {}",
             PK_VICTIM_CACHE: "{} cycles for line {}, of 0 to {}"}[hook.kind]
    return "answered " + asked.format(answer, f"{line:#x}", 0 if hook.kind == PK_ADMISSION else most)
