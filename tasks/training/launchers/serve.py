"""Serves this snapshot's environments over HTTP, as OpenEnv speaks it: python serve.py --port 8400"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.dont_write_bytecode = True  # the folder stays as it is
sys.path.insert(0, str(FOLDER))

from agent_world.training.adapters.openenv import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(FOLDER))
