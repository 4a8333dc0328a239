import type { Page } from 'playwright-core'

/** What a page has received. */
export interface PageTransfer {
  /** As they came over the wire, with headers. */
  bytes: number
  responses: number
}

/** Counts every response of a page from here on: documents, scripts, styles, texts and calls. */
export async function countTransfer(page: Page): Promise<Readonly<PageTransfer>> {
  const transfer: PageTransfer = { bytes: 0, responses: 0 }
  const session = await page.context().newCDPSession(page)
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    transfer.bytes += encodedDataLength
    transfer.responses++
  })
  await session.send('Network.enable')
  return transfer
}
