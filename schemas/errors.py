"""The one error a user is meant to read."""


class UsageError(Exception):
    """A mistake that the user can mend: says what, where, and the next command.

    The command line prints it as one line without a traceback and exits with 2.
    """
