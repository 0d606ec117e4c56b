"""A lesson from one press to a dot on the wall, by keys alone, with phones that have scripts and one that has none."""

import re

from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from surveys.models import ExactFigures, LessonFinding
from tests.browser.audit import Looks, Setting, complaints_of, look_as
from tests.browser.conftest import NewContext, SignedIn
from tests.factories import fill, make_open, yes_no
from tests.lessons.lesson import COIN, QUESTION, given, taught

PROJECTOR = {"width": 1920, "height": 1080}
PHONE, WALL = (Setting(390), Setting(390, dark=True)), (Setting(1280), Setting(1280, dark=True))
_LOOK_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"


def _audit(page: Page, looks: Looks, settings: tuple[Setting, ...]) -> list[str]:
    before = page.viewport_size or PROJECTOR
    wrong = [f"{page.url}, {fault}" for fault in looks.faults(page, settings)]
    look_as(page, settings[0])
    page.set_viewport_size(before)
    return wrong


def test_a_class_follows_a_ready_lesson_and_its_draws_are_dots_on_the_wall(
    signed_in: SignedIn, new_context: NewContext, teacher: User, looks: Looks
) -> None:
    survey = make_open(yes_no("Have you ever?"), owner=teacher)
    wall = signed_in(viewport=PROJECTOR, reduced_motion="reduce").new_page()
    phone, plain = new_context(reduced_motion="reduce").new_page(), new_context(java_script_enabled=False).new_page()
    complaints, wrong = [complaints_of(wall), complaints_of(phone)], []

    # One press to have it, one to give it.
    wall.goto(reverse("survey-detail", args=[survey.code]))
    wall.get_by_role("link", name="Lesson", exact=True).click()
    wall.locator("form.ready:has([value=trust]) button").click()
    present = wall.get_by_role("button", name="Start presenting")
    expect(present).to_be_visible()
    assert len(given(survey).steps) == 5
    wrong += _audit(wall, looks, (*WALL, *PHONE))
    present.click()
    expect(wall.locator(".lobby .code")).to_have_text(survey.code)
    wrong += _audit(wall, looks, WALL)

    # The code at the front door leads there, and the phone goes on when the wall does.
    for one in (phone, plain):
        one.goto(f"/join?code={survey.code.lower()}")
        expect(one).to_have_url(re.compile(f"/lesson/{survey.code}/"))
    wrong += _audit(phone, looks, PHONE)
    wall.keyboard.press("ArrowRight")
    coin = given(survey).steps[COIN - 1].title
    expect(wall.locator("h1")).to_have_text(coin)
    phone.evaluate(_LOOK_AGAIN)
    expect(phone.locator("h1")).to_have_text(coin)
    plain.locator("#lesson-now a").first.click()
    expect(plain.locator("h1")).to_have_text(coin)

    # With other controls there is nothing to send; what the lesson began with is a dot.
    send = phone.locator("#mine button")
    wrong += _audit(phone, looks, PHONE)
    phone.get_by_label("People who mean Yes").fill("90")
    expect(send).to_be_hidden()
    phone.get_by_label("People who mean Yes").fill("30")
    send.click()
    expect(phone.locator("#mine [role=status]")).to_be_visible()
    plain.locator("#mine button").click()
    expect(plain.locator("#mine [role=status]")).to_be_visible()
    assert LessonFinding.objects.filter(lesson_id=survey.pk).count() == 2
    wall.evaluate(_LOOK_AGAIN)
    expect(wall.locator("[data-found='2']")).to_be_visible()
    wall.keyboard.press("t")
    expect(wall.locator(".draws circle")).to_have_count(2)
    expect(wall.locator("h2").first).to_contain_text(" 30")
    wrong += _audit(wall, looks, WALL)
    # A further one comes in while they are looked at.
    LessonFinding.objects.create(lesson_id=survey.pk, step=1, seed=next(iter({1, 2, 3} - _seeds(survey.pk))))
    wall.evaluate(_LOOK_AGAIN)
    expect(wall.locator(".draws circle")).to_have_count(3)
    # A control that is moved leads back to one draw.
    wall.get_by_label("People who mean Yes").fill("90")
    expect(wall.locator(".draws circle")).to_have_count(0)

    assert wrong == []
    assert complaints == [[], []]


def _press(page: Page, key: str) -> None:
    """Press a key, not before the page that listens to it is all there."""
    page.wait_for_load_state()
    page.keyboard.press(key)


def test_keys_lead_from_a_page_to_a_question_through_its_slides_and_on(
    signed_in: SignedIn, new_context: NewContext, teacher: User, looks: Looks
) -> None:
    survey = taught(yes_no("Have you ever?"), owner=teacher)
    wall, phone = signed_in(viewport=PROJECTOR, reduced_motion="reduce").new_page(), new_context().new_page()
    complaints, wrong = [complaints_of(wall), complaints_of(phone)], []
    wall.goto(reverse("survey-lesson-present", args=[survey.code]))
    phone.goto(f"/lesson/{survey.code}/")
    expect(phone.locator("h1")).to_have_text(given(survey).steps[COIN - 1].title)
    _press(wall, "PageDown")
    answering = wall.locator("#answering")
    expect(answering).to_be_visible()
    wrong += _audit(wall, looks, WALL)
    phone.evaluate(_LOOK_AGAIN)
    expect(phone.get_by_role("link", name="Answer the survey")).to_be_visible()
    wrong += _audit(phone, looks, PHONE)
    _press(wall, "ArrowRight")
    expect(wall.locator("#reveal")).to_be_visible()
    _press(wall, "ArrowRight")
    expect(wall.locator("h1")).to_have_text(given(survey).steps[QUESTION].title)
    _press(wall, "ArrowLeft")
    expect(answering).to_be_visible()

    # Enough have answered while it was said that they were too few: the first figures of the survey are asked for, and
    # come without leaving the page.
    _press(wall, "ArrowRight")
    expect(wall.locator("#reveal")).to_be_visible()
    fill(survey, {"1": 20, "0": 30})
    wall.evaluate(_LOOK_AGAIN)
    expect(wall.locator("#reveal-1-1 form")).to_be_visible()
    expect(answering).to_have_attribute("data-count", "50")
    wall.evaluate("document.body.dataset.kept = ''")
    wrong += _audit(wall, looks, WALL)
    survey.refresh_from_db()
    assert survey.exact_figures == ExactFigures.NOT_SHOWN
    for step in ("received", "estimate"):
        _press(wall, "ArrowRight")
        expect(wall.locator(f"[data-step={step}]")).to_be_visible()
    assert wall.locator("body").get_attribute("data-kept") == ""
    survey.refresh_from_db()
    assert survey.exact_figures == ExactFigures.SHOWN
    _press(wall, "ArrowRight")
    expect(wall.locator("h1")).to_have_text(given(survey).steps[QUESTION].title)
    _press(wall, "ArrowLeft")
    expect(answering).to_be_visible()
    _press(wall, "ArrowLeft")
    expect(wall.locator("h1")).to_have_text(given(survey).steps[COIN - 1].title)
    assert wrong == []
    assert complaints == [[], []]


def test_inside_a_page_that_runs_from_right_to_left_the_lab_keeps_its_direction(page: Page) -> None:
    survey = taught(language="he")
    page.goto(f"/lesson/{survey.code}/")
    dots = page.locator("svg.dots").first
    expect(dots).to_have_css("scale", "none")
    page.locator(".lab").evaluate("(lab) => lab.parentElement.removeAttribute('dir')")
    expect(dots).to_have_css("scale", "-1 1")


def _seeds(lesson_id: int) -> set[int]:
    return set(LessonFinding.objects.filter(lesson_id=lesson_id).values_list("seed", flat=True))
