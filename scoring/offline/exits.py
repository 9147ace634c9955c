"""Exit codes of the command, and the errors that end it with one."""

DONE = 0
GATE_FAILED = 1
BAD_INPUT = 2
CANNOT_TELL = 3
INVALID = 4


class CommandError(Exception):
    """Ends the command: a message for standard error and an exit code; nothing has been written."""

    def __init__(self, message: str, code: int = BAD_INPUT) -> None:
        super().__init__(message)
        self.code = code
