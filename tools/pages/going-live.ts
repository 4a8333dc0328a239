import type { GoingLiveItem } from '../../service/src/ops/cli/going-live.ts'
import { page, printedFrom } from './markdown.ts'

/** The checklist before live cards, by section. */
export function printGoingLivePage(items: readonly GoingLiveItem[]): string {
  const sections = [...new Set(items.map(({ section }) => section))]
  return page(
    '# Going live',
    printedFrom('service/src/ops/cli/going-live.ts'),
    intro,
    ...sections.map((section) => [`## ${section}`, '', ...items.filter((item) => item.section === section).map(printItem)].join('\n')),
  )
}

const intro = `What has to be so before live cards are accepted. \`tessera doctor --production\` goes through the same list with the settings of
the service: it ticks what it can see, and leaves the rest for a person to confirm. It ends with 1 while something that it can see is not so.`

function printItem({ what, how, isDone }: GoingLiveItem): string {
  return `- [ ] ${what}${isDone === undefined ? ' *For a person to confirm.*' : ''}\n      ${linkFromPage(how)}`
}

/** Links by their path from docs/operating/. */
function linkFromPage(markdown: string): string {
  return markdown.replaceAll('](docs/operating/', '](').replaceAll('](docs/', '](../').replaceAll('](SECURITY.md', '](../../SECURITY.md')
}
