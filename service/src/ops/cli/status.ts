import { effectiveSettings } from '../config/help.ts'
import { tesseraVersion } from '../version.ts'

import { printFields, printTable, type Command } from './command.ts'
import { callService } from './control-client.ts'

export const statusCommand: Command = {
  name: 'status',
  summary: 'Shows whether a service runs on the data folder, and its state.',
  options: [
    {
      name: 'ready',
      meaning: 'Ends with 1 unless the service takes calls, as /readyz says: for probes that have no port, certificate or token.',
    },
  ],
  async run(input) {
    const data = await callService(input, 'operator.status.get', {})
    return { exit: input.options.has('ready') && !data.ready ? 'findings' : 'done', data, text: printFields({ ...data }) }
  },
}

export const settingsCommand: Command = {
  name: 'settings',
  summary: 'Prints the effective value of every setting, and where it comes from.',
  details: 'Secrets are not shown. A running service may have been started with other settings.',
  run(input) {
    const data = effectiveSettings(input.settings())
    const rows = data.map(({ name, value, from, env }) => [
      name,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
      from,
      env,
    ])
    return Promise.resolve({ exit: 'done', data, text: printTable(['setting', 'value', 'from', 'environment variable'], rows) })
  },
}

export const versionCommand: Command = {
  name: 'version',
  summary: 'Prints the version of Tessera and of Node.',
  options: [{ name: 'version', meaning: 'Same as the command version; -v for short.' }],
  ignoresSettings: true,
  run() {
    const data = { tessera: tesseraVersion, node: process.versions.node }
    return Promise.resolve({ exit: 'done', data, text: `Tessera ${data.tessera} on Node ${data.node}` })
  },
}
