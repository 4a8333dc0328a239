import { parentPort, workerData } from 'node:worker_threads'
import type { KeyState, WrappedKey } from '@tessera/vault/keyring'
import { insertKey, listKeys, listValues, replaceWrappedKey, saveValue, setKeyState, type NamedValue } from '../keys.ts'
import type { Row, Statement, Value } from '../statement.ts'
import { connectKeys } from './connect.ts'
import { sqliteFaultOf, type SqliteFault } from './fault.ts'

// The thread of the key store: it waits for the file's lock and for the disk, so that the thread that serves requests never does.

const port = parentPort
if (port === null) throw new Error('the key worker runs as a worker thread')

const { path, busyMs } = workerData as KeyWorkerStart
const connection = connectKeys(path, busyMs)

port.on('message', (call: KeyWorkerCall | null) => {
  if (call === null) {
    connection.db.close()
    port.close()
  } else port.postMessage(answer(call))
})
port.postMessage('ready')

function answer({ id, request }: KeyWorkerCall): KeyWorkerReply {
  try {
    return { id, result: run(request) }
  } catch (err) {
    return { id, failed: err instanceof Error ? err.message : String(err), fault: sqliteFaultOf(err) }
  }
}

function run(request: KeyRequest): KeyResult {
  if (request.kind === 'list') return listKeys.map(runStatement(listKeys.statement, []))
  if (request.kind === 'insert') return runStatement(insertKey.statement, insertKey.values(request.key)).length > 0
  if (request.kind === 'replaceWrapped')
    return runStatement(replaceWrappedKey.statement, replaceWrappedKey.values(request.before, request.after)).length > 0
  if (request.kind === 'listValues') return listValues.map(runStatement(listValues.statement, listValues.values(request.prefix)))
  if (request.kind === 'saveValue') return runStatement(saveValue.statement, saveValue.values(request.name, request.value)).length >= 0
  runStatement(setKeyState.statement, setKeyState.values(request.keyId, request.state))
  return true
}

function runStatement(statement: Statement, values: readonly Value[]): readonly Row[] {
  return connection.run(statement, values)
}

/** What the key store is asked for. */
export type KeyRequest =
  | { readonly kind: 'list' }
  | { readonly kind: 'insert'; readonly key: WrappedKey }
  | { readonly kind: 'setState'; readonly keyId: string; readonly state: KeyState }
  | { readonly kind: 'listValues'; readonly prefix: string }
  | { readonly kind: 'saveValue'; readonly name: string; readonly value: Uint8Array }
  | { readonly kind: 'replaceWrapped'; readonly before: WrappedKey; readonly after: Pick<WrappedKey, 'kekId' | 'wrapped'> }

/** What it answers, by the kind of the request. */
export type KeyResult = WrappedKey[] | NamedValue[] | boolean

/** A request to the worker; null instead of one closes it. */
export interface KeyWorkerCall {
  readonly id: number
  readonly request: KeyRequest
}

/** The reply of the worker to the call with this id. */
export type KeyWorkerReply =
  { readonly id: number; readonly result: KeyResult } | { readonly id: number; readonly failed: string; readonly fault: SqliteFault }

/** The worker's options. */
export interface KeyWorkerStart {
  readonly path: string
  /** How long a statement waits for another process that has locked the file. */
  readonly busyMs: number
}
