/** Fetch that waits as long as the policy allows (see dispatcher.ts); the signal is the only clock that is left. */
import type { ClientOptions } from "openai";
import { type Dispatcher, globalDispatcher, patient } from "./dispatcher.ts";

type FetchOptions = NonNullable<ClientOptions["fetchOptions"]>;

export function patientFetchOptions(): FetchOptions {
  if (globalDispatcher() === undefined) return {};
  const dispatcher: Dispatcher = {
    dispatch: (options, handler) => globalDispatcher()!.dispatch({ ...options, ...patient }, handler),
  };
  return { dispatcher } as FetchOptions;
}
