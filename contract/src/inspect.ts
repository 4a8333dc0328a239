/** The symbol under which node's console asks a value how to print itself; named here so that the contract needs nothing of node. */
export const inspectPan: unique symbol = Symbol.for('nodejs.util.inspect.custom')
