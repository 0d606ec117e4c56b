#!/usr/bin/env python
"""Run Deniable's commands."""

import os
import sys
from importlib import import_module

from django.core.management import execute_from_command_line

from surveys.management import ending_in_one_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "surveys.settings")
    with ending_in_one_line():
        # Django runs some commands, such as shell, without settings that are wrong.
        import_module(os.environ["DJANGO_SETTINGS_MODULE"])
        execute_from_command_line(sys.argv)
