"""Trains on this snapshot with TRL: python train_trl.py --out DIR --profile tiny | --profile paper --model MODEL"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from agent_world.training.adapters.trl_training import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(FOLDER))
