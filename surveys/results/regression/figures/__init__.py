"""What regressions find: of one question's answers, and of what two arms tell together."""
