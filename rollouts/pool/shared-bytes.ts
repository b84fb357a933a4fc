/** Bytes that every thread reads without a copy. */

export function shareBytes(bytes: Uint8Array): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

export const shareJson = (value: unknown) => shareBytes(Buffer.from(JSON.stringify(value), "utf8"));

export const readSharedJson = <Value>(shared: SharedArrayBuffer): Value =>
  JSON.parse(Buffer.from(shared).toString("utf8")) as Value;
