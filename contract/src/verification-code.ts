/** What a verification code looks like: its length and its alphabet, by the policy in force. Used by the service and by the card form. */
export interface CodeFormat {
  /** How many characters a code has. */
  readonly length: number
  /** The characters of which it is made: digits, or digits and capital letters. */
  readonly alphabet: string
  /** A code that is accepted whatever length and alphabet are. In the test environment only: the code of the test cards. */
  readonly fixed?: string
}

export const digitAlphabet = '0123456789'

/**
 * Consonants and digits of which no two look alike: without 0 and O, 1, I and L. Without vowels no code is a word, and each letter that looks like a
 * Cyrillic one is read from either keyboard.
 */
export const letterAlphabet = '23456789BCDFGHJKMNPQRSTVWXZ'

/** Whether codes of this alphabet have letters, so that a keyboard of digits is not enough. */
export function hasLetters(alphabet: string): boolean {
  return /[A-Z]/.test(alphabet)
}

/**
 * A code as the cardholder typed it, in the characters of the alphabet. Where codes have letters, small ones count as capital ones, Cyrillic letters as
 * the Latin ones that look the same, and a character that is not in the alphabet as the one it is taken for (O for 0). Other characters stay as they are.
 */
export function foldCode(typed: string, alphabet: string): string {
  if (!hasLetters(alphabet)) return typed
  return Array.from(typed.toUpperCase(), (typedLetter) => {
    const character = latinOf[typedLetter] ?? typedLetter
    return alphabet.includes(character) ? character : (lookalikes(character).find((other) => alphabet.includes(other)) ?? character)
  }).join('')
}

/** Whether a text, folded, can be a code. */
export function isVerificationCode(text: string, { length, alphabet, fixed }: CodeFormat): boolean {
  return text === fixed || (text.length === length && Array.from(text).every((character) => alphabet.includes(character)))
}

/** The characters for which each of these is taken. An alphabet has at most one of each group. */
export const lookalikeGroups: readonly string[] = Object.freeze(['0O', '1IL'])

function lookalikes(character: string): string[] {
  return Array.from(lookalikeGroups.find((group) => group.includes(character)) ?? '')
}

/** Capital Cyrillic letters that look like Latin ones. */
const latinOf: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from('АВЕКМНОРСТУХ', (cyrillic, at) => [cyrillic, 'ABEKMHOPCTYX'.charAt(at)]),
)
