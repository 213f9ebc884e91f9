"""This snapshot as an OpenEnv app: PYTHONPATH=. uvicorn agent_world_openenv:app --port 8400"""

from pathlib import Path

from agent_world.training.adapters.openenv_app import app_of
from agent_world.training.reader import Snapshot

app = app_of(Snapshot(Path(__file__).resolve().parent))
