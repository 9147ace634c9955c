# One image for web and worker.
FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PLUMBLINE_VAR=/var/lib/plumbline
WORKDIR /app

COPY pyproject.toml constraints.txt ./
COPY config config
COPY evalsets evalsets
COPY labelling labelling
COPY scoring scoring
RUN pip install --no-cache-dir --constraint constraints.txt .
COPY manage.py ./
COPY templates templates
COPY static static

# The key is only for this step: collecting static files reads the settings but signs nothing.
RUN PLUMBLINE_LOCAL=1 python manage.py collectstatic --noinput --verbosity 0 && rm -f /var/lib/plumbline/secret_key \
    && useradd --system --uid 10001 plumbline && chown -R plumbline /var/lib/plumbline
USER plumbline

EXPOSE 8000
CMD ["gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--workers", "2", "--threads", "8", \
     "--no-control-socket"]
