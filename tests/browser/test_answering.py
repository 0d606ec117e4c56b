"""A respondent's way through the pages: the phone, real coins, the server's coins, and a failing network."""

import pytest
from playwright.sync_api import Page, Request, Route, expect

from surveys.models import Response
from tests.browser.conftest import NewContext
from tests.browser.walk import SENDS_THE_TRUTH, answer, begin, choose, fix_draws, flip, go_on, send
from tests.factories import make_open, one_of, yes_no


def stored() -> list[tuple[str, str]]:
    return list(Response.objects.values_list("mode", "reports"))


def test_from_the_promise_to_the_receipt(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    survey = make_open(yes_no("A?"), one_of(["Never", "Once"], "B?"), yes_no("C?"), title="Exams")
    begin(page, survey)
    expect(page.get_by_text("Question 1 of 3")).to_be_visible()
    expect(page.get_by_role("heading", name="A?")).to_be_focused()
    choose(page, "Yes")
    flip(page)
    expect(page.get_by_role("status").locator("visible=true")).to_have_text("Your phone drew 2 of 4. It will send Yes")
    expect(page.get_by_role("button", name="Next question")).to_be_focused()
    go_on(page)
    answer(page, "Once")
    page.get_by_role("button", name="Leave this question out").click()
    expect(page.get_by_role("heading", name="This is all that will leave your phone")).to_be_focused()
    assert page.locator("#reports li").all_text_contents() == ["A? Yes", "B? Once", "C? left out"]
    send(page)
    assert page.locator(".reports li").all_text_contents() == ["A? Yes", "B? Once", "C? left out"]
    assert stored() == [("device", "11-")]


def test_a_question_left_out_can_still_be_answered(page: Page) -> None:
    fix_draws(page, SENDS_THE_TRUTH)
    begin(page, make_open(yes_no()))
    page.get_by_role("button", name="Leave this question out").click()
    page.get_by_role("button", name="Back").click()
    answer(page, "Yes")
    send(page)
    assert stored() == [("device", "1")]


def test_flipping_without_a_choice_says_what_to_do(page: Page) -> None:
    begin(page, make_open(yes_no()))
    flip(page)
    expect(page.get_by_role("alert").locator("visible=true")).to_contain_text("Choose your true answer first.")
    expect(page.get_by_label("Yes")).to_be_focused()
    choose(page, "Yes")
    expect(page.get_by_text("Choose your true answer first.")).to_be_hidden()


def test_nothing_is_drawn_before_the_choice_and_nothing_twice(page: Page) -> None:
    page.add_init_script(
        "let draws = 0; const real = crypto.getRandomValues.bind(crypto);"
        "crypto.getRandomValues = (words) => { window.draws = (window.draws ?? 0) + 1; return real(words); };"
    )
    begin(page, make_open(yes_no(design="warner", parameters={"p": [1, 4]})))
    flip(page)
    assert page.evaluate("window.draws") is None
    choose(page, "Yes")
    button = page.get_by_role("button", name="Flip the coins").element_handle()
    assert button is not None
    button.evaluate("(button) => { button.click(); button.click(); button.click(); }")
    assert page.evaluate("window.draws") == 1


def test_a_double_tap_on_send_stores_one_row_and_sends_once(page: Page) -> None:
    posts: list[str] = []
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    begin(page, make_open(yes_no()))
    answer(page, "Yes")
    page.get_by_role("button", name="Send").dblclick()
    page.wait_for_url("**/receipt/")
    assert len(posts) == 1
    assert len(stored()) == 1


def test_a_failing_network_keeps_the_page_and_the_retry_sends_the_same_once(page: Page) -> None:
    bodies: list[str | None] = []

    def fail(route: Route, request: Request) -> None:
        bodies.append(request.post_data)
        route.abort()

    begin(page, make_open(yes_no()))
    answer(page, "Yes")
    page.route("**/s/*/", fail)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert").locator("visible=true")).to_contain_text("Not sent")
    expect(page.get_by_role("heading", name="This is all that will leave your phone")).to_be_visible()
    assert stored() == []
    page.unroute("**/s/*/")
    with page.expect_request(lambda request: request.method == "POST") as retried:
        page.get_by_role("button", name="Try again").click()
    page.wait_for_url("**/receipt/")
    assert [retried.value.post_data] == bodies
    assert len(stored()) == 1


def test_an_answer_that_arrived_but_whose_receipt_was_lost_is_stored_once(page: Page) -> None:
    def lose_the_receipt(route: Route) -> None:
        route.fetch()
        route.abort()

    begin(page, make_open(yes_no()))
    answer(page, "Yes")
    page.route("**/s/*/", lose_the_receipt)
    page.get_by_role("button", name="Send").click()
    page.get_by_role("button", name="Try again").wait_for()
    assert len(stored()) == 1
    page.unroute("**/s/*/")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_url("**/receipt/")
    assert len(stored()) == 1


def test_a_server_error_keeps_the_page(page: Page) -> None:
    begin(page, make_open(yes_no()))
    answer(page, "Yes")
    page.route("**/s/*/", lambda route: route.fulfill(status=500, content_type="text/html", body="<h1>Error</h1>"))
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert").locator("visible=true")).to_contain_text("Not sent")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_a_second_tab_cannot_answer_again_and_says_so(page: Page) -> None:
    survey = make_open(yes_no())
    second = page.context.new_page()
    for tab, word in ((page, 0), (second, 3)):
        tab.bring_to_front()
        fix_draws(tab, word)
        begin(tab, survey)
        answer(tab, "Yes")
    page.bring_to_front()
    send(page)
    second.bring_to_front()
    second.get_by_role("button", name="Send").click()
    expect(second.get_by_role("alert").locator("visible=true")).to_contain_text("What came first was kept")
    assert stored() == [("device", "0")]


def test_answering_one_survey_leaves_the_next_open(page: Page) -> None:
    begin(page, make_open(yes_no()))
    answer(page, "Yes")
    send(page)
    begin(page, make_open(yes_no("Another?")))
    expect(page.get_by_role("heading", name="Another?")).to_be_visible()


def test_real_coins_work_without_scripts(new_context: NewContext) -> None:
    survey = make_open(yes_no("A?"), one_of(["Never", "Once", "Often"], "B?"))
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/s/{survey.code}/")
    expect(page.get_by_role("button", name="Begin")).to_be_hidden()
    page.get_by_role("group", name="A?").get_by_label("Leave this question out").check()
    page.get_by_role("group", name="B?").get_by_label("Often").check()
    page.get_by_role("button", name="Send what the coins told you").click()
    page.wait_for_url("**/receipt/")
    assert page.locator(".reports li").all_text_contents() == ["A? left out", "B? Often"]
    assert stored() == [("own_coin", "-2")]


def test_real_coins_work_with_scripts_too_and_load_none(page: Page) -> None:
    survey = make_open(yes_no())
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.resource_type))
    page.goto(f"/s/{survey.code}/own-coin/")
    assert "script" not in loaded
    page.get_by_label("No", exact=True).check()
    page.get_by_role("button", name="Send what the coins told you").click()
    page.wait_for_url("**/receipt/")
    assert stored() == [("own_coin", "0")]


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_server_can_flip_where_the_author_offers_it(new_context: NewContext, *, scripts: bool) -> None:
    survey = make_open(yes_no(), server_mode_allowed=True)
    page = new_context(java_script_enabled=scripts).new_page()
    page.goto(f"/s/{survey.code}/server/")
    expect(page.get_by_text("You trust this server for this moment.")).to_be_visible()
    page.get_by_label("Yes").check()
    page.get_by_role("button", name="Let the server flip").click()
    page.wait_for_url("**/receipt/")
    ((mode, reports),) = stored()
    assert mode == "server"
    assert reports in {"0", "1"}


def test_reduced_motion_stops_the_coin(new_context: NewContext) -> None:
    for motion, animation in (("reduce", "none"), ("no-preference", "turn")):
        page = new_context(reduced_motion=motion).new_page()
        begin(page, make_open(yes_no()))
        choose(page, "Yes")
        flip(page)
        assert page.locator(".coin:visible").evaluate("(coin) => getComputedStyle(coin).animationName") == animation


def test_the_browsers_back_and_forward_go_through_the_steps_and_never_past_an_open_question(page: Page) -> None:
    survey = make_open(yes_no("First?"), yes_no("Second?"))
    begin(page, survey)
    answer(page, "Yes")
    expect(page.get_by_role("heading", name="Second?")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="First?")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("heading", name="Second?")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Exams")).to_be_visible()
    page.go_back()
    page.go_forward()
    # The reload forgot the first report, so the second question is out of reach.
    expect(page.get_by_role("heading", name="First?")).to_be_visible()
