-- Lists and files of receipts by the day of refund, in the order of two refunds of one millisecond too. The sums of a day read the same index.

drop index receipt_summaries_refunded;

create index receipt_summaries_refunded on receipt_summaries (bucket, merchant_id, refunded_at desc, receipt_id desc, refunded_tiyin) where refunded_at > 0;
