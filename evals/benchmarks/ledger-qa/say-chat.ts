/** One exchange that records nothing: a distractor or small talk, and the assistant's answer. */
import { type ChatClass, chat, chatReply } from "./forms/chat.ts";
import { formsFor } from "./forms/form.ts";
import { itemPhrases } from "./items.ts";
import { formatCents } from "./money.ts";
import { naturalPrice } from "./prices.ts";
import { scenes, subscenes } from "./taxonomy.ts";
import type { Line, Voice } from "./voice.ts";

const microReplyShare = 0.6;
const smallTalk: readonly ChatClass[] = ["smallTalk", "smallTalk", "smallTalk", "smallTalk", "smallTalk"];
const classes = {
  micro: ["priceSeen", "budget", "income", "plan", "others", "cash", "count", "smallTalk", "smallTalk"],
  full: ["priceSeen", "budget", "income", "plan", "others", "cash", "count", "recap", ...smallTalk],
} as const satisfies Record<Voice["profile"], readonly ChatClass[]>;

/**
 * `total` is today's sum so far, as it would be told. `said` collects the forms this session has used: none comes twice.
 * Empty when every form of the drawn class has been used.
 */
export function sayChat(voice: Voice, total: string, said: Set<string>): Line[] {
  const { random, profile, split } = voice;
  const kind = random.pick<ChatClass>(classes[profile]);
  const fresh = formsFor(chat[kind], voice).filter((form) => !said.has(form));
  if (fresh.length === 0) return [];
  const form = random.pick(fresh);
  said.add(form);
  const subscene = random.pick(subscenes);
  const cents =
    kind === "budget" || kind === "income" || kind === "cash"
      ? random.int(3, 250) * 1000
      : naturalPrice(subscene, random);
  const slots = {
    item: random.pick(itemPhrases(subscene, profile, split)),
    scene: random.pick(scenes),
    amount: voice.amount(cents),
    count: String(random.int(3, 120)),
    steps: String(random.int(20, 150) * 100),
  };
  const line = voice.user({ micro: [form], microHeldOut: [], full: [], fullHeldOut: [] }, slots);
  if (profile === "micro" && !voice.chance(microReplyShare)) return [line];
  return [line, voice.assistant(chatReply[kind], { amount: formatCents(cents), total })];
}
