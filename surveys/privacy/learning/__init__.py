"""Private learning: models from counts, each with what it costs and how good it is known to be.

Learners are exact: integers and Fractions on the way of the data.
"""
