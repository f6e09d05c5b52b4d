"""Textures and surfaces."""
from __future__ import annotations

from archdef.metrics.metric import Measurement, metric, ratio


@metric("count", "texture loads", "smsp__inst_executed_op_texture.sum")
def texture_requests(m: Measurement) -> float | None:
    """Texture fetches and gathers, by warps."""
    return m.counters.texture_loads or None


@metric("count", "surface loads + surface stores", "smsp__inst_executed_op_surface.sum")
def surface_requests(m: Measurement) -> float | None:
    """Surface loads and stores, by warps."""
    return m.counters.surface_loads + m.counters.surface_stores or None


@metric("count", "texture transactions", "l1tex__t_sectors_pipe_tex.sum")
def tex_cache_transactions(m: Measurement) -> float | None:
    """Sectors that texture fetches and surface loads asked the texture cache for."""
    return m.counters.texture_transactions or None


@metric("ratio", "texture transactions / (texture loads + surface loads)")
def tex_cache_transactions_per_request(m: Measurement) -> float | None:
    """Sectors of the average texture fetch or surface load of a warp."""
    return ratio(m.counters.texture_transactions, m.counters.texture_loads + m.counters.surface_loads)


@metric("%", "texture hits / (texture hits + misses)", "l1tex__t_sector_pipe_tex_hit_rate.pct")
def tex_cache_hit_rate(m: Measurement) -> float | None:
    """Share of the sectors asked for that the SM's texture cache had, or had already asked for."""
    return ratio(m.counters.texture_hits, m.counters.texture_hits + m.counters.texture_misses, 100)


@metric("%", "texture L2 hits / (texture L2 hits + misses)")
def tex_l2_hit_rate(m: Measurement) -> float | None:
    """Share of the texture cache's misses that the partitions' texture caches answer, where there are such."""
    hits, misses = (int(m.counters.partition[name].sum()) for name in ("texture_l2_hits", "texture_l2_misses"))
    return ratio(hits, hits + misses, 100)


METRICS = (texture_requests, surface_requests, tex_cache_transactions, tex_cache_transactions_per_request, tex_cache_hit_rate,
           tex_l2_hit_rate)
