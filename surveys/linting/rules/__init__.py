"""One file a subject: protection, plain questions, lists, arms, who follows."""
