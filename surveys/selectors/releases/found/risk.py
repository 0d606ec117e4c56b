"""How the risk of being wrong is shared: half of it is for the noise, half for the chance in the reports."""

from surveys.selectors.releases.terms import PartTerms


def of_noise(terms: PartTerms) -> float:
    """Return the mechanism's own error bound at half the risk."""
    return terms.mechanism.error_bound(terms.n, 1 - of_reports(terms)).at_most


def of_reports(terms: PartTerms) -> float:
    """Return the half of the risk that is for the reports."""
    return (1 - terms.level()) / 2
