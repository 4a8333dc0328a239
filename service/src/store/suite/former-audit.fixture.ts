/** The statement of the audit's heads, as it was until the audit could be distributed by chain: Citus refuses a recursive CTE over a distributed table. */
export const formerHeadsText = `
  with recursive chains (chain) as (
    select min(chain) from audit
    union all
    select (select min(audit.chain) from audit where audit.chain > chains.chain) from chains where chains.chain is not null)
  select audit.chain, audit.seq, audit.hash from chains
  join audit on audit.chain = chains.chain and audit.seq = (select max(newest.seq) from audit as newest where newest.chain = chains.chain)
  order by audit.chain`

/** The time of the newest entry, as it was. */
export const formerNewestTimeText = `
  with recursive chains (chain) as (
    select min(chain) from audit
    union all
    select (select min(audit.chain) from audit where audit.chain > chains.chain) from chains where chains.chain is not null)
  select max(audit.at) as at from chains
  join audit on audit.chain = chains.chain and audit.seq = (select max(newest.seq) from audit as newest where newest.chain = chains.chain)`

/** The events of SMS codes, as they were: a join of a chain with a bucket. */
export const formerCodeEventsText = `
  select a.at, a.action, c.masked_pan from audit as a
  left join cards as c on c.bucket = $1 and c.card_id = a.subject and c.merchant_id = a.merchant_id where a.merchant_id = $2`

/** The verification funnel, as it was: the entries of a chain for each card of a bucket. */
export const formerFunnelText = `
  select count(*) as created,
    cast(coalesce(sum(case when exists (select 1 from audit as a where a.subject = newest.card_id) then 1 else 0 end), 0) as bigint) as sent
  from (select card_id, verified_at from cards where bucket = $1 and merchant_id = $2 order by created_at desc limit $5) as newest`

/** A page of deliveries with the types of their events, as it was: the bucket of the events was that of a derived table. */
export const formerDeliveryPageText = `
  select newest.*, (select o.type from outbox o where o.bucket = newest.bucket and o.event_id = newest.event_id) as type from (
    select bucket, event_id from deliveries where bucket = $1 and merchant_id = $2 limit $6) as newest`
