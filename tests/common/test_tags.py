"""A grid of dots has as many of each kind as it is told, row after row."""

import itertools
import re

import pytest
from django.template import Context, Template


def _drawn(tag: str) -> str:
    return Template("{% load common.tags %}" + tag).render(Context())


def _places(drawn: str, kind: str) -> list[tuple[int, int]]:
    group = re.search(rf'<g class="{kind}">(.*?)</g>', drawn)
    assert group is not None
    return [(int(x), int(y)) for x, y in re.findall(r'cx="(\d+)" cy="(\d+)"', group[1])]


def test_every_person_is_a_dot_in_a_place_of_its_own() -> None:
    drawn = _drawn("{% dots yes=17 may=10 empty=73 %}")
    kinds = [_places(drawn, kind) for kind in ("yes", "may", "empty")]
    assert [len(places) for places in kinds] == [17, 10, 73]
    assert sorted(itertools.chain.from_iterable(kinds)) == [
        (x, y) for x in range(5, 100, 10) for y in range(5, 100, 10)
    ]
    assert kinds[0][-1] == (65, 15)
    assert kinds[1][0] == (75, 15)


def test_half_a_person_is_half_a_dot_on_the_one_that_begins_the_next_kind() -> None:
    drawn = _drawn("{% dots lit=40.5 ring=59.5 %}")
    assert [len(_places(drawn, kind)) for kind in ("lit", "ring")] == [40, 60]
    # Its left half: from the top of the dot at (5, 45) anticlockwise to its bottom.
    assert re.findall(r'<path d="([^"]*)"', drawn) == ["M5 41A4 4 0 0 0 5 49Z"]
    assert "A4 4 0 1 0" in _drawn("{% dots lit=0.7 ring=0.3 %}")


@pytest.mark.parametrize(("people", "width"), [(1, 100), (50, 100), (51, 150), (600, 300)])
def test_a_crowd_is_about_so_many_times_as_wide_as_high_and_ten_to_thirty_dots_wide(people: int, width: int) -> None:
    assert f'viewBox="0 0 {width} ' in Template("{% load common.tags %}{% dots breadth=2 yes=n %}").render(
        Context({"n": people})
    )


def test_the_picture_is_as_high_as_its_rows() -> None:
    assert 'viewBox="0 0 200 30"' in _drawn("{% dots columns=20 yes=41 %}")
    assert 'viewBox="0 0 100 0"' in _drawn("{% dots yes=0 %}")
