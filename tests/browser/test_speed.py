"""What a phone has to load: few requests, few bytes, none waiting for another's code."""

import gzip
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Response, Route

from surveys.models import Survey
from tests.browser.conftest import PHONE, NewContext
from tests.factories import make_open, one_of, twenty_of_every_kind, yes_no

MOST_REQUESTS = 4
MOST_BYTES = 30 * 1024
# One round trip of a new connection carries ten packets.
FIRST_ROUND_TRIP = 14 * 1024
MOST_BYTES_OF_A_STRANGER = 15 * 1024


def ordinary() -> Survey:
    return make_open(*(yes_no(f"Have you ever done thing number {number}?") for number in range(5)))


def with_all_texts() -> Survey:
    """Five questions, every way of leaving one out, all texts."""
    return make_open(
        yes_no(),
        one_of(leave_out="protected"),
        one_of(text="What kind?", parameters={"truth": [1, 2], "weights": [[1, 2], [1, 4], [1, 4]]}),
        *(yes_no(f"Have you ever done thing number {number}?", leave_out="no") for number in range(2)),
        title="Honest answers about exams",
        introduction="We want to know how common this is.",
        consent="You take part of your own free will.",
        support="Student counselling, room 12, https://example.org",
        server_mode_allowed=True,
    )


def long() -> Survey:
    return make_open(*twenty_of_every_kind(), introduction="How common is this? " * 20, consent="I take part. " * 20)


def loaded(page: Page, address: str, *, padded: bool = True) -> dict[str, int]:
    """The compressed size of each file that the page needs, by its address, and padding if wanted."""
    responses: list[Response] = []

    def note(response: Response) -> None:
        responses.append(response)

    page.on("response", note)
    page.goto(address, wait_until="networkidle")
    # The page comes compressed; the test's server sends static files as they are, the real one compresses them too.
    return {
        response.url: response.request.sizes()["responseBodySize"]
        if padded and response.headers.get("content-encoding") == "gzip"
        else len(gzip.compress(response.body()))
        for response in responses
    }


def loaded_to_answer(page: Page, survey: Survey, *, padded: bool = True) -> dict[str, int]:
    """The same of a page that asks, the icon aside."""
    sizes = loaded(page, f"/s/{survey.code}/", padded=padded)
    page.get_by_role("button", name="Start survey").wait_for()
    return {url: size for url, size in sizes.items() if not url.endswith("favicon.svg")}


@pytest.mark.parametrize("make", [ordinary, long])
def test_a_phone_loads_four_small_files(page: Page, make: Callable[[], Survey]) -> None:
    sizes = loaded_to_answer(page, make())
    assert len(sizes) == MOST_REQUESTS
    assert sum(url.endswith(".js") for url in sizes) == 2
    assert sum(sizes.values()) <= MOST_BYTES, sizes
    # The page and its style come in the first round trip.
    if make is ordinary:
        assert sum(size for url, size in sizes.items() if not url.endswith(".js")) <= FIRST_ROUND_TRIP, sizes


def test_a_phone_loads_two_more_scripts_where_credit_is_given_and_no_more_bytes_than_any_may(page: Page) -> None:
    survey = make_open(*(yes_no(f"Have you ever done thing number {number}?") for number in range(5)), credit=True)
    sizes = loaded_to_answer(page, survey)
    # Without the drawing of a QR code, which is loaded when somebody wants one.
    scripts = {url.rpartition("/")[2] for url in sizes if url.endswith(".js")}
    assert scripts == {"blind.js", "credit.js", "randomizer.js", "respond.js"}
    assert sum(sizes.values()) <= MOST_BYTES, sizes


def test_a_page_with_all_texts_comes_in_the_first_round_trip_but_for_its_padding(page: Page) -> None:
    sizes = loaded_to_answer(page, with_all_texts(), padded=False)
    assert sum(size for url, size in sizes.items() if not url.endswith(".js")) <= FIRST_ROUND_TRIP, sizes


def test_both_scripts_are_asked_for_before_either_has_come(page: Page) -> None:
    """With respond.js held back, the randomizer is loaded all the same: its address stands in the page."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.route("**/respond.js", lambda _route: None)
    page.goto(f"/s/{ordinary().code}/", wait_until="commit")
    page.wait_for_event("response", lambda response: response.url.endswith("randomizer.js"))
    assert asked.count("randomizer.js") == asked.count("respond.js") == 1


def test_a_page_without_the_early_link_would_wait(page: Page) -> None:
    """The planted fault: without the link the randomizer is found only in the other script."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))

    def without_link(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=response.text().replace("modulepreload", "nothing"))

    page.route("**/s/*/", without_link)
    page.route("**/respond.js", lambda _route: None)
    page.goto(f"/s/{ordinary().code}/", wait_until="commit")
    # All of the page has been read by then, and what it names has been asked for.
    page.wait_for_function("document.readyState === 'interactive'")
    assert page.evaluate("fetch('/healthz').then((answer) => answer.ok)")
    assert "respond.js" in asked
    assert "randomizer.js" not in asked


@pytest.mark.parametrize("address", ["/", "/learn/", "/learn/coin/"])
@pytest.mark.parametrize(("width", "faces"), [(390, 0), (1280, 1)])
def test_a_phone_has_its_own_face_and_a_wide_screen_loads_one(
    new_context: NewContext, address: str, width: int, faces: int
) -> None:
    page = new_context(viewport=PHONE | {"width": width}).new_page()
    sizes = loaded(page, address)
    assert sum(url.endswith(".woff2") for url in sizes) == faces
    if address in {"/", "/learn/"} and not faces:
        assert sum(sizes.values()) <= MOST_BYTES_OF_A_STRANGER, sizes
