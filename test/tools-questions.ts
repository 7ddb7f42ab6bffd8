// Questions to tools_find by people and models, each with the matching tools. Both lists were written before the ranking
// was changed. The ranking was tuned with the first; the second measures its quality for unseen questions.

/** The words, and the tools that are right: one, or several where the words mean either. */
export type Question = readonly [words: string, ...right: string[]]

export const TUNED: readonly Question[] = [
  ['create an API key', 'post_v1_account_keys'],
  ['who is signed in', 'get_v1_iam_me', 'get_v1_iam_sessions'],
  ['see failed webhook deliveries', 'get_v1_webhooks_by_id_deliveries'],
  ['how much did we spend this month', 'get_v1_billing_usage_summary', 'get_v1_billing_usage'],
  ['block a customer', 'patch_v1_iam_users_by_user'],
  ['check if an email is disposable', 'post_v1_risk_reference_resolve'],
  ['list recent errors', 'get_v1_errors'],
  ['send an event', 'post_v1_event'],
  ['undo an override', 'delete_v1_risk_reference_by_set'],
  ['rotate a webhook secret', 'post_v1_webhooks_by_id_secret'],
  ['add a teammate', 'post_v1_iam_invites', 'post_v1_iam_members'],
  ['what changed yesterday', 'get_v1_iam_audit'],
  ['call a language model', 'post_v1_chat_completions', 'post_v1_responses', 'post_v1_messages'],
  ['subscribe to events', 'post_v1_webhooks'],
  ['delete a project', 'delete_v1_projects_by_slug'],
  ['allow my website to call the API from browsers', 'post_v1_projects_by_slug_domains'],
  ['rename our organisation', 'patch_v1_iam_orgs_by_slug'],
  ['limit what a key may spend', 'patch_v1_account_keys_by_id', 'post_v1_account_keys'],
  ['cancel an invitation', 'delete_v1_iam_invites_by_id'],
  ['remove someone from the team', 'delete_v1_iam_members_by_user'],
  ['warn us before the money runs out', 'patch_v1_billing_settings'],
  ['show the log of model calls', 'get_v1_ai_requests'],
  ['import users from auth0', 'post_v1_iam_users_import'],
  ['is the service up', 'get_v1_health'],
  ['use another model when one fails', 'patch_v1_ai_settings'],
]

export const HELD_OUT: readonly Question[] = [
  ['revoke a leaked api key', 'delete_v1_account_keys_by_id'],
  ['who works in my company', 'get_v1_iam_members'],
  ['make somebody an admin', 'patch_v1_iam_members_by_user'],
  ['what did this cost per model', 'get_v1_billing_usage_summary'],
  ['how much money is left', 'get_v1_billing_balance'],
  ['look for a customer by email', 'get_v1_iam_users'],
  ['is this ip address a datacenter or vpn', 'post_v1_risk_reference_resolve'],
  ['resend webhooks that failed', 'post_v1_webhooks_by_id_resend'],
  ['check that my endpoint receives events', 'post_v1_webhooks_by_id_test'],
  ['confirm that we own a domain', 'post_v1_projects_by_slug_domains_by_host_verify'],
  ['log somebody out of all devices', 'delete_v1_iam_sessions_by_id'],
  ['what exceptions happened in production', 'get_v1_errors'],
  ['which models can I use', 'get_v1_models'],
  ['change my password', 'post_v1_iam_me_password'],
  ['register an oauth client', 'post_v1_iam_apps'],
]
