"""verl's custom reward function: reward.custom_reward_function.path=…/verl/reward.py, name=compute_score"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agent_world.training.adapters.verl_reward import compute_score

__all__ = ["compute_score"]
