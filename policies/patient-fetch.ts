/**
 * Fetch without a clock of its own: Node's fetch gives up on a reply whose headers take five minutes, whatever time the
 * policy allows. A slow or queueing server that does not stream sends no header before the reply is whole.
 *
 * The process's dispatcher still does the work, so proxies that are set there keep working. Runtimes that have none get
 * nothing.
 */
import type { ClientOptions } from "openai";

type FetchOptions = NonNullable<ClientOptions["fetchOptions"]>;

/** The part of undici's dispatchers that fetch uses. */
interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");

/** The signal is the only clock that is left. */
export function patientFetchOptions(): FetchOptions {
  new Headers(); // Node loads its fetch, and with it the dispatcher, on first use
  if (globalDispatcher() === undefined) return {};
  const dispatcher: Dispatcher = {
    dispatch: (options, handler) =>
      globalDispatcher()!.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
  };
  return { dispatcher } as FetchOptions;
}

const globalDispatcher = () => (globalThis as { [GLOBAL_DISPATCHER]?: Dispatcher })[GLOBAL_DISPATCHER];
