"""Keep the caller's Prefect server and settings out of the tests, before anything of ours is imported."""

import os

import pytest

MODEL = {name: value for name, value in os.environ.items() if name.startswith("FACTORY_LLM__")}
os.environ["PREFECT_API_URL"] = ""
for _name in [name for name in os.environ if name.startswith("FACTORY_")]:
    del os.environ[_name]


@pytest.fixture(scope="session")
def model_variables() -> dict[str, str]:
    """The caller's model, for the tests that are about one; skips those where none is named."""
    if not {"FACTORY_LLM__BASE_URL", "FACTORY_LLM__MODEL"} <= MODEL.keys():
        pytest.skip(
            "name a model: FACTORY_LLM__BASE_URL=http://127.0.0.1:8000/v1 FACTORY_LLM__MODEL=my-model make test-model"
        )
    return MODEL
