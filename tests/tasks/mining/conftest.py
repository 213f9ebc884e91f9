"""A package of own data, installed for one test: what a theme reads without any real package."""

from collections.abc import Callable
from pathlib import Path

import pytest

InstallPackage = Callable[..., Path]


@pytest.fixture
def install_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InstallPackage:
    """Return a function (name, version, {file: bytes}) that makes a distribution findable and returns its folder."""

    def install(name: str, version: str, files: dict[str, bytes]) -> Path:
        site = tmp_path / f"site_{name}"
        info = site / f"{name}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        for file, content in files.items():
            (site / file).parent.mkdir(parents=True, exist_ok=True)
            (site / file).write_bytes(content)
        (info / "RECORD").write_text("".join(f"{file},,\n" for file in sorted(files)))
        monkeypatch.syspath_prepend(str(site))
        return site

    return install
