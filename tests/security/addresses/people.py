"""Who else may do what with a survey, and what people are asked."""

from django.urls import reverse

from tests.security.addresses.row import Row, of_survey, personal

_ONLY_THE_STRANGER = {"stranger": 200, "others": 404}
_ONLY_THE_EDITOR = {"editor": 200, "others": 404}

ROWS: tuple[Row, ...] = (
    of_survey(
        "survey-people",
        "own",
        post=302,
        body={"action": "invite", "to": "the.stranger", "roles": ["editor", "releaser"]},
    ),
    of_survey("survey-people", "own", post=302, body={"action": "remove", "person": "the.editor"}),
    of_survey("survey-people", "own", post=302, body={"action": "change", "person": "the.editor", "roles": "analyst"}),
    of_survey(
        "survey-people", "own", post=302, state="asked", body={"action": "withdraw", "recipient": "the.stranger"}
    ),
    of_survey("survey-people", "own", post=400, body={"action": "promote", "person": "the.editor"}, changes=False),
    of_survey(
        "survey-transfer", "own", post=302, body=lambda _setting, survey: {"to": "the.editor", "code": survey.code}
    ),
    of_survey("survey-leave", "see", get={"owner": 302, "others": 200}, post=302, actor="editor"),
    personal("invited"),
    personal(
        "invited-by-name",
        state="asked",
        where=lambda _setting, survey: reverse("invited-by-name", args=[survey.code]),
        get=_ONLY_THE_STRANGER,
        post=_ONLY_THE_STRANGER | {"stranger": 302},
        body={"answer": "yes"},
        actor="stranger",
    ),
    personal(
        "invited-as-owner",
        state="asked",
        where=lambda _setting, survey: reverse("invited-as-owner", args=[survey.code]),
        get=_ONLY_THE_EDITOR,
        post=_ONLY_THE_EDITOR | {"editor": 302},
        body={"answer": "yes"},
        actor="editor",
    ),
    personal(
        "invited-by-link",
        state="asked",
        where=lambda setting, survey: reverse("invited-by-link", args=[setting.role_token(survey)]),
        post={"owner": 200, "others": 302},
        body={"answer": "yes"},
        actor="admin",
    ),
    # A link that nobody was sent: the same page for everybody.
    personal("invited-by-link", get=404, post=404, extra=("A" * 32,), body={"answer": "yes"}, changes=False),
)
