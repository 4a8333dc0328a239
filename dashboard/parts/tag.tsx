/** How good a state is, as a colour; the word says it too. */
export type Tone = 'green' | 'amber' | 'red' | 'blue' | 'grey'

export function Tag({ tone, children }: { tone: Tone; children: string }) {
  return <span class={`tag ${tone}`}>{children}</span>
}
