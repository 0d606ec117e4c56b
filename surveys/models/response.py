"""Responses: perturbed reports and nothing else; first a row each, then folded into counts."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from surveys.models.survey import Group, Survey
from surveys.questionnaire.reports import MAX_ITEMS

# In the place of a mode where a survey is sealed.
NOT_KEPT = ""


class Mode(models.TextChoices):
    """Who flipped the coins."""

    DEVICE = "device", _("The respondent’s device")
    OWN_COIN = "own_coin", _("The respondent’s own coins")
    SERVER = "server", _("This server, for a moment")


class Response(models.Model):
    """One submission that is not folded yet: no user, address, time, duration, coin or truth."""

    survey = models.ForeignKey(Survey, on_delete=models.PROTECT, db_index=False, related_name="responses")
    group = models.ForeignKey(
        Group, on_delete=models.PROTECT, null=True, blank=True, db_index=False, related_name="responses"
    )
    mode = models.CharField(max_length=8, choices=Mode.choices)
    reports = models.CharField(max_length=MAX_ITEMS)
    # Keyed hash of the page's nonce: sending twice stores once, the table gives no nonce away, and as the only key it
    # says nothing about who came when.
    nonce_hash = models.BinaryField(max_length=16, primary_key=True)

    class Meta:
        """Rules that also hold for raw SQL; the index counts what waits in each group, and finds whom a fold moves."""

        indexes = (models.Index(fields=("survey", "group", "nonce_hash"), name="response_of_survey_and_group"),)
        constraints = (
            models.CheckConstraint(condition=Q(mode__in=Mode.values), name="response_mode_known"),
            models.CheckConstraint(condition=~Q(reports=""), name="response_has_reports"),
        )

    def __str__(self) -> str:
        return self.reports


class PatternCount(models.Model):
    """How many folded responses of a survey sent the same reports, by group and mode; a sum, so it has no order."""

    survey = models.ForeignKey(Survey, on_delete=models.PROTECT, related_name="pattern_counts")
    group = models.ForeignKey(
        Group, on_delete=models.PROTECT, null=True, blank=True, db_index=False, related_name="pattern_counts"
    )
    mode = models.CharField(max_length=8, choices=Mode.choices)
    reports = models.CharField(max_length=MAX_ITEMS)
    count = models.PositiveBigIntegerField()

    class Meta:
        """Rules that also hold for raw SQL; the first two are one rule, for unique indexes take no NULL for equal."""

        constraints = (
            models.UniqueConstraint(
                fields=("survey", "mode", "reports"),
                condition=Q(group__isnull=True),
                name="pattern_count_unique_without_group",
            ),
            models.UniqueConstraint(
                fields=("survey", "group", "mode", "reports"),
                condition=Q(group__isnull=False),
                name="pattern_count_unique_in_group",
            ),
            models.CheckConstraint(condition=Q(mode__in=[*Mode.values, NOT_KEPT]), name="pattern_count_mode_known"),
            models.CheckConstraint(condition=~Q(reports=""), name="pattern_count_has_reports"),
            models.CheckConstraint(condition=Q(count__gte=1), name="pattern_count_counts_something"),
        )

    def __str__(self) -> str:
        return f"{self.reports} × {self.count}"


class FoldedPart(models.Model):
    """How many responses of a group and mode are folded, and in how many patterns: the sums of its pattern counts.

    Without patterns only the counts of cells are kept. A fold that is under way, or was killed, leaves its patterns
    behind those before: then they are not in order.
    """

    survey = models.ForeignKey(Survey, on_delete=models.PROTECT, related_name="folded_parts")
    group = models.ForeignKey(
        Group, on_delete=models.PROTECT, null=True, blank=True, db_index=False, related_name="folded_parts"
    )
    mode = models.CharField(max_length=8, choices=Mode.choices)
    count = models.PositiveBigIntegerField()
    patterns = models.PositiveBigIntegerField()
    in_order = models.BooleanField(default=True, db_default=True)

    class Meta:
        """Rules that also hold for raw SQL; the first two are one rule, as above."""

        constraints = (
            models.UniqueConstraint(
                fields=("survey", "mode"),
                condition=Q(group__isnull=True),
                name="folded_part_unique_without_group",
            ),
            models.UniqueConstraint(
                fields=("survey", "group", "mode"),
                condition=Q(group__isnull=False),
                name="folded_part_unique_in_group",
            ),
            models.CheckConstraint(condition=Q(mode__in=[*Mode.values, NOT_KEPT]), name="folded_part_mode_known"),
            models.CheckConstraint(
                condition=Q(count__gte=1) & Q(count__gte=models.F("patterns")), name="folded_part_counts_something"
            ),
        )

    def __str__(self) -> str:
        return f"{self.mode} × {self.count}"


class CellCount(models.Model):
    """How many folded responses of a group sent these reports to one item, or to two: kept where patterns are many.

    The place of an item alone is written twice, with one code.
    """

    survey = models.ForeignKey(Survey, on_delete=models.PROTECT, related_name="cell_counts")
    group = models.ForeignKey(
        Group, on_delete=models.PROTECT, null=True, blank=True, db_index=False, related_name="cell_counts"
    )
    first = models.PositiveSmallIntegerField()
    second = models.PositiveSmallIntegerField()
    codes = models.CharField(max_length=2)
    count = models.PositiveBigIntegerField()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(first__lte=models.F("second")), name="cell_count_items_in_order"),
            models.CheckConstraint(condition=~Q(codes=""), name="cell_count_has_reports"),
            models.CheckConstraint(condition=Q(count__gte=1), name="cell_count_counts_something"),
        )

    def __str__(self) -> str:
        return f"{self.first}, {self.second}: {self.codes} × {self.count}"


class SpentNonces(models.Model):
    """The hashes of folded responses' nonces, so that sending again still stores nothing; they name no reports.

    Those that begin alike stand in one row, in their own order, each without its beginning: where there are many,
    one takes its length and little more, and no row of its own. One is looked for at any place of its row: to be found
    across two others by chance is as likely as that 14 bytes of two hashes are the same.
    """

    PREFIX_BYTES, REST_BYTES = 2, 14

    pk = models.CompositePrimaryKey("survey_id", "prefix")
    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, db_index=False, related_name="spent_nonces")
    prefix = models.BinaryField(max_length=PREFIX_BYTES)
    hashes = models.BinaryField()

    def __str__(self) -> str:
        return "received"
