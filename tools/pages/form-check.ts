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
    '## What it recognizes',
    recognition,
    '## How well it finds',
    measurements,
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
a real browser, waits for what scripts add, inspects every frame and shadow root, types a public sandbox card
into every text input, opens what buttons and tabs hide, and searches for traces of the card. With
\`--static\` it checks the source only. A folder is served on loopback during the check.`
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
Progress goes to stderr. Card numbers and passwords are masked.

| exit code | |
|---|---|
| 0 | no error, and no more warnings than \`--max-warnings\` |
| 1 | an error, or more warnings than \`--max-warnings\`. Without the option any number of warnings is accepted; \`--max-warnings 0\` accepts none |
| 2 | the page could not be checked; the message says why and what to do |
| 64 | the command line is not valid |
| 130 | stopped by Ctrl-C; there is no result |

An \`error\` violates the specification. A \`warning\` is good practice around it. An \`info\` is something to
look at, and changes no exit code.

\`--json\` prints one object. Members may be added to it; when one is removed or renamed, \`format\` is raised.

| member | |
|---|---|
| \`format\` | 1 |
| \`target\`, \`pages\` | what was checked |
| \`live\` | \`null\` with \`--static\`; otherwise \`browser\`, \`pages\` and \`formOrigin\` |
| \`counts\` | \`error\`, \`warning\`, \`info\` |
| \`findings\` | for each: \`rule\`, \`severity\`, \`path\`, \`half\` (\`source\` or \`browser\`), \`line\`, \`column\`, \`selector\`, \`shown\` (the element), \`text\` (what a person reads there), \`requirement\`, \`advice\`, \`source\`, \`docs\` |
| \`scripts\` | the inventory |
| \`notes\` | what was not checked |

The report lists every script with its address or location, SHA-256, integrity attribute and party, for the
inventory of PCI DSS 6.4.3. You add the purposes. From code, call \`checkForm\` of
\`@tessera/form-check/check-form\`: options and report are plain objects.`
const actions = `It types \`8600 0691 9540 6311\` into the service’s form. In a test environment it also submits the card and
stops at the SMS step. In your own page it types the same number

- into each input that asks for a card, with an expiry beside it; then it presses Enter and the nearest button;
- into each other visible text input, to see what the page does with it: an input that arranges the digits in
  groups of four, or sends them reversed, encoded or in parts, asks for a card whatever its label says;
- into each input without any caption before a button is pressed, to see the same of what the press sends;
- into each \`prompt\` that asks for a card.

It scrolls to the end. When no input asks for a card, it fills the page with test data, ticks the boxes without
which a page does not go on, chooses in lists what pays by card, and presses buttons, tabs, labels, elements that
only look or act like buttons, links that stay on the page, and Enter in the last input: those that speak of cards
and paying first and none that deletes, cancels or leaves. The button of a next step is pressed again. It stops
after eight presses that show nothing new, and after 24 in all. From the first typed digit on, every request and WebSocket message that carries the card is dropped,
and the page is not left. Other requests reach your server: a press of *Order* may place an order. Check a
page in production with \`--type-only\`, which presses nothing, or with \`--static\`.

Each page gets a new browser profile; other dialogs are dismissed; service workers are blocked. Four pages of a
folder are open at the same time.`
const recognition = `Inputs are judged by what a person reads, in English, Russian and Uzbek in both alphabets:

- the label (\`for\`, around the input, \`aria-labelledby\`, \`aria-label\`), or else the text beside it, the head of
  its table row or column, the text of a picture, or what a style sheet or a script draws there; then the
  placeholder and the title; a heading where there is nothing else;
- the form of the placeholder, of the mask or of the pattern (\`0000 0000 0000 0000\`, \`MM / YY\`), inputs
  or lists in a row that take 15 to 19 digits together, months and years to choose from, a keypad of whatever
  elements;
- the legend, the headings above and the text of the form.

A group is judged together. “Number” beside “MM/YY” is a card, and so are “16 digits”, “the number on the front”,
“Uzcard or Humo” and “the card to charge”; “number of” something else is not. An input that takes a picture of both
sides of a card asks for it too. “Card number” below “Gift card” is not, unless the same form asks for a CVV; nor is a number with
an expiry below “Passport”, or the card by which readers of a library sign in. A “security code” counts beside a card
number, and beside a stored card such as “Visa •••• 6311”, where the expiry of a new card counts as well. A code from an SMS counts on a page
that takes cards. Names of classes do not count; an \`id\` or a \`name\` supports what the texts say. Markup and inputs that inline scripts write or
create are judged in the same way, and so are questions of \`prompt\`, custom elements that a script makes an
input, elements that only take keys, and frames given in a \`srcdoc\`.`
const measurements = `The frozen corpus [form-check/corpus](../../form-check/corpus/README.md) has 95 pages that collect card data and
94 clean ones that resemble them. A violation counts as found when an input is reported, a clean page as accused
when there is any error. Each part was written by someone who had not read the rules, and measured before they
were changed; then the rules were changed with the failing pages in sight.

| | source | source and browser |
|---|---|---|
| first part, rules before it (ids, classes, placeholders) | 7 of 36 found, 6 of 36 accused | not measured |
| first part, before its failing pages were looked at | 28 of 36 found, 4 of 36 accused | 31 of 36 found, 4 of 36 accused |
| second part, with the rules made after the first | 12 of 19 found, 2 of 18 accused | 13 of 19 found, 2 of 18 accused |
| first and second part, since then | 54 of 55 found, none of 54 accused | 55 of 55 found, none of 54 accused |
| third part, with the rules made after the second | 11 of 20 found, 2 of 20 accused | 13 of 20 found, 2 of 20 accused |
| first to third part, since then | 73 of 75 found, none of 74 accused | 75 of 75 found, none of 74 accused |
| fourth part, with the rules made after the third | 14 of 20 found, 1 of 20 accused | 14 of 20 found, 1 of 20 accused |
| all pages, since then | 90 of 95 found, none of 94 accused | 95 of 95 found, none of 94 accused |

The last line measures itself. The lines of single parts tell what to expect of unknown pages as unusual as these: the
parts after the first were written to be harder than an ordinary shop. Of ordinary forms, 52 that were found in public
repositories, the source showed 26 of 27 at first sight, and 2 of 25 clean ones were accused
([decision 98](../decisions/0098-form-check-by-meaning.md)). The file names of the first part were known to the author of the second, two lines
of \`pages.json\` to the author of the first rules, and this guide to the author of the third part.

Missed in the second part before, and found since: “Debit or credit card” beside “Expires”, captions that are
pictures, four inputs made in a loop beside a month, questions asked with \`prompt\`, elements that only take
keys, and two inputs without any word whose digits are sent reversed; in the source alone also captions slotted
into custom elements. Accused before: the number and the expiry of a passport, and a comment on a page whose text
points to the service’s form.

Missed in the third part before, and found since: “Uzcard or Humo” as a placeholder, “enter the 16 digits of the front”,
“Карта для списания” in a frame whose markup is cut into pieces, captions drawn on a canvas, “16 digits” and “MMYY” below
a legend, “sixteen digits” in a list, and the code on the back of a stored card; in the source alone also a mask that a
script sets, and “the long number on the front”. Accused before: a library card with a PIN, and an editor of cards on a home
page whose inputs are named like those of a card form.

Missed in the fourth part before, and found since: the expiry and the code of a stored card that has expired, “the card to
charge” with its label slotted into a custom element, the card of a customer that an operator types after a choice in a
list; in the browser alone also sixteen boxes for one digit each, a keypad that is made of no buttons, and one input that
is used again for each question. Accused before: the number of a merchant, the expiry of a key and a limit without a PIN
in the settings of a terminal. The browser had found no page of this part that the source did not show; it presses
and chooses more since then.

Missed today, in the source alone: two inputs without a word, captions that a script draws on a canvas, and the three pages
of the fourth part that only the browser shows. Missed in both, of pages that were made up for the rules: a page that waits
for a press on no element in particular. Accused of the public forms, which were not measured again: the number of a game
card, of which the page does not say what kind of card it is.

\`npm test\` checks the source of the whole corpus and opens a dozen of its pages in a browser;
\`npm run soak -- form-check\` opens all of them. The source of one page takes a few milliseconds.`
const limits = `- A page that detects the check can behave differently.
- Of a page at most 200 text inputs are typed into, and fewer when the time limit ends; the report says so.
- Keystrokes that a script of yours encrypts are not recognized. That is why an input of your own that asks for
  a card is always a finding.
- Closed shadow roots declared in the markup of a cross-origin frame are not inspected.
- What appears only after a login, or after more presses than these, is not checked, and of a folder only the
  first 100 pages are opened in the browser. Of a page the first 2,000 inputs are judged.
- A folder has no response headers: check the policy at the page’s address.
- A clean report is not a PCI DSS assessment.`
