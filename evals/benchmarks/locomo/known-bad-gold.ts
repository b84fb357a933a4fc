/**
 * LoCoMo questions whose gold answer the conversation itself contradicts, found by reading the evidence.
 *
 * A partial list: rows of categories 1–4 whose evidence is spoken by the person that the question does not name, and
 * temporal golds that disagree with the evidence's date, each then read. Published audits put the number of wrong golds
 * at 99 of 1,540; they are not bundled, give them as `badGoldFile`.
 *
 * An entry names its row by conversation and index in the published file, and by a hash of the question's text, so that
 * it does not hit another row in a changed copy.
 */
export interface BadGold {
  /** A question's id: conversation, colon, 0-based index of the row. */
  readonly id: string;
  readonly reason: string;
  /** contentHash of the row's question; an entry without one goes by its id alone. */
  readonly questionHash?: string;
}

export const knownBadGold: readonly BadGold[] = [
  { id: "conv-26:5", questionHash: "ad05c201d0181170", reason: "D2:1 says Saturday, gold says Sunday" },
  {
    id: "conv-26:56",
    questionHash: "b4ecda73e6e886e4",
    reason: "the second symbol stands in an image's search query only, not in any turn; D14:15 names another",
  },
  { id: "conv-26:94", questionHash: "e42bf21b2994de4f", reason: "the bowl of D4:5 is Caroline's, not Melanie's" },
  {
    id: "conv-26:135",
    questionHash: "fff7f081ca7989c7",
    reason: "D17:8, in October, puts it in the month before; the setback of October is another (D18:1)",
  },
  { id: "conv-41:48", questionHash: "ad4e30ab49635f7b", reason: "garbled date: D26:4 was said on 31 July" },
  { id: "conv-42:119", questionHash: "b77f1898a36f3bb6", reason: "D11:13 is Joanna's; Nate says otherwise in D11:14" },
  {
    id: "conv-43:60",
    questionHash: "2665c1de1adfe810",
    reason: "D23:3 says the Friday before; gold is the day of the session",
  },
  { id: "conv-43:74", questionHash: "ec2ac16cf3e56506", reason: "the fan project of D1:16 is Tim's, not John's" },
  { id: "conv-43:86", questionHash: "f3511f9a787a6372", reason: "the call of D5:1 was Tim's, not John's" },
  { id: "conv-43:135", questionHash: "851a08d898593b9f", reason: "D18:6 is John's way; Tim's is in D18:7" },
  { id: "conv-43:136", questionHash: "c8bb70f39bd58c07", reason: "the injury, and D18:10, are John's" },
  { id: "conv-43:164", questionHash: "21766567438f59aa", reason: "D27:6 is John's; Tim names another in D27:7" },
  { id: "conv-43:165", questionHash: "5ec7af7a56030478", reason: "D27:4 is John's journey; Tim has not been (D27:3)" },
  { id: "conv-43:166", questionHash: "347148bc69543f5f", reason: "D27:19 is Tim's favourite, not John's" },
  { id: "conv-47:37", questionHash: "e383320075130ba2", reason: "sister and dogs of D17:28 are James's, not John's" },
  { id: "conv-48:116", questionHash: "a0d906e4c2f96704", reason: "D7:20 is Deborah's, not Jolene's" },
  { id: "conv-48:123", questionHash: "6b357f7d16ba8247", reason: "in D10:17 Deborah was with Anna, not Jolene" },
  { id: "conv-48:179", questionHash: "f3f6ae68663e70fa", reason: "Deborah played the game (D27:12), not Jolene" },
  { id: "conv-49:24", questionHash: "4d58c7846e45aa41", reason: "the event of D5:1 is in Evan's life, not Sam's" },
  { id: "conv-49:74", questionHash: "5c41bbdb0bcceab9", reason: "D20:3 says Tuesday, gold says Thursday" },
  { id: "conv-49:80", questionHash: "74439f084580f139", reason: "D24:3 was said in January 2024, gold says 2023" },
  { id: "conv-50:88", questionHash: "3d7af9a7d70d1c46", reason: "the walks of D10:3 are Dave's, not Calvin's" },
  { id: "conv-50:137", questionHash: "2ebeb108db86afbb", reason: "D26:6 is Dave's story, not Calvin's" },
  { id: "conv-50:151", questionHash: "275525306c94924c", reason: "the hobby of D30:1 is Dave's, not Calvin's" },
];
