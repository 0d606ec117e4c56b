"""Lessons: put together by those who may edit, presented by those who may present, followed by everybody."""

from surveys.lessons.services import show_step, take_ready
from surveys.models import Lesson, LessonFinding, Survey
from tests.security.addresses.row import Row, of_survey, public
from tests.security.addresses.setting import Setting


def _given(_setting: Setting, survey: Survey) -> dict[str, str]:
    """Give the survey a lesson at a page that phones draw with: its first step; one of the draws has been sent."""
    if survey.pk and not Lesson.objects.filter(survey_id=survey.pk).exists():
        take_ready(survey=survey, name="trust")
        show_step(survey=survey, at=1)
        LessonFinding.objects.create(lesson_id=survey.pk, step=1, seed=5)
    return {}


def _where(name: str, rest: str = "") -> dict[str, object]:
    def where(setting: Setting, survey: Survey) -> str:
        _given(setting, survey)
        return f"/{name.format(code=survey.code)}{rest}"

    return {"where": where}


def _sending(**fields: str) -> dict[str, object]:
    return {"body": lambda setting, survey: _given(setting, survey) | fields}


_ON_THE_WALL = "surveys/{code}/lesson/present/"

ROWS: tuple[Row, ...] = (
    of_survey("survey-lesson", "edit", post=302, body={"action": "ready", "name": "trust"}),
    of_survey("survey-lesson", "edit", post=302, state="sealed", **_sending(action="remove", step="3")),
    of_survey("survey-lesson", "edit", post=302, state="open", **_sending(action="forget")),
    of_survey("survey-lesson", "edit", post=400, state="closed", body={"action": "else"}, changes=False),
    of_survey("survey-lesson-present", "present", post=302, state="open", **_sending(at="4")),
    # Without a lesson there is nothing to present.
    of_survey("survey-lesson-present", "present", get=302, post=302, state="paused", changes=False, body={"at": "0"}),
    of_survey("survey-lesson-live", "present", state="open", **_where(_ON_THE_WALL, "live/?step=1")),
    of_survey("survey-lesson-live", "present", state="open", **_where(_ON_THE_WALL, "live/?step=2")),
    of_survey("survey-lesson-picture", "present", state="open", **_where(_ON_THE_WALL, "picture/?step=1&times=200")),
    public("lesson", state="open", **_where("lesson/{code}/")),
    public("lesson", state="closed", **_where("lesson/{code}/")),
    public("lesson", state="by invitation", get=404, where=lambda _setting, survey: f"/lesson/{survey.code}/"),
    public("lesson", state="draft", get=404, **_where("lesson/{code}/")),
    public("lesson-now", state="open", **_where("lesson/{code}/now/")),
    public("lesson-picture", state="open", **_where("lesson/{code}/picture/")),
    public(
        "lesson-find", state="open", get=None, post=303, body={"seed": "7"}, **_where("lesson/{code}/found/?step=1")
    ),
)
