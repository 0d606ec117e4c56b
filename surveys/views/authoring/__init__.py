"""Writing surveys: starting, the editor, previews, saved versions, documents."""
