"""Lessons: pages of the lab and a class's own survey, one after the other, on the wall and on phones."""
