#!/usr/bin/env python
"""Django's command line for Reviewer.

A setting or a database that cannot be used is said in a sentence on standard error; the
exit status then is none of those that a command gives a meaning to.
"""

import os
import sys

CONFIGURATION, UNAVAILABLE = 78, 69
"""As in sysexits.h."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reviewer.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("Django is not installed here. Run `make install`, then use .venv/bin/python.")
    from django.core.exceptions import ImproperlyConfigured
    from django.db import OperationalError, ProgrammingError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        _end(CONFIGURATION, f"A setting cannot be used: {error}")
    except (OperationalError, ProgrammingError) as error:
        if "--traceback" in sys.argv:
            raise
        _end(
            UNAVAILABLE,
            f"The database could not be used: {str(error).strip()}. Is it there (DATABASE_URL), "
            "and is it of this version? If not, run `manage.py migrate`.",
        )


def _end(status: int, sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.exit(status)


if __name__ == "__main__":
    main()
