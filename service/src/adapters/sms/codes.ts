import { hasLetters, type CodeFormat } from '@tessera/contract/verification-code'

// A port with its one adapter for production; the sandbox has the other.

/** The source of one-time passwords: random in production, fixed in the test environment. */
export interface Codes {
  /** A code of this length and alphabet. */
  draw(format: CodeFormat): string
  /** A code that is drawn and accepted whatever the format is; absent in production. */
  readonly fixed?: string
}

/**
 * Uniformly distributed codes; `randomInt` returns a cryptographically secure integer below its bound (`node:crypto`). Where the alphabet has letters, a
 * code has at least one: others are drawn again, so those that are left stay equally frequent.
 */
export function drawnCodes(randomInt: (bound: number) => number): Codes {
  return Object.freeze({
    draw(format: CodeFormat): string {
      for (;;) {
        const code = drawCharacters(format, randomInt)
        if (hasLetters(code) === hasLetters(format.alphabet)) return code
      }
    },
  })
}

function drawCharacters({ length, alphabet }: CodeFormat, randomInt: (bound: number) => number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
}
