"""Budgets and their ledgers."""
