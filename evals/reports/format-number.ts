/** Numbers as people read them. Absent is an en dash, never a zero. */
export const absent = "–";

/** A share in [0, 1] × 100, one decimal: intervals make a second one meaningless. */
export const percent = (share: number | null) => (share === null ? absent : (share * 100).toFixed(1));

/** With its sign, for differences. */
export function signedPercent(share: number | null): string {
  if (share === null) return absent;
  const text = (share * 100).toFixed(1);
  return share > 0 && text !== "0.0" ? `+${text}` : text.replace(/^-0\.0$/, "0.0").replace("-", "−");
}

export const whole = (count: number | null) =>
  count === null
    ? absent
    : Math.round(count)
        .toString()
        .replace(/\B(?=(\d{3})+$)/g, ",");

/** Of `total`; both are always shown. */
export const fraction = (part: number, total: number) => `${whole(part)}/${whole(total)}`;

export const shareOf = (part: number, total: number) =>
  total === 0 ? absent : `${percent(part / total)} (${fraction(part, total)})`;

export function duration(ms: number | null): string {
  if (ms === null) return absent;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 99_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Three significant digits; a p-value under the resolution of its test is given as a bound. */
export const probability = (p: number | null) => (p === null ? absent : p < 0.001 ? "< 0.001" : p.toFixed(3));
