/** A LangChain embedder for tests: hashed bags of words, and a record of what it was asked. */
import { Embeddings } from "@langchain/core/embeddings";
import { contentHash } from "../../base/hash.ts";
import { word } from "../../retrieval/tokenize.ts";

export class CountingEmbedder extends Embeddings {
  readonly documents: string[] = [];
  readonly queries: string[] = [];
  /** How many of the next requests fail. */
  failures = 0;
  readonly width: number;

  constructor(options: { readonly width?: number; readonly model?: string } = {}) {
    super({});
    this.width = options.width ?? 64;
    if (options.model !== undefined) Object.assign(this, { model: options.model });
  }

  override async embedDocuments(documents: string[]): Promise<number[][]> {
    await new Promise(setImmediate);
    this.documents.push(...documents);
    if (this.failures-- > 0) throw new Error("503 from the embedding server");
    return documents.map((text) => this.vector(text));
  }

  override async embedQuery(query: string): Promise<number[]> {
    await new Promise(setImmediate);
    this.queries.push(query);
    if (this.failures-- > 0) throw new Error("503 from the embedding server");
    return this.vector(query);
  }

  private vector(text: string): number[] {
    const sum = new Array<number>(this.width).fill(0);
    for (const token of word(text)) sum[Number.parseInt(contentHash(token).slice(0, 6), 16) % this.width]! += 1;
    return sum;
  }
}
