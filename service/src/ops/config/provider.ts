import type { Setting } from './values.ts'

/** Who runs this service, as cardholders see it. */
export const providerSettings = [
  {
    name: 'providerName',
    env: 'TESSERA_PROVIDER_NAME',
    flag: '--provider-name',
    type: 'text',
    default: null,
    meaning: 'Name of the provider that runs this service, as shown to cardholders.',
    production: 'required',
  },
  {
    name: 'providerAddress',
    env: 'TESSERA_PROVIDER_ADDRESS',
    flag: '--provider-address',
    type: 'text',
    default: null,
    meaning: 'Postal address of the provider, shown on the page at / of the service.',
  },
  {
    name: 'providerUrl',
    env: 'TESSERA_PROVIDER_URL',
    flag: '--provider-url',
    type: 'webUrl',
    default: null,
    meaning: "The provider's own site, to which the card form and the page at / link.",
    production: 'required',
    source: "in test the service's own page",
  },
  {
    name: 'termsUrl',
    env: 'TESSERA_TERMS_URL',
    flag: '--terms-url',
    type: 'webUrl',
    default: null,
    meaning: "Page of the provider's terms.",
    production: 'required',
  },
  {
    name: 'privacyUrl',
    env: 'TESSERA_PRIVACY_URL',
    flag: '--privacy-url',
    type: 'webUrl',
    default: null,
    meaning: "Page of the provider's privacy policy.",
    production: 'required',
  },
  {
    name: 'disclosure',
    env: 'TESSERA_DISCLOSURE',
    flag: '--disclosure',
    type: 'disclosure',
    default: null,
    meaning: 'The text a cardholder agrees to when a card is stored: JSON with version, en, ru and uz.',
    production: 'required',
  },
] as const satisfies readonly Setting[]
