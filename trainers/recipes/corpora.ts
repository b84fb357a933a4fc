/**
 * The training corpora of the paper (UMA App. H, Table 9), as numbers: how large they are, and where each comes from.
 *
 * Ledger-QA is generated here. The others are files that their owners publish; this repository has none of them.
 */
export interface Corpus {
  /** The benchmark that reads it, once there is one. */
  readonly benchmark: string;
  readonly title: string;
  readonly samples: number;
  /** Questions per sample that training draws ("up to 10"). */
  readonly questions: number;
  /** Mean length of a context, tokens. */
  readonly tokens: number;
  /** Mean number of chunks. */
  readonly chunks: number;
  readonly from: string;
}

const memAlpha = (part: string) =>
  `the ${part} rows of the Mem-α training corpus (YuWangX/Memalpha-full on Hugging Face)`;

export const corpora: readonly Corpus[] = [
  {
    ...{ benchmark: "hotpotqa", title: "HotpotQA, modified", samples: 8_192, questions: 1, tokens: 25_667, chunks: 61 },
    from: "HotpotQA's training split with 200 documents a sample, as MemAgent makes it (BytedTsinghua-SIA/hotpotqa)",
  },
  {
    ...{ benchmark: "squad", title: "SQuAD", samples: 264, questions: 10, tokens: 10_780, chunks: 10 },
    from: memAlpha("squad"),
  },
  {
    ...{ benchmark: "perltqa", title: "PerLTQA", samples: 27, questions: 10, tokens: 12_046, chunks: 23.3 },
    from: memAlpha("perltqa"),
  },
  {
    ...{ benchmark: "nlu", title: "NLU", samples: 180, questions: 10, tokens: 6_100, chunks: 10 },
    from: memAlpha("nlu"),
  },
  {
    ...{ benchmark: "trec-coarse", title: "TREC-Coarse", samples: 180, questions: 10, tokens: 3_900, chunks: 10 },
    from: memAlpha("trec_coarse"),
  },
  {
    ...{ benchmark: "pubmed-rct", title: "PubMed-RCT", samples: 90, questions: 10, tokens: 16_760, chunks: 10 },
    from: memAlpha("pubmed-rct"),
  },
  {
    ...{ benchmark: "booksum", title: "BookSum", samples: 1_387, questions: 1, tokens: 15_328, chunks: 8 },
    from: memAlpha("booksum"),
  },
  {
    ...{ benchmark: "ledger-qa", title: "Ledger-QA", samples: 200, questions: 34, tokens: 8_254, chunks: 10 },
    from: "generated here",
  },
];
