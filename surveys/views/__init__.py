"""Thin views: selector, form, service, page."""
