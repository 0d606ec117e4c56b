"""Files of a survey's answers and results, programs that compute them again, the ethics packet."""
