#!/usr/bin/env python
"""Run Deniable's commands."""

from surveys.__main__ import main

if __name__ == "__main__":
    main()
