/**
 * The words by which acts are told apart, as patterns over a sentence's shape (lower case, @ date, # amount, ~ thing).
 *
 * A line with an amount and a thing is spending unless something in it says otherwise; what can say otherwise is listed
 * here, one pattern per reason.
 */
const either = (...patterns: readonly RegExp[]) => new RegExp(patterns.map(({ source }) => `(?:${source})`).join("|"));

const people =
  "he|she|brother|sister|mother|mom|father|dad|parents|aunt|uncle|cousin|grandma|grandpa|son|daughter|husband|wife|friend|friends|boss|colleague|colleagues|roommate|neighbou?rs?|landlord";

const otherTalk = either(
  // seen or offered, not bought
  /\b(?:almost|(?:did|do|does|could|would) not|(?:did|do|does|could|would)n't|no thanks|said no|so i left|left it|walked past|closed the page|offered me|i saw|too much|they want|goes for|costs|on display|an ad)\b/,
  // somebody else paid
  new RegExp(
    `\\b(?:${people}) (?:just |has |have |had |also )?(?:paid|pays?|spent|spends?|bought|got|covered|treated|insisted)\\b`,
  ),
  /\b(?:not me|not mine|cost (?:her|him|them)|(?:her|his|their) (?:own )?(?:money|pocket|bill|card))\b/,
  // perhaps, later
  /\b(?:will|might|may|maybe|perhaps|want to|going to|thinking (?:about|of)|tomorrow|some day|someday|quoted|planning|next (?:week|month|year|summer|time))\b/,
  /\bif\b(?! i read)/,
  // what may be spent
  /\b(?:budget|limit|goal|savings|less than)\b|\b(?:save|under|over) #/,
  // money that came in
  /\b(?:won|earned|salary|payday|bonus|gave me(?!.* back\b)|sent me|paid me|owed|i sold)\b|# landed\b/,
  // money that is only there, or only moved
  /\b(?:withdrew|my balance|in the bank)\b|\b(?:moved|there is|i have) #/,
  // numbers that are no money
  /\bnumber (?:is|was)\b/,
);

const correction = either(
  /\bnot #|# instead of|instead of #|rather than #|\bwrong\b|\bmistake\b|\bi (?:said|meant) #|\bis right\b|\bright price\b/,
  /\b(?:fix|typo|misread|was a slip|scratch that|take that back|second look|going back to|oops|hang on)\b|\bwait,/,
  // not the coins that one keeps
  /(?<!\b(?:the|my|some|loose|small|in) )\bchange\b/,
  /\b(?:no|sorry), (?:it|i|that)\b/,
);

const refund =
  /(?<!\bgo |\bgoing |\bset me |\bthat )\bback\b|\brefund(?:s|ed)?\b|\breturned\b|\bcredited\b|\breversed\b|\bvoided\b|\bcancelled\b|\bcanceled\b|\bknocked off\b|\baccount again\b|\bmine again\b|\breimbursed\b/;

const wholeRefund = /\b(?:full|fully|whole|all|entire|every cent|voided|cancelled|canceled|off the books)\b/;

/** Names an amount and yet records nothing. */
export const isOtherTalk = (shape: string): boolean => otherTalk.test(shape);
/** Puts an amount right that was said before in the same session. */
export const isCorrection = (shape: string): boolean => correction.test(shape);
/** Money came back for an earlier expense. */
export const isRefund = (shape: string): boolean => refund.test(shape);
export const isWholeRefund = (shape: string): boolean => wholeRefund.test(shape);
