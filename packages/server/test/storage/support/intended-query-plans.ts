/** The query plans that SQLite may use, in the words of EXPLAIN QUERY PLAN. */

/** Intended scans: a whole small table, or an index in its own order up to a limit. */
const MEANT = [
  /^SCAN (catalog|signing_keys|receipt_keys|scopes|resources|trusted_issuers|sign_in_providers|company_sign_in|configured_records|admin_tokens|initial_access_tokens|webhooks|leases|migrations|database_state)\b/,
  /^SEARCH people USING INDEX people_by_age \((\(created_at,person_id\)|created_at)>\(?\?(,\?\))?\)$/,
  /^SEARCH (grants|sessions|known_devices|attempts|accepted|external_answers|device_requests|names|history|invitations|company_requests|member_links|mail_links|removed_factors|former_addresses|outbox|logout_notices) USING (?:COVERING )?INDEX (\w+_to_collect|names_reserved|member_links_pending|outbox_due) \(\w+<\?\)$/,
  /^SEARCH (mail_requests|outbox|logout_notices) USING (?:COVERING )?INDEX (mail_requests_due|outbox_due|logout_notices_due) \(due_at[<>]\?\)$/,
  /^SEARCH people USING (?:COVERING )?INDEX people_to_delete \(delete_at<\?\)$/,
  /^SEARCH companies USING INDEX companies_by_age \((\(created_at,company_id\)|created_at)>\(?\?(,\?\))?\)$/,
  /^SEARCH standings USING INDEX standings_untold \(written_at>\?\)$/,
  /^SEARCH members USING INDEX members_by_name \(partition=\? AND company_id=\? AND username>\?\)$/,
  /^SEARCH clients USING (COVERING )?INDEX clients_(by_version|connected|deleted|verified|to_forget) \(\w+[<>]\?\)$/,
  // Lists for operators, along their index up to a limit.
  /^SEARCH consents USING (COVERING )?INDEX sqlite_autoindex_consents_1 \((\(partition,owner_id,client_id\)>\(\?,\?,\?\)|partition=\? AND owner_id=\? AND client_id>\?)\)$/,
  /^SEARCH company_rules USING (COVERING )?INDEX sqlite_autoindex_company_rules_1 \(\(partition,company_id,client_id\)>\(\?,\?,\?\)\)$/,
  /^SEARCH people USING INDEX people_by_(username|email) \((username|email)>\? AND (username|email)<\?\)$/,
  /^SEARCH people USING INDEX people_(by_age|disabled|operators) \(\(created_at,person_id\)[<>]\(\?,\?\)\)$/,
  /^SEARCH clients USING INDEX clients_by_(name|age) \(.*\)$/,
  /^SEARCH companies USING INDEX companies_by_slug \(slug>\? AND slug<\?\)$/,
  /^SEARCH initial_access_tokens USING (COVERING )?INDEX initial_access_tokens_by_end \(expires_at[<>]\?\)$/,
  /^SEARCH admin_(tokens|requests) USING (COVERING )?INDEX admin_(tokens_by_end|requests_by_age) \(\w+[<>]\?\)$/,
  /^SCAN clients USING (COVERING )?INDEX clients_ending$/,
  /^SEARCH consents USING (COVERING )?INDEX consents_of_client_by_owner \(client_id=\? AND \(partition,owner_id\)>\(\?,\?\)\)$/,
  /^SEARCH k USING INDEX company_connections_of_client \(client_id=\? AND \(partition,company_id\)>\(\?,\?\)\)$/,
  /^SEARCH clients USING INDEX sqlite_autoindex_clients_1 \(client_id>\?\)$/,
  /^SEARCH subject_links USING INDEX subject_links_of_issuer \(issuer_id=\? AND \(created_at,link\)>\(\?,\?\)\)$/,
  /^SEARCH history USING INDEX history_of_owner \(partition=\? AND owner_id=\? AND \(at,entry_id\)<\(\?,\?\)\)$/,
  // One owner's history since something suspicious happened.
  /^SEARCH history USING INDEX history_of_owner \(partition=\? AND owner_id=\? AND at>\?\)$/,
  /^SEARCH refusals USING (COVERING )?INDEX refusals_(by_time|of_client) \((client_id=\? AND )?(\(at,request_id\)<\(\?,\?\)|at[<>]\?)\)$/,
  // The log of events: its newest end, a part in its order, or the events that wait.
  /^SEARCH events_waiting USING INDEX events_waiting_by_time \(at>\?\)$/,
  // Of those, at most as many as the caller takes.
  /^SCAN waiting$/,
  /^SEARCH events USING INTEGER PRIMARY KEY \(rowid([<>]\?( AND rowid<\?)?|=\?)\)$/,
  /^SEARCH events USING INDEX events_of_\w+ \(\w+=\? AND seq>\? AND seq<\?\)$/,
  /^SEARCH events USING COVERING INDEX events_by_time \(at>\?\)$/,
  /^SEARCH event_checkpoints USING INDEX sqlite_autoindex_event_checkpoints_1 \(kind=\?( AND seq>\?)?\)$/,
  // The deliveries of one webhook that are due, or a part of them in the order of the events; what housekeeping looks at.
  /^SEARCH webhook_deliveries (EXISTS )?USING (COVERING )?INDEX webhook_deliveries_due \(webhook_id=\? AND due_at[<>]\?\)$/,
  /^SEARCH webhook_deliveries USING (COVERING )?INDEX sqlite_autoindex_webhook_deliveries_1 \(webhook_id=\?( AND seq<\?)?\)$/,
  /^SEARCH webhook_deliveries USING INDEX webhook_deliveries_by_status \(webhook_id=\? AND status=\? AND seq<\?\)$/,
  /^SEARCH webhook_deliveries USING (COVERING )?INDEX webhook_deliveries_(late \(until|settled \(settled_at)[<>]\?\)$/,
  // The maximum over a few rows.
  /^SEARCH migrations$/,
  // The maximum over one person's factors.
  /^SEARCH f$/,
  // The one table of the ring that is emptied completely.
  /^SCAN accepted_\d( USING COVERING INDEX sqlite_autoindex_accepted_\d_1)?$/,
  /^SEARCH [age] USING (?:COVERING )?INDEX grants_(by_end|alarming) \(partition=\? AND owner_id=\? AND client_id=\? AND ended_at>\?\)$/,
  /^SEARCH grants USING INDEX grants_alarming_by_time \(partition=\? AND owner_id=\? AND ended_at<\?\)$/,
  // Derived tables of a few rows.
  /^(SCAN|SEARCH) (alarm_uses|collected|apps|issues|acting_people|g)$/,
  // The backlog of each kind, counted in one answer.
  /^SCAN (\(subquery-\d+\)|few|CONSTANT ROW)$/,
  /^SCAN consents USING INDEX sqlite_autoindex_consents_1$/,
];

/** Owners' tables: all other lookups use the partition and an id or owner, or the client. */
const DIRECT =
  /^SEARCH \w+ (EXISTS )?USING (COVERING )?INDEX \w+ \((?!partition=\?\))(partition=\? AND \w+=\?( AND \w+=\?)*|[a-z_]+=\?( AND [a-z_]+=\?)?)\)( LEFT-JOIN)?$/;

/** True: this step of a plan doesn't scan a partition, or the scan is intended. */
export function isMeant(step: string): boolean {
  return [...MEANT, DIRECT].some((allowed) => allowed.test(step));
}
