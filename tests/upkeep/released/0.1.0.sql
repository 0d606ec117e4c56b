CREATE FUNCTION public.guard_budget_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF OLD.entries > 0 THEN RAISE EXCEPTION 'what is spent is never given back, and every change of a budget is a line of its ledger' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.guard_budget_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.entries <> 0 OR NEW.total_micro_epsilon <> 0 OR NEW.spent_micro_epsilon <> 0 OR NEW.total_pico_delta <> 0 OR NEW.spent_pico_delta <> 0 OR EXISTS (SELECT 1 FROM surveys_budget b WHERE b.id = NEW.id OR b.survey_id = NEW.survey_id) THEN RAISE EXCEPTION 'what is spent is never given back, and every change of a budget is a line of its ledger' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_budget_rehearsal() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.rehearsal_of_id IS NOT NULL) THEN RAISE EXCEPTION 'nothing is released from a rehearsal' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_budget_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.id <> OLD.id OR NEW.survey_id <> OLD.survey_id OR NEW.spent_micro_epsilon < OLD.spent_micro_epsilon OR NEW.spent_pico_delta < OLD.spent_pico_delta OR ((NEW.entries <> OLD.entries OR NEW.total_micro_epsilon <> OLD.total_micro_epsilon OR NEW.spent_micro_epsilon <> OLD.spent_micro_epsilon OR NEW.total_pico_delta <> OLD.total_pico_delta OR NEW.spent_pico_delta <> OLD.spent_pico_delta) AND (NEW.entries <> OLD.entries + 1 OR NOT EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.budget_id = NEW.id AND e.number = NEW.entries AND e.total_micro_epsilon = NEW.total_micro_epsilon AND e.spent_micro_epsilon = NEW.spent_micro_epsilon AND e.total_pico_delta = NEW.total_pico_delta AND e.spent_pico_delta = NEW.spent_pico_delta))) THEN RAISE EXCEPTION 'what is spent is never given back, and every change of a budget is a line of its ledger' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_budget_update_whole() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.entries <> CAST(NEW.entries AS BIGINT) OR NEW.total_micro_epsilon <> CAST(NEW.total_micro_epsilon AS BIGINT) OR NEW.spent_micro_epsilon <> CAST(NEW.spent_micro_epsilon AS BIGINT) OR NEW.total_pico_delta <> CAST(NEW.total_pico_delta AS BIGINT) OR NEW.spent_pico_delta <> CAST(NEW.spent_pico_delta AS BIGINT) THEN RAISE EXCEPTION 'what is charged and what may be charged are whole numbers' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_cellcount_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = OLD.survey_id AND s.state = 'sealed') THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.guard_cellcount_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged')) OR EXISTS (SELECT 1 FROM surveys_cellcount p JOIN surveys_survey s ON s.id = p.survey_id WHERE p.id = NEW.id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_cellcount_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.count < OLD.count OR CAST(OLD.id AS TEXT) <> CAST(NEW.id AS TEXT) OR CAST(OLD.survey_id AS TEXT) <> CAST(NEW.survey_id AS TEXT) OR CAST(OLD.first AS TEXT) <> CAST(NEW.first AS TEXT) OR CAST(OLD.second AS TEXT) <> CAST(NEW.second AS TEXT) OR CAST(OLD.codes AS TEXT) <> CAST(NEW.codes AS TEXT) OR COALESCE(OLD.group_id, 0) <> COALESCE(NEW.group_id, 0) OR EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = OLD.survey_id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'a count never goes down and counts the same for ever' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_concentratedbudget_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF 1 = 1 THEN RAISE EXCEPTION 'a budget in ρ is set once, before the first charge, and only charges change it' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.guard_concentratedbudget_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.spent_pico_rho <> 0 OR EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.budget_id = NEW.budget_id AND e.kind = 'charge') OR EXISTS (SELECT 1 FROM surveys_concentratedbudget c WHERE c.id = NEW.id OR c.budget_id = NEW.budget_id) THEN RAISE EXCEPTION 'a budget in ρ is set once, before the first charge, and only charges change it' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_concentratedbudget_insert_whole() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.total_pico_rho <> CAST(NEW.total_pico_rho AS BIGINT) THEN RAISE EXCEPTION 'what is charged and what may be charged are whole numbers' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_concentratedbudget_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.id <> OLD.id OR NEW.budget_id <> OLD.budget_id OR NEW.total_pico_rho <> OLD.total_pico_rho OR NEW.reason <> OLD.reason OR NEW.created_by_id <> OLD.created_by_id OR NEW.created_by_name <> OLD.created_by_name OR NEW.created_at <> OLD.created_at OR NEW.spent_pico_rho <> (SELECT COALESCE(SUM(c.pico_rho), 0) FROM surveys_concentratedcharge c JOIN surveys_release r ON r.id = c.release_id JOIN surveys_budget b ON b.survey_id = r.survey_id WHERE b.id = NEW.budget_id) THEN RAISE EXCEPTION 'a budget in ρ is set once, before the first charge, and only charges change it' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_concentratedcharge_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF 1 = 1 THEN RAISE EXCEPTION 'a release is charged once in ρ, before its line' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.guard_concentratedcharge_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_concentratedcharge c WHERE c.id = NEW.id OR c.release_id = NEW.release_id) OR EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.release_id = NEW.release_id) OR NOT EXISTS (SELECT 1 FROM surveys_concentratedbudget c WHERE c.budget_id = (SELECT b.id FROM surveys_budget b JOIN surveys_release r ON r.survey_id = b.survey_id WHERE r.id = NEW.release_id)) THEN RAISE EXCEPTION 'a release is charged once in ρ, before its line' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_concentratedcharge_insert_whole() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.pico_rho <> CAST(NEW.pico_rho AS BIGINT) THEN RAISE EXCEPTION 'what is charged and what may be charged are whole numbers' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_concentratedcharge_moves_budget() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN UPDATE surveys_concentratedbudget SET spent_pico_rho = spent_pico_rho + NEW.pico_rho WHERE budget_id = (SELECT b.id FROM surveys_budget b JOIN surveys_release r ON r.survey_id = b.survey_id WHERE r.id = NEW.release_id); RETURN NULL; END $$;
CREATE FUNCTION public.guard_concentratedcharge_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF 1 = 1 THEN RAISE EXCEPTION 'a release is charged once in ρ, before its line' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_creditkey_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state <> 'draft') THEN RAISE EXCEPTION 'a survey has the key that was frozen with it' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_creditkey_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state <> 'draft') THEN RAISE EXCEPTION 'a survey has the key that was frozen with it' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_decline_insert_late() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_decline_update_late() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_foldedpart_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = OLD.survey_id AND s.state = 'sealed') THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.guard_foldedpart_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged')) OR EXISTS (SELECT 1 FROM surveys_foldedpart p JOIN surveys_survey s ON s.id = p.survey_id WHERE p.id = NEW.id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_foldedpart_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.count < OLD.count OR CAST(OLD.id AS TEXT) <> CAST(NEW.id AS TEXT) OR CAST(OLD.survey_id AS TEXT) <> CAST(NEW.survey_id AS TEXT) OR CAST(OLD.mode AS TEXT) <> CAST(NEW.mode AS TEXT) OR COALESCE(OLD.group_id, 0) <> COALESCE(NEW.group_id, 0) OR EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = OLD.survey_id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'a count never goes down and counts the same for ever' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_invitation_insert_late() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_invitation_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF (OLD.spent AND NOT NEW.spent) OR CAST(OLD.survey_id AS TEXT) <> CAST(NEW.survey_id AS TEXT) OR CAST(OLD.token_hash AS TEXT) <> CAST(NEW.token_hash AS TEXT) THEN RAISE EXCEPTION 'a spent invitation stays spent' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_invitation_update_late() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_ledgerentry_concentrated() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.kind = 'charge' AND EXISTS (SELECT 1 FROM surveys_concentratedbudget c WHERE c.budget_id = NEW.budget_id) AND NOT EXISTS (SELECT 1 FROM surveys_concentratedcharge c WHERE c.release_id = NEW.release_id) THEN RAISE EXCEPTION 'where there is a budget in ρ, a release is charged to it as well' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_ledgerentry_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF 1 = 1 THEN RAISE EXCEPTION 'a ledger is only ever continued' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.guard_ledgerentry_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.id = NEW.id OR (e.budget_id = NEW.budget_id AND e.number >= NEW.number) OR (NEW.release_id IS NOT NULL AND e.release_id = NEW.release_id)) OR NOT EXISTS (SELECT 1 FROM surveys_budget b WHERE b.id = NEW.budget_id AND b.entries = NEW.number - 1 AND NEW.total_micro_epsilon = b.total_micro_epsilon + CASE WHEN NEW.kind = 'total' THEN NEW.micro_epsilon ELSE 0 END AND NEW.total_pico_delta = b.total_pico_delta + CASE WHEN NEW.kind = 'total' THEN NEW.pico_delta ELSE 0 END AND NEW.spent_micro_epsilon = b.spent_micro_epsilon + CASE WHEN NEW.kind = 'charge' THEN NEW.micro_epsilon ELSE 0 END AND NEW.spent_pico_delta = b.spent_pico_delta + CASE WHEN NEW.kind = 'charge' THEN NEW.pico_delta ELSE 0 END) OR NOT (NEW.kind <> 'charge' OR EXISTS (SELECT 1 FROM surveys_release r JOIN surveys_budget b ON b.survey_id = r.survey_id WHERE r.id = NEW.release_id AND b.id = NEW.budget_id AND r.micro_epsilon = NEW.micro_epsilon AND r.pico_delta = NEW.pico_delta AND r.created_at = NEW.created_at AND r.created_by_id = NEW.created_by_id AND r.micro_epsilon = (SELECT SUM(p.micro_epsilon) FROM surveys_releasepart p WHERE p.release_id = r.id) AND r.pico_delta = (SELECT SUM(p.pico_delta) FROM surveys_releasepart p WHERE p.release_id = r.id))) OR NOT (NEW.kind NOT IN ('publish', 'withdraw') OR EXISTS (SELECT 1 FROM surveys_release r JOIN surveys_budget b ON b.survey_id = r.survey_id JOIN surveys_ledgerentry e ON e.release_id = r.id WHERE r.id = NEW.publication_id AND b.id = NEW.budget_id AND r.published = (NEW.kind = 'withdraw'))) THEN RAISE EXCEPTION 'a ledger is only ever continued' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_ledgerentry_insert_whole() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.number <> CAST(NEW.number AS BIGINT) OR NEW.micro_epsilon <> CAST(NEW.micro_epsilon AS BIGINT) OR NEW.pico_delta <> CAST(NEW.pico_delta AS BIGINT) THEN RAISE EXCEPTION 'what is charged and what may be charged are whole numbers' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_ledgerentry_moves_budget() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN UPDATE surveys_budget SET entries = NEW.number, total_micro_epsilon = NEW.total_micro_epsilon, spent_micro_epsilon = NEW.spent_micro_epsilon, total_pico_delta = NEW.total_pico_delta, spent_pico_delta = NEW.spent_pico_delta WHERE id = NEW.budget_id; RETURN NULL; END $$;
CREATE FUNCTION public.guard_ledgerentry_name() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NOT EXISTS (SELECT 1 FROM auth_user u WHERE u.id = NEW.created_by_id AND u.username = NEW.created_by_name) THEN RAISE EXCEPTION 'a line names the account as it is called' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_ledgerentry_shows_release() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN UPDATE surveys_release SET published = (NEW.kind = 'publish') WHERE id = NEW.publication_id; RETURN NULL; END $$;
CREATE FUNCTION public.guard_ledgerentry_time() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.budget_id = NEW.budget_id AND e.created_at > NEW.created_at) THEN RAISE EXCEPTION 'a line is never dated before the one it follows' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_ledgerentry_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF 1 = 1 THEN RAISE EXCEPTION 'a ledger is only ever continued' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_patterncount_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = OLD.survey_id AND s.state = 'sealed') THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.guard_patterncount_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged')) OR EXISTS (SELECT 1 FROM surveys_patterncount p JOIN surveys_survey s ON s.id = p.survey_id WHERE p.id = NEW.id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_patterncount_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.count < OLD.count OR CAST(OLD.id AS TEXT) <> CAST(NEW.id AS TEXT) OR CAST(OLD.survey_id AS TEXT) <> CAST(NEW.survey_id AS TEXT) OR CAST(OLD.mode AS TEXT) <> CAST(NEW.mode AS TEXT) OR CAST(OLD.reports AS TEXT) <> CAST(NEW.reports AS TEXT) OR COALESCE(OLD.group_id, 0) <> COALESCE(NEW.group_id, 0) OR EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = OLD.survey_id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'a count never goes down and counts the same for ever' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_proposal_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF 1 = 1 THEN RAISE EXCEPTION 'a proposal is decided once, and its terms never change' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.guard_proposal_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.state <> 'open' OR EXISTS (SELECT 1 FROM surveys_proposal p WHERE p.id = NEW.id OR p.request_key = NEW.request_key) OR EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('draft', 'sealed', 'purged')) THEN RAISE EXCEPTION 'a proposal waits first, replaces no other, and is of an opened survey' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_proposal_insert_whole() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.micro_epsilon <> CAST(NEW.micro_epsilon AS BIGINT) OR NEW.pico_delta <> CAST(NEW.pico_delta AS BIGINT) THEN RAISE EXCEPTION 'what is charged and what may be charged are whole numbers' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_proposal_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF OLD.state <> 'open' OR NEW.state = 'open' OR CAST(OLD.id AS TEXT) <> CAST(NEW.id AS TEXT) OR CAST(OLD.survey_id AS TEXT) <> CAST(NEW.survey_id AS TEXT) OR CAST(OLD.questions AS TEXT) <> CAST(NEW.questions AS TEXT) OR CAST(OLD.answered AS TEXT) <> CAST(NEW.answered AS TEXT) OR CAST(OLD.content_hash AS TEXT) <> CAST(NEW.content_hash AS TEXT) OR CAST(OLD.mechanism AS TEXT) <> CAST(NEW.mechanism AS TEXT) OR CAST(OLD.micro_epsilon AS TEXT) <> CAST(NEW.micro_epsilon AS TEXT) OR CAST(OLD.pico_delta AS TEXT) <> CAST(NEW.pico_delta AS TEXT) OR CAST(OLD.options AS TEXT) <> CAST(NEW.options AS TEXT) OR CAST(OLD.reason AS TEXT) <> CAST(NEW.reason AS TEXT) OR CAST(OLD.request_key AS TEXT) <> CAST(NEW.request_key AS TEXT) OR CAST(OLD.proposed_by_id AS TEXT) <> CAST(NEW.proposed_by_id AS TEXT) OR CAST(OLD.proposed_by_name AS TEXT) <> CAST(NEW.proposed_by_name AS TEXT) OR CAST(OLD.proposed_at AS TEXT) <> CAST(NEW.proposed_at AS TEXT) OR (NEW.state = 'approved' AND NOT EXISTS (SELECT 1 FROM surveys_release r JOIN surveys_ledgerentry e ON e.release_id = r.id WHERE r.id = NEW.release_id AND r.created_by_id = NEW.decided_by_id AND r.created_at = NEW.decided_at AND e.reason = NEW.reason AND r.survey_id = NEW.survey_id AND r.mechanism = NEW.mechanism AND r.micro_epsilon = NEW.micro_epsilon AND r.pico_delta = NEW.pico_delta AND r.request_key = NEW.request_key)) THEN RAISE EXCEPTION 'a proposal is decided once, and its terms never change' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_release_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF 1 = 1 THEN RAISE EXCEPTION 'a release is drawn once and never changed' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.guard_release_exact_figures() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF CAST(OLD.exact_figures AS TEXT) <> CAST(NEW.exact_figures AS TEXT) THEN RAISE EXCEPTION 'a release is drawn once and never changed' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_release_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_release r WHERE r.id = NEW.id OR r.request_key = NEW.request_key) OR EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged')) OR NEW.published THEN RAISE EXCEPTION 'this request has already made its release, the survey is sealed or purged, or no line publishes it' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_release_insert_whole() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.micro_epsilon <> CAST(NEW.micro_epsilon AS BIGINT) OR NEW.pico_delta <> CAST(NEW.pico_delta AS BIGINT) THEN RAISE EXCEPTION 'what is charged and what may be charged are whole numbers' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_release_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF CAST(OLD.id AS TEXT) <> CAST(NEW.id AS TEXT) OR CAST(OLD.survey_id AS TEXT) <> CAST(NEW.survey_id AS TEXT) OR CAST(OLD.mechanism AS TEXT) <> CAST(NEW.mechanism AS TEXT) OR CAST(OLD.relation AS TEXT) <> CAST(NEW.relation AS TEXT) OR CAST(OLD.micro_epsilon AS TEXT) <> CAST(NEW.micro_epsilon AS TEXT) OR CAST(OLD.pico_delta AS TEXT) <> CAST(NEW.pico_delta AS TEXT) OR CAST(OLD.data_version AS TEXT) <> CAST(NEW.data_version AS TEXT) OR CAST(OLD.request_key AS TEXT) <> CAST(NEW.request_key AS TEXT) OR CAST(OLD.created_by_id AS TEXT) <> CAST(NEW.created_by_id AS TEXT) OR CAST(OLD.created_at AS TEXT) <> CAST(NEW.created_at AS TEXT) OR (NEW.published <> OLD.published AND NOT EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.publication_id = NEW.id AND (e.kind = 'publish') = NEW.published AND NOT EXISTS (SELECT 1 FROM surveys_ledgerentry l WHERE l.publication_id = NEW.id AND l.number > e.number))) THEN RAISE EXCEPTION 'a release is drawn once and never changed' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_releasepart_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF 1 = 1 THEN RAISE EXCEPTION 'a release is drawn once and never changed' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.guard_releasepart_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_ledgerentry e WHERE e.release_id = NEW.release_id) OR EXISTS (SELECT 1 FROM surveys_releasepart p WHERE p.id = NEW.id OR (p.release_id = NEW.release_id AND (p.position = NEW.position OR p.question = NEW.question))) OR NOT EXISTS (SELECT 1 FROM surveys_release r JOIN surveys_survey s ON s.id = r.survey_id WHERE r.id = NEW.release_id AND NEW.question BETWEEN 1 AND s.question_count) THEN RAISE EXCEPTION 'a release is drawn once and never changed' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_releasepart_insert_whole() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.question <> CAST(NEW.question AS BIGINT) OR NEW.micro_epsilon <> CAST(NEW.micro_epsilon AS BIGINT) OR NEW.pico_delta <> CAST(NEW.pico_delta AS BIGINT) THEN RAISE EXCEPTION 'what is charged and what may be charged are whole numbers' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_releasepart_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF 1 = 1 THEN RAISE EXCEPTION 'a release is drawn once and never changed' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_response_insert_late() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_response_resent() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_spentnonces f WHERE f.survey_id = NEW.survey_id AND f.prefix = SUBSTR(NEW.nonce_hash, 1, 2) AND POSITION(SUBSTR(NEW.nonce_hash, 3) IN f.hashes) > 0) THEN RETURN NULL; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_response_update_late() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_spentnonces_insert_late() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_spentnonces_update_late() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = NEW.survey_id AND s.state IN ('sealed', 'purged')) THEN RAISE EXCEPTION 'what a sealed survey has counted is final, and of a purged one nothing is counted again' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_survey_delete() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF OLD.state <> 'draft' AND OLD.rehearsal_of_id IS NULL THEN RAISE EXCEPTION 'the design is frozen: the survey has been opened' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN OLD; END $$;
CREATE FUNCTION public.guard_survey_descent() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF COALESCE(OLD.rehearsal_of_id, 0) <> COALESCE(NEW.rehearsal_of_id, 0) OR COALESCE(OLD.previous_id, 0) <> COALESCE(NEW.previous_id, 0) OR OLD.edition <> NEW.edition THEN RAISE EXCEPTION 'what a survey is a copy or the next version of never changes' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_survey_exact_figures() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.exact_figures <> OLD.exact_figures AND NEW.exact_figures <> 'shown' THEN RAISE EXCEPTION 'figures that were shown have been seen' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_survey_insert() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.state <> 'draft' OR EXISTS (SELECT 1 FROM surveys_survey s WHERE (s.id = NEW.id OR s.code = NEW.code) AND s.state <> 'draft') THEN RAISE EXCEPTION 'a survey begins as a draft and replaces no other' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_survey_partition() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF COALESCE(CAST(OLD.partition AS TEXT), '') <> COALESCE(CAST(NEW.partition AS TEXT), '') AND NOT (OLD.partition IS NULL AND NEW.state = 'closed' OR NEW.partition IS NULL AND NEW.state = 'purged') THEN RAISE EXCEPTION 'what a survey tells apart is decided once, when it is closed' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_survey_partition_first() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.partition IS NOT NULL THEN RAISE EXCEPTION 'what a survey tells apart is decided once, when it is closed' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_survey_purge() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.state = 'purged' AND OLD.state <> 'purged' AND (EXISTS (SELECT 1 FROM surveys_response r WHERE r.survey_id = NEW.id) OR EXISTS (SELECT 1 FROM surveys_spentnonces r WHERE r.survey_id = NEW.id) OR EXISTS (SELECT 1 FROM surveys_invitation r WHERE r.survey_id = NEW.id) OR EXISTS (SELECT 1 FROM surveys_decline r WHERE r.survey_id = NEW.id) OR EXISTS (SELECT 1 FROM surveys_creditkey r WHERE r.survey_id = NEW.id)) THEN RAISE EXCEPTION 'a survey is purged only when its responses, nonces, invitations and key are destroyed' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_survey_purge_put_off() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF OLD.state <> 'draft' AND OLD.purge_on IS NOT NULL AND (NEW.purge_on IS NULL OR NEW.purge_on > OLD.purge_on) THEN RAISE EXCEPTION 'the day on which the reports are destroyed was promised: it may come earlier and never later' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_survey_seal() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF NEW.state = 'sealed' AND OLD.state <> 'sealed' AND (EXISTS (SELECT 1 FROM surveys_response r WHERE r.survey_id = NEW.id) OR EXISTS (SELECT 1 FROM surveys_spentnonces r WHERE r.survey_id = NEW.id) OR EXISTS (SELECT 1 FROM surveys_invitation r WHERE r.survey_id = NEW.id) OR EXISTS (SELECT 1 FROM surveys_decline r WHERE r.survey_id = NEW.id) OR EXISTS (SELECT 1 FROM surveys_creditkey r WHERE r.survey_id = NEW.id)) THEN RAISE EXCEPTION 'a survey is sealed only when its responses are folded, and its nonces, invitations and key destroyed' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_survey_state() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF OLD.state <> NEW.state AND (OLD.state || '>' || NEW.state) NOT IN ('draft>open', 'open>paused', 'open>closed', 'paused>open', 'paused>closed', 'closed>sealed', 'closed>purged', 'sealed>purged') THEN RAISE EXCEPTION 'a survey cannot go to that state from the one it is in' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_survey_update() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN IF (OLD.state <> 'draft' AND (CAST(OLD.id AS TEXT) <> CAST(NEW.id AS TEXT) OR CAST(OLD.code AS TEXT) <> CAST(NEW.code AS TEXT) OR CAST(OLD.document AS TEXT) <> CAST(NEW.document AS TEXT) OR CAST(OLD.content_hash AS TEXT) <> CAST(NEW.content_hash AS TEXT))) OR EXISTS (SELECT 1 FROM surveys_survey s WHERE (s.id = NEW.id OR s.code = NEW.code) AND s.state <> 'draft' AND s.id <> OLD.id) THEN RAISE EXCEPTION 'the design is frozen: the survey has been opened' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$;
CREATE FUNCTION public.guard_truncate() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN RAISE EXCEPTION 'this table is never emptied' USING ERRCODE = 'integrity_constraint_violation'; END $$;
CREATE FUNCTION public.store_response(survey bigint, of_group bigint, who text, sent text, nonce bytea) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    DECLARE kept text; most bigint;
    BEGIN
        IF NOT EXISTS (SELECT 1 FROM surveys_survey s WHERE s.id = survey AND s.state = 'open') THEN
            RETURN false;
        END IF;
        PERFORM 1 FROM surveys_survey s WHERE s.id = survey FOR KEY SHARE;
        SELECT s.response_cap INTO most FROM surveys_survey s WHERE s.id = survey AND s.state = 'open';
        IF NOT FOUND THEN
            RETURN false;
        END IF;
        IF most IS NOT NULL THEN
            PERFORM pg_advisory_xact_lock(survey);
            IF (SELECT COUNT(*) FROM surveys_response r WHERE r.survey_id = survey)
                + (SELECT COALESCE(SUM(p.count), 0) FROM surveys_foldedpart p WHERE p.survey_id = survey) >= most
            THEN
                RETURN false;
            END IF;
        END IF;
        INSERT INTO surveys_response (survey_id, group_id, mode, reports, nonce_hash)
            VALUES (survey, of_group, who, sent, nonce) ON CONFLICT (nonce_hash) DO NOTHING RETURNING reports INTO kept;
        IF kept IS NULL THEN
            RETURN false;
        END IF;
        IF EXISTS (
            SELECT 1 FROM surveys_spentnonces f WHERE f.survey_id = survey AND f.prefix = SUBSTR(nonce, 1, 2)
            AND POSITION(SUBSTR(nonce, 3) IN f.hashes) > 0
        ) THEN
            DELETE FROM surveys_response r WHERE r.nonce_hash = nonce;
            RETURN false;
        END IF;
        RETURN kept = sent;
    END $$;
CREATE FUNCTION public.write_anew(wanted text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ BEGIN
    IF wanted IS NULL OR wanted NOT IN ('surveys_response', 'surveys_spentnonces', 'surveys_invitation', 'surveys_patterncount', 'surveys_foldedpart', 'surveys_cellcount', 'surveys_decline', 'surveys_creditkey', 'surveys_spentreceipt', 'surveys_waitingscore') THEN RAISE EXCEPTION 'this table is not written anew'; END IF;
    EXECUTE format('CLUSTER %I.%I USING %I', 'public', wanted, wanted || '_pkey');
    END $$;
CREATE TABLE public.auth_group (
    id integer NOT NULL,
    name character varying(150) NOT NULL
);
ALTER TABLE public.auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);
ALTER TABLE public.auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_permission (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);
ALTER TABLE public.auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_user (
    id integer NOT NULL,
    password character varying(128) NOT NULL,
    last_login timestamp with time zone,
    is_superuser boolean NOT NULL,
    username character varying(150) NOT NULL,
    first_name character varying(150) NOT NULL,
    last_name character varying(150) NOT NULL,
    email character varying(254) NOT NULL,
    is_staff boolean NOT NULL,
    is_active boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL
);
CREATE TABLE public.auth_user_groups (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    group_id integer NOT NULL
);
ALTER TABLE public.auth_user_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.auth_user ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_user_user_permissions (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    permission_id integer NOT NULL
);
ALTER TABLE public.auth_user_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_admin_log (
    id integer NOT NULL,
    action_time timestamp with time zone NOT NULL,
    object_id text,
    object_repr character varying(200) NOT NULL,
    action_flag smallint NOT NULL,
    change_message text NOT NULL,
    content_type_id integer,
    user_id integer NOT NULL,
    CONSTRAINT django_admin_log_action_flag_check CHECK ((action_flag >= 0))
);
ALTER TABLE public.django_admin_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_admin_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_content_type (
    id integer NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);
ALTER TABLE public.django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);
ALTER TABLE public.django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_session (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL
);
CREATE TABLE public.otp_static_staticdevice (
    id integer NOT NULL,
    name character varying(64) NOT NULL,
    confirmed boolean NOT NULL,
    user_id integer NOT NULL,
    throttling_failure_count integer NOT NULL,
    throttling_failure_timestamp timestamp with time zone,
    created_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT otp_static_staticdevice_throttling_failure_count_check CHECK ((throttling_failure_count >= 0))
);
ALTER TABLE public.otp_static_staticdevice ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.otp_static_staticdevice_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.otp_static_statictoken (
    id integer NOT NULL,
    token character varying(16) NOT NULL,
    device_id integer NOT NULL
);
ALTER TABLE public.otp_static_statictoken ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.otp_static_statictoken_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.otp_totp_totpdevice (
    id integer NOT NULL,
    name character varying(64) NOT NULL,
    confirmed boolean NOT NULL,
    key character varying(80) NOT NULL,
    step smallint NOT NULL,
    t0 bigint NOT NULL,
    digits smallint NOT NULL,
    tolerance smallint NOT NULL,
    drift smallint NOT NULL,
    last_t bigint NOT NULL,
    user_id integer NOT NULL,
    throttling_failure_count integer NOT NULL,
    throttling_failure_timestamp timestamp with time zone,
    created_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT otp_totp_totpdevice_digits_check CHECK ((digits >= 0)),
    CONSTRAINT otp_totp_totpdevice_step_check CHECK ((step >= 0)),
    CONSTRAINT otp_totp_totpdevice_throttling_failure_count_check CHECK ((throttling_failure_count >= 0)),
    CONSTRAINT otp_totp_totpdevice_tolerance_check CHECK ((tolerance >= 0))
);
ALTER TABLE public.otp_totp_totpdevice ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.otp_totp_totpdevice_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_accesstoken (
    id bigint NOT NULL,
    survey_id bigint NOT NULL,
    maker_id integer NOT NULL,
    role_id bigint,
    label character varying(60) NOT NULL,
    token_hash bytea NOT NULL,
    made_on date NOT NULL,
    expires_on date NOT NULL,
    last_used_on date
);
ALTER TABLE public.surveys_accesstoken ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_accesstoken_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_accountname (
    user_id integer NOT NULL,
    skeleton character varying(300) NOT NULL
);
CREATE TABLE public.surveys_budget (
    id bigint NOT NULL,
    total_micro_epsilon bigint NOT NULL,
    spent_micro_epsilon bigint NOT NULL,
    total_pico_delta bigint NOT NULL,
    spent_pico_delta bigint NOT NULL,
    entries integer NOT NULL,
    survey_id bigint NOT NULL,
    CONSTRAINT budget_delta_not_overspent CHECK ((spent_pico_delta <= total_pico_delta)),
    CONSTRAINT budget_epsilon_not_overspent CHECK ((spent_micro_epsilon <= total_micro_epsilon)),
    CONSTRAINT surveys_budget_entries_check CHECK ((entries >= 0)),
    CONSTRAINT surveys_budget_spent_micro_epsilon_check CHECK ((spent_micro_epsilon >= 0)),
    CONSTRAINT surveys_budget_spent_pico_delta_check CHECK ((spent_pico_delta >= 0)),
    CONSTRAINT surveys_budget_total_micro_epsilon_check CHECK ((total_micro_epsilon >= 0)),
    CONSTRAINT surveys_budget_total_pico_delta_check CHECK ((total_pico_delta >= 0))
);
ALTER TABLE public.surveys_budget ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_budget_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_cellcount (
    id bigint NOT NULL,
    first smallint NOT NULL,
    second smallint NOT NULL,
    codes character varying(2) NOT NULL,
    count bigint NOT NULL,
    group_id bigint,
    survey_id bigint NOT NULL,
    CONSTRAINT cell_count_counts_something CHECK ((count >= 1)),
    CONSTRAINT cell_count_has_reports CHECK ((NOT ((codes)::text = ''::text))),
    CONSTRAINT cell_count_items_in_order CHECK ((first <= second)),
    CONSTRAINT surveys_cellcount_count_check CHECK ((count >= 0)),
    CONSTRAINT surveys_cellcount_first_check CHECK ((first >= 0)),
    CONSTRAINT surveys_cellcount_second_check CHECK ((second >= 0))
);
ALTER TABLE ONLY public.surveys_cellcount ALTER COLUMN codes SET STATISTICS 0;
ALTER TABLE public.surveys_cellcount ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_cellcount_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_concentratedbudget (
    id bigint NOT NULL,
    total_pico_rho bigint NOT NULL,
    spent_pico_rho bigint NOT NULL,
    reason character varying(300) NOT NULL,
    created_by_name character varying(150) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    budget_id bigint NOT NULL,
    created_by_id integer NOT NULL,
    CONSTRAINT concentrated_budget_not_overspent CHECK (((spent_pico_rho <= total_pico_rho) AND (total_pico_rho > 0))),
    CONSTRAINT concentrated_budget_says_why_and_who CHECK (((NOT ((reason)::text = ''::text)) AND (NOT ((created_by_name)::text = ''::text)))),
    CONSTRAINT surveys_concentratedbudget_spent_pico_rho_check CHECK ((spent_pico_rho >= 0)),
    CONSTRAINT surveys_concentratedbudget_total_pico_rho_check CHECK ((total_pico_rho >= 0))
);
ALTER TABLE public.surveys_concentratedbudget ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_concentratedbudget_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_concentratedcharge (
    id bigint NOT NULL,
    pico_rho bigint NOT NULL,
    release_id character varying(16) NOT NULL,
    CONSTRAINT concentrated_charge_costs_something CHECK ((pico_rho > 0)),
    CONSTRAINT surveys_concentratedcharge_pico_rho_check CHECK ((pico_rho >= 0))
);
ALTER TABLE public.surveys_concentratedcharge ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_concentratedcharge_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_courseplatform (
    id bigint NOT NULL,
    name character varying(80) NOT NULL,
    issuer character varying(500) NOT NULL,
    client_id character varying(255) NOT NULL,
    deployment_ids text NOT NULL,
    login_address character varying(500) NOT NULL,
    token_address character varying(500) NOT NULL,
    keys_address character varying(500) NOT NULL
);
ALTER TABLE public.surveys_courseplatform ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_courseplatform_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_creditkey (
    survey_id bigint NOT NULL,
    private_key bytea NOT NULL
);
ALTER TABLE ONLY public.surveys_creditkey ALTER COLUMN private_key SET STATISTICS 0;
CREATE TABLE public.surveys_decline (
    nonce_hash bytea NOT NULL,
    survey_id bigint NOT NULL
);
ALTER TABLE ONLY public.surveys_decline ALTER COLUMN nonce_hash SET STATISTICS 0;
CREATE TABLE public.surveys_erasure (
    id bigint NOT NULL,
    rewriting boolean NOT NULL,
    survey_id bigint NOT NULL
);
ALTER TABLE public.surveys_erasure ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_erasure_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_foldedpart (
    id bigint NOT NULL,
    mode character varying(8) NOT NULL,
    count bigint NOT NULL,
    patterns bigint NOT NULL,
    group_id bigint,
    survey_id bigint NOT NULL,
    in_order boolean DEFAULT true NOT NULL,
    CONSTRAINT folded_part_counts_something CHECK (((count >= 1) AND (count >= patterns))),
    CONSTRAINT folded_part_mode_known CHECK (((mode)::text = ANY ((ARRAY['device'::character varying, 'own_coin'::character varying, 'server'::character varying, ''::character varying])::text[]))),
    CONSTRAINT surveys_foldedpart_count_check CHECK ((count >= 0)),
    CONSTRAINT surveys_foldedpart_patterns_check CHECK ((patterns >= 0))
);
ALTER TABLE public.surveys_foldedpart ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_foldedpart_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_group (
    id bigint NOT NULL,
    slug character varying(40) NOT NULL,
    name character varying(80) NOT NULL,
    survey_id bigint NOT NULL
);
ALTER TABLE public.surveys_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_invitation (
    token_hash bytea NOT NULL,
    spent boolean NOT NULL,
    survey_id bigint NOT NULL
);
ALTER TABLE ONLY public.surveys_invitation ALTER COLUMN token_hash SET STATISTICS 0;
CREATE TABLE public.surveys_lastrun (
    job character varying(12) NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE TABLE public.surveys_ledgerentry (
    id bigint NOT NULL,
    number integer NOT NULL,
    kind character varying(8) NOT NULL,
    micro_epsilon bigint NOT NULL,
    pico_delta bigint NOT NULL,
    total_micro_epsilon bigint NOT NULL,
    spent_micro_epsilon bigint NOT NULL,
    total_pico_delta bigint NOT NULL,
    spent_pico_delta bigint NOT NULL,
    reason character varying(300) NOT NULL,
    created_by_name character varying(150) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    budget_id bigint NOT NULL,
    created_by_id integer NOT NULL,
    publication_id character varying(16),
    release_id character varying(16),
    CONSTRAINT ledger_entry_has_a_name CHECK ((NOT ((created_by_name)::text = ''::text))),
    CONSTRAINT ledger_entry_has_a_reason CHECK (((((kind)::text = ANY ((ARRAY['publish'::character varying, 'withdraw'::character varying])::text[])) AND ((reason)::text = ''::text)) OR (((kind)::text = ANY ((ARRAY['total'::character varying, 'charge'::character varying])::text[])) AND (NOT ((reason)::text = ''::text))))),
    CONSTRAINT ledger_entry_is_of_one_kind CHECK (((((kind)::text = 'total'::text) AND (publication_id IS NULL) AND (release_id IS NULL)) OR (((kind)::text = 'charge'::text) AND (micro_epsilon > 0) AND (pico_delta >= 0) AND (publication_id IS NULL) AND (release_id IS NOT NULL)) OR (((kind)::text = ANY ((ARRAY['publish'::character varying, 'withdraw'::character varying])::text[])) AND (micro_epsilon = 0) AND (pico_delta = 0) AND (publication_id IS NOT NULL) AND (release_id IS NULL)))),
    CONSTRAINT ledger_entry_not_overspent CHECK (((spent_micro_epsilon <= total_micro_epsilon) AND (spent_pico_delta <= total_pico_delta))),
    CONSTRAINT surveys_ledgerentry_number_check CHECK ((number >= 0)),
    CONSTRAINT surveys_ledgerentry_spent_micro_epsilon_check CHECK ((spent_micro_epsilon >= 0)),
    CONSTRAINT surveys_ledgerentry_spent_pico_delta_check CHECK ((spent_pico_delta >= 0)),
    CONSTRAINT surveys_ledgerentry_total_micro_epsilon_check CHECK ((total_micro_epsilon >= 0)),
    CONSTRAINT surveys_ledgerentry_total_pico_delta_check CHECK ((total_pico_delta >= 0))
);
ALTER TABLE public.surveys_ledgerentry ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_ledgerentry_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_lesson (
    survey_id bigint NOT NULL,
    steps jsonb NOT NULL,
    at smallint,
    CONSTRAINT surveys_lesson_at_check CHECK ((at >= 0))
);
CREATE TABLE public.surveys_lessonfinding (
    lesson_id bigint NOT NULL,
    step smallint NOT NULL,
    seed smallint NOT NULL,
    CONSTRAINT lesson_finding_is_a_draw CHECK (((seed >= 1) AND (seed <= 9999))),
    CONSTRAINT surveys_lessonfinding_seed_check CHECK ((seed >= 0)),
    CONSTRAINT surveys_lessonfinding_step_check CHECK ((step >= 0))
);
CREATE TABLE public.surveys_membership (
    id bigint NOT NULL,
    survey_id bigint NOT NULL,
    user_id integer NOT NULL,
    role character varying(8) NOT NULL,
    invited_by_id integer,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT membership_role_known CHECK (((role)::text = ANY ((ARRAY['editor'::character varying, 'analyst'::character varying, 'releaser'::character varying])::text[])))
);
ALTER TABLE public.surveys_membership ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_membership_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_patterncount (
    id bigint NOT NULL,
    mode character varying(8) NOT NULL,
    reports character varying(150) NOT NULL,
    count bigint NOT NULL,
    group_id bigint,
    survey_id bigint NOT NULL,
    CONSTRAINT pattern_count_counts_something CHECK ((count >= 1)),
    CONSTRAINT pattern_count_has_reports CHECK ((NOT ((reports)::text = ''::text))),
    CONSTRAINT pattern_count_mode_known CHECK (((mode)::text = ANY ((ARRAY['device'::character varying, 'own_coin'::character varying, 'server'::character varying, ''::character varying])::text[]))),
    CONSTRAINT surveys_patterncount_count_check CHECK ((count >= 0))
);
ALTER TABLE ONLY public.surveys_patterncount ALTER COLUMN reports SET STATISTICS 0;
ALTER TABLE public.surveys_patterncount ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_patterncount_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_proposal (
    id bigint NOT NULL,
    questions jsonb NOT NULL,
    answered jsonb NOT NULL,
    content_hash character varying(64) NOT NULL,
    mechanism character varying(20) NOT NULL,
    micro_epsilon bigint NOT NULL,
    pico_delta bigint NOT NULL,
    options jsonb NOT NULL,
    reason character varying(300) NOT NULL,
    request_key uuid NOT NULL,
    proposed_by_name character varying(150) NOT NULL,
    proposed_at timestamp with time zone NOT NULL,
    state character varying(9) NOT NULL,
    decided_by_name character varying(150) NOT NULL,
    decided_at timestamp with time zone,
    why_declined character varying(300) NOT NULL,
    decided_by_id integer,
    proposed_by_id integer NOT NULL,
    release_id character varying(16),
    survey_id bigint NOT NULL,
    CONSTRAINT proposal_costs_something CHECK ((micro_epsilon > 0)),
    CONSTRAINT proposal_decided_by_somebody_else CHECK (((NOT ((state)::text = ANY ((ARRAY['approved'::character varying, 'declined'::character varying])::text[]))) OR ((decided_by_id IS NOT NULL) AND (NOT ((decided_by_id = proposed_by_id) AND (decided_by_id IS NOT NULL)))))),
    CONSTRAINT proposal_is_in_one_state CHECK ((((decided_at IS NULL) AND (decided_by_id IS NULL) AND ((decided_by_name)::text = ''::text) AND (release_id IS NULL) AND ((state)::text = 'open'::text) AND ((why_declined)::text = ''::text)) OR ((decided_at IS NOT NULL) AND (decided_by_id IS NOT NULL) AND (NOT ((decided_by_name)::text = ''::text)) AND (((release_id IS NOT NULL) AND ((state)::text = 'approved'::text) AND ((why_declined)::text = ''::text)) OR ((release_id IS NULL) AND ((state)::text = 'declined'::text) AND (NOT ((why_declined)::text = ''::text))) OR ((decided_by_id = proposed_by_id) AND (release_id IS NULL) AND ((state)::text = 'withdrawn'::text) AND ((why_declined)::text = ''::text)))))),
    CONSTRAINT proposal_says_why_and_who CHECK (((NOT ((reason)::text = ''::text)) AND (NOT ((proposed_by_name)::text = ''::text)))),
    CONSTRAINT surveys_proposal_micro_epsilon_check CHECK ((micro_epsilon >= 0)),
    CONSTRAINT surveys_proposal_pico_delta_check CHECK ((pico_delta >= 0))
);
ALTER TABLE public.surveys_proposal ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_proposal_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_provideraccount (
    user_id integer NOT NULL,
    issuer character varying(500) NOT NULL,
    subject_hash bytea NOT NULL
);
CREATE TABLE public.surveys_rehearsal (
    survey_id bigint NOT NULL,
    shares jsonb NOT NULL,
    "left" jsonb NOT NULL,
    respondents integer NOT NULL,
    sent integer NOT NULL,
    CONSTRAINT rehearsal_sends_no_more_than_asked CHECK ((sent <= respondents)),
    CONSTRAINT surveys_rehearsal_respondents_check CHECK ((respondents >= 0)),
    CONSTRAINT surveys_rehearsal_sent_check CHECK ((sent >= 0))
);
CREATE TABLE public.surveys_release (
    id character varying(16) NOT NULL,
    mechanism character varying(20) NOT NULL,
    relation character varying(20) NOT NULL,
    micro_epsilon bigint NOT NULL,
    pico_delta bigint NOT NULL,
    data_version character varying(80) NOT NULL,
    request_key uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    published boolean NOT NULL,
    created_by_id integer NOT NULL,
    survey_id bigint NOT NULL,
    exact_figures character varying(12) NOT NULL,
    CONSTRAINT release_costs_something CHECK ((micro_epsilon > 0)),
    CONSTRAINT release_exact_figures_known CHECK (((exact_figures)::text = ANY ((ARRAY['not_shown'::character varying, 'shown'::character varying])::text[]))),
    CONSTRAINT release_mechanism_known CHECK (((mechanism)::text = ANY ((ARRAY['laplace_histogram'::character varying, 'gaussian_histogram'::character varying, 'one_count'::character varying, 'tree_counts'::character varying, 'most_common'::character varying, 'permute_and_flip'::character varying, 'top'::character varying, 'quantile'::character varying, 'best_price'::character varying, 'total'::character varying, 'mean'::character varying, 'variance'::character varying, 'bounds'::character varying, 'smooth_median'::character varying, 'stable_mode'::character varying, 'stable_median'::character varying, 'joint_table'::character varying, 'figures_by_group'::character varying, 'best_predictor'::character varying])::text[]))),
    CONSTRAINT surveys_release_micro_epsilon_check CHECK ((micro_epsilon >= 0)),
    CONSTRAINT surveys_release_pico_delta_check CHECK ((pico_delta >= 0))
);
CREATE TABLE public.surveys_releasepart (
    id bigint NOT NULL,
    "position" smallint NOT NULL,
    parameters jsonb NOT NULL,
    output jsonb NOT NULL,
    micro_epsilon bigint NOT NULL,
    pico_delta bigint NOT NULL,
    n bigint NOT NULL,
    question smallint NOT NULL,
    release_id character varying(16) NOT NULL,
    CONSTRAINT release_part_costs_something CHECK ((micro_epsilon > 0)),
    CONSTRAINT surveys_releasepart_micro_epsilon_check CHECK ((micro_epsilon >= 0)),
    CONSTRAINT surveys_releasepart_n_check CHECK ((n >= 0)),
    CONSTRAINT surveys_releasepart_pico_delta_check CHECK ((pico_delta >= 0)),
    CONSTRAINT surveys_releasepart_position_check CHECK (("position" >= 0)),
    CONSTRAINT surveys_releasepart_question_check CHECK ((question >= 0))
);
ALTER TABLE public.surveys_releasepart ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_releasepart_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_response (
    mode character varying(8) NOT NULL,
    reports character varying(150) NOT NULL,
    nonce_hash bytea NOT NULL,
    group_id bigint,
    survey_id bigint NOT NULL,
    CONSTRAINT response_has_reports CHECK ((NOT ((reports)::text = ''::text))),
    CONSTRAINT response_mode_known CHECK (((mode)::text = ANY ((ARRAY['device'::character varying, 'own_coin'::character varying, 'server'::character varying])::text[])))
);
ALTER TABLE ONLY public.surveys_response ALTER COLUMN reports SET STATISTICS 0;
ALTER TABLE ONLY public.surveys_response ALTER COLUMN nonce_hash SET STATISTICS 0;
CREATE TABLE public.surveys_roleinvitation (
    id bigint NOT NULL,
    survey_id bigint NOT NULL,
    recipient character varying(254) NOT NULL,
    user_id integer,
    token_hash bytea,
    editor boolean NOT NULL,
    analyst boolean NOT NULL,
    releaser boolean NOT NULL,
    ownership boolean NOT NULL,
    declined boolean NOT NULL,
    invited_by_id integer NOT NULL,
    made_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT role_invitation_offers_something CHECK ((ownership OR editor OR analyst OR releaser)),
    CONSTRAINT role_invitation_to_a_name_or_by_mail CHECK (((user_id IS NULL) OR (token_hash IS NULL)))
);
ALTER TABLE public.surveys_roleinvitation ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_roleinvitation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_savedversion (
    id bigint NOT NULL,
    number integer NOT NULL,
    document jsonb NOT NULL,
    saved_at timestamp with time zone NOT NULL,
    saved_by_id integer,
    survey_id bigint NOT NULL,
    automatic boolean NOT NULL,
    CONSTRAINT surveys_savedversion_number_check CHECK ((number >= 0))
);
ALTER TABLE public.surveys_savedversion ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_savedversion_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_signin (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL,
    signed_in_at timestamp with time zone,
    seen_at timestamp with time zone,
    user_id integer,
    CONSTRAINT sign_in_has_its_times CHECK ((((seen_at IS NULL) AND (signed_in_at IS NULL) AND (user_id IS NULL)) OR ((seen_at IS NOT NULL) AND (signed_in_at IS NOT NULL) AND (user_id IS NOT NULL))))
);
CREATE TABLE public.surveys_signupinvitation (
    id bigint NOT NULL,
    email character varying(254) NOT NULL,
    note character varying(200) NOT NULL,
    token_hash bytea NOT NULL,
    made_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    invited_by_id integer
);
ALTER TABLE public.surveys_signupinvitation ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_signupinvitation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_spentnonces (
    survey_id bigint NOT NULL,
    prefix bytea NOT NULL,
    hashes bytea NOT NULL
);
ALTER TABLE ONLY public.surveys_spentnonces ALTER COLUMN prefix SET STATISTICS 0;
ALTER TABLE ONLY public.surveys_spentnonces ALTER COLUMN hashes SET STATISTICS 0;
CREATE TABLE public.surveys_spentreceipt (
    receipt_hash bytea NOT NULL,
    survey_id bigint NOT NULL
);
ALTER TABLE ONLY public.surveys_spentreceipt ALTER COLUMN receipt_hash SET STATISTICS 0;
CREATE TABLE public.surveys_survey (
    id bigint NOT NULL,
    code character varying(12) NOT NULL,
    state character varying(6) NOT NULL,
    time_zone character varying(64) NOT NULL,
    opens_at timestamp with time zone,
    closes_at timestamp with time zone,
    response_cap integer,
    expected_n integer NOT NULL,
    expected_share smallint NOT NULL,
    revision integer NOT NULL,
    previous_id bigint,
    edition smallint NOT NULL,
    archived boolean NOT NULL,
    rehearsal_of_id bigint,
    content_hash character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    owner_id integer NOT NULL,
    result_on_receipt boolean NOT NULL,
    purge_on date,
    reminded smallint,
    partition jsonb,
    exact_figures character varying(12) NOT NULL,
    document text NOT NULL,
    title character varying(200) GENERATED ALWAYS AS (((document)::json ->> 'title'::text)) STORED,
    minimum_n integer GENERATED ALWAYS AS ((((document)::json ->> 'minimum_n'::text))::integer) STORED,
    by_invitation boolean GENERATED ALWAYS AS ((((document)::json ->> 'by_invitation'::text))::boolean) STORED,
    question_count smallint GENERATED ALWAYS AS (json_array_length(((document)::json -> 'questions'::text))) STORED,
    CONSTRAINT survey_exact_figures_known CHECK (((exact_figures)::text = ANY ((ARRAY['not_shown'::character varying, 'shown'::character varying])::text[]))),
    CONSTRAINT survey_has_a_document CHECK (((by_invitation IS NOT NULL) AND (question_count IS NOT NULL) AND (title IS NOT NULL))),
    CONSTRAINT survey_minimum_n_large_enough CHECK (((minimum_n >= 5) AND (minimum_n IS NOT NULL))),
    CONSTRAINT survey_opened_has_hash CHECK ((((state)::text = 'draft'::text) OR (NOT ((content_hash)::text = ''::text)))),
    CONSTRAINT survey_opens_before_it_closes CHECK (((opens_at IS NULL) OR (closes_at IS NULL) OR (opens_at < closes_at))),
    CONSTRAINT survey_response_cap_positive CHECK (((response_cap IS NULL) OR (response_cap >= 1))),
    CONSTRAINT survey_shows_a_result_that_there_is CHECK (((NOT result_on_receipt) OR ((NOT ((state)::text = ANY ((ARRAY['draft'::character varying, 'purged'::character varying])::text[]))) AND (rehearsal_of_id IS NULL)))),
    CONSTRAINT survey_state_known CHECK (((state)::text = ANY ((ARRAY['draft'::character varying, 'open'::character varying, 'paused'::character varying, 'closed'::character varying, 'sealed'::character varying, 'purged'::character varying])::text[]))),
    CONSTRAINT surveys_survey_edition_check CHECK ((edition >= 0)),
    CONSTRAINT surveys_survey_expected_n_check CHECK ((expected_n >= 0)),
    CONSTRAINT surveys_survey_expected_share_check CHECK ((expected_share >= 0)),
    CONSTRAINT surveys_survey_reminded_check CHECK ((reminded >= 0)),
    CONSTRAINT surveys_survey_response_cap_check CHECK ((response_cap >= 0)),
    CONSTRAINT surveys_survey_revision_check CHECK ((revision >= 0))
);
ALTER TABLE public.surveys_survey ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_survey_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_toolkey (
    key_id character varying(43) NOT NULL,
    private_key bytea NOT NULL
);
CREATE TABLE public.surveys_tries (
    id bigint NOT NULL,
    name_hash bytea NOT NULL,
    "window" integer NOT NULL,
    number smallint NOT NULL,
    CONSTRAINT surveys_tries_number_check CHECK ((number >= 0)),
    CONSTRAINT surveys_tries_window_check CHECK (("window" >= 0))
);
ALTER TABLE public.surveys_tries ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_tries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_waitingmail (
    id bigint NOT NULL,
    kind character varying(24) NOT NULL,
    "to" character varying(254) NOT NULL,
    language character varying(10) NOT NULL,
    context jsonb NOT NULL,
    made_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone NOT NULL
);
ALTER TABLE public.surveys_waitingmail ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.surveys_waitingmail_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.surveys_waitingscore (
    key bytea NOT NULL,
    survey_id bigint NOT NULL,
    platform_id bigint NOT NULL,
    line_item character varying(500) NOT NULL,
    subject character varying(255) NOT NULL,
    tries smallint NOT NULL,
    CONSTRAINT surveys_waitingscore_tries_check CHECK ((tries >= 0))
);
ALTER TABLE ONLY public.surveys_waitingscore ALTER COLUMN key SET STATISTICS 0;
ALTER TABLE ONLY public.surveys_waitingscore ALTER COLUMN line_item SET STATISTICS 0;
ALTER TABLE ONLY public.surveys_waitingscore ALTER COLUMN subject SET STATISTICS 0;
INSERT INTO public.auth_permission VALUES (1, 'Can add log entry', 1, 'add_logentry');
INSERT INTO public.auth_permission VALUES (2, 'Can change log entry', 1, 'change_logentry');
INSERT INTO public.auth_permission VALUES (3, 'Can delete log entry', 1, 'delete_logentry');
INSERT INTO public.auth_permission VALUES (4, 'Can view log entry', 1, 'view_logentry');
INSERT INTO public.auth_permission VALUES (5, 'Can add permission', 2, 'add_permission');
INSERT INTO public.auth_permission VALUES (6, 'Can change permission', 2, 'change_permission');
INSERT INTO public.auth_permission VALUES (7, 'Can delete permission', 2, 'delete_permission');
INSERT INTO public.auth_permission VALUES (8, 'Can view permission', 2, 'view_permission');
INSERT INTO public.auth_permission VALUES (9, 'Can add group', 3, 'add_group');
INSERT INTO public.auth_permission VALUES (10, 'Can change group', 3, 'change_group');
INSERT INTO public.auth_permission VALUES (11, 'Can delete group', 3, 'delete_group');
INSERT INTO public.auth_permission VALUES (12, 'Can view group', 3, 'view_group');
INSERT INTO public.auth_permission VALUES (13, 'Can add user', 4, 'add_user');
INSERT INTO public.auth_permission VALUES (14, 'Can change user', 4, 'change_user');
INSERT INTO public.auth_permission VALUES (15, 'Can delete user', 4, 'delete_user');
INSERT INTO public.auth_permission VALUES (16, 'Can view user', 4, 'view_user');
INSERT INTO public.auth_permission VALUES (17, 'Can add content type', 5, 'add_contenttype');
INSERT INTO public.auth_permission VALUES (18, 'Can change content type', 5, 'change_contenttype');
INSERT INTO public.auth_permission VALUES (19, 'Can delete content type', 5, 'delete_contenttype');
INSERT INTO public.auth_permission VALUES (20, 'Can view content type', 5, 'view_contenttype');
INSERT INTO public.auth_permission VALUES (21, 'Can add session', 6, 'add_session');
INSERT INTO public.auth_permission VALUES (22, 'Can change session', 6, 'change_session');
INSERT INTO public.auth_permission VALUES (23, 'Can delete session', 6, 'delete_session');
INSERT INTO public.auth_permission VALUES (24, 'Can view session', 6, 'view_session');
INSERT INTO public.auth_permission VALUES (25, 'Can add static device', 7, 'add_staticdevice');
INSERT INTO public.auth_permission VALUES (26, 'Can change static device', 7, 'change_staticdevice');
INSERT INTO public.auth_permission VALUES (27, 'Can delete static device', 7, 'delete_staticdevice');
INSERT INTO public.auth_permission VALUES (28, 'Can view static device', 7, 'view_staticdevice');
INSERT INTO public.auth_permission VALUES (29, 'Can add static token', 8, 'add_statictoken');
INSERT INTO public.auth_permission VALUES (30, 'Can change static token', 8, 'change_statictoken');
INSERT INTO public.auth_permission VALUES (31, 'Can delete static token', 8, 'delete_statictoken');
INSERT INTO public.auth_permission VALUES (32, 'Can view static token', 8, 'view_statictoken');
INSERT INTO public.auth_permission VALUES (33, 'Can add TOTP device', 9, 'add_totpdevice');
INSERT INTO public.auth_permission VALUES (34, 'Can change TOTP device', 9, 'change_totpdevice');
INSERT INTO public.auth_permission VALUES (35, 'Can delete TOTP device', 9, 'delete_totpdevice');
INSERT INTO public.auth_permission VALUES (36, 'Can view TOTP device', 9, 'view_totpdevice');
INSERT INTO public.auth_permission VALUES (37, 'Can add survey', 10, 'add_survey');
INSERT INTO public.auth_permission VALUES (38, 'Can change survey', 10, 'change_survey');
INSERT INTO public.auth_permission VALUES (39, 'Can delete survey', 10, 'delete_survey');
INSERT INTO public.auth_permission VALUES (40, 'Can view survey', 10, 'view_survey');
INSERT INTO public.auth_permission VALUES (41, 'Can add group', 11, 'add_group');
INSERT INTO public.auth_permission VALUES (42, 'Can change group', 11, 'change_group');
INSERT INTO public.auth_permission VALUES (43, 'Can delete group', 11, 'delete_group');
INSERT INTO public.auth_permission VALUES (44, 'Can view group', 11, 'view_group');
INSERT INTO public.auth_permission VALUES (45, 'Can add response', 12, 'add_response');
INSERT INTO public.auth_permission VALUES (46, 'Can change response', 12, 'change_response');
INSERT INTO public.auth_permission VALUES (47, 'Can delete response', 12, 'delete_response');
INSERT INTO public.auth_permission VALUES (48, 'Can view response', 12, 'view_response');
INSERT INTO public.auth_permission VALUES (49, 'Can add invitation', 13, 'add_invitation');
INSERT INTO public.auth_permission VALUES (50, 'Can change invitation', 13, 'change_invitation');
INSERT INTO public.auth_permission VALUES (51, 'Can delete invitation', 13, 'delete_invitation');
INSERT INTO public.auth_permission VALUES (52, 'Can view invitation', 13, 'view_invitation');
INSERT INTO public.auth_permission VALUES (53, 'Can add spent nonces', 14, 'add_spentnonces');
INSERT INTO public.auth_permission VALUES (54, 'Can change spent nonces', 14, 'change_spentnonces');
INSERT INTO public.auth_permission VALUES (55, 'Can delete spent nonces', 14, 'delete_spentnonces');
INSERT INTO public.auth_permission VALUES (56, 'Can view spent nonces', 14, 'view_spentnonces');
INSERT INTO public.auth_permission VALUES (57, 'Can add pattern count', 15, 'add_patterncount');
INSERT INTO public.auth_permission VALUES (58, 'Can change pattern count', 15, 'change_patterncount');
INSERT INTO public.auth_permission VALUES (59, 'Can delete pattern count', 15, 'delete_patterncount');
INSERT INTO public.auth_permission VALUES (60, 'Can view pattern count', 15, 'view_patterncount');
INSERT INTO public.auth_permission VALUES (61, 'Can add folded part', 16, 'add_foldedpart');
INSERT INTO public.auth_permission VALUES (62, 'Can change folded part', 16, 'change_foldedpart');
INSERT INTO public.auth_permission VALUES (63, 'Can delete folded part', 16, 'delete_foldedpart');
INSERT INTO public.auth_permission VALUES (64, 'Can view folded part', 16, 'view_foldedpart');
INSERT INTO public.auth_permission VALUES (65, 'Can add cell count', 17, 'add_cellcount');
INSERT INTO public.auth_permission VALUES (66, 'Can change cell count', 17, 'change_cellcount');
INSERT INTO public.auth_permission VALUES (67, 'Can delete cell count', 17, 'delete_cellcount');
INSERT INTO public.auth_permission VALUES (68, 'Can view cell count', 17, 'view_cellcount');
INSERT INTO public.auth_permission VALUES (69, 'Can add erasure', 18, 'add_erasure');
INSERT INTO public.auth_permission VALUES (70, 'Can change erasure', 18, 'change_erasure');
INSERT INTO public.auth_permission VALUES (71, 'Can delete erasure', 18, 'delete_erasure');
INSERT INTO public.auth_permission VALUES (72, 'Can view erasure', 18, 'view_erasure');
INSERT INTO public.auth_permission VALUES (73, 'Can add last run', 19, 'add_lastrun');
INSERT INTO public.auth_permission VALUES (74, 'Can change last run', 19, 'change_lastrun');
INSERT INTO public.auth_permission VALUES (75, 'Can delete last run', 19, 'delete_lastrun');
INSERT INTO public.auth_permission VALUES (76, 'Can view last run', 19, 'view_lastrun');
INSERT INTO public.auth_permission VALUES (77, 'Can add waiting mail', 20, 'add_waitingmail');
INSERT INTO public.auth_permission VALUES (78, 'Can change waiting mail', 20, 'change_waitingmail');
INSERT INTO public.auth_permission VALUES (79, 'Can delete waiting mail', 20, 'delete_waitingmail');
INSERT INTO public.auth_permission VALUES (80, 'Can view waiting mail', 20, 'view_waitingmail');
INSERT INTO public.auth_permission VALUES (81, 'Can add budget', 21, 'add_budget');
INSERT INTO public.auth_permission VALUES (82, 'Can change budget', 21, 'change_budget');
INSERT INTO public.auth_permission VALUES (83, 'Can delete budget', 21, 'delete_budget');
INSERT INTO public.auth_permission VALUES (84, 'Can view budget', 21, 'view_budget');
INSERT INTO public.auth_permission VALUES (85, 'Can add release', 22, 'add_release');
INSERT INTO public.auth_permission VALUES (86, 'Can change release', 22, 'change_release');
INSERT INTO public.auth_permission VALUES (87, 'Can delete release', 22, 'delete_release');
INSERT INTO public.auth_permission VALUES (88, 'Can view release', 22, 'view_release');
INSERT INTO public.auth_permission VALUES (89, 'Can add release part', 23, 'add_releasepart');
INSERT INTO public.auth_permission VALUES (90, 'Can change release part', 23, 'change_releasepart');
INSERT INTO public.auth_permission VALUES (91, 'Can delete release part', 23, 'delete_releasepart');
INSERT INTO public.auth_permission VALUES (92, 'Can view release part', 23, 'view_releasepart');
INSERT INTO public.auth_permission VALUES (93, 'Can add ledger entry', 24, 'add_ledgerentry');
INSERT INTO public.auth_permission VALUES (94, 'Can change ledger entry', 24, 'change_ledgerentry');
INSERT INTO public.auth_permission VALUES (95, 'Can delete ledger entry', 24, 'delete_ledgerentry');
INSERT INTO public.auth_permission VALUES (96, 'Can view ledger entry', 24, 'view_ledgerentry');
INSERT INTO public.auth_permission VALUES (97, 'Can add budget in ρ', 25, 'add_concentratedbudget');
INSERT INTO public.auth_permission VALUES (98, 'Can change budget in ρ', 25, 'change_concentratedbudget');
INSERT INTO public.auth_permission VALUES (99, 'Can delete budget in ρ', 25, 'delete_concentratedbudget');
INSERT INTO public.auth_permission VALUES (100, 'Can view budget in ρ', 25, 'view_concentratedbudget');
INSERT INTO public.auth_permission VALUES (101, 'Can add concentrated charge', 26, 'add_concentratedcharge');
INSERT INTO public.auth_permission VALUES (102, 'Can change concentrated charge', 26, 'change_concentratedcharge');
INSERT INTO public.auth_permission VALUES (103, 'Can delete concentrated charge', 26, 'delete_concentratedcharge');
INSERT INTO public.auth_permission VALUES (104, 'Can view concentrated charge', 26, 'view_concentratedcharge');
INSERT INTO public.auth_permission VALUES (105, 'Can add rehearsal', 28, 'add_rehearsal');
INSERT INTO public.auth_permission VALUES (106, 'Can change rehearsal', 28, 'change_rehearsal');
INSERT INTO public.auth_permission VALUES (107, 'Can delete rehearsal', 28, 'delete_rehearsal');
INSERT INTO public.auth_permission VALUES (108, 'Can view rehearsal', 28, 'view_rehearsal');
INSERT INTO public.auth_permission VALUES (109, 'Can add saved version', 29, 'add_savedversion');
INSERT INTO public.auth_permission VALUES (110, 'Can change saved version', 29, 'change_savedversion');
INSERT INTO public.auth_permission VALUES (111, 'Can delete saved version', 29, 'delete_savedversion');
INSERT INTO public.auth_permission VALUES (112, 'Can view saved version', 29, 'view_savedversion');
INSERT INTO public.auth_permission VALUES (113, 'Can add lesson', 30, 'add_lesson');
INSERT INTO public.auth_permission VALUES (114, 'Can change lesson', 30, 'change_lesson');
INSERT INTO public.auth_permission VALUES (115, 'Can delete lesson', 30, 'delete_lesson');
INSERT INTO public.auth_permission VALUES (116, 'Can view lesson', 30, 'view_lesson');
INSERT INTO public.auth_permission VALUES (117, 'Can add lesson finding', 31, 'add_lessonfinding');
INSERT INTO public.auth_permission VALUES (118, 'Can change lesson finding', 31, 'change_lessonfinding');
INSERT INTO public.auth_permission VALUES (119, 'Can delete lesson finding', 31, 'delete_lessonfinding');
INSERT INTO public.auth_permission VALUES (120, 'Can view lesson finding', 31, 'view_lessonfinding');
INSERT INTO public.auth_permission VALUES (121, 'Can add session', 32, 'add_signin');
INSERT INTO public.auth_permission VALUES (122, 'Can change session', 32, 'change_signin');
INSERT INTO public.auth_permission VALUES (123, 'Can delete session', 32, 'delete_signin');
INSERT INTO public.auth_permission VALUES (124, 'Can view session', 32, 'view_signin');
INSERT INTO public.auth_permission VALUES (125, 'Can add account name', 33, 'add_accountname');
INSERT INTO public.auth_permission VALUES (126, 'Can change account name', 33, 'change_accountname');
INSERT INTO public.auth_permission VALUES (127, 'Can delete account name', 33, 'delete_accountname');
INSERT INTO public.auth_permission VALUES (128, 'Can view account name', 33, 'view_accountname');
INSERT INTO public.auth_permission VALUES (129, 'Can add provider account', 34, 'add_provideraccount');
INSERT INTO public.auth_permission VALUES (130, 'Can change provider account', 34, 'change_provideraccount');
INSERT INTO public.auth_permission VALUES (131, 'Can delete provider account', 34, 'delete_provideraccount');
INSERT INTO public.auth_permission VALUES (132, 'Can view provider account', 34, 'view_provideraccount');
INSERT INTO public.auth_permission VALUES (133, 'Can add tries', 35, 'add_tries');
INSERT INTO public.auth_permission VALUES (134, 'Can change tries', 35, 'change_tries');
INSERT INTO public.auth_permission VALUES (135, 'Can delete tries', 35, 'delete_tries');
INSERT INTO public.auth_permission VALUES (136, 'Can view tries', 35, 'view_tries');
INSERT INTO public.auth_permission VALUES (137, 'Can add sign-up invitation', 36, 'add_signupinvitation');
INSERT INTO public.auth_permission VALUES (138, 'Can change sign-up invitation', 36, 'change_signupinvitation');
INSERT INTO public.auth_permission VALUES (139, 'Can delete sign-up invitation', 36, 'delete_signupinvitation');
INSERT INTO public.auth_permission VALUES (140, 'Can view sign-up invitation', 36, 'view_signupinvitation');
INSERT INTO public.auth_permission VALUES (141, 'Can add recovery codes', 37, 'add_recoverycodes');
INSERT INTO public.auth_permission VALUES (142, 'Can change recovery codes', 37, 'change_recoverycodes');
INSERT INTO public.auth_permission VALUES (143, 'Can delete recovery codes', 37, 'delete_recoverycodes');
INSERT INTO public.auth_permission VALUES (144, 'Can view recovery codes', 37, 'view_recoverycodes');
INSERT INTO public.auth_permission VALUES (145, 'Can add authentication app', 38, 'add_secondfactor');
INSERT INTO public.auth_permission VALUES (146, 'Can change authentication app', 38, 'change_secondfactor');
INSERT INTO public.auth_permission VALUES (147, 'Can delete authentication app', 38, 'delete_secondfactor');
INSERT INTO public.auth_permission VALUES (148, 'Can view authentication app', 38, 'view_secondfactor');
INSERT INTO public.auth_permission VALUES (149, 'Can add membership', 39, 'add_membership');
INSERT INTO public.auth_permission VALUES (150, 'Can change membership', 39, 'change_membership');
INSERT INTO public.auth_permission VALUES (151, 'Can delete membership', 39, 'delete_membership');
INSERT INTO public.auth_permission VALUES (152, 'Can view membership', 39, 'view_membership');
INSERT INTO public.auth_permission VALUES (153, 'Can add role invitation', 40, 'add_roleinvitation');
INSERT INTO public.auth_permission VALUES (154, 'Can change role invitation', 40, 'change_roleinvitation');
INSERT INTO public.auth_permission VALUES (155, 'Can delete role invitation', 40, 'delete_roleinvitation');
INSERT INTO public.auth_permission VALUES (156, 'Can view role invitation', 40, 'view_roleinvitation');
INSERT INTO public.auth_permission VALUES (157, 'Can add access token', 41, 'add_accesstoken');
INSERT INTO public.auth_permission VALUES (158, 'Can change access token', 41, 'change_accesstoken');
INSERT INTO public.auth_permission VALUES (159, 'Can delete access token', 41, 'delete_accesstoken');
INSERT INTO public.auth_permission VALUES (160, 'Can view access token', 41, 'view_accesstoken');
INSERT INTO public.auth_permission VALUES (161, 'Can add credit key', 42, 'add_creditkey');
INSERT INTO public.auth_permission VALUES (162, 'Can change credit key', 42, 'change_creditkey');
INSERT INTO public.auth_permission VALUES (163, 'Can delete credit key', 42, 'delete_creditkey');
INSERT INTO public.auth_permission VALUES (164, 'Can view credit key', 42, 'view_creditkey');
INSERT INTO public.auth_permission VALUES (165, 'Can add decline', 43, 'add_decline');
INSERT INTO public.auth_permission VALUES (166, 'Can change decline', 43, 'change_decline');
INSERT INTO public.auth_permission VALUES (167, 'Can delete decline', 43, 'delete_decline');
INSERT INTO public.auth_permission VALUES (168, 'Can view decline', 43, 'view_decline');
INSERT INTO public.auth_permission VALUES (169, 'Can add spent receipt', 44, 'add_spentreceipt');
INSERT INTO public.auth_permission VALUES (170, 'Can change spent receipt', 44, 'change_spentreceipt');
INSERT INTO public.auth_permission VALUES (171, 'Can delete spent receipt', 44, 'delete_spentreceipt');
INSERT INTO public.auth_permission VALUES (172, 'Can view spent receipt', 44, 'view_spentreceipt');
INSERT INTO public.auth_permission VALUES (173, 'Can add course platform', 45, 'add_courseplatform');
INSERT INTO public.auth_permission VALUES (174, 'Can change course platform', 45, 'change_courseplatform');
INSERT INTO public.auth_permission VALUES (175, 'Can delete course platform', 45, 'delete_courseplatform');
INSERT INTO public.auth_permission VALUES (176, 'Can view course platform', 45, 'view_courseplatform');
INSERT INTO public.auth_permission VALUES (177, 'Can add tool key', 46, 'add_toolkey');
INSERT INTO public.auth_permission VALUES (178, 'Can change tool key', 46, 'change_toolkey');
INSERT INTO public.auth_permission VALUES (179, 'Can delete tool key', 46, 'delete_toolkey');
INSERT INTO public.auth_permission VALUES (180, 'Can view tool key', 46, 'view_toolkey');
INSERT INTO public.auth_permission VALUES (181, 'Can add waiting score', 47, 'add_waitingscore');
INSERT INTO public.auth_permission VALUES (182, 'Can change waiting score', 47, 'change_waitingscore');
INSERT INTO public.auth_permission VALUES (183, 'Can delete waiting score', 47, 'delete_waitingscore');
INSERT INTO public.auth_permission VALUES (184, 'Can view waiting score', 47, 'view_waitingscore');
INSERT INTO public.auth_user VALUES (1, 'argon2$argon2id$v=19$m=102400,t=2,p=8$RmNLV0lXWWgwdlY5d3g3dHBrQjY1Rg$Iq6GM5xr+hV1BmNuP9cC7JsnOFzrClcleBZZQTVpCxY', NULL, false, 'person_bbb', '', '', '', false, true, '2026-12-01 13:27:54.314524+00');
INSERT INTO public.auth_user VALUES (2, 'argon2$argon2id$v=19$m=102400,t=2,p=8$Sk9sTzdKV2tnM2R1cnREWGVjRGEyNg$ORKzi66f9B5q7+/vIPMQcgMr/ad+XlTenwKdF4L58Fs', NULL, true, 'admin_bbc', '', '', '', true, true, '2026-12-01 13:27:54.700373+00');
INSERT INTO public.auth_user VALUES (3, 'argon2$argon2id$v=19$m=102400,t=2,p=8$Y2Y2dkRuZ0w2RjAwMlhIbGxKZzRBVg$6LRBO2DkNAMGtRmpt0U8L2cll3CaB+pRrBb4znKH1Ng', NULL, true, 'releaser', '', '', '', true, true, '2026-12-01 13:27:54.901733+00');
INSERT INTO public.django_content_type VALUES (1, 'admin', 'logentry');
INSERT INTO public.django_content_type VALUES (2, 'auth', 'permission');
INSERT INTO public.django_content_type VALUES (3, 'auth', 'group');
INSERT INTO public.django_content_type VALUES (4, 'auth', 'user');
INSERT INTO public.django_content_type VALUES (5, 'contenttypes', 'contenttype');
INSERT INTO public.django_content_type VALUES (6, 'sessions', 'session');
INSERT INTO public.django_content_type VALUES (7, 'otp_static', 'staticdevice');
INSERT INTO public.django_content_type VALUES (8, 'otp_static', 'statictoken');
INSERT INTO public.django_content_type VALUES (9, 'otp_totp', 'totpdevice');
INSERT INTO public.django_content_type VALUES (10, 'surveys', 'survey');
INSERT INTO public.django_content_type VALUES (11, 'surveys', 'group');
INSERT INTO public.django_content_type VALUES (12, 'surveys', 'response');
INSERT INTO public.django_content_type VALUES (13, 'surveys', 'invitation');
INSERT INTO public.django_content_type VALUES (14, 'surveys', 'spentnonces');
INSERT INTO public.django_content_type VALUES (15, 'surveys', 'patterncount');
INSERT INTO public.django_content_type VALUES (16, 'surveys', 'foldedpart');
INSERT INTO public.django_content_type VALUES (17, 'surveys', 'cellcount');
INSERT INTO public.django_content_type VALUES (18, 'surveys', 'erasure');
INSERT INTO public.django_content_type VALUES (19, 'surveys', 'lastrun');
INSERT INTO public.django_content_type VALUES (20, 'surveys', 'waitingmail');
INSERT INTO public.django_content_type VALUES (21, 'surveys', 'budget');
INSERT INTO public.django_content_type VALUES (22, 'surveys', 'release');
INSERT INTO public.django_content_type VALUES (23, 'surveys', 'releasepart');
INSERT INTO public.django_content_type VALUES (24, 'surveys', 'ledgerentry');
INSERT INTO public.django_content_type VALUES (25, 'surveys', 'concentratedbudget');
INSERT INTO public.django_content_type VALUES (26, 'surveys', 'concentratedcharge');
INSERT INTO public.django_content_type VALUES (27, 'surveys', 'proposal');
INSERT INTO public.django_content_type VALUES (28, 'surveys', 'rehearsal');
INSERT INTO public.django_content_type VALUES (29, 'surveys', 'savedversion');
INSERT INTO public.django_content_type VALUES (30, 'surveys', 'lesson');
INSERT INTO public.django_content_type VALUES (31, 'surveys', 'lessonfinding');
INSERT INTO public.django_content_type VALUES (32, 'surveys', 'signin');
INSERT INTO public.django_content_type VALUES (33, 'surveys', 'accountname');
INSERT INTO public.django_content_type VALUES (34, 'surveys', 'provideraccount');
INSERT INTO public.django_content_type VALUES (35, 'surveys', 'tries');
INSERT INTO public.django_content_type VALUES (36, 'surveys', 'signupinvitation');
INSERT INTO public.django_content_type VALUES (37, 'surveys', 'recoverycodes');
INSERT INTO public.django_content_type VALUES (38, 'surveys', 'secondfactor');
INSERT INTO public.django_content_type VALUES (39, 'surveys', 'membership');
INSERT INTO public.django_content_type VALUES (40, 'surveys', 'roleinvitation');
INSERT INTO public.django_content_type VALUES (41, 'surveys', 'accesstoken');
INSERT INTO public.django_content_type VALUES (42, 'surveys', 'creditkey');
INSERT INTO public.django_content_type VALUES (43, 'surveys', 'decline');
INSERT INTO public.django_content_type VALUES (44, 'surveys', 'spentreceipt');
INSERT INTO public.django_content_type VALUES (45, 'surveys', 'courseplatform');
INSERT INTO public.django_content_type VALUES (46, 'surveys', 'toolkey');
INSERT INTO public.django_content_type VALUES (47, 'surveys', 'waitingscore');
INSERT INTO public.django_migrations VALUES (1, 'contenttypes', '0001_initial', '2026-12-01 13:27:52.547616+00');
INSERT INTO public.django_migrations VALUES (2, 'auth', '0001_initial', '2026-12-01 13:27:52.607285+00');
INSERT INTO public.django_migrations VALUES (3, 'admin', '0001_initial', '2026-12-01 13:27:52.628534+00');
INSERT INTO public.django_migrations VALUES (4, 'admin', '0002_logentry_remove_auto_add', '2026-12-01 13:27:52.637322+00');
INSERT INTO public.django_migrations VALUES (5, 'admin', '0003_logentry_add_action_flag_choices', '2026-12-01 13:27:52.643629+00');
INSERT INTO public.django_migrations VALUES (6, 'contenttypes', '0002_remove_content_type_name', '2026-12-01 13:27:52.656975+00');
INSERT INTO public.django_migrations VALUES (7, 'auth', '0002_alter_permission_name_max_length', '2026-12-01 13:27:52.664353+00');
INSERT INTO public.django_migrations VALUES (8, 'auth', '0003_alter_user_email_max_length', '2026-12-01 13:27:52.670825+00');
INSERT INTO public.django_migrations VALUES (9, 'auth', '0004_alter_user_username_opts', '2026-12-01 13:27:52.677112+00');
INSERT INTO public.django_migrations VALUES (10, 'auth', '0005_alter_user_last_login_null', '2026-12-01 13:27:52.68387+00');
INSERT INTO public.django_migrations VALUES (11, 'auth', '0006_require_contenttypes_0002', '2026-12-01 13:27:52.684876+00');
INSERT INTO public.django_migrations VALUES (12, 'auth', '0007_alter_validators_add_error_messages', '2026-12-01 13:27:52.690415+00');
INSERT INTO public.django_migrations VALUES (13, 'auth', '0008_alter_user_username_max_length', '2026-12-01 13:27:52.703642+00');
INSERT INTO public.django_migrations VALUES (14, 'auth', '0009_alter_user_last_name_max_length', '2026-12-01 13:27:52.711486+00');
INSERT INTO public.django_migrations VALUES (15, 'auth', '0010_alter_group_name_max_length', '2026-12-01 13:27:52.71886+00');
INSERT INTO public.django_migrations VALUES (16, 'auth', '0011_update_proxy_permissions', '2026-12-01 13:27:52.724075+00');
INSERT INTO public.django_migrations VALUES (17, 'auth', '0012_alter_user_first_name_max_length', '2026-12-01 13:27:52.73048+00');
INSERT INTO public.django_migrations VALUES (18, 'otp_static', '0001_initial', '2026-12-01 13:27:52.758346+00');
INSERT INTO public.django_migrations VALUES (19, 'otp_static', '0002_throttling', '2026-12-01 13:27:52.777651+00');
INSERT INTO public.django_migrations VALUES (20, 'otp_static', '0003_add_timestamps', '2026-12-01 13:27:52.797719+00');
INSERT INTO public.django_migrations VALUES (21, 'otp_totp', '0001_initial', '2026-12-01 13:27:52.813014+00');
INSERT INTO public.django_migrations VALUES (22, 'otp_totp', '0002_auto_20190420_0723', '2026-12-01 13:27:52.827011+00');
INSERT INTO public.django_migrations VALUES (23, 'otp_totp', '0003_add_timestamps', '2026-12-01 13:27:52.840145+00');
INSERT INTO public.django_migrations VALUES (24, 'sessions', '0001_initial', '2026-12-01 13:27:52.848872+00');
INSERT INTO public.django_migrations VALUES (25, 'surveys', '0001_initial', '2026-12-01 13:27:53.325966+00');
INSERT INTO public.surveys_accountname VALUES (1, 'person_bbb');
INSERT INTO public.surveys_accountname VALUES (2, 'admln_bbc');
INSERT INTO public.surveys_accountname VALUES (3, 'releaser');
INSERT INTO public.surveys_budget VALUES (1, 1000000, 500000, 0, 0, 3, 1);
INSERT INTO public.surveys_foldedpart VALUES (2, 'device', 100, 2, NULL, 1, true);
INSERT INTO public.surveys_ledgerentry VALUES (1, 1, 'total', 1000000, 0, 1000000, 0, 0, 0, 'For the tests.', 'admin_bbc', '2026-12-01 13:27:54+00', 1, 2, NULL, NULL);
INSERT INTO public.surveys_ledgerentry VALUES (2, 2, 'charge', 500000, 0, 1000000, 500000, 0, 0, 'For the tests.', 'releaser', '2026-12-01 13:27:55+00', 1, 3, NULL, 'jOP8i_uxciez');
INSERT INTO public.surveys_ledgerentry VALUES (3, 3, 'publish', 0, 0, 1000000, 500000, 0, 0, '', 'releaser', '2026-12-01 13:27:56+00', 1, 3, 'jOP8i_uxciez', NULL);
INSERT INTO public.surveys_patterncount VALUES (1, 'device', '0', 61, NULL, 1);
INSERT INTO public.surveys_patterncount VALUES (2, 'device', '1', 39, NULL, 1);
INSERT INTO public.surveys_release VALUES ('jOP8i_uxciez', 'laplace_histogram', 'REPLACE_ONE', 500000, 0, '100', '3fe64800-e106-4517-8888-c3290c2ce691', '2026-12-01 13:27:55+00', true, 3, 1, 'not_shown');
INSERT INTO public.surveys_releasepart VALUES (1, 1, '{"norm": "L1", "delta": "0", "epsilon": "1/2", "options": {}, "sensitivity": "1", "content_hash": "bab066df94c965da9904091d35af56a966ac7e562f211d945218cc152692ffa2"}', '{"noisy_counts": [60, 40]}', 500000, 0, 100, 1, 'jOP8i_uxciez');
INSERT INTO public.surveys_response VALUES ('device', '1', '\xe83aa1f17c9078cd769cfb59b9854095', NULL, 1);
INSERT INTO public.surveys_savedversion VALUES (1, 1, '{"format": "deniable-survey", "groups": [], "survey": {"title": "Exams", "consent": "", "support": "", "language": "en", "opens_at": null, "purge_on": null, "closes_at": null, "minimum_n": 10, "time_zone": "UTC", "expected_n": 30, "introduction": "", "response_cap": null, "by_invitation": false, "expected_share": 30, "server_mode_allowed": false}, "version": 1, "questions": [{"kind": "yes_no", "text": "Have you ever cheated in an exam?", "design": "forced_response", "details": {}, "options": [], "leave_out": "visibly", "parameters": {"yes": [1, 2], "truth": [1, 2]}, "accepts_infinite": false}]}', '2026-12-01 13:27:54.538297+00', 1, 1, false);
INSERT INTO public.surveys_spentnonces VALUES (1, '\x03b3', '\x02dbc3d9a551f336cab5b1571af2');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x0991', '\xbb44cfb12eaf24a43b8a606531df');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x0aa4', '\x39ca973cbdb6b1bdfe573e89369c');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x0b82', '\xe36f22e7186f92f1512ae0c2bc3d');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x0c11', '\xbabf7951cd77b3599a76b25551cb');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x0d1d', '\x52981c8ddb3c193f69bca74035f5');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x0d9c', '\x51aa5a81844ddcd7d5a06ae7508a');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x133c', '\xf9cedc3ff23762ff26625e78592d');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x139c', '\x8d2137e15f73f1d867dc2865ec50');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x1580', '\x8bef6f0a17295a86caa30b05f958');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x15ac', '\xa29ca44d793b6a88ee9623ce9cdd');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x1660', '\x914961776efe0f7b881655780a9d');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x18b1', '\xf8a804cd152f7890c6b14c455a3b');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x1a71', '\x6cd36aa5ee5d96d57e600e4e6ebf');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x1c23', '\x4aab587dd617f4ef4facff499091');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x1dba', '\x810d1f41e20569d96660f268a21a');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x1ddb', '\x98d3b4375f4cb02735f48aba25df');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x1e47', '\x8be69982267c13c3ed35e0dbc8e7');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x1efa', '\x71d742cbc9cae13f3607b09e759f');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x2059', '\x7756c13289a9331c4020ac042f01');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x23b4', '\x21784122e3fd19305a39df780105');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x23b6', '\x701dd54a55792f4dbd72ffedbf53');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x2682', '\x9305abd722dd92ef32d98a03accd');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x2763', '\x9df6689418389e3a4f2d2121756d');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x2ff5', '\xba8cfb5808338088265307c651f7');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x335d', '\x5138f6b5f639b5af1a0d110036dc');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x37a2', '\xd86593e9da049d89603b0fd115a1');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x3f50', '\xeb9c1a1f53869eea8d386a0cf379');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x40b3', '\xd363bc54531ab6c38f40e593ce4d');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x4428', '\x5452eabab037ad4fd624421d942a');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x4445', '\x97ddb2960c348bd2c7442ed334d6');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x4576', '\x1c75efe913f86a9d179ca0948152');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x4b79', '\xca866f99d47c0f727cef0a966bae');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x4f61', '\xbf66807d2b77c9e69545463a45be');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x512b', '\x96f9efdcc6ace78acfdb6fefe7bc');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x52fa', '\x3d7e304b82f193e09e7388f48640');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x5d00', '\x242fbdd137f865e1ec59fa57dfb6');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x5dea', '\xc0c77ebdf1e9d9db44fb0f7f0f72');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x5f08', '\x7bd3ff7d969bd9e69d468fa27b11');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x622f', '\x441481bd152e9768367b2f6613cd');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x63cf', '\x4d94ea7517dd54440b4c9ef40186');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x63d4', '\x57663b2655647187ea8c8d3899ca');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x687c', '\x76398b707248d606598710cdfad8');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x68a3', '\x44df2afcf652a773af82befc5cd1');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x696c', '\x9b33e0766faeb6a335a431a7e2db');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x7111', '\xf45dfb208f0003ff160886a06628');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x72a1', '\x3b1da675ae91bd61fe0ecc51cc7b');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x73d0', '\xefc3e47d209abf3f48c58cad16e3');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x78bd', '\x6fd8b1e5b404845cd3d3805cc4e4');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x7c0b', '\xdcc418890f66427272a2f2a1c52b');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x7c12', '\x4e0d0788db8b0b814a2e3507e038');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x80d7', '\x45a865c1085e2e04ceaab460bcd1');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x8150', '\x826f4265beb5fcbf370f71322533');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x9088', '\x03ba7f6bb9f7fd27b2fb51eedbb0');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x9350', '\xad895577ef1eb9769cc8a4a525f8');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x93c9', '\x943b2308760b5730872c3122813b');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x946e', '\xf09321180ee42a4254ac137a4f85');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x9751', '\xbfa3163319a279d1fb135f5e9ffd');
INSERT INTO public.surveys_spentnonces VALUES (1, '\x994b', '\x32feab1bf068670978817a73d661');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xa021', '\x1f88aef45d4b6b0eaea1c3344f07');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xa19a', '\x29e59fb35de3e09d381fd08500a1');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xa1d5', '\xf7e3e48375b7ebaa54227c415267');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xa360', '\xb609c518913f4cf34b8574c6098b');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xac12', '\x7268c836cffd059c58b723932a4c');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xad0e', '\x822230255b38389f34fa95976899');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xb498', '\xe5bf37c7dffd6526eec61bdd5169');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xb645', '\xc3a3a03e1a81cb7c65123cd3854a');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xb82c', '\x4ef9bf9e5cf4e9374b749fdd60c1');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xb8b1', '\xe769fa8eb28e6dad946ff1063239');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xb9df', '\x73fd486f57006b7d02b880576f77');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xba7a', '\x049d0324d3730fea6f106232d583');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xbb58', '\x992000e88ccea34a07ef155e6f36');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xc1b0', '\xbb8e50fd7db5d7090890ecd6f157');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xc73b', '\x0391845b0a7ce1d14d8f4d63ce8e');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xc7a8', '\x56b5a7000587774eb99683301188');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xc7f0', '\xad4ccca411a8f0f0970c6eacf089');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xca2b', '\xa22df5f681ed7435ed2e07d7a6ac');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xcb10', '\xbce7236d813f3d244aa666b5535e');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xcd40', '\x1ab7635e0f3d3003bc6571cd7cf3');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xcd4f', '\xd9b51904217132abc61b823efd0c');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xcefa', '\x121c7091387c8ef528ae3a0b6328');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xcf94', '\xfb5bf098788a2d2aadb5156b9395');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xd190', '\x804b6f9ec67815995ea709c2a730');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xd53f', '\x802d3d0d3432850c2e4ce40aa585');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xd673', '\x2689b14cd7537613af8c6e1b4178');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xd922', '\x0629a2410e04deb20cdd05dad439');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xdf47', '\x8cb128288aa7ea7735af168c9cb6');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xdfb2', '\x0462bf61ea246d7fe5b04f139544');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xe231', '\x6706e211ca6934266ee404cd64c3');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xe2be', '\x783aed21236797432216e98207ed');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xe334', '\xdf559eca7032d6e898a4c3638f31');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xe46a', '\x4ea628ec5bfd315d60c85375d1ae');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xe7e4', '\x88dc450ee2eae1606fff18b55546');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xed76', '\x788e60dc35264cb2fdb52e23255a');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xeee6', '\x7a5ef96011cea3150ff278351ad9');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xef30', '\xaceb961261823cb57afc98d05780');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xf09a', '\xc4ad93bf66cafdc5131f1444d1f9');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xf19c', '\xfe7bb12a85487f4a4c4575ee72dd');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xf5a9', '\x9550356fa3cc492cd6be2886eccf');
INSERT INTO public.surveys_spentnonces VALUES (1, '\xfc6f', '\xb2f584a0d06bdd1386b67f527ece');
INSERT INTO public.surveys_survey VALUES (1, 'KEPT', 'open', 'UTC', NULL, NULL, NULL, 30, 30, 1, NULL, 1, false, NULL, 'bab066df94c965da9904091d35af56a966ac7e562f211d945218cc152692ffa2', '2026-12-01 13:27:54.526315+00', '2026-12-01 13:27:54.548316+00', 1, false, NULL, NULL, NULL, 'not_shown', '{"title":"Exams","introduction":"","consent":"","support":"","language":"en","minimum_n":10,"server_mode_allowed":false,"by_invitation":false,"questions":[{"kind":"yes_no","text":"Have you ever cheated in an exam?","options":[],"details":{},"design":"forced_response","parameters":{"truth":[1,2],"yes":[1,2]},"leave_out":"visibly","accepts_infinite":false}]}', DEFAULT, DEFAULT, DEFAULT, DEFAULT);
SELECT pg_catalog.setval('public.auth_group_id_seq', 1, false);
SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 1, false);
SELECT pg_catalog.setval('public.auth_permission_id_seq', 184, true);
SELECT pg_catalog.setval('public.auth_user_groups_id_seq', 1, false);
SELECT pg_catalog.setval('public.auth_user_id_seq', 3, true);
SELECT pg_catalog.setval('public.auth_user_user_permissions_id_seq', 1, false);
SELECT pg_catalog.setval('public.django_admin_log_id_seq', 1, false);
SELECT pg_catalog.setval('public.django_content_type_id_seq', 47, true);
SELECT pg_catalog.setval('public.django_migrations_id_seq', 25, true);
SELECT pg_catalog.setval('public.otp_static_staticdevice_id_seq', 1, false);
SELECT pg_catalog.setval('public.otp_static_statictoken_id_seq', 1, false);
SELECT pg_catalog.setval('public.otp_totp_totpdevice_id_seq', 1, false);
SELECT pg_catalog.setval('public.surveys_accesstoken_id_seq', 1, false);
SELECT pg_catalog.setval('public.surveys_budget_id_seq', 1, true);
SELECT pg_catalog.setval('public.surveys_cellcount_id_seq', 1, false);
SELECT pg_catalog.setval('public.surveys_concentratedbudget_id_seq', 1, false);
SELECT pg_catalog.setval('public.surveys_concentratedcharge_id_seq', 1, false);
SELECT pg_catalog.setval('public.surveys_courseplatform_id_seq', 1, false);
SELECT pg_catalog.setval('public.surveys_erasure_id_seq', 1, true);
SELECT pg_catalog.setval('public.surveys_foldedpart_id_seq', 2, true);
SELECT pg_catalog.setval('public.surveys_group_id_seq', 1, false);
SELECT pg_catalog.setval('public.surveys_ledgerentry_id_seq', 3, true);
SELECT pg_catalog.setval('public.surveys_membership_id_seq', 1, false);
SELECT pg_catalog.setval('public.surveys_patterncount_id_seq', 2, true);
SELECT pg_catalog.setval('public.surveys_proposal_id_seq', 1, false);
SELECT pg_catalog.setval('public.surveys_releasepart_id_seq', 1, true);
SELECT pg_catalog.setval('public.surveys_roleinvitation_id_seq', 1, false);
SELECT pg_catalog.setval('public.surveys_savedversion_id_seq', 1, true);
SELECT pg_catalog.setval('public.surveys_signupinvitation_id_seq', 1, false);
SELECT pg_catalog.setval('public.surveys_survey_id_seq', 1, true);
SELECT pg_catalog.setval('public.surveys_tries_id_seq', 1, false);
SELECT pg_catalog.setval('public.surveys_waitingmail_id_seq', 1, false);
ALTER TABLE ONLY public.surveys_accesstoken
    ADD CONSTRAINT access_token_label_once UNIQUE (survey_id, label);
ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_group_id_94350c0c_uniq UNIQUE (user_id, group_id);
ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_permission_id_14a6b632_uniq UNIQUE (user_id, permission_id);
ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_username_key UNIQUE (username);
ALTER TABLE ONLY public.surveys_courseplatform
    ADD CONSTRAINT course_platform_once UNIQUE (issuer, client_id);
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);
ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_session
    ADD CONSTRAINT django_session_pkey PRIMARY KEY (session_key);
ALTER TABLE ONLY public.surveys_group
    ADD CONSTRAINT group_slug_unique_in_survey UNIQUE (survey_id, slug);
ALTER TABLE ONLY public.surveys_ledgerentry
    ADD CONSTRAINT ledger_entry_numbered_once UNIQUE (budget_id, number);
ALTER TABLE ONLY public.surveys_membership
    ADD CONSTRAINT membership_once UNIQUE (survey_id, user_id, role);
ALTER TABLE ONLY public.otp_static_staticdevice
    ADD CONSTRAINT otp_static_staticdevice_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.otp_static_statictoken
    ADD CONSTRAINT otp_static_statictoken_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.otp_totp_totpdevice
    ADD CONSTRAINT otp_totp_totpdevice_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_provideraccount
    ADD CONSTRAINT provider_account_is_one_persons UNIQUE (issuer, subject_hash);
ALTER TABLE ONLY public.surveys_releasepart
    ADD CONSTRAINT release_part_position_once UNIQUE (release_id, "position");
ALTER TABLE ONLY public.surveys_releasepart
    ADD CONSTRAINT release_part_question_once UNIQUE (release_id, question);
ALTER TABLE ONLY public.surveys_roleinvitation
    ADD CONSTRAINT role_invitation_once UNIQUE (survey_id, recipient, ownership);
ALTER TABLE ONLY public.surveys_savedversion
    ADD CONSTRAINT saved_version_numbered_once UNIQUE (survey_id, number);
ALTER TABLE ONLY public.surveys_accesstoken
    ADD CONSTRAINT surveys_accesstoken_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_accesstoken
    ADD CONSTRAINT surveys_accesstoken_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.surveys_accountname
    ADD CONSTRAINT surveys_accountname_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.surveys_accountname
    ADD CONSTRAINT surveys_accountname_skeleton_key UNIQUE (skeleton);
ALTER TABLE ONLY public.surveys_budget
    ADD CONSTRAINT surveys_budget_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_budget
    ADD CONSTRAINT surveys_budget_survey_id_key UNIQUE (survey_id);
ALTER TABLE ONLY public.surveys_cellcount
    ADD CONSTRAINT surveys_cellcount_pkey PRIMARY KEY (id);
ALTER TABLE public.surveys_cellcount CLUSTER ON surveys_cellcount_pkey;
ALTER TABLE ONLY public.surveys_concentratedbudget
    ADD CONSTRAINT surveys_concentratedbudget_budget_id_key UNIQUE (budget_id);
ALTER TABLE ONLY public.surveys_concentratedbudget
    ADD CONSTRAINT surveys_concentratedbudget_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_concentratedcharge
    ADD CONSTRAINT surveys_concentratedcharge_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_concentratedcharge
    ADD CONSTRAINT surveys_concentratedcharge_release_id_key UNIQUE (release_id);
ALTER TABLE ONLY public.surveys_courseplatform
    ADD CONSTRAINT surveys_courseplatform_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_creditkey
    ADD CONSTRAINT surveys_creditkey_pkey PRIMARY KEY (survey_id);
ALTER TABLE public.surveys_creditkey CLUSTER ON surveys_creditkey_pkey;
ALTER TABLE ONLY public.surveys_decline
    ADD CONSTRAINT surveys_decline_pkey PRIMARY KEY (nonce_hash);
ALTER TABLE public.surveys_decline CLUSTER ON surveys_decline_pkey;
ALTER TABLE ONLY public.surveys_erasure
    ADD CONSTRAINT surveys_erasure_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_foldedpart
    ADD CONSTRAINT surveys_foldedpart_pkey PRIMARY KEY (id);
ALTER TABLE public.surveys_foldedpart CLUSTER ON surveys_foldedpart_pkey;
ALTER TABLE ONLY public.surveys_group
    ADD CONSTRAINT surveys_group_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_invitation
    ADD CONSTRAINT surveys_invitation_pkey PRIMARY KEY (token_hash);
ALTER TABLE public.surveys_invitation CLUSTER ON surveys_invitation_pkey;
ALTER TABLE ONLY public.surveys_lastrun
    ADD CONSTRAINT surveys_lastrun_pkey PRIMARY KEY (job);
ALTER TABLE ONLY public.surveys_ledgerentry
    ADD CONSTRAINT surveys_ledgerentry_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_ledgerentry
    ADD CONSTRAINT surveys_ledgerentry_release_id_key UNIQUE (release_id);
ALTER TABLE ONLY public.surveys_lesson
    ADD CONSTRAINT surveys_lesson_pkey PRIMARY KEY (survey_id);
ALTER TABLE ONLY public.surveys_lessonfinding
    ADD CONSTRAINT surveys_lessonfinding_pkey PRIMARY KEY (lesson_id, step, seed);
ALTER TABLE ONLY public.surveys_membership
    ADD CONSTRAINT surveys_membership_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_patterncount
    ADD CONSTRAINT surveys_patterncount_pkey PRIMARY KEY (id);
ALTER TABLE public.surveys_patterncount CLUSTER ON surveys_patterncount_pkey;
ALTER TABLE ONLY public.surveys_proposal
    ADD CONSTRAINT surveys_proposal_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_proposal
    ADD CONSTRAINT surveys_proposal_release_id_key UNIQUE (release_id);
ALTER TABLE ONLY public.surveys_proposal
    ADD CONSTRAINT surveys_proposal_request_key_key UNIQUE (request_key);
ALTER TABLE ONLY public.surveys_provideraccount
    ADD CONSTRAINT surveys_provideraccount_pkey PRIMARY KEY (user_id);
ALTER TABLE ONLY public.surveys_rehearsal
    ADD CONSTRAINT surveys_rehearsal_pkey PRIMARY KEY (survey_id);
ALTER TABLE ONLY public.surveys_release
    ADD CONSTRAINT surveys_release_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_release
    ADD CONSTRAINT surveys_release_request_key_key UNIQUE (request_key);
ALTER TABLE ONLY public.surveys_releasepart
    ADD CONSTRAINT surveys_releasepart_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_response
    ADD CONSTRAINT surveys_response_pkey PRIMARY KEY (nonce_hash);
ALTER TABLE public.surveys_response CLUSTER ON surveys_response_pkey;
ALTER TABLE ONLY public.surveys_roleinvitation
    ADD CONSTRAINT surveys_roleinvitation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_roleinvitation
    ADD CONSTRAINT surveys_roleinvitation_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.surveys_savedversion
    ADD CONSTRAINT surveys_savedversion_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_signin
    ADD CONSTRAINT surveys_signin_pkey PRIMARY KEY (session_key);
ALTER TABLE ONLY public.surveys_signupinvitation
    ADD CONSTRAINT surveys_signupinvitation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_signupinvitation
    ADD CONSTRAINT surveys_signupinvitation_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.surveys_spentnonces
    ADD CONSTRAINT surveys_spentnonces_pkey PRIMARY KEY (survey_id, prefix);
ALTER TABLE public.surveys_spentnonces CLUSTER ON surveys_spentnonces_pkey;
ALTER TABLE ONLY public.surveys_spentreceipt
    ADD CONSTRAINT surveys_spentreceipt_pkey PRIMARY KEY (receipt_hash);
ALTER TABLE public.surveys_spentreceipt CLUSTER ON surveys_spentreceipt_pkey;
ALTER TABLE ONLY public.surveys_survey
    ADD CONSTRAINT surveys_survey_code_key UNIQUE (code);
ALTER TABLE ONLY public.surveys_survey
    ADD CONSTRAINT surveys_survey_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_toolkey
    ADD CONSTRAINT surveys_toolkey_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY public.surveys_tries
    ADD CONSTRAINT surveys_tries_name_hash_key UNIQUE (name_hash);
ALTER TABLE ONLY public.surveys_tries
    ADD CONSTRAINT surveys_tries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_waitingmail
    ADD CONSTRAINT surveys_waitingmail_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.surveys_waitingscore
    ADD CONSTRAINT surveys_waitingscore_pkey PRIMARY KEY (key);
ALTER TABLE public.surveys_waitingscore CLUSTER ON surveys_waitingscore_pkey;
ALTER TABLE ONLY public.surveys_waitingscore
    ADD CONSTRAINT waiting_score_once_a_student UNIQUE (survey_id, platform_id, line_item, subject);
CREATE INDEX auth_group_name_a6ea08ec_like ON public.auth_group USING btree (name varchar_pattern_ops);
CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON public.auth_group_permissions USING btree (group_id);
CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON public.auth_group_permissions USING btree (permission_id);
CREATE INDEX auth_permission_content_type_id_2f476e4b ON public.auth_permission USING btree (content_type_id);
CREATE INDEX auth_user_groups_group_id_97559544 ON public.auth_user_groups USING btree (group_id);
CREATE INDEX auth_user_groups_user_id_6a12ed8b ON public.auth_user_groups USING btree (user_id);
CREATE INDEX auth_user_user_permissions_permission_id_1fbb5f2c ON public.auth_user_user_permissions USING btree (permission_id);
CREATE INDEX auth_user_user_permissions_user_id_a95ead1b ON public.auth_user_user_permissions USING btree (user_id);
CREATE INDEX auth_user_username_6821ab7c_like ON public.auth_user USING btree (username varchar_pattern_ops);
CREATE INDEX django_admin_log_content_type_id_c4bce8eb ON public.django_admin_log USING btree (content_type_id);
CREATE INDEX django_admin_log_user_id_c564eba6 ON public.django_admin_log USING btree (user_id);
CREATE INDEX django_session_expire_date_a5c62663 ON public.django_session USING btree (expire_date);
CREATE INDEX django_session_session_key_c0390e0f_like ON public.django_session USING btree (session_key varchar_pattern_ops);
CREATE UNIQUE INDEX folded_part_unique_in_group ON public.surveys_foldedpart USING btree (survey_id, group_id, mode) WHERE (group_id IS NOT NULL);
CREATE UNIQUE INDEX folded_part_unique_without_group ON public.surveys_foldedpart USING btree (survey_id, mode) WHERE (group_id IS NULL);
CREATE INDEX otp_static_staticdevice_user_id_7f9cff2b ON public.otp_static_staticdevice USING btree (user_id);
CREATE INDEX otp_static_statictoken_device_id_74b7c7d1 ON public.otp_static_statictoken USING btree (device_id);
CREATE INDEX otp_static_statictoken_token_d0a51866 ON public.otp_static_statictoken USING btree (token);
CREATE INDEX otp_static_statictoken_token_d0a51866_like ON public.otp_static_statictoken USING btree (token varchar_pattern_ops);
CREATE INDEX otp_totp_totpdevice_user_id_0fb18292 ON public.otp_totp_totpdevice USING btree (user_id);
CREATE UNIQUE INDEX pattern_count_unique_in_group ON public.surveys_patterncount USING btree (survey_id, group_id, mode, reports) WHERE (group_id IS NOT NULL);
CREATE UNIQUE INDEX pattern_count_unique_without_group ON public.surveys_patterncount USING btree (survey_id, mode, reports) WHERE (group_id IS NULL);
CREATE INDEX response_of_survey_and_group ON public.surveys_response USING btree (survey_id, group_id, nonce_hash);
CREATE UNIQUE INDEX role_invitation_one_new_owner ON public.surveys_roleinvitation USING btree (survey_id) WHERE ownership;
CREATE INDEX surveys_accesstoken_maker_id_37bb9835 ON public.surveys_accesstoken USING btree (maker_id);
CREATE INDEX surveys_accesstoken_role_id_037c77c4 ON public.surveys_accesstoken USING btree (role_id);
CREATE INDEX surveys_accesstoken_survey_id_55d6c82d ON public.surveys_accesstoken USING btree (survey_id);
CREATE INDEX surveys_accountname_skeleton_05cabe69_like ON public.surveys_accountname USING btree (skeleton varchar_pattern_ops);
CREATE INDEX surveys_cellcount_survey_id_4a2ac573 ON public.surveys_cellcount USING btree (survey_id);
CREATE INDEX surveys_concentratedbudget_created_by_id_99bd4536 ON public.surveys_concentratedbudget USING btree (created_by_id);
CREATE INDEX surveys_concentratedcharge_release_id_da949a0a_like ON public.surveys_concentratedcharge USING btree (release_id varchar_pattern_ops);
CREATE INDEX surveys_decline_survey_id_ebad09bb ON public.surveys_decline USING btree (survey_id);
CREATE INDEX surveys_erasure_survey_id_dfcb5e4a ON public.surveys_erasure USING btree (survey_id);
CREATE INDEX surveys_foldedpart_survey_id_f0d98741 ON public.surveys_foldedpart USING btree (survey_id);
CREATE INDEX surveys_group_slug_55158f03 ON public.surveys_group USING btree (slug);
CREATE INDEX surveys_group_slug_55158f03_like ON public.surveys_group USING btree (slug varchar_pattern_ops);
CREATE INDEX surveys_group_survey_id_8704ed0e ON public.surveys_group USING btree (survey_id);
CREATE INDEX surveys_invitation_survey_id_d0534764 ON public.surveys_invitation USING btree (survey_id);
CREATE INDEX surveys_lastrun_job_e75cd123_like ON public.surveys_lastrun USING btree (job varchar_pattern_ops);
CREATE INDEX surveys_ledgerentry_budget_id_5cea3bcf ON public.surveys_ledgerentry USING btree (budget_id);
CREATE INDEX surveys_ledgerentry_created_by_id_0485c77c ON public.surveys_ledgerentry USING btree (created_by_id);
CREATE INDEX surveys_ledgerentry_publication_id_1fa8795a ON public.surveys_ledgerentry USING btree (publication_id);
CREATE INDEX surveys_ledgerentry_publication_id_1fa8795a_like ON public.surveys_ledgerentry USING btree (publication_id varchar_pattern_ops);
CREATE INDEX surveys_ledgerentry_release_id_f98c1497_like ON public.surveys_ledgerentry USING btree (release_id varchar_pattern_ops);
CREATE INDEX surveys_membership_invited_by_id_c67424c1 ON public.surveys_membership USING btree (invited_by_id);
CREATE INDEX surveys_membership_survey_id_f3c38fcb ON public.surveys_membership USING btree (survey_id);
CREATE INDEX surveys_membership_user_id_da7d1a13 ON public.surveys_membership USING btree (user_id);
CREATE INDEX surveys_patterncount_survey_id_82bab111 ON public.surveys_patterncount USING btree (survey_id);
CREATE INDEX surveys_proposal_decided_by_id_f90552d2 ON public.surveys_proposal USING btree (decided_by_id);
CREATE INDEX surveys_proposal_proposed_by_id_2dbaa489 ON public.surveys_proposal USING btree (proposed_by_id);
CREATE INDEX surveys_proposal_release_id_2d64bd0a_like ON public.surveys_proposal USING btree (release_id varchar_pattern_ops);
CREATE INDEX surveys_proposal_survey_id_6502a6ff ON public.surveys_proposal USING btree (survey_id);
CREATE INDEX surveys_release_created_by_id_575210c2 ON public.surveys_release USING btree (created_by_id);
CREATE INDEX surveys_release_id_f11a2f32_like ON public.surveys_release USING btree (id varchar_pattern_ops);
CREATE INDEX surveys_release_survey_id_eac86041 ON public.surveys_release USING btree (survey_id);
CREATE INDEX surveys_releasepart_release_id_12befa93 ON public.surveys_releasepart USING btree (release_id);
CREATE INDEX surveys_releasepart_release_id_12befa93_like ON public.surveys_releasepart USING btree (release_id varchar_pattern_ops);
CREATE INDEX surveys_roleinvitation_invited_by_id_38904b02 ON public.surveys_roleinvitation USING btree (invited_by_id);
CREATE INDEX surveys_roleinvitation_survey_id_2606023e ON public.surveys_roleinvitation USING btree (survey_id);
CREATE INDEX surveys_roleinvitation_user_id_d56c128f ON public.surveys_roleinvitation USING btree (user_id);
CREATE INDEX surveys_savedversion_saved_by_id_039130b0 ON public.surveys_savedversion USING btree (saved_by_id);
CREATE INDEX surveys_savedversion_survey_id_80e07830 ON public.surveys_savedversion USING btree (survey_id);
CREATE INDEX surveys_signin_expire_date_37e43d16 ON public.surveys_signin USING btree (expire_date);
CREATE INDEX surveys_signin_session_key_f80189d8_like ON public.surveys_signin USING btree (session_key varchar_pattern_ops);
CREATE INDEX surveys_signin_user_id_72fcfc8f ON public.surveys_signin USING btree (user_id);
CREATE INDEX surveys_signupinvitation_invited_by_id_55735a1e ON public.surveys_signupinvitation USING btree (invited_by_id);
CREATE INDEX surveys_spentreceipt_survey_id_3211bf3d ON public.surveys_spentreceipt USING btree (survey_id);
CREATE INDEX surveys_survey_code_35c11e1e_like ON public.surveys_survey USING btree (code varchar_pattern_ops);
CREATE INDEX surveys_survey_owner_id_44e8c771 ON public.surveys_survey USING btree (owner_id);
CREATE INDEX surveys_survey_previous_id_ff4f84dc ON public.surveys_survey USING btree (previous_id);
CREATE INDEX surveys_survey_rehearsal_of_id_8b1ccc8b ON public.surveys_survey USING btree (rehearsal_of_id);
CREATE INDEX surveys_toolkey_key_id_716998d3_like ON public.surveys_toolkey USING btree (key_id varchar_pattern_ops);
CREATE INDEX surveys_tries_window_d639c32a ON public.surveys_tries USING btree ("window");
CREATE INDEX surveys_waitingscore_platform_id_a3ffd95d ON public.surveys_waitingscore USING btree (platform_id);
CREATE INDEX surveys_waitingscore_survey_id_d0df5704 ON public.surveys_waitingscore USING btree (survey_id);
CREATE TRIGGER guard_budget_delete BEFORE DELETE ON public.surveys_budget FOR EACH ROW EXECUTE FUNCTION public.guard_budget_delete();
CREATE TRIGGER guard_budget_insert BEFORE INSERT ON public.surveys_budget FOR EACH ROW EXECUTE FUNCTION public.guard_budget_insert();
CREATE TRIGGER guard_budget_rehearsal BEFORE INSERT ON public.surveys_budget FOR EACH ROW EXECUTE FUNCTION public.guard_budget_rehearsal();
CREATE TRIGGER guard_budget_update BEFORE UPDATE ON public.surveys_budget FOR EACH ROW EXECUTE FUNCTION public.guard_budget_update();
CREATE TRIGGER guard_budget_update_whole BEFORE UPDATE ON public.surveys_budget FOR EACH ROW EXECUTE FUNCTION public.guard_budget_update_whole();
CREATE TRIGGER guard_cellcount_delete BEFORE DELETE ON public.surveys_cellcount FOR EACH ROW EXECUTE FUNCTION public.guard_cellcount_delete();
CREATE TRIGGER guard_cellcount_insert BEFORE INSERT ON public.surveys_cellcount FOR EACH ROW EXECUTE FUNCTION public.guard_cellcount_insert();
CREATE TRIGGER guard_cellcount_update BEFORE UPDATE ON public.surveys_cellcount FOR EACH ROW EXECUTE FUNCTION public.guard_cellcount_update();
CREATE TRIGGER guard_concentratedbudget_delete BEFORE DELETE ON public.surveys_concentratedbudget FOR EACH ROW EXECUTE FUNCTION public.guard_concentratedbudget_delete();
CREATE TRIGGER guard_concentratedbudget_insert BEFORE INSERT ON public.surveys_concentratedbudget FOR EACH ROW EXECUTE FUNCTION public.guard_concentratedbudget_insert();
CREATE TRIGGER guard_concentratedbudget_insert_whole BEFORE INSERT ON public.surveys_concentratedbudget FOR EACH ROW EXECUTE FUNCTION public.guard_concentratedbudget_insert_whole();
CREATE TRIGGER guard_concentratedbudget_update BEFORE UPDATE ON public.surveys_concentratedbudget FOR EACH ROW EXECUTE FUNCTION public.guard_concentratedbudget_update();
CREATE TRIGGER guard_concentratedcharge_delete BEFORE DELETE ON public.surveys_concentratedcharge FOR EACH ROW EXECUTE FUNCTION public.guard_concentratedcharge_delete();
CREATE TRIGGER guard_concentratedcharge_insert BEFORE INSERT ON public.surveys_concentratedcharge FOR EACH ROW EXECUTE FUNCTION public.guard_concentratedcharge_insert();
CREATE TRIGGER guard_concentratedcharge_insert_whole BEFORE INSERT ON public.surveys_concentratedcharge FOR EACH ROW EXECUTE FUNCTION public.guard_concentratedcharge_insert_whole();
CREATE TRIGGER guard_concentratedcharge_moves_budget AFTER INSERT ON public.surveys_concentratedcharge FOR EACH ROW EXECUTE FUNCTION public.guard_concentratedcharge_moves_budget();
CREATE TRIGGER guard_concentratedcharge_update BEFORE UPDATE ON public.surveys_concentratedcharge FOR EACH ROW EXECUTE FUNCTION public.guard_concentratedcharge_update();
CREATE TRIGGER guard_creditkey_insert BEFORE INSERT ON public.surveys_creditkey FOR EACH ROW EXECUTE FUNCTION public.guard_creditkey_insert();
CREATE TRIGGER guard_creditkey_update BEFORE UPDATE ON public.surveys_creditkey FOR EACH ROW EXECUTE FUNCTION public.guard_creditkey_update();
CREATE TRIGGER guard_decline_insert_late BEFORE INSERT ON public.surveys_decline FOR EACH ROW EXECUTE FUNCTION public.guard_decline_insert_late();
CREATE TRIGGER guard_decline_update_late BEFORE UPDATE ON public.surveys_decline FOR EACH ROW EXECUTE FUNCTION public.guard_decline_update_late();
CREATE TRIGGER guard_foldedpart_delete BEFORE DELETE ON public.surveys_foldedpart FOR EACH ROW EXECUTE FUNCTION public.guard_foldedpart_delete();
CREATE TRIGGER guard_foldedpart_insert BEFORE INSERT ON public.surveys_foldedpart FOR EACH ROW EXECUTE FUNCTION public.guard_foldedpart_insert();
CREATE TRIGGER guard_foldedpart_update BEFORE UPDATE ON public.surveys_foldedpart FOR EACH ROW EXECUTE FUNCTION public.guard_foldedpart_update();
CREATE TRIGGER guard_invitation_insert_late BEFORE INSERT ON public.surveys_invitation FOR EACH ROW EXECUTE FUNCTION public.guard_invitation_insert_late();
CREATE TRIGGER guard_invitation_update BEFORE UPDATE ON public.surveys_invitation FOR EACH ROW EXECUTE FUNCTION public.guard_invitation_update();
CREATE TRIGGER guard_invitation_update_late BEFORE UPDATE ON public.surveys_invitation FOR EACH ROW EXECUTE FUNCTION public.guard_invitation_update_late();
CREATE TRIGGER guard_ledgerentry_concentrated BEFORE INSERT ON public.surveys_ledgerentry FOR EACH ROW EXECUTE FUNCTION public.guard_ledgerentry_concentrated();
CREATE TRIGGER guard_ledgerentry_delete BEFORE DELETE ON public.surveys_ledgerentry FOR EACH ROW EXECUTE FUNCTION public.guard_ledgerentry_delete();
CREATE TRIGGER guard_ledgerentry_insert BEFORE INSERT ON public.surveys_ledgerentry FOR EACH ROW EXECUTE FUNCTION public.guard_ledgerentry_insert();
CREATE TRIGGER guard_ledgerentry_insert_whole BEFORE INSERT ON public.surveys_ledgerentry FOR EACH ROW EXECUTE FUNCTION public.guard_ledgerentry_insert_whole();
CREATE TRIGGER guard_ledgerentry_moves_budget AFTER INSERT ON public.surveys_ledgerentry FOR EACH ROW EXECUTE FUNCTION public.guard_ledgerentry_moves_budget();
CREATE TRIGGER guard_ledgerentry_name BEFORE INSERT ON public.surveys_ledgerentry FOR EACH ROW EXECUTE FUNCTION public.guard_ledgerentry_name();
CREATE TRIGGER guard_ledgerentry_shows_release AFTER INSERT ON public.surveys_ledgerentry FOR EACH ROW EXECUTE FUNCTION public.guard_ledgerentry_shows_release();
CREATE TRIGGER guard_ledgerentry_time BEFORE INSERT ON public.surveys_ledgerentry FOR EACH ROW EXECUTE FUNCTION public.guard_ledgerentry_time();
CREATE TRIGGER guard_ledgerentry_update BEFORE UPDATE ON public.surveys_ledgerentry FOR EACH ROW EXECUTE FUNCTION public.guard_ledgerentry_update();
CREATE TRIGGER guard_patterncount_delete BEFORE DELETE ON public.surveys_patterncount FOR EACH ROW EXECUTE FUNCTION public.guard_patterncount_delete();
CREATE TRIGGER guard_patterncount_insert BEFORE INSERT ON public.surveys_patterncount FOR EACH ROW EXECUTE FUNCTION public.guard_patterncount_insert();
CREATE TRIGGER guard_patterncount_update BEFORE UPDATE ON public.surveys_patterncount FOR EACH ROW EXECUTE FUNCTION public.guard_patterncount_update();
CREATE TRIGGER guard_proposal_delete BEFORE DELETE ON public.surveys_proposal FOR EACH ROW EXECUTE FUNCTION public.guard_proposal_delete();
CREATE TRIGGER guard_proposal_insert BEFORE INSERT ON public.surveys_proposal FOR EACH ROW EXECUTE FUNCTION public.guard_proposal_insert();
CREATE TRIGGER guard_proposal_insert_whole BEFORE INSERT ON public.surveys_proposal FOR EACH ROW EXECUTE FUNCTION public.guard_proposal_insert_whole();
CREATE TRIGGER guard_proposal_update BEFORE UPDATE ON public.surveys_proposal FOR EACH ROW EXECUTE FUNCTION public.guard_proposal_update();
CREATE TRIGGER guard_release_delete BEFORE DELETE ON public.surveys_release FOR EACH ROW EXECUTE FUNCTION public.guard_release_delete();
CREATE TRIGGER guard_release_exact_figures BEFORE UPDATE ON public.surveys_release FOR EACH ROW EXECUTE FUNCTION public.guard_release_exact_figures();
CREATE TRIGGER guard_release_insert BEFORE INSERT ON public.surveys_release FOR EACH ROW EXECUTE FUNCTION public.guard_release_insert();
CREATE TRIGGER guard_release_insert_whole BEFORE INSERT ON public.surveys_release FOR EACH ROW EXECUTE FUNCTION public.guard_release_insert_whole();
CREATE TRIGGER guard_release_update BEFORE UPDATE ON public.surveys_release FOR EACH ROW EXECUTE FUNCTION public.guard_release_update();
CREATE TRIGGER guard_releasepart_delete BEFORE DELETE ON public.surveys_releasepart FOR EACH ROW EXECUTE FUNCTION public.guard_releasepart_delete();
CREATE TRIGGER guard_releasepart_insert BEFORE INSERT ON public.surveys_releasepart FOR EACH ROW EXECUTE FUNCTION public.guard_releasepart_insert();
CREATE TRIGGER guard_releasepart_insert_whole BEFORE INSERT ON public.surveys_releasepart FOR EACH ROW EXECUTE FUNCTION public.guard_releasepart_insert_whole();
CREATE TRIGGER guard_releasepart_update BEFORE UPDATE ON public.surveys_releasepart FOR EACH ROW EXECUTE FUNCTION public.guard_releasepart_update();
CREATE TRIGGER guard_response_insert_late BEFORE INSERT ON public.surveys_response FOR EACH ROW EXECUTE FUNCTION public.guard_response_insert_late();
CREATE TRIGGER guard_response_resent BEFORE INSERT ON public.surveys_response FOR EACH ROW EXECUTE FUNCTION public.guard_response_resent();
CREATE TRIGGER guard_response_update_late BEFORE UPDATE ON public.surveys_response FOR EACH ROW EXECUTE FUNCTION public.guard_response_update_late();
CREATE TRIGGER guard_spentnonces_insert_late BEFORE INSERT ON public.surveys_spentnonces FOR EACH ROW EXECUTE FUNCTION public.guard_spentnonces_insert_late();
CREATE TRIGGER guard_spentnonces_update_late BEFORE UPDATE ON public.surveys_spentnonces FOR EACH ROW EXECUTE FUNCTION public.guard_spentnonces_update_late();
CREATE TRIGGER guard_survey_delete BEFORE DELETE ON public.surveys_survey FOR EACH ROW EXECUTE FUNCTION public.guard_survey_delete();
CREATE TRIGGER guard_survey_descent BEFORE UPDATE ON public.surveys_survey FOR EACH ROW EXECUTE FUNCTION public.guard_survey_descent();
CREATE TRIGGER guard_survey_exact_figures BEFORE UPDATE ON public.surveys_survey FOR EACH ROW EXECUTE FUNCTION public.guard_survey_exact_figures();
CREATE TRIGGER guard_survey_insert BEFORE INSERT ON public.surveys_survey FOR EACH ROW EXECUTE FUNCTION public.guard_survey_insert();
CREATE TRIGGER guard_survey_partition BEFORE UPDATE ON public.surveys_survey FOR EACH ROW EXECUTE FUNCTION public.guard_survey_partition();
CREATE TRIGGER guard_survey_partition_first BEFORE INSERT ON public.surveys_survey FOR EACH ROW EXECUTE FUNCTION public.guard_survey_partition_first();
CREATE TRIGGER guard_survey_purge BEFORE UPDATE ON public.surveys_survey FOR EACH ROW EXECUTE FUNCTION public.guard_survey_purge();
CREATE TRIGGER guard_survey_purge_put_off BEFORE UPDATE ON public.surveys_survey FOR EACH ROW EXECUTE FUNCTION public.guard_survey_purge_put_off();
CREATE TRIGGER guard_survey_seal BEFORE UPDATE ON public.surveys_survey FOR EACH ROW EXECUTE FUNCTION public.guard_survey_seal();
CREATE TRIGGER guard_survey_state BEFORE UPDATE ON public.surveys_survey FOR EACH ROW EXECUTE FUNCTION public.guard_survey_state();
CREATE TRIGGER guard_survey_update BEFORE UPDATE ON public.surveys_survey FOR EACH ROW EXECUTE FUNCTION public.guard_survey_update();
CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON public.surveys_budget FOR EACH STATEMENT EXECUTE FUNCTION public.guard_truncate();
CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON public.surveys_cellcount FOR EACH STATEMENT EXECUTE FUNCTION public.guard_truncate();
CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON public.surveys_concentratedbudget FOR EACH STATEMENT EXECUTE FUNCTION public.guard_truncate();
CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON public.surveys_concentratedcharge FOR EACH STATEMENT EXECUTE FUNCTION public.guard_truncate();
CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON public.surveys_foldedpart FOR EACH STATEMENT EXECUTE FUNCTION public.guard_truncate();
CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON public.surveys_ledgerentry FOR EACH STATEMENT EXECUTE FUNCTION public.guard_truncate();
CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON public.surveys_patterncount FOR EACH STATEMENT EXECUTE FUNCTION public.guard_truncate();
CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON public.surveys_proposal FOR EACH STATEMENT EXECUTE FUNCTION public.guard_truncate();
CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON public.surveys_release FOR EACH STATEMENT EXECUTE FUNCTION public.guard_truncate();
CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON public.surveys_releasepart FOR EACH STATEMENT EXECUTE FUNCTION public.guard_truncate();
CREATE TRIGGER guard_truncate BEFORE TRUNCATE ON public.surveys_survey FOR EACH STATEMENT EXECUTE FUNCTION public.guard_truncate();
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_group_id_97559544_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_6a12ed8b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_content_type_id_c4bce8eb_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_user_id_c564eba6_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.otp_static_staticdevice
    ADD CONSTRAINT otp_static_staticdevice_user_id_7f9cff2b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.otp_static_statictoken
    ADD CONSTRAINT otp_static_statictok_device_id_74b7c7d1_fk_otp_stati FOREIGN KEY (device_id) REFERENCES public.otp_static_staticdevice(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.otp_totp_totpdevice
    ADD CONSTRAINT otp_totp_totpdevice_user_id_0fb18292_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_accesstoken
    ADD CONSTRAINT surveys_accesstoken_maker_id_37bb9835_fk_auth_user_id FOREIGN KEY (maker_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_accesstoken
    ADD CONSTRAINT surveys_accesstoken_role_id_037c77c4_fk_surveys_membership_id FOREIGN KEY (role_id) REFERENCES public.surveys_membership(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_accesstoken
    ADD CONSTRAINT surveys_accesstoken_survey_id_55d6c82d_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_accountname
    ADD CONSTRAINT surveys_accountname_user_id_82d1e332_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_budget
    ADD CONSTRAINT surveys_budget_survey_id_db1ecb6c_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_cellcount
    ADD CONSTRAINT surveys_cellcount_group_id_e6450df1_fk_surveys_group_id FOREIGN KEY (group_id) REFERENCES public.surveys_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_cellcount
    ADD CONSTRAINT surveys_cellcount_survey_id_4a2ac573_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_concentratedbudget
    ADD CONSTRAINT surveys_concentrated_budget_id_7c830958_fk_surveys_b FOREIGN KEY (budget_id) REFERENCES public.surveys_budget(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_concentratedbudget
    ADD CONSTRAINT surveys_concentrated_created_by_id_99bd4536_fk_auth_user FOREIGN KEY (created_by_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_concentratedcharge
    ADD CONSTRAINT surveys_concentrated_release_id_da949a0a_fk_surveys_r FOREIGN KEY (release_id) REFERENCES public.surveys_release(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_creditkey
    ADD CONSTRAINT surveys_creditkey_survey_id_3b1e9d1a_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_decline
    ADD CONSTRAINT surveys_decline_survey_id_ebad09bb_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_erasure
    ADD CONSTRAINT surveys_erasure_survey_id_dfcb5e4a_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_foldedpart
    ADD CONSTRAINT surveys_foldedpart_group_id_26e94629_fk_surveys_group_id FOREIGN KEY (group_id) REFERENCES public.surveys_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_foldedpart
    ADD CONSTRAINT surveys_foldedpart_survey_id_f0d98741_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_group
    ADD CONSTRAINT surveys_group_survey_id_8704ed0e_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_invitation
    ADD CONSTRAINT surveys_invitation_survey_id_d0534764_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_ledgerentry
    ADD CONSTRAINT surveys_ledgerentry_budget_id_5cea3bcf_fk_surveys_budget_id FOREIGN KEY (budget_id) REFERENCES public.surveys_budget(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_ledgerentry
    ADD CONSTRAINT surveys_ledgerentry_created_by_id_0485c77c_fk_auth_user_id FOREIGN KEY (created_by_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_ledgerentry
    ADD CONSTRAINT surveys_ledgerentry_publication_id_1fa8795a_fk_surveys_r FOREIGN KEY (publication_id) REFERENCES public.surveys_release(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_ledgerentry
    ADD CONSTRAINT surveys_ledgerentry_release_id_f98c1497_fk_surveys_release_id FOREIGN KEY (release_id) REFERENCES public.surveys_release(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_lesson
    ADD CONSTRAINT surveys_lesson_survey_id_4b1765d4_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_lessonfinding
    ADD CONSTRAINT surveys_lessonfindin_lesson_id_507dfa3f_fk_surveys_l FOREIGN KEY (lesson_id) REFERENCES public.surveys_lesson(survey_id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_membership
    ADD CONSTRAINT surveys_membership_invited_by_id_c67424c1_fk_auth_user_id FOREIGN KEY (invited_by_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_membership
    ADD CONSTRAINT surveys_membership_survey_id_f3c38fcb_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_membership
    ADD CONSTRAINT surveys_membership_user_id_da7d1a13_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_patterncount
    ADD CONSTRAINT surveys_patterncount_group_id_e817d523_fk_surveys_group_id FOREIGN KEY (group_id) REFERENCES public.surveys_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_patterncount
    ADD CONSTRAINT surveys_patterncount_survey_id_82bab111_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_proposal
    ADD CONSTRAINT surveys_proposal_decided_by_id_f90552d2_fk_auth_user_id FOREIGN KEY (decided_by_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_proposal
    ADD CONSTRAINT surveys_proposal_proposed_by_id_2dbaa489_fk_auth_user_id FOREIGN KEY (proposed_by_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_proposal
    ADD CONSTRAINT surveys_proposal_release_id_2d64bd0a_fk_surveys_release_id FOREIGN KEY (release_id) REFERENCES public.surveys_release(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_proposal
    ADD CONSTRAINT surveys_proposal_survey_id_6502a6ff_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_provideraccount
    ADD CONSTRAINT surveys_provideraccount_user_id_c9a5bd3d_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_rehearsal
    ADD CONSTRAINT surveys_rehearsal_survey_id_d959a156_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_release
    ADD CONSTRAINT surveys_release_created_by_id_575210c2_fk_auth_user_id FOREIGN KEY (created_by_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_release
    ADD CONSTRAINT surveys_release_survey_id_eac86041_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_releasepart
    ADD CONSTRAINT surveys_releasepart_release_id_12befa93_fk_surveys_release_id FOREIGN KEY (release_id) REFERENCES public.surveys_release(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_response
    ADD CONSTRAINT surveys_response_group_id_c9a6e041_fk_surveys_group_id FOREIGN KEY (group_id) REFERENCES public.surveys_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_response
    ADD CONSTRAINT surveys_response_survey_id_907701cf_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_roleinvitation
    ADD CONSTRAINT surveys_roleinvitation_invited_by_id_38904b02_fk_auth_user_id FOREIGN KEY (invited_by_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_roleinvitation
    ADD CONSTRAINT surveys_roleinvitation_survey_id_2606023e_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_roleinvitation
    ADD CONSTRAINT surveys_roleinvitation_user_id_d56c128f_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_savedversion
    ADD CONSTRAINT surveys_savedversion_saved_by_id_039130b0_fk_auth_user_id FOREIGN KEY (saved_by_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_savedversion
    ADD CONSTRAINT surveys_savedversion_survey_id_80e07830_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_signin
    ADD CONSTRAINT surveys_signin_user_id_72fcfc8f_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_signupinvitation
    ADD CONSTRAINT surveys_signupinvitation_invited_by_id_55735a1e_fk_auth_user_id FOREIGN KEY (invited_by_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_spentnonces
    ADD CONSTRAINT surveys_spentnonces_survey_id_bf44de8c_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_spentreceipt
    ADD CONSTRAINT surveys_spentreceipt_survey_id_3211bf3d_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_survey
    ADD CONSTRAINT surveys_survey_owner_id_44e8c771_fk_auth_user_id FOREIGN KEY (owner_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_survey
    ADD CONSTRAINT surveys_survey_previous_id_ff4f84dc_fk_surveys_survey_id FOREIGN KEY (previous_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_survey
    ADD CONSTRAINT surveys_survey_rehearsal_of_id_8b1ccc8b_fk_surveys_survey_id FOREIGN KEY (rehearsal_of_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_waitingscore
    ADD CONSTRAINT surveys_waitingscore_platform_id_a3ffd95d_fk_surveys_c FOREIGN KEY (platform_id) REFERENCES public.surveys_courseplatform(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.surveys_waitingscore
    ADD CONSTRAINT surveys_waitingscore_survey_id_d0df5704_fk_surveys_survey_id FOREIGN KEY (survey_id) REFERENCES public.surveys_survey(id) DEFERRABLE INITIALLY DEFERRED;
