"""What a launch in clusters may ask for, and where its blocks start."""
import numpy as np
import pytest
from cluster_kernels import SYNC, device, text

import archdef
from archdef import registry
from archdef.errors import LaunchError
from archdef.run.limits import active_clusters, together
from archdef.spec import RoundRobin

STORE = "mov.u32 %r20, %smid;" + SYNC


def launch(directives="", grid=8, threads=32, name="h100", machine=None, **options):
    d = machine or device(name)
    out = d.zeros((grid, threads), "u4")
    d.compile(text(STORE, directives)).k[grid, threads].launch(out, **options)
    return out.to_host()[:, 0]


def test_a_machine_without_clusters_refuses_by_name():
    plain = text("mov.u32 %r20, %r4;").replace("%cluster_ctarank", "%ctaid.x").replace("%cluster_nctarank", "%ntid.x")
    for name in ("a100", "v100"):
        d = archdef.Device(name)
        kernel = d.compile(plain.replace("sm_90", "sm_70")).k
        kernel[8, 32].launch(d.zeros(256, "u4"), cluster=1)
        with pytest.raises(LaunchError, match="in clusters of 2 blocks on .*: it does not declare block_clusters"):
            kernel[8, 32].launch(d.zeros(256, "u4"), cluster=2)


@pytest.mark.parametrize("cluster, message", [
    (3, r"the grid, \(8, 1, 1\), is no multiple of it along x"), ((1, 2), "no multiple of it along y"), (0, "cluster of k must be one to three positive"),
    ((2, 2, 2, 2), "one to three"), (-1, "positive"), ("2", "positive"), (2.5, "positive"), (1 << 40, "no multiple"), (8, None)])
def test_shapes(cluster, message):
    if message is None:
        launch(cluster=cluster)
        return
    with pytest.raises(LaunchError, match=message):
        launch(cluster=cluster)


def test_the_portable_size_and_the_other():
    with pytest.raises(LaunchError, match=r"block_clusters.most_blocks is 8; launch\(..., nonportable_cluster=True\) allows up to 16"):
        launch(grid=16, cluster=16)
    assert len(set(launch(grid=16, cluster=16, nonportable_cluster=True))) == 16
    with pytest.raises(LaunchError, match="most_blocks_nonportable is 16"):
        launch(grid=32, cluster=32, nonportable_cluster=True)


def test_what_the_kernel_demands():
    launch(".explicitcluster\n.reqnctapercluster 4")
    launch(".explicitcluster\n.reqnctapercluster 4", cluster=(4, 1, 1))
    launch(".explicitcluster\n.maxclusterrank 4", cluster=2)
    with pytest.raises(LaunchError, match=r"clusters of \(4, 1, 1\) blocks \(.reqnctapercluster\), got \(2, 1, 1\)"):
        launch(".explicitcluster\n.reqnctapercluster 4", cluster=2)
    with pytest.raises(LaunchError, match=r"at most 4 blocks \(.maxclusterrank\)"):
        launch(".maxclusterrank 4", cluster=8)
    with pytest.raises(LaunchError, match=r"say what a cluster is \(.explicitcluster\)"):
        launch(".explicitcluster")


def test_a_cluster_that_has_nowhere_room():
    small = archdef.Device(registry.get("h100").evolve({"chip.multiprocessors": 8, "chip.cluster_sizes": (2, 6), "chip.block_launch.dispatch": RoundRobin()}))
    assert len(set(launch(grid=6, machine=small, cluster=6, threads=1024))) <= 6
    with pytest.raises(LaunchError, match="a cluster of 6 multiprocessors has room for only 12 of its blocks"):
        launch(grid=16, machine=small, cluster=16, threads=1024, nonportable_cluster=True)


@pytest.mark.parametrize("n", [2, 4, 8, 16])
def test_blocks_of_a_cluster_share_a_port(n):
    h100 = registry.get("h100")
    port = np.repeat(np.arange(len(together(h100.chip))), together(h100.chip))
    found = launch(grid=64, cluster=n, nonportable_cluster=n > 8).reshape(-1, n)
    assert all(len(set(port[row])) == 1 for row in found)
    assert all(len(set(row)) == n for row in found), "the hardware puts each on a multiprocessor of its own as long as there is room"


def test_how_many_clusters_are_resident():
    from archdef.occupancy import occupancy
    h100 = registry.get("h100")
    whole = occupancy(h100, threads=1024, registers=32, shared_bytes=200 * 1024)
    assert [active_clusters(h100, whole, n) for n in (1, 2, 4, 8, 16)] == [132, 66, 32, 16, 8]
