"""What two lists of statements say together of the sensitive one."""
