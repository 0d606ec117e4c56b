"""The description of what programs may read, as an OpenAPI document: each address with its parameters and answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.templatetags.static import static
from django.urls import reverse

from surveys import __version__
from surveys.common.views import PROBLEM
from surveys.estimation.claims import LEVELS, METHODS
from surveys.models.access_token import PREFIX, TOKEN_BYTES
from surveys.models.survey import CODE_ALPHABET

_DESCRIPTION = """\
What programs may read with an access token of one survey, and published releases, which need none. A token is created \
on the survey's page of exports. It reads what its creator can download there, under the same rules. Every other page \
takes no notice of it."""
_PARAMETERS: dict[str, dict[str, Any]] = {
    "code": {
        "in": "path",
        "required": True,
        "description": "The survey's join code.",
        "schema": {"type": "string", "pattern": f"^[{CODE_ALPHABET}]+$"},
    },
    "id": {
        "in": "path",
        "required": True,
        "description": "The release, as in the address of its page.",
        "schema": {"type": "string", "pattern": "^[-a-zA-Z0-9_]+$"},
    },
    "level": {
        "in": "query",
        "description": "Confidence level of limits.",
        "schema": {"enum": list(LEVELS), "default": 0.95},
    },
    "method": {
        "in": "query",
        "description": "Method of intervals, which the file names.",
        "schema": {"enum": list(METHODS), "default": METHODS[0]},
    },
}
_REFUSALS = {
    401: ("There is no valid token.", {"WWW-Authenticate": "Bearer, with an error where a token was sent (RFC 6750)."}),
    404: ("The token is of another survey, or there is no survey with this code.", {}),
    409: ("There is nothing to download yet, or any more; `detail` says why.", {}),
    429: ("Too many wrong tokens were sent for this survey.", {"Retry-After": "Seconds to wait."}),
}


@dataclass(frozen=True, slots=True)
class Operation:
    """What is read at one address; `schema` is the place of its schema among the static files."""

    address: str
    summary: str
    content_type: str
    description: str = ""
    schema: str = ""
    parameters: tuple[str, ...] = ()
    may_be_refused: bool = False
    is_public: bool = False


def openapi(operations: Iterable[Operation]) -> dict[str, Any]:
    """Return the document (OpenAPI 3.1)."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Deniable", "version": __version__, "description": _DESCRIPTION},
        "security": [{"token": []}],
        "paths": {_path(operation): {"get": _described(operation)} for operation in operations},
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": f"{PREFIX} and {2 * TOKEN_BYTES} hexadecimal digits",
                }
            },
            "parameters": {name: {"name": name, **parameter} for name, parameter in _PARAMETERS.items()},
            "responses": {str(status): _refusal(status) for status in _REFUSALS},
            "schemas": {
                "problem": {
                    "description": "Problem details (RFC 9457).",
                    "type": "object",
                    "required": ["title", "status"],
                    "properties": {
                        "title": {"type": "string"},
                        "status": {"type": "integer"},
                        "detail": {"type": "string"},
                    },
                }
            },
        },
    }


def _path(operation: Operation) -> str:
    placed = _placed(operation)
    return reverse(operation.address, args=[placed.upper()]).replace(placed.upper(), f"{{{placed}}}")


def _placed(operation: Operation) -> str:
    return "id" if operation.is_public else "code"


def _described(operation: Operation) -> dict[str, Any]:
    content = {"schema": {"$ref": _schema(operation.schema)}} if operation.schema else {}
    refusals = (401, 404, *((409,) if operation.may_be_refused else ()), 429)
    described: dict[str, Any] = {
        "operationId": operation.address,
        "summary": operation.summary,
        "parameters": [
            {"$ref": f"#/components/parameters/{name}"} for name in (_placed(operation), *operation.parameters)
        ],
        "responses": {"200": {"description": operation.summary, "content": {operation.content_type: content}}},
    }
    if operation.description:
        described["description"] = operation.description
    if operation.is_public:
        page = {"description": "There is no published release with this id.", "content": {"text/html": {}}}
        return described | {"security": [], "responses": described["responses"] | {"404": page}}
    described["responses"] |= {str(each): {"$ref": f"#/components/responses/{each}"} for each in refusals}
    return described


def _refusal(status: int) -> dict[str, Any]:
    description, headers = _REFUSALS[status]
    return {
        "description": description,
        "headers": {
            name: {"description": text, "required": True, "schema": {"type": "string"}}
            for name, text in headers.items()
        },
        "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/problem"}}},
    }


def _schema(schema: str) -> str:
    """Return the address of a published schema, or of a part of it."""
    name, hash_sign, part = schema.partition("#")
    return f"{static(f'schemas/{name}.schema.json')}{hash_sign}{part}"
