"""What every test needs before Django's settings are read: local mode, a scratch folder, a database chosen by TEST_DATABASE_URL."""

import os
import tempfile

os.environ["PLUMBLINE_LOCAL"] = "1"
os.environ["PLUMBLINE_VAR"] = tempfile.mkdtemp(prefix="plumbline-test-")
# pytest-playwright keeps an event loop on the test's thread; the tests' own database calls there are not async code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
if os.environ.get("TEST_DATABASE_URL"):
    os.environ["DATABASE_URL"] = os.environ["TEST_DATABASE_URL"]
else:
    os.environ.pop("DATABASE_URL", None)
