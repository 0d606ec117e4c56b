"""Files to take away: reports with their matrices, and programs that compute the results again from them."""
