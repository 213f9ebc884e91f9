"""The doors to the warehouse: one typed function per thing that is stored or loaded.

A stage stores all that it decided on one subject in one transaction (a batch), so a killed run
leaves the whole of it or nothing. Storing the same content again adds no row.
"""

from warehouse.admitted import save_tasks
from warehouse.arena import (
    latest_round,
    load_evolutions,
    load_family_tasks,
    load_pool,
    load_seats,
    read_cause_rates,
    read_rates,
    save_evolution,
    save_policy,
    save_review,
    save_seats,
)
from warehouse.attempts import load_attempts, load_rollouts, save_rollouts
from warehouse.diagnoses import load_guidelines, save_claims, save_findings
from warehouse.ecosystem import (
    save_backlog,
    save_classes,
    save_correction,
    save_merges,
    save_refusals,
    save_round,
    save_value_sources,
)
from warehouse.journal import save_run, save_run_end, save_run_environments, save_stage_run, save_uses
from warehouse.loading import (
    load_discovered,
    load_edges,
    load_environment,
    load_measures,
    load_tasks,
    load_tests,
    load_theme,
    load_tool_module,
    load_tools,
)
from warehouse.models import save_judge_calibration, save_model_calls
from warehouse.saving import save_environment, save_refused_theme, save_themes, save_tools
from warehouse.stamp import Stamp
from warehouse.status import read_status, status

__all__ = [
    "Stamp",
    "latest_round",
    "load_attempts",
    "load_discovered",
    "load_edges",
    "load_environment",
    "load_evolutions",
    "load_family_tasks",
    "load_guidelines",
    "load_measures",
    "load_pool",
    "load_rollouts",
    "load_seats",
    "load_tasks",
    "load_tests",
    "load_theme",
    "load_tool_module",
    "load_tools",
    "read_cause_rates",
    "read_rates",
    "read_status",
    "save_backlog",
    "save_claims",
    "save_classes",
    "save_correction",
    "save_environment",
    "save_evolution",
    "save_findings",
    "save_judge_calibration",
    "save_merges",
    "save_model_calls",
    "save_policy",
    "save_refusals",
    "save_refused_theme",
    "save_review",
    "save_rollouts",
    "save_round",
    "save_run",
    "save_run_end",
    "save_run_environments",
    "save_seats",
    "save_stage_run",
    "save_tasks",
    "save_themes",
    "save_tools",
    "save_uses",
    "save_value_sources",
    "status",
]
