"""What a document says, once it has been read: ready for the services that create and save drafts."""

from dataclasses import asdict, dataclass
from typing import Any

from surveys.models import Question, Survey
from surveys.models.definition import Definition
from surveys.services.surveys import QuestionDraft


@dataclass(frozen=True, slots=True)
class GroupDraft:
    """One group link."""

    name: str
    slug: str


@dataclass(frozen=True, slots=True)
class SurveyContent:
    """A survey as it was written: nothing of it is stored yet."""

    fields: dict[str, Any]  # the columns of the draft, every one of `selectors.documents.SURVEY_FIELDS`
    questions: list[QuestionDraft]
    groups: tuple[GroupDraft, ...] = ()

    @property
    def unsaved_questions(self) -> list[Question]:
        """The questions as rows that are not in the database."""
        return [Question(position=number, **asdict(draft)) for number, draft in enumerate(self.questions, start=1)]

    @property
    def definition(self) -> Definition:
        """What would be asked, with the designs' numbers."""
        return Definition.of(Survey(**self.fields), self.unsaved_questions)
