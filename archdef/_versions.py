"""Which plugins fit this archdef: each says so in its distribution's metadata, where pip reads it too."""
from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

import archdef

OURS = "archdef"


def misfit(points: Iterable[importlib.metadata.EntryPoint], version: str | None = None) -> str | None:
    """Say why the distributions behind entry points do not fit archdef `version` (None: this one); None where they do.

    A distribution that requires no version of archdef fits every one. Pre-releases count as the release that they lead to.
    """
    version = version or archdef.__version__
    for point in points:
        if (dist := point.dist) is None:
            continue
        for line in dist.requires or ():
            try:
                requirement = Requirement(line)
            except InvalidRequirement:
                continue  # pip's concern
            if canonicalize_name(requirement.name) != OURS or (requirement.marker is not None and not requirement.marker.evaluate({"extra": ""})):
                continue
            if not requirement.specifier.contains(version, prereleases=True):
                return (f"{dist.name} {dist.version} supports archdef {requirement.specifier}, this is archdef {version}: "
                        f"install another version of one of them")
    return None
