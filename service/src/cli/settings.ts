import { effectiveSettings } from '../config/help.ts'

import type { Command } from './command.ts'
import { printTable } from './table.ts'

export const settings: Command = {
  name: 'settings',
  summary: 'Prints every setting as a start from here would have it, and where it comes from.',
  about: 'Secrets are not shown. A service that runs already may have been started with others.',
  run(asked) {
    const facts = effectiveSettings(asked.settings())
    const rows = facts.map(({ name, value, from, env }) => [
      name,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
      from,
      env,
    ])
    return Promise.resolve({ exit: 'done', facts, text: printTable(['setting', 'value', 'from', 'environment variable'], rows) })
  },
}
