"""What a worker holds and what a start costs, beside a bare Django project: `python -m tests.load.start`.

Workers are looked at as `serve` starts them, before their first page and after every kind of page: what links lead to
from the front page, the lab, and the pages of an instructor and an admin of the demo, and some forms.
"""

# ruff: noqa: T201 - a script that prints its measurements
import os
import re
import secrets
import subprocess
import sys
import time
from collections import Counter
from html import unescape
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from tests.load import harness
from tests.server import HOST, ROOT, environment, serving

DIRECTORY = harness.configure()
os.environ["DJANGO_SETTINGS_MODULE"] = "surveys.settings"

import django  # noqa: E402

django.setup()

from django.contrib.auth.models import User  # noqa: E402

from surveys.management.commands.serve import granian_arguments  # noqa: E402
from surveys.models import Survey  # noqa: E402
from tests.releases.steps import STEP_1, STEP_2, terms_of  # noqa: E402

WANTED_AFTER_IMPORT, WANTED_AFTER_ALL, WANTED_DEMO = 75, 120, 6
# Of one address so many choices of options are visited, and everything so often that each worker has met it.
MOST_OPTIONS, VISITS = 1, 2
SETTLING_SECONDS = 3
_MODULES = """
import sys
import {module}
ours = sum(name.partition(".")[0] == "surveys" for name in sys.modules)
print(f"{{len(sys.modules)}} modules, {{ours}} of them ours")
"""
_BARE_CHECK = "import tests.load.bare_project; from django.core.management import call_command; call_command('check')"


def run(*command: str) -> tuple[str, float]:
    """Run Python in the directory of this run; return what it printed, and its processor time."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment(DIRECTORY), capture_output=True, text=True, check=False
    )
    after = os.times()
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout.strip(), sum(after[2:4]) - sum(before[2:4])


def held(granian: str) -> str:
    """Say what the larger worker holds: resident, at most so far, and its share of what several processes hold."""
    workers = harness.children(granian)
    now, most = (max(harness.memory(workers, field).values()) for field in ("VmRSS", "VmHWM"))
    share = max(harness.memory(workers, "Pss", "smaps_rollup").values())
    return f"{now:.0f} MB resident (at most {most:.0f} so far), {share:.0f} MB with its part of what is shared"


class Visitor:
    """Somebody who follows links and sends forms, each on a connection of its own."""

    def __init__(self, port: int, cookie: str = "") -> None:
        self._port, self._cookie = port, cookie
        self.visited: list[str] = []

    def get(self, address: str) -> str:
        return self._send(harness.get(address, *self._headers()))

    def post(self, address: str, page: str, **fields: Any) -> str:
        """Send a form, with the token of the page that it is on."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get(page))
        sent = urlencode(fields | ({"csrfmiddlewaretoken": token[1]} if token else {}), doseq=True)
        return self._send(harness.post(address, sent, f"Origin: http://{HOST}", *self._headers()))

    def follow(self, *addresses: str) -> None:
        """Visit these and all that they lead to."""
        waiting, seen, options = list(addresses), set(addresses), Counter[str]()
        while waiting:
            address = waiting.pop()
            self.visited.append(address)
            for link in re.findall(r'(?:href|data-[a-z-]+)="([^"#]+)', self.get(address)):
                found = urljoin(address, unescape(link))
                path = urlsplit(found).path
                if path.startswith("/") and found not in seen and not path.startswith("/static/"):
                    seen.add(found)
                    options[path] += 1
                    if options[path] <= MOST_OPTIONS:
                        waiting.append(found)

    def _headers(self) -> list[str]:
        return [f"Cookie: {self._cookie}"] if self._cookie else []

    def _send(self, request: bytes) -> str:
        client = harness.Connection(self._port)
        status, head, body = client.send(request)
        client.socket.close()
        if status >= 500:
            raise SystemExit(f"{status}: {request.decode()}\n{head.decode()}")
        for cookie in re.findall(r"(?i)set-cookie: (csrftoken=\w+)", head.decode()):
            self._cookie = "; ".join([*(part for part in self._cookie.split("; ") if "csrf" not in part), cookie])
        return body.decode(errors="replace")


def visit_everything(port: int) -> int:
    """Visit every kind of page, and send some forms; return how many addresses there were."""
    stranger = Visitor(port)
    instructor, admin = (
        Visitor(port, harness.signed_in(User.objects.get(username=name)).partition(": ")[2])
        for name in ("instructor", "admin")
    )
    surveys = list(Survey.objects.all())
    for _ in range(VISITS):
        stranger.follow("/", "/learn/", *(f"/s/{survey.code}/" for survey in surveys))
        stranger.post("/s/EXAMS/", "/s/EXAMS/", nonce=secrets.token_urlsafe(16), mode="device", reports="1")
        instructor.follow("/surveys/", "/account/")
        instructor.post("/surveys/EXAMS/rehearse/", "/surveys/EXAMS/rehearse/")
        admin.follow("/admin/")
        for survey in surveys:
            admin.post(STEP_2, STEP_1, **terms_of(survey))
    return len({*stranger.visited, *instructor.visited, *admin.visited})


def main() -> None:
    _, bare_check = run("-c", _BARE_CHECK)
    print(f"check of a bare project: {bare_check:.2f} s of processor time")
    for command in (["help"], ["check"], ["demo", "--no-serve"]):
        _, seconds = run("manage.py", *command)
        print(f"manage.py {' '.join(command)}: {seconds:.2f} s, {seconds / bare_check:.1f} bare checks")
    print(f"(demo: at most {WANTED_DEMO} s wanted)")
    for module in ("tests.load.bare_project", "surveys.asgi"):
        print(f"{module}: {run('-c', _MODULES.format(module=module))[0]}")
    bare = granian_arguments(HOST, 0)
    bare[-1] = "tests.load.bare_project:application"
    with serving(*bare, directory=DIRECTORY, program=()) as server:
        time.sleep(SETTLING_SECONDS)
        print(f"bare worker: {held(str(server.pid))}")
    with serving("serve", directory=DIRECTORY) as server:
        time.sleep(SETTLING_SECONDS)
        granian = harness.children(str(server.pid))[0]
        print(f"worker after import: {held(granian)}; at most {WANTED_AFTER_IMPORT} wanted")
        addresses = visit_everything(server.port)
        print(f"after {addresses} addresses: {held(granian)}; at most {WANTED_AFTER_ALL} wanted")


if __name__ == "__main__":
    main()
