// Types of the card form's SDK, printed from its code.

interface CardFormOptions extends FrameOptions {
    /** Your public merchant id. */
    readonly merchant: string;
    /** The origin that serves the form. Default: the origin that this script was loaded from. */
    readonly formOrigin?: string;
}
/** A warning about the theme, for the developer of the page. The form works all the same. */
interface CardFormWarning extends FormWarning {
    readonly docs: string;
}
/** The value that listeners receive, by event. */
interface CardFormEvents {
    ready: undefined;
    change: Extract<FromFrame, {
        type: 'change';
    }>;
    step: FormStep;
    token: {
        readonly token: string;
        readonly card: FormCard;
    };
    error: CardFormError;
    warning: CardFormWarning;
    wait: number;
    seen: 'visible' | 'hidden' | 'unverified';
}
/** The card form in a page: an iframe of the service's own origin. This side never sees a digit of the card. */
declare class CardForm {
    #private;
    /** Throws `CardFormMisuse` when `merchant` is not a merchant id, or when the origin of the form is unknown. */
    constructor(options: CardFormOptions);
    /** Adds a listener. The returned function removes it. */
    on<E extends keyof CardFormEvents>(event: E, listener: (value: CardFormEvents[E]) => void): () => void;
    /** Puts the form into an element, or into the first element that matches a selector. */
    mount(target: string | Element): this;
    /** Removes the form from the page. It can be mounted again. */
    unmount(): void;
    /** Changes options of a mounted form. */
    update(options: FrameOptions): void;
    /** Sends the card, as the form's own button does. */
    submit(): void;
    /** Sends the code. */
    verify(): void;
    /** Requests another code. */
    resend(): void;
    /** Returns to an empty form for another card. */
    back(): void;
    clear(): void;
    focus(): void;
}
declare const eventNames: (keyof CardFormEvents)[];

/**
 * The messages between a merchant's page and the form's frame. Both ends validate every message with these functions and ignore invalid ones.
 * No message contains a typed digit, a length, an IIN, a key or a code. Written without a schema library, because every buyer loads it.
 */
declare const frameProtocol = 1;
/**
 * The first message of the page, sent once together with the port for everything else. `id` is 128 bits in hex, and the fragment of the frame's
 * address. The frame sends the same, without a port and to the page's exact origin, as soon as its script runs, to announce that it is ready for
 * the hello.
 */
interface Hello {
    readonly tessera: typeof frameProtocol;
    readonly id: string;
}
type FormStep = 'card' | 'code' | 'done';
type FormField = 'number' | 'expiry' | 'code' | 'consent';
type FormLayout = 'stacked' | 'row' | 'compact';
/** Options of the form. All are optional. */
interface FrameOptions {
    readonly locale?: Language;
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
/** `moved`: the page scrolls or is being touched, so that the frame puts off what would cost a tap. */
type FrameAction = 'submit' | 'verify' | 'resend' | 'back' | 'clear' | 'focus' | 'moved';
/** `refused` lists invalid options, which were ignored. Theme and labels are validated where they are used. */
type ToFrame = {
    readonly type: 'configure';
    readonly options: FrameOptions;
    readonly refused?: readonly string[];
} | {
    readonly type: FrameAction;
};
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
/** Two colors of the theme that do not have the contrast of WCAG 2.2 AA, and a color that would. The form shows the theme as requested. */
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
}
type FromFrame = {
    readonly type: 'ready';
} | {
    readonly type: 'change';
    readonly complete: boolean;
    readonly empty: boolean;
    readonly errors: Readonly<Partial<Record<FormField, string>>>;
} | {
    readonly type: 'step';
    readonly step: FormStep;
} | {
    readonly type: 'size';
    readonly height: number;
} | {
    readonly type: 'token';
    readonly token: string;
    readonly card: FormCard;
} | {
    readonly type: 'error';
    readonly error: FormError;
} | {
    readonly type: 'warning';
    readonly warning: FormWarning;
} | {
    readonly type: 'wait';
    readonly ms: number;
}
/** Whether the cardholder can see who takes the card. `unverified`: the browser cannot tell. */
 | {
    readonly type: 'seen';
    readonly state: 'visible' | 'hidden' | 'unverified';
};
/** Parses a hello of this protocol; null for anything else. */
declare function readHello(value: unknown): Hello | null;
/** Parses a message of the page; null for anything else. Invalid options are left out one by one. */
declare function readToFrame(value: unknown): ToFrame | null;
/** Parses a message of the frame; null for anything else. */
declare function readFromFrame(value: unknown): FromFrame | null;

/** Two colors of a theme with too little contrast. */
interface ContrastProblem {
    readonly of: ThemeColor;
    readonly on: ThemeColor;
    /** The measured contrast, rounded down to hundredths, so that a value below the limit is never shown as the limit. */
    readonly ratio: number;
    readonly needed: number;
    /** A color of the same hue for `of` with sufficient contrast, `#rrggbb`. */
    readonly suggestion: string;
}
/** The contrast that WCAG 2.2 AA requires of the form's color pairs: 1.4.3 for texts, 1.4.11 for field borders and the focus. */
declare const themePairs: readonly [readonly ["text", "background", 4.5], readonly ["text", "field", 4.5], readonly ["muted", "background", 4.5], readonly ["muted", "field", 4.5], readonly ["accentText", "accent", 4.5], readonly ["error", "background", 4.5], readonly ["success", "background", 4.5], readonly ["border", "background", 3], readonly ["focus", "background", 3]];
/** Finds every pair below its limit. A field whose fill has enough contrast needs no border; without a border, the fill must have it. */
declare function findContrastProblems(colorOf: (name: ThemeColor) => Rgb, hasBorder: boolean): ContrastProblem[];
/** Red, green and blue of sRGB, whole numbers to 255. */
type Rgb = readonly [red: number, green: number, blue: number];
/** Parses a color of a theme; null for any other text. */
declare function readRgb(text: string): Rgb | null;
/** `#rrggbb`, the format of a color input. */
declare function toHex(rgb: Rgb): string;
/** The contrast ratio, from 1 to 21 (WCAG 2.2). */
declare function measureContrast(one: Rgb, other: Rgb): number;
/** Minimum and maximum in px. An em or a rem counts as 16 px. */
declare const themeLengths: {
    readonly radius: readonly [0, 32];
    readonly borderWidth: readonly [0, 4];
    readonly fontSize: readonly [14, 24];
    readonly gap: readonly [0, 40];
};
declare const themeVariables: readonly ["accent", "accentText", "background", "field", "text", "muted", "border", "error", "success", "focus", "radius", "borderWidth", "fontSize", "gap", "fontFamily"];
declare const themeSchemes: readonly ["auto", "light", "dark"];
type ThemeLength = keyof typeof themeLengths;
type ThemeVariable = (typeof themeVariables)[number];
type ThemeColor = Exclude<ThemeVariable, ThemeLength | 'fontFamily'>;
type ThemeScheme = (typeof themeSchemes)[number];
/** The values of variables. A missing one has the form's default. */
type ThemeValues = {
    readonly [Name in ThemeVariable]?: string | undefined;
};
/** The appearance of the form. A value applies to both schemes, unless `dark` has another one for the dark scheme. */
interface Theme extends ThemeValues {
    readonly scheme?: ThemeScheme | undefined;
    readonly dark?: ThemeValues | undefined;
}
/**
 * Validates the value of a variable; null when it is invalid. Each kind of value has one strict syntax, so there is no url(), no var(), no
 * character that ends a CSS rule, no transparency, and no size that would break the layout.
 */
declare function readThemeValue(name: ThemeVariable, value: unknown): string | null;
/**
 * The two spellings of one service: `spec` at `/api/<method>`, `subscribe` at `/api`. A value that replies are rendered with,
 * never a second code path.
 */
type Profile = 'spec' | 'subscribe';
type Language = 'en' | 'ru' | 'uz';

/** An `error` event of the form, with the address of the documentation of its reason. */
interface CardFormError extends FormError {
    readonly docs: string;
}
/** A mistake in the page that holds the form. Thrown at once, with the fields of an `error` event. */
declare class CardFormMisuse extends TypeError implements CardFormError {
    readonly name = "CardFormMisuse";
    readonly code = 0;
    readonly field: null;
    readonly retryable = false;
    readonly reason: 'form_origin_missing' | 'merchant_missing' | 'place_missing';
    readonly docs: string;
    constructor(reason: CardFormMisuse['reason'], message: string, origin?: string);
}
/** Returns the origin that serves the form. Throws `CardFormMisuse` when it is unknown, or when `merchant` is not a merchant id. */
declare function readFormOrigin({ formOrigin, merchant }: {
    readonly formOrigin?: string;
    readonly merchant: string;
}, sdkOrigin: string | null): string;
/** Returns the element that will contain the form. Throws `CardFormMisuse` when there is none. */
declare function findMountElement(target: string | Element, origin: string): Element;
/** The documentation of a reason, on the form's own origin; relative when the origin is unknown. */
declare function reasonDocs(reason: string, origin: string): string;
/** The origin that served this script, which serves the form too. Null when the code is part of a merchant's bundle or runs on a server. */
declare function findSdkOrigin(): string | null;
/** The origin of an address at which the service serves the SDK; null for any other address. */
declare function sdkOriginOf(address: string | undefined): string | null;

/** When a page is rendered on a server, there is no HTMLElement. */
declare const Element: {
    new (): HTMLElement;
    prototype: HTMLElement;
};
/**
 * `<tessera-card merchant="…">`: the form as a custom element, mounted as soon as it has a merchant. Its events are `tessera-ready`,
 * `tessera-token` and so on, with the value in `detail`. The property `form` is the form itself.
 */
declare class TesseraCard extends Element {
    #private;
    static readonly observedAttributes: string[];
    form: CardForm | null;
    get theme(): FrameOptions['theme'];
    set theme(theme: FrameOptions['theme']);
    get labels(): FrameOptions['labels'];
    set labels(labels: FrameOptions['labels']);
    connectedCallback(): void;
    disconnectedCallback(): void;
    attributeChangedCallback(name: string, before: string | null, now: string | null): void;
}
/** Defines `<tessera-card>` once, in environments with custom elements. */
declare function defineElement(): void;
export { CardForm, CardFormMisuse, type CardFormError, type CardFormEvents, type CardFormOptions, type CardFormWarning, };
export { TesseraCard };
declare global {
  /** The global of the script tag. */
  const Tessera: Readonly<{ CardForm: typeof CardForm; CardFormMisuse: typeof CardFormMisuse }>
  interface HTMLElementTagNameMap {
    'tessera-card': TesseraCard
  }
}
