import type { BrokenDeployment } from '../../service/src/ops/cli/evidence/broken-deployments.ts'
import type { EvidenceRow } from '../../service/src/ops/cli/evidence/rows.ts'
import { page, printedFrom } from './markdown.ts'

/** The rows of `tessera evidence`, and the installations that a test breaks. */
export function printEvidencePage(rows: readonly EvidenceRow[], broken: readonly BrokenDeployment[]): string {
  return page(
    '# Evidence for an assessor',
    printedFrom('service/src/ops/cli/evidence/'),
    ...intro.split('\n\n'),
    [
      '## The rows',
      '',
      '| PCI DSS 4.0.1 | id | what has to be so | shown again by |',
      '| --- | --- | --- | --- |',
      ...rows.map(({ requirement, id, what, shownBy }) => `| ${requirement} | \`${id}\` | ${what} | ${shownBy} |`),
    ].join('\n'),
    ...states.split('\n\n'),
    ...forMerchants.split('\n\n'),
    [
      '## Installations with one thing wrong',
      '',
      'A test makes each of these from an installation that is right, and compares every row (`npm run peers -- evidence`).',
      '',
      '| installation | what is wrong | not met then | not known then |',
      '| --- | --- | --- | --- |',
      ...broken.map(({ name, what, notMet, unknown }) => `| \`${name}\` | ${what} | ${listIds(notMet)} | ${listIds(unknown)} |`),
    ].join('\n'),
  )
}

function listIds(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(', ')
}

const intro = `For the operator who is assessed, and for the assessor. \`tessera evidence --out <folder>\` writes facts by requirement of PCI DSS 4.0.1, each
found by a program at that time on this installation: on its configuration, its stores and its files.

\`\`\`bash
tessera evidence --out evidence-2026-11 --config /etc/tessera/tessera.json
tessera audit public-key > keys.pem
tessera evidence --verify evidence-2026-11/evidence.json --key keys.pem
\`\`\`

- **\`evidence.md\`** is for people, with what to do about each row that is not met; **\`evidence.json\`** is one line signed by the key that signs checkpoints of the audit, and \`SHA256SUMS\` has the hashes of both. \`--verify\`
  needs the public key alone.
- **It is no assessment.** An operator of Tessera is a service provider, who validates by SAQ D for service providers or by a report on compliance, never by SAQ A. People,
  buildings, networks and other software are not in it.
- **It works where the service refuses to start**, and says so in the row \`start\`. Without the keys nothing is signed, and the pack says why; where custodians hold the KEK in shares,
  the rows that need it are \`unknown\`.
- **It reads every row and every entry of the audit**, as \`tessera store check\` does, beside a service that runs or without one, and changes nothing but the folder.
- **It has no card number, no secret and no phone.** Whatever it found is scrubbed as lines of the log are.
- Exit code 1 when a row is not met or unknown.`

const states = `\`met\` and \`not met\` are what the program has seen. \`person\`: the fact is stated, and a person judges whether it is enough. \`unknown\`: it could not be looked at,
and the text says why.`

const forMerchants = `## For merchants

A shop that embeds the card form may rest SAQ A on you: PCI SSC FAQ 1588 (February 2025) lets the provider of an embedded form confirm that it includes techniques that
protect the page from script attacks, when it is set up as instructed. A shop that redirects to the hosted page is not asked
([which route](../guides/saq-a.md)).

\`\`\`bash
openssl genpkey -algorithm ed25519 -out confirmations.pem          # once; not on the machine of the service
openssl pkey -in confirmations.pem -pubout -out confirmations.pub  # hand this out
tessera evidence --merchant 65f0c0ffee0000000000cafe --out shop-2026-11 --signing-key confirmations.pem --publish
tessera evidence --verify shop-2026-11/evidence.json --key confirmations.pub
\`\`\`

- **You sign, with a key of your own.** Neither the service nor its key store has it, and the project confirms nothing. Without \`--signing-key\` the pack has no confirmation;
  its facts are signed by the key of the audit.
- **In the pack**: version and integrity values of the form’s scripts, headers of its document for each origin of the merchant, checks of the merchant’s pages with
  what reading them again found, the scripts that the merchant has authorized, and the confirmation, in which \`providerName\` names you.
- **\`--publish\`** shows \`evidence.json\` to the merchant, on the page *Compliance*; it is an entry \`merchant.evidence_published\` of the audit. A later one replaces it.
- Exit code 1 when a page breaks a rule or has changed, or a script of it is not authorized: the merchant has to look first. In a test environment the confirmation says
  that it confirms nothing.
- Pages are read again every [\`pageReadHours\`](../reference/settings.md#pageReadHours) (requirements 6.4.3 and 11.6.1): each one that the merchant has checked by its address.`
