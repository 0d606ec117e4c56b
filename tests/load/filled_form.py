"""What a browser would send of a page's form, read from the page itself."""

from html.parser import HTMLParser


class FilledForm(HTMLParser):
    """The fields of one form as the page shows them; buttons are pressed by hand.

    It is the form with this id, or without one that which is sent to the page's own address.
    """

    def __init__(self, form_id: str = "") -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self._form_id = form_id
        self._inside = False
        self._writing = self._choosing = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._inside = attributes.get("id") == self._form_id if self._form_id else "action" not in attributes
        if not self._inside:
            return
        name = attributes.get("name", "")
        if tag == "input" and name and (attributes.get("type") not in {"checkbox", "radio"} or "checked" in attributes):
            self.fields[name] = attributes.get("value", "on" if attributes.get("type") == "checkbox" else "")
        if tag == "textarea":
            self._writing, self.fields[name] = name, ""
        if tag == "select":
            self._choosing = name
        if tag == "option" and ("selected" in attributes or self._choosing not in self.fields):
            self.fields[self._choosing] = attributes.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False
        if tag == "textarea":
            # A browser drops the line break that HTML puts first.
            self.fields[self._writing] = self.fields[self._writing].removeprefix("\n")
            self._writing = ""

    def handle_data(self, data: str) -> None:
        if self._writing:
            self.fields[self._writing] += data


def filled(page: str, form_id: str = "") -> dict[str, str]:
    """Return the fields of that form."""
    form = FilledForm(form_id)
    form.feed(page)
    return form.fields
