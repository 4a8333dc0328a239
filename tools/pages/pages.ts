import { errors } from '@tessera/contract/errors'
import { methods, type MethodEntry } from '@tessera/contract/methods'
import { printOpenRpc } from '@tessera/contract/openrpc'
import { settings } from '../../service/src/config.ts'
import { printErrorsPage } from './errors.ts'
import { printMethodPage, printMethodsIndex } from './methods.ts'
import { printSettingsPage } from './settings.ts'

/** Every page that is printed from the code: its path, its text. Pure: the same code prints the same pages. */
export function printPages(version: string): Map<string, string> {
  const entries: Readonly<Record<string, MethodEntry>> = methods
  return new Map([
    ['docs/reference/errors.md', printErrorsPage(errors)],
    ['docs/reference/settings.md', printSettingsPage(settings)],
    ['docs/reference/openrpc.json', JSON.stringify(printOpenRpc(version), null, 2) + '\n'],
    ['docs/reference/methods/README.md', printMethodsIndex(entries)],
    ...Object.entries(entries).map(([name, entry]): [string, string] => [
      `docs/reference/methods/${name}.md`,
      printMethodPage(name, entry),
    ]),
  ])
}
