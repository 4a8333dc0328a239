import { listAdapterSettings, type ConfiguredAdapters } from '../adapters/adapter.ts'
import { kekAdapters } from '../adapters/kms/kek-adapters.ts'
import { settings, type Config } from '../ops/config/config.ts'
import { collectSettings, InvalidSettingsError } from '../ops/config/sources.ts'

/** The settings of the KEK that is to replace the current one, from the file of `kekNextFile`; null without one. Throws `InvalidSettingsError`. */
export function readNextKekSettings({ environment, kekNextFile }: Pick<Config, 'environment' | 'kekNextFile'>): ConfiguredAdapters | null {
  if (kekNextFile === null) return null
  const table = [...settings.filter(({ name }) => name === 'configFile'), ...listAdapterSettings(kekAdapters)]
  const { values } = collectSettings(table, ['--config', kekNextFile], {})
  if ((values[kekAdapters.port] ?? null) === null) {
    throw new InvalidSettingsError([`"${kekAdapters.port}" is not set: it names the provider of the next KEK.`])
  }
  return { environment, values }
}
