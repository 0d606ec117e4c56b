"""The editor: rows, questions, dials, findings, conflicts; imports."""
