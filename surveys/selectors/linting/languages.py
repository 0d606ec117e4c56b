"""Which language an author's words are in: pages may speak another one."""

from functools import lru_cache

from surveys.selectors.linting.words import words_of

# Words that a question can hardly do without, each in one of the languages only.
_COMMON = {
    "en": "the of to you your have has had did do does what which how often ever was were been with for from this that "
    "not yes or and would are is when who",
    "de": "der die das den dem ein eine einen hast haben hat du sie ihr dein deine ist sind wie was welche "
    "schon einmal "
    "jemals nicht und oder mit von für im am wann wer zu auf bei hattest warst bist ist dich dir dieses deiner einem",
    "es": "el los las una unos que qué cómo cuál cuántas cuántos cuánto alguna vez has ha tu su usted con para "
    "por del al "
    "es son está o y en cuándo quién sin se te le la",
}
_LANGUAGES_OF = {language: frozenset(words.split()) for language, words in _COMMON.items()}
# Letters that say as much as several words.
_LETTERS = {"de": "äöüß", "es": "¿¡ñ"}
_LEAST = 2


@lru_cache(maxsize=1024)
def language_of(text: str, otherwise: str) -> str:
    """Return the language that most of the common words in a text are of, the other one where that is not clear."""
    words = words_of(text)
    counts = {language: sum(word in common for word in words) for language, common in _LANGUAGES_OF.items()}
    for language, letters in _LETTERS.items():
        counts[language] += _LEAST * any(letter in letters for letter in text.lower())
    best = max(counts, key=lambda language: counts[language])
    clear = counts[best] >= _LEAST and counts[best] > counts.get(otherwise, 0)
    return best if clear else otherwise
