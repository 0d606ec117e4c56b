"""What every room uses: doors, fields, errors."""
