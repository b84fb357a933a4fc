// Rewards and advantages as text; absent is a dash, a bare 0 is an advantage of exactly 0.
import { absent } from "./dom.mjs";

export const rewardText = (value) => (typeof value === "number" ? value.toFixed(3) : absent);
export function advantageText(value) {
  if (typeof value !== "number") return absent;
  if (value === 0) return "0";
  const text = Math.abs(value).toFixed(3);
  return Number(text) === 0 ? text : `${value > 0 ? "+" : "−"}${text}`;
}
