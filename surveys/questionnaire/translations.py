"""What a survey owner wrote, in further languages: of each language its texts by the texts that they stand for.

A text that is changed is another one, and has no translation any more. A text that stands in several places is
translated once; the options of a question are one text, a line each, for only together have they an order.
"""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from surveys.questionnaire.texts import check_lines

# All that fifty questions can have, and as much again of what was changed meanwhile.
MOST_TEXTS = 1_000
# Twenty options, and the ends of their lines.
LONGEST_TEXT = 2_500


def check_translations(stored: object) -> None:
    """Refuse what are no translations; whether all are there, and fit, is asked when the survey opens."""
    languages = dict(settings.RESPONDENTS_LANGUAGES)
    if not isinstance(stored, dict) or not stored.keys() <= languages.keys():
        raise ValidationError(
            gettext("Translations must be an object whose keys are codes of the respondents’ languages: %(codes)s.")
            % {"codes": ", ".join(languages)}
        )
    for code, texts in stored.items():
        if not isinstance(texts, dict) or not all(map(_is_text, [*texts, *texts.values()])):
            raise ValidationError(
                gettext(
                    "The translations into %(language)s must be an object of texts, each of 1 to "
                    "%(longest)s characters."
                )
                % {"language": languages[code], "longest": LONGEST_TEXT}
            )
        if len(texts) > MOST_TEXTS:
            raise ValidationError(
                gettext("At most %(most)s translated texts are allowed. Remove some.") % {"most": MOST_TEXTS}
            )
        for text in texts.values():
            check_lines(text)


def language_name(code: str) -> str:
    """Return what a language of respondents’ pages calls itself."""
    return dict(settings.RESPONDENTS_LANGUAGES)[code]


def _is_text(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip()) and len(text) <= LONGEST_TEXT
