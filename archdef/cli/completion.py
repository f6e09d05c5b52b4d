"""``archdef completion``: what makes a shell complete archdef's commands."""
from __future__ import annotations

import click
from click.shell_completion import get_completion_class

import archdef.cli
from archdef.cli.common import common_options, emit

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@common_options(about="Print the script as the text of a JSON document.")
def command(shell, as_json):
    """Print a script by which SHELL (bash, zsh or fish) completes commands, options, architectures, kernels, metrics and benchmarks.

    \b
    bash:  archdef completion bash > ~/.local/share/bash-completion/completions/archdef
    zsh:   archdef completion zsh > ~/.zfunc/_archdef       (with fpath+=~/.zfunc before compinit)
    fish:  archdef completion fish > ~/.config/fish/completions/archdef.fish
    """
    completer = get_completion_class(shell)(archdef.cli.main, {}, "archdef", "_ARCHDEF_COMPLETE")
    script = completer.source_template % completer.source_vars()     # `source` would start bash to ask for its version
    if as_json:
        emit({"shell": shell, "script": script})
    else:
        click.echo(script)
