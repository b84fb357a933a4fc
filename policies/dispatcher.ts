/**
 * The process's own HTTP dispatcher, the one that its fetch uses: whoever sets a proxy there has set it for policies too.
 * Node makes it on first use; runtimes without one have none.
 */

export interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");

new Headers(); // Node loads its fetch, and with it the dispatcher, on first use

export const globalDispatcher = () => (globalThis as { [GLOBAL_DISPATCHER]?: Dispatcher })[GLOBAL_DISPATCHER];

/**
 * No clock of its own: Node gives up on a reply whose headers take five minutes, whatever time the policy allows, and a slow
 * or queueing server that does not stream sends no header before the reply is whole.
 */
export const patient = { headersTimeout: 0, bodyTimeout: 0 } as const;
