import type { Setting } from './values.ts'

/** The name of the setting that names a file with the secret: `databaseUrlFile` of `databaseUrl`. */
export function secretFileName({ name }: Pick<Setting, 'name'>): string {
  return `${name}File`
}

/** The settings, each secret one followed by a setting for a file with its value. Those that have one of their own get no other. */
export function withSecretFiles(settings: readonly Setting[]): Setting[] {
  return settings.flatMap((setting) => {
    const hasOwn = settings.some(({ name }) => name === secretFileName(setting))
    return setting.secret === true && !hasOwn ? [setting, fileSettingOf(setting)] : [setting]
  })
}

function fileSettingOf({ name, env, flag }: Setting): Setting {
  return {
    name: secretFileName({ name }),
    env: `${env}_FILE`,
    flag: `${flag}-file`,
    type: 'path',
    default: null,
    meaning: `File whose only line is the value of ${name}, in its place; only the user of the service may read it.`,
    secretOf: name,
  }
}
