"""One file a subject: wording, options, protection."""
