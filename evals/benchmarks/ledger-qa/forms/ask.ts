/**
 * Questions: at least ten wordings per type. `{scene}` one scene; `{scenes}` two or three, written "A and B" or
 * "A, B and C"; `{label}` a sub-scene, "Dining - Coffee"; `{from}`, `{to}`, `{date}` ISO dates, both ends of a range included.
 */
import type { QuestionType } from "../questions.ts";
import type { FormSet } from "./form.ts";

/** Said after every question whose answer may be a list. */
export const listNote = "If there are several, list all of them with commas.";

export const ask: Readonly<Record<QuestionType, FormSet>> = {
  time_range_scene_amount: {
    micro: [
      "How much did I spend on {scene} from {from} to {to}?",
      "What did I spend on {scene} between {from} and {to}?",
      "How much money went to {scene} from {from} to {to}?",
      "From {from} to {to}, how much did I pay for {scene}?",
      "What is the sum for {scene} from {from} to {to}?",
      "How much did {scene} cost me between {from} and {to}?",
      "Please give me the total for {scene} from {from} to {to}.",
    ],
    microHeldOut: [
      "Between {from} and {to}, how much did I spend on {scene}?",
      "What did {scene} cost me from {from} to {to}?",
      "Please give me the sum for {scene} between {from} and {to}.",
    ],
    full: [
      "Add up everything under {scene} dated {from} through {to}.",
      "In the period {from} to {to}, what was my {scene} bill?",
    ],
    fullHeldOut: ["I need one figure: {scene}, {from} up to and including {to}."],
  },
  time_range_multiple_scenes_amount: {
    micro: [
      "How much did I spend on {scenes} in total from {from} to {to}?",
      "What did I spend on {scenes} together between {from} and {to}?",
      "How much money went to {scenes} together from {from} to {to}?",
      "From {from} to {to}, how much did I pay for {scenes} in total?",
      "What is the sum for {scenes} from {from} to {to}?",
      "How much did {scenes} cost me together between {from} and {to}?",
      "Please give me the total for {scenes} from {from} to {to}.",
    ],
    microHeldOut: [
      "Between {from} and {to}, how much did I spend on {scenes} in total?",
      "What did {scenes} cost me together from {from} to {to}?",
      "Please give me the sum for {scenes} between {from} and {to}.",
    ],
    full: [
      "Take {scenes} as one pot: what went in from {from} through {to}?",
      "Combined figure for {scenes}, {from} to {to}, please.",
    ],
    fullHeldOut: ["If I count {scenes} as one, what was it from {from} up to and including {to}?"],
  },
  time_range_total_amount: {
    micro: [
      "How much did I spend in total from {from} to {to}?",
      "What did I spend between {from} and {to}?",
      "What is the total of all my expenses from {from} to {to}?",
      "From {from} to {to}, how much did I pay in total?",
      "How much money did I spend between {from} and {to}?",
      "Please give me the sum of all expenses from {from} to {to}.",
      "What was my total spending between {from} and {to}?",
    ],
    microHeldOut: [
      "Between {from} and {to}, how much did I spend in total?",
      "What was my total spending from {from} to {to}?",
      "Please give me the total of all my expenses between {from} and {to}.",
    ],
    full: [
      "All categories taken together, what did {from} through {to} cost me?",
      "How much left my wallet in the period {from} to {to}?",
    ],
    fullHeldOut: ["One number for everything dated {from} up to and including {to}, please."],
  },
  max_scene: {
    micro: [
      "Which main category had the highest spending from {from} to {to}?",
      "On which main category did I spend the most between {from} and {to}?",
      "Which main category cost me the most from {from} to {to}?",
      "From {from} to {to}, which main category had the highest total?",
      "What was my highest main category between {from} and {to}?",
      "Between {from} and {to}, on which main category did I spend the most money?",
      "Please give me the main category with the highest total from {from} to {to}.",
    ],
    microHeldOut: [
      "Between {from} and {to}, which main category cost me the most?",
      "What was the main category with the highest spending from {from} to {to}?",
      "From {from} to {to}, on which main category did I spend the most?",
    ],
    full: [
      "Rank my main categories by total for {from} through {to}: which comes first?",
      "In the period {from} to {to}, where did most of my money go? Name the main category.",
    ],
    fullHeldOut: ["Name the main category that swallowed the most from {from} up to and including {to}."],
  },
  max_frequency_date: {
    micro: [
      "On which date did I have the most {scene} transactions?",
      "Which date had the most transactions for {scene}?",
      "On which date did I pay for {scene} the most times?",
      "Which date has the highest number of {scene} transactions?",
      "What was the date with the most {scene} transactions?",
      "When did I have the most transactions for {scene} in one day? Give the date.",
      "Please give me the date with the most {scene} transactions.",
    ],
    microHeldOut: [
      "What was the date with the highest number of {scene} transactions?",
      "On which date did I have the highest number of transactions for {scene}?",
      "Please give me the date with the most transactions for {scene}.",
    ],
    full: [
      "Counting entries and not money, which date leads for {scene}?",
      "Which date shows the largest count of {scene} transactions?",
    ],
    fullHeldOut: ["Of all dates, where do the {scene} entries pile up the most, by count?"],
  },
  max_single_amount: {
    micro: [
      "What was my highest single expense from {from} to {to}?",
      "What is the most I paid for one thing between {from} and {to}?",
      "How much was the highest single expense between {from} and {to}?",
      "From {from} to {to}, what was the highest amount of one expense?",
      "What was the highest single amount from {from} to {to}?",
      "Between {from} and {to}, how much did the highest single expense cost?",
      "Please give me the highest single amount from {from} to {to}.",
    ],
    microHeldOut: [
      "How much was the highest single amount from {from} to {to}?",
      "Between {from} and {to}, what was my highest single expense?",
      "Please give me the highest single expense between {from} and {to}.",
    ],
    full: [
      "Give the amount of the largest single transaction dated {from} through {to}.",
      "In the period {from} to {to}, how big was my biggest single payment?",
    ],
    fullHeldOut: ["Of everything from {from} up to and including {to}, what was the priciest entry worth?"],
  },
  single_date_scene_amount: {
    micro: [
      "How much did I spend on {scene} on {date}?",
      "What did I spend on {scene} on {date}?",
      "How much money went to {scene} on {date}?",
      "On {date}, how much did I pay for {scene}?",
      "What is the sum for {scene} on {date}?",
      "How much did {scene} cost me on {date}?",
      "Please give me the total for {scene} on {date}.",
    ],
    microHeldOut: [
      "On {date}, what did I spend on {scene}?",
      "What did {scene} cost me on {date}?",
      "Please give me the sum for {scene} on {date}.",
    ],
    full: ["Only {date}, only {scene}: how much?", "What was the {scene} total for the day {date}?"],
    fullHeldOut: ["Look at {date} and tell me what {scene} came to."],
  },
  total_amount: {
    micro: [
      "How much did I spend in total?",
      "What is the total of all my expenses?",
      "What did I spend in all?",
      "How much money did I spend in total on all dates?",
      "What is the sum of all expenses?",
      "Please give me the total of all expenses.",
      "What was my total spending on all dates?",
    ],
    microHeldOut: [
      "How much money did I spend in all?",
      "Please give me the sum of all my expenses.",
      "What is the total of all my spending?",
    ],
    full: ["Add up the whole ledger, what do you get?", "Across everything we recorded, how much did I spend?"],
    fullHeldOut: ["From the first entry to the last, how much did it all cost me?"],
  },
  single_date_subscene_amount: {
    micro: [
      "How much did I spend on {label} on {date}?",
      "What did I spend on {label} on {date}?",
      "How much money went to {label} on {date}?",
      "On {date}, how much did I pay for {label}?",
      "What is the sum for {label} on {date}?",
      "How much did {label} cost me on {date}?",
      "Please give me the total for {label} on {date}.",
    ],
    microHeldOut: [
      "On {date}, what did I spend on {label}?",
      "What did {label} cost me on {date}?",
      "Please give me the sum for {label} on {date}.",
    ],
    full: ["Only {date}, only {label}: how much?", "What was the {label} total for the day {date}?"],
    fullHeldOut: ["Look at {date} and tell me what {label} came to."],
  },
};
