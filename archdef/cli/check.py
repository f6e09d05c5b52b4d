"""``archdef check``: the conformance suite on one architecture."""
from __future__ import annotations

import click

import archdef
from archdef import report
from archdef.cli.common import common_options, emit, show, task
from archdef.cli.data import data_option
from archdef.cli.output import will_write
from archdef.cli.completing import CHECK
from archdef.options import architecture, machine_option, parse_settings


@click.command("check")
@machine_option
@click.option("--quick", is_flag=True, help="In seconds: every check, but of those that have many cases only a few, spread over all of them, and of an "
              "instruction one spelling of each row.")
@click.option("--only", "-k", "words", multiple=True, metavar="TEXT", type=CHECK, help="Only checks whose name holds TEXT. May be repeated.")
@click.option("--excuse", "excuses", multiple=True, metavar="NAME=REASON", callback=parse_settings,
              help="A check that is known to fail, such as 'test_features[shuffle]=not modelled'; it must fail. May be repeated.")
@click.option("--badge", type=click.Path(dir_okay=False, writable=True), metavar="FILE",
              help="Write a badge: FILE.svg a picture, FILE.json for shields.io.")
@click.option("--all", "everything", is_flag=True, help="List the checks that passed, too.")
@click.option("--list", "listed", is_flag=True, help="List the checks, with what each proves, and run nothing.")
@data_option("archdef.testing.conformance.Report")
@common_options
@click.pass_context
def command(context, arch, quick, words, excuses, badge, everything, listed, data, settings, as_json):
    """Run the conformance suite on ARCH: is its description complete, and does it compute, time and count as declared?

    Exit code 0 if every check is as it should be, 1 if not, 2 if ARCH cannot be loaded.
    """
    suite, described = archdef.testing.conformance, architecture(arch, settings)
    if badge:
        if not badge.lower().endswith((".svg", ".json")):
            raise click.BadParameter(f"badges are .svg or .json files, got {badge!r}", param_hint="--badge")
        will_write(badge)
    checks = {suite.name_of(check, case): check.proves for check in suite.CHECKS for case in check.cases_of(suite.subject_of(described), quick)}
    for word in words:
        if not any(word in name for name in checks):
            raise click.BadParameter(f"no check's name holds {word!r}", param_hint="--only")
    if unknown := suite.unknown_excuses(suite.subject_of(described), excuses):
        raise click.BadParameter(f"no such check: {', '.join(unknown)}", param_hint="--excuse")
    chosen = _chosen(words)
    checks = {name: proves for name, proves in checks.items() if chosen is None or chosen(name)}
    if listed:
        data.refuse()
        if as_json:
            emit([{"name": name, "proves": proves} for name, proves in checks.items()])
        else:
            click.echo("\n".join(f"{name}: {proves}" for name, proves in checks.items()))
        return
    with task(f"check {described.label}") as bar:
        done = []

        def update(outcome):
            done.append(outcome)
            bar.counted(len(done), len(checks), f"{outcome.name} {outcome.status}")
        found = suite.examine(described, quick=quick, excuses=excuses, only=chosen, progress=update)
    if badge:
        report.checked.write_badge(found, badge)
    data.of(found)
    if as_json:
        emit(found.to_dict())
    else:
        show(report.checked.render(found, everything))
    context.exit(0 if found.good else 1)


def _chosen(words):
    return (lambda name: any(word in name for word in words)) if words else None
