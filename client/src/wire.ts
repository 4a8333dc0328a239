// Printed from contract/src by `npm run docs`.

/** A card as a merchant may keep it. */
export interface Card {
  /** Masked PAN: `8600***6311` in the spec profile, `860006******6311` in the subscribe profile. */
  readonly number: string
  /** Expiry: `0399` in the spec profile, `03/99` in the subscribe profile. */
  readonly expire: string
  /** The card token. It stays the same from cards.create to cards.remove. */
  readonly token: string
  /** Whether the token may be charged again and again; follows `save`. */
  readonly recurrent: boolean
  /** Whether the cardholder has verified the card by an SMS code. */
  readonly verify: boolean
  /** The kind of card by its prefix, from the table of this service. */
  readonly type: string
}

/** The payer as the merchant knows them; stored and returned as given. */
export interface Payer {
  readonly id?: string | null
  readonly phone?: string | null
  readonly email?: string | null
  readonly name?: string | null
  readonly ip?: string | null
}

/** A receipt as the service returns it. */
export interface Receipt {
  /** Receipt id: 24 lower-case hex digits. */
  readonly _id: string
  /** When it was created. Unix milliseconds, 0 when it has not happened. */
  readonly create_time: number
  /** When it was paid or held. Unix milliseconds, 0 when it has not happened. */
  readonly pay_time: number
  /** When it was cancelled. Unix milliseconds, 0 when it has not happened. */
  readonly cancel_time: number
  /** See the table of states. */
  readonly state: number
  /** Always 2: a receipt of this API. */
  readonly type: number
  /** Always false. */
  readonly external: boolean
  /** Always -1. */
  readonly operation: number
  readonly category: null
  /** Why the last payment failed: {code, message, data, reason}, `data` where the merchant refused; null when none failed. */
  readonly error: unknown
  readonly description: string
  /** Stored and returned as given. */
  readonly detail: Readonly<Record<string, unknown>> | null
  /** Tiyin. */
  readonly amount: number
  /** 860 (UZS, ISO 4217). */
  readonly currency: number
  /** Always 0. */
  readonly commission: number
  /** The merchant's fields with their titles; values are always strings. */
  readonly account: readonly {
    readonly name: string
    readonly title: string
    readonly value: string
    readonly main: boolean
  }[]
  readonly card: {
    readonly number: string
    /** YYMM, unlike in cards.*. */
    readonly expire: string
  } | null
  readonly merchant: {
    readonly _id: string
    readonly name: string
    readonly organization: string
    readonly address: string
    readonly business_id: string
    readonly epos: {
      readonly merchantId: string
      readonly terminalId: string
    }
    readonly date: number
    readonly logo: null
    readonly type: string
    readonly terms: null
  }
  readonly meta: {
    readonly source: string
    readonly owner: string
    /** Present once cancelled by this API: "subscribe". */
    readonly source_cancel?: string
  }
  /** The payer as the merchant knows them; stored and returned as given. */
  readonly payer: Payer | null
  readonly processing_id: null
}

/** The methods of a server, with their params and results; those of the browser are left out. */
export interface Methods {
  /** Returns the card of a token, and whether it is verified. */
  'cards.check': {
    params: {
      /** The card token, as cards.create gave it: 24 hex digits, an underscore, 43 letters and digits. */
      readonly token: string
    }
    result: {
      /** A card as a merchant may keep it. */
      readonly card: Card
    }
  }
  /** Removes a card. Its token stops working at once. */
  'cards.remove': {
    params: {
      /** The card token, as cards.create gave it: 24 hex digits, an underscore, 43 letters and digits. */
      readonly token: string
    }
    result: {
      readonly success: boolean
    }
  }
  /** Creates a receipt: a request to pay. */
  'receipts.create': {
    params: {
      /** Tiyin, a positive whole number: 500000 are 5,000 so'm. */
      readonly amount: number
      readonly account?: Readonly<Record<string, string | number | null>> | null | undefined
      readonly description?: string | null | undefined
      /** Any shape; stored and returned as given. */
      readonly detail?: object | null | undefined
      /** Whether a payment only holds the money until receipts.confirm_hold. */
      readonly hold?: boolean | null | undefined
    }
    result: {
      readonly receipt: Receipt
    }
  }
  /** Pays a receipt with a verified token. */
  'receipts.pay': {
    params: {
      /** Receipt id: 24 lower-case hex digits. */
      readonly id: string
      /** A verified card token of this merchant. */
      readonly token: string
      /** The payer as the merchant knows them; stored and returned as given. */
      readonly payer?: Payer | null | undefined
      /** Hold instead of debit; confirm within 7 days. */
      readonly hold?: boolean | null | undefined
    }
    result: {
      readonly receipt: Receipt
    }
  }
  /** Sends the receipt to a phone by SMS. */
  'receipts.send': {
    params: {
      /** Receipt id: 24 lower-case hex digits. */
      readonly id: string
      /** 9 to 15 digits, country code first. */
      readonly phone: string
    }
    result: {
      readonly success: boolean
    }
  }
  /** Cancels a receipt; money taken or held is returned. */
  'receipts.cancel': {
    params: {
      /** Receipt id: 24 lower-case hex digits. */
      readonly id: string
    }
    result: {
      readonly receipt: Receipt
    }
  }
  /** Returns the state of a receipt. */
  'receipts.check': {
    params: {
      /** Receipt id: 24 lower-case hex digits. */
      readonly id: string
    }
    result: {
      readonly state: number
    }
  }
  /** Returns a receipt. */
  'receipts.get': {
    params: {
      /** Receipt id: 24 lower-case hex digits. */
      readonly id: string
    }
    result: {
      readonly receipt: Receipt
    }
  }
  /** Lists the receipts of a range of days, newest first. */
  'receipts.get_all': {
    params: {
      /** At most 50. A string of digits is accepted too. */
      readonly count: number | string
      /** Unix milliseconds; its whole day in UTC+5. A string of digits is accepted too. */
      readonly from: number | string
      /** Unix milliseconds; its whole day in UTC+5. A string of digits is accepted too. */
      readonly to: number | string
      /** At most 1000. A string of digits is accepted too. */
      readonly offset?: number | string | null | undefined
    }
    result: readonly Receipt[]
  }
  /** Captures held money, all of it or a part. */
  'receipts.confirm_hold': {
    params: {
      /** Receipt id: 24 lower-case hex digits. */
      readonly id: string
      /** Tiyin, at most the amount held; absent: all of it. */
      readonly amount?: number | null | undefined
    }
    result: {
      readonly receipt: Receipt
    }
  }
  /** Stores the fiscal data of a paid receipt. */
  'receipts.set_fiscal_data': {
    params: {
      /** Receipt id: 24 lower-case hex digits. */
      readonly id: string
      readonly fiscal_data: {
        readonly receipt_id: number
        readonly qr_code_url: string
        readonly status_code?: number | null | undefined
        readonly message?: string | null | undefined
        readonly terminal_id?: string | null | undefined
        readonly date?: string | number | null | undefined
        readonly fiscal_sign?: string | number | null | undefined
      }
    }
    result: {
      readonly success: boolean
    }
  }
  /** Allows one of your pages to take cards with the hosted form. */
  'form.sessions.create': {
    params: {
      /** Origin of the page that contains the form, as in location.origin; in production it must be registered. */
      readonly origin: string
      /** Your own id of the payer. */
      readonly customer?: string | null | undefined
      /** `ask`: the cardholder may agree that the card is stored; `off`: the token pays once. */
      readonly save: "ask" | "off"
      /** Language of the form. */
      readonly locale?: "uz" | "ru" | "en" | null | undefined
      /** For the hosted page: the address of `origin` that the cardholder is sent to afterwards, with `tessera=done` or `tessera=cancelled` added to its query. */
      readonly return?: string | null | undefined
      /** How many cards may be submitted with it. */
      readonly attempts?: number | undefined
      /** Tiyin, shown to the payer, in the button too. Nothing is charged: your server pays a receipt afterwards. */
      readonly amount?: number | null | undefined
      /** Your order number, shown to the payer. */
      readonly order?: string | null | undefined
      /** Saved cards of the payer to choose from, by their ids. A card that is not yours, not verified, not stored for further payments, removed, or of another `customer` is left out. */
      readonly cards?: readonly string[] | null | undefined
    }
    result: {
      /** For the form on your page; returned only here. */
      readonly session: string
      /** Unix milliseconds. */
      readonly expires_at: number
      /** With `return`: the address of the hosted page. Send the cardholder there; the session is in its fragment. */
      readonly page?: string
    }
  }
  /** Returns the state of a session: on the hosted page the token once a card is verified, and what the payer chose. */
  'form.sessions.get': {
    params: {
      /** The session, as form.sessions.create gave it. */
      readonly session: string
    }
    result: {
      /** `open`: in progress; `done`: a card was verified; `cancelled`: the cardholder cancelled; `ended`: the time is over, and no card was verified. */
      readonly state: "open" | "done" | "cancelled" | "ended"
      /** When the session ends, unix milliseconds. */
      readonly expires_at: number
      /** A card as a merchant may keep it. */
      readonly card?: {
        /** Masked PAN: `8600***6311` in the spec profile, `860006******6311` in the subscribe profile. */
        readonly number: string
        /** Expiry: `0399` in the spec profile, `03/99` in the subscribe profile. */
        readonly expire: string
        /** The card token. It stays the same from cards.create to cards.remove. */
        readonly token: string
        /** Whether the token may be charged again and again; follows `save`. */
        readonly recurrent: boolean
        /** Whether the cardholder has verified the card by an SMS code. */
        readonly verify: boolean
        /** The kind of card by its prefix, from the table of this service. */
        readonly type: string
      }
      /** Id of the saved card that the payer picked from `cards`. Pay with the token that you have for it. */
      readonly picked?: string
      /** Ids of the saved cards that the payer asked to remove: call cards.remove with their tokens. */
      readonly removals?: readonly string[]
    }
  }
  /** Returns this API as an OpenRPC document. */
  'rpc.discover': {
    params: object
    result: {
      readonly openrpc: string
      readonly info: {
        readonly title: string
        readonly version: string
      }
      readonly methods: readonly unknown[]
    }
  }
}

export type MethodName = keyof Methods

/** Whether a method changes data: such a call carries an idempotency key. */
export const methodTable: { readonly [M in MethodName]: { readonly mutates: boolean } } = {
  'cards.check': { mutates: false },
  'cards.remove': { mutates: true },
  'receipts.create': { mutates: true },
  'receipts.pay': { mutates: true },
  'receipts.send': { mutates: true },
  'receipts.cancel': { mutates: true },
  'receipts.check': { mutates: false },
  'receipts.get': { mutates: false },
  'receipts.get_all': { mutates: false },
  'receipts.confirm_hold': { mutates: true },
  'receipts.set_fiscal_data': { mutates: true },
  'form.sessions.create': { mutates: true },
  'form.sessions.get': { mutates: false },
  'rpc.discover': { mutates: false },
}

/** Stable identifiers of the causes of errors; docs/reference/errors.md describes each. */
export const reasons = [
  'not_post', 'empty_body', 'byte_order_mark', 'invalid_utf8', 'lone_surrogate', 'invalid_json', 'query_not_allowed', 'not_an_object',
  'duplicate_key', 'forbidden_member', 'too_deep', 'too_many_members', 'batch_not_here', 'batch_empty', 'batch_too_long',
  'idempotency_in_batch', 'idempotency_key_invalid', 'invalid_request_id', 'invalid_version', 'method_missing', 'path_mismatch',
  'method_not_found', 'credential_in_browser', 'password_limit', 'not_from_dashboard', 'signed_out', 'password_must_change', 'role_too_low',
  'second_factor_required', 'confirmation_required', 'access_denied', 'merchant_unknown', 'server_only', 'password_scope',
  'origin_not_allowed', 'merchant_blocked', 'address_limit', 'block_limit', 'merchant_limit', 'sensitive_authentication_data',
  'pan_out_of_place', 'params_not_object', 'member_missing', 'member_invalid', 'card_number_format', 'card_number_check_digit',
  'card_number_no_route', 'expire_format', 'expire_month', 'expire_past', 'token_shape', 'amount_invalid', 'phone_invalid',
  'idempotency_mismatch', 'pan_limit', 'iin_limit', 'failure_limit', 'distinct_pan_limit', 'token_limit', 'phone_limit',
  'origin_not_registered', 'return_elsewhere', 'consent_unknown', 'session_required', 'session_origin', 'session_unknown', 'session_ended',
  'session_used_up', 'session_done', 'sign_in_refused', 'sign_in_locked', 'password_wrong', 'password_weak', 'setting_refused',
  'operator_refused', 'page_not_checked', 'script_changed', 'two_passwords_live', 'last_password', 'totp_wrong', 'passkey_refused',
  'passkey_exists', 'passkey_not_found', 'too_many_passkeys', 'phone_taken', 'test_only', 'request_not_found', 'request_not_replayable',
  'user_not_found', 'delivery_not_found', 'last_owner', 'card_not_found', 'card_deleted', 'card_ended', 'receipt_not_found', 'receipt_paid',
  'receipt_in_progress', 'receipt_cancelled', 'receipt_not_held', 'receipt_not_paid', 'account_field_missing', 'account_field_unknown',
  'amount_below_limit', 'amount_above_limit', 'amount_above_hold', 'card_not_verified', 'card_in_use', 'merchant_refused', 'cannot_cancel',
  'verification_stopped', 'code_not_requested', 'code_malformed', 'code_expired', 'tries_used_up', 'card_day_tries_used_up',
  'wrong_code_limit', 'wrong_code', 'resend_too_soon', 'send_limit_card', 'send_limit_phone', 'sms_country_not_served', 'sms_prefix_limit',
  'sms_cost_limit', 'sms_not_sent', 'sms_not_connected', 'card_expired', 'card_blocked', 'holder_mismatch', 'system_error',
  'network_timeout', 'network_unavailable', 'insufficient_funds', 'card_limit', 'declined', 'debit_failed', 'merchant_no_answer',
  'merchant_closing', 'payment_unknown', 'internal_error', 'overloaded', 'connection_busy', 'address_busy', 'draining', 'batch_time_over',
  'store_full', 'store_unavailable', 'outcome_unknown',
] as const

export type Reason = (typeof reasons)[number]

/** The same call may succeed a little later. */
export const retryableReasons: readonly Reason[] = [
  'overloaded', 'connection_busy', 'address_busy', 'draining', 'batch_time_over', 'store_full', 'store_unavailable', 'outcome_unknown',
]

export { receiptStates, type ReceiptState } from '@tessera/contract/receipt'
export { eventTypes, type CardEvent, type EventType, type PageChange, type PageEvent, type ReceiptEvent, type WebhookEvent } from '@tessera/contract/event'
