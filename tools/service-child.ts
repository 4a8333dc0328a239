import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/** What `tessera start --json` prints when it is ready, as far as it is used here. */
export interface Ready {
  readonly url: string
  readonly adminUrl: string
  readonly demo: {
    readonly merchantId: string
    readonly password: string
    readonly dashboardPhone: string
    readonly dashboardPassword: string
  }
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

/** Returns the last part of the output of a child, stdout and stderr. */
export function keepLast(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-maxOutputCharacters)))
  return () => text
}

/** The environment without a developer's own settings of the service. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TESSERA_') && name !== 'NODE_OPTIONS'))
}

/**
 * The same, for a service that a test starts in its test environment. In npm test it hashes the passwords of dashboard users at a small cost: with the
 * default its first start takes 0.4 s more of processor time.
 */
export function testServiceEnvironment(): NodeJS.ProcessEnv {
  const cost = process.env.TESSERA_TEST_PASSWORD_COST
  return { ...plainEnvironment(), ...(cost === undefined ? {} : { TESSERA_DASHBOARD_PASSWORD_COST: cost }) }
}

const maxOutputCharacters = 16_384
