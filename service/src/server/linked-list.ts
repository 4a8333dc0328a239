/** A member of at most one list, which links it to its neighbours. */
export interface LinkedListNode<T> {
  older: T | null
  newer: T | null
}

/**
 * Nodes in the order in which they were added, of which any can be removed. For what comes and goes with each call: a set, a map or an array leaves its tables, and
 * calls in them, to the collector (docs/decisions/0135-pauses.md). A node must not be added twice, nor removed when it is in no list.
 */
export class LinkedList<T extends LinkedListNode<T>> {
  oldest: T | null = null
  newest: T | null = null

  /** Adds it as the newest one. */
  add(node: T): void {
    node.older = this.newest
    if (this.newest === null) this.oldest = node
    else this.newest.newer = node
    this.newest = node
  }

  remove(node: T): void {
    if (node.older === null) this.oldest = node.newer
    else node.older.newer = node.newer
    if (node.newer === null) this.newest = node.older
    else node.newer.older = node.older
    node.older = node.newer = null
  }
}
