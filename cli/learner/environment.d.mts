export const packageRoot: string | undefined;
export const serviceFolder: string | undefined;
export function environmentFolder(): string;
export function environmentPython(): string | null;
export function findPython(): string | undefined;
export function ensureEnvironment(options?: {
  readonly say?: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}): Promise<string>;
