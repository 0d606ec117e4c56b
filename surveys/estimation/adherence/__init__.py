"""Whether respondents follow the instructions, and what can be estimated if some do not."""
