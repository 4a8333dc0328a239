import { ask } from './ask.ts'
import type { Command } from './command.ts'
import { printFacts } from './table.ts'
import type { Shown } from './table.ts'

export const status: Command = {
  name: 'status',
  summary: 'Tells whether a service runs on the data folder, and how it is.',
  async run(asked) {
    const facts = (await ask(asked, { ask: 'status' })) as Record<string, Shown>
    return { exit: 'done', facts, text: printFacts(facts) }
  },
}
