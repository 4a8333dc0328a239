import type { Adapters } from './adapters.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { makeDisclosures, type Disclosures } from '../consents/disclosures.ts'
import { hashDisclosure } from '../form/disclosure.ts'
import type { Store } from '../store/store.ts'

/** The history of disclosure texts, with those of the settings or of the environment as today's, written down. */
export async function openDisclosures(config: Config, { texts }: Adapters, parts: { store: Store; clock: Clock }): Promise<Disclosures> {
  const disclosure = config.disclosure ?? texts?.disclosure ?? null
  const disclosures = makeDisclosures({ ...parts, texts: disclosure === null ? [] : textsOf(hashDisclosure(disclosure)) })
  await disclosures.keep()
  return disclosures
}

function textsOf({ version, texts }: ReturnType<typeof hashDisclosure>) {
  return Object.entries(texts).map(([locale, { text, sha256 }]) => ({ version, locale, sha256, text }))
}
