"""The pages of a lesson: where it is put together, the wall, and phones."""
