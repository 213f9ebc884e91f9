"""Authors: whoever writes overlays, tools, tests and tasks. See base.py for the protocol."""
