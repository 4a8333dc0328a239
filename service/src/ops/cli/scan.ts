import { ExitError } from '../exits.ts'
import { scrubLine } from '../logging/scrub.ts'

import type { Command, CommandInput, CommandOutcome } from './command.ts'
import { scanPaths, type ScanFinding, type ScanResult } from './scan-files.ts'

export const scan: Command = {
  name: 'scan',
  args: '<path…>',
  summary: 'Searches files, folders, dumps and logs for card numbers, and prints where they are, masked.',
  details:
    'A path is a file, a folder with all below it, or - for standard input. Files are read as bytes, gzip files unpacked; links are not followed.\n' +
    'Prints path, offset of the first byte (in a gzip file of its content) and the number with its middle masked.\n' +
    'Exit code 0: none found; 1: some found; 2: none found, and something could not be read; 130: stopped by Ctrl-C.\n' +
    'What it finds and what it cannot see: docs/operating/scan.md',
  options: [
    { name: 'max', takes: '<n>', meaning: 'How many findings are printed; the others are counted. Default 1000, at most 1000000.' },
  ],
  ignoresSettings: true,
  run: runScan,
}

async function runScan({ args, options, json, print, progress }: CommandInput): Promise<CommandOutcome> {
  if (args.length === 0) throw new ExitError('usage', 'Usage: tessera scan <path…>')
  const max = readMax(options.get('max'))
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const findings: ScanFinding[] = []
  const startedAt = performance.now()
  let printed = 0
  try {
    const result = await scanPaths(args, {
      onFinding(finding) {
        if (printed === max) return
        printed++
        const shown = { ...finding, path: scrubLine(finding.path).text }
        if (json) findings.push(shown)
        else {
          progress.end()
          print(`${formatFinding(shown)}\n`)
        }
      },
      onProgress: (done, total) => progress.show({ stage: 'bytes', done, total, seconds: (performance.now() - startedAt) / 1000 }),
      signal: stopping.signal,
      standardInput: () => process.stdin,
    })
    return {
      exit: exitOf(result),
      data: { ...result, unreadable: result.unreadable.map((each) => ({ ...each, path: scrubLine(each.path).text })), findings },
      text: formatResult(result, printed),
    }
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

function readMax(text = String(1000)): number {
  if (!/^\d{1,7}$/.test(text) || Number(text) > 1_000_000) throw new ExitError('usage', '--max takes a number from 0 to 1000000.')
  return Number(text)
}

function formatFinding({ path, offset, masked, isGzip, isName }: ScanFinding): string {
  if (isName) return `${printable(path)}: ${masked} (in the name)`
  return `${printable(path)}:${String(offset)}: ${masked}${isGzip ? ' (in gzip)' : ''}`
}

/** A path may hold any character but NUL, and a card number; a line stays one line. */
function printable(path: string): string {
  return scrubLine(path).text.replaceAll(/[\u0000-\u001f\u007f]/g, (unit) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

function exitOf({ found, unreadable, isComplete }: ScanResult): CommandOutcome['exit'] {
  if (!isComplete) return 'interrupted'
  if (found > 0) return 'findings'
  return unreadable.length > 0 ? 'notChecked' : 'done'
}

function formatResult({ found, files, bytes, unreadable, isComplete }: ScanResult, printed: number): string {
  const lines = unreadable.map(({ path, reason }) => `Not read: ${printable(path)}: ${reason}.`)
  const more = found > printed ? ` ${String(found - printed)} of them are not printed: --max.` : ''
  const numbers = found === 0 ? 'No card number' : `${String(found)} card number${found === 1 ? '' : 's'}`
  lines.push(`${numbers} in ${String(files)} file${files === 1 ? '' : 's'} (${(bytes / 1e6).toFixed(1)} MB).${more}`)
  if (!isComplete) lines.push('Stopped before the end: what was not read may hold more.')
  return lines.join('\n')
}
