import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/** What `tessera start --json` says when it is ready, as far as those who start it need to know. */
export interface Ready {
  readonly url: string
  readonly adminUrl: string
  readonly demo: { readonly merchantId: string; readonly password: string }
}

/** Its one line on stdout. Never resolves when that line does not come. */
export function readReady({ stdout }: ChildProcess): Promise<Ready> {
  return new Promise((resolve) => {
    if (stdout === null) return
    createInterface({ input: stdout }).on('line', (line) => {
      const { ready } = JSON.parse(line) as { ready?: Ready }
      if (ready !== undefined) resolve(ready)
    })
  })
}

/** The last of what a child said, on stdout and stderr. */
export function keepLast(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-saidCharactersMax)))
  return () => text
}

/** Our environment without a developer's own settings: they do not reach the service that is tried. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TESSERA_') && name !== 'NODE_OPTIONS'))
}

const saidCharactersMax = 16_384
