"""Keep the caller's Prefect server and settings out of the tests, before anything of ours is imported."""

import os

os.environ["PREFECT_API_URL"] = ""
for _name in [name for name in os.environ if name.startswith("FACTORY_")]:
    del os.environ[_name]
