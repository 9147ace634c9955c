"""Take the pictures of the guides from a running demo: `make demo` in one terminal, `make pictures` in another."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ADDRESS = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
FOLDER = Path(__file__).parent / "pictures"
PASSWORD = "plumbline-demo"  # noqa: S105  # that of the local demo
SIZE = {"width": 1280, "height": 800}

# Who sees it, the name of the picture, where it is.
PICTURES = [
    ("maren", "grade", "/sets/handbook/grade/"),
    ("lena", "overview", "/sets/handbook/"),
    ("lena", "agreement", "/sets/handbook/agreement/"),
    ("lena", "adjudicate", "/sets/handbook/adjudication/"),
    ("lena", "publish", "/sets/handbook/gold/publish/"),
    ("emil", "import", "/sets/handbook/imports/new/documents/"),
    ("emil", "pool", "/sets/handbook/pool/"),
    ("emil", "report", "/sets/handbook/scores/"),
    ("emil", "compare", "/sets/handbook/scores/"),
]


def sign_in(browser: Browser, username: str) -> Page:
    """A page of somebody who is signed in."""
    page = browser.new_context(viewport=SIZE, color_scheme="light").new_page()  # type: ignore[arg-type]  # plain numbers
    page.goto(f"{ADDRESS}/people/sign-in/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    return page


def go_to(page: Page, name: str, path: str) -> None:
    """Open what the picture shows; some things are a click behind their list."""
    page.goto(ADDRESS + path)
    if name == "adjudicate":
        page.get_by_role("main").get_by_role("link", name="Settle").first.click()
    if name == "pool":
        page.get_by_role("button", name="Show what it would hold").click()
        page.get_by_role("heading", name="Before it is created").evaluate("heading => heading.scrollIntoView()")
    if name == "report":
        page.get_by_role("main").get_by_role("link", name="Report").first.click()
    if name == "compare":
        page.get_by_role("main").get_by_role("link", name="Compare").first.click()
    page.wait_for_load_state("load")


def main() -> None:
    """Take all pictures, one browser for each person."""
    executable = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        pages: dict[str, Page] = {}
        for username, name, path in PICTURES:
            page = pages[username] = pages.get(username) or sign_in(browser, username)
            go_to(page, name, path)
            page.screenshot(path=FOLDER / f"{name}.png")
            print(f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
