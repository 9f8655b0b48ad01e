import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_wheel_holds_the_prompts_and_the_command(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=60)
    (wheel,) = tmp_path.glob("open_poker_agent-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    entry_points = next(name for name in names if name.endswith("entry_points.txt"))

    for name in ("default", "minimal", "coach"):
        files = ("manifest.toml", "system.j2", "turn.j2", "repair.j2")
        assert {f"agent/prompts/{name}/{file}" for file in files} <= {*names}
    assert {"agent/prompts/coach/fragments/draw.j2", "agent/decision/spots/probe.toml"} <= {*names}
    assert "poker-agent = agent.cli:main" in zipfile.ZipFile(wheel).read(entry_points).decode()
    assert not [name for name in names if name.startswith(("tests", "benchmarks"))]
