/** How long things last for a card. Milliseconds; each is a setting. */
export interface CardFigures {
  /** Life of a token that nobody has verified. */
  readonly unverifiedLifeMs: number
  /** Life of a verified token that was made without `save`, from its verification. */
  readonly oneTimeLifeMs: number
  /** How long a card network may take. */
  readonly networkTimeoutMs: number
}

export const cardFigures: CardFigures = Object.freeze({
  unverifiedLifeMs: 30 * 60_000,
  oneTimeLifeMs: 24 * 3_600_000,
  networkTimeoutMs: 12_000,
})
