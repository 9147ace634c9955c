"""What every number means, computed: arrays and frames in, arrays and frames out.

No Django, no files, no clock and no hidden randomness, so that a page, a worker and a command in somebody's
build get the same numbers from the same input. `ENGINE_VERSION` is printed with every score; it changes when a
value could.
"""

ENGINE_VERSION = "1"
