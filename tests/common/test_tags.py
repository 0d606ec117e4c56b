"""A grid of dots has as many of each kind as it is told, row after row."""

import itertools
import re

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


def test_the_picture_is_as_high_as_its_rows() -> None:
    assert 'viewBox="0 0 200 30"' in _drawn("{% dots columns=20 yes=41 %}")
    assert 'viewBox="0 0 100 0"' in _drawn("{% dots yes=0 %}")
