"""List experiments: how many items hold, counted with and without the sensitive one, by two arms of respondents."""
