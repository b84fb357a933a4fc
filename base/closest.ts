/** "Did you mean": the known name that a mistyped one was probably meant to be, or null. */
export function closest(typed: string, known: readonly string[]): string | null {
  const begun = typed.length >= 3 ? known.filter((name) => name.startsWith(typed)) : [];
  if (begun.length === 1) return begun[0]!;
  const [best] = known
    .map((name) => ({ name, distance: editDistance(name.toLowerCase(), typed.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance < typed.length && best.distance <= Math.max(2, Math.floor(typed.length / 3))
    ? best.name
    : null;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++)
      row[j] = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    previous = row;
  }
  return previous[b.length]!;
}
