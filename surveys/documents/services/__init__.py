"""Reading and writing documents of surveys."""
