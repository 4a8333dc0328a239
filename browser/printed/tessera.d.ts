// Types of the card form's SDK, printed from its code.

interface CardFormOptions extends FrameOptions {
    /** Your public id. */
    readonly merchant: string;
    /** Where the form is served; by itself the origin that this script came from. */
    readonly formOrigin?: string;
}
/** Of the theme alone, for who made it; the form goes on. */
interface CardFormWarning extends FormWarning {
    readonly docs: string;
}
/** What a listener is called with, by event. */
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
/** The card form in a page: an iframe of the service's own origin. This side never sees a digit. */
declare class CardForm {
    #private;
    /** Throws a `CardFormMisuse` when `merchant` is no merchant id, or nothing says where the form is served. */
    constructor(options: CardFormOptions);
    /** Listens; what is returned stops listening. */
    on<E extends keyof CardFormEvents>(event: E, listener: (value: CardFormEvents[E]) => void): () => void;
    /** Puts the form into an element, or the first that a selector finds. */
    mount(target: string | Element): this;
    /** Takes the form out of the page. It may be mounted again. */
    unmount(): void;
    /** Changes options of a form that is there. */
    update(options: FrameOptions): void;
    submit(): void;
    verify(): void;
    resend(): void;
    /** Another card. */
    back(): void;
    clear(): void;
    focus(): void;
}
declare const eventNames: (keyof CardFormEvents)[];

/**
 * The two sets of messages between a merchant's page and the form's frame. Both ends read every message here and drop what does not fit.
 * No message holds a digit that was typed, a length, an IIN, a key or a code. Written by hand, without a schema library: it is loaded by every buyer.
 */
declare const frameProtocol = 1;
/**
 * What the page says first and once, beside the port that everything else goes over. `id` is 128 bits in hex, and the fragment of the frame's address.
 * The frame says the same, without a port and to the page's exact origin, as soon as its script runs: it is there to be greeted, and nothing else.
 */
interface Hello {
    readonly tessera: typeof frameProtocol;
    readonly id: string;
}
type FormStep = 'card' | 'code' | 'done';
type FormField = 'number' | 'expiry' | 'code' | 'consent';
type FormLayout = 'stacked' | 'row' | 'compact';
/** How the form looks and what it asks; everything may be left out. */
interface FrameOptions {
    readonly locale?: Language;
    readonly theme?: Theme;
    /** `ask`: a box that the cardholder ticks for the card to be kept; `off`: the token pays once. */
    readonly save?: 'ask' | 'off';
    readonly layout?: FormLayout;
    /** Whether the form shows its own button. */
    readonly button?: boolean;
    /** Form session, as form.sessions.create gave it. */
    readonly session?: string;
    readonly direction?: 'ltr' | 'rtl';
    /** Other words for labels; legal texts are not among them. */
    readonly labels?: Readonly<Partial<Record<FormLabel, string>>>;
}
/** What a page may word in its own way; no text of the law is among them. */
type FormLabel = (typeof formLabels)[number];
declare const formLabels: readonly ["number", "expiry", "submit", "code", "verify", "resend", "back", "done"];
type FrameDeed = 'submit' | 'verify' | 'resend' | 'back' | 'clear' | 'focus';
/** `refused` names the options that did not fit and were left out; theme and labels are read one by one where they are used. */
type ToFrame = {
    readonly type: 'configure';
    readonly options: FrameOptions;
    readonly refused?: readonly string[];
} | {
    readonly type: FrameDeed;
};
/** What went wrong, as a merchant's script may act on it. `code` is the wire's, or 0 where no reply came. */
interface FormError {
    readonly code: number;
    readonly reason: string;
    readonly field: FormField | null;
    readonly retryable: boolean;
    readonly message: string;
    /** Of `option_refused`: which one, as `theme.accent`. */
    readonly option?: string;
}
/** A theme that WCAG 2.2 AA would not pass: the form shows it as asked, and this tells what is too near to what, and what would do. */
interface FormWarning extends Pale {
    readonly reason: 'theme_contrast';
    /** In which the two are seen; of a theme for both, each is measured, whichever the cardholder's device shows. */
    readonly scheme: 'light' | 'dark';
    readonly message: string;
}
/** A card as the service told of it, masked. */
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
/** Whether the cardholder can see who takes the card; `unverified` where a browser cannot tell. */
 | {
    readonly type: 'seen';
    readonly state: 'visible' | 'hidden' | 'unverified';
};
/** Null for anything but a hello of this protocol. */
declare function readHello(value: unknown): Hello | null;
/** Null for anything that a page cannot say. Options that do not fit are left out, one by one. */
declare function readToFrame(value: unknown): ToFrame | null;
/** Null for anything that a frame cannot say. */
declare function readFromFrame(value: unknown): FromFrame | null;

/** Two colours of a theme that are too near to one another. */
interface Pale {
    readonly of: ThemeColour;
    readonly on: ThemeColour;
    /** As measured, in hundredths, rounded down: what is short of a limit never reads as if it were not. */
    readonly ratio: number;
    readonly needed: number;
    /** A colour for `of` of the same hue that is enough, `#rrggbb`. */
    readonly suggestion: string;
}
/** What WCAG 2.2 AA asks of the form's own colours: 1.4.3 of words, 1.4.11 of the edge of a field and of the focus. */
declare const themePairs: readonly [readonly ["text", "background", 4.5], readonly ["text", "field", 4.5], readonly ["muted", "background", 4.5], readonly ["muted", "field", 4.5], readonly ["accentText", "accent", 4.5], readonly ["error", "background", 4.5], readonly ["success", "background", 4.5], readonly ["border", "background", 3], readonly ["focus", "background", 3]];
/** Every pair that is under its limit. A field whose fill stands out needs no border; without a border it is the fill that has to. */
declare function findPale(colourOf: (name: ThemeColour) => Rgb, hasBorder: boolean): Pale[];
/** Red, green and blue of sRGB, whole numbers to 255. */
type Rgb = readonly [red: number, green: number, blue: number];
/** A colour that a theme takes; null for any other text. */
declare function readRgb(text: string): Rgb | null;
/** `#rrggbb`, which a colour input wants. */
declare function toHex(rgb: Rgb): string;
/** From 1 to 21 (WCAG 2.2, contrast ratio). */
declare function measureContrast(one: Rgb, other: Rgb): number;
/** The least and the most in px; an em or a rem counts as 16. */
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
type ThemeColour = Exclude<ThemeVariable, ThemeLength | 'fontFamily'>;
type ThemeScheme = (typeof themeSchemes)[number];
/** A value of each variable; what is left out is the form's own. */
type ThemeValues = {
    readonly [Name in ThemeVariable]?: string | undefined;
};
/** How the form looks. A value holds in both schemes, unless `dark` has another for the dark one. */
interface Theme extends ThemeValues {
    readonly scheme?: ThemeScheme | undefined;
    readonly dark?: ThemeValues | undefined;
}
/**
 * A value of a variable as it may stand in the style; null for one that is not taken. Each kind is held to one whole shape: so there is no url(), no var(), no sign
 * that ends a rule, nothing see-through, and no size that would tear the form apart.
 */
declare function readThemeValue(name: ThemeVariable, value: unknown): string | null;
/**
 * The two spellings of one service: `spec` at `/api/<method>`, `subscribe` at `/api`. A value that replies are rendered with,
 * never a second code path.
 */
type Profile = 'spec' | 'subscribe';
type Language = 'en' | 'ru' | 'uz';

/** As the form tells it, with the address of what to do about this reason. */
interface CardFormError extends FormError {
    readonly docs: string;
}
/** The page that holds the form is to be mended: thrown at once, with the fields of an `error` event. */
declare class CardFormMisuse extends TypeError implements CardFormError {
    readonly name = "CardFormMisuse";
    readonly code = 0;
    readonly field: null;
    readonly retryable = false;
    readonly reason: 'form_origin_missing' | 'merchant_missing' | 'place_missing';
    readonly docs: string;
    constructor(reason: CardFormMisuse['reason'], message: string, origin?: string);
}
/** The origin where the form is served. Throws a `CardFormMisuse` when nothing says it, or `merchant` is no merchant id. */
declare function expectOptions({ formOrigin, merchant }: {
    readonly formOrigin?: string;
    readonly merchant: string;
}, home: string | null): string;
/** The element that the form is put into. Throws a `CardFormMisuse` when there is none. */
declare function expectPlace(target: string | Element, origin: string): Element;
/** The page of every reason, which the form's own origin serves; the words alone where no origin is known. */
declare function docsOf(reason: string, origin: string): string;

/** There is no HTMLElement where a page is rendered on a server. */
declare const Element: {
    new (): HTMLElement;
    prototype: HTMLElement;
};
/**
 * `<tessera-card merchant="…">`: the form as an element, there as soon as it has a merchant. Its events are `tessera-ready`, `tessera-token` and so on,
 * with the value in `detail`; the form itself is the property `form`.
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
/** Once, where there are elements. */
declare function defineElement(): void;
export { CardForm, CardFormMisuse, type CardFormError, type CardFormEvents, type CardFormOptions, type CardFormWarning, };
export { TesseraCard };
declare global {
  /** Of the script tag. */
  const Tessera: Readonly<{ CardForm: typeof CardForm; CardFormMisuse: typeof CardFormMisuse }>
  interface HTMLElementTagNameMap {
    'tessera-card': TesseraCard
  }
}
