// The bank after chunk k, folded from the writes of the sessions up to it. A failed session changes nothing.

export function foldBank(sessions, k) {
  const entries = new Map();
  const changes = [];
  const upTo = sessions.filter(({ position }) => position <= k).sort((a, b) => a.position - b.position);
  for (const { position, end, calls } of upTo) {
    if (end === "error" || end === "cancelled") continue;
    for (const { entry, version, op, before, after } of calls.flatMap((call) => call.writes)) {
      if (position === k) changes.push({ entry, op, before, after });
      if (after === null) entries.delete(entry);
      else {
        const born = entries.get(entry)?.born ?? position;
        entries.set(entry, { id: entry, title: after.title, content: after.content, version, born, touched: position });
      }
    }
  }
  const missing = [];
  const present = new Set(upTo.map(({ position }) => position));
  for (let position = 0; position <= k; position++) if (!present.has(position)) missing.push(position);
  return { entries: [...entries.values()], changes, missing };
}
