/**
 * Corrections in the same session, edits of earlier days, refunds; and the assistant's replies.
 *
 * A line without a date speaks of this session, a line with a date of the transaction of that date. `{old}` is the
 * amount as it stood; forms without it are used only where date and sub-scene leave one candidate.
 */
import type { FormSet } from "./form.ts";

/** "it" is the one thing stated in the user's line just before. */
export const correctImmediate: FormSet = {
  micro: [
    "Sorry, it was {new}, not {old}.",
    "Sorry, {new}, not {old}.",
    "Wait, I meant {new}, not {old}.",
    "No, it was {new}.",
    "Wait, it was {new}.",
    "I said {old}, but it was {new}.",
    "Oh, it was {new}, not {old}.",
    "My mistake, it was {new}.",
    "That was wrong, it cost {new}, not {old}.",
  ],
  microHeldOut: ["No, I meant {new}, not {old}.", "Sorry, I said {old}, but it was {new}."],
  full: [
    "Oops, that should have been {new} rather than {old}.",
    "Hang on, I misread that: {new}, not {old}.",
    "Scratch that, make it {new}.",
    "Hmm, {old} is wrong, it came to {new}.",
  ],
  fullHeldOut: ["Ah, typo on my side. {new} is the figure, not {old}.", "Let me take that back, {new} it was."],
};

export const correctNamed: FormSet = {
  micro: [
    "Sorry, {item} was {new}, not {old}.",
    "I was wrong about {item}: it cost {new}.",
    "Please change {item} to {new}.",
    "I said {old} for {item}, but it was {new}.",
    "Wait, I paid {new} for {item}, not {old}.",
    "My mistake: {item} was {new}, not {old}.",
    "The right price of {item} is {new}.",
    "Oh no, {item} cost {new}, not {old}.",
  ],
  microHeldOut: ["Please change {item} from {old} to {new}.", "I was wrong: {item} cost {new}, not {old}."],
  full: [
    "About {item} from a moment ago: {new} is right, {old} was a slip.",
    "Going back to {item}, the price was {new} and not {old}.",
    "Could you fix {item}? It came to {new}.",
    "I mixed something up, {item} was {new} instead of {old}.",
  ],
  fullHeldOut: ["Small fix for {item}: make the {old} a {new}.", "On second look {item} came out at {new}."],
};

export const edit: FormSet = {
  micro: [
    "Please change {item} on {date} to {new}.",
    "On {date} I paid {new} for {item}, not {old}.",
    "{item} on {date} was {new}, not {old}.",
    "About {date}: I said {old} for {item}, but it was {new}.",
    "The amount for {item} on {date} should be {new}.",
    "I was wrong about {item} on {date}: it cost {new}.",
    "For {date}, please change {item} from {old} to {new}.",
    "On {date} I was wrong: {item} cost {new}, not {old}.",
    "Please fix {date}: {item} cost {new}, not {old}.",
    "The price of {item} on {date} was {new}, not {old}.",
    "I found a mistake on {date}: I paid {new} for {item}.",
    "My record of {date} is wrong: {item} was {new}.",
  ],
  microHeldOut: [
    "Please change the amount for {item} on {date} from {old} to {new}.",
    "I said {old} for {item} on {date}, but it was {new}.",
    "About {item} on {date}: it was {new}.",
    "I found a mistake: the price of {item} on {date} was {new}, not {old}.",
  ],
  full: [
    "I found the receipt from {date}: {item} came to {new}, not {old}.",
    "Could you go back to {date} and set {item} to {new}?",
    "Looking at my bank statement, {item} on {date} was {new} instead of {old}.",
    "There is a mistake on {date}. For {item} it says {old}, it has to be {new}.",
    "Remember {item} on {date}? The real price was {new}.",
  ],
  fullHeldOut: [
    "The entry of {date} for {item} is off, {new} would be true, not {old}.",
    "Turns out I overlooked something on {date}: {item} ended up at {new}.",
  ],
};

/** `{back}` came back, less than what was paid. */
export const refundPart: FormSet = {
  micro: [
    "I got {back} back for {item} from {date}.",
    "They gave me {back} back for {item} on {date}.",
    "I paid {old} for {item} on {date} and got {back} back.",
    "There was a refund of {back} for {item} on {date}.",
    "For {item} on {date} I got a refund of {back}.",
    "From the {old} for {item} on {date}, {back} came back.",
    "The shop gave back {back} of the {old} for {item} on {date}.",
    "My refund for {item} from {date} is {back}.",
    "They returned {back} of what I paid for {item} on {date}.",
  ],
  microHeldOut: [
    "I got a refund of {back} for {item} from {date}.",
    "From the {old} I paid for {item} on {date}, I got {back} back.",
    "They returned {back} of the {old} for {item} from {date}.",
  ],
  full: [
    "The shop returned {back} of the {old} for {item} on {date}.",
    "Good news, {back} of {item} from {date} was credited to my card.",
    "A partial refund arrived: {back} on {item} of {date}.",
    "They overcharged me for {item} on {date} and paid {back} back.",
  ],
  fullHeldOut: [
    "I complained about {item} of {date} and {back} was knocked off afterwards.",
    "Out of the {old} for {item} on {date}, {back} is in my account again.",
  ],
};

export const refundAll: FormSet = {
  micro: [
    "I got a full refund for {item} from {date}.",
    "They gave me all the money back for {item} on {date}.",
    "All of the {old} for {item} on {date} came back.",
    "There was a full refund for {item} on {date}.",
    "I got all of the {old} back for {item} from {date}.",
    "For {item} on {date} I got the full {old} back.",
    "I returned {item} from {date} and got all the money back.",
    "The shop took back {item} from {date} and returned the full {old}.",
    "They returned all of what I paid for {item} on {date}.",
  ],
  microHeldOut: [
    "For {item} on {date} I got a full refund.",
    "They gave me the full {old} back for {item} on {date}.",
    "They returned the full {old} for {item} from {date}.",
  ],
  full: [
    "I returned what I got on {date}, {item}, and the whole {old} was paid back.",
    "{item} from {date} was cancelled and fully refunded.",
    "Take {item} of {date} off the books, they refunded every cent.",
    "The full price for {item} on {date} is in my account again.",
  ],
  fullHeldOut: [
    "Nothing was charged in the end for {item} on {date}, the full amount was reversed.",
    "They voided {item} of {date}; the whole {old} is mine again.",
  ],
};

/** Assistant, after a correction or an edit. */
export const acknowledgeChange: FormSet = {
  micro: ["OK.", "Changed to {after}.", "Got it: {label}, {after}."],
  microHeldOut: [],
  full: [
    "Fixed, {label} is now {after}.",
    "No problem, I changed it to {after}.",
    "Updated. {label}: {after}.",
    "Thanks for checking, {label} now stands at {after}.",
  ],
  fullHeldOut: [],
};

/** Assistant, after a partial refund. */
export const acknowledgeRefund: FormSet = {
  micro: ["OK.", "Got it: {label} is now {after}."],
  microHeldOut: [],
  full: [
    "Nice, that leaves {after} for {label}.",
    "I lowered {label} to {after}.",
    "Refund noted, {label} is {after} now.",
  ],
  fullHeldOut: [],
};

/** Assistant, after a full refund. */
export const acknowledgeRemoval: FormSet = {
  micro: ["OK.", "Got it, {label} is gone."],
  microHeldOut: [],
  full: ["Then I will take {label} out.", "Removed {label} for that day.", "Good, {label} no longer counts."],
  fullHeldOut: [],
};
