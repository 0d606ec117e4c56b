"""Whether a procedure in the head was followed: sections of the pages of a question and of several."""
