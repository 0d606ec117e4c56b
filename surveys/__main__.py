"""The program's commands: `manage.py` in a checkout, `deniable` where it is installed."""

import os
import sys
from importlib import import_module

_NO_SERVER = "The server is not installed, only the library. Install it: pip install 'deniable[server]'"


def main() -> None:
    """Run the command that the command line names."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "surveys.settings")
    if sys.argv[1:2] == ["demo"]:
        os.environ.setdefault("DENIABLE_LOCAL_DEMO", "1")
    try:
        from django.core.management import execute_from_command_line  # noqa: PLC0415

        from surveys.management import ending_in_one_line  # noqa: PLC0415
    except ModuleNotFoundError:
        sys.exit(_NO_SERVER)
    with ending_in_one_line():
        # Django runs some commands, such as shell, without settings that are wrong.
        import_module(os.environ["DJANGO_SETTINGS_MODULE"])
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
