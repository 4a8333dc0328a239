import type { FastifyPluginCallback } from 'fastify'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Adapters } from './adapters.ts'
import type { Config } from '../config/config.ts'
import { readFormAssets, type FormAssets } from '../form/assets.ts'
import { makeForm, type FormMerchant } from '../form/form.ts'
import type { ServedForms } from '../form-sessions/served.ts'
import type { MerchantBook } from '../merchants/book.ts'

/** The pages of the hosted form, as the settings and the environment have them. */
export function makeFormPages(
  config: Config,
  { isAnyOriginWelcome, isThemeMeasured, texts }: Adapters,
  { assets, merchants, served }: FormPageParts,
): FastifyPluginCallback[] {
  const { environment, formOrigin, dashboardOrigin, termsUrl, privacyUrl } = config
  const disclosure = config.disclosure ?? texts?.disclosure ?? null
  // Production refuses to start without the provider's own.
  if (disclosure === null) return []
  const form = makeForm({
    ...{ assets, isAnyOriginWelcome, isThemeMeasured, environment, formOrigin, dashboardOrigin },
    ...{ termsUrl, privacyUrl, disclosure },
    issueForm: served.issue,
    ...{ providerName: config.providerName ?? 'Tessera', legal: texts?.legal ?? null },
    async findMerchant(id): Promise<FormMerchant | null> {
      const merchant = await merchants.find(id)
      if (merchant === null) return null
      const { row, settings } = merchant
      return { id, name: row.name, blocked: row.state === 'blocked', origins: settings.origins }
    },
  })
  return [form]
}

export interface FormPageParts {
  readonly assets: FormAssets
  readonly merchants: MerchantBook
  readonly served: Pick<ServedForms, 'issue'>
}

/** What `npm run build` made of the browser part. Throws `AssetsMissing` when it is not built. */
export function readBuiltForm(): FormAssets {
  return readFormAssets(builtFolder)
}

const builtFolder = join(fileURLToPath(new URL('../../../', import.meta.url)), 'browser', 'dist')
