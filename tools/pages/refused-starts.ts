import type { RefusedStart } from '../../service/src/ops/cli/refused-starts.fixture.ts'
import { page, printedFrom } from './markdown.ts'

/** Every wrong configuration of a production start with the reason of its refusal, by area. */
export function printRefusedStartsPage(cases: readonly RefusedStart[]): string {
  const areas = [...new Set(cases.map(({ area }) => area))]
  return page(
    '# Starts that are refused',
    printedFrom('service/src/ops/cli/refused-starts.fixture.ts'),
    intro,
    ...areas.map((area) =>
      [`## ${area}`, '', '| configuration | reason |', '|---|---|', ...cases.filter((each) => each.area === area).map(printRow)].join('\n'),
    ),
  )
}

const intro = `The wrong configurations of a production start, and the reason that each is refused for. A start lists every reason that it finds at once, and
ends with [78](../operating/running.md#exit-codes) before it has changed anything. \`service/src/ops/cli/refused-starts.serial.test.ts\` takes a configuration that passes, makes
each of these changes, and checks that the start is refused for that reason alone; \`…\` stands for text that is left out here. What the database and the keys may be
refused for is in [Starting](../operating/starting.md#when-a-start-is-refused).`

function printRow({ wrong, reason }: RefusedStart): string {
  return `| ${wrong} | \`${reason.replaceAll('<folder>', '/path')}\` |`
}
