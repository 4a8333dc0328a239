import { foldCode, hasLetters, isVerificationCode, type CodeFormat } from '@tessera/contract/verification-code'

import { readDigits } from '../digits.ts'
import { setText } from '../inputs.ts'
import type { DeferredTexts } from '../texts.ts'
import type { FieldView } from '../view.ts'

/** Sets the field up for codes of this format: the keyboard of digits or of letters, and a hint where letters are allowed. */
export function showCodeFormat({ input }: FieldView, hint: HTMLElement, { length, alphabet }: CodeFormat): void {
  const isOfLetters = hasLetters(alphabet)
  input.inputMode = isOfLetters ? 'text' : 'numeric'
  input.autocapitalize = isOfLetters ? 'characters' : 'off'
  input.setAttribute('autocorrect', 'off')
  input.enterKeyHint = 'done'
  input.pattern = `[${alphabet}]{${length}}`
  input.classList.toggle('letters', isOfLetters)
  hint.hidden = !isOfLetters
}

/** The characters of a code in a text: as they are typed, or found in a message that was pasted as a whole. */
export function readCodeText(text: string, format: CodeFormat): string {
  const { length, alphabet, fixed = '' } = format
  const longest = Math.max(length, fixed.length)
  if (!hasLetters(alphabet)) return readDigits(text).slice(0, longest)
  const words = text.split(/[^\p{L}\p{N}]+/u).map((word) => foldCode(word, alphabet))
  const pasted = words.find((word) => isVerificationCode(word, format))
  if (pasted !== undefined) return pasted
  const characters = Array.from(words.join(''), (character) => readDigits(character) || character)
  return characters
    .filter((character) => alphabet.includes(character) || fixed.includes(character))
    .slice(0, longest)
    .join('')
}

/** Whether a code of digits is complete as soon as its last one is typed. Not while it may become a longer one. */
export function confirmsItself(text: string, { length, alphabet, fixed = '' }: CodeFormat): boolean {
  return !hasLetters(alphabet) && text.length >= Math.max(length, fixed.length)
}

/** The error text for a missing or incomplete code of this format. */
export function codeMissingText(
  texts: Pick<DeferredTexts, 'code_missing' | 'code_missing_letters'>,
  { length, alphabet }: CodeFormat,
): string {
  return texts[hasLetters(alphabet) ? 'code_missing_letters' : 'code_missing'].replace('{0}', String(length))
}

/** Brings the code into its format while the cardholder types. The caret stays behind the same character. */
export function formatCode({ input }: FieldView, format: CodeFormat): void {
  const { value, selectionStart } = input
  const text = readCodeText(value, format)
  const before = readCodeText(value.slice(0, selectionStart ?? value.length), format)
  if (text !== value) setText(input, { text, caret: Math.min(before.length, text.length) })
}
