/** Spending said in one line, in one line for two or three things, or over two lines; and the assistant's replies. */
import type { FormSet } from "./form.ts";

/** `{item}` costs `{amount}`, paid by the user on the session's date. */
export const spendSingle: FormSet = {
  micro: [
    "I paid {amount} for {item}.",
    "I spent {amount} on {item}.",
    "{item} cost me {amount}.",
    "Today I paid {amount} for {item}.",
    "Please record {amount} for {item}.",
    "New expense: {item}, {amount}.",
    "Please add {item} for {amount}.",
    "I just paid for {item}: {amount}.",
    "{amount} went to {item} today.",
    "For {item} I paid {amount}.",
    "I had to pay {amount} for {item}.",
    "My bill for {item} was {amount}.",
    "I got {item} for {amount}.",
    "Write down {amount} for {item}.",
    "Note that I paid {amount} for {item}.",
    "I used {amount} for {item} today.",
    "Money spent: {amount} on {item}.",
    "Today I put {amount} into {item}.",
  ],
  microHeldOut: [
    "Please add {amount} for {item}.",
    "Today {item} cost me {amount}.",
    "I just spent {amount} on {item} today.",
    "New expense: {amount} for {item}.",
    "Note a new expense: {item} for {amount}.",
    "Today my bill for {item} was {amount}.",
  ],
  full: [
    "Had to shell out {amount} for {item} this morning.",
    "{item} set me back {amount}.",
    "Can you log {amount} for {item}?",
    "I picked up {item} on the way home, {amount} in total.",
    "{item} again, {amount} this time.",
    "My card was charged {amount} for {item} today.",
    "Put down {item} at {amount}, would you?",
    "The receipt for {item} says {amount}.",
  ],
  fullHeldOut: [
    "That would be {amount} gone on {item}.",
    "Jot this down for me: {item}, {amount}.",
    "I coughed up {amount} for {item} earlier.",
  ],
};

/** Names the category itself: `{label}` is "Dining - Coffee". */
export const spendLabel: FormSet = {
  micro: ["{label}: {amount}.", "Put {amount} under {label}.", "I spent {amount} today, it goes under {label}."],
  microHeldOut: ["Please put {amount} under {label}."],
  full: ["Log one under {label} please, it was {amount}."],
  fullHeldOut: ["File {amount} as {label}, paid today."],
};

export const spendPair: FormSet = {
  micro: [
    "I paid {amount} for {item} and {amount2} for {item2}.",
    "I spent {amount} on {item} and {amount2} on {item2}.",
    "{item} cost {amount}, and {item2} cost {amount2}.",
    "Write down {amount} for {item} and {amount2} for {item2}.",
    "I got {item} for {amount} and {item2} for {amount2}.",
  ],
  microHeldOut: ["Please record {amount} for {item} and {amount2} for {item2}."],
  full: [
    "First there was {item} for {amount}, then {item2} for {amount2}.",
    "{item} was {amount} and {item2} came to {amount2}.",
    "Before lunch I paid {amount} for {item}; after that, {amount2} for {item2}.",
  ],
  fullHeldOut: ["My day in money: {amount} for {item}, {amount2} for {item2}."],
};

export const spendList: FormSet = {
  micro: [],
  microHeldOut: [],
  full: [
    "I have a few receipts: {item} ({amount}), {item2} ({amount2}), {item3} ({amount3}).",
    "Today it was {item} at {amount}, {item2} at {amount2}, and {item3} at {amount3}.",
    "Let me list them: {amount} for {item}, {amount2} for {item2}, {amount3} for {item3}.",
  ],
  fullHeldOut: ["From my wallet today: {item}, {amount}; {item2}, {amount2}; {item3}, {amount3}."],
};

/** First half of a split spending; the next user line is its `splitAmount`. */
export const splitOpening: FormSet = {
  micro: [
    "I also paid for {item}.",
    "There was also {item}.",
    "I had to pay for {item} today.",
    "Then I went for {item}.",
    "Next is {item}.",
  ],
  microHeldOut: ["Today there was also {item}."],
  full: ["Oh, and {item}, I nearly forgot that.", "Next one is {item}.", "I took care of {item} today as well."],
  fullHeldOut: ["Then there is the matter of {item}."],
};

export const splitQuestion: FormSet = {
  micro: ["How much was it?", "How much?"],
  microHeldOut: [],
  full: ["Sure, what did it come to?", "And the amount?", "What should I put down for that?"],
  fullHeldOut: [],
};

export const splitAmount: FormSet = {
  micro: ["{amount}.", "It was {amount}.", "It cost {amount}.", "The price was {amount}.", "I paid {amount} for it."],
  microHeldOut: ["It cost me {amount}."],
  full: ["{amount}, if I read the receipt right.", "That one was {amount}.", "Let me check... {amount}."],
  fullHeldOut: ["The slip says {amount}."],
};

/** Assistant, full profile: always one of these after a spending, so that every category is named once. */
export const acknowledge: FormSet = {
  micro: ["Got it: {label}, {amount}.", "Saved: {label}, {amount}.", "{label}, {amount}."],
  microHeldOut: [],
  full: [
    "Recorded under {label}: {amount}.",
    "Okay, {label} for {amount} is in your ledger.",
    "Thanks, I have noted {amount} for {label}.",
    "Done. I added {amount} to {label}.",
    "{amount} logged as {label}. Anything else?",
  ],
  fullHeldOut: [],
};

/** Assistant, after two or three spendings; `{list}` is "Dining - Coffee, 4.50; Transportation - Taxi, 12.00". */
export const acknowledgeMany: FormSet = {
  micro: ["Got it: {list}.", "Saved: {list}."],
  microHeldOut: [],
  full: ["All noted. {list}.", "Recorded together: {list}.", "Okay, that is {list}."],
  fullHeldOut: [],
};

/** Assistant, micro profile: says nothing about the category. */
export const acknowledgeBriefly: FormSet = {
  micro: ["Noted.", "OK.", "Saved.", "Got it."],
  microHeldOut: [],
  full: [],
  fullHeldOut: [],
};

/** Assistant asks back about what was just said; the user confirms. Neither line states anything new. */
export const askToConfirm: FormSet = {
  micro: [],
  microHeldOut: [],
  full: [
    "{label}, {amount}. Is that right?",
    "Shall I file {amount} under {label}?",
    "So that is {amount} for {label}, correct?",
  ],
  fullHeldOut: [],
};

export const confirm: FormSet = {
  micro: [],
  microHeldOut: [],
  full: ["Yes, please.", "Correct.", "That's right, thanks.", "Yep, go ahead.", "Exactly.", "Right, as I said."],
  fullHeldOut: ["You got it.", "Spot on."],
};
