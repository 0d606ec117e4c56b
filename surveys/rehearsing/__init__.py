"""Rehearsals: simulated people answer a copy of a survey, and the estimates stand beside what is true of them."""
