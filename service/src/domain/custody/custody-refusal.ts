/** Why a step of a ceremony was refused; `detail` says more, and nothing of a share. */
export class CustodyRefusal {
  readonly reason: CustodyRefusalReason
  readonly detail: string

  constructor(reason: CustodyRefusalReason, detail = '') {
    this.reason = reason
    this.detail = detail
  }
}

export type CustodyRefusalReason =
  | 'shares_being_taken'
  | 'no_shares_to_take'
  | 'core_dumps_on'
  | 'share_malformed'
  | 'share_of_other_set'
  | 'share_of_retired_set'
  | 'share_not_needed'
  | 'share_repeated'
  | 'custodian_repeated'
  | 'shares_not_of_set'
  | 'set_open'
  | 'set_not_open'
  | 'share_backoff'
