"""Every mechanism that the product offers: a file named after each stored value, which holds all there is to it."""

from importlib import import_module

from surveys.models import Mechanism
from surveys.releases.families.plan import PLANS, all_fields, register, unregister

__all__ = ["PLANS", "all_fields", "register", "unregister"]

for name in Mechanism.values:
    register(import_module(f"{__name__}.{name}").PLAN)
