"""What results pages and exports may say: frozen objects made of a snapshot, one file a tab."""
