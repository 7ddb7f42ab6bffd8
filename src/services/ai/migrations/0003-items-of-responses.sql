-- Also the items of responses: a call may name one instead of sending it. `response` is null for a response itself, which has
-- the tokens of all its turns; those of an item are among the output of its response. Null tokens are not known.
alter table ai_responses add column response text;
alter table ai_responses add column input_tokens bigint;
alter table ai_responses add column output_tokens bigint;
