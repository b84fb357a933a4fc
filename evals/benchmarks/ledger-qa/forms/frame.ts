/** How a full session opens and closes, and the noise around its user lines. None of it changes the ledger. */
import type { FormSet } from "./form.ts";

export const greeting: FormSet = {
  micro: [],
  microHeldOut: [],
  full: [
    "Hey, me again with today's expenses.",
    "Good evening, can we go through my day?",
    "Hello! Time for the books.",
    "Hi there, I have some spending to note.",
    "Back again. Ready?",
  ],
  fullHeldOut: ["Evening! My wallet is lighter, so here we go."],
};

export const firstGreeting: FormSet = {
  micro: [],
  microHeldOut: [],
  full: [
    "Hi! From today on I want to keep track of what I spend. Can you do that?",
    "Hello, a friend told me that you keep ledgers. I would like to start one.",
    "Good morning, I want to write down all my expenses with you.",
  ],
  fullHeldOut: ["New year, new habits: please be my expense book."],
};

export const greetingReply: FormSet = {
  micro: [],
  microHeldOut: [],
  full: [
    "Welcome back, what do we have?",
    "Of course, go ahead.",
    "Happy to help. What did you spend?",
    "Ready when you are.",
  ],
  fullHeldOut: [],
};

export const farewell: FormSet = {
  micro: [],
  microHeldOut: [],
  full: [
    "That is all for today.",
    "I think that was everything, bye!",
    "Thanks, talk to you soon.",
    "Done for now, good night.",
  ],
  fullHeldOut: ["And with that my pockets are empty of receipts."],
};

export const farewellReply: FormSet = {
  micro: [],
  microHeldOut: [],
  full: [
    "All saved. See you next time.",
    "That makes {total} today. Good night!",
    "Everything is in the ledger, {total} for today.",
    "Thank you, talk soon.",
  ],
  fullHeldOut: [],
};

/** Put before a user's line in the full profile; says nothing. */
export const fillers: readonly string[] = [
  "Um, ",
  "OK so, ",
  "By the way, ",
  "Right, ",
  "Oh, ",
  "Let me see, ",
  "So, ",
  "Well, ",
];

/** Put after a user's line in the full profile; says nothing. */
export const tails: readonly string[] = [" :)", " Phew.", " lol", " Anyway.", " You know how it is.", " Ugh."];
