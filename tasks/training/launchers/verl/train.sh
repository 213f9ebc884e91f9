#!/usr/bin/env bash
# GRPO over this snapshot with verl 0.9.1, by the paper's settings: 32 tasks of 8 rollouts a step, clip 0.2 and 0.28,
# temperature 1, a KL term. More overrides are passed on: verl/train.sh actor_rollout_ref.model.path=Qwen/Qwen3-8B
set -euo pipefail
snapshot="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
export PYTHONPATH="$snapshot${PYTHONPATH:+:$PYTHONPATH}"
exec "${PYTHON:-python3}" -m verl.trainer.main_ppo \
    algorithm.adv_estimator=grpo \
    data.train_files="$snapshot/rl/train.parquet" \
    data.val_files="$snapshot/rl/heldout.parquet" \
    data.return_raw_chat=True \
    data.train_batch_size=32 \
    data.max_prompt_length=16384 \
    data.max_response_length=32768 \
    actor_rollout_ref.model.path="${MODEL:-Qwen/Qwen3-8B}" \
    actor_rollout_ref.actor.clip_ratio_low=0.2 \
    actor_rollout_ref.actor.clip_ratio_high=0.28 \
    actor_rollout_ref.actor.use_kl_loss=True \
    actor_rollout_ref.actor.kl_loss_coef=0.001 \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.mode=async \
    actor_rollout_ref.rollout.n=8 \
    actor_rollout_ref.rollout.temperature=1.0 \
    actor_rollout_ref.rollout.multi_turn.enable=True \
    actor_rollout_ref.rollout.multi_turn.format=hermes \
    actor_rollout_ref.rollout.multi_turn.max_assistant_turns=60 \
    actor_rollout_ref.rollout.multi_turn.max_user_turns=60 \
    actor_rollout_ref.rollout.multi_turn.max_parallel_calls=8 \
    actor_rollout_ref.rollout.multi_turn.max_tool_response_length=16000 \
    actor_rollout_ref.rollout.agent.agent_loop_config_path="$snapshot/verl/agent_loop.yaml" \
    actor_rollout_ref.rollout.agent.default_agent_loop=agent_world \
    reward.custom_reward_function.path="$snapshot/verl/reward.py" \
    reward.custom_reward_function.name=compute_score \
    "$@"
