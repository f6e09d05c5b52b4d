"""``archdef check``: the conformance suite on one architecture."""
from __future__ import annotations

import click

import archdef
from archdef import report
from archdef.cli.common import emit, json_option, show
from archdef.cli.output import will_write
from archdef.options import architecture, parse_settings, set_option


@click.command("check")
@click.argument("arch")
@click.option("--quick", is_flag=True, help="A subset that takes seconds.")
@click.option("--only", "-k", "words", multiple=True, metavar="TEXT", help="Only checks whose name holds TEXT. May be repeated.")
@click.option("--excuse", "excuses", multiple=True, metavar="NAME=REASON", callback=parse_settings,
              help="A check that is known to fail, such as 'test_features[shuffle]=not modelled'; it must fail. May be repeated.")
@click.option("--badge", type=click.Path(dir_okay=False, writable=True), metavar="FILE",
              help="Write a badge: FILE.svg a picture, FILE.json for shields.io.")
@click.option("--verbose", "-v", is_flag=True, help="List the checks that passed, too.")
@set_option
@json_option
@click.pass_context
def command(context, arch, quick, words, excuses, badge, verbose, settings, as_json):
    """Run the conformance suite on ARCH: is its description complete, and does it compute, time and count as declared?

    Exit code 0 if every check is as it should be, 1 if not, 2 if ARCH cannot be loaded.
    """
    suite, described = archdef.testing.conformance, architecture(arch, settings)
    if badge:
        if not badge.lower().endswith((".svg", ".json")):
            raise click.BadParameter(f"badges are .svg or .json files, got {badge!r}", param_hint="--badge")
        will_write(badge)
    names = [suite.name_of(check, case) for check in suite.CHECKS for case in check.cases_of(suite.subject_of(described), quick)]
    for word in words:
        if not any(word in name for name in names):
            raise click.BadParameter(f"no check's name holds {word!r}", param_hint="--only")
    if unknown := suite.unknown_excuses(suite.subject_of(described), excuses):
        raise click.BadParameter(f"no such check: {', '.join(unknown)}", param_hint="--excuse")
    with report.checked.Live(described, hidden=as_json) as live:
        found = suite.examine(described, quick=quick, excuses=excuses, only=_chosen(words), progress=live.update)
    if badge:
        report.checked.write_badge(found, badge)
    if as_json:
        emit(found.to_dict())
    else:
        show(report.checked.render(found, verbose))
    context.exit(0 if found.good else 1)


def _chosen(words):
    return (lambda name: any(word in name for word in words)) if words else None
