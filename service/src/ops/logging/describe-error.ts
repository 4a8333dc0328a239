/** An unexpected error as the log may show it. */
export interface DescribedError {
  readonly name: string
  readonly code?: string
  readonly text: string
  readonly stack: readonly string[]
  readonly cause?: DescribedError
}

/**
 * Describes an error by its class, code and stack. Every value is taken out of its message, because messages quote their input: JSON.parse the text
 * that it failed on, a database driver the row.
 */
export function describeError(err: unknown, depth = 0): DescribedError {
  if (!(err instanceof Error)) return { name: typeof err, text: '', stack: [] }
  const code = safeWord((err as NodeJS.ErrnoException).code) ?? safeWord((err as { errcode?: unknown }).errcode)
  return {
    name: safeWord(err.name) ?? 'Error',
    ...(code === undefined ? {} : { code }),
    text: withoutValues(err.message),
    stack: framesOf(err),
    ...(err.cause === undefined || depth >= CAUSES_MAX ? {} : { cause: describeError(err.cause, depth + 1) }),
  }
}

/** Keeps the plain words of a sentence: what is quoted, has a digit, is long or is not letters becomes an ellipsis. */
export function withoutValues(message: string): string {
  return message
    .replace(/"[^]*"|["`][^]*$/, '…')
    .slice(0, MESSAGE_LENGTH_MAX)
    .split(/\s+/)
    .map((word) => (/^[("']?[A-Za-z][A-Za-z_.'-]{0,23}[)"':;,.]*$/.test(word) ? word : '…'))
    .join(' ')
    .replace(/…( …)+/g, '…')
}

function safeWord(value: unknown): string | undefined {
  const word = typeof value === 'number' ? String(value) : value
  return typeof word === 'string' && /^[0-9A-Za-z_]{1,64}$/.test(word) && !/^[0-9]{6,}$/.test(word) ? word : undefined
}

/** The stack frames, which name functions and files only; the message above them is left out. */
function framesOf(err: Error): string[] {
  const frames = (err.stack ?? '').split('\n').filter((line) => /^ {4}at [^\0-\x1f]{1,300}$/.test(line))
  return frames.slice(0, FRAMES_MAX).map((line) => line.trim())
}

const MESSAGE_LENGTH_MAX = 300
const FRAMES_MAX = 12
const CAUSES_MAX = 3
