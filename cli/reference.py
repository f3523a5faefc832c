"""The command reference, made from the commands' own help: `python -m cli.reference > docs/commands.md`."""

from __future__ import annotations

import click

from cli.main import rollwise

_WIDTH = 100


def reference() -> str:
    """Every command's help as one Markdown page."""
    context = click.Context(rollwise, info_name="rollwise", terminal_width=_WIDTH, **rollwise.context_settings)
    parts = ["# Commands", "", "Made by `make reference` from the commands' own help.", ""]
    for name in ["", *rollwise.list_commands(context)]:
        command = rollwise.get_command(context, name) if name else rollwise
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context, terminal_width=_WIDTH) if name else context
        parts += [f"## rollwise {name}".rstrip(), "", "```text", command.get_help(inner).strip(), "```", ""]
    return "\n".join(parts)


if __name__ == "__main__":
    click.echo(reference(), nl=False)
