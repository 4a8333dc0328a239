import type { Rule } from '../../form-check/src/rules.ts'
import { page, printedFrom } from './markdown.ts'

/** The guide to `tessera form-check`, with every rule under a heading of its own. */
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
    halves,
    '## Before it runs',
    needs,
    '## What comes out',
    outcome,
    '## What it does to a page',
    deeds,
    '## What it cannot see',
    limits,
    '## The rules',
    ...Object.entries(rules).flatMap(([id, rule]) => printRule(id, rule)),
  )
}

function printRule(id: string, { text, source, severity, seenBy, advice }: Rule): string[] {
  return [`### ${id}`, text, advice, `${severity} · seen by ${seenBy} · ${source}`]
}

const introduction =
  'The specification lets a card be typed into the service’s form only. `tessera form-check` holds a page of yours against that, and against the good practice beside it. Run it before you go live and in your CI. From a checkout of the service it is `npm run -s tessera -- form-check …`, with paths seen from its folder.'
const halves =
  'It reads the source, as a browser would read it, and tells lines and columns. Then it opens the page in a real browser, waits for what scripts add, looks into every frame and shadow root, types a public sandbox card, and looks where it went. With `--static` it reads the source only. A folder is served on loopback while it is looked at.'
const needs =
  'A Chromium, Chrome or Edge on this machine (Debian: `apt-get install chromium`): it is found by its name, or named with `--browser <path>`. No service has to run for the check itself, but the page’s form must reach its own. `--service <origin>` says where that is; without it the page is believed, and a false form on a path like ours passes for ours. `--cookies` opens a checkout that is behind a session. `tessera form-check --help` has every option.'
const outcome =
  'Text for people; `--json` for programs; `--sarif` (SARIF 2.1.0) for what shows findings beside code. What it is doing goes to stderr. Card numbers and passwords in what is shown are masked. It ends with 0 when no rule is broken, 1 when one is, 2 when the page could not be checked, 130 after Ctrl-C. Every script is listed with its address or place, its SHA-256, its integrity and whose it is, for the inventory of PCI DSS 6.4.3: the purpose is yours to write down. From code: `checkForm` of `@tessera/form-check/check-form`, plain objects in and out.'
const deeds =
  'It types `8600 0691 9540 6311` into the service’s form and, when the service says that it is a test environment, sends it and stops at the SMS step. Into inputs of your own it types the same, leaves the input, presses Enter and the nearest button; from then on every request that carries the card and every navigation is stopped, the others are let through, and WebSocket frames too. `--type-only` presses nothing. Each page has a new profile of the browser; dialogs are dismissed; service workers are kept out.'
const limits =
  'A page that knows it is being looked at can behave. Keys that a script of yours sends one by one, or encrypted, are not recognised: that is why an input of your own is a finding by itself. Closed shadow roots that the markup of a cross-origin frame declares, what comes after a login or a click, and pages beyond the first 25 of a folder are not opened. A folder has no headers: whether the policy is right is seen at the address. A clean report is no PCI DSS assessment.'
