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

- **\`evidence.md\`** is for people, **\`evidence.json\`** is one line signed by the key that signs checkpoints of the audit, and \`SHA256SUMS\` has the hashes of both. \`--verify\`
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
