"""What credit writes: keys and signatures, receipts that are redeemed, and scores that are sent."""
