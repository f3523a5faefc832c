"""The command reference, made from the commands' own help: `python -m cli.reference > docs/commands.md`."""

from __future__ import annotations

import click

from cli.main import SIXIS, rollwise, sixis_command

_WIDTH = 100


def reference() -> str:
    """Every command's help as one Markdown page."""
    context = click.Context(rollwise, info_name="rollwise", terminal_width=_WIDTH, **rollwise.context_settings)
    parts = ["# Commands", "", "Made by `make reference` from the commands' own help.", ""]
    names = [
        form for name in rollwise.list_commands(context) for form in (name, *([f"{name} sixis"] * (name in SIXIS)))
    ]
    for name in ["", *names]:
        plain, _, sixis = name.partition(" ")
        command = sixis_command(plain) if sixis else rollwise.get_command(context, name) if name else rollwise
        assert command is not None
        inner = (
            click.Context(command, info_name=command.name, parent=context, terminal_width=_WIDTH) if name else context
        )
        parts += [f"## rollwise {name}".rstrip(), "", "```text", command.get_help(inner).strip(), "```", ""]
    return "\n".join(parts)


if __name__ == "__main__":
    click.echo(reference(), nl=False)
