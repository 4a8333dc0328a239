import type { Rule } from '../../form-check/src/rules.ts'
import { page, printedFrom } from './markdown.ts'

/** Prints the guide to `tessera form-check`. Every rule has its own heading, which reports link to. */
export function printFormCheckPage(rules: Readonly<Record<string, Rule>>): string {
  return page(
    '# Check your page',
    printedFrom('form-check/src/rules.ts and tools/pages/form-check.ts'),
    introduction,
    [
      '```sh',
      'tessera form-check https://shop.example.com/checkout',
      'tessera form-check http://192.168.1.20:3000/',
      'tessera form-check ./public --static',
      '```',
    ].join('\n'),
    modes,
    '## Requirements',
    requirements,
    '## Output and exit codes',
    output,
    '## What it does to a page',
    actions,
    '## Limitations',
    limits,
    '## The rules',
    ...Object.entries(rules).flatMap(([id, rule]) => printRule(id, rule)),
  )
}

function printRule(id: string, { text, source, severity, seenBy, advice }: Rule): string[] {
  return [`### ${id}`, text, advice, `${severity} · detected in ${seenBy} · ${source}`]
}

const introduction = `The specification allows card numbers to be typed only into the service’s form. \`tessera form-check\` checks
your page against that requirement, and against good practice around it. Run it before you go live, and in
your CI. In a checkout of the service the command is \`npm run -s tessera -- form-check …\`, with paths relative
to the checkout.`
const modes = `The command first reads the source as a browser would and reports lines and columns. Then it opens the page in
a real browser, waits for what scripts add, inspects every frame and shadow root, types a public sandbox card,
and searches for traces of it. With \`--static\` it checks the source only. A folder is served on loopback
during the check.`
const requirements = `The check in a browser needs two things on this machine:

- A Chromium, Chrome or Edge (Debian: \`apt-get install chromium\`). It is found by its name, or given with
  \`--browser <path>\`.
- The package \`playwright-core\`, which drives the browser. The service does not need it, so it is not
  installed with the service: \`npm install --no-save playwright-core\` in the folder of Tessera.

The service does not have to run for the check itself, but the page’s form must be able to reach its own
service. \`--service <origin>\` names the service’s origin. Without it the page is trusted, and a fake form on a
path like ours passes as the real one. \`--cookies\` opens a checkout that needs a session.
\`tessera form-check --help\` lists every option.`
const output = `Text for people; \`--json\` for programs; \`--sarif\` (SARIF 2.1.0) for tools that show findings beside the code.
Progress goes to stderr. Card numbers and passwords are masked. The exit code is 0 when no rule is violated, 1
when one is, 2 when the page could not be checked, and 130 after Ctrl-C.

The report lists every script with its address or location, SHA-256, integrity attribute and party, for the
inventory of PCI DSS 6.4.3. You add the purposes. From code, call \`checkForm\` of
\`@tessera/form-check/check-form\`: options and report are plain objects.`
const actions = `It types \`8600 0691 9540 6311\` into the service’s form. In a test environment it also submits the card and
stops at the SMS step. Into inputs of your own page it types the same number, leaves the input, and presses
Enter and the nearest button; from then on every request that carries the card and every navigation is
aborted. Other requests and WebSocket frames are not stopped. \`--type-only\` submits nothing. Each page gets a
new browser profile; dialogs are dismissed; service workers are blocked.`
const limits = `- A page that detects the check can behave differently.
- Keystrokes that a script of yours sends one by one, or encrypts, are not recognized. That is why an input of
  your own is always a finding.
- Closed shadow roots declared in the markup of a cross-origin frame are not inspected.
- What appears only after a login or a click is not checked, and of a folder only the first 25 pages are
  opened in the browser.
- A folder has no response headers: check the policy at the page’s address.
- A clean report is not a PCI DSS assessment.`
