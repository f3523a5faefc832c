"""The entry point: finds the command asked for, imports only that one, and turns errors into one sentence."""

from __future__ import annotations

import importlib
import os
import signal
import sys

import click

_COMMANDS = {
    "variants": "The games there are, and which are solved.",
    "solve": "Solve a game, exactly or by learning, and store the table.",
    "bound": "What perfect play of several columns cannot exceed.",
    "advise": "Rank every keep or box in a position.",
    "strategies": "Who can play.",
    "simulate": "Many games of one strategy.",
    "compare": "Strategies against each other.",
    "distribution": "Every final score with its chance.",
    "chart": "Draw a chart: to play by, of scores, or of strategies.",
    "score": "Add up a sheet, and show what a roll scores where.",
}


SIXIS = ("solve", "advise", "simulate", "chart")
"""Commands with a form of its own for the game with cards, in modules that begin with `sixis_`."""


class _LazyGroup(click.Group):
    """A group whose commands are modules of this package, imported when they are called."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in SIXIS and "sixis" in args:
            command, place = sixis_command(args[0]), args.index("sixis")
            if args[place - 1] not in _with_value(command):
                return command.name, command, [*args[1:place], *args[place + 1 :]]
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            from solver.errors import unknown

            raise unknown("command", cmd_name, _COMMANDS)
        command: click.Command = importlib.import_module(f"cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


def sixis_command(name: str) -> click.Command:
    """The form of a command for Sixis."""
    command: click.Command = importlib.import_module(f"cli.sixis_{name}").command
    return command


def _with_value(command: click.Command) -> set[str]:
    """The options of a command that take a value: the word behind one of them is not the game."""
    options = (found for found in command.params if isinstance(found, click.Option) and not found.is_flag)
    return {name for option in options for name in option.opts}


@click.group(cls=_LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rollwise")
@click.pass_context
def rollwise(context: click.Context) -> None:
    """Optimal play in keep-and-score dice games.

    Example: rollwise advise yahtzee --dice 33356 --rolls-left 2
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    """Run the command line; bad input ends with one sentence and exit code 2."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # A polite kill cleans up as Ctrl-C does.
    try:
        result = rollwise.main(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        _fail(error.format_message(), error.exit_code)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _fail("interrupted; files and tables that were stored before are untouched.", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except MemoryError:
        _fail("there is not enough memory for this game.", 2)
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  What could not be written is not tried again at exit.
        _fail(f"cannot write the answer: {error.strerror}.", 1)
    except Exception as error:
        from solver.errors import RollwiseError  # Imported late: 'rollwise --help' needs no solver.

        if not isinstance(error, RollwiseError):
            raise
        _fail(str(error), 2)
    else:
        sys.exit(result if isinstance(result, int) else 0)


def _fail(message: str, code: int) -> None:
    click.echo(f"Error: {message}", err=True)
    sys.exit(code)
