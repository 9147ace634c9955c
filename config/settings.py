"""Settings: one file, few environment names (docs/operations.md lists them), safe local defaults, loud failure in production."""

import os
import secrets
from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent


def read_flag(name: str, *, default: bool = False) -> bool:
    """Read an environment switch: 1/true/yes/on are true, 0/false/no/off and empty are false, anything else is an error."""
    value = os.environ.get(name, "").strip().lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    if value:
        raise ImproperlyConfigured(f"{name} is {value!r}; expected 1 or 0")
    return default


def read_list(name: str) -> list[str]:
    """Read a comma-separated environment list."""
    return [part.strip() for part in os.environ.get(name, "").split(",") if part.strip()]


# Local is the mode of `make demo` and of development: plain http on this machine, a key that lives in var/.
LOCAL = read_flag("PLUMBLINE_LOCAL")
DEBUG = read_flag("PLUMBLINE_DEBUG")
VAR_DIR = Path(os.environ.get("PLUMBLINE_VAR", BASE_DIR / "var"))


def read_secret_key() -> str:
    """Take the key from the environment; in local mode make one and keep it; otherwise refuse to start."""
    key = os.environ.get("PLUMBLINE_SECRET_KEY", "")
    if key:
        return key
    if not LOCAL:
        raise ImproperlyConfigured("PLUMBLINE_SECRET_KEY is not set (or set PLUMBLINE_LOCAL=1 on your own machine)")
    VAR_DIR.mkdir(parents=True, exist_ok=True)
    path = VAR_DIR / "secret_key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(50))
    return path.read_text()


SECRET_KEY = read_secret_key()
ALLOWED_HOSTS = read_list("PLUMBLINE_HOSTS") or (["127.0.0.1", "localhost", "[::1]"] if LOCAL else [])
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS] if not LOCAL else []
if not (ALLOWED_HOSTS or LOCAL):
    raise ImproperlyConfigured("PLUMBLINE_HOSTS is not set: name the hosts this server answers to, separated by commas")

INSTALLED_APPS = [
    "evalsets",
    "labelling",
    "scoring",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "axes",
    "django_htmx",
    "django_tasks",
    "django_tasks_db",
    "template_partials",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.ContentSecurityPolicyMiddleware",
    "config.middleware.HtmxSignInMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.VaryOnHtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "evalsets.navigation.describe_place",
            ],
        },
    },
]

SQLITE_OPTIONS = {
    # An immediate transaction waits for the write lock at its start; a deferred one fails with "database is locked" halfway.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
}

DATABASES = {
    "default": dj_database_url.config(
        default=f"sqlite:///{VAR_DIR / 'plumbline.sqlite3'}", conn_max_age=60, conn_health_checks=True
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    VAR_DIR.mkdir(parents=True, exist_ok=True)
    DATABASES["default"] |= {"ENGINE": "config.sqlite3", "OPTIONS": SQLITE_OPTIONS}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "people/locked_out.html"
AXES_VERBOSE = False
LOGIN_URL = "people:sign_in"
LOGIN_REDIRECT_URL = "evalsets:list_eval_sets"
LOGOUT_REDIRECT_URL = "people:sign_in"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
USE_THOUSAND_SEPARATOR = False

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = DEBUG

TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}

# Uploads go to the database in pieces, so that web and worker need no shared folder.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
UPLOAD_LIMIT_BYTES = int(os.environ.get("PLUMBLINE_UPLOAD_LIMIT_MB", "512")) * 1024 * 1024

# Above this many results a page does not wait for a report: a worker computes it.
RESULTS_SCORED_AT_ONCE = 300_000

CONTENT_SECURITY_POLICY = {
    "default-src": ["'self'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "data:"],
    "object-src": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_HTTPONLY = True
if not LOCAL:
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_SSL_REDIRECT = not read_flag("PLUMBLINE_BEHIND_PLAIN_HTTP")
    SECURE_HSTS_SECONDS = 31_536_000
if read_flag("PLUMBLINE_TRUST_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
}
