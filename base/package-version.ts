/** The version in package.json, found from the sources and from dist/ alike. */
import { existsSync, readFileSync } from "node:fs";

export function packageVersion(): string {
  for (const place of ["../package.json", "../../package.json"]) {
    const url = new URL(place, import.meta.url);
    if (existsSync(url)) return (JSON.parse(readFileSync(url, "utf8")) as { version: string }).version;
  }
  return "unknown";
}
