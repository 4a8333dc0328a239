/**
 * How many sequences, requests or cycles a random search or a fault loop takes: a short version in `npm test`, and as many as
 * `npm run soak` asks for. Both run the same test, with the same controls.
 */
export function readSearchSize(short: number): number {
  return Number(process.env.TESSERA_TEST_COUNT ?? short)
}

/** The seed of a search: that of a failure which is to be seen again, or `otherwise`. */
export function readSearchSeed(otherwise: number): number {
  return Number(process.env.TESSERA_TEST_SEED ?? otherwise)
}
