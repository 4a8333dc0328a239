/** One page, in the asked language or in English. */
export interface LegalPage {
  readonly html: string
  readonly policy: string
}

/** Terms and privacy where the provider has no pages of its own, by path. */
export interface LegalPages {
  readonly pages: ReadonlyMap<string, (language: string) => LegalPage>
}
