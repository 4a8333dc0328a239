import { settings } from './config.ts'
import type { Config, ReadSettings } from './config.ts'
import { describeExpected } from './values.ts'
import type { Setting, SettingValue } from './values.ts'

/** The settings as `--help` prints them: flag, environment variable, default, meaning. */
export function printSettings(): string {
  return settings.map(printOne).join('\n')
}

function printOne(setting: Setting): string {
  const about = [`default ${printDefault(setting)}`, ...(setting.production === undefined ? [] : [`in production: ${setting.production}`])]
  return `  ${setting.flag} <${describeExpected(setting)}>   ${setting.env}\n      ${setting.meaning}\n      ${about.join(' · ')}\n`
}

function printDefault(setting: Setting): string {
  return setting.default === null ? 'none' : String(setting.default)
}

/** One setting as it holds now, and where that came from; secrets are masked. */
export interface EffectiveSetting {
  readonly name: string
  readonly env: string
  readonly value: SettingValue | null
  readonly from: string
}

/** What holds now, in the order of the table. */
export function effectiveSettings(read: ReadSettings): EffectiveSetting[] {
  return settings.map((setting) => {
    const value = read.config[setting.name as keyof Config]
    return {
      name: setting.name,
      env: setting.env,
      value: setting.secret === true && value !== null ? '(set, not shown)' : value,
      from: read.origins[setting.name] ?? 'default',
    }
  })
}
