/**
 * Talk that is not spending: the distractors of each class, small talk, and the assistant's replies.
 *
 * None of these lines changes the ledger, whatever amounts it names. `{count}` and `{steps}` are numbers that are no money.
 */
import type { FormSet } from "./form.ts";
import { smallTalk } from "./small-talk.ts";

export type ChatClass =
  | "priceSeen"
  | "budget"
  | "income"
  | "plan"
  | "others"
  | "cash"
  | "count"
  | "smallTalk"
  | "recap";

/** User lines per class; every class but `recap` exists in both profiles. */
export const chat: Readonly<Record<ChatClass, FormSet>> = {
  /** A price that was seen and not paid. */
  priceSeen: {
    micro: [
      "I saw {item} for {amount} but did not buy it.",
      "{item} costs {amount} now, so I did not pay for it.",
      "They want {amount} for {item}, that is too much for me.",
      "I almost paid {amount} for {item}, but I did not.",
      "At the shop {item} was {amount}, so I left.",
      "Someone offered me {item} for {amount}, but I said no.",
    ],
    microHeldOut: ["I almost spent {amount} on {item}, but that is too much."],
    full: [
      "There was an ad for {item} at {amount}; I walked past it.",
      "Did you know that {item} goes for {amount} these days? Crazy.",
      "I put {item} in the cart for {amount} and then closed the page.",
      "Someone offered me {item} for {amount}, I said no thanks.",
    ],
    fullHeldOut: ["{item} was on display for {amount}, pretty, yet I left it there."],
  },
  /** What may be spent, not what was. */
  budget: {
    micro: [
      "My budget for {scene} is {amount} this month.",
      "I want to spend less than {amount} on {scene} this month.",
      "This month I want to save {amount}.",
      "I will try to keep {scene} under {amount} this year.",
      "Tell me when {scene} is over {amount} this month.",
    ],
    microHeldOut: ["This month my budget for {scene} is {amount}."],
    full: [
      "I am setting the {scene} limit to {amount} from now on.",
      "My goal is to stay under {amount} for {scene} until summer.",
      "If {scene} ever passes {amount} in a month, warn me.",
      "The savings jar should reach {amount} by the end of the year.",
    ],
    fullHeldOut: ["Let us cap {scene} at {amount} per month."],
  },
  /** Money that came in. */
  income: {
    micro: [
      "My salary of {amount} came in today.",
      "My parents gave me {amount} today.",
      "I got {amount} from work this month.",
      "I won {amount} in a game.",
      "My aunt sent me {amount}.",
      "A customer paid me {amount} today.",
    ],
    microHeldOut: ["Today I got my salary of {amount}."],
    full: [
      "Payday! {amount} landed in my account.",
      "I sold my old bike and earned {amount}.",
      "The tax office sent me {amount}, what a surprise.",
      "My roommate paid me the {amount} she owed me.",
    ],
    fullHeldOut: ["A bonus of {amount} showed up in my account overnight."],
  },
  /** Perhaps, later. */
  plan: {
    micro: [
      "Next week I will pay {amount} for {item}.",
      "I want to buy {item} for {amount} next month.",
      "Next month {item} will cost me {amount}.",
      "I may spend {amount} on {item} next week.",
      "Maybe I will get {item} for {amount} this summer.",
      "If I have time I will go for {item}, about {amount}.",
    ],
    microHeldOut: ["I will spend {amount} on {item} next month."],
    full: [
      "I am thinking about {item} for the holidays, probably around {amount}.",
      "Some day I will treat myself to {item}, even at {amount}.",
      "They quoted me {amount} for {item}, I have to sleep on it.",
      "Tomorrow I might go for {item}; that would be {amount}.",
    ],
    fullHeldOut: ["If all goes well I am getting {item} in spring for {amount}."],
  },
  /** Other people's money. */
  others: {
    micro: [
      "My brother paid {amount} for {item}.",
      "My friend spent {amount} on {item}, not me.",
      "My sister got {item} for {amount}, it was her money.",
      "My mother said that {item} cost her {amount}.",
      "My boss paid the {amount} for {item}, I did not.",
    ],
    microHeldOut: ["My friend paid {amount} for {item}, not me."],
    full: [
      "My boss covered {item} for the whole team, {amount} out of his own pocket.",
      "A colleague told me she pays {amount} for {item}.",
      "The neighbors just spent {amount} on {item}, good for them.",
      "My dad insisted on paying the {amount} for {item}, so nothing from my side.",
    ],
    fullHeldOut: ["Grandma treated us to {item}; {amount} on her bill, not mine."],
  },
  /** Own money that only moved or is only there. */
  cash: {
    micro: [
      "I have {amount} with me today.",
      "I moved {amount} to my savings.",
      "I put {amount} in the bank.",
      "There is {amount} left on my card.",
    ],
    microHeldOut: ["I have {amount} in my savings."],
    full: [
      "I withdrew {amount} at the machine, still untouched.",
      "My balance shows {amount} right now.",
      "I lost a bet but we agreed to forget the {amount}.",
    ],
    fullHeldOut: ["There is {amount} sitting on my travel card."],
  },
  count: {
    micro: [
      "I walked {steps} steps today.",
      "I read {count} pages today.",
      "I wrote {count} letters this week.",
      "There were {count} people in front of me.",
      "My dog is {count} weeks old.",
    ],
    microHeldOut: ["Today I walked {steps} steps."],
    full: [
      "My step counter says {steps}, not bad.",
      "There were about {count} people in line.",
      "I answered {count} emails before noon.",
      "The bus number was {count}, I always mix them up.",
    ],
    fullHeldOut: ["We drove {count} kilometers through the rain."],
  },
  smallTalk,
  /** Asks for today's sum so far; the assistant's answer repeats what is known. */
  recap: {
    micro: [],
    microHeldOut: [],
    full: ["What am I at today so far?", "How much is it for today up to now?", "Could you give me today's sum?"],
    fullHeldOut: ["Quick check, what does today add up to?"],
  },
};

/** Assistant, to any distractor. */
export const chatReply: Readonly<Record<ChatClass, FormSet>> = {
  priceSeen: replies(
    ["I see.", "OK, not recorded."],
    ["Then I leave it out.", "Understood, nothing to record there.", "Fair enough, no entry for that."],
  ),
  budget: replies(
    ["I see.", "OK."],
    [
      "Good plan, I will keep {amount} in mind.",
      "Understood, that is a target and not an expense.",
      "Sounds sensible.",
    ],
  ),
  income: replies(
    ["Nice.", "OK."],
    [
      "Nice, though I only track what you spend.",
      "Good to hear! That is income, so it stays out of the ledger.",
      "Congratulations.",
    ],
  ),
  plan: replies(
    ["I see.", "OK."],
    [
      "Tell me when you have really paid it.",
      "I will wait until it happens.",
      "Let me know if you go through with it.",
    ],
  ),
  others: replies(
    ["I see.", "OK, not recorded."],
    [
      "How kind. I do not record what others pay.",
      "Okay, not from your wallet then.",
      "I see, so it is not yours to record.",
    ],
  ),
  cash: replies(
    ["I see.", "OK."],
    ["Okay, that is not spent yet.", "Understood, nothing spent there.", "Good to know."],
  ),
  count: replies(["I see.", "Nice."], ["Impressive.", "That is quite a number.", "Wow."]),
  smallTalk: replies(
    ["OK.", "I see.", "Nice."],
    [
      "I know what you mean.",
      "Ha, that happens.",
      "Take your time.",
      "Sounds like quite a day.",
      "No worries.",
      "I am here whenever you are ready.",
      "Tell me more if you like.",
    ],
  ),
  recap: replies(
    [],
    ["So far today it is {total}.", "Today stands at {total} right now.", "Up to now, {total} for today."],
  ),
};

function replies(micro: readonly string[], full: readonly string[]): FormSet {
  return { micro, microHeldOut: [], full, fullHeldOut: [] };
}
