import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { interruptedExportsKey, requestedExports } from './export-jobs.ts'
import { lazyPage } from './lazy-page.tsx'

const ExportPanel = lazyPage(async () => (await import('../export/export-panel.tsx')).ExportPanel)

const isNeeded = signal(false)

/** The panel of exports, on every page; its script is loaded with the first export, or when one was interrupted. */
export function Exports() {
  const isRequested = requestedExports.value.length > 0
  useEffect(() => {
    if (isRequested || sessionStorage.getItem(interruptedExportsKey) !== null) isNeeded.value = true
  }, [isRequested])
  return isNeeded.value ? <ExportPanel /> : null
}
