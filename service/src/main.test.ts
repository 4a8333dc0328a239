// needs: build
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const tessera = `'${process.execPath}' '${join(import.meta.dirname, '../bin/tessera.mjs')}'`

test('what a command prints reaches a slow reader whole', () => {
  const help = run(`${tessera} --help | wc -c`)
  assert.ok(help > 30_000, String(help))
  // The pipe holds 64 KiB, most of which is taken, and it is read when the command would have ended.
  assert.equal(run(`(head -c 60000 /dev/zero; ${tessera} --help) | (sleep 2; wc -c)`), 60_000 + help)
})

test('a command whose reader goes away reports no error', () => {
  // More than the reader takes comes first, so it has gone when the command writes.
  assert.equal(run(`{ (head -c 100000 /dev/zero; ${tessera} --help 2>&3) | head -c 10 > /dev/null; } 3>&1 2> /dev/null | wc -c`), 0)
})

test('a command whose output cannot be written ends with 74 and says why', () => {
  const full = openSync('/dev/full', 'w')
  const { status, stderr } = spawnSync('/bin/sh', ['-c', `${tessera} --help`], { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' })
  assert.deepEqual([status, stderr], [74, 'tessera: the output could not be written (ENOSPC): it is not complete.\n'])
})

function run(command: string): number {
  return Number(execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' }))
}
