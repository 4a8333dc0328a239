// Types of the card form's SDK, printed from its code.

/** Minimum and maximum in px. An em or a rem counts as 16 px. */
declare const themeLengths: {
    readonly radius: readonly [0, 32];
    readonly borderWidth: readonly [0, 4];
    readonly fontSize: readonly [14, 24];
    readonly gap: readonly [0, 40];
};
declare const themeVariables: readonly ["accent", "accentText", "background", "field", "text", "muted", "border", "error", "success", "focus", "radius", "borderWidth", "fontSize", "gap", "fontFamily"];
/** `page`, the default: as the page around the form. `auto`: as the cardholder's device. */
declare const themeSchemes: readonly ["page", "auto", "light", "dark"];
type ThemeLength = keyof typeof themeLengths;
type ThemeVariable = (typeof themeVariables)[number];
type ThemeColor = Exclude<ThemeVariable, ThemeLength | 'fontFamily'>;
type ThemeScheme = (typeof themeSchemes)[number];
/** The values of variables. A missing one has the form's default. */
type ThemeValues = {
    readonly [Name in ThemeVariable]?: string | undefined;
};
/** The variables of an appearance as a flat object, which came before `Appearance`. A value applies to both schemes, unless `dark` has another one. */
interface Theme extends ThemeValues {
    readonly scheme?: ThemeScheme | undefined;
    readonly dark?: ThemeValues | undefined;
}
/**
 * How the form looks: variables that several parts share, and rules for single parts and their states. Values have strict syntaxes
 * (`appearance-syntax.ts`), and consent, footer and the test mark belong to no part.
 */
interface Appearance {
    readonly variables?: ThemeValues | undefined;
    readonly rules?: AppearanceRules | undefined;
    /** What differs in the dark scheme. */
    readonly dark?: {
        readonly variables?: ThemeValues | undefined;
        readonly rules?: AppearanceRules | undefined;
    } | undefined;
    /** `page`, the default: light or dark as the page around the form. `auto`: as the cardholder's device. */
    readonly scheme?: ThemeScheme | undefined;
    /** `floating`: a label stands in its empty field, and above the text as soon as there is one. */
    readonly labels?: AppearanceLabels | undefined;
    /**
     * One font file (woff2, woff, ttf or otf) as a data URL in base64, which stands before the fonts of `fontFamily`. It is used when it comes before
     * anything is typed.
     */
    readonly font?: string | undefined;
}
/** The parts that rules may name, each with its states. In CSS a rule is `.Input`, `.Input:hover`, `.Input--invalid`. */
declare const appearanceStates: {
    readonly Label: readonly ["--floating", "--invalid"];
    readonly Input: readonly [":hover", ":focus", "--invalid", ":disabled"];
    readonly 'Input::placeholder': readonly [];
    readonly Hint: readonly [];
    readonly Error: readonly [];
    readonly Alert: readonly [];
    readonly Button: readonly [":hover", ":focus", ":active", ":disabled"];
    readonly SecondaryButton: readonly [":hover", ":focus", ":disabled"];
    readonly TextButton: readonly [":hover", ":focus"];
    readonly Success: readonly [];
};
declare const appearanceProperties: readonly ["color", "backgroundColor", "border", "borderTop", "borderRight", "borderBottom", "borderLeft", "borderColor", "borderWidth", "borderStyle", "borderRadius", "boxShadow", "outlineColor", "outlineWidth", "outlineOffset", "padding", "minHeight", "fontFamily", "fontSize", "fontStyle", "fontWeight", "letterSpacing", "lineHeight", "textTransform", "textDecoration"];
declare const appearanceLabels: readonly ["above", "floating"];
type AppearancePart = keyof typeof appearanceStates;
type AppearanceSelector = {
    readonly [Part in AppearancePart]: `.${Part}` | `.${Part}${(typeof appearanceStates)[Part][number]}`;
}[AppearancePart];
type AppearanceProperty = (typeof appearanceProperties)[number];
type AppearanceLabels = (typeof appearanceLabels)[number];
type AppearanceDeclarations = {
    readonly [Property in AppearanceProperty]?: string | number | undefined;
};
type AppearanceRules = {
    readonly [Selector in AppearanceSelector]?: AppearanceDeclarations | undefined;
};
/** Two colors of an appearance with too little contrast. Each is a variable, or that of a rule. */
interface ContrastProblem {
    readonly of: ThemeColor | AppearanceSelector;
    readonly on: ThemeColor | AppearanceSelector;
    /** What has the color `of`: a text, the border or the fill of a field, or its outline. A rule for `of` corrects it with this property. */
    readonly property: ContrastProperty;
    /** The measured contrast, rounded down to hundredths, so that a value below the limit is never shown as the limit. */
    readonly ratio: number;
    readonly needed: number;
    /** A color of the same hue for `of` with sufficient contrast, `#rrggbb`. */
    readonly suggestion: string;
}
type ContrastProperty = Extract<AppearanceProperty, 'color' | 'borderColor' | 'backgroundColor' | 'outlineColor'>;
type Language = 'en' | 'ru' | 'uz';
type CardNetwork = 'uzcard' | 'humo' | 'mir' | 'visa' | 'mastercard' | 'unionpay' | 'test';
type FormStep = 'card' | 'code' | 'done';
type FormField = 'number' | 'expiry' | 'code' | 'consent';
/** The payment system that issued the card, by the first digits of its number. */
type CardBrand = Exclude<CardNetwork, 'test'>;
type FormLayout = 'stacked' | 'row' | 'compact';
/** Options of the form. All are optional. */
interface FrameOptions {
    readonly locale?: Language;
    readonly appearance?: Appearance;
    /** The variables of `appearance` in their former spelling: one flat object, with `scheme` and `dark`. */
    readonly theme?: Theme;
    /** `ask`: shows a checkbox for consent to store the card. `off`: the token is for one payment. */
    readonly save?: 'ask' | 'off';
    readonly layout?: FormLayout;
    /** Whether the form shows its own button. */
    readonly button?: boolean;
    /** Whether the code is sent as soon as it is complete. `true` by default; letters that are typed need the button. */
    readonly autoConfirm?: boolean;
    /** A form session, as returned by form.sessions.create. */
    readonly session?: string;
    readonly direction?: 'ltr' | 'rtl';
    /** The page's own labels. Legal texts cannot be replaced. */
    readonly labels?: Readonly<Partial<Record<FormLabel, string>>>;
}
/** The labels that a page may replace. No legal text is among them. */
type FormLabel = (typeof formLabels)[number];
declare const formLabels: readonly ["number", "expiry", "submit", "code", "verify", "resend", "back", "done"];
/** An error for the merchant's script. `code` is the service's error code, or 0 when there was no response. */
interface FormError {
    readonly code: number;
    readonly reason: string;
    readonly field: FormField | null;
    readonly retryable: boolean;
    readonly message: string;
    /** For `option_refused`: the option, such as `theme.accent`. */
    readonly option?: string;
}
/**
 * Two colors of the appearance that do not have the contrast of WCAG 2.2 AA, and a color that would. The form shows them as requested, unless nobody
 * could see the text.
 */
interface FormWarning extends ContrastProblem {
    readonly reason: 'theme_contrast';
    /** The scheme of the two colors. Both schemes are measured, whichever the device shows. */
    readonly scheme: 'light' | 'dark';
    readonly message: string;
}
/** A card from a response of the service, with its number masked. */
interface FormCard {
    readonly number: string;
    readonly expire: string;
    readonly recurrent: boolean;
    readonly verify: boolean;
    readonly type: string;
}/** Why something failed. Another version of the service may know further reasons: give a `switch` a `default`. */
type CardFormReason = 'number_missing' | 'expiry_missing' | 'code_missing' | 'offline' | 'service_error' | 'network_timeout' | 'stopped' | 'option_refused' | 'blocked_by_csp' | 'frame_no_answer' | 'page_sandboxed' | 'merchant_missing' | 'form_origin_missing' | 'place_missing' | 'not_post' | 'empty_body' | 'byte_order_mark' | 'invalid_utf8' | 'lone_surrogate' | 'invalid_json' | 'query_not_allowed' | 'not_an_object' | 'duplicate_key' | 'forbidden_member' | 'too_deep' | 'too_many_members' | 'batch_not_here' | 'batch_empty' | 'batch_too_long' | 'idempotency_in_batch' | 'idempotency_key_invalid' | 'invalid_request_id' | 'invalid_version' | 'method_missing' | 'path_mismatch' | 'method_not_found' | 'credential_in_browser' | 'password_limit' | 'access_denied' | 'merchant_unknown' | 'server_only' | 'password_scope' | 'origin_not_allowed' | 'merchant_blocked' | 'address_limit' | 'block_limit' | 'merchant_limit' | 'sensitive_authentication_data' | 'pan_out_of_place' | 'params_not_object' | 'card_number_format' | 'card_number_check_digit' | 'card_number_no_route' | 'expire_format' | 'expire_month' | 'expire_past' | 'token_shape' | 'idempotency_mismatch' | 'pan_limit' | 'iin_limit' | 'failure_limit' | 'distinct_pan_limit' | 'token_limit' | 'origin_not_registered' | 'return_elsewhere' | 'consent_unknown' | 'session_required' | 'session_origin' | 'session_unknown' | 'session_ended' | 'session_used_up' | 'session_done' | 'operator_refused' | 'card_not_found' | 'card_deleted' | 'card_ended' | 'verification_stopped' | 'code_not_requested' | 'code_malformed' | 'code_expired' | 'tries_used_up' | 'card_day_tries_used_up' | 'wrong_code_limit' | 'wrong_code' | 'resend_too_soon' | 'send_limit_card' | 'send_limit_phone' | 'sms_country_not_served' | 'sms_prefix_limit' | 'sms_cost_limit' | 'sms_not_sent' | 'sms_not_connected' | 'card_expired' | 'card_blocked' | 'holder_mismatch' | 'system_error' | 'network_unavailable' | 'internal_error' | 'connection_busy' | 'address_busy' | 'draining' | 'batch_time_over' | 'store_full' | 'store_unavailable' | 'outcome_unknown';
interface CardFormOptions extends CardFormUpdate {
    /** Your public merchant id. */
    readonly merchant: string;
    /** The origin that serves the form. Default: the origin that this script was loaded from. */
    readonly formOrigin?: string | undefined;
}
/** The options that can be changed while the form is mounted. */
interface CardFormUpdate extends OptionalValues<Omit<FrameOptions, 'locale'>> {
    readonly locale?: CardFormLocale | undefined;
}
type OptionalValues<Options> = {
    readonly [Name in keyof Options]: Options[Name] | undefined;
};
/** `uz`, `ru` or `en`, also as the beginning of a tag (BCP 47). `auto`: the language of the page, or else of the browser. */
type CardFormLocale = Language | 'auto' | `${Language}-${string}`;
/** The outcome of `submit()` and `verify()`. */
type CardFormResult = 
/** The card was accepted, and the form asks for the code of the SMS. */
{
    readonly status: 'code';
}
/** The card is confirmed. */
 | {
    readonly status: 'done';
    readonly token: string;
    readonly card: FormCard;
}
/** A saved card of the session was picked: the id that your server gave. */
 | {
    readonly status: 'picked';
    readonly id: string;
}
/** The form shows what is wrong. */
 | {
    readonly status: 'error';
    readonly error: CardFormError;
}
/** Abandoned by `clear()`, `back()` or `unmount()`, or by the cardholder, who takes another card. */
 | {
    readonly status: 'cancelled';
}
/** Nothing was sent: the form is not ready, at another step, or was requesting a new code or removing a saved card. */
 | {
    readonly status: 'ignored';
};
/** The value that listeners receive, by event. */
interface CardFormEvents {
    ready: undefined;
    change: CardFormChange;
    step: FormStep;
    /** Whether a call to the service is running. */
    busy: boolean;
    /** The field that has received the focus. */
    focus: FormField;
    /** The field that has lost it. */
    blur: FormField;
    token: {
        readonly token: string;
        readonly card: FormCard;
    };
    error: CardFormError;
    warning: CardFormWarning;
    /** Milliseconds until another code may be requested. */
    wait: number;
    /** The cardholder picked a saved card of the session: its id. */
    pick: string;
    /** The cardholder asks to remove a saved card of the session: its id, for cards.remove on your server. */
    remove: string;
    seen: 'visible' | 'hidden' | 'unverified';
}
/** The state of the fields of the current step. */
interface CardFormChange {
    readonly type: 'change';
    /** Known from the fourth digit on. */
    readonly brand: CardBrand | null;
    /** Each of the fields can be sent. */
    readonly complete: boolean;
    /** All of the fields are empty. */
    readonly empty: boolean;
    /** The first of `errors`. */
    readonly error: CardFormReason | null;
    readonly errors: Readonly<Partial<Record<FormField, CardFormReason>>>;
}
/** An `error` event of the form, with the address of the documentation of its reason. */
interface CardFormError extends FormError {
    readonly reason: CardFormReason;
    readonly docs: string;
}
/** A warning about the appearance, for the developer of the page. The form works all the same. */
interface CardFormWarning extends FormWarning {
    readonly docs: string;
}
/** The card form in a page: an iframe of the service's own origin. This side never sees a digit of the card. */
interface CardForm {
    /** Adds a listener. The returned function removes it. */
    on<E extends keyof CardFormEvents>(event: E, listener: (value: CardFormEvents[E]) => void): () => void;
    /** Puts the form into an element, or into the first element that matches a selector. Throws `CardFormMisuse` when there is none. */
    mount(target: string | Element): this;
    /** Removes the form from the page. It can be mounted again. */
    unmount(): void;
    /** Changes options; members of `appearance`, `theme` and `labels` one by one. An option that is `undefined` has its default again. */
    update(options: CardFormUpdate): void;
    /**
     * Sends the card, as the form's own button does. Resolves when the form asks for the code of the SMS (`code`) or shows what is wrong (`error`);
     * with a saved card that is chosen, when the service has recorded it (`picked`). While a call is running, resolves with its outcome. Never rejects.
     */
    submit(): Promise<CardFormResult>;
    /** Sends the code. Resolves when the card is confirmed (`done`) or the form shows what is wrong (`error`). Never rejects. */
    verify(): Promise<CardFormResult>;
    /** Requests another code. */
    resend(): void;
    /** Returns to an empty form for another card. */
    back(): void;
    clear(): void;
    focus(): void;
}
declare const CardForm: new (options: CardFormOptions) => CardForm;
/** A mistake in the page that holds the form. Thrown at once, with the fields of an `error` event. */
declare class CardFormMisuse extends TypeError implements CardFormError {
    readonly name: 'CardFormMisuse';
    readonly code: 0;
    readonly field: null;
    readonly retryable: false;
    readonly reason: 'form_origin_missing' | 'merchant_missing' | 'place_missing';
    readonly docs: string;
    constructor(reason: CardFormMisuse['reason'], message: string, origin?: string);
}
/** When a page is rendered on a server, there is no HTMLElement. */
declare const Element: {
    new (): HTMLElement;
    prototype: HTMLElement;
};
/** The options that are objects, and therefore properties of the element. The others are attributes. */
declare const propertyNames: readonly ["appearance", "theme", "labels"];
type ObjectOptions = Pick<CardFormUpdate, (typeof propertyNames)[number]>;
/**
 * `<tessera-card merchant="…">`: the form as a custom element, mounted as soon as it has a merchant. Its events are `tessera-ready`,
 * `tessera-token` and so on, with the value in `detail`. The property `form` is the form itself.
 */
declare class TesseraCard extends Element {
    #private;
    static readonly observedAttributes: string[];
    /** Null while the element has no valid merchant or is not in the page. */
    form: CardForm | null;
    appearance: ObjectOptions['appearance'];
    theme: ObjectOptions['theme'];
    labels: ObjectOptions['labels'];
    connectedCallback(): void;
    disconnectedCallback(): void;
    attributeChangedCallback(name: string, before: string | null, now: string | null): void;
}
/** The events of the element, by name. They bubble, also out of a shadow root. */
type TesseraCardEvents = {
    readonly [E in keyof CardFormEvents as `tessera-${E}`]: CustomEvent<CardFormEvents[E]>;
};
declare global {
    interface HTMLElementTagNameMap {
        'tessera-card': TesseraCard;
    }
    /** Listeners on the element, and on every element, document and window around it. */
    interface GlobalEventHandlersEventMap extends TesseraCardEvents {
    }
}
export { CardForm };
export { CardFormMisuse };
export type { CardFormChange, CardFormError, CardFormEvents, CardFormLocale, CardFormOptions, CardFormReason, CardFormResult, CardFormUpdate, CardFormWarning, };
export type { CardBrand, FormCard, FormField, FormLabel, FormLayout, FormStep };
export type { Appearance };
export type { Theme };
export { TesseraCard, type TesseraCardEvents };
declare global {
  /** The global of the script tag. */
  const Tessera: Readonly<{ CardForm: typeof CardForm; CardFormMisuse: typeof CardFormMisuse }>
}
