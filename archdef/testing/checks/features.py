"""Does every declared feature work, and is every other refused by name?"""
from __future__ import annotations

import functools

import attrs

from archdef.errors import LaunchError, MissingFeature
from archdef.ptx import table
from archdef.spec.isa import FEATURE_NEEDS, FEATURES
from archdef.testing.checks.check import Broken, Subject, check, expect
from archdef.testing.checks.probes import HINTS, PROBES
from archdef.testing.compare import equals_reference
from archdef.testing.forms import Form, forms

FORMS_OF_A_FEATURE = 3
"""Instruction forms that are tried for each."""
WORDS = {"texture_layered": ("a1d", "a2d"), "texture_cubemap": ("cube",), "texture_objects": ("2d",)}
"""Features of texture fetches, by the geometry of the form that needs them."""
BESIDE = {"redux": ("vote_ballot",)}
"""Features that the kernels of a form need besides the form itself."""


@functools.cache
def forms_that_need(feature: str) -> tuple[Form, ...]:
    """Choose forms of the instruction table that need a feature, and as few others as can be."""
    if feature in WORDS:
        rows = [row for row in table.TABLE if row.opcode == "tex"]
        return tuple(form for form in forms(rows) if set(form.modifiers) & set(WORDS[feature]) and form.has_kernel)[:FORMS_OF_A_FEATURE]
    rows = sorted((row for row in table.TABLE if feature in row.features.split()), key=lambda row: len(row.features.split()))
    found = []
    for row in rows:
        form = next(iter(forms([row])), None)
        if form is not None and form.has_kernel:
            found.append(form)
        if len(found) == FORMS_OF_A_FEATURE:
            break
    return tuple(found)


def needed(feature: str) -> set[str]:
    """Give a feature with all that make sense only beside it."""
    found = set()
    while feature:
        found.add(feature)
        feature = FEATURE_NEEDS.get(feature, "")
    return found


@check(cases=lambda subject: sorted(FEATURES), quick=10)
def features(subject: Subject, case: str) -> None:
    """A declared feature works: kernels that need it leave the right results. Any other is refused by the name of architecture and feature."""
    if case in subject.architecture.isa.features:
        _works(subject, case)
    elif case not in HINTS and not (case == "lane_masks_64" and subject.architecture.warp.size <= 32):
        _is_refused(subject, case)


def _works(subject: Subject, feature: str) -> None:
    architecture, tried, missing = subject.roomy, 0, []
    if feature in PROBES:
        try:
            PROBES[feature].run(subject.device(architecture))
            tried += 1
        except MissingFeature as error:
            if error.feature in architecture.isa.features or not PROBES[feature].needs - architecture.isa.features:
                raise
            missing.append(error.feature)
    for form in forms_that_need(feature):
        form = attrs.evolve(form, lanes=architecture.warp.size)
        if not form.comparable:
            continue
        try:
            equals_reference(architecture, form.launch())
            tried += 1
        except MissingFeature as error:
            if error.feature in architecture.isa.features:
                raise
            missing.append(error.feature)
    expect(tried or not missing or set(missing) <= {"texture_objects"},
           f"{architecture.name} declares {feature}, but every kernel that needs it needs {', '.join(sorted(set(missing)))} too")


def _is_refused(subject: Subject, feature: str) -> None:
    architecture = subject.roomy
    tried = [attrs.evolve(form, lanes=architecture.warp.size) for form in forms_that_need(feature)]
    lacking = {f for f in needed(feature) if f not in architecture.isa.features}
    kernels = [PROBES[feature].ptx] if feature in PROBES else [form.launch().ptx for form in tried]
    others = {*BESIDE.get(feature, ()), *(PROBES[feature].needs if feature in PROBES else ()),
              *(word for form in tried for word in form.row.features.split())}
    lacking |= {word for other in others for word in needed(other) if word not in architecture.isa.features}
    if feature in WORDS:
        lacking |= {"texture", "texture_objects"} - architecture.isa.features
    for ptx in kernels:
        kernel = subject.device(architecture).compile(ptx)["k"]
        try:
            if feature == "cooperative_launch":
                PROBES[feature].run(subject.device(architecture))
            else:
                kernel.program  # noqa: B018  lowered here
        except (MissingFeature, LaunchError) as error:
            named = getattr(error, "feature", feature)
            text = str(error)
            if named not in lacking or named not in text or architecture.name not in text:
                raise Broken(f"{architecture.name} does not declare {feature}; the refusal must name it and the architecture, got: "
                             f"{text.splitlines()[0]}") from None
        else:
            raise Broken(f"{architecture.name} does not declare {feature}, but takes a kernel that needs it: {FEATURES[feature]}")
