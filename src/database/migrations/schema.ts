/** What all migrations make, as `readSchema()` tells it. Written by `npm run schema`. */
export const SCHEMA = `
column api_tokens.created_at timestamp(3) with time zone not null
column api_tokens.digest bytea not null
column api_tokens.expires_at timestamp(3) with time zone
column api_tokens.id bigint not null
column api_tokens.name text not null
column api_tokens.scope text not null
column api_tokens.user_id bigint not null
column deletions.deleted_at timestamp(3) with time zone not null
column deletions.id bigint not null
column deletions.kind text not null
column deletions.moved_revision bigint
column deletions.revision bigint not null
column deletions.user_id bigint not null
column idempotency_keys.body text
column idempotency_keys.created_at timestamp(3) with time zone not null
column idempotency_keys.fingerprint bytea not null
column idempotency_keys.key text not null
column idempotency_keys.location text
column idempotency_keys.status integer
column idempotency_keys.user_id bigint not null
column plans.max_spaces integer
column plans.name text not null
column spaces.created_at timestamp(3) with time zone not null
column spaces.emoji text
column spaces.id bigint not null
column spaces.name text not null
column spaces.name_revision bigint not null
column spaces.position integer not null
column spaces.revision bigint not null
column spaces.updated_at timestamp(3) with time zone not null
column spaces.user_id bigint not null
column spaces.wins_count integer not null
column tags.created_at timestamp(3) with time zone not null
column tags.id bigint not null
column tags.name text not null
column tags.name_revision bigint not null
column tags.revision bigint not null
column tags.user_id bigint not null
column tags.wins_count integer not null
column users.changed_in bigint not null
column users.created_at timestamp(3) with time zone not null
column users.email text not null
column users.forgotten_revision bigint not null
column users.id bigint not null
column users.plan text not null
column users.revision bigint not null
column users.tags_count integer not null
column win_tags.occurred_on date not null
column win_tags.tag_id bigint not null
column win_tags.user_id bigint not null
column win_tags.win_id bigint not null
column wins.body text not null
column wins.created_at timestamp(3) with time zone not null
column wins.folded_body text not null
column wins.id bigint not null
column wins.occurred_on date not null
column wins.revision bigint not null
column wins.space_id bigint not null
column wins.space_revision bigint not null
column wins.updated_at timestamp(3) with time zone not null
column wins.user_id bigint not null
constraint ck_api_tokens_digest on api_tokens
constraint ck_api_tokens_name on api_tokens
constraint ck_api_tokens_scope on api_tokens
constraint ck_deletions_kind on deletions
constraint ck_idempotency_keys_key on idempotency_keys
constraint ck_plans_max_spaces on plans
constraint ck_spaces_emoji on spaces
constraint ck_spaces_name on spaces
constraint ck_spaces_wins_count on spaces
constraint ck_tags_name on tags
constraint ck_tags_wins_count on tags
constraint ck_users_email on users
constraint ck_users_tags_count on users
constraint ck_wins_body on wins
constraint fk_api_tokens_user_id on api_tokens
constraint fk_deletions_user_id on deletions
constraint fk_idempotency_keys_user_id on idempotency_keys
constraint fk_spaces_user_id on spaces
constraint fk_tags_user_id on tags
constraint fk_users_plan on users
constraint fk_win_tags_tag_id on win_tags
constraint fk_win_tags_win_id on win_tags
constraint fk_wins_space_id on wins
constraint fk_wins_user_id on wins
constraint pk_api_tokens on api_tokens
constraint pk_deletions on deletions
constraint pk_idempotency_keys on idempotency_keys
constraint pk_plans on plans
constraint pk_spaces on spaces
constraint pk_tags on tags
constraint pk_users on users
constraint pk_win_tags on win_tags
constraint pk_wins on wins
constraint uq_wins_occurred_on on wins
function admit_truncate 26ec53d773653f19d98992c4a3897808
function count_tags_of_users 7903a9c6d8ae2031a07a13b56d6aeeff
function count_wins_of_spaces 8bb18f60afd15cac04b29ebdf4e0fc2f
function count_wins_of_tags 51671548fd7ce82acbd145aed5d04bd3
function fold_body 26f2aaee2bca4128bc562ed5ead31291
function fold_case
function forget_revisions 91bfa7019cd766e37609e7e09db229ec
function limit_api_tokens 86948e32d90521665a979fbd9b301a75
function limit_spaces a4c63e97b380e4abf1201d709edc48f7
function limit_tags 4b70df5c71cce7d7bad922ee79223acf
function notify_api_tokens 8192d87a5702bb25807a3ba812e45460
function notify_api_tokens_truncate 65f1f519130d88b27699250e5545cc01
function place_space a7980bc141fea14e3b140a4743597013
function raise_revision 707e81b12ea63319f657ecb9ba02e396
function remember_space 2602f6b32442d10230862d43a6974c78
function remember_tags 4c31827388a4a824a77eec1ca778f287
function remember_wins f2961784cea710fb601a406d53f1821a
function stamp_inserted_tags 236ac1206b8892de13393f5164cf16b2
function stamp_inserted_wins 233b5a3324cbd18459824f07e7a81ada
function stamp_name_revision 73ed0aa57da7dc9b8202aceb251bc4b8
function stamp_revision ddcd15a9dd11ceaaa0c1d8584307d34e
function stamp_space_revision 641aa0c892117665c0cdd51abbc66201
function stamp_wins 7973834b5deb69220054a04205dc65d8
function start_tags_count 5851b5205c44ece397ae4b9e0fde603f
function start_wins_count 4f4f78e59e23e01e7ff718a569418fdb
function touch_updated_at 988731854ae50945af0dc62177d44f42
index idx_api_tokens_digest on api_tokens (digest)
index idx_api_tokens_expires_at on api_tokens (user_id, expires_at)
index idx_deletions_deleted_at on deletions (deleted_at)
index idx_deletions_revision on deletions (user_id, revision, kind, id)
index idx_idempotency_keys_created_at on idempotency_keys (created_at)
index idx_spaces_position on spaces (user_id, position, id)
index idx_tags_name on tags (user_id, name)
index idx_win_tags_tag_id on win_tags (user_id, tag_id, occurred_on, win_id)
index idx_wins_created_at on wins (user_id, created_at, id)
index idx_wins_folded_body on wins (user_id, folded_body)
index idx_wins_occurred_on on wins (user_id, occurred_on, id)
index idx_wins_revision on wins (user_id, revision, id)
index idx_wins_space_id on wins (user_id, space_id, occurred_on, id)
index idx_wins_updated_at on wins (user_id, updated_at, id)
trigger trg_api_tokens_limit on api_tokens
trigger trg_api_tokens_move_limit on api_tokens
trigger trg_api_tokens_notify on api_tokens
trigger trg_api_tokens_notify_truncate on api_tokens
trigger trg_spaces_forget on spaces
trigger trg_spaces_limit on spaces
trigger trg_spaces_move_limit on spaces
trigger trg_spaces_place on spaces
trigger trg_spaces_remember on spaces
trigger trg_spaces_stamp_name on spaces
trigger trg_spaces_stamp_update on spaces
trigger trg_spaces_start on spaces
trigger trg_spaces_touch on spaces
trigger trg_tags_admit_truncate on tags
trigger trg_tags_delete on tags
trigger trg_tags_forget on tags
trigger trg_tags_insert on tags
trigger trg_tags_limit on users
trigger trg_tags_move on tags
trigger trg_tags_remember on tags
trigger trg_tags_stamp_insert on tags
trigger trg_tags_stamp_name on tags
trigger trg_tags_stamp_update on tags
trigger trg_tags_start on tags
trigger trg_tags_truncate on tags
trigger trg_users_start on users
trigger trg_win_tags_admit_truncate on win_tags
trigger trg_win_tags_delete on win_tags
trigger trg_win_tags_forget on win_tags
trigger trg_win_tags_insert on win_tags
trigger trg_win_tags_stamp_delete on win_tags
trigger trg_win_tags_stamp_insert on win_tags
trigger trg_win_tags_stamp_update on win_tags
trigger trg_win_tags_truncate on win_tags
trigger trg_win_tags_update on win_tags
trigger trg_wins_admit_truncate on wins
trigger trg_wins_delete on wins
trigger trg_wins_fold on wins
trigger trg_wins_forget on wins
trigger trg_wins_insert on wins
trigger trg_wins_remember on wins
trigger trg_wins_stamp_insert on wins
trigger trg_wins_stamp_space on wins
trigger trg_wins_stamp_update on wins
trigger trg_wins_touch on wins
trigger trg_wins_truncate on wins
trigger trg_wins_update on wins
unique index pk_api_tokens on api_tokens (user_id, id)
unique index pk_deletions on deletions (user_id, kind, id)
unique index pk_idempotency_keys on idempotency_keys (user_id, key)
unique index pk_plans on plans (name)
unique index pk_spaces on spaces (user_id, id)
unique index pk_tags on tags (user_id, id)
unique index pk_users on users (id)
unique index pk_win_tags on win_tags (user_id, win_id, tag_id)
unique index pk_wins on wins (user_id, id)
unique index uq_tags_name on tags (user_id, expression)
unique index uq_users_email on users (expression)
unique index uq_wins_occurred_on on wins (user_id, id, occurred_on)
`;
