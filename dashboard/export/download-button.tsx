import type { Params } from '@tessera/contract/operations'

import { ErrorMessage } from '../components/query-result.tsx'
import { useAction } from '../hooks/use-action.ts'
import { recordExport } from './export-record.ts'

export interface DownloadButtonProps extends Pick<Params<'dashboard.exports.start'>, 'list' | 'format'> {
  readonly label: string
  /** How many rows the file has. */
  readonly rows: number
  readonly isDisabled?: boolean
  /** Saves the file, which is there already. */
  readonly onSave: () => void
}

/** Saves what the page shows as a file. The audit knows of it before the file is saved, as of an export: without the entry there is no file. */
export function DownloadButton({ label, list, format, rows, isDisabled = false, onSave }: DownloadButtonProps) {
  const { isBusy, error, run } = useAction()
  const save = async (): Promise<void> => {
    const recordEnd = await recordExport({ list, format, conditions: [] })
    onSave()
    await recordEnd({ outcome: 'done', rows })
  }
  return (
    <>
      <button type="button" disabled={isDisabled || isBusy.value} onClick={() => void run(save)}>
        {label}
      </button>
      <ErrorMessage error={error.value} />
    </>
  )
}
