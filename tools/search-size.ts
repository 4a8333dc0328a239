/**
 * How many sequences, requests or cycles a random search or a fault loop takes: a short version in `npm test`, and as many as
 * `npm run soak` asks for. Both run the same test, with the same controls.
 */
export function readSearchSize(short: number): number {
  return Number(process.env.TESSERA_TEST_COUNT ?? short)
}

/**
 * The seed of a search: in `npm test` always `otherwise`, so that a run says something of the change and not of its luck. `npm run soak` draws
 * a new one each time, or takes that of a failure which is to be seen again.
 */
export function readSearchSeed(otherwise: number): number {
  return Number(process.env.TESSERA_TEST_SEED ?? otherwise)
}
