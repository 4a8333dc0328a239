import { fork, type ChildProcess } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { RpcError } from '@tessera/contract/errors'

import { withTimeout, type Clock } from '../../clock.ts'

import type { PageText, ParsedPage } from './parsed-page.ts'

/** Parses a page and checks the rules. Throws `pageNotChecked` when the page is too large, `overloaded` when the queue is full. */
export type ParsePage = (page: PageText) => Promise<ParsedPage>

export interface ParsePageDependencies {
  readonly clock: Pick<Clock, 'sleep'>
  /** The script of the child process. */
  readonly program?: string
  /** What the child may read beside its script: the parser's files, and not the data folder, the keys or the system. */
  readonly readable?: readonly string[]
  /** Time and memory limits for one page. */
  readonly timeMs?: number
}

/**
 * Parses one page at a time in a child process with limited memory and time: a worker thread that exhausts its heap would end the whole
 * service (docs/decisions/0024-page-check.md). The parser and its rules are loaded only there.
 */
export function makeParsePage(dependencies: ParsePageDependencies): ParsePage {
  const { clock, program = parseChild, readable = parserFiles(), timeMs = parseMs } = dependencies
  const execArgv = [...restrictions, ...[program, ...readable].map((path) => `--allow-fs-read=${path}`)]
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return (page) => {
    if (waiting >= waitingMax) return Promise.reject(new RpcError('overloaded', { retryAfterMs: timeMs }))
    waiting++
    const parsed = last.then(() => parseOne(page))
    last = parsed.then(
      () => waiting--,
      () => waiting--,
    )
    return parsed
  }

  async function parseOne(page: PageText): Promise<ParsedPage> {
    const child = fork(program, [], { execArgv, env: {}, cwd: '/', stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'json' })
    try {
      const parsed = await withTimeout<ParsedPage | null>({ clock, timeoutMs: timeMs }, null, () => replyOf(child, page))
      if (parsed === null) throw new Error('it took too long')
      return parsed
    } catch (cause) {
      throw new RpcError('pageNotChecked', { data: 'too_complex', cause })
    } finally {
      child.kill('SIGKILL')
    }
  }
}

function replyOf(child: ChildProcess, page: PageText): Promise<ParsedPage> {
  return new Promise((resolve, reject) => {
    child.once('message', (parsed) => resolve(parsed as ParsedPage))
    child.once('error', reject)
    child.once('exit', (code, signal) => reject(new Error(`the reader ended: ${String(code ?? signal)}`)))
    child.send(page, (err) => (err === null ? undefined : reject(err)))
  })
}

const parseChild = fileURLToPath(new URL('parse-child.ts', import.meta.url))
/** The child reads nothing but what is allowed by name, writes nothing, starts nothing, and gets little memory. */
const restrictions = ['--permission', '--max-old-space-size=256', '--no-warnings']

/** The folders of the modules that the child loads, wherever npm installed them. A file missing here fails the test of every page. */
function parserFiles(): string[] {
  const formCheck = folderOf('@tessera/form-check', parseChild)
  const parse5 = folderOf('parse5', join(formCheck, 'package.json'))
  return [dirname(parseChild), formCheck, realpathSync(formCheck), parse5, folderOf('entities', join(parse5, 'package.json'))]
}

function folderOf(packageName: string, importedBy: string): string {
  const file = findPackageJSON(packageName, pathToFileURL(importedBy))
  if (file === undefined) throw new Error(`${packageName} is not installed`)
  return dirname(file)
}
const parseMs = 15_000
const waitingMax = 4
