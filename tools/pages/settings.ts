import { describeExpected, type Setting } from '../../service/src/ops/config/values.ts'
import { page, printedFrom, markdownTable } from './markdown.ts'

/** The page of all settings, in the order of the table. */
export function printSettingsPage(settings: readonly Setting[]): string {
  return page(
    '# Settings',
    printedFrom('service/src/ops/config/config.ts'),
    intro,
    markdownTable(['setting', 'environment, flag', 'values', 'default', 'meaning'], settings.map(printRow)),
  )
}

const intro = `Each setting is a flag of \`tessera start\`, an environment variable, and a member of the config file (JSON, by the name in the
first column). A flag overrides the environment, the environment overrides the file, the file overrides the default. An invalid setting
prevents the start, and all invalid settings are reported at once.`

function printRow(setting: Setting): string[] {
  const { name, env, flag, meaning, production, source, secret } = setting
  const more = [
    ...(production === undefined ? [] : [`**In production:** ${sentence(production)}`]),
    ...(source === undefined ? [] : [`*Why this value:* ${sentence(source)}`]),
    ...(secret === true ? ['Never printed.'] : []),
  ]
  return [
    `<a id="${name}"></a>\`${name}\``,
    `\`${env}\` \`${flag}\``,
    describeExpected(setting),
    printDefault(setting),
    [meaning, ...more].join(' '),
  ]
}

function printDefault({ default: value }: Setting): string {
  return value === null ? '—' : `\`${value}\``
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}
