"""What releasers type: budgets, the terms of a release, and the confirmation of terms that have been shown."""
