import { Empty } from '../parts/empty.tsx'
import { words } from './language.ts'

/** Stands for a page that is not built yet. */
export function SoonPage() {
  return <Empty title={words.value.soon.title} text={words.value.soon.text} />
}
