"""What stands in the repository: nothing of the machine that it was written on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Written in pieces, so that this file does not name them itself.
UNWANTED = [
    "files.python" + "hosted",
    r"(?<!\w)py" + r"pi\.org",
    "registry.np" + r"mjs\.",
    "deb" + r"\.debian\.org",
    r"(?<![\w.])/(?:root|home|Users)/\w",
    "index" + "-url",
]
TEXT = {".py", ".md", ".toml", ".txt", ".yml", ".yaml", ".html", ".css", ".js", ".sh", ".svg", ""}


def tracked_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_package_registry_or_a_folder_of_a_machine() -> None:
    pattern = re.compile("|".join(UNWANTED))
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in tracked_files()
        if path.suffix in TEXT
        for match in pattern.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]

    assert not found


def test_every_pinned_requirement_is_one_version_and_no_address() -> None:
    lines = (ROOT / "constraints.txt").read_text().split()

    assert lines
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)


def test_links_in_the_docs_lead_somewhere() -> None:
    broken = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
            if not target.startswith(("http://", "https://")) and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)}: {target}")

    assert not broken
