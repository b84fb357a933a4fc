/** A Chromium that is installed here, for tests that look at a page as people do; none is downloaded. */
import { existsSync } from "node:fs";

const usualPlaces = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Null when there is none: tests skip and say so. */
export function chromiumPath(): string | null {
  const named = process.env.CHROMIUM_PATH;
  if (named) return named;
  return usualPlaces.find((path) => existsSync(path)) ?? null;
}

export const chromiumArguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"];

export const withoutChromium = "skipped: no Chromium here; install one or name it by CHROMIUM_PATH";
