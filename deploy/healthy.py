"""Says by its exit status whether the server of this container could store what somebody answers now."""

import os
import sys
import urllib.request

host = os.environ.get("DENIABLE_ALLOWED_HOSTS", "localhost").split(",")[0].strip().lstrip(".")
port = os.environ.get("DENIABLE_PORT", "8000")
# As the proxy asks: under the site's name, and by https.
request = urllib.request.Request(
    f"http://127.0.0.1:{port}/readyz", headers={"Host": host, "X-Forwarded-Proto": "https"}
)
try:
    with urllib.request.urlopen(request, timeout=4) as answered:  # noqa: S310 - an address of ours
        sys.exit(answered.status != 200)
except OSError as error:
    sys.exit(str(error))
