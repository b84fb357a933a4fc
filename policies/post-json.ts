/**
 * One POST of JSON whose answer is wanted whole, through the process's dispatcher.
 *
 * What fetch adds (streams, request and response objects, one listener after another on the signal) costs more CPU than all
 * the rest of a turn, and a rollout makes thousands of such requests at once.
 */
import { type Dispatcher, patient } from "./dispatcher.ts";

export interface JsonRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal?: AbortSignal | undefined;
}

export interface WholeAnswer {
  readonly status: number;
  /** Made when it is asked for: few look. */
  readonly headers: () => Headers;
  readonly contentType: string;
  readonly text: string;
}

/** Rejects with the signal's reason, or with the connection's error, whose `code` says what it was. Follows no redirects. */
export function postJson(dispatcher: Dispatcher, request: JsonRequest): Promise<WholeAnswer> {
  const { origin, pathname, search } = request.url;
  const { signal } = request;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    let cut: ((reason: unknown) => void) | null = null;
    const onAbort = () => {
      reject(signal!.reason);
      cut?.(signal!.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    const done = () => signal?.removeEventListener("abort", onAbort);
    let status = 0;
    let headers: readonly Buffer[] = [];
    const pieces: Buffer[] = [];
    const handler = {
      onConnect(abort: (reason: unknown) => void) {
        cut = abort;
        if (signal?.aborted) abort(signal.reason);
      },
      onHeaders(code: number, raw: readonly Buffer[]) {
        status = code;
        headers = raw;
        return true;
      },
      onData(piece: Buffer) {
        pieces.push(piece);
        return true;
      },
      onComplete() {
        done();
        const text = (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)).toString("utf8");
        resolve({ status, headers: () => headersOf(headers), contentType: contentTypeOf(headers), text });
      },
      onError(thrown: unknown) {
        done();
        reject(thrown);
      },
    };
    const body = JSON.stringify(request.body);
    const path = `${pathname}${search}`;
    try {
      dispatcher.dispatch({ origin, path, method: "POST", headers: request.headers, body, ...patient }, handler);
    } catch (thrown) {
      handler.onError(thrown);
    }
  });
}

function contentTypeOf(raw: readonly Buffer[]): string {
  const at = raw.findIndex((name, i) => i % 2 === 0 && name.length === 12 && /^content-type$/i.test(String(name)));
  return at < 0 ? "" : raw[at + 1]!.toString("latin1");
}

/** Names and values in turn, as bytes. */
function headersOf(raw: readonly Buffer[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [raw[at]!, raw[at + 1]!].map((bytes) => bytes.toString("latin1")) as [string, string];
    headers.append(name, value);
  }
  return headers;
}
