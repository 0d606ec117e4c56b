"""Writing a survey: the list, the editor, previews and saved versions."""

from django.urls import reverse

from surveys.drafts.services.surveys import save_draft
from surveys.editor.forms.languages import TranslationForm
from surveys.models import Survey
from tests.editor.form import posted, question
from tests.factories import yes_no
from tests.security.addresses.row import Row, of_survey, personal
from tests.security.addresses.setting import Setting


def _saved_again(_setting: Setting, survey: Survey) -> dict[str, str]:
    """Save the draft once more, so that its first version is not as it stands; saying so twice changes nothing."""
    if not Survey.objects.filter(pk=survey.pk, state="draft").exists():
        return {"revision": "1"}
    return {"revision": str(save_draft(survey=survey, questions=[yes_no("Saved again?")]).revision)}


def _translated(_setting: Setting, survey: Survey) -> dict[str, str]:
    """Translate the title, which is enough to be saved."""
    form = TranslationForm(None, survey=survey, code="de")
    return {field.html_name: "Übersetzt" for each, field in form.pairs if each.name == "title"} | {
        "revision": str(survey.revision)
    }


ROWS: tuple[Row, ...] = (
    personal("survey-list"),
    # Of drafts that are not the visitor's own nothing is said, not even that there are any.
    personal(
        "drafts-delete",
        get={"owner": 200, "others": 302},
        post=302,
        where=lambda _setting, survey: f"{reverse('drafts-delete')}?draft={survey.code}",
        body=lambda _setting, survey: {"draft": survey.code},
    ),
    personal("survey-new", post=302, body=posted(question())),
    personal("survey-preview-typed", get=None, post=200, body=posted(question()), changes=False),
    of_survey("survey-edit", "edit", post=302, body=posted(question(), title="Another")),
    of_survey("survey-edit", "edit", get=302, post=409, state="open", body=posted(question()), changes=False),
    of_survey("survey-preview", "see"),
    of_survey("survey-languages", "edit"),
    of_survey("survey-languages", "edit", get=302, state="open"),
    of_survey("survey-language", "edit", post=302, extra=("de",), body=_translated),
    of_survey(
        "survey-language", "edit", get=302, post=302, extra=("de",), state="open", body=_translated, changes=False
    ),
    of_survey("survey-versions", "edit"),
    of_survey("survey-version", "edit", extra=(1,)),
    of_survey("survey-version", "edit", extra=(1,), state="open"),
    of_survey("survey-restore", "edit", get=None, post=302, extra=(1,), body=_saved_again),
    of_survey("survey-restore", "edit", get=None, post=302, extra=(1,), state="open", changes=False),
)
