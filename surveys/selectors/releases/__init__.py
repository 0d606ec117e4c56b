"""The doors to releases and to the ledger, the terms of a release, and what one says once it is drawn."""
