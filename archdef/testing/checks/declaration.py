"""Is the description complete, consistent and portable?"""
from __future__ import annotations

import pickle

from archdef import pack, registry
from archdef.spec.check import evident
from archdef.spec.evidence import covering
from archdef.testing.checks.check import Broken, Subject, check, expect


@check()
def evidence_is_complete(subject: Subject) -> None:
    """Every number says where it is from, and each source says in which document, and where in it."""
    architecture = subject.architecture
    faults = [f"{path} = {value!r} has no source" for path, value, _ in evident(architecture)
              if covering(architecture.evidence, path) is None]
    faults += [f"the source of {path} names no {part}: {cite}" for path, cite in architecture.evidence.items()
               for part in ("document", "place") if _is_blank(getattr(cite, part))]
    if faults:
        raise Broken(f"{architecture.name}: " + "; ".join(faults))


@check()
def measured_names_this_card(subject: Subject) -> None:
    """What counts as measured names the card that was, and it is this one; another card's figures are inferred."""
    architecture = subject.architecture
    names = (architecture.title, architecture.name, *architecture.aliases)
    wrong = dict.fromkeys(str(cite) for cite in architecture.evidence.values() if cite.kind == "measured" and not cite.of_card(names))
    expect(not wrong, f"{architecture.name}: measured, but not on a card that is called {' or '.join(names)}: {'; '.join(wrong)}")


def _is_blank(words: str) -> bool:
    return words.strip(" .?-_").lower() in ("", "todo", "fixme", "tbd", "xxx", "unknown", "n/a", "none")


@check()
def description_round_trips(subject: Subject) -> None:
    """Pickled and read back, and rebuilt from its own values by path, the description is the same machine to the engine."""
    architecture = subject.architecture
    tables = pack.machine_tables(architecture)
    copy = pickle.loads(pickle.dumps(architecture))  # noqa: S301  our own
    expect(copy == architecture and dict(copy.evidence) == dict(architecture.evidence), f"{architecture.name} changes when it is pickled")
    expect(pack.machine_tables(copy) == tables, f"the pickled copy of {architecture.name} is another machine to the engine")
    again = architecture.evolve({path: value for path, value, _ in evident(architecture)})
    expect(again == architecture and dict(again.changes) == dict(architecture.changes),
           f"{architecture.name} rebuilt from its own values is another machine: {', '.join(again.changes) or 'unequal'}")


@check()
def names_lead_to_it(subject: Subject) -> None:
    """Name and aliases are lower-case words that no other installed architecture uses; an installed one is found by each of them."""
    architecture = subject.architecture
    words = (architecture.name, *architecture.aliases)
    wrong = [word for word in words if word != word.strip().lower() or any(c.isspace() for c in word)]
    expect(not wrong, f"names must be lower case and without blanks, got {wrong}")
    others = {word.lower(): other.name for other in registry.all().values() if other.name != architecture.name
              for word in (other.name, *other.aliases)}
    taken = {word: others[word] for word in words if word in others}
    expect(not taken, f"names that lead to another architecture: {taken}")
    if architecture.name in registry.names() and registry.get(architecture.name) == architecture:
        lost = [word for word in words if registry.get(word) != architecture]
        expect(not lost, f"the registry does not find {architecture.name} as {lost}")
