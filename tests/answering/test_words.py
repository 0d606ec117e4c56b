"""What a respondent is promised or warned of, word for word and only here: other tests ask what makes the words."""

from collections.abc import Callable
from typing import Any

import pytest

from surveys.answering.selectors import Answered
from surveys.answering.words.designs import chance_line
from surveys.answering.words.grids import least_protected
from surveys.answering.words.own_chance import why_not_coins
from surveys.answering.words.promise import odds_line
from surveys.answering.words.sent import report_words
from surveys.drafts.selectors import OtherVersions
from surveys.models import Group, Mode
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.question import Question
from tests.answering.parts import define, part, plain_spaces
from tests.factories import (
    PROTECTED,
    crosswise,
    item_count,
    number_mean,
    number_window,
    one_by_option,
    one_of,
    plain,
    scrambled_number,
    several_of,
    triangular,
    unrelated_number,
    warner,
    yes_no,
)
from tests.questionnaire.test_translations import BOTH

_OTHER_FACT = {"innocuous": "Is your door’s number odd?", "innocuous_source": "A count of doors."}
_IN_THE_HEAD = [crosswise(), crosswise(parameters={"p": [1, 3]}, details=_OTHER_FACT)]
_MIXED = [yes_no(), crosswise()]
_FORCED_NO: dict[str, Any] = {"parameters": {"truth": [1, 2], "yes": [0, 1]}, "accepts_infinite": True}
_NOT_HIDDEN: dict[str, Any] = {
    "design": "k_ary",
    "leave_out": "protected",
    "parameters": {"truth": [1, 2], "weights": [[1, 2], [1, 2], [0, 1]]},
    "accepts_infinite": True,
}
_ONLY_FACTORS: dict[str, Any] = {"parameters": {"truth": [1, 1], "grid": 5, "factors": 2}, "accepts_infinite": True}
_WEAK = warner(parameters={"p": [399, 400]})
_NEARLY_TRUE = several_of(parameters={"truth": [99, 100], "yes": [1, 2]})
_PLAIN_LIST = item_count(design="plain", parameters={})
_BILINGUAL = [yes_no(), one_of()]
_DRAWN = {"random_order": True}


def _hours(high: int) -> Question:
    return number_mean(details={"low": [0, 1], "high": [high, 1], "step": [1, 1], "unit": "h"}, **PROTECTED)


def _chance_line(question: AskedQuestion) -> str:
    return chance_line(question.first)


def of_part(name: str, *drafts: Question, **context: Any) -> Callable[[], str]:
    fields = {
        field: context.pop(field) for field in ("by_invitation", "random_order", "translations") if field in context
    }
    return lambda: part(name, define(*drafts, **fields), **context)


def of_receipt(mode: str, *drafts: Question) -> Callable[[], str]:
    return of_part("_receipt_facts", *drafts, mode=mode)


def of_line(*drafts: Question) -> Callable[[], str]:
    return lambda: plain_spaces(odds_line(define(*drafts)))


def of_report(draft: Question, report: int) -> Callable[[], str]:
    def made() -> str:
        words = report_words(define(draft).questions[0])
        return plain_spaces(f"{' '.join(words['often'][report])} {words['follows'][report]}")

    return made


def of_question(words: Callable[[Any], str], draft: Question) -> Callable[[], str]:
    return lambda: plain_spaces(words(define(draft).questions[0]))


def of_picture(mode: Mode) -> Callable[[], str]:
    def made() -> str:
        shown = least_protected(define(yes_no()), mode)
        assert shown
        return shown.both[0].sent

    return made


_SENTENCES: list[tuple[Callable[[], str], str]] = [
    # What the promise begins with, and what it says of chance.
    (of_part("_headline", yes_no()), "Nobody can be sure of your answer"),
    (of_part("_headline", yes_no(), yes_no()), "No single answer gives you away"),
    (of_part("_headline", triangular(), yes_no()), "What is sent here can prove an answer"),
    (of_part("_headline", _WEAK, yes_no()), "Some answers here are only weakly protected"),
    (of_part("_headline", yes_no(), plain()), "Your answers are protected, except for question 2"),
    (of_part("_headline", plain(), plain()), "Your answers are sent as they are"),
    (
        of_part("_unprotected", yes_no(), plain()),
        "1 question is not protected. The answer to question 2 is sent as it is.",
    ),
    (of_part("_unprotected", plain()), "Not protected: anyone who can read the stored answers can read yours."),
    (of_part("_sent_as_it_is", plain()), "Sent as it is. This answer is not protected."),
    (of_part("_label_chance", plain(), chance=""), "What you tap is sent, and stored without your name."),
    (of_part("_label_chance", yes_no(), chance="device"), "Your phone randomizes answers before sending them."),
    (
        of_part("_label_chance", crosswise(), chance="head"),
        "Answers are randomized by a fact about you that nobody here should know.",
    ),
    (
        of_part("_label_chance", *_MIXED, chance="both"),
        "Your phone, or a fact nobody here should know about you, randomizes your answers.",
    ),
    # How far answers change odds.
    (
        of_line(crosswise()),
        "An answer is no proof: the odds about you change at most 3‑fold (ε ≤ 1.10 if you answer once). "
        "Anyone who knows the fact that replaces the coins might see your answer.",
    ),
    (
        of_line(yes_no(), yes_no()),
        "One answer is no proof: the odds about you change at most 3‑fold. The 2 answers together change "
        "odds about you at most 9‑fold (ε ≤ 2.20 if you answer once).",
    ),
    (
        of_line(several_of(), yes_no()),
        "All 4 answers together (2 questions) can be strong evidence: the odds change at most "
        "81‑fold (ε ≤ 4.40 if you answer once).",
    ),
    (
        of_line(*[yes_no()] * 13),
        "The 13 answers together can be strong evidence. They can change the odds about you more than a "
        "millionfold (ε ≤ 14.29 if you answer once).",
    ),
    (of_line(_WEAK), "An answer can be strong evidence. It changes the odds about you at most 399‑fold (ε ≤ 5.99"),
    (
        of_line(_WEAK, crosswise()),
        "One answer can be strong evidence. It changes the odds about you at most 399‑fold.",
    ),
    (of_line(yes_no(), plain()), "This covers only protected answers."),
    (of_line(triangular()), "shows that your answer is No"),
    (
        of_line(scrambled_number(**_ONLY_FACTORS)),
        "A report can prove something about your answer.",
    ),
    (
        of_part("_label_total", triangular(), yes_no()),
        "All your reports together can change the odds about you without limit (ε is infinite). "
        "Some reports prove something about your true answer, as their questions explain. "
        "The remaining report changes the odds about you at most 3-fold (ε ≤ 1.10).",
    ),
    (
        of_part("_label_total", *[yes_no()] * 13),
        "All your reports together can change the odds about you more than a millionfold (ε ≤ 14.29).",
    ),
    (of_part("_label_total", plain()), "Everything: your answers are sent as they are."),
    (
        of_part("_label_total", crosswise()),
        "This limit holds only for people who don’t know your answers to the harmless questions. To others, a report "
        "can reveal your answer.",
    ),
    (
        of_part("_label_total", yes_no(), others=OtherVersions(("",), (1,), (), protects=False)),
        "If you also answer version 1, this limit no longer holds.",
    ),
    (of_part("_question_why", _WEAK), "One report changes the odds about you at most 399-fold"),
    (
        of_part("_question_why", several_of(**PROTECTED)),
        "The report on one option changes the odds about you at most",
    ),
    (
        of_part("_question_why", _NEARLY_TRUE),
        "The 3 reports together can change them more than a millionfold",
    ),
    (
        of_part("_question_why", one_by_option()),
        "The 3 reports together change the odds about you at most 10-fold (ε ≤ 2.31).",
    ),
    # How safe an answer to one question is.
    (of_part("_question_why", warner(parameters={"p": [20, 21]})), "So a report is no proof."),
    (
        of_part("_question_why", warner(parameters={"p": [21, 22]})),
        "What you send here isn’t proof, but it can be strong evidence.",
    ),
    (
        of_part("_question_why", yes_no()),
        "Skipping is stored, and may be taken as a hint. The odds above don’t cover skipping.",
    ),
    (
        of_part("_question_why", yes_no(leave_out="no")),
        "You can’t skip this question. You can leave the page at any time without sending anything.",
    ),
    (
        of_part("_question_why", yes_no(**PROTECTED)),
        "“Prefer not to say” is protected like every other answer.",
    ),
    (
        of_part("_question_why", yes_no(**_NOT_HIDDEN)),
        "“Prefer not to say” is an answer too, but here a report can reveal it.",
    ),
    (
        of_part("_odds", yes_no(**_NOT_HIDDEN)),
        "“Prefer not to say” proves that your true answer is “Prefer not to say”, so ε is infinite.",
    ),
    (
        of_part("_odds", scrambled_number(**_ONLY_FACTORS)),
        "proves that your true answer is not a number from “3 hours” to “12 hours”, so ε is infinite.",
    ),
    (
        of_part("_odds", unrelated_number()),
        "This protects you only from people who don’t know your answer to either of these two questions.",
    ),
    # What else is not protected, and what is not stored.
    (
        of_part("_label_facts", yes_no()),
        "The fact that you took part. The fact that you skipped a question. What others see",
    ),
    (of_part("_label_facts", yes_no(leave_out="no")), "The fact that you took part. What others see"),
    (
        of_part("_label_facts", yes_no(), one_of(**PROTECTED)),
        "The fact that you skipped a question, unless “Prefer not to say” is one of its answers.",
    ),
    (
        of_part("_label_facts", yes_no(), by_invitation=True),
        "Which invitation you used is not stored with your answer.",
    ),
    (of_part("_label_facts", *_BILINGUAL, translations=BOTH), "We don’t store which language you read this in."),
    (
        of_part("_group_stored", yes_no(), group=Group(name="Class B")),
        "You are answering in the group “Class B”. Its name is stored with your answer.",
    ),
    # What chance does to an answer, in one line.
    (of_question(_chance_line, yes_no()), "If you mean Yes, 75 of 100 phones send Yes. If you mean No, 25 do."),
    (
        of_question(_chance_line, one_of()),
        "If an answer is your own, 66.7 of 100 phones send it. If it isn’t, 16.7 do.",
    ),
    (
        of_question(_chance_line, number_mean()),
        "Your number is randomly rounded to 0 or 12. If 12, 75 of 100 phones send 12. If not, 25 do.",
    ),
    (
        of_part("_odds", one_by_option()),
        "Each option has its own coin and is sent as Yes or No. Of 100 phones, 66.7 send Yes for their owner’s option, "
        "and 16.7 for each of the other options.",
    ),
    (of_picture(Mode.DEVICE), "75 of 100 phones send Yes"),
    (of_picture(Mode.OWN_COIN), "75 of 100 tap Yes"),
    (of_picture(Mode.SERVER), "75 of 100 answers are stored as Yes"),
    # What others with another answer send, and what a report proves.
    (
        of_report(yes_no(), 1),
        "25 of 100 phones send Yes when their owner means No. So this report is no proof. It changes the odds "
        "about you at most 3‑fold.",
    ),
    (of_report(one_of(), 2), "16.7 of 100 phones send “Often” when their owner means something else."),
    (
        of_report(number_mean(), 1),
        "25 of 100 phones send “12 hours” when they rounded their owner’s number to “0 hours”.",
    ),
    (of_report(several_of(), 1), "This report is no proof, but it can be strong evidence."),
    (of_report(yes_no(**_FORCED_NO), 1), "This report proves that your true answer is Yes."),
    (
        of_report(crosswise(), 1),
        "Of 100 people whose true answer is Yes, 25 send this report. Of 100 whose true answer is No, 75 do. To people "
        "who don’t know your answers to the harmless questions, this report is no proof. It changes their odds about "
        "you at most 3‑fold.",
    ),
    (of_report(plain(), 1), "This answer is sent as it is. This answer is not protected."),
    (of_report(one_by_option(), 0), "33.3 of 100 phones send No for the option their owner chose."),
    (of_report(one_by_option(), 1), "16.7 of 100 phones send Yes for an option their owner didn’t choose."),
    (
        of_report(number_window(), 11),
        "4.2 of 100 phones send “22.5 hours” if their owner’s number is not near it.",
    ),
    (of_report(scrambled_number(), 6), "purely at random, whatever their owner’s number is."),
    (
        of_report(unrelated_number(), 1),
        "Of 100 people whose number is “1”, 55 tap this number. Of 100 others, 5 do.",
    ),
    (of_report(_PLAIN_LIST, 0), "This number proves that none of the statements is true of you."),
    (of_report(_PLAIN_LIST, 3), "This number proves that all the statements are true of you."),
    (of_report(_PLAIN_LIST, 1), "This number does not show which statements are true of you."),
    # Real coins, and facts in the head.
    (
        of_question(why_not_coins, number_window()),
        "Question 1: its probabilities are too fine for coins and a die.",
    ),
    (of_part("_own_coin_form", yes_no()), "Throw where nobody can see."),
    (of_part("_own_coin_form", yes_no(), yes_no()), "Throw again for each question, where nobody can see. Question"),
    (
        of_part("_own_coin_form", *_MIXED),
        "Throw again for each question, where nobody can see. Some questions need no throw. Answer these in your head.",
    ),
    (
        of_part("_own_coin_form", *_IN_THE_HEAD),
        "You don’t throw anything here. Answer in your head and tap the result.",
    ),
    (of_part("_throws", crosswise()), "You don’t need to throw anything for this question."),
    (of_part("_throws", several_of()), "Throw again for each option."),
    (of_part("_throws", one_by_option()), "Your true answer is Yes for your option and No for every other option."),
    (of_part("_throws", _hours(1)), "If you’d rather not say, your end value is “Prefer not to say”."),
    (of_part("_throws", _hours(4)), "“Prefer not to say”, whatever the first throw shows."),
    (of_part("_throws", one_of("ABCDE")), "doesn’t count, so repeat only this throw"),
    # A server that adds the chance.
    (
        of_part("_server_label", yes_no()),
        "Your true answers are sent to this server. It randomizes them at once, stores only the outcomes and",
    ),
    (
        of_part("_server_label", *_MIXED),
        "Your true answers are sent to this server, except for the questions you answer in your head. The server "
        "randomizes the answers it gets at once, stores only the outcomes and never writes true answers down.",
    ),
    (
        of_part("_server_label", *_MIXED, plain(), chance="both"),
        "except true answers to questions you answer in your head. The server randomizes the other protected answers "
        "at once. It stores only their outcomes and never writes down the true answers behind them.",
    ),
    (
        of_part("_server_label", *_MIXED),
        "On this server, before anything is stored, or in your head for some questions. Not on your phone.",
    ),
    (
        of_part("_server_label", *_MIXED),
        "Your randomized answers, what you tap for the questions you answer in your head, and the fact that you used",
    ),
    (
        of_part("_server_label", *_IN_THE_HEAD),
        "What you tap is stored as it is. Facts in your head replace the coins, as the questions explain.",
    ),
    (
        of_part("_server_label", *_IN_THE_HEAD),
        "In your head. Neither this server nor your phone randomizes your answers.",
    ),
    (
        of_part("_server_odds", number_window()),
        "This server then stores “4.5 hours” in 16.7 of 100 cases if the rounded number is near it, and otherwise in "
        "4.2. The same holds for every number that can be stored, from −10.5 hours to 22.5 hours.",
    ),
    (
        of_part("_server_odds", scrambled_number()),
        "this server stores “−6.9 hours” in 57.1 of 100 cases, and otherwise in 7.1.",
    ),
    # The receipt.
    (of_part("_crowd", yes_no(), crowd=Answered(0, exact=False)), "You are among the first to answer."),
    (
        of_part("_crowd", yes_no(), crowd=Answered(20, exact=False)),
        "You are one of at least 20 people who answered. No answer has a name on it.",
    ),
    (of_part("_crowd", yes_no(), crowd=Answered(1, exact=True)), "One person answered: you."),
    (
        of_part("_crowd", yes_no(), crowd=Answered(23, exact=True)),
        "You are one of 23 people who answered. No answer has a name on it.",
    ),
    (
        of_part("_need_not_be_true", yes_no()),
        "What is sent may not be true of you. Every part of it may have been changed at random.",
    ),
    (
        of_receipt("server", *_IN_THE_HEAD),
        "This is what you tapped. It is stored once, without your name, and marked as answered with the",
    ),
    (
        of_receipt("own_coin", *_IN_THE_HEAD),
        "This is what you tapped. It is stored once, without your name, and marked as answered without",
    ),
    (
        of_receipt("server", *_MIXED),
        "This is what you tapped for the questions you answered in your head, and your other answers as the server",
    ),
    (
        of_receipt("own_coin", yes_no()),
        "This is what you tapped. It is stored once, without your name, and marked as answered with real",
    ),
    (
        of_receipt("server", yes_no()),
        "These are your answers as the server randomized them. The server never wrote down the true answers behind",
    ),
    (
        of_part("check/_scripts", yes_no()),
        "A page that lists its own hashes can’t vouch for itself. Anyone who changed a script would change this",
    ),
    # In random order no number, which the phone has yet to draw.
    (
        of_part("_headline", plain(), plain(), yes_no(), **_DRAWN),
        "Your answers are protected, except for 2 questions",
    ),
    (
        of_part("_unprotected", plain(), plain(), yes_no(), **_DRAWN),
        "2 questions are not protected. They are marked, and their answers are sent as they are.",
    ),
]


@pytest.mark.parametrize(("made", "sentence"), _SENTENCES, ids=[sentence[:60] for _made, sentence in _SENTENCES])
def test_what_respondents_must_know_is_said_in_these_words(made: Callable[[], str], sentence: str) -> None:
    assert sentence in made()
