"""Of all addresses few may be shown in a frame of another site: a published release's own, and those of a course."""

from urllib.parse import urlsplit

import pytest
from django.contrib import admin
from django.http import HttpResponse
from django.urls import reverse

from tests.security.addresses.setting import Setting
from tests.security.test_addresses import ROWS, _send

pytestmark = [pytest.mark.django_db, pytest.mark.uncounted]

# Without a launch of the frame's own site these show a sentence and nothing to press: tests/lti/ knows the others.
OF_A_COURSE = {"lti-login", "lti-redeem", "lti-deep-link", "lti-register"}
FRAMED = {"release-embed", *OF_A_COURSE}
# What a page of another origin may load with the policies under which pages share nothing.
SHARED = {"release-embed", "release-svg", "release-png"}
# In a frame of the editor alone, and only what it was sent: tests/editor/test_preview.py.
OWN_FRAME = {"survey-preview-typed"}


def _may_be_framed(response: HttpResponse) -> bool:
    policy = response.get("Content-Security-Policy", "").split("; ")
    return response.get("X-Frame-Options") != "DENY" or "frame-ancestors 'none'" not in policy


def test_every_address_but_few_refuses_to_be_framed_whoever_asks() -> None:
    setting, framed, shared = Setting(), set(), set()
    for row in ROWS:
        if row.get is None:
            continue
        survey = setting.survey(row.state)
        row.prepare(setting, survey)
        for visitor in ("anonymous", "owner"):
            for method in ("GET", "HEAD", "PUT"):
                response = _send(setting.client(visitor), method, row, setting, survey)
                if _may_be_framed(response):
                    framed.add((row.name.rpartition(" ")[2], method))
                if response.get("Cross-Origin-Resource-Policy", "same-origin") != "same-origin":
                    shared.add(row.name)
    assert framed == {(name, method) for name in FRAMED for method in ("GET", "HEAD")}
    assert shared == SHARED


def test_what_only_takes_a_form_refuses_other_sites_as_well() -> None:
    setting, framed = Setting(), set()
    for row in ROWS:
        if row.get is None:
            survey = setting.survey(row.state)
            row.prepare(setting, survey)
            if _may_be_framed(_send(setting.client("anonymous"), "POST", row, setting, survey)):
                framed.add(row.name)
    assert framed == OWN_FRAME | {"lti-launch"}


def test_no_page_of_the_admin_site_may_be_framed() -> None:
    client = Setting().client("admin")
    lists = [f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist" for model in admin.site._registry]
    for name in ("admin:index", "admin:login", "admin:surveys_release_add", *lists):
        response = client.get(reverse(name))
        assert not _may_be_framed(response), name
        assert urlsplit(response.get("Location", "")).path != reverse("login"), name
    assert len(lists) > 2


def test_a_page_that_could_be_framed_would_be_found() -> None:
    sound = {"X-Frame-Options": "DENY", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}
    assert not _may_be_framed(HttpResponse(headers=sound))
    assert _may_be_framed(HttpResponse(headers=sound | {"X-Frame-Options": "SAMEORIGIN"}))
    assert _may_be_framed(HttpResponse(headers=sound | {"Content-Security-Policy": "frame-ancestors *"}))
    assert _may_be_framed(HttpResponse())
