"""The product's settings as the tests run them: local mode, a scratch folder, fast hashes, background work at once."""

import atexit
import os
import shutil
import tempfile

os.environ["PLUMBLINE_LOCAL"] = "1"
SCRATCH = tempfile.mkdtemp(prefix="plumbline-test-")
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)
os.environ["PLUMBLINE_VAR"] = SCRATCH
# pytest-playwright keeps an event loop on the test's thread; the tests' own database calls there are not async code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
if os.environ.get("TEST_DATABASE_URL"):
    os.environ["DATABASE_URL"] = os.environ["TEST_DATABASE_URL"]
else:
    os.environ.pop("DATABASE_URL", None)

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, STORAGES, VAR_DIR  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
TASKS = {"default": {"BACKEND": "django_tasks.backends.immediate.ImmediateBackend"}}
WHITENOISE_AUTOREFRESH = True
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file and not memory: threads, processes and the browser's server share it as they would in production.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
