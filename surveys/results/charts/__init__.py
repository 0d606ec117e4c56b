"""What results draw, made of what all charts are made of: surveys/charts/."""
