interface TesseraOptions {
    /** The address of the service, without `/api`: `http://127.0.0.1:8080`. */
    readonly url: string;
    readonly merchantId: string;
    /** For servers only: never send it to a browser. */
    readonly password: string;
    /** Timeout of one attempt, milliseconds. Default 20,000: the service itself waits 12 s for a card network. */
    readonly timeoutMs?: number;
    /** How often a call is retried when that is safe, 0 to 10. Default 2. */
    readonly retriesMax?: number;
    /** The language of `message`. Default en. */
    readonly language?: 'en' | 'ru' | 'uz';
    /** Replaces `fetch`, for proxies and tests. */
    readonly fetch?: typeof fetch;
}
interface CallOptions {
    /**
     * Identifies the call for 24 hours, so that it is carried out once: 1 to 255 visible ASCII characters. The library generates one for each
     * call. Pass your own, built from the order's id and the operation, to be safe across restarts of your process too.
     */
    readonly idempotencyKey?: string | undefined;
    /** Aborts the call, its retries and the delays between them. */
    readonly signal?: AbortSignal | undefined;
}/** The states of a receipt (docs/reference/wire.md#receipts), by name; the numbers are the wire's. */
declare const receiptStates: {
    readonly created: 0;
    readonly checking: 1;
    readonly debiting: 2;
    readonly awaitingMerchant: 3;
    readonly paid: 4;
    readonly held: 5;
    readonly holding: 6;
    readonly unknown: 20;
    readonly returning: 21;
    readonly cancelled: 50;
};
type ReceiptState = (typeof receiptStates)[keyof typeof receiptStates];/** The events of a merchant's webhook (docs/reference/wire.md#events). They name the card by its id, never by its token. */
declare const eventTypes: readonly ["card.verified", "card.removed", "card.expired", "receipt.paid", "receipt.held", "receipt.cancelled", "receipt.failed", "page.changed"];
type EventType = (typeof eventTypes)[number];
interface CardEvent {
    readonly card: {
        readonly id: string;
        readonly number: string;
        /** `03/99`: webhooks are written as the subscribe profile, whatever the profile of the call. */
        readonly expire: string;
        readonly verify: boolean;
        readonly recurrent: boolean;
    };
    readonly customer: string | null;
}
interface ReceiptEvent {
    readonly receipt: {
        readonly id: string;
        readonly state: number;
        readonly amount: number;
        readonly currency: number;
        readonly pay_time: number;
        readonly cancel_time: number;
        readonly card: {
            readonly id: string;
            readonly number: string;
        } | null;
        readonly account: Readonly<Record<string, string>>;
        /** Why it failed, the `reason` of the error; null when it did not. */
        readonly reason: string | null;
    };
    readonly customer: string | null;
}
/** What differs on a page that was read again. */
interface PageChange {
    /** `rule`: one of the rules for card forms that the page breaks. */
    readonly what: 'script' | 'header' | 'rule' | 'page';
    readonly change: 'added' | 'removed' | 'changed' | 'unreadable';
    /** The address of a script (`inline` and its hash), the name of a header, or the id of a rule; '' where it has none. */
    readonly name: string;
}
/** `page.changed`: a page of the merchant is not what it was. */
interface PageEvent {
    readonly page: {
        readonly id: string;
        readonly address: string;
        /** Unix milliseconds: the last reading before, which found what this one was compared with. */
        readonly last_read_time: number;
        /** 50 at most. */
        readonly changes: readonly PageChange[];
    };
}
/** The body of a delivery: Standard Webhooks. `timestamp` is ISO 8601, when it happened. */
interface WebhookEvent<T extends EventType = EventType> {
    readonly type: T;
    readonly timestamp: string;
    readonly data: T extends `card.${string}` ? CardEvent : T extends `page.${string}` ? PageEvent : ReceiptEvent;
}/** A card as a merchant may keep it. */
interface Card {
    /** Masked PAN: `8600***6311` in the spec profile, `860006******6311` in the subscribe profile. */
    readonly number: string;
    /** Expiry: `0399` in the spec profile, `03/99` in the subscribe profile. */
    readonly expire: string;
    /** The card token. It stays the same from cards.create to cards.remove. */
    readonly token: string;
    /** Whether the token may be charged again and again; follows `save`. */
    readonly recurrent: boolean;
    /** Whether the cardholder has verified the card by an SMS code. */
    readonly verify: boolean;
    /** The kind of card by its prefix, from the table of this service. */
    readonly type: string;
}
/** The payer as the merchant knows them; stored and returned as given. */
interface Payer {
    readonly id?: string | null;
    readonly phone?: string | null;
    readonly email?: string | null;
    readonly name?: string | null;
    readonly ip?: string | null;
}
/** A receipt as the service returns it. */
interface Receipt {
    /** Receipt id: 24 lower-case hex digits. */
    readonly _id: string;
    /** When it was created. Unix milliseconds, 0 when it has not happened. */
    readonly create_time: number;
    /** When it was paid or held. Unix milliseconds, 0 when it has not happened. */
    readonly pay_time: number;
    /** When it was cancelled. Unix milliseconds, 0 when it has not happened. */
    readonly cancel_time: number;
    /** See the table of states. */
    readonly state: number;
    /** Always 2: a receipt of this API. */
    readonly type: number;
    /** Always false. */
    readonly external: boolean;
    /** Always -1. */
    readonly operation: number;
    readonly category: null;
    /** Why the last payment failed: {code, message, data, reason}, `data` where the merchant refused; null when none failed. */
    readonly error: unknown;
    readonly description: string;
    /** Stored and returned as given. */
    readonly detail: Readonly<Record<string, unknown>> | null;
    /** Tiyin. */
    readonly amount: number;
    /** 860 (UZS, ISO 4217). */
    readonly currency: number;
    /** Always 0. */
    readonly commission: number;
    /** The merchant's fields with their titles; values are always strings. */
    readonly account: readonly {
        readonly name: string;
        readonly title: string;
        readonly value: string;
        readonly main: boolean;
    }[];
    readonly card: {
        readonly number: string;
        /** YYMM, unlike in cards.*. */
        readonly expire: string;
    } | null;
    readonly merchant: {
        readonly _id: string;
        readonly name: string;
        readonly organization: string;
        readonly address: string;
        readonly business_id: string;
        readonly epos: {
            readonly merchantId: string;
            readonly terminalId: string;
        };
        readonly date: number;
        readonly logo: null;
        readonly type: string;
        readonly terms: null;
    };
    readonly meta: {
        readonly source: string;
        readonly owner: string;
        /** Present once cancelled by this API: "subscribe". */
        readonly source_cancel?: string;
    };
    /** The payer as the merchant knows them; stored and returned as given. */
    readonly payer: Payer | null;
    readonly processing_id: null;
}
/** The methods of a server, with their params and results; those of the browser are left out. */
interface Methods {
    /** Returns the card of a token, and whether it is verified. */
    'cards.check': {
        params: {
            /** The card token, as cards.create gave it: 24 hex digits, an underscore, 43 letters and digits. */
            readonly token: string;
        };
        result: {
            /** A card as a merchant may keep it. */
            readonly card: Card;
        };
    };
    /** Removes a card. Its token stops working at once. */
    'cards.remove': {
        params: {
            /** The card token, as cards.create gave it: 24 hex digits, an underscore, 43 letters and digits. */
            readonly token: string;
        };
        result: {
            readonly success: boolean;
        };
    };
    /** Creates a receipt: a request to pay. */
    'receipts.create': {
        params: {
            /** Tiyin, a positive whole number: 500000 are 5,000 so'm. */
            readonly amount: number;
            readonly account?: Readonly<Record<string, string | number | null>> | null | undefined;
            readonly description?: string | null | undefined;
            /** Any shape; stored and returned as given. */
            readonly detail?: object | null | undefined;
            /** Whether a payment only holds the money until receipts.confirm_hold. */
            readonly hold?: boolean | null | undefined;
        };
        result: {
            readonly receipt: Receipt;
        };
    };
    /** Pays a receipt with a verified token. */
    'receipts.pay': {
        params: {
            /** Receipt id: 24 lower-case hex digits. */
            readonly id: string;
            /** A verified card token of this merchant. */
            readonly token: string;
            /** The payer as the merchant knows them; stored and returned as given. */
            readonly payer?: Payer | null | undefined;
            /** Hold instead of debit; confirm within 7 days. */
            readonly hold?: boolean | null | undefined;
        };
        result: {
            readonly receipt: Receipt;
        };
    };
    /** Sends the receipt to a phone by SMS. */
    'receipts.send': {
        params: {
            /** Receipt id: 24 lower-case hex digits. */
            readonly id: string;
            /** 9 to 15 digits, country code first. */
            readonly phone: string;
        };
        result: {
            readonly success: boolean;
        };
    };
    /** Cancels a receipt; money taken or held is returned. */
    'receipts.cancel': {
        params: {
            /** Receipt id: 24 lower-case hex digits. */
            readonly id: string;
        };
        result: {
            readonly receipt: Receipt;
        };
    };
    /** Returns the state of a receipt. */
    'receipts.check': {
        params: {
            /** Receipt id: 24 lower-case hex digits. */
            readonly id: string;
        };
        result: {
            readonly state: number;
        };
    };
    /** Returns a receipt. */
    'receipts.get': {
        params: {
            /** Receipt id: 24 lower-case hex digits. */
            readonly id: string;
        };
        result: {
            readonly receipt: Receipt;
        };
    };
    /** Lists the receipts of a range of days, newest first. */
    'receipts.get_all': {
        params: {
            /** At most 50. A string of digits is accepted too. */
            readonly count: number | string;
            /** Unix milliseconds; its whole day in UTC+5. A string of digits is accepted too. */
            readonly from: number | string;
            /** Unix milliseconds; its whole day in UTC+5. A string of digits is accepted too. */
            readonly to: number | string;
            /** At most 1000. A string of digits is accepted too. */
            readonly offset?: number | string | null | undefined;
        };
        result: readonly Receipt[];
    };
    /** Captures held money, all of it or a part. */
    'receipts.confirm_hold': {
        params: {
            /** Receipt id: 24 lower-case hex digits. */
            readonly id: string;
            /** Tiyin, at most the amount held; absent: all of it. */
            readonly amount?: number | null | undefined;
        };
        result: {
            readonly receipt: Receipt;
        };
    };
    /** Stores the fiscal data of a paid receipt. */
    'receipts.set_fiscal_data': {
        params: {
            /** Receipt id: 24 lower-case hex digits. */
            readonly id: string;
            readonly fiscal_data: {
                readonly receipt_id: number;
                readonly qr_code_url: string;
                readonly status_code?: number | null | undefined;
                readonly message?: string | null | undefined;
                readonly terminal_id?: string | null | undefined;
                readonly date?: string | number | null | undefined;
                readonly fiscal_sign?: string | number | null | undefined;
            };
        };
        result: {
            readonly success: boolean;
        };
    };
    /** Allows one of your pages to take cards with the hosted form. */
    'form.sessions.create': {
        params: {
            /** Origin of the page that contains the form, as in location.origin; in production it must be registered. */
            readonly origin: string;
            /** Your own id of the payer. */
            readonly customer?: string | null | undefined;
            /** `ask`: the cardholder may agree that the card is stored; `off`: the token pays once. */
            readonly save: "ask" | "off";
            /** Language of the form. */
            readonly locale?: "uz" | "ru" | "en" | null | undefined;
            /** For the hosted page: the address of `origin` that the cardholder is sent to afterwards, with `tessera=done` or `tessera=cancelled` added to its query. */
            readonly return?: string | null | undefined;
            /** How many cards may be submitted with it. */
            readonly attempts?: number | undefined;
            /** Tiyin, shown to the payer, in the button too. Nothing is charged: your server pays a receipt afterwards. */
            readonly amount?: number | null | undefined;
            /** Your order number, shown to the payer. */
            readonly order?: string | null | undefined;
            /** Saved cards of the payer to choose from, by their ids. A card that is not yours, not verified, not stored for further payments, removed, or of another `customer` is left out. */
            readonly cards?: readonly string[] | null | undefined;
        };
        result: {
            /** For the form on your page; returned only here. */
            readonly session: string;
            /** Unix milliseconds. */
            readonly expires_at: number;
            /** With `return`: the address of the hosted page. Send the cardholder there; the session is in its fragment. */
            readonly page?: string;
        };
    };
    /** Returns the state of a session: on the hosted page the token once a card is verified, and what the payer chose. */
    'form.sessions.get': {
        params: {
            /** The session, as form.sessions.create gave it. */
            readonly session: string;
        };
        result: {
            /** `open`: in progress; `done`: a card was verified; `cancelled`: the cardholder cancelled; `ended`: the time is over, and no card was verified. */
            readonly state: "open" | "done" | "cancelled" | "ended";
            /** When the session ends, unix milliseconds. */
            readonly expires_at: number;
            /** A card as a merchant may keep it. */
            readonly card?: {
                /** Masked PAN: `8600***6311` in the spec profile, `860006******6311` in the subscribe profile. */
                readonly number: string;
                /** Expiry: `0399` in the spec profile, `03/99` in the subscribe profile. */
                readonly expire: string;
                /** The card token. It stays the same from cards.create to cards.remove. */
                readonly token: string;
                /** Whether the token may be charged again and again; follows `save`. */
                readonly recurrent: boolean;
                /** Whether the cardholder has verified the card by an SMS code. */
                readonly verify: boolean;
                /** The kind of card by its prefix, from the table of this service. */
                readonly type: string;
            };
            /** Id of the saved card that the payer picked from `cards`. Pay with the token that you have for it. */
            readonly picked?: string;
            /** Ids of the saved cards that the payer asked to remove: call cards.remove with their tokens. */
            readonly removals?: readonly string[];
        };
    };
    /** Returns this API as an OpenRPC document. */
    'rpc.discover': {
        params: object;
        result: {
            readonly openrpc: string;
            readonly info: {
                readonly title: string;
                readonly version: string;
            };
            readonly methods: readonly unknown[];
        };
    };
}
type MethodName = keyof Methods;
/** Stable identifiers of the causes of errors; docs/reference/errors.md describes each. */
declare const reasons: readonly ["not_post", "empty_body", "byte_order_mark", "invalid_utf8", "lone_surrogate", "invalid_json", "query_not_allowed", "not_an_object", "duplicate_key", "forbidden_member", "too_deep", "too_many_members", "batch_not_here", "batch_empty", "batch_too_long", "idempotency_in_batch", "idempotency_key_invalid", "invalid_request_id", "invalid_version", "method_missing", "path_mismatch", "method_not_found", "credential_in_browser", "password_limit", "not_from_dashboard", "signed_out", "password_must_change", "role_too_low", "second_factor_required", "confirmation_required", "access_denied", "merchant_unknown", "server_only", "password_scope", "origin_not_allowed", "merchant_blocked", "address_limit", "block_limit", "merchant_limit", "sensitive_authentication_data", "pan_out_of_place", "params_not_object", "member_missing", "member_invalid", "card_number_format", "card_number_check_digit", "card_number_no_route", "expire_format", "expire_month", "expire_past", "token_shape", "amount_invalid", "phone_invalid", "idempotency_mismatch", "pan_limit", "iin_limit", "failure_limit", "distinct_pan_limit", "token_limit", "phone_limit", "origin_not_registered", "return_elsewhere", "consent_unknown", "session_required", "session_origin", "session_unknown", "session_ended", "session_used_up", "session_done", "sign_in_refused", "sign_in_locked", "password_wrong", "password_weak", "setting_refused", "operator_refused", "page_not_checked", "script_changed", "two_passwords_live", "last_password", "totp_wrong", "passkey_refused", "passkey_exists", "passkey_not_found", "too_many_passkeys", "phone_taken", "test_only", "request_not_found", "request_not_replayable", "user_not_found", "delivery_not_found", "last_owner", "card_not_found", "card_deleted", "card_ended", "receipt_not_found", "receipt_paid", "receipt_in_progress", "receipt_cancelled", "receipt_not_held", "receipt_not_paid", "account_field_missing", "account_field_unknown", "amount_below_limit", "amount_above_limit", "amount_above_hold", "card_not_verified", "card_in_use", "merchant_refused", "cannot_cancel", "verification_stopped", "code_not_requested", "code_malformed", "code_expired", "tries_used_up", "card_day_tries_used_up", "wrong_code_limit", "wrong_code", "resend_too_soon", "send_limit_card", "send_limit_phone", "sms_country_not_served", "sms_prefix_limit", "sms_cost_limit", "sms_not_sent", "sms_not_connected", "card_expired", "card_blocked", "holder_mismatch", "system_error", "network_timeout", "network_unavailable", "insufficient_funds", "card_limit", "declined", "debit_failed", "merchant_no_answer", "merchant_closing", "payment_unknown", "internal_error", "overloaded", "connection_busy", "address_busy", "draining", "batch_time_over", "store_full", "store_unavailable", "outcome_unknown"];
type Reason = (typeof reasons)[number];
/** Why a call did not succeed. `reason` tells the problems apart: the reasons of the service, and those of this library. */
type Problem = {
    readonly [R in Reason]: ServiceProblem<R>;
}[Reason] | LibraryProblem;
/** The problem with one reason, for a `switch` that needs its other members. */
type ProblemOf<R extends Problem['reason']> = Extract<Problem, {
    reason: R;
}>;
/** An error of the service. docs/reference/errors.md describes each reason. */
interface ServiceProblem<R extends Reason> {
    readonly reason: R;
    readonly code: number;
    readonly message: string;
    /** The path of a member, an id, or the error of the merchant's own endpoint, as the description of the error says. */
    readonly data?: unknown;
    /** How long to wait before the next attempt, if the service specifies it. */
    readonly retryAfterMs?: number;
    /** Whether the same call with the same idempotency key may succeed later. */
    readonly isRetryable: boolean;
}
/**
 * `no_answer`: the service was not reached or did not respond in time; whether the call was carried out is not known. `not_tessera`: the
 * response is not from this service. `cancelled`: aborted by your signal. `unlisted`: a reason that this version of the library does not
 * know; `word` contains it.
 */
type LibraryProblem = {
    readonly reason: 'no_answer';
    readonly code: 0;
    readonly message: string;
    readonly retryAfterMs?: number;
    readonly isRetryable: true;
} | {
    readonly reason: 'not_tessera' | 'cancelled';
    readonly code: 0;
    readonly message: string;
    readonly isRetryable: false;
} | UnlistedProblem;
interface UnlistedProblem {
    readonly reason: 'unlisted';
    readonly word: string;
    readonly code: number;
    readonly message: string;
    readonly data?: unknown;
    readonly retryAfterMs?: number;
    readonly isRetryable: false;
}
/**
 * The outcome of a call. `idempotencyKey` is the key that the call carried, yours or a generated one; null for a call that changes nothing.
 * After `no_answer`, repeat the call with it, and it is carried out once. `requestId` is the service's id of the request (`X-Request-Id`),
 * by which the dashboard's request log finds it; null when the service did not respond. After retries it is that of the last attempt.
 */
type Outcome<T> = ({
    readonly ok: true;
    readonly result: T;
} | {
    readonly ok: false;
    readonly problem: Problem;
}) & {
    readonly idempotencyKey: string | null;
    readonly requestId: string | null;
};
/** Thrown by the methods that return results directly. Carries the same as `outcome()` returns, and never the params of the call. */
declare class TesseraError extends Error {
    readonly name: string;
    readonly problem: Problem;
    readonly idempotencyKey: string | null;
    readonly requestId: string | null;
    constructor(method: string, { problem, idempotencyKey, requestId }: Omit<Extract<Outcome<unknown>, {
        ok: false;
    }>, 'ok'>);
    get reason(): Problem['reason'];
}
type MethodGroup<Group extends string> = {
    readonly [M in MethodName as M extends `${Group}.${infer Name}` ? Name : never]: (params: Methods[M]['params'], options?: CallOptions) => Promise<Methods[M]['result']>;
};
/**
 * A client for a merchant's server. Calls that change something carry an idempotency key, generated unless you give one, so every call is
 * retried automatically when that is safe. `cards.create`, `cards.get_verify_code` and `cards.verify` are not available: the cardholder's
 * browser or app calls them, because a card number must never pass through the merchant's server.
 */
declare class Tessera {
    #private;
    /** `check` and `remove`: what a server does with a card token. Each throws TesseraError. */
    readonly cards: MethodGroup<'cards'>;
    /** Payments with a token. Each throws TesseraError. */
    readonly receipts: MethodGroup<'receipts'>;
    constructor(options: TesseraOptions);
    /** Calls a method and returns its result. Throws TesseraError, whose `reason` tells why the call failed. */
    call<M extends MethodName>(method: M, params: Methods[M]['params'], options?: CallOptions): Promise<Methods[M]['result']>;
    /**
     * Calls a method and returns its result or the problem, whose `reason` tells why the call failed. Throws TypeError only for mistakes in
     * the code: a method that is not available, params that are not JSON, a key that cannot be sent.
     */
    outcome<M extends MethodName>(method: M, params: Methods[M]['params'], options?: CallOptions): Promise<Outcome<Methods[M]['result']>>;
}
interface WebhookOptions {
    /** The secret of the endpoint (`whsec_…`); two while it is being rotated. */
    readonly secrets: string | readonly string[];
    /** How far the timestamp may be from the current time, seconds. Default 300, as Standard Webhooks recommends. */
    readonly toleranceSeconds?: number;
    /** The current time, Unix milliseconds; for tests. Default: the clock. */
    readonly now?: number;
}
/** The headers of Node's `request.headers` or fetch's `Headers`. */
type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>> | {
    get(name: string): string | null;
};
/** A verified delivery: its event, discriminated by `type`, and its id. A repeated delivery has the same id. */
type Delivery = {
    readonly [T in EventType]: WebhookEvent<T> & {
        readonly id: string;
    };
}[EventType];
/** The delivery could not be verified: respond with 400 and ignore it. */
declare class WebhookRefused extends Error {
    readonly name: string;
}
/**
 * Verifies a delivery (Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`) and returns its event. `body` is the raw body, before any
 * parser touches it. Delivery is at least once: store each `id`, and ignore deliveries you have already handled and event types you do not
 * know. Throws WebhookRefused, or TypeError when a secret is malformed.
 */
declare function verifyWebhook(body: string | Uint8Array, headers: WebhookHeaders, options: WebhookOptions): Delivery;
export { Tessera };
export type { CallOptions, TesseraOptions };
export { TesseraError };
export type { LibraryProblem, Outcome, Problem, ProblemOf, ServiceProblem };
export { verifyWebhook, WebhookRefused };
export type { Delivery, WebhookHeaders, WebhookOptions };
export { eventTypes, receiptStates, reasons };
export type { Card, CardEvent, EventType, MethodName, Methods, Payer, Reason, Receipt, ReceiptEvent, ReceiptState };
export type { PageChange, PageEvent };
