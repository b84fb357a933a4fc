/** Dates as they are said: "2024-03-05" and "March 5, 2024". */
const months = "january february march april may june july august september october november december".split(" ");
const spoken = new RegExp(`\\d{4}-\\d{2}-\\d{2}|\\b(${months.join("|")}) (\\d{1,2}), (\\d{4})\\b`, "g");

/** Replaces each date of a lower-case text by `mark`; `dates` are ISO, in order. A day that no calendar has is left as it is. */
export function takeDates(text: string, mark: string): { readonly text: string; readonly dates: readonly string[] } {
  const dates: string[] = [];
  const masked = text.replace(spoken, (found: string, month?: string, day?: string, year?: string) => {
    const date =
      month === undefined ? found : `${year}-${twoDigits(months.indexOf(month) + 1)}-${twoDigits(Number(day))}`;
    if (!isDate(date)) return found;
    dates.push(date);
    return mark;
  });
  return { text: masked, dates };
}

/** Whether the calendar has this day. */
export function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** 5 → "05". */
export const twoDigits = (n: number): string => String(n).padStart(2, "0");
