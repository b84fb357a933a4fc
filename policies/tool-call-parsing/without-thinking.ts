/**
 * A reply without the model's thinking (`<think>…</think>`), which is neither an answer nor a call.
 *
 * Templates of thinking models often put the opening tag into the prompt, so a reply may hold the closing one only. A
 * thought that was cut off is all there is: nothing is left of the reply then.
 */
export function withoutThinking(reply: string): string {
  const opened = /^\s*<think>/.test(reply);
  const close = reply.indexOf("</think>");
  if (close < 0) return opened ? "" : reply;
  const firstOpening = reply.indexOf("<think>");
  if (!opened && firstOpening >= 0 && firstOpening < close) return reply;
  return reply.slice(close + "</think>".length).trimStart();
}
