"""How reports are written: one character for each item of a survey."""

# 35 codes at most leave room for every option and "prefer not to say".
CODES = "0123456789abcdefghijklmnopqrstuvwxyz"
LEFT_OUT = "-"
# The form without JavaScript sends a field an item; settings bound the fields of a request.
MAX_ITEMS = 150
