"""The editor of a new survey: what an author sees who has not asked for anything yet, word for word.

Arms, questions without chance, lists, weights, languages and order are for those who look for them. So whoever adds to
this page has to add to this list as well, and to say why everybody should read it.
"""

from tests.browser.conftest import PHONE, SignedIn

# What is seen as long as nobody opens a summary: of a field of choices the one that is chosen, numbers left out.
_SEEN = """() => {
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const seen = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    const unseen = parentElement.closest(".visually-hidden, option:not(:checked), script");
    if (parentElement.checkVisibility() && !unseen) seen.push(data.replace(/[^\\p{L}\\s]|\\s+/gu, " "));
  }
  return seen.map((text) => text.split(/ +/).filter(Boolean).join(" ")).filter(Boolean);
}"""
_MAY_BE_SEEN = [
    "Title",
    "Draft not saved yet",
    "Introduction consent language limits",
    "Question",
    "Duplicate",
    "Remove",
    "Question",
    "Type of answer",
    "Yes or no",
    "One of several",
    "Tick all that apply",
    "Scale",
    "Number",
    "Number in bands",
    "How often the true answer is kept",
    "more protection",
    "times in of with people",
    "more precision",
    "For each person",
    "If it s Yes of send Yes",
    "If it s No of send Yes",
    "Moderate protection",
    "Odds about the true answer change at most fold",
    "ε",
    "For your results with",
    "people",
    "of margin of error",
    "Results will show a range not a figure",
    "If the true share is of of such surveys give an estimate from to",
    "Behind these numbers",
    "Probabilities skipping other designs",
    "Add a question",
    "Each question weakens protection",
    "Before you open the survey",
    "hints",
    "Respondents view",
    "Moderate protection in total",
    "odds change at most fold ε",
    "Save the draft",
    "Rehearse",
    "Open survey",
]


def test_an_author_who_asks_for_nothing_reads_no_word_of_what_others_ask_for(signed_in: SignedIn) -> None:
    page = signed_in(viewport=PHONE).new_page()
    page.goto("/surveys/new/blank/")
    assert page.evaluate(_SEEN) == _MAY_BE_SEEN
    # The test could fail: with two arms there are words more.
    page.locator("details.settings > summary").first.click()
    page.locator('[value="arm-add"]').click()
    page.wait_for_load_state()
    assert len(page.evaluate(_SEEN)) > len(_MAY_BE_SEEN)
