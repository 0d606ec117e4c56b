"""What an instructor chooses for a lesson, and the one number that a phone sends."""

from collections.abc import Mapping

from django import forms
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.learn.forms import LARGEST_SEED, PageForm, Slider
from surveys.learn.pages import chapters
from surveys.lessons.selectors import LessonStep
from surveys.lessons.services import MINUTES, MOST_MINUTES
from surveys.questionnaire.definition import Definition

_SHORT = 80


class NewStepForm(forms.Form):
    """A page of the lab or a question, to be added at the end."""

    what = forms.ChoiceField(
        label=gettext_lazy("Page or question"),
        error_messages={
            "required": gettext_lazy("Choose a page or a question."),
            "invalid_choice": gettext_lazy("Choose a page or question from the list."),
        },
    )
    minutes = forms.IntegerField(
        label=gettext_lazy("Minutes"), min_value=1, max_value=MOST_MINUTES, initial=MINUTES, widget=forms.NumberInput
    )

    def __init__(self, definition: Definition, data: Mapping[str, str] | None = None) -> None:
        super().__init__(data)
        asked = [
            (f"question:{one.number}", Truncator(f"{one.number}. {one.text}").chars(_SHORT))
            for one in definition.questions
        ]
        pages = [
            (chapter.label, [(f"page:{page.slug}", str(page.title)) for page in pages]) for chapter, pages in chapters()
        ]
        self.fields["what"].choices = [*([(_("Questions in this survey"), asked)] if asked else []), *pages]  # type: ignore[attr-defined]

    @property
    def page(self) -> str:
        """The page that was chosen, or nothing."""
        kind, _colon, name = self.cleaned_data["what"].partition(":")
        return name if kind == "page" else ""

    @property
    def question(self) -> int:
        """The number of the question that was chosen."""
        return int(self.cleaned_data["what"].partition(":")[2])


class StepForm(forms.Form):
    """How long a step takes; what its page begins with is a form of the page's own, `controls`."""

    minutes = forms.IntegerField(label=gettext_lazy("Minutes"), min_value=1, max_value=MOST_MINUTES)

    def __init__(self, step: LessonStep, data: Mapping[str, str] | None = None) -> None:
        super().__init__(data, initial={"minutes": step.minutes}, auto_id=f"step{step.number}-%s")
        self.controls: PageForm | None = None
        if step.page:
            asked = {**step.controls, **(data or {})}
            self.controls = PageForm(step.page.controls, asked, auto_id=f"step{step.number}-%s")
            for field in self.controls.fields.values():
                if isinstance(field, Slider):
                    # A slider needs a script to say where it stands.
                    field.widget.input_type = "number"

    def is_valid(self) -> bool:
        """Whether minutes and controls both can be."""
        return super().is_valid() and (self.controls is None or self.controls.is_valid())

    def chosen(self) -> dict[str, str] | None:
        """Return what the page is to begin with, as its address has it; nothing for a question."""
        return {name: str(self.controls[name].value()) for name in self.controls.controls} if self.controls else None


class FindingForm(forms.Form):
    """All that a phone can send: which made-up people it drew."""

    seed = forms.IntegerField(min_value=1, max_value=LARGEST_SEED)
